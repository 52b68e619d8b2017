"""Chapter 12: schema text."""

from __future__ import annotations

import re

from holdall_reference.logical import logical_text
from holdall_reference.schema import (
    SCALAR_NAMES,
    SEVERAL_SHAPES,
    SPARSE,
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
)

BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def schema_text(schema: Schema) -> str:
    """A schema for people (F-55)."""
    text = type_text(schema.root)
    # F-55: a schema with definitions is the root, then ` where #0 = T, #1 = T`.
    if schema.definitions:
        definitions = [f"#{i} = {type_text(each)}" for i, each in enumerate(schema.definitions)]
        text += " where " + ", ".join(definitions)
    return text


def type_text(type_: Type) -> str:
    """A type, in which #0 is definition 0 (F-55)."""
    if isinstance(type_, Scalar):
        # F-55: the scalars by name.
        return SCALAR_NAMES[type_.code]
    if isinstance(type_, Fixed):
        return f"fixed({type_.size})"
    if isinstance(type_, Option):
        return f"option({type_text(type_.item)})"
    if isinstance(type_, List):
        return f"list({type_text(type_.item)})"
    if isinstance(type_, Array):
        return f"array({type_.size}, {type_text(type_.item)})"
    if isinstance(type_, (Tensor, Packed)):
        word = "tensor" if isinstance(type_, Tensor) else "packed"
        return f"{word}({type_text(type_.item)})"
    if isinstance(type_, Tuple):
        return f"tuple({', '.join(map(type_text, type_.members))})"
    if isinstance(type_, Map):
        return f"map({type_text(type_.key)}, {type_text(type_.value)})"
    if isinstance(type_, Record):
        word = "record" if type_.name is None else f"struct {_name_text(type_.name)}"
        return f"{word} {_named_types_text(type_.fields)}{_shapes_text(type_)}"
    if isinstance(type_, Union):
        if type_.named:
            return f"union {_named_types_text(type_.variants)}"
        return f"union({', '.join(type_text(each) for _, each in type_.variants)})"
    if isinstance(type_, Logical):
        return f"{logical_text(type_)}({type_text(type_.storage)})"
    if isinstance(type_, Extension):
        # F-55: the name always as a JSON string.
        return f"extension {json_text(type_.name)}({type_text(type_.item)})"
    if isinstance(type_, Unknown):
        return f"unknown[{bytes([type_.code, *type_.parameters]).hex(' ').upper()}]"
    if isinstance(type_, Shared):
        return f"shared(#{type_.index})"
    assert isinstance(type_, Def)
    return f"#{type_.index}"


def _named_types_text(named: tuple[tuple[str | None, Type], ...]) -> str:
    # F-55: without fields or variants `{}`.
    return "{" + ", ".join(f"{_name_text(name)}: {type_text(each)}" for name, each in named) + "}"


def _shapes_text(type_: Record) -> str:
    if type_.form == SEVERAL_SHAPES:
        # F-55: its shapes as `[0 1, 1]`, an empty shape is `-`.
        shapes = [" ".join(map(str, shape)) or "-" for shape in type_.shapes]
        return f" [{', '.join(shapes)}]"
    return " sparse" if type_.form == SPARSE else ""


def _name_text(name: str | None) -> str:
    assert name is not None, "only unnamed unions have no names"
    # F-55: bare if it matches, else as a JSON string.
    return name if BARE_NAME.fullmatch(name) else json_text(name)


def json_text(name: str) -> str:
    """A name between quotes."""
    # F-55: a JSON string in which only these are escaped.
    return '"' + "".join(map(_escaped, name)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return f"\\u{ord(character):04x}" if character < " " else character
