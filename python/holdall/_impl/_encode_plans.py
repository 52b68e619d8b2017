"""Plans by which the compiled half packs the objects of a class, and functions that convert objects to ones it can pack.

Fields that are not attributes have names in angle brackets, which no attribute of a class statement can have. For example,
``<list>`` is the content of a subclass of list.
"""

from __future__ import annotations

import builtins
import collections
import copyreg
import enum
import functools
import operator
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._errors import EncodeError
from . import (
    _callables,
    _constants,
    _exceptions,
    _frames,
    _later,
    _numpy,
    _plain,
    _random,
    _registry,
    _weak,
)
from ._kinds import (
    _BASES,
    _HEAP,
    _base,
    _has_more,
    _is_model,
    _is_named_tuple,
    _is_struct,
    _own,
    _slots,
)
from ._registry import Registration, by_class, options_of
from ._values import Extension, Record, UnknownException

#: What a caller can do about objects whose content is unknown.
_HINT = "; leave it out, register its class with encode= and decode=, or pass an enc_hook"

#: The methods that return the arguments of `__new__`, in order of precedence, and whether with keywords.
_NEW_ARGUMENTS = {"__getnewargs_ex__": True, "__getnewargs__": False}

#: What pickle calls to make objects: the class, and arguments of its ``__new__``.
_NEW: Any = vars(copyreg)["__newobj__"]

#: Builtin classes whose ``__new__`` takes the content.
_IMMUTABLE = (int, float, complex, str, bytes, tuple, frozenset)

_plans: weakref.WeakKeyDictionary[type, tuple[Any, ...]] = weakref.WeakKeyDictionary()


def encode_plan(cls: type) -> tuple[Any, ...]:
    """Returns how to pack objects of a class: a kind, and its details."""
    plan = _plans.get(cls)
    if plan is None:
        plan = _encode_plan(cls)
        if plan[0] != "unsupported":
            _plans[cls] = plan
    return plan


