"""One kind of data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

#: What targets are set for. `flat` are lists of values that hold no others.
Kind = Literal[
    "small", "records", "dataclasses", "objects", "tree", "graph", "logs", "json", "flat", "arrays"
]

#: How many times fewer values the quick mode has.
QUICK = 50


@dataclass(frozen=True)
class Case:
    """A value, and what peers may know of it beforehand."""

    #: What tables and arguments call it.
    name: str
    kind: Kind
    #: What the data are, in a few words, with `{count}`.
    about: str
    #: How many records, nodes or numbers there are.
    full: int
    #: Makes this many from a seed.
    make: Callable[[int, int], Any]
    #: The type for decoders that are asked for one.
    type: Any = None
    #: The classes of its objects, for libraries where they have to be registered.
    classes: tuple[type, ...] = ()
    #: Modules that its values come from: whoever reads them has these already.
    modules: tuple[str, ...] = ()

    @property
    def small(self) -> bool:
        """Whether it is one message, timed in loops of many."""
        return self.kind == "small"

    def count(self, quick: bool) -> int:
        return max(self.full // QUICK, min(self.full, 20)) if quick else self.full

    def value(self, quick: bool, seed: int = 1) -> Any:
        return self.make(self.count(quick), seed)
