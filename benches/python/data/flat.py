"""Lists of values of one type."""

from __future__ import annotations

import datetime
import decimal
import uuid
from random import Random

from .case import Case
from .text import mail, slug


def ints(count: int, seed: int) -> list[int]:
    """Makes ints of every length up to 40 bits, one in four negative."""
    random = Random(seed)
    numbers = (random.getrandbits(random.randrange(1, 41)) for _ in range(count))
    return [-number if random.random() < 0.25 else number for number in numbers]


def floats(count: int, seed: int) -> list[float]:
    """Makes floats with all their digits, such as computed measurements."""
    random = Random(seed)
    return [random.gauss(0, 1000) for _ in range(count)]


def strings(count: int, seed: int) -> list[str]:
    """Makes strings: half are almost unique, half come from a few thousand."""
    random = Random(seed)
    return [mail(random) if random.random() < 0.5 else slug(random, 10) for _ in range(count)]


def datetimes(count: int, seed: int) -> list[datetime.datetime]:
    """Makes times within ten years, to the microsecond, in UTC."""
    random = Random(seed)
    first = datetime.datetime(2015, 1, 1, tzinfo=datetime.UTC)
    span = 10 * 365 * 86_400 * 10**6
    return [first + datetime.timedelta(microseconds=random.randrange(span)) for _ in range(count)]


def decimals(count: int, seed: int) -> list[decimal.Decimal]:
    """Makes amounts, most with two decimal places."""
    random = Random(seed)
    places = [2, 2, 2, 2, 0, 4]
    return [
        decimal.Decimal(random.randrange(-(10**6), 10**8)).scaleb(-random.choice(places))
        for _ in range(count)
    ]


def uuids(count: int, seed: int) -> list[uuid.UUID]:
    random = Random(seed)
    return [uuid.UUID(int=random.getrandbits(128), version=4) for _ in range(count)]


CASES = [
    Case("ints", "flat", "{count} ints of up to 40 bits", 1_000_000, ints, list[int]),
    Case("floats", "flat", "{count} floats", 1_000_000, floats, list[float]),
    Case("strings", "flat", "{count} strings", 200_000, strings, list[str]),
    Case("datetimes", "flat", "{count} datetimes", 100_000, datetimes, list[datetime.datetime]),
    Case("decimals", "flat", "{count} Decimals", 100_000, decimals, list[decimal.Decimal]),
    Case("uuids", "flat", "{count} UUIDs", 100_000, uuids, list[uuid.UUID]),
]
