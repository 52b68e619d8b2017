"""Modules of the standard library that few programs need. Importing them all takes longer than the rest of this package.

`_later.uuid` is the module, imported at its first use. A table that has classes of such a module gets them by `when_loaded`: an
object of a class exists only once its module is loaded, so `meet` before a look-up is enough.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import dataclasses as dataclasses
    import decimal as decimal
    import fractions as fractions
    import ipaddress as ipaddress
    import pathlib as pathlib
    import pickle as pickle
    import uuid as uuid
    import zoneinfo as zoneinfo

MODULES = frozenset(
    {
        "dataclasses",
        "decimal",
        "fractions",
        "ipaddress",
        "pathlib",
        "pickle",
        "uuid",
        "zoneinfo",
    }
)

Fill = Callable[[Any], object]
_waiting: dict[str, list[Fill]] = {}


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = importlib.import_module(name)
    return found


def when_loaded(name: str) -> Callable[[Fill], Fill]:
    """Calls a function with a module, at the first `meet` after the program has loaded that."""

    def add(fill: Fill) -> Fill:
        _waiting.setdefault(name, []).append(fill)
        return fill

    return add


def meet() -> None:
    """Fills the tables with the classes of the modules that are loaded by now."""
    for name in list(_waiting):
        if name in sys.modules:
            # Waits for a thread that is just importing it.
            module = importlib.import_module(name)
            for fill in _waiting.get(name, ()):
                fill(module)
            _waiting.pop(name, None)


def is_dataclass(cls: Any) -> bool:
    """Whether a class is a dataclass. None is before their module is loaded."""
    module = sys.modules.get("dataclasses")
    return module is not None and bool(module.is_dataclass(cls))
