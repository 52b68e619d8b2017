"""Objects in converted pickles, which do not have the classes: what pickle has of an object, as fields of its class.

Most classes pickle their attributes by name, but some a list of them, or the arguments of their constructor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .._errors import DecodeError, checked
from . import _exceptions, _later
from ._kinds import _is_model, _is_named_tuple, _is_struct, _own
from ._making import no_setter

Fields = dict[str, Any]


def completed(cls: Any, keys: Iterable[str]) -> Iterable[str]:
    """The fields by which objects are made: of an exception with a ``__reduce__``, a pickle has the arguments of its constructor."""
    if "<args>" not in keys or not isinstance(cls, type) or not issubclass(cls, BaseException):
        return keys
    return {*keys, "<call>"} if _exceptions.reduces(cls) else keys


def converter(cls: Any, keys: Iterable[str]) -> Callable[[Fields], Fields] | None:
    """A function from the fields of a converted pickle to those of the class; None if they are the same, or not of a pickle."""
    given = {key for key in keys if key[:1] == "<" or key == "__dict__"}
    return _converter(cls, given) if given and isinstance(cls, type) else None


def _converter(cls: Any, given: set[str]) -> Callable[[Fields], Fields] | None:
    if _is_named_tuple(cls):
        mark = next(iter(given & {"<newargs>", "<tuple>"}), None)
        return None if mark is None else lambda fields: named(cls, cls._fields, fields[mark])
    if _is_struct(cls):
        names = cls.__struct_fields__
        return (lambda fields: named(cls, names, fields["<args>"])) if "<args>" in given else None
    if _is_model(cls):
        return of_model if given == {"__dict__"} else None
    if given != {"<state>"} or own_state(cls):
        return None
    declared = declared_state(cls)
    return lambda fields: _of_state(cls, declared, fields["<state>"])


def _of_state(cls: Any, declared: list[str] | None, state: Any) -> Fields:
    """The attributes in the state of an object whose class leaves it to Python to restore it."""
    if declared is not None and type(state) in (list, tuple):
        return named(cls, declared, state)
    found = attributes_of(state)
    if found is None:
        raise no_setter(cls, state)
    return found


def attributes_of(state: Any) -> Fields | None:
    """The attributes in a state as Python makes it: a dict of them, or that and one of those in slots. None if it is another."""
    if type(state) is tuple and len(state) == 2 and type(state[1]) is dict:
        own, slots = state
        if own is not None and type(own) is not dict:
            return None
        state = {**(own or {}), **slots}
    if type(state) is not dict:
        return None
    return state if all(type(name) is str and name[:1] != "<" for name in state) else None


def named(cls: Any, names: Iterable[str], values: Any) -> Fields:
    """The values of a class's fields by their names."""
    names = list(names)
    if len(checked(values, list, tuple)) > len(names):
        raise refused(cls, f"has {len(values)} values for the {len(names)} fields of the class")
    return dict(zip(names, values, strict=False))


def refused(cls: Any, why: str) -> DecodeError:
    return DecodeError(
        f"the pickle {why}: {cls.__module__}.{cls.__qualname__}; without the class in types=, its objects stay records",
        code="unrepresentable",
    )


def own_state(cls: Any) -> bool:
    return bool(_own(cls, "__setstate__") or _own(cls, "__getstate__"))


def declared_state(cls: Any) -> list[str] | None:
    """The fields whose values alone are the state of a frozen dataclass or attrs class with slots."""
    if cls.__getstate__ is object.__getstate__:
        return None
    if _later.is_dataclass(cls) and not own_state(cls):
        return [field.name for field in _later.dataclasses.fields(cls)]
    attributes = getattr(cls, "__attrs_attrs__", None)
    if attributes is not None and not own_state(cls):
        return [each.name for each in attributes]
    return None


def of_model(state: Fields) -> Fields:
    """The fields of a model of pydantic, whose state has several parts."""
    fields = dict(checked(state.get("__dict__", {}), dict))
    for field, key in (("<extra>", "__pydantic_extra__"), ("<private>", "__pydantic_private__")):
        if state.get(key):
            fields[field] = state[key]
    given = state.get("__pydantic_fields_set__")
    if type(given) is set:
        fields["<set>"] = sorted(map(str, given))
    return fields
