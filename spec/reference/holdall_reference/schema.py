"""Chapter 4: schema. Its types; schema_reader.py reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

# F-14: the types without parameters.
SCALAR_NAMES = {
    0x00: "never",
    0x01: "null",
    0x02: "bool",
    0x03: "int",
    0x04: "u8",
    0x05: "u16",
    0x06: "u32",
    0x07: "u64",
    0x08: "u128",
    0x09: "i8",
    0x0A: "i16",
    0x0B: "i32",
    0x0C: "i64",
    0x0D: "i128",
    0x0E: "f16",
    0x0F: "bf16",
    0x10: "f32",
    0x11: "f64",
    0x12: "string",
    0x13: "bytes",
}
NEVER = 0x00
NULL = 0x01
BOOL = 0x02
INT = 0x03
INTEGERS = range(0x03, 0x0E)
# F-30: f16, bf16, f32 and f64, and the bytes of each.
FLOAT_SIZES = {0x0E: 2, 0x0F: 2, 0x10: 4, 0x11: 8}
STRING = 0x12
BYTES = 0x13
FIXED = 0x14
OPTION = 0x15
LIST = 0x16
ARRAY = 0x17
TUPLE = 0x18
STRUCT = 0x19
RECORD = 0x1A
MAP = 0x1B
UNION = 0x1C
TENSOR = 0x1D
PACKED = 0x1E
DEF = 0x1F
SHARED = 0x20
LOGICAL = 0x22
EXTENSION = 0x23
# F-73: types of later versions; F-72: so with kinds of logical types.
LATER = range(0xE0, 0x100)

ALL_FIELDS = 0
SEVERAL_SHAPES = 1
SPARSE = 2


@dataclass(frozen=True, eq=False, slots=True)
class Scalar:
    """A type without parameters, never and null included."""

    code: int


@dataclass(frozen=True, eq=False, slots=True)
class Fixed:
    """fixed(k): byte strings of k bytes."""

    size: int


@dataclass(frozen=True, eq=False, slots=True)
class Option:
    """option(T)."""

    item: Type


@dataclass(frozen=True, eq=False, slots=True)
class List:
    """list(T)."""

    item: Type


@dataclass(frozen=True, eq=False, slots=True)
class Array:
    """array(k, T): lists of k items."""

    size: int
    item: Type


@dataclass(frozen=True, eq=False, slots=True)
class Tuple:
    """tuple(T...)."""

    members: tuple[Type, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Record:
    """record(fields), or struct(name, fields) if it has a name. The shapes are those of form 1."""

    name: str | None
    fields: tuple[tuple[str, Type], ...]
    form: int
    shapes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Map:
    """map(K, V)."""

    key: Type
    value: Type


@dataclass(frozen=True, eq=False, slots=True)
class Union:
    """union(variants). In an unnamed union all names are None."""

    named: bool
    variants: tuple[tuple[str | None, Type], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Tensor:
    """tensor(T)."""

    item: Type


@dataclass(frozen=True, eq=False, slots=True)
class Packed:
    """packed(T)."""

    item: Type


@dataclass(frozen=True, eq=False, slots=True)
class Def:
    """def(i)."""

    index: int


@dataclass(frozen=True, eq=False, slots=True)
class Shared:
    """shared(i)."""

    index: int


@dataclass(frozen=True, eq=False, slots=True)
class Logical:
    """logical(kind, T)."""

    kind: int
    parameters: bytes
    storage: Type


@dataclass(frozen=True, eq=False, slots=True)
class Extension:
    """extension(name, T)."""

    name: str
    item: Type


@dataclass(frozen=True, eq=False, slots=True)
class Unknown:
    """A type of a later version (F-73)."""

    code: int
    parameters: bytes


Type: TypeAlias = (
    Scalar
    | Fixed
    | Option
    | List
    | Array
    | Tuple
    | Record
    | Map
    | Union
    | Tensor
    | Packed
    | Def
    | Shared
    | Logical
    | Extension
    | Unknown
)


@dataclass(frozen=True, eq=False, slots=True)
class Schema:
    """A schema and its bytes, with D written (F-22)."""

    root: Type
    definitions: tuple[Type, ...]
    data: bytes


def fingerprint(schema_bytes: bytes) -> int:
    """The fingerprint of a schema's bytes, which have D (F-22)."""
    import xxhash  # Only fingerprints need this package.

    # F-22: XXH3-64 (seed 0).
    return xxhash.xxh3_64_intdigest(schema_bytes, seed=0)


def types_inside(type_: Type) -> tuple[Type, ...]:
    """The types directly inside a type, in the order of the schema's bytes."""
    if isinstance(type_, (Option, List, Array, Tensor, Packed, Extension)):
        return (type_.item,)
    if isinstance(type_, Tuple):
        return type_.members
    if isinstance(type_, Record):
        return tuple([each for _, each in type_.fields])
    if isinstance(type_, Map):
        return type_.key, type_.value
    if isinstance(type_, Union):
        return tuple([each for _, each in type_.variants])
    return (type_.storage,) if isinstance(type_, Logical) else ()


def sites_of(type_: Type) -> Iterator[Type]:
    """Yield a type and its inner types in the order of their columns (F-23). Those in a tensor or packed have none."""
    stack = [type_]
    while stack:
        type_ = stack.pop()
        yield type_
        if not isinstance(type_, (Tensor, Packed)):
            stack += reversed(types_inside(type_))


def has_columns(type_: Type) -> bool:
    """Whether a type has columns of its own, for which a directory has an entry (F-86)."""
    if isinstance(type_, Scalar):
        return type_.code not in (NEVER, NULL)
    if isinstance(type_, Record):
        return type_.form != ALL_FIELDS
    if isinstance(type_, Union):
        return len(type_.variants) > 1
    return not isinstance(type_, (Tuple, Array, Def, Logical, Extension))


def preorder(type_: Type, level: int) -> Iterator[tuple[Type, int]]:
    """A type and all inside it in the order of their codes, with their nesting levels (F-15)."""
    stack = [(type_, level)]
    while stack:
        type_, level = stack.pop()
        yield type_, level
        stack += [(each, level + 1) for each in reversed(types_inside(type_))]
