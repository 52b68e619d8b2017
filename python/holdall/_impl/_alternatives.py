"""Alternatives: containers of one kind in a union, such as ``list[int] | list[str]``, and which of them a value becomes.

For Python's typing, unions that differ only in the order of their members are equal, so the order decides nothing. The compiled
half reads such a container as any value, and `Node.fit` passes it to `chosen`.
"""

from __future__ import annotations

import collections
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from .._errors import Mismatch
from . import _hints
from ._constraints import constraint_of
from ._fitted import charged, fitted
from ._origins import kind_of
from ._typed import Choice, TypedDecoding

#: Of each group, all members of a union are alternatives, or none: their kinds are read as each other.
_GROUPS: tuple[tuple[type, ...], ...] = (
    (list, tuple, set, frozenset, collections.deque),
    (
        *(dict, collections.OrderedDict, collections.defaultdict, collections.Counter),
        collections.ChainMap,
    ),
)
#: As which kinds values are read, the preferred one first: those of subclasses, too.
_READ_AS: dict[type, tuple[type, ...]] = {
    collections.deque: (collections.deque, list),
    collections.OrderedDict: (collections.OrderedDict, dict),
    collections.defaultdict: (collections.defaultdict, dict),
    collections.Counter: (collections.Counter, dict),
    collections.ChainMap: (collections.ChainMap, dict),
    dict: (dict, collections.OrderedDict, collections.defaultdict, collections.Counter),
    # The last two are lists in other formats.
    list: (
        *(list, tuple, set, frozenset, collections.deque),
        *(collections.defaultdict, collections.ChainMap),
    ),
    tuple: (tuple, list, set, frozenset, collections.deque),
    set: (set, frozenset),
    frozenset: (frozenset, set),
    object: (dict,),
}

#: How far a value is from a type: it is of the type, only its containers are of another kind, or something must be
#: converted.
_SAME, _OTHER_KIND, _CONVERTED = range(3)


# ---- which members of a union are alternatives ----


class _Compiler(Protocol):
    def node(self, tp: Any, names: dict[Any, Any] | None = None) -> int: ...


def members(tp: Any, names: dict[Any, Any]) -> Iterator[Any]:
    """The members of a union, and of unions in it."""
    inner, added = _hints.peeled(tp, names)
    if typing.get_origin(inner) in (typing.Union, types.UnionType):
        # Refuses constraints, which apply to no union.
        constraint_of(added, inner, None)
        for each in typing.get_args(inner):
            yield from members(each, names)
    else:
        yield tp


def alternatives(compiler: _Compiler, among: list[Any], names: dict[Any, Any]) -> dict[int, type]:
    """Which of the members of a union are alternatives, with their kinds."""
    kinds: dict[int, type] = {}
    for at, each in enumerate(among):
        tp, _ = _hints.peeled(each, names)
        kind = kind_of(typing.get_origin(tp) or tp)
        if kind is not None:
            kinds[at] = kind
    found: dict[int, type] = {}
    for group in _GROUPS:
        of_group = {at: kind for at, kind in kinds.items() if kind in group}
        for kind in group:
            own = [among[at] for at, each in of_group.items() if each is kind]
            forms = [_form(compiler, each, kind, names) for each in own if len(own) > 1]
            if any(form != forms[0] for form in forms):
                found |= of_group
                break
    return found


def _form(compiler: _Compiler, tp: Any, kind: type, names: dict[Any, Any]) -> Any:
    """What distinguishes members of one kind."""
    tp, added = _hints.peeled(tp, names)
    arguments = typing.get_args(tp)
    if kind is tuple:
        arguments = _hints.spliced(arguments)
        if any(map(_hints.is_unpacked, arguments)):
            # The compiler refuses it.
            return tp
        if tp is tuple:
            arguments = (Any, Ellipsis)
    inside = [each if each is Ellipsis else compiler.node(each, names) for each in arguments]
    # A list without a type of its items has any.
    inside += [0] * (2 - len(inside)) * (kind is not tuple)
    takes = kind if kind in (list, set, frozenset, dict, tuple) else None
    return inside, constraint_of(added, tp, takes)


# ---- which alternative a value becomes ----


class _Node(Protocol):
    any: bool
    text: str
    compiler: Any
    classes: list[TypedDecoding]
    others: list[tuple[Any, list[int]]]
    dict: tuple[int, int] | None
    alternatives: list[tuple[type, int]]

    def fit(self, value: Any) -> Any: ...
    def plain(self, value: Any) -> Any: ...
    def constrain(self, value: Any) -> None: ...
    def read_as(self, value: Any) -> tuple[type, Iterable[int]] | None: ...
    def is_of_class(self, value: Any) -> bool: ...


