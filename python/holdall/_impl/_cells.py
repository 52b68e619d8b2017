"""What the text of a cell of CSV spells, for types without text: it is what the writer of CSV writes for their values."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from . import _later
from ._lax import LAX

_INT = re.compile(r"-?(?:0|[1-9][0-9]*)")
#: As JSON has them. Only an integer has no second group.
_NUMBER = re.compile(rf"({_INT.pattern})((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_BOOLS = {"true": (True,), "false": (False,)}


def spelled(text: str) -> tuple[Any, ...]:
    """The plain values that a cell spells beside its text; digits alone are an int, and a float that need not be exact."""
    if not text:
        return (None,)
    number = _NUMBER.fullmatch(text)
    if number is None:
        return _BOOLS.get(text, ())
    value = float(text)
    floats = () if math.isinf(value) else (value,)
    try:
        return floats if number[2] else (int(text), *floats)
    except ValueError:
        # More digits than Python reads.
        return ()


def made(kinds: Iterable[Any], text: str) -> Any:
    """The object of the first of some types that a cell spells; raises ValueError if it spells none."""
    for kind in kinds:
        try:
            if kind in _STORED and _INT.fullmatch(text):
                return _STORED[kind](int(text))
            make = _TEXTS.get(kind) or LAX.get(kind)
            if make is not None:
                return make(text)
        except (ValueError, ArithmeticError):
            continue
    raise ValueError


def is_of_python(text: str) -> bool:
    """Whether a text is a number to Python alone: with underscores, or digits of other scripts."""
    try:
        float(text)
    except ValueError:
        return False
    return not text.isascii() or "_" in text


def advice(kinds: Iterable[Any], text: str, *, strict: bool) -> str:
    """What to do about a cell that spells no value of some types."""
    if not text:
        return "fill the empty cell, or add None to the type"
    kinds = list(kinds)
    if datetime.datetime in kinds and _INT.fullmatch(text):
        return "a number does not say whether the time is that of UTC; write value.isoformat()"
    if strict and any(_is_lax(kind, text) for kind in kinds):
        return "strict=False takes this spelling"
    return "correct the cell, or request str"


def _is_lax(kind: Any, text: str) -> bool:
    try:
        return kind in LAX and LAX[kind](text) is not None
    except (ValueError, ArithmeticError):
        return False


_MICROSECOND = datetime.timedelta(microseconds=1)


def _time(microseconds: int) -> datetime.time:
    since = microseconds * _MICROSECOND
    if since.days:
        raise ValueError
    return (datetime.datetime.min + since).time()


def _datetime(text: str) -> datetime.datetime:
    # Python reads digits alone as a date without separators.
    if _INT.fullmatch(text):
        raise ValueError
    return datetime.datetime.fromisoformat(text)


#: Types that `storage=True` writes as whole numbers. Not datetime: its number has no zone.
_STORED: dict[Any, Callable[[int], Any]] = {
    datetime.date: lambda days: datetime.date(1970, 1, 1) + datetime.timedelta(days),
    datetime.time: _time,
    datetime.timedelta: lambda microseconds: microseconds * _MICROSECOND,
}
#: Types whose text is not that of `LAX`.
_TEXTS: dict[Any, Callable[[str], Any]] = {datetime.datetime: _datetime}


def _exact(kind: Any) -> Callable[[str], Any]:
    """Makes a number of its digits, or of what `str` writes: "NaN" and "1/3", but not "+1"."""

    def make(text: str) -> Any:
        number = LAX[kind](text)
        if _NUMBER.fullmatch(text) is None and str(number) != text:
            raise ValueError
        return number

    return make


@_later.when_loaded("decimal")
def _add_decimal(decimal: Any) -> None:
    _TEXTS[decimal.Decimal] = _exact(decimal.Decimal)


@_later.when_loaded("fractions")
def _add_fractions(fractions: Any) -> None:
    _TEXTS[fractions.Fraction] = _exact(fractions.Fraction)


@_later.when_loaded("uuid")
def _add_uuids(uuid: Any) -> None:
    def make(text: str) -> Any:
        identity = LAX[uuid.UUID](text)
        if str(identity) != text.lower():
            raise ValueError
        return identity

    _TEXTS[uuid.UUID] = make


@_later.when_loaded("pathlib")
def _add_paths(pathlib: Any) -> None:
    for kind in (pathlib.Path, pathlib.PurePath, pathlib.PurePosixPath, pathlib.PureWindowsPath):
        _TEXTS[kind] = kind


@_later.when_loaded("ipaddress")
def _add_addresses(ipaddress: Any) -> None:
    for version in ("4", "6"):
        for name in ("Address", "Network", "Interface"):
            kind = getattr(ipaddress, f"IPv{version}{name}")
            _TEXTS[kind] = kind
