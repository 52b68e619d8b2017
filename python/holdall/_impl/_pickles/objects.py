"""The fields of objects, from the arguments, items, entries and states that a pickle has of them.

They are those that `dumps` writes for the class. Without the class they are those of most classes: attributes by their names,
the content of a subclass of list or dict, and what else there is under the names in angle brackets.
"""

from __future__ import annotations

import copyreg
from typing import Any

from ..._errors import DecodeError
from .._kinds import _base, _is_model, _is_named_tuple, _is_struct, _own
from .._pickled import attributes_of, declared_state, named, of_model, own_state, refused
from .machine import Made


def fields_of(made: Made, cls: Any) -> dict[str, Any]:
    """The fields of an object; ``cls`` is None for a class that the program does not allow, and for a function."""
    if cls is None:
        return _fields(made, has_own_items=made.how == "call" or bool(made.args))
    if issubclass(cls, BaseException):
        return {"<args>": made.args, **_attributes(cls, made)}
    if _is_model(cls):
        return _of_model(made)
    if _is_struct(cls) and made.args:
        return named(cls, cls.__struct_fields__, made.args)
    if _is_named_tuple(cls):
        content = made.args[1] if made.how == "base" else made.args
        return named(cls, cls._fields, content)
    if made.how == "base":
        return _fields(made, has_own_items=False, cls=cls)
    base = _base(cls)
    if has_reduce(cls):
        return _fields(made, has_own_items=True, cls=cls)
    if base is not None and made.how == "new" and len(made.args) == 1 and not _own_arguments(cls):
        return {f"<{base.__name__}>": made.args[0], **_attributes(cls, made)}
    if made.how == "call" and made.args:
        raise refused(cls, "calls it with arguments, but it defines no __reduce__")
    if made.args and not _own_arguments(cls) and base is None:
        raise refused(cls, "has arguments for its __new__, but it defines no __getnewargs__")
    made.how = "new"
    return _fields(made, has_own_items=False, cls=cls)


def has_reduce(cls: Any) -> bool:
    """Whether a class says itself what its objects are made of."""
    return bool(
        _own(cls, "__reduce_ex__") or _own(cls, "__reduce__") or cls in copyreg.dispatch_table
    )


def _own_arguments(cls: Any) -> bool:
    """Whether a class, and not its builtin base, defines the arguments of its ``__new__``."""
    base = _base(cls)
    return any(
        getattr(cls, name, None) is not getattr(base, name, None)
        for name in ("__getnewargs__", "__getnewargs_ex__")
    )


def _fields(made: Made, *, has_own_items: bool, cls: Any = None) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if made.how == "base":
        base, content = made.args
        if base is not None:
            fields[f"<{base}>"] = content
    elif made.how == "call":
        if made.args:
            fields["<args>"] = made.args
        else:
            fields["<init>"] = None
    elif made.keywords is not None:
        fields["<newargs>"], fields["<newkeywords>"] = made.args, made.keywords
    elif made.args:
        fields["<newargs>"] = made.args
    if made.items:
        fields["<items>" if has_own_items else "<list>"] = made.items
    if made.entries:
        if has_own_items:
            fields["<entries>"] = made.entries
        else:
            fields["<dict>"] = dict(made.entries)
    fields.update(_attributes(cls, made))
    return fields


def _attributes(cls: Any, made: Made) -> dict[str, Any]:
    """The attributes in the states of an object, or the state itself, if only the class knows what it means."""
    fields: dict[str, Any] = {}
    for state in made.states:
        if state is None:
            continue
        found = _named_attributes(cls, state)
        if found is None:
            if len(made.states) > 1:
                raise DecodeError(
                    f"the pickle has several states of an object of {made.name}",
                    code="unrepresentable",
                )
            return {"<state>": state}
        fields.update(found)
    return fields


def _named_attributes(cls: Any, state: Any) -> dict[str, Any] | None:
    """The attributes in a state; None if it is to be kept as it is: only the class knows whether it is one of its own or of Python."""
    if type(state) is dict and not state:
        # Exceptions have one once something has asked for their attributes.
        return {} if _is_exception(cls) or (cls is not None and not own_state(cls)) else None
    if type(state) is not dict and (cls is None or own_state(cls)):
        return None
    if cls is not None and type(state) in (list, tuple):
        names = declared_state(cls)
        if names is not None and len(names) == len(state):
            return dict(zip(names, state, strict=True))
    return attributes_of(state)


def _is_exception(cls: Any) -> bool:
    """Whether it is a class of exceptions without a state of its own."""
    is_one = isinstance(cls, type) and issubclass(cls, BaseException)
    return is_one and cls.__setstate__ is BaseException.__setstate__


def _of_model(made: Made) -> dict[str, Any]:
    """The fields of a model of pydantic, whose state has several parts."""
    (state,) = made.states or [{}]
    if type(state) is not dict or type(state.get("__dict__", {})) is not dict:
        raise DecodeError(
            f"the pickle has an unknown state of the model {made.name}", code="unrepresentable"
        )
    return of_model(state)
