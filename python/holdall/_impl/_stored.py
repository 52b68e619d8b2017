"""Objects of what stores them: the numbers, bytes and parts that `dumps(..., storage=True)` writes where a format lacks a type."""

from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .._errors import DecodeError, LimitError
from . import _later
from ._containers import FACTORIES
from ._lax import iso
from ._patterns import make_other_pattern, make_pattern
from ._plain import make_decimal, make_fraction
from ._times import fixed_zone, named_zone
from ._values import Variant

_DIGITS = re.compile(r"-?\d+")
_MICROSECOND = datetime.timedelta(microseconds=1)
_EPOCH = datetime.datetime(1970, 1, 1)


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError
    return value


def _clock(value: Any, kind: type) -> Any:
    """A time without a zone by its number or, as formats of text have it, its text."""
    if type(value) is not str:
        return INTS[kind](_whole(value))
    time = TEXTS[kind](value)
    if time.tzinfo is not None:
        raise ValueError
    return time


def _date(days: int) -> datetime.date:
    return datetime.date(1970, 1, 1) + datetime.timedelta(days)


def _time(microseconds: int) -> datetime.time:
    since = microseconds * _MICROSECOND
    if since.days:
        raise ValueError
    return (datetime.datetime.min + since).time()


def _datetime(microseconds: int) -> datetime.datetime:
    return _EPOCH + microseconds * _MICROSECOND


def zone(name: str) -> datetime.tzinfo:
    """The zone of the IANA database with a name."""
    found = named_zone(name)
    if found is None:
        raise ValueError
    return found


def _zone(value: Any) -> datetime.tzinfo | None:
    """What stores the zone of a time: nothing, a name, or the offset and name of a zone without daylight saving."""
    if value is None:
        return None
    return zone(value) if type(value) is str else _timezone(value)


def _timezone(parts: Sequence[Any]) -> datetime.timezone:
    offset, name = parts
    since = _whole(offset) * _MICROSECOND
    return datetime.timezone(since) if name is None else datetime.timezone(since, name)


def _zoned_time(parts: Sequence[Any]) -> datetime.time:
    clock, tz, fold = parts
    local: datetime.time = _clock(clock, datetime.time)
    return local.replace(tzinfo=_zone(tz), fold=_whole(fold))


def _zoned_datetime(parts: Sequence[Any]) -> datetime.datetime:
    if len(parts) == 3:
        # A local time that its zone has twice, or of a zone with a name of its own.
        clock, tz, fold = parts
        local: datetime.datetime = _clock(clock, datetime.datetime)
        return local.replace(tzinfo=_zone(tz), fold=_whole(fold))
    microseconds, tz = parts
    if type(tz) is str:
        return _datetime(_whole(microseconds)).replace(tzinfo=datetime.UTC).astimezone(zone(tz))
    # Its UTC can be in the year 0 or 10,000.
    time = _datetime(_whole(microseconds) + _whole(tz) * 1_000_000)
    return time.replace(tzinfo=fixed_zone(tz))


def _complex(parts: Sequence[Any]) -> complex:
    real, imaginary = parts
    if not {type(real), type(imaginary)} <= {int, float}:
        raise ValueError
    return complex(real, imaginary)


def _range(parts: Sequence[Any]) -> range:
    start, stop, step = map(_whole, parts)
    return range(start, stop, step)


def _slice(parts: Sequence[Any]) -> slice:
    start, stop, step = parts
    return slice(start, stop, step)


def _pattern(parts: Sequence[Any]) -> re.Pattern[Any]:
    text, flags = parts
    try:
        if type(flags) is str:
            return make_pattern(text, flags)
        return make_other_pattern((text, _whole(flags)))
    except LimitError:
        raise
    except (re.error, KeyError, DecodeError):
        raise ValueError from None


def _variant(entries: dict[Any, Any]) -> Variant:
    ((name, payload),) = entries.items()
    if type(name) is not str:
        raise ValueError
    return Variant(name, payload)


def deque_parts(value: Sequence[Any]) -> tuple[Sequence[Any], int | None] | None:
    """The items and the maximum length of a deque that a list of both stores, if it does."""
    if len(value) != 2 or type(value[0]) not in (list, tuple):
        return None
    items, most = value
    is_length = most is None or (type(most) is int and len(items) <= most <= sys.maxsize)
    return (items, most) if is_length else None


def default_parts(value: Sequence[Any]) -> tuple[Any, dict[Any, Any]] | None:
    """The factory and the entries of a defaultdict that a list of both stores, if it does."""
    if len(value) != 2 or type(value[1]) is not dict:
        return None
    name, entries = value
    if name is None:
        return None, entries
    known = type(name) is str and name in FACTORIES
    return (FACTORIES[name], entries) if known else None