def _encode_plan(cls: type) -> tuple[Any, ...]:
    if cls is Record:
        return ("native", "record")
    if cls is UnknownException:
        return ("hook", operator.attrgetter("record"))
    if getattr(cls, "__module__", None) is None and cls not in by_class:
        return ("unsupported", f"an object of {cls!r}, a class that is in no module{_HINT}")
    registration = options_of(cls)
    if registration and callable(registration.encode):
        return ("hook", functools.partial(_pack_encoded, registration.name, registration.encode))
    _later.meet()
    native = _plain.NATIVE.get(cls)
    if native:
        return ("native", native)
    hook = (
        _plain.HOOKS.get(cls)
        or _callables.hook(cls)
        or _weak.HOOKS.get(cls)
        or _numpy.hook(cls)
        or _random.hook(cls)
    )
    if hook is None and registration is None:
        hook = _frames.hook(cls)
    if hook is _numpy.pack_array:
        return ("ndarray", hook)
    if hook:
        return ("atom" if cls in _plain.ATOMS else "hook", hook)
    name = registration.written_name if registration else _registry.default_name(cls)
    if issubclass(cls, enum.Enum):
        return ("enum", name, "_value_" if issubclass(cls, enum.Flag) else "_name_")
    if issubclass(cls, BaseException):
        if registration and registration.chooses_fields:
            return _cannot_choose(name)
        if _exceptions.reduces(cls):
            return ("reduce", name, copyreg.dispatch_table.get(cls), _exceptions.origin)
        has_reduce = cls.__reduce__ is not BaseException.__reduce__
        pack = functools.partial(_exceptions.pack, name, has_reduce)
        is_plain = not has_reduce and _exceptions.is_plain(cls)
        return ("exception", name, pack) if is_plain else ("hook", pack)
    if issubclass(cls, type):
        return ("hook", _callables.pack_class)
    if issubclass(cls, types.ModuleType):
        return ("unsupported", f"a module{_HINT}")
    if cls.__module__ == "builtins" and not hasattr(builtins, cls.__name__):
        # Iterators, methods of builtins and their like: no program can name their class.
        return ("unsupported", f"a {_registry.default_name(cls)}, which is not data{_HINT}")
    reduce = (
        _own(cls, "__reduce_ex__") or _own(cls, "__reduce__") or copyreg.dispatch_table.get(cls)
    )
    if _is_model(cls):
        return ("hook", functools.partial(_pack_model, name, registration))
    if _is_struct(cls):
        # msgspec does not write unset fields, either.
        unset = sys.modules["msgspec"].UNSET
        names = cls.__struct_fields__  # type: ignore[attr-defined]
        if registration and registration.needs_function:
            return ("hook", functools.partial(_pack_chosen, registration, names, unset))
        return _instance_plan(cls, name, names, registration, unset)
    if _is_named_tuple(cls):
        if registration and registration.chooses_fields:
            return ("hook", functools.partial(_pack_named_tuple, name, registration))
        return ("namedtuple", name, [sys.intern(field) for field in cls._fields])  # type: ignore[attr-defined]
    base, getstate = _base(cls), _own(cls, "__getstate__")
    # A subclass that defines no __reduce__ inherits the one of the standard library's class, which does not count.
    if reduce and (base is None or reduce not in _inherited(base)):
        if registration and registration.chooses_fields:
            return _cannot_choose(name)
        return ("reduce", name, _constants.reducer(cls), None)
    if registration and registration.needs_function and (base is not None or _own_state(cls)):
        return _cannot_choose(name)
    if base is not None:
        held = _BASES[base]
        other = "deque" if base is collections.deque else "other"
        how = (held, None) if isinstance(held, str) else (other, held)
        lead = ("payload", sys.intern(f"<{base.__name__}>"), *how)
        if getstate:
            return _own_plan(cls, name, registration, lead, getstate=True)
        return _instance_plan(cls, name, _slots(cls), registration, lead=lead)
    newargs = next(
        (("newargs", own) for method, own in _NEW_ARGUMENTS.items() if hasattr(cls, method)), None
    )
    if getstate:
        return _own_plan(cls, name, registration, newargs, getstate=True)
    if newargs:
        return _instance_plan(cls, name, _slots(cls), registration, lead=newargs)
    slots = _slots(cls)
    if not cls.__flags__ & _HEAP or _has_more(cls, slots):
        return (
            "unsupported",
            f"a {_registry.default_name(cls)}, whose state is not in Python attributes{_HINT}",
        )
    if registration and registration.needs_function:
        return ("hook", functools.partial(_pack_chosen, registration, slots, None))
    return _instance_plan(cls, name, slots, registration)


def _own_state(cls: type) -> bool:
    return bool(_own(cls, "__getstate__")) or any(hasattr(cls, each) for each in _NEW_ARGUMENTS)


def _cannot_choose(name: str) -> tuple[Any, ...]:
    return (
        "unsupported",
        f"{name}: its own methods choose what is packed, so fields, skip, rename, private, class_attributes and functions of single fields cannot apply",
    )


def _own_plan(
    cls: type,
    name: str,
    registration: Registration | None,
    lead: tuple[Any, ...] | None,
    getstate: bool = False,
) -> tuple[Any, ...]:
    """Returns the plan of a class whose own methods return what to pack."""
    if registration and registration.chooses_fields:
        return _cannot_choose(name)
    return _instance_plan(cls, name, _slots(cls), registration, lead=lead, getstate=getstate)


def has_own_form(cls: type) -> bool:
    """Whether objects have more state than their attributes, so attributes alone cannot restore one."""
    return issubclass(cls, BaseException) or encode_plan(cls)[0] in ("own", "reduce")


def _inherited(base: type) -> tuple[Any, ...]:
    names = ("__reduce_ex__", "__reduce__")
    return tuple(
        getattr(base, name) for name in names if getattr(base, name) is not getattr(object, name)
    )


def _names(registration: Registration | None, attributes: Iterable[str]) -> dict[str, str | None]:
    """Returns the field name of each attribute, None for skipped ones."""
    names: dict[str, str | None] = (
        {"_attrs_cached_hash": None} if "_attrs_cached_hash" in attributes else {}
    )
    if registration:
        names.update(registration.rename)
        names.update(dict.fromkeys(registration.skip))
        if registration.fields is not None:
            names.update(dict.fromkeys(set(attributes) - registration.fields))
    return names


