"""The conversions that `strict=False` allows: text to numbers and times."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from . import _later


def _number_of(text: str) -> str:
    """Returns the text of a number, unless only Python would read it as one: with underscores, or digits of other scripts."""
    if not text.isascii() or "_" in text:
        raise ValueError
    return text


#: Digits beyond microseconds, which Python's times cut off.
_TOO_FINE = re.compile(r"[.,][0-9]{6}0*[1-9]")


def iso(kind: Any) -> Callable[[str], Any]:
    """Makes a date or time of its text, but not of text with digits that it cannot hold."""

    def make(text: str) -> Any:
        if _TOO_FINE.search(text):
            raise ValueError
        return kind.fromisoformat(text)

    return make


#: A fraction is made of this many digits at most: as many as Python reads of an int.
_DIGITS = 4300
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)$")


def _fraction_text(text: str) -> str:
    """Returns the text of a number whose numerator and denominator take little time to make."""
    found = _EXPONENT.search(text)
    if len(text) > _DIGITS or (found and not -_DIGITS <= int(found[1]) <= _DIGITS):
        raise ValueError
    return _number_of(text)


def _int(value: Any) -> int:
    if type(value) is str:
        return int(_number_of(value))
    if type(value) is float and value.is_integer():
        return int(value)
    raise ValueError


def _float(value: Any) -> float:
    if type(value) is str:
        number = float(_number_of(value))
        if math.isinf(number) and any(map(str.isdigit, value)):
            # A number that no float holds, not the text of infinity.
            raise ValueError
        return number
    raise ValueError


def _bool(value: Any) -> bool:
    known = {"true": True, "1": True, "false": False, "0": False}
    if type(value) is str and value.lower() in known:
        return known[value.lower()]
    if type(value) is int and value in (0, 1):
        return bool(value)
    raise ValueError


def _of_text(make: Callable[[str], Any]) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if type(value) is not str:
            raise ValueError
        return make(value)

    return convert


#: Converts a value to a type; raises ValueError, TypeError or ArithmeticError if it cannot.
LAX: dict[type, Callable[[Any], Any]] = {
    int: _int,
    float: _float,
    bool: _bool,
    datetime.datetime: _of_text(iso(datetime.datetime)),
    datetime.date: _of_text(iso(datetime.date)),
    datetime.time: _of_text(iso(datetime.time)),
}


#: Text that can be a number is none of these beside it: "1" is no bool beside int, and "20200101" no date.
_AFTER_NUMBERS: dict[Any, int] = {
    datetime.datetime: 1,
    datetime.date: 1,
    datetime.time: 1,
    bool: 2,
}


def in_order(kinds: Iterable[Any]) -> list[Any]:
    """The types in the order in which a value is converted to them."""
    return sorted(kinds, key=lambda kind: _AFTER_NUMBERS.get(kind, 0))


@_later.when_loaded("decimal")
def _add_decimal(decimal: Any) -> None:
    LAX[decimal.Decimal] = _of_text(lambda text: decimal.Decimal(_number_of(text)))


@_later.when_loaded("fractions")
def _add_fractions(fractions: Any) -> None:
    LAX[fractions.Fraction] = _of_text(lambda text: fractions.Fraction(_fraction_text(text)))


@_later.when_loaded("uuid")
def _add_uuids(uuid: Any) -> None:
    LAX[uuid.UUID] = _of_text(lambda text: uuid.UUID(_number_of(text)))
