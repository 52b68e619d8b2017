"""Finds classes and functions by their names: among the modules that are imported already, or as pickle does."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Iterable
from typing import Any

from ._constants import CONSTANT, constant
from ._names import default_name, found_under, name_or_none
from ._registry import by_class


def loaded(name: str, prefixes: Iterable[str]) -> type | None:
    """The class that an imported module below one of the prefixes defines under this name.

    Nothing is imported, and no code of a module or class runs. What a module took over from another one is not its own:
    a package does not grant the classes that it imports.
    """
    if not any(name.startswith(prefix) for prefix in prefixes):
        return None
    found = defined(name)
    return found if isinstance(found, type) else None


def defined(name: str) -> Any:
    """The class or function that an imported module defines under this name, or None."""
    return next((found for found in found_under(name) if _is_named(found, name)), None)


def _is_named(found: Any, name: str) -> bool:
    """Whether something is a class or function whose own name this is."""
    return callable(found) and name_or_none(found) == name


def name_if_defined(found: Any) -> str | None:
    """The name of a class or function, if its module has it under that name."""
    name = name_or_none(found)
    there = None if name is None else defined(name)
    # A method in C that is bound to its class is made anew each time.
    is_it = (name is not None and there is found) or (
        type(found) is types.BuiltinFunctionType and there == found
    )
    return name if is_it else None


def trusted(name: str) -> Any:
    """What a name means to pickle: its module is imported, and code of the module runs. None if there is no such name.

    Raises an auditing event ``holdall.trust`` with the name.
    """
    sys.audit("holdall.trust", name)
    parts = name.split(".")
    if not all(parts):
        return None
    for count in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:count])
        try:
            found: Any = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name is not None and f"{module}.".startswith(f"{error.name}."):
                continue
            raise
        try:
            for part in parts[count:]:
                found = getattr(found, part)
        except AttributeError:
            continue
        return found
    return None


def with_parameters(generic: Any, name: str) -> type | None:
    """The class of a name such as ``shop.Page[int]``, which pydantic made of a generic class, if the program has it already."""
    left: list[type] = [generic] if isinstance(generic, type) else []
    while left:
        below: list[type] = type.__subclasses__(left.pop())
        for cls in below:
            if name_or_none(cls) == name:
                return cls
            left.append(cls)
    return None


def is_name(name: str) -> bool:
    """Whether it is what a program could write."""
    return all(part.isidentifier() for part in name.split("."))


def module_in(name: str) -> str:
    """The module in the name of a class or function, which can be inside a class."""
    module = name.rpartition(".")[0]
    while module not in sys.modules and module.rpartition(".")[0] in sys.modules:
        module = module.rpartition(".")[0]
    return module


def code_for(names: Iterable[str], call: str = "loads(data, ") -> str:
    """The lines of code that allow data to name these classes in one call, without what is known to be no class, and without
    names that are more than names: data choose them, and the code is to be copied.
    """
    modules: dict[str, None] = {}
    listed: dict[str, None] = {}
    # A generic class allows those with parameters, too.
    for name in dict.fromkeys(name.partition("[")[0] for name in names):
        known = defined(name)
        if known is not None and not isinstance(known, type):
            continue
        module, own = module_in(name), name.rpartition(".")[2]
        if not is_name(name.replace(".<locals>", "")):
            continue
        is_reachable = module not in ("", "__main__") and "<" not in name
        if is_reachable:
            modules[module] = None
        listed[name if is_reachable else own] = None
    imports = f"import {', '.join(modules)}\n" if modules else ""
    return f"{imports}holdall.{call}types=[{', '.join(listed)}])"


def names_of(given: Any) -> tuple[str, ...]:
    """The names that data may use for a class or function."""
    registration = by_class.get(given)
    if registration is None:
        name = name_or_none(given)
        return () if name is None else (name,)
    return (registration.name, *registration.aliases)


def called_name(function: Any) -> str | None:
    """The name under which a class or function is packed: the registered one, or that which its module has it under."""
    try:
        registration = by_class.get(function)
    except TypeError:
        return None
    if registration is not None:
        return registration.name
    if function is type(None):
        return default_name(function)
    if function is constant:
        return CONSTANT
    return name_if_defined(function)
