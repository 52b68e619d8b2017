"""Logical types (F-72): their kinds, parameters and storage."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from holdall_reference.schema import (
    SCALAR_NAMES,
    Fixed,
    List,
    Logical,
    Map,
    Scalar,
    Tuple,
    Type,
)

# Whether a kind may have this type as its storage. def and shared are other types.
Match: TypeAlias = Callable[[Type], bool]


def _scalar(*names: str) -> Match:
    return lambda type_: isinstance(type_, Scalar) and SCALAR_NAMES[type_.code] in names


def _fixed(size: int) -> Match:
    return lambda type_: isinstance(type_, Fixed) and type_.size == size


def _tuple(*members: Match) -> Match:
    return lambda type_: (
        isinstance(type_, Tuple)
        and len(type_.members) == len(members)
        and all(match(each) for match, each in zip(members, type_.members, strict=True))
    )


def _list(item: Match) -> Match:
    return lambda type_: isinstance(type_, List) and item(type_.item)


def _any(_: Type) -> bool:
    return True


def _map(type_: Type) -> bool:
    return isinstance(type_, Map)


# F-72: whole is int or i64.
WHOLE = _scalar("int", "i64")
INT = _scalar("int")
STRING = _scalar("string")

# The meanings of a parameter, which is one byte, as F-55 writes them.
Meanings: TypeAlias = "dict[int, str]"
UNIT: Meanings = {0: "s", 1: "ms", 2: "us", 3: "ns"}
ZONE: Meanings = {0: "local", 1: "utc", 2: "offset", 3: "zone"}
STYLE: Meanings = {0: "any", 1: "posix", 2: "windows"}
TEXT: Meanings = {0: "string", 1: "bytes"}
FLOAT_SIZE: Meanings = {4: "4", 8: "8"}
IP_VERSION: Meanings = {4: "4", 6: "6"}


def _timestamp(parameters: bytes) -> Match:
    # F-72: tuple(whole, i32) for zone 2; tuple(whole, string) for zone 3.
    zones = {2: _tuple(WHOLE, _scalar("i32")), 3: _tuple(WHOLE, STRING)}
    return zones.get(parameters[1], WHOLE)


def _complex(parameters: bytes) -> Match:
    item = _scalar(f"f{8 * parameters[0]}")
    return _tuple(item, item)


def _path(parameters: bytes) -> Match:
    return _scalar(TEXT[parameters[1]])


def _ip(parameters: bytes) -> Match:
    return _fixed({4: 4, 6: 16}[parameters[0]])


def _network(parameters: bytes) -> Match:
    return _tuple(_ip(parameters), _scalar("u8"))


class Kind(NamedTuple):
    """A kind of logical types: a row of F-72's table."""

    name: str
    parameters: tuple[Meanings, ...]
    storage: Callable[[bytes], Match]
    """The storage for these parameters."""


def _kind(name: str, storage: Match) -> Kind:
    return Kind(name, (), lambda _: storage)


def _kind_of_unit(name: str) -> Kind:
    return Kind(name, (UNIT,), lambda _: WHOLE)


LONG_TUPLE = 0x0C

KINDS = {
    0x01: _kind("date", WHOLE),
    0x02: _kind_of_unit("time"),
    0x03: Kind("timestamp", (UNIT, ZONE), _timestamp),
    0x04: _kind_of_unit("duration"),
    0x05: _kind("decimal", _tuple(_scalar("u8"), INT, INT)),
    0x06: _kind("rational", _tuple(INT, INT)),
    0x07: Kind("complex", (FLOAT_SIZE,), _complex),
    0x08: _kind("uuid", _fixed(16)),
    0x09: _kind("char", _scalar("u32")),
    0x0A: _kind("set", _list(_any)),
    0x0B: _kind("frozen_set", _list(_any)),
    LONG_TUPLE: _kind("long_tuple", _list(_any)),
    0x0D: _kind("byte_array", _scalar("bytes")),
    0x0E: _kind("ordered_map", _map),
    0x0F: _kind("bit_vector", _list(_scalar("bool", "never"))),
    0x10: _kind("symbol", STRING),
    0x11: Kind("path", (STYLE, TEXT), _path),
    0x12: _kind("url", STRING),
    0x13: Kind("ip_address", (IP_VERSION,), _ip),
    0x14: Kind("ip_network", (IP_VERSION,), _network),
    0x15: _kind("regular_expression", _tuple(STRING, STRING)),
    0x16: _kind("range", _tuple(INT, INT, INT)),
    0x17: _kind("wtf8_string", _scalar("bytes")),
}


def kind_name(kind: int) -> str:
    """A kind in tagged values: its name, or two digits if it is of a later version."""
    return KINDS[kind].name if kind in KINDS else f"{kind:02X}"


def logical_text(type_: Logical) -> str:
    """A logical type without its storage (F-55)."""
    kind, parameters = type_.kind, type_.parameters
    # F-55: kinds from E0 on as `logical[E0 0A](T)`, kind and parameters in hexadecimal.
    if kind not in KINDS:
        return f"logical[{bytes([kind, *parameters]).hex(' ').upper()}]"
    # F-55: by their kind's name with parameters.
    meanings = zip(KINDS[kind].parameters, parameters, strict=True)
    texts = [meaning[byte] for meaning, byte in meanings]
    return KINDS[kind].name + (f"[{', '.join(texts)}]" if texts else "")
