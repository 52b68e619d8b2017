"""Finds classes and functions by their names: among the modules that are imported already, or as pickle does."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Iterable
from typing import Any

from ._registry import by_class, default_name


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
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        module = sys.modules.get(".".join(parts[:count]))
        if not isinstance(module, types.ModuleType):
            continue
        # Not by an attribute: a module that is imported lazily would import itself.
        found: Any = object.__getattribute__(module, "__dict__")
        for part in parts[count:]:
            inside = type.__dict__["__dict__"].__get__(found) if isinstance(found, type) else found
            found = inside.get(part) if isinstance(inside, dict | types.MappingProxyType) else None
        if _is_named(found, name):
            return found
    return None


def _is_named(found: Any, name: str) -> bool:
    """Whether something is a class or function whose own name this is."""
    if not isinstance(found, type | types.FunctionType) and not callable(found):
        return False
    try:
        return default_name(found) == name
    except AttributeError:
        return False


def name_if_defined(found: Any) -> str | None:
    """The name of a class or function, if its module has it under that name."""
    try:
        name = default_name(found)
    except AttributeError:
        return None
    return name if defined(name) is found else None


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


def code_for(names: Iterable[str], call: str = "loads(data, ") -> str:
    """The lines of code that allow data to name these classes in one call, without what is known to be no class."""
    modules: dict[str, None] = {}
    listed = []
    for name in names:
        known = defined(name)
        if known is not None and not isinstance(known, type):
            continue
        module, _, own = name.rpartition(".")
        while module not in sys.modules and module.rpartition(".")[0] in sys.modules:
            # A class inside a class.
            module = module.rpartition(".")[0]
        is_reachable = module not in ("", "__main__") and "<" not in name
        if is_reachable:
            modules[module] = None
        listed.append(name if is_reachable else own)
    imports = f"import {', '.join(modules)}\n" if modules else ""
    return f"{imports}holdall.{call}types=[{', '.join(listed)}])"


def names_of(given: Any) -> tuple[str, ...]:
    """The names that data may use for a class or function."""
    registration = by_class.get(given)
    if registration is None:
        return (default_name(given),)
    return (registration.name, *registration.aliases)