def chosen(node: _Node, value: Any) -> Any:
    """What a container becomes, or None if it fits no alternative. It raises `Choice` if it fits several equally well.

    An alternative that has the value as it stands wins, and no other one is tried. Those that have all but the kinds of its
    containers come next, and then those to which it can be converted; among these, as among classes, the one that leaves the
    fewest fields unread, and then the fewest to defaults.
    """
    among = _possible(node, value)
    if len(among) < 2:
        return among[0].fit(value) if among else None
    distances = [_distance(each, value) for each in among]
    least = min(distances)
    among = [each for each, own in zip(among, distances, strict=True) if own == least]
    if least == _SAME:
        return among[0].fit(value)
    state = fitted()
    before = state.misfit
    made: list[tuple[int, str, Any]] = []
    for each in among:
        state.misfit = 0
        try:
            result = each.fit(value)
            made.append((state.misfit, each.text, result))
        except Mismatch:
            continue
        finally:
            state.misfit = before
    if not made:
        return None
    fewest = min(misfit for misfit, _, _ in made)
    best = [(text, result) for misfit, text, result in made if misfit == fewest]
    result = best[0][1]
    # Containers of the same items are the same, if they are of one kind.
    if len(best) > 1 and not (least == _OTHER_KIND and all(each == result for _, each in best)):
        raise Choice(" and ".join(sorted(text for text, _ in best)))
    state.misfit = before + fewest
    return result


def _possible(node: _Node, value: Any) -> list[_Node]:
    """The alternatives of the kind that a value is read as."""
    kinds = next(kinds for cls, kinds in _READ_AS.items() if isinstance(value, cls))
    for kind in kinds:
        found = [node.compiler.nodes[number] for own, number in node.alternatives if own is kind]
        if found:
            return found
    return []


def _distance(node: _Node, value: Any) -> int:
    """How far a value is from the types of a node. No code of the program runs."""
    if node.any:
        return _SAME
    if isinstance(value, (*_GROUPS[0], *_GROUPS[1])):
        # A container inside itself can be converted to nothing.
        return _known_distance(_container_distance, node, value, _CONVERTED)
    if getattr(type(value), "__parameters__", ()):
        # An object inside itself is of the type if the rest is.
        return _known_distance(_object_distance, node, value, _SAME)
    return _object_distance(node, value)


def _known_distance(
    find: Callable[[_Node, Any], int], node: _Node, value: Any, inside_itself: int
) -> int:
    """The distance of a value, which may be in many places: it is found once."""
    known = fitted().distances
    key = (id(node), id(value))
    if key not in known:
        known[key] = (value, inside_itself)
        known[key] = (value, find(node, value))
        charged(value)
    return known[key][1]


def _object_distance(node: _Node, value: Any) -> int:
    if node.plain(value) is not value or not _is_within(node, value):
        return _CONVERTED
    nodes = node.compiler.nodes
    return max((_generic_distance(nodes, own, value) for own in node.classes), default=_SAME)


def _is_within(node: _Node, value: Any) -> bool:
    try:
        node.constrain(value)
    except Mismatch:
        return False
    return True


def _generic_distance(nodes: list[_Node], own: TypedDecoding, value: Any) -> int:
    """Of an object of a generic class, that of its fields: the class does not show their types."""
    if type(value) is not own.cls or not getattr(own.cls, "__parameters__", ()):
        return _SAME
    fields = ((own.nodes[name], attribute) for name, attribute in own.fields.items())
    return _farthest(
        (nodes[number], getattr(value, attribute))
        for number, attribute in fields
        if hasattr(value, attribute)
    )


def _container_distance(node: _Node, value: Any) -> int:
    if node.plain(value) is value:
        return _SAME
    if node.is_of_class(value):
        return _CONVERTED
    nodes, kind = node.compiler.nodes, type(value)
    if node.alternatives:
        return min((_distance(each, value) for each in _possible(node, value)), default=_CONVERTED)
    read_as = node.read_as(value)
    if read_as is not None:
        made, numbers = read_as
        inside = zip((nodes[number] for number in numbers), value, strict=False)
        return max(_of_kind(node, value, made), _farthest(inside))
    if kind is dict and node.dict is not None:
        return max(_of_kind(node, value, dict), _of_entries(node, node.dict, value))
    for origin, numbers in node.others:
        if origin is collections.ChainMap:
            if kind is origin:
                return _SAME
        elif origin is collections.deque:
            if kind in (list, tuple, origin):
                inside = zip((nodes[numbers[0]] for _ in value), value, strict=False)
                return max(_SAME if kind is origin else _OTHER_KIND, _farthest(inside))
        elif kind in (dict, origin):
            own = _SAME if kind is origin else _OTHER_KIND
            return max(own, _of_entries(node, numbers, value))
    return _CONVERTED


def _of_kind(node: _Node, value: Any, kind: type) -> int:
    if type(value) is kind:
        return _SAME if _is_within(node, value) else _CONVERTED
    return _OTHER_KIND


def _of_entries(node: _Node, numbers: Iterable[int], value: dict[Any, Any]) -> int:
    keys, values = (node.compiler.nodes[number] for number in numbers)
    return max(
        _farthest((keys, key) for key in value),
        _farthest((values, each) for each in value.values()),
    )


def _farthest(pairs: Iterable[tuple[_Node, Any]]) -> int:
    farthest = _SAME
    for node, value in pairs:
        farthest = max(farthest, _distance(node, value))
        if farthest == _CONVERTED:
            break
    return farthest
