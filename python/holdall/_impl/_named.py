"""What a message names: the classes of its objects, classes and functions as values, and functions that it calls."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _holdall
from . import _callables, _classes, _lookup
from ._constants import CONSTANT
from ._containers import FACTORIES
from ._making import Decoding
from ._options import Use
from ._registry import by_name, callable_of, split_version
from ._values import Extension, Record, _set_fields

#: The names of classes and functions by use, where data have them in values: these are not in the schema.
Named = dict[tuple[str, Use], None]
#: Extensions and fields that have such names.
_EXTENSIONS = frozenset({"py.callable", "py.method", "py.defaultdict"})
_FIELDS = ('"<call>"', '"<factory>"')


class Names(_classes.Resolver):
    """Reads a message as records, and notes what its values name."""

    def __init__(self) -> None:
        super().__init__((), {}, "record")
        self.found: Named = {}

    def note(self, name: Any, use: Use) -> None:
        if type(name) is not str or name == CONSTANT:
            return
        if not (name in FACTORIES if use == "factory" else _callables.is_known(name)):
            self.found[name, use] = None

    def find_struct(self, name: str, keys: list[str]) -> Decoding:
        def fill(record: Record, fields: dict[str, Any]) -> None:
            self.note(fields.get("<call>"), "reduce")
            self.note(fields.get("<factory>"), "factory")
            _set_fields(record, fields)

        new = functools.partial(Record, name)
        return Decoding("fill", new=new, fill=fill, is_of_program=False)

    def find_extension(self, name: str) -> tuple[Callable[..., Any], ...]:
        def fill(made: Extension, held: Any) -> None:
            made.value = held
            if name == "py.callable":
                self.note(held, "value")
            elif name == "py.defaultdict" and type(held) is tuple and held:
                self.note(held[0], "factory")
            elif name == "py.method" and type(held) is tuple and held and type(held[0]) is list:
                # Of a class, that must be allowed as a value, too.
                for owner in held[0]:
                    self.note(getattr(owner, "__holdall_name__", None), "value")

        return (functools.partial(Extension, name), fill)


def of_objects(schema: _holdall.Schema) -> list[str]:
    """The names of the classes of objects, without versions and types of this package."""
    return [
        split_version(name)[0]
        for name in schema.names()
        if name not in _classes.KNOWN and name not in _callables.EXTENSIONS
    ]


def in_values(
    data: Any,
    schema: _holdall.Schema,
    known: tuple[list[_holdall.Dictionary], _holdall.Store | None],
    budget: int | None = None,
    *,
    bare: bool = False,
) -> Named:
    """The names in values. They are read only if the schema has values with names."""
    if _EXTENSIONS.isdisjoint(schema.names()) and not any(
        each in schema.text() for each in _FIELDS
    ):
        return {}
    names = Names()
    given = schema if bare else None
    _holdall.Unpacker(names, None, given, [], *known, budget).unpack(data)
    return names.found


def classes(
    data: Any, dictionaries: list[_holdall.Dictionary], store: _holdall.Store | None
) -> dict[str, Callable[..., Any] | None]:
    """What a message names; None for what this program does not know."""
    schema = _holdall.schema_of(data, dictionaries, store)
    found: dict[str, Any] = {name: by_name.get(name) for name in of_objects(schema)}
    for name, use in in_values(data, schema, (dictionaries, store)):
        found[name] = found.get(name) or callable_of(name, use)
    return found


# ---- the error for what is missing ----

#: How many names of a kind an error lists: data can have any number.
_LISTED = 100
_TEXTS: dict[Use, str] = {
    "value": "holds the classes or functions {}",
    "reduce": "calls {} with arguments of its own choice",
    "factory": "has the factories {} of defaultdicts",
}


def missing(resolver: _classes.Resolver, schema: _holdall.Schema, named: Named) -> str | None:
    """Says what data name and a program does not allow, and how to allow it."""
    objects = [name for name in of_objects(schema) if resolver.find(name)[0] is None]
    by_use: dict[Use, list[str]] = {}
    for name, use in named:
        if not resolver.allows(name, use):
            by_use.setdefault(use, []).append(name)
    parts = [f"has objects of {_joined(objects)}"] if objects else []
    parts += [_TEXTS[use].format(_joined(names)) for use, names in by_use.items()]
    if not parts:
        return None
    text = f"the data {' and '.join(parts)}, which this program does not allow."
    objects, held = objects[:_LISTED], by_use.get("value", [])[:_LISTED]
    classes = [*objects, *(name for name in held if name not in objects and _is_class(name))]
    # A function in `types=` could be called, too.
    functions = [name for name in held if _lookup.is_name(name) and not _is_class(name)]
    modules = dict.fromkeys(filter(None, map(_lookup.module_in, functions)))
    lines = [f"import {', '.join(modules)}"] if modules else []
    lines += [f'holdall.register({name}, uses=["value"])' for name in functions]
    if classes:
        safe = "these are safe classes, let data create objects of them"
        lines.append(_lookup.code_for(classes, resolver.call))
    else:
        safe = "these are safe, allow them"
    if not lines:
        return f"{text} Register those functions that are safe with any arguments: holdall.register(function, uses=[...])"
    code = "\n".join(lines).replace("\n", "\n    ")
    return f"{text} If you know that {safe}:\n    {code}"


def _joined(names: list[str]) -> str:
    more = [f"and {len(names) - _LISTED} more"] if len(names) > _LISTED else []
    shown = (name if name.isprintable() else repr(name) for name in names[:_LISTED])
    return ", ".join([*shown, *more])


def _is_class(name: str) -> bool:
    found = _lookup.defined(name)
    return name.rpartition(".")[2][:1].isupper() if found is None else isinstance(found, type)
