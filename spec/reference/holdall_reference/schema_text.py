"""Chapter 12: schema text."""

from __future__ import annotations

import re

from holdall_reference.schema import (
    SCALAR_NAMES,
    SEVERAL_SHAPES,
    SPARSE,
    Def,
    List,
    Map,
    Option,
    Record,
    Scalar,
    Schema,
    Shared,
    Tuple,
    Type,
    Union,
)

BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def schema_text(schema: Schema) -> str:
    """A schema for people (F-55)."""
    text = _type_text(schema.root)
    # F-55: a schema with definitions is the root, then ` where #0 = T, #1 = T`.
    if schema.definitions:
        definitions = [f"#{i} = {_type_text(each)}" for i, each in enumerate(schema.definitions)]
        text += " where " + ", ".join(definitions)
    return text


def _type_text(type_: Type) -> str:
    if isinstance(type_, Scalar):
        # F-55: the scalars by name.
        return SCALAR_NAMES[type_.code]
    if isinstance(type_, Option):
        return f"option({_type_text(type_.item)})"
    if isinstance(type_, List):
        return f"list({_type_text(type_.item)})"
    if isinstance(type_, Tuple):
        return f"tuple({', '.join(map(_type_text, type_.members))})"
    if isinstance(type_, Map):
        return f"map({_type_text(type_.key)}, {_type_text(type_.value)})"
    if isinstance(type_, Record):
        word = "record" if type_.name is None else f"struct {_name_text(type_.name)}"
        return f"{word} {_named_types_text(type_.fields)}{_shapes_text(type_)}"
    if isinstance(type_, Union):
        if type_.named:
            return f"union {_named_types_text(type_.variants)}"
        return f"union({', '.join(_type_text(each) for _, each in type_.variants)})"
    if isinstance(type_, Shared):
        return f"shared(#{type_.index})"
    assert isinstance(type_, Def)
    return f"#{type_.index}"


def _named_types_text(named: tuple[tuple[str | None, Type], ...]) -> str:
    # F-55: without fields or variants `{}`.
    return "{" + ", ".join(f"{_name_text(name)}: {_type_text(each)}" for name, each in named) + "}"


def _shapes_text(type_: Record) -> str:
    if type_.form == SEVERAL_SHAPES:
        # F-55: its shapes as `[0 1, 1]`, an empty shape is `-`.
        shapes = [" ".join(map(str, shape)) or "-" for shape in type_.shapes]
        return f" [{', '.join(shapes)}]"
    return " sparse" if type_.form == SPARSE else ""


def _name_text(name: str | None) -> str:
    assert name is not None, "only unnamed unions have no names"
    # F-55: bare if it matches, else as a JSON string in which only these are escaped.
    if BARE_NAME.fullmatch(name):
        return name
    return '"' + "".join(map(_escaped, name)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return f"\\u{ord(character):04x}" if character < " " else character
