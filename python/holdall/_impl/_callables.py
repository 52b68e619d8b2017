"""Classes and functions as values, and what holds them: packed by name, and restored if the reader allows the name."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from .._errors import DecodeError, EncodeError, checked
from . import _lookup, _numpy
from ._containers import FACTORIES
from ._kinds import _is_dunder
from ._lookup import called_name
from ._names import default_name
from ._values import Extension

#: Classes that any data may name: creating their objects has no side effects.
_KNOWN: dict[str, Any] = {
    default_name(kind): kind
    for kind in (*FACTORIES.values(), object, range, slice, memoryview, type(None))
}

#: Returns the class or function of a name in data, or None if data may not hold it; and whether data may hold a class.
Held = Callable[[str], Any]


def pack_callable(what: str, value: Any) -> Extension:
    name = called_name(value)
    if name is None:
        owner = getattr(value, "__self__", None)
        if isinstance(value, _IN_C) and not isinstance(owner, type | types.ModuleType | None):
            raise EncodeError(
                f"expected a value that can be packed, got the method {value.__name__!r} of a {type(owner).__name__}, which is written in C: "
                "leave it out, pack the object itself, or pass an enc_hook that replaces it",
                code="unsupported_value",
            )
        raise EncodeError(
            f"expected a value that can be packed, got {what} that no module has under its name: holdall packs names, and no code; "
            "leave it out, define it in a module, or pass an enc_hook that replaces it",
            code="unsupported_value",
        )
    return Extension("py.callable", name)


def is_known(name: str) -> bool:
    """Whether any data may hold the class of a name."""
    return name in _KNOWN or _numpy.scalar_type(name) is not None


def make_callable(held: Held, is_strict: bool, name: Any) -> Any:
    found = _KNOWN.get(checked(name, str)) or _numpy.scalar_type(name) or held(name)
    if found is not None:
        return found
    if is_strict:
        raise DecodeError(
            f"the data holds the class or function {name!r}, which this program does not allow; "
            'register it with holdall.register(..., uses=["value"]), or pass types=[...]',
            code="unrepresentable",
        )
    return Extension("py.callable", name)


def method_of(cls: type, name: str) -> Any:
    """The function of a method, found without calling code of the class, and whether it is that of a class."""
    for base in cls.__mro__:
        if name in base.__dict__:
            found = base.__dict__[name]
            if isinstance(found, classmethod):
                return found.__func__, True
            return found, False
    return None, False


def pack_method(method: types.MethodType) -> Extension:
    owner, name = method.__self__, getattr(method.__func__, "__name__", "")
    cls = owner if isinstance(owner, type) else type(owner)
    if _is_dunder(name) or method_of(cls, name) != (method.__func__, isinstance(owner, type)):
        raise EncodeError(
            f"the method {name!r} is not one of {default_name(cls)} under its name; leave it out, or pass an enc_hook that replaces it",
            code="unsupported_value",
        )
    # So deep, because the owner may hold the method and need not be complete before it.
    return Extension("py.method", ([owner], name))


def make_method(held: Held, is_strict: bool, parts: Any) -> Any:
    owners, name = checked(parts, tuple)
    (owner,) = checked(owners, list)
    cls = owner if isinstance(owner, type) else type(owner)
    function, of_class = method_of(cls, checked(name, str))
    is_method = isinstance(function, types.FunctionType) and not _is_dunder(name)
    names = {*_lookup.names_of(cls), default_name(cls)}
    is_allowed = any(held(each) is cls for each in names)
    if is_method and is_allowed and of_class == isinstance(owner, type):
        return types.MethodType(function, owner)
    if is_strict:
        raise DecodeError(
            f"the data holds the method {name!r} of {default_name(cls)}, which this program does not allow; "
            'register the class with holdall.register(..., uses=["value"]), or pass types=[...]',
            code="unrepresentable",
        )
    return Extension("py.method", parts)


def pack_partial(value: functools.partial[Any]) -> Extension:
    return Extension("py.partial", (value.func, value.args, value.keywords, vars(value) or None))


def make_partial(held: Held, is_strict: bool, parts: Any) -> Any:
    function, arguments, keywords, attributes = checked(parts, tuple)
    checked(arguments, tuple)
    checked(keywords, dict)
    for name in checked(attributes, dict, type(None)) or ():
        if _is_dunder(checked(name, str)):
            raise DecodeError(
                f"the data sets the attribute {name!r} of a partial", code="unrepresentable"
            )
    if not callable(function):
        # Its function is not allowed, so it is data.
        return Extension("py.partial", parts)
    made: Any = functools.partial(function)
    made.__setstate__((function, arguments, keywords, attributes))
    return made


#: Of each: a function of what data may hold, whether other names are errors, and the content.
EXTENSIONS: dict[str, Callable[[Held, bool, Any], Any]] = {
    "py.callable": make_callable,
    "py.method": make_method,
    "py.partial": make_partial,
}

#: Methods in C of objects.
_IN_C = (types.BuiltinFunctionType, types.MethodWrapperType)
_pack_function = functools.partial(pack_callable, "a function")
#: How to pack functions, methods and partials.
_HOOKS: dict[type, Callable[[Any], Any]] = {
    types.FunctionType: _pack_function,
    types.BuiltinFunctionType: _pack_function,
    types.MethodDescriptorType: _pack_function,
    types.WrapperDescriptorType: _pack_function,
    types.MethodWrapperType: _pack_function,
    type(functools.cache(len)): _pack_function,
    types.MethodType: pack_method,
    functools.partial: pack_partial,
}
pack_class = functools.partial(pack_callable, "a class")


#: The classes of other functions in C: those of numpy, and of modules that Cython compiled.
_FUNCTIONS = ("ufunc", "_ArrayFunctionDispatcher")
_OF_CYTHON = ("cython_function_or_method", "fused_cython_function")


def hook(cls: type) -> Callable[[Any], Any] | None:
    """How to pack functions, methods and partials; None for other classes."""
    is_function = cls.__name__ in (_FUNCTIONS if cls.__module__ == "numpy" else _OF_CYTHON)
    return _pack_function if is_function else _HOOKS.get(cls)
