"""F-75, F-96: members of sets in the format's order, regardless of the input's order."""

from __future__ import annotations

import struct
from collections.abc import Callable

from holdall_reference.columns import INT_KINDS
from holdall_reference.schema import SCALAR_NAMES
from holdall_reference.tagged import Json, Tagged
from holdall_reference.writer.errors import WriterError

SETS = {"set", "frozen_set"}

# F-75: tuples of up to this many scalars and nulls are ordered item by item.
LONGEST_TUPLE = 8
# F-96: sets can be nested this deep in each other's members.
DEEPEST = 32
FLOATS = {"f16": ">H", "bf16": ">H", "f32": ">I", "f64": ">Q"}

CODES = {name: code for code, name in SCALAR_NAMES.items()} | {"fixed": 0x14}

# The sort key of a member: its class in F-75, then the key within that class.
Key = tuple[int, tuple[object, ...]]


def in_canonical_order(root: Tagged, message: Callable[[Tagged], bytes]) -> Tagged:
    """Return the same value with each set in order; `message` writes a value in profile fast."""
    return _Ordering(root, message).value(root, set())


class _Ordering:
    def __init__(self, root: Tagged, message: Callable[[Tagged], bytes]) -> None:
        self._message = message
        self._numbered: dict[int, Tagged] = {}
        self._open: list[int] = []
        self._find(root)

    def _find(self, item: Json) -> None:
        if isinstance(item, list):
            if len(item) == 3 and item[0] == "id":
                assert isinstance(item[1], int)
                assert isinstance(item[2], list)
                self._numbered[item[1]] = item[2]
            for part in item:
                self._find(part)

    def value(self, tagged: Json, seen: set[int]) -> Tagged:
        """A value, or a part of one, after the values with these numbers."""
        assert isinstance(tagged, list)
        if tagged and tagged[0] in ("id", "ref") and isinstance(tagged[1], int):
            # In another order, another place may be the first.
            number = tagged[1]
            if number in seen:
                return ["ref", number]
            seen.add(number)
            return ["id", number, self.value(self._numbered[number], seen)]
        if len(tagged) == 4 and tagged[0] == "logical" and tagged[1] in SETS:
            return self._set(tagged, seen)
        return [self.value(part, seen) if isinstance(part, list) else part for part in tagged]

    def _set(self, tagged: Tagged, seen: set[int]) -> Tagged:
        storage = self._plain(tagged[3])
        members = storage[1]
        if storage[0] != "list" or not isinstance(members, list) or len(members) < 2:
            return [*tagged[:3], self.value(storage, seen)]
        # F-96: a set that is inside a member of itself has no order.
        if id(storage) in self._open or len(self._open) == DEEPEST:
            raise WriterError("unsupported_value")
        self._open.append(id(storage))
        # F-75: of members whose messages are equal, that which comes first.
        ordered = sorted(members, key=self._key)
        self._open.pop()
        return [*tagged[:3], ["list", [self.value(member, seen) for member in ordered]]]

    def _plain(self, tagged: Json) -> Tagged:
        assert isinstance(tagged, list)
        while tagged[0] in ("id", "ref"):
            assert isinstance(tagged[1], int)
            tagged = self._numbered[tagged[1]]
        return tagged

    def _key(self, member: Json) -> Key:
        plain = self._plain(member)
        scalar = _scalar_key(plain)
        if scalar is not None:
            return (0, scalar)
        # F-75: then tuples, by their number of items, then item by item;
        items = plain[1]
        if plain[0] == "tuple" and isinstance(items, list) and len(items) <= LONGEST_TUPLE:
            keys = [_scalar_key(self._plain(item)) for item in items]
            if None not in keys:
                return (1, (len(keys), *keys))
        # then all others, by the bytes of their messages.
        return (2, (self._message(self.value(member, set())),))


def _scalar_key(value: Tagged) -> tuple[object, ...] | None:
    """Null, then scalars in the order of their codes, and of one type by value."""
    tag = value[0]
    assert isinstance(tag, str)
    if tag == "null":
        return (0,)
    if tag not in CODES:
        return None
    return (CODES[tag], *_content(tag, value[1]))


def _content(tag: str, content: Json) -> tuple[object, ...]:
    if tag == "bool":
        return (content,)
    assert isinstance(content, str)
    if tag in INT_KINDS:
        return (int(content),)
    if tag in FLOATS:
        # totalOrder: of negative ones, the larger bits are the lower number.
        bits = int(content, 16)
        sign = 1 << (8 * struct.calcsize(FLOATS[tag]) - 1)
        return (bits ^ (2 * sign - 1) if bits & sign else bits | sign,)
    if tag == "string":
        return (content.encode(),)
    data = bytes.fromhex(content)
    return (len(data), data) if tag == "fixed" else (data,)
