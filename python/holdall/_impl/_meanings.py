"""Stored values of a column as `loads` gives them: those of logical types and extensions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from .. import _holdall
from .._errors import DecodeError, EncodeError
from ._codec import Decoder
from ._values import UNKNOWN, Extension, Fixed, Int, Logical

#: An extension's name, or the kind and parameters of a logical type.
Meaning = tuple[str | None, int, bytes]


def _is_known(name: str | None, kind: int, parameters: bytes) -> bool:
    """Whether numpy gives values of the logical type their meaning, in most units."""
    is_time = kind == TIMESTAMP and parameters[1:] in (b"\x00", b"\x01")
    return name is None and (is_time or kind in (0x01, 0x04))


def _is_utc(_name: str | None, kind: int, parameters: bytes) -> bool:
    return kind == TIMESTAMP and parameters[1:] == b"\x01"


def _in_utc(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if type(value) is datetime else value


def _meant(value: Any, meanings: list[Meaning]) -> Any:
    """What packs to a value of the same types: its stored value inside extensions and logical types."""
    if value is None:
        return value
    for name, kind, parameters in reversed(meanings):
        if name is not None:
            value = Extension(name, value)
        elif isinstance(value, _STORED) or not _is_known(name, kind, parameters):
            stored = _STORAGE.get(kind, _same)
            value = Logical(kind, parameters, stored(value, parameters))
    return value


def _same(value: Any, _parameters: bytes) -> Any:
    return value


def _timestamp(value: Any, parameters: bytes) -> Any:
    return (value[0], Int("i32", value[1])) if parameters[1:] == b"\x02" else value


def _decimal(value: Any, _parameters: bytes) -> Any:
    return (Int("u8", value[0]), *value[1:])


def _fixed(value: Any, _parameters: bytes) -> Any:
    return Fixed(value)


def _network(value: Any, _parameters: bytes) -> Any:
    return (Fixed(value[0]), Int("u8", value[1]))


TIMESTAMP = 0x03
#: What stores values of logical types.
_STORED = (bool, int, float, str, bytes, list, tuple, dict)
#: By the kind of logical type, how Python's form of a stored value becomes exactly that stored value.
_STORAGE: dict[int, Callable[[Any, bytes], Any]] = {
    TIMESTAMP: _timestamp,
    0x05: _decimal,
    0x08: _fixed,
    0x13: _fixed,
    0x14: _network,
}


def with_meaning(
    values: list[Any], found: tuple[list[Meaning], bool], decoder: Decoder[Any]
) -> list[Any]:
    """Values of the types that these extensions and logical types make of stored ones, from outside in.

    They are read from a message: so they are what the decoder makes of each.

    Raises:
        DecodeError: with code ``unrepresentable`` if a value cannot be in a message: it contains values of a later
            version, or is none of its type; with ``unsupported`` if a value is absent in a column, and may be so inside or
            outside of an extension or logical type.
    """
    meanings, has_absent = found
    if all(_is_known(*meaning) for meaning in meanings):
        if any(_is_utc(*meaning) for meaning in meanings):
            values = [_in_utc(value) for value in values]
        if not any(isinstance(value, _STORED) for value in values):
            return values
    if not meanings:
        return values
    if has_absent and any(value is None for value in values):
        raise DecodeError(
            "unsupported: a column does not say whether what is absent is the value or only its content; its rows do",
            code="unsupported",
        )
    known = [value for value in values if value is not UNKNOWN]
    meant = [_meant(value, meanings) for value in known]
    try:
        message = _holdall.dumps(meant, references=False)
    except EncodeError as error:
        raise DecodeError(
            f"unrepresentable: stored values: {error}", code="unrepresentable"
        ) from error
    read: list[Any] = decoder.decode(message)
    if len(known) == len(values):
        return read
    rest = iter(read)
    return [UNKNOWN if value is UNKNOWN else next(rest) for value in values]