def _iso(kind: Any) -> Callable[[str], Any]:
    """Makes a date or time of its text, but not of digits alone, which may be a number, and no datetime of a date."""
    read = iso(kind)

    def make(text: str) -> Any:
        if _DIGITS.fullmatch(text):
            raise ValueError
        if kind is datetime.datetime and len(text) <= len("2020-01-02"):
            raise ValueError
        return read(text)

    return make


#: Types that text stores in formats of text.
TEXTS: dict[Any, Callable[[str], Any]] = {
    kind: _iso(kind) for kind in (datetime.date, datetime.time, datetime.datetime)
}
#: Types that whole numbers store. That of a datetime is one without a zone, where the format has points in time.
INTS: dict[Any, Callable[[int], Any]] = {
    datetime.date: _date,
    datetime.time: _time,
    datetime.datetime: _datetime,
    datetime.timedelta: lambda microseconds: microseconds * _MICROSECOND,
}


def _surrogates(data: bytes) -> str:
    """Text with lone surrogates. Bytes that are UTF-8 store no text: a format that has both would have it as text."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogatepass")
    raise ValueError


#: Types that a byte string stores.
BYTES: dict[Any, Callable[[bytes], Any]] = {str: _surrogates}
#: Types that a list stores.
PARTS: dict[Any, Callable[[Sequence[Any]], Any]] = {
    datetime.time: _zoned_time,
    datetime.datetime: _zoned_datetime,
    datetime.timezone: _timezone,
    complex: _complex,
    range: _range,
    slice: _slice,
    re.Pattern: _pattern,
}
#: Types that a dict stores.
ENTRIES: dict[Any, Callable[[dict[Any, Any]], Any]] = {Variant: _variant}
#: Types of which some values have parts although the format has the type.
PARTS_OF_SOME: set[Any] = {datetime.datetime}


@_later.when_loaded("decimal")
def _add_decimal(decimal: Any) -> None:
    def make(parts: Sequence[Any]) -> Any:
        form, coefficient, exponent = map(_whole, parts)
        if not 0 <= form <= 7 or coefficient < 0:
            raise ValueError
        return make_decimal(form, coefficient, exponent)

    PARTS[decimal.Decimal] = make


@_later.when_loaded("fractions")
def _add_fractions(fractions: Any) -> None:
    def make(parts: Sequence[Any]) -> Any:
        numerator, denominator = map(_whole, parts)
        return make_fraction(numerator, denominator)

    PARTS[fractions.Fraction] = make


@_later.when_loaded("uuid")
def _add_uuids(uuid: Any) -> None:
    def make(data: bytes) -> Any:
        return uuid.UUID(bytes=data)

    def marked(parts: Sequence[Any]) -> Any:
        plain, safe = parts
        data = plain.bytes if type(plain) is uuid.UUID else plain
        return uuid.UUID(bytes=data, is_safe=uuid.SafeUUID(safe))

    BYTES[uuid.UUID] = make
    PARTS[uuid.UUID] = marked
    PARTS_OF_SOME.add(uuid.UUID)


def paths(pathlib: Any) -> set[Any]:
    """The classes of paths that can exist here."""
    pure = (pathlib.PurePath, pathlib.PurePosixPath, pathlib.PureWindowsPath)
    return {pathlib.Path, type(pathlib.Path()), *pure}


@_later.when_loaded("pathlib")
def _add_paths(pathlib: Any) -> None:
    def of_bytes(kind: Any) -> Callable[[bytes], Any]:
        errors = "surrogatepass" if kind is pathlib.PureWindowsPath else "surrogateescape"
        return lambda data: kind(data.decode("utf-8", errors))

    for kind in paths(pathlib):
        BYTES[kind] = of_bytes(kind)


@_later.when_loaded("ipaddress")
def _add_addresses(ipaddress: Any) -> None:
    def scoped(parts: Sequence[Any]) -> Any:
        address, scope = parts
        return ipaddress.IPv6Address(f"{ipaddress.IPv6Address(address)}%{scope}")

    def masked(kind: Any) -> Callable[[Sequence[Any]], Any]:
        def make(parts: Sequence[Any]) -> Any:
            address, length = parts
            if type(address) is not bytes:
                raise ValueError
            return kind((address, _whole(length)))

        return make

    PARTS[ipaddress.IPv6Address] = scoped
    PARTS_OF_SOME.add(ipaddress.IPv6Address)
    for version in ("4", "6"):
        address = getattr(ipaddress, f"IPv{version}Address")
        BYTES[address] = address
        for name in ("Network", "Interface"):
            kind = getattr(ipaddress, f"IPv{version}{name}")
            PARTS[kind] = masked(kind)
