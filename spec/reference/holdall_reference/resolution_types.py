"""Chapter 13: what types stand for, when two are equal, and their text for people."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from holdall_reference.packable import SCALAR_WIDTHS
from holdall_reference.paths import Path, path_text
from holdall_reference.schema import (
    BYTES,
    FLOAT_SIZES,
    INTEGERS,
    NEVER,
    NULL,
    SCALAR_NAMES,
    Array,
    Def,
    Extension,
    Fixed,
    List,
    Logical,
    Map,
    Option,
    Packed,
    Record,
    Scalar,
    Schema,
    Shared,
    Tensor,
    Tuple,
    Type,
    Union,
    Unknown,
    types_inside,
)
from holdall_reference.schema_text import schema_text

U8_TYPE = Scalar(0x04)


class ResolutionError(Exception):
    """A pair of types, or a value, that cannot be read; its code, path and rule (F-41)."""

    def __init__(self, code: str, path: Path, rule: str, detail: str = "") -> None:
        self.code = code
        self.path = path_text(path)
        self.rule = rule
        super().__init__(f"{code} {self.path}" + (f": {detail}" if detail else "") + f" ({rule})")


class Place(NamedTuple):
    """A type other than def, shared and packed, and the schema that has its definitions."""

    type: Type
    schema: Schema

    def inside(self, type_: Type) -> Place:
        """A type inside this one."""
        return place(type_, self.schema)

    def text(self) -> str:
        """The type for people."""
        return schema_text(Schema(self.type, (), b""))


def place(type_: Type, schema: Schema) -> Place:
    """F-78: def and shared count as what they stand for, packed(T) as T.

    (same is a struct in a parsed schema already.)
    """
    while isinstance(type_, (Def, Shared, Packed)):
        type_ = type_.item if isinstance(type_, Packed) else schema.definitions[type_.index]
    return Place(type_, schema)


def equal_types(left: Place, right: Place) -> bool:
    """F-78: whether two types are equal: the same but for shapes, all the way down.

    Recursive definitions have no end, so a repeated pair is not compared a second time.
    """
    met: set[tuple[int, int]] = set()
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        key = (id(a.type), id(b.type))
        if a.type is b.type and a.schema is b.schema:
            continue
        if key in met:
            continue
        met.add(key)
        if type(a.type) is not type(b.type) or _head(a.type) != _head(b.type):
            return False
        inside = zip(types_inside(a.type), types_inside(b.type), strict=True)
        stack += [(a.inside(x), b.inside(y)) for x, y in inside]
    return True


def _head(type_: Type) -> object:
    """Everything about a type except its shapes and inner types, whose number it includes."""
    if isinstance(type_, Scalar):
        return type_.code
    if isinstance(type_, (Fixed, Array)):
        return type_.size
    if isinstance(type_, Tuple):
        return len(type_.members)
    if isinstance(type_, Record):
        return type_.name, [name for name, _ in type_.fields]
    if isinstance(type_, Union):
        return type_.named, [name for name, _ in type_.variants]
    if isinstance(type_, Logical):
        return type_.kind, type_.parameters
    if isinstance(type_, Unknown):
        return type_.code
    return type_.name if isinstance(type_, Extension) else None


def is_scalar(place_: Place, code: int) -> bool:
    """Whether a type is this scalar."""
    return isinstance(place_.type, Scalar) and place_.type.code == code


def scalar_name(place_: Place) -> str:
    """The name, and tag, of a scalar."""
    assert isinstance(place_.type, Scalar)
    return SCALAR_NAMES[place_.type.code]


def takes_null(place_: Place) -> bool:
    """F-79: whether a type is null or an option."""
    return isinstance(place_.type, Option) or is_scalar(place_, NULL)


def has_no_values(place_: Place) -> bool:
    """Whether a type is never, or a named union without variants."""
    type_ = place_.type
    return is_scalar(place_, NEVER) or (isinstance(type_, Union) and not type_.variants)


def marked_schema(schema: Schema) -> Schema:
    """Return a schema with the same columns whose values show more than the schema's own.

    A tagged value does not show its variant of an unnamed union (`["list",[]]` may
    be of any that is a list), nor which of several options is absent. Chapter 13 asks for both.
    So unnamed unions become named ones, whose variants are called "0", "1" and so on; and what
    is inside an option becomes a named union of one variant, which has no column (F-24).
    """
    done: dict[int, Type] = {}

    def mark(type_: Type) -> Type:
        if id(type_) not in done:
            done[id(type_)] = _mark(type_)
        return done[id(type_)]

    def _mark(type_: Type) -> Type:
        if isinstance(type_, Option):
            return Option(Union(True, (("", mark(type_.item)),)))
        if isinstance(type_, Union):
            names = [name if type_.named else str(i) for i, (name, _) in enumerate(type_.variants)]
            types = [mark(each) for _, each in type_.variants]
            return Union(True, tuple(zip(names, types, strict=True)))
        # Packable types have neither.
        if isinstance(type_, (Tensor, Packed)) or not types_inside(type_):
            return type_
        if isinstance(type_, Tuple):
            return Tuple(tuple(map(mark, type_.members)))
        if isinstance(type_, Record):
            return replace(type_, fields=tuple((name, mark(each)) for name, each in type_.fields))
        if isinstance(type_, Map):
            return Map(mark(type_.key), mark(type_.value))
        if isinstance(type_, Logical):
            return replace(type_, storage=mark(type_.storage))
        assert not isinstance(type_, (Scalar, Fixed, Def, Shared, Unknown))
        return replace(type_, item=mark(type_.item))

    return replace(schema, root=mark(schema.root), definitions=tuple(map(mark, schema.definitions)))


def union_code(place_: Place) -> object:
    """F-78, line 6: the code of a type; all integers count as one, and so do all floats."""
    type_ = place_.type
    if isinstance(type_, Scalar):
        if type_.code in INTEGERS:
            return "integer"
        return "float" if type_.code in FLOAT_SIZES else type_.code
    if isinstance(type_, Record):
        return "record" if type_.name is None else "struct"
    return type(type_)


def is_explicit_some(place_: Place) -> bool:
    """F-97: whether a variant `Some` says that an option is present."""
    if not isinstance(place_.type, Union) or not place_.type.named:
        return False
    payload = dict(place_.type.variants).get("Some")
    if payload is None:
        return False
    inside = place_.inside(payload)
    if is_scalar(inside, NULL):
        return True
    if isinstance(inside.type, Option):
        inside = inside.inside(inside.type.item)
    return (
        isinstance(inside.type, Union)
        and inside.type.named
        and [name for name, _ in inside.type.variants] == ["Some"]
    )


def has_some(place_: Place) -> bool:
    """Whether an option's values may be of such a variant."""
    type_ = place_.type
    if isinstance(type_, Union) and not type_.named:
        return any(is_explicit_some(place_.inside(each)) for _, each in type_.variants)
    return is_explicit_some(place_)


