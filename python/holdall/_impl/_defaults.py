"""What the fields of a class are that data lack."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .._errors import SchemaError, listed, quoted
from . import _later
from ._kinds import _slots


def defaults_of(cls: type, *, all_of_them: bool) -> list[tuple[str, str, Any, Any]]:
    """Returns field, attribute, default and factory for each field with a default.

    Without ``all_of_them``, it omits defaults that the class itself has as an attribute: an object whose attribute was never
    set must stay that way.
    """
    found = [
        each
        for each in _defaults(cls)
        if all_of_them or each[3] is not None or each[1] in _slots(cls) or not hasattr(cls, each[1])
    ]
    if hasattr(cls, "__attrs_attrs__") and "_attrs_cached_hash" in getattr(
        getattr(cls.__hash__, "__code__", None), "co_consts", ()
    ) + getattr(getattr(cls.__hash__, "__code__", None), "co_names", ()):
        found.append(("", "_attrs_cached_hash", None, None))
    return found


def _defaults(cls: type) -> list[tuple[str, str, Any, Any]]:
    found: list[tuple[str, str, Any, Any]] = []
    if _later.is_dataclass(cls):
        for field in _later.dataclasses.fields(cls):
            if field.default is not _later.dataclasses.MISSING:
                found.append((field.name, field.name, field.default, None))
            elif field.default_factory is not _later.dataclasses.MISSING:
                found.append((field.name, field.name, None, field.default_factory))
        return found
    attributes: tuple[Any, ...] = getattr(cls, "__attrs_attrs__", ())
    nothing = getattr(sys.modules.get("attr"), "NOTHING", None)
    for attribute in attributes:
        default = attribute.default
        if default is nothing:
            continue
        factory = getattr(default, "factory", None)
        if factory is None:
            found.append((attribute.name, attribute.name, default, None))
        elif not default.takes_self:
            found.append((attribute.name, attribute.name, None, factory))
    return found


def defaults_of_self(cls: type) -> Callable[[Any], None] | None:
    """Returns a function that sets the missing attributes of an attrs class whose defaults depend on the object."""
    factories = {
        each.name: each.default.factory
        for each in getattr(cls, "__attrs_attrs__", ())
        if getattr(each.default, "takes_self", False)
    }
    if not factories:
        return None

    def fill(value: Any) -> None:
        for name, factory in factories.items():
            if not hasattr(value, name):
                object.__setattr__(value, name, factory(value))

    return fill


def required_of_struct(cls: Any) -> list[str]:
    """Returns the fields of a msgspec Struct that have no default."""
    names, defaults = cls.__struct_fields__, cls.__struct_defaults__
    nodefault = sys.modules["msgspec"].NODEFAULT
    optional = len(names) - len(defaults)
    with_defaults = zip(names[optional:], defaults, strict=True)
    return [
        *names[:optional],
        *(name for name, default in with_defaults if default is nodefault),
    ]


def refuse_missing(cls: Any, missing: str, fields: dict[str, Any]) -> None:
    """Raises the error for data that lack a field which its class needs to make an object."""
    raise SchemaError(
        f"expected the field {quoted(missing)} of {cls.__qualname__}, which has no default, "
        f"got {listed(fields)}; give it a default to read data without it",
        code="missing_field",
    )


def refuse_length(cls: Any, length: int) -> None:
    """Raises the error for data with another number of items than a named tuple has fields."""
    raise SchemaError(
        f"expected {len(cls._fields)} items for the fields of {cls.__qualname__}, got {length}",
        code="unconvertible",
    )
