"""Collections other than list, tuple, set and dict, and objects of a hook, made of what data have for them."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from .._errors import Mismatch, inside
from . import _stored


class _Node(Protocol):
    compiler: Any

    def items_of(self, node: int, values: Iterable[Any]) -> list[Any]: ...
    def entries_of(self, nodes: Iterable[int], mapping: Mapping[Any, Any]) -> dict[Any, Any]: ...


def other(node: _Node, origin: Any, nodes: list[int], value: Any) -> Any:
    """Builds a collection of another kind; returns None if the value cannot be one."""
    if node.compiler.spelling is not None and type(value) in (list, tuple):
        return _stored_other(node, origin, nodes, value)
    if origin is collections.deque and isinstance(value, collections.deque | list | tuple):
        made = node.items_of(nodes[0], value)
        if isinstance(value, collections.deque):
            return same(value, collections.deque(made, value.maxlen))
        return collections.deque(made)
    if origin is collections.ChainMap:
        return value if isinstance(value, collections.ChainMap) else None
    if not isinstance(value, dict):
        return None
    if origin is collections.Counter:
        nodes = [nodes[0], node.compiler.integers()]
    items = node.entries_of(nodes, value)
    if isinstance(value, origin):
        if same(value, items) is value:
            return value
        value = value.copy()
        value.clear()
        value.update(items)
        return value
    if type(value) is not dict:
        return None
    if origin is collections.defaultdict:
        return collections.defaultdict(None, items)
    # A Counter would count plain items, so it gets a dict.
    return origin(items)


def _stored_other(node: _Node, origin: Any, nodes: list[int], value: Any) -> Any:
    """Builds such a collection of the list that stores it in other formats; a deque of its items alone, too."""
    if origin is collections.deque:
        stored = _stored.deque_parts(value)
        if stored is None:
            return collections.deque(node.items_of(nodes[0], value))
        items, most = stored
        return collections.deque(inside("[0]", node.items_of, nodes[0], items), most)
    if origin is collections.defaultdict and (parts := _stored.default_parts(value)):
        factory, entries = parts
        return collections.defaultdict(factory, inside("[1]", node.entries_of, nodes, entries))
    if origin is collections.ChainMap and all(type(each) is dict for each in value):
        maps = (inside(f"[{at}]", node.entries_of, nodes, each) for at, each in enumerate(value))
        return collections.ChainMap(*maps)
    return None


def same(value: Any, made: Any) -> Any:
    """Returns the value itself if no item was converted."""
    if len(value) != len(made):
        return made
    if isinstance(value, dict):
        pairs = zip(value.items(), made.items(), strict=True)
        return value if all(a is c and b is d for (a, b), (c, d) in pairs) else made
    return value if all(map(operator.is_, value, made)) else made


def made_by_hook(
    hook: Callable[[Any, Any], Any], classes: Iterable[Any], value: Any, none: Any
) -> Any:
    """What the program's hook makes of a value: an object of the first class for which it does not return NotImplemented. `none` if
    there is none.
    """
    for cls in classes:
        made = hook(cls, value)
        if made is NotImplemented:
            continue
        if not getattr(cls, "_is_protocol", False) and not isinstance(made, cls):
            raise Mismatch(cls.__qualname__, f"{type(made).__name__} from dec_hook")
        return made
    return none