def _instance_plan(
    cls: type,
    name: str,
    slots: tuple[str, ...],
    registration: Registration | None,
    unset: Any = None,
    *,
    lead: tuple[Any, ...] | None = None,
    getstate: bool = False,
) -> tuple[Any, ...]:
    """Returns the plan of a class whose objects are packed as attributes, after an optional lead field."""
    has_dict = cls.__dictoffset__ != 0
    encode = (
        dict(registration.encode)
        if registration and isinstance(registration.encode, Mapping)
        else None
    )
    cached = ["_attrs_cached_hash"] if hasattr(cls, "__attrs_attrs__") else []
    names = _names(registration, [*slots, *cached])
    named = [(attribute, names.get(attribute, attribute)) for attribute in slots]
    kept = [(attribute, field) for attribute, field in named if field is not None]
    only = registration.fields if registration and has_dict else None
    kind = "own" if lead or getstate else "instance"
    return (kind, name, kept, has_dict, names or None, encode, unset, only, lead, getstate)


def _chosen(registration: Registration | None, cls: type, state: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields to pack, under their names in data."""
    if registration is None:
        return state
    for each in registration.class_attributes:
        state.setdefault(each, getattr(cls, each))
    if not registration.private:
        state = {name: value for name, value in state.items() if not name.startswith("_")}
    names = _names(registration, state)
    encode = registration.encode if isinstance(registration.encode, Mapping) else {}
    chosen = {}
    for attribute, value in state.items():
        field = names.get(attribute, attribute)
        if field is not None:
            chosen[field] = encode[attribute](value) if attribute in encode else value
    return chosen


def _pack_encoded(name: str, encode: Callable[[Any], Any], value: Any) -> Extension:
    return Extension(name, encode(value))


def without_base(answer: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns what ``object.__reduce_ex__(4)`` would, in the place of what ``object.__reduce__`` returned: that makes an
    instance of the builtin base class first. A base class that is not known here is left to be refused.
    """
    cls, base, content = answer[1]
    state = answer[2] if len(answer) > 2 else None
    if base is object:
        return (_NEW, (cls,), state)
    if base is list:
        return (_NEW, (cls,), state, content)
    if base is dict:
        return (_NEW, (cls,), state, None, content.items())
    if base in _IMMUTABLE:
        return (_NEW, (cls, content), state)
    return answer


def refused(why: str) -> EncodeError:
    """Returns the error for an object whose content is unknown."""
    return EncodeError(f"{why}{_HINT}", code="unsupported_value")


def no_state(cls: type, error: TypeError) -> BaseException:
    """Returns the error for a class whose pickle method raised TypeError."""
    if isinstance(error, EncodeError):
        # A nested call to holdall raised it.
        return error
    made = refused(f"a {_registry.default_name(cls)} cannot be packed ({error})")
    made.__cause__ = error
    return made


def _pack_model(name: str, registration: Registration | None, value: Any) -> Record:
    fields = _chosen(registration, type(value), dict(value.__dict__))
    state = value.__getstate__()
    for field, key in (("<extra>", "__pydantic_extra__"), ("<private>", "__pydantic_private__")):
        if state.get(key) and (
            key != "__pydantic_private__" or not registration or registration.private
        ):
            fields[field] = dict(state[key])
    hidden = {name for name, field in _names(registration, value.__dict__).items() if field is None}
    given = state.get("__pydantic_fields_set__")
    if given is not None and given - hidden != set(value.__dict__) - hidden:
        fields["<set>"] = sorted(given - hidden)
    return Record(name, fields)


def _pack_chosen(
    registration: Registration, slots: tuple[str, ...], unset: Any, value: Any
) -> Record:
    """An object whose fields depend on it."""
    nothing = object() if unset is None else unset
    state = {slot: held for slot in slots if (held := getattr(value, slot, nothing)) is not nothing}
    state.update(getattr(value, "__dict__", {}))
    return Record(registration.written_name, _chosen(registration, type(value), state))


def _pack_named_tuple(name: str, registration: Registration, value: Any) -> Record:
    return Record(
        name, _chosen(registration, type(value), dict(zip(value._fields, value, strict=True)))
    )
