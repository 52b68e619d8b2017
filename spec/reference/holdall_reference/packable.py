"""Packable types (F-70): which types are packable, their widths, and the bytes of their values."""

from __future__ import annotations

from holdall_reference.logical import kind_name
from holdall_reference.schema import (
    ALL_FIELDS,
    ARRAY,
    BOOL,
    EXTENSION,
    FIXED,
    FLOAT_SIZES,
    INT,
    INTEGERS,
    LOGICAL,
    RECORD,
    SCALAR_NAMES,
    STRUCT,
    TUPLE,
    Array,
    Extension,
    Fixed,
    Logical,
    Record,
    Scalar,
    Tuple,
    Type,
    preorder,
    types_inside,
)
from holdall_reference.tagged import Json, Tagged

LARGEST_WIDTH = 1 << 20

# F-70: bool 1, the integers but int, and the floats their size.
SCALAR_WIDTHS = {
    BOOL: 1,
    **{code: int(SCALAR_NAMES[code][1:]) // 8 for code in INTEGERS if code != INT},
    **FLOAT_SIZES,
}
PACKABLE_CODES = frozenset(
    {*SCALAR_WIDTHS, FIXED, ARRAY, TUPLE, STRUCT, RECORD, LOGICAL, EXTENSION}
)


def is_packable(type_: Type) -> bool:
    """Whether a type has none of F-70's faults."""
    for each, _ in preorder(type_, 1):
        if isinstance(each, Scalar):
            if each.code not in SCALAR_WIDTHS:
                return False
        elif isinstance(each, Record):
            # F-70: no head with form 1 or 2.
            if each.form != ALL_FIELDS:
                return False
        elif not isinstance(each, (Fixed, Array, Tuple, Logical, Extension)):
            return False
    return all(has_width(each) for each, _ in preorder(type_, 1))


def width(type_: Type) -> int:
    """The number of bytes of each value of a packable type."""
    if isinstance(type_, Scalar):
        return SCALAR_WIDTHS[type_.code]
    if isinstance(type_, Fixed):
        return type_.size
    # F-70: array(k, T) k times T's, tuple, struct and record the sum of theirs,
    # logical and extension that of the type inside.
    inside = sum(map(width, types_inside(type_)))
    return type_.size * inside if isinstance(type_, Array) else inside


def has_width(type_: Type) -> bool:
    """Whether the width of a packable type is 1 to 2^20 (F-70)."""
    return 1 <= width(type_) <= LARGEST_WIDTH


def bad_bool(type_: Type, payload: bytes) -> int | None:
    """Return the offset of the first bool other than 00 and 01 in consecutive values."""
    if not payload:
        return None
    offsets = _bools(type_, 0)
    for start in range(0, len(payload), width(type_)) if offsets else ():
        for offset in offsets:
            # F-70: a bool as 00 or 01.
            if payload[start + offset] > 1:
                return start + offset
    return None


def _bools(type_: Type, at: int) -> list[int]:
    """Return the offsets of the bools in the value at this offset, in order."""
    if isinstance(type_, Scalar):
        return [at] if type_.code == BOOL else []
    if isinstance(type_, Array):
        item, size = _bools(type_.item, at), width(type_.item)
        return [offset + i * size for i in range(type_.size) for offset in item] if item else []
    offsets = []
    for each in types_inside(type_):
        offsets += _bools(each, at)
        at += width(each)
    return offsets


def unpack(type_: Type, item: bytes) -> Tagged:
    """A value from its bytes. It recurses no deeper than the schema does."""
    # F-70: written little-endian, its parts one after the other without padding.
    if isinstance(type_, Scalar):
        return _unpack_scalar(type_.code, item)
    if isinstance(type_, Fixed):
        return ["fixed", item.hex()]
    if isinstance(type_, Logical):
        storage = unpack(type_.storage, item)
        return ["logical", kind_name(type_.kind), type_.parameters.hex(), storage]
    if isinstance(type_, Extension):
        return ["extension", type_.name, unpack(type_.item, item)]
    parts = _unpack_parts(type_, item)
    if isinstance(type_, Record):
        fields: list[Json] = [
            [name, part] for (name, _), part in zip(type_.fields, parts, strict=True)
        ]
        return ["record", fields] if type_.name is None else ["struct", type_.name, fields]
    return ["array" if isinstance(type_, Array) else "tuple", parts]


def _unpack_parts(type_: Type, item: bytes) -> Tagged:
    inside = types_inside(type_)
    parts: Tagged = []
    at = 0
    for each in inside * type_.size if isinstance(type_, Array) else inside:
        size = width(each)
        parts.append(unpack(each, item[at : at + size]))
        at += size
    return parts


def _unpack_scalar(code: int, item: bytes) -> Tagged:
    name = SCALAR_NAMES[code]
    if code == BOOL:
        # F-70: a bool as 00 or 01.
        return [name, item == b"\x01"]
    if code in FLOAT_SIZES:
        return [name, item[::-1].hex()]
    return [name, str(int.from_bytes(item, "little", signed=name[0] == "i"))]


def values(type_: Type) -> int:
    """The number of values in one of a packable type, itself included (F-26)."""
    inside = sum(map(values, types_inside(type_)))
    return 1 + (type_.size * inside if isinstance(type_, Array) else inside)
