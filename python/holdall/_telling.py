"""How objects of a class are packed: plans for the compiled half, and functions that convert objects to what it can pack.

Fields that are no attributes have names in angle brackets, which no attribute of a class statement can have: ``<list>`` is
what a subclass of list holds.
"""

from __future__ import annotations

import collections
import copyreg
import enum
import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _numpy, _plain, _registry
from ._errors import EncodeError
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
from ._registry import Registration, by_class, callable_name
from ._values import Extension, Record

#: What a program can do about objects whose content is unknown.
_HINT = "; leave it out, register its class with encode= and decode=, or pass an enc_hook"

#: Classes whose objects are code.
_CODE = {
    type: "a class",
    types.FunctionType: "a function",
    types.BuiltinFunctionType: "a function",
    types.ModuleType: "a module",
}

_plans: weakref.WeakKeyDictionary[type, tuple[Any, ...]] = weakref.WeakKeyDictionary()


def encode_plan(cls: type) -> tuple[Any, ...]:
    """How objects of a class are packed: a kind, and its details."""
    plan = _plans.get(cls)
    if plan is None:
        plan = _encode_plan(cls)
        if plan[0] != "unsupported":
            _plans[cls] = plan
    return plan


def _encode_plan(cls: type) -> tuple[Any, ...]:
    if cls is Record:
        return ("native", "record")
    registration = by_class.get(cls)
    if registration and callable(registration.encode):
        return ("hook", functools.partial(_tell_encoded, registration.name, registration.encode))
    native = _plain.NATIVE.get(cls)
    if native:
        return ("native", native)
    hook = _plain.HOOKS.get(cls) or _numpy.hook(cls)
    if hook:
        return ("hook", hook)
    name = registration.written_name if registration else _registry.default_name(cls)
    if issubclass(cls, enum.Enum):
        if issubclass(cls, enum.Flag):
            return ("hook", functools.partial(_tell_flag, name))
        return ("enum", name)
    if issubclass(cls, BaseException):
        return _own_form(_tell_exception, name, cls, registration)
    for kind, what in _CODE.items():
        if issubclass(cls, kind):
            hint = "leave it out, or pass an enc_hook that replaces it"
            return ("unsupported", f"{what}: holdall does not pack code; {hint}")
    reduce = (
        _own(cls, "__reduce_ex__") or _own(cls, "__reduce__") or copyreg.dispatch_table.get(cls)
    )
    if _is_model(cls):
        return ("hook", functools.partial(_tell_model, name, registration))
    if _is_struct(cls):
        # What is unset msgspec does not write, either.
        unset = sys.modules["msgspec"].UNSET
        names = cls.__struct_fields__  # type: ignore[attr-defined]
        return _instance_plan(cls, name, names, registration, unset)
    if _is_named_tuple(cls):
        if registration and registration.chooses_fields:
            return ("hook", functools.partial(_tell_named_tuple, name, registration))
        return ("namedtuple", name, [sys.intern(field) for field in cls._fields])  # type: ignore[attr-defined]
    base = _base(cls)
    # Those of the standard library have a __reduce__ of their own, which a subclass that adds nothing inherits.
    if reduce and (base is None or reduce not in _inherited(base)):
        return _own_form(_tell_reduced, name, cls, registration)
    if base is not None:
        return (
            "hook",
            functools.partial(_tell_based, name, base, tuple(_slots(cls)), registration),
        )
    getstate = _own(cls, "__getstate__")
    newargs = getattr(cls, "__getnewargs_ex__", None) or getattr(cls, "__getnewargs__", None)
    if getstate:
        return _own_form(_tell_stateful, name, cls, registration)
    if newargs:
        return ("hook", functools.partial(_tell_stateful, name, cls, registration))
    slots = _slots(cls)
    if not cls.__flags__ & _HEAP or _has_more(cls, slots):
        return (
            "unsupported",
            f"a {_registry.default_name(cls)}, whose state is not in Python attributes{_HINT}",
        )
    return _instance_plan(cls, name, slots, registration)


