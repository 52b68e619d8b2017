"""Constants of modules: objects whose ``__reduce__`` returns a name alone. Data have the name, and reading finds the object."""

from __future__ import annotations

import copyreg
import types
from collections.abc import Callable
from typing import Any

from .._errors import DecodeError, EncodeError, checked_parts
from ._names import default_name, found_under, module_of

#: What data have in the place of the function that a ``__reduce__`` returns, where that returned a name.
CONSTANT = "py.constant"


def constant(_: str) -> Any:
    """Stands for the look-up of a name in what a ``__reduce__`` returns."""
    raise NotImplementedError


def reducer(cls: type) -> Callable[[Any], Any] | None:
    """Returns what ``__reduce_ex__(4)`` does, or a function registered with `copyreg`; a name becomes a call of `constant`.

    None for classes in C, which return no names: a function of Python around their own method would only take time.
    """
    given: Any = copyreg.dispatch_table.get(cls)
    own = (cls.__reduce_ex__, cls.__reduce__)
    is_in_c = not any(isinstance(each, types.FunctionType) for each in own)
    if given is None and is_in_c and cls.__module__ != "typing":
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


def build(cls: type, otherwise: Callable[[dict[str, Any]], Any], fields: dict[str, Any]) -> Any:
    """Builds an object of a class whose ``__reduce__`` named a constant or, by ``otherwise``, a function."""
    return _find(cls, fields) if fields.get("<call>") == CONSTANT else otherwise(fields)


def _find(cls: type, fields: dict[str, Any]) -> Any:
    """The constant of an allowed class that data name. It exists already, so data do not set its state."""
    (name,) = checked_parts(fields.get("<args>"), str)
    for found in found_under(name):
        if type(found) is cls:
            return found
    raise DecodeError(
        f"the data name the object {name!r}, and no imported module has an object of {default_name(cls)} under this name",
        code="unrepresentable",
    )