def leads_onward(w: Place, r: Place) -> bool:
    """Whether a pair is of line 5, 6, 11 or 15, w being of none of the lines 1 to 4."""
    if isinstance(r.type, Union):
        return not r.type.named
    if isinstance(r.type, Extension):
        return not isinstance(w.type, Extension)
    if isinstance(r.type, Logical):
        return not isinstance(w.type, (Extension, Logical))
    return isinstance(r.type, Option)


def is_bytes(place_: Place) -> bool:
    return isinstance(place_.type, Fixed) or is_scalar(place_, BYTES)


def is_element(place_: Place) -> bool:
    """Whether a type is a scalar that tensors can have: bool, an integer but int, a float."""
    return isinstance(place_.type, Scalar) and place_.type.code in SCALAR_WIDTHS


def is_sequence(place_: Place) -> bool:
    return isinstance(place_.type, (List, Array, Tuple, Tensor)) or is_bytes(place_)


def sequence_size(place_: Place) -> int | None:
    """Return the number of items that a type fixes for all its values."""
    if isinstance(place_.type, (Array, Fixed)):
        return place_.type.size
    return len(place_.type.members) if isinstance(place_.type, Tuple) else None


def item_type(place_: Place, number: int) -> Place:
    """The type of an item."""
    type_ = place_.type
    if isinstance(type_, Tuple):
        return place_.inside(type_.members[number])
    if isinstance(type_, (List, Array, Tensor)):
        return place_.inside(type_.item)
    # The items of bytes are u8.
    return place_.inside(U8_TYPE)
