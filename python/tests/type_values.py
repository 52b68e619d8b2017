"""Values of types that formats such as JSON lack, by the names that the documentation has for them."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import fractions
import ipaddress
import pathlib
import re
import uuid
import zoneinfo
from typing import Any, Literal

UTC = datetime.UTC
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
TWO_HOURS = datetime.timezone(datetime.timedelta(hours=2))


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"
    # Each is named like the value of the other.
    A = "B"
    B = "A"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(enum.StrEnum):
    YES = "y"
    NO = "n"


class Bits(enum.Flag):
    ONE = 1
    TWO = 2


DAY = datetime.date(2020, 1, 2)
MOMENT = datetime.datetime(2020, 1, 2, 3, 4, 5)
EXACT = MOMENT.replace(microsecond=6)

#: By the names that the documentation has: a type, and values of it.
TYPES: dict[str, tuple[Any, list[Any]]] = {
    "`bool`": (bool, [True, False]),
    "`int`": (int, [0, -1, 2**63 - 1, -(2**63)]),
    "`int` beyond 64 bits": (int, [2**64, -(10**30)]),
    "`float`": (float, [0.0, -1.5, 1e300, 5e-324]),
    "`str`": (str, ["a", "7", "true"]),
    "`bytes`": (bytes, [b"", b"\xff"]),
    "`bytearray`": (bytearray, [bytearray(b"\xff")]),
    "`Enum`": (Colour, list(Colour)),
    "`IntEnum`": (Level, list(Level)),
    "`StrEnum`": (Word, list(Word)),
    "`Literal` of members": (Literal[Colour.RED, Colour.A], [Colour.RED, Colour.A]),
    "`Flag`": (Bits, [Bits.ONE, Bits.ONE | Bits.TWO, Bits(0)]),
    "`date`": (datetime.date, [DAY, datetime.date.min, datetime.date.max]),
    "`time`": (
        datetime.time,
        [datetime.time(), datetime.time(1, 2, 3, 4), datetime.time(23, 59, 59, 999_999)],
    ),
    "`time` with a zone": (
        datetime.time,
        [datetime.time(1, 2, 3, tzinfo=tz) for tz in (UTC, TWO_HOURS, BERLIN)],
    ),
    "`timedelta`": (
        datetime.timedelta,
        [datetime.timedelta(), -datetime.timedelta(1, 2, 3), datetime.timedelta(999_999_999)],
    ),
    "`datetime` without a zone": (
        datetime.datetime,
        [MOMENT, EXACT, datetime.datetime.min, datetime.datetime.max],
    ),
    "`datetime` in UTC": (
        datetime.datetime,
        [MOMENT.replace(tzinfo=UTC), datetime.datetime(1900, 1, 1, tzinfo=UTC)],
    ),
    "`datetime` in UTC with microseconds": (datetime.datetime, [EXACT.replace(tzinfo=UTC)]),
    "`datetime` with another zone": (
        datetime.datetime,
        [
            *(EXACT.replace(tzinfo=tz) for tz in (TWO_HOURS, BERLIN)),
            datetime.datetime(2020, 10, 25, 2, 30, fold=1, tzinfo=BERLIN),
            MOMENT.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=1), "own")),
        ],
    ),
    "`timezone`": (
        datetime.timezone,
        [TWO_HOURS, datetime.timezone(datetime.timedelta(0, -1), "own")],
    ),
    "`ZoneInfo`": (zoneinfo.ZoneInfo, [BERLIN]),
    "`Decimal`": (decimal.Decimal, [decimal.Decimal(text) for text in ("1.50", "-7", "1E+5", "0")]),
    "`Decimal` of -0, infinity or NaN": (
        decimal.Decimal,
        [decimal.Decimal(text) for text in ("-0.0", "Infinity", "-Infinity")],
    ),
    "`Fraction`": (fractions.Fraction, [fractions.Fraction(1, 3), fractions.Fraction(-7)]),
    "`complex`": (complex, [1 + 2j, -0.0 + 1e300j]),
    "`UUID`": (uuid.UUID, [uuid.UUID(int=0xAB)]),
    "paths": (pathlib.PurePosixPath, [pathlib.PurePosixPath("/a/b"), pathlib.PurePosixPath("7")]),
    "IP addresses": (ipaddress.IPv4Address, [ipaddress.IPv4Address("1.2.3.4")]),
    "IP addresses of version 6": (
        ipaddress.IPv6Address,
        [ipaddress.IPv6Address("::1"), ipaddress.IPv6Address("fe80::1%eth0")],
    ),
    "IP networks": (ipaddress.IPv4Network, [ipaddress.IPv4Network("1.2.3.0/24")]),
    "IP interfaces": (ipaddress.IPv6Interface, [ipaddress.IPv6Interface("::1/8")]),
    "`set`": (set[int], [set(), {1, 2}]),
    "`frozenset`": (frozenset[str], [frozenset(), frozenset("ab")]),
    "`tuple`": (tuple[int, str], [(1, "a")]),
    "`OrderedDict`": (
        collections.OrderedDict[str, int],
        [collections.OrderedDict(b=1, a=2)],
    ),
    "`Counter`": (collections.Counter[str], [collections.Counter("aab")]),
    "`range`": (range, [range(3), range(5, 1, -2)]),
    "`slice`": (slice, [slice(1, None), slice(None, 5, 2)]),
    "`Pattern`": (re.Pattern[str], [re.compile("a"), re.compile("a", re.IGNORECASE)]),
    "`deque`": (collections.deque[int], [collections.deque([1, 2]), collections.deque([1], 3)]),
    "`defaultdict`": (
        collections.defaultdict[str, int],
        [collections.defaultdict(int, a=1)],
    ),
    "`ChainMap`": (collections.ChainMap[str, int], [collections.ChainMap({"a": 1})]),
}
