"""Constants of modules: objects whose ``__reduce__`` returns a name alone. Data have the name, and reading finds the object."""

from __future__ import annotations

import copyreg
import functools
import types
from collections.abc import Callable
from typing import Any

from .._errors import DecodeError, EncodeError, checked_parts
from ._names import default_name, found_under, module_of

#: What has a name of its own in data.
_NOT_CONSTANTS = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)

#: What data have in the place of the function that a ``__reduce__`` returns, where that returned a name.
CONSTANT = "py.constant"


def constant(_: str) -> Any:
    """Stands for the look-up of a name in what a ``__reduce__`` returns."""
    raise NotImplementedError


def reducer(cls: type) -> Callable[[Any], Any] | None:
    """Returns what ``__reduce_ex__(4)`` does, or a function registered with `copyreg`; a name becomes a call of `constant`.

    None for most classes in C, which return no names: a function of Python around their own method would only take time.
    """
    given: Any = copyreg.dispatch_table.get(cls)
    own = (cls.__reduce_ex__, cls.__reduce__)
    is_in_c = not any(isinstance(each, types.FunctionType) for each in own)
    can_be_called = any("__call__" in base.__dict__ for base in cls.__mro__)
    if given is None and is_in_c and not can_be_called and cls.__module__ != "typing":
        return None

    def reduced(value: Any) -> Any:
        answer = value.__reduce_ex__(4) if given is None else given(value)
        return answer if type(answer) is not str else (constant, (_constant_name(value, answer),))

    return reduced


def _constant_name(value: Any, name: str) -> str:
    module = getattr(value, "__module__", None) or module_of(value, name)
    whole = f"{module}.{name}"
    if any(found is value for found in found_under(whole)):
        return whole
    raise EncodeError(
        f"the __reduce__ of {type(value)!r} returns the name {name!r}, under which {module or 'no module'} does not have it; "
        "leave it out, or pass an enc_hook that replaces it",
        code="unsupported_value",
    )


def named(name: str, class_of: Callable[[str], Any]) -> Any:
    """The constant of a name, if it exists in an imported module and its class is allowed; else None. A pickle has the name alone,
    as of a function. Objects of allowed classes that pickle does not write by name are out of reach.
    """
    for found in found_under(name):
        cls = type(found)
        if isinstance(found, _NOT_CONSTANTS) or class_of(default_name(cls)) is not cls:
            continue
        given: Any = copyreg.dispatch_table.get(cls)
        if type(found.__reduce_ex__(4) if given is None else given(found)) is str:
            return found
    return None


def granted(cls: type, otherwise: Callable[[Any, Any], Any], name: Any, use: Any) -> Any:
    """The function that data name for objects of a class, as by ``otherwise``, or the look-up of a constant."""
    if name == CONSTANT and use == "reduce":
        return functools.partial(_find, cls)
    return otherwise(name, use)


def _find(cls: type, *names: Any) -> Any:
    """The constant of an allowed class that data name. It exists already, so nothing of it is in the data."""
    (name,) = checked_parts(names, str)
    for found in found_under(name):
        if type(found) is cls:
            return found
    raise DecodeError(
        f"the data name the object {name!r}, and no imported module has an object of {default_name(cls)} under this name",
        code="unrepresentable",
    )