def _own_form(
    tell: Callable[..., Record], name: str, cls: type, registration: Registration | None
) -> tuple[Any, ...]:
    """The plan of a class whose own methods say what is packed."""
    if registration and registration.chooses_fields:
        return (
            "unsupported",
            f"{name}: its own methods say what is packed, so that fields, skip, rename and functions of single fields cannot",
        )
    return ("hook", functools.partial(tell, name, cls, registration))


def has_own_form(cls: type) -> bool:
    """Whether objects are not packed by their attributes, so that these alone cannot restore one."""
    plan = encode_plan(cls)
    forms = (_tell_reduced, _tell_stateful, _tell_exception, _tell_based)
    return plan[0] == "hook" and getattr(plan[1], "func", None) in forms


def _inherited(base: type) -> tuple[Any, ...]:
    names = ("__reduce_ex__", "__reduce__")
    return tuple(
        getattr(base, name) for name in names if getattr(base, name) is not getattr(object, name)
    )


def _names(registration: Registration | None, attributes: Iterable[str]) -> dict[str, str | None]:
    """The names of fields by attribute, None for those that are skipped."""
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
) -> tuple[Any, ...]:
    has_dict = cls.__dictoffset__ != 0
    encode = (
        dict(registration.encode)
        if registration and isinstance(registration.encode, Mapping)
        else None
    )
    if registration and registration.fields is not None and has_dict:
        # Which other attributes there are is known of each object alone.
        return ("hook", functools.partial(_tell_fields, registration, tuple(slots)))
    cached = ["_attrs_cached_hash"] if hasattr(cls, "__attrs_attrs__") else []
    names = _names(registration, [*slots, *cached])
    told = [(attribute, names.get(attribute, attribute)) for attribute in slots]
    kept = [(attribute, field) for attribute, field in told if field is not None]
    return ("instance", name, kept, has_dict, names or None, encode, unset)


def _state(value: Any, slots: Iterable[str]) -> dict[str, Any]:
    """The attributes of an object, those in slots first."""
    state = {}
    for name in slots:
        try:
            state[name] = object.__getattribute__(value, name)
        except AttributeError:
            continue
    own = getattr(value, "__dict__", None)
    if isinstance(own, dict):
        state.update(own)
    return state


def _chosen(registration: Registration | None, state: dict[str, Any]) -> dict[str, Any]:
    """The fields that are packed, under their names in data."""
    if registration is None:
        return state
    names = _names(registration, state)
    encode = registration.encode if isinstance(registration.encode, Mapping) else {}
    chosen = {}
    for attribute, value in state.items():
        field = names.get(attribute, attribute)
        if field is not None:
            chosen[field] = encode[attribute](value) if attribute in encode else value
    return chosen


def _tell_fields(registration: Registration, slots: tuple[str, ...], value: Any) -> Record:
    return Record(registration.written_name, _chosen(registration, _state(value, slots)))


def _tell_encoded(name: str, encode: Callable[[Any], Any], value: Any) -> Extension:
    return Extension(name, encode(value))


def _tell_flag(name: str, value: enum.Flag) -> Extension:
    return Extension(name, int(value.value))


def _tell_based(
    name: str, base: type, slots: tuple[str, ...], registration: Registration | None, value: Any
) -> Record:
    fields = {f"<{base.__name__}>": _BASES[base](value)}
    if base is collections.defaultdict:
        fields["<factory>"] = _plain.factory_name(value.default_factory)
    if base is collections.deque:
        fields["<maxlen>"] = value.maxlen
    fields.update(_chosen(registration, _state(value, slots)))
    return Record(name, fields)


def _tell_exception(
    name: str, cls: type, registration: Registration | None, value: BaseException
) -> Record:
    fields: dict[str, Any] = {"<args>": value.args}
    reduce = type(value).__reduce__
    if reduce is not BaseException.__reduce__:
        reduced = value.__reduce__()
        if not isinstance(reduced, tuple) or reduced[0] is not type(value):
            raise _refused(f"the __reduce__ of {cls!r} does not name its class")
        fields["<args>"] = tuple(reduced[1])
        more = reduced[2] if len(reduced) > 2 else None
        fields.update(more if isinstance(more, dict) else {})
    fields.update(_state(value, _slots(type(value))))
    return Record(name, fields)


