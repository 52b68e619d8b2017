"""The names of classes and functions in data: those under which their modules have them."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any

#: The most parts of a name: looking for its module takes quadratic time.
_PARTS = 100


def default_name(cls: Any) -> str:
    """The module and qualified name of a class or function. Raises AttributeError for functions and objects without a name."""
    module = getattr(cls, "__module__", None)
    if module is None:
        return cls.__qualname__ if isinstance(cls, type) else _name_in_c(cls)
    # What multiprocessing calls the main module in the processes that it spawns.
    return f"{'__main__' if module == '__mp_main__' else module}.{cls.__qualname__}"


def name_or_none(found: Any) -> str | None:
    """The same; None if it has none."""
    try:
        return default_name(found)
    except AttributeError:
        return None


def _name_in_c(found: Any) -> str:
    """The name of what is written in C and does not know its module: of a class's method, or of an object in a module."""
    owner = getattr(found, "__objclass__", None) or getattr(found, "__self__", None)
    name: str = found.__name__
    if isinstance(owner, type):
        return f"{default_name(owner)}.{name}"
    if owner is None:
        # A static method of a builtin type knows that type alone.
        static = f"builtins.{getattr(found, '__qualname__', name)}"
        if any(each is found for each in found_under(static)):
            return static
        if (module := module_of(found, name)) is not None:
            return f"{module}.{name}"
    raise AttributeError(f"{name!r} is not in a module")


def module_of(found: Any, name: str) -> str | None:
    """The first imported module that has an object under this name, as pickle looks for it; a public one if there is one."""
    private = None
    for module, each in list(sys.modules.items()):
        if module not in ("__main__", "__mp_main__") and members(each).get(name) is found:
            if "._" not in f".{module}":
                return module
            private = private or module
    return private


def members(holder: Any) -> Any:
    """What a module or class has itself, by name. No code of either runs: a module can import itself when it is asked."""
    # Not `isinstance`, which asks an object for its ``__class__``.
    kind = type(holder)
    if issubclass(kind, type):
        return type.__dict__["__dict__"].__get__(holder)
    return object.__getattribute__(holder, "__dict__") if issubclass(kind, types.ModuleType) else {}


def found_under(name: str) -> Iterator[Any]:
    """What imported modules have under a qualified name: mostly one thing."""
    parts = name.split(".")
    if len(parts) > _PARTS:
        return
    for count in range(len(parts) - 1, 0, -1):
        found: Any = members(sys.modules.get(".".join(parts[:count]))).get(parts[count])
        for part in parts[count + 1 :]:
            holder = found
            found = members(holder).get(part) if isinstance(holder, type) else None
            if isinstance(found, staticmethod):
                found = found.__func__
            elif isinstance(found, types.ClassMethodDescriptorType):
                found = found.__get__(None, holder)
        if found is not None:
            yield found
