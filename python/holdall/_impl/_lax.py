"""The conversions that `strict=False` allows: text to numbers and times."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

from . import _later


def _number_of(text: str) -> str:
    """Returns the text of a number, unless only Python would read it as one: with underscores, or digits of other scripts."""
    if not text.isascii() or "_" in text:
        raise ValueError
    return text


def _int(value: Any) -> int:
    if type(value) is str:
        return int(_number_of(value))
    if type(value) is float and value.is_integer():
        return int(value)
    raise ValueError


def _float(value: Any) -> float:
    if type(value) is str:
        return float(_number_of(value))
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
    datetime.datetime: _of_text(datetime.datetime.fromisoformat),
    datetime.date: _of_text(datetime.date.fromisoformat),
    datetime.time: _of_text(datetime.time.fromisoformat),
}


@_later.when_loaded("decimal")
def _add_decimal(decimal: Any) -> None:
    LAX[decimal.Decimal] = _of_text(lambda text: decimal.Decimal(_number_of(text)))


@_later.when_loaded("fractions")
def _add_fractions(fractions: Any) -> None:
    LAX[fractions.Fraction] = _of_text(lambda text: fractions.Fraction(_number_of(text)))


@_later.when_loaded("uuid")
def _add_uuids(uuid: Any) -> None:
    LAX[uuid.UUID] = _of_text(lambda text: uuid.UUID(_number_of(text)))
