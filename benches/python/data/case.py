"""One kind of data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

#: The kinds that have targets. `flat` are lists of values without parts.
Kind = Literal[
    "small",
    "messages",
    "records",
    "dataclasses",
    "objects",
    "tree",
    "graph",
    "logs",
    "json",
    "flat",
    "arrays",
    "held",
]

#: The quick mode has this many times fewer values.
QUICK = 50


@dataclass(frozen=True)
class Case:
    """A value, and what peers may know about it in advance."""

    #: The name in tables and arguments.
    name: str
    kind: Kind
    #: A short description of the data, with `{count}`.
    about: str
    #: The number of records, nodes or numbers.
    full: int
    #: Makes this many from a seed.
    make: Callable[[int, int], Any]
    #: The type for decoders that accept one.
    type: Any = None
    #: The classes of its objects, for libraries that require registration.
    classes: tuple[type, ...] = ()
    #: Modules that define its values, which every reader has already imported.
    modules: tuple[str, ...] = ()

    @property
    def small(self) -> bool:
        """Whether it is one message, timed in loops of many."""
        return self.kind == "small"

    @property
    def is_message_per_item(self) -> bool:
        """Whether each item of the value is a message of its own."""
        return self.kind == "messages"

    def count(self, quick: bool) -> int:
        return max(self.full // QUICK, min(self.full, 20)) if quick else self.full

    def value(self, quick: bool, seed: int = 1) -> Any:
        return self.make(self.count(quick), seed)