def _stateful(state: Any) -> dict[str, Any]:
    """What a __getstate__ answered, as fields."""
    if (
        isinstance(state, dict)
        and state
        and all(type(key) is str and key[:1] != "<" for key in state)
    ):
        return dict(state)
    return {} if state is None else {"<state>": state}


def _tell_stateful(name: str, cls: type, registration: Registration | None, value: Any) -> Record:
    fields: dict[str, Any] = {}
    if hasattr(value, "__getnewargs_ex__"):
        arguments, keywords = _state_by(cls, value.__getnewargs_ex__)
        fields["<newargs>"], fields["<newkeywords>"] = arguments, keywords
    elif hasattr(value, "__getnewargs__"):
        fields["<newargs>"] = _state_by(cls, value.__getnewargs__)
    if _own(type(value), "__getstate__"):
        fields.update(_stateful(_state_by(cls, value.__getstate__)))
    else:
        fields.update(_chosen(registration, _state(value, _slots(type(value)))))
    return Record(name, fields)


def _refused(why: str) -> EncodeError:
    return EncodeError(f"{why}{_HINT}", code="unsupported_value")


def _state_by(cls: type, method: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a class's method for pickle; a TypeError is how such a method says that there is none."""
    try:
        return method(*arguments)
    except EncodeError:
        # Of a call to holdall inside.
        raise
    except TypeError as error:
        name = _registry.default_name(cls)
        raise _refused(f"a {name} does not give its state ({error})") from error


def _tell_reduced(name: str, cls: type, registration: Registration | None, value: Any) -> Record:
    reducer = copyreg.dispatch_table.get(cls)
    reduced = _state_by(cls, *((reducer, value) if reducer else (value.__reduce_ex__, 4)))
    if not isinstance(reduced, tuple) or not 2 <= len(reduced) <= 6:
        raise _refused(f"the __reduce__ of {cls!r} names a global")
    function, arguments, state, items, entries, setter = (*reduced, None, None, None, None)[:6]
    fields: dict[str, Any] = {}
    if function is copyreg.__newobj__ and arguments[0] is cls:  # type: ignore[attr-defined]
        if arguments[1:]:
            fields["<newargs>"] = tuple(arguments[1:])
    elif function is copyreg.__newobj_ex__ and arguments[0] is cls:  # type: ignore[attr-defined]
        fields["<newargs>"], fields["<newkeywords>"] = tuple(arguments[1]), dict(arguments[2])
    else:
        if function is not cls:
            called = callable_name(function)
            if called is None:
                raise _refused(
                    f"the __reduce__ of {cls!r} calls {function!r}, which is neither the class nor registered"
                )
            fields["<call>"] = called
        if function is cls and not arguments:
            # Without arguments the object can exist before its contents, and so be inside itself.
            fields["<init>"] = None
        else:
            fields["<args>"] = tuple(arguments)
    if setter is not None:
        raise _refused(f"the __reduce__ of {cls!r} brings a function that sets its state")
    fields.update(_stateful(state))
    if items is not None:
        fields["<items>"] = list(items)
    if entries is not None:
        fields["<entries>"] = [tuple(entry) for entry in entries]
    return Record(name, fields)


def _tell_model(name: str, registration: Registration | None, value: Any) -> Record:
    fields = _chosen(registration, dict(value.__dict__))
    state = value.__getstate__()
    for field, key in (("<extra>", "__pydantic_extra__"), ("<private>", "__pydantic_private__")):
        if state.get(key):
            fields[field] = dict(state[key])
    hidden = {name for name, field in _names(registration, value.__dict__).items() if field is None}
    given = state.get("__pydantic_fields_set__")
    if given is not None and given - hidden != set(value.__dict__) - hidden:
        fields["<set>"] = sorted(given - hidden)
    return Record(name, fields)


def _tell_named_tuple(name: str, registration: Registration, value: Any) -> Record:
    return Record(name, _chosen(registration, dict(zip(value._fields, value, strict=True))))
