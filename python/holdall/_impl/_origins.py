"""Which container each requested type stands for."""

from __future__ import annotations

import collections
import collections.abc as abc
from typing import Any

LISTS = {
    list,
    abc.Sequence,
    abc.MutableSequence,
    abc.Collection,
    abc.Iterable,
    abc.Container,
    abc.Reversible,
}
SETS = {set, abc.Set, abc.MutableSet}
DICTS = {dict, abc.Mapping, abc.MutableMapping}
#: Other collections, and the extensions that store them.
OTHERS = {
    collections.deque: "py.deque",
    collections.OrderedDict: "",
    collections.defaultdict: "py.defaultdict",
    collections.Counter: "py.counter",
    collections.ChainMap: "py.chain_map",
}


def kind_of(origin: Any) -> type | None:
    """The container that a type without its arguments stands for; None for other types."""
    if not isinstance(origin, type):
        return None
    for kind, origins in ((list, LISTS), (set, SETS), (dict, DICTS)):
        if origin in origins:
            return kind
    return origin if origin in (tuple, frozenset, *OTHERS) else None
