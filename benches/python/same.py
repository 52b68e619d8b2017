"""Compares an unpacked value with the original: types, values and sharing."""

from __future__ import annotations

import collections
import enum
from math import copysign
from typing import Any

#: Types of values without parts, whose identity does not matter.
PLAIN = {type(None), bool, int, str, bytes}

#: Modules whose values are compared by their text.
LEAVES = ("datetime", "decimal", "uuid", "numpy", "pathlib", "re", "zoneinfo", "builtins")


def difference(left: Any, right: Any) -> str | None:
    """The place and nature of the first difference; None if there is none. It does not recurse."""
    ahead: dict[int, int] = {}
    back: dict[int, int] = {}
    todo = [(left, right, "$")]
    while todo:
        one, other, path = todo.pop()
        if type(one) is not type(other):
            return f"{path}: {type(one).__name__} became {type(other).__name__}"
        inside = parts(one)
        if inside is None:
            if not same_leaf(one, other):
                return f"{path}: {shown(one)} became {shown(other)}"
            continue
        if id(one) in ahead or id(other) in back:
            if ahead.get(id(one)) != id(other) or back.get(id(other)) != id(one):
                return f"{path}: not the same object as before"
            continue
        # Both graphs live as long as this function runs, so no address is reused.
        ahead[id(one)], back[id(other)] = id(other), id(one)
        counterpart = parts(other) or []
        if len(inside) != len(counterpart):
            return f"{path}: {len(inside)} parts became {len(counterpart)}"
        for at, (mine, theirs) in enumerate(zip(inside, counterpart, strict=True)):
            # Most parts are plain: they need no path.
            if not (type(mine) is type(theirs) and type(mine) in PLAIN and mine == theirs):
                todo.append((mine, theirs, f"{path}/{at}"))
    return None


def parts(value: Any) -> list[Any] | None:
    """The parts of a value, with their names; none for a leaf. Attributes and members of sets are unordered, everything
    else is ordered.
    """
    kind = type(value)
    if kind in PLAIN or kind is float:
        return None
    if kind is list or kind is tuple:
        return list(value)
    if kind is dict:
        return [part for item in value.items() for part in item]
    if isinstance(value, set):
        return sorted(value)
    if kind.__module__ in LEAVES or isinstance(value, enum.Enum):
        return None
    inside: list[Any] = []
    if isinstance(value, dict):
        inside = [part for item in value.items() for part in item]
        inside.append(repr(getattr(value, "default_factory", None)))
    elif isinstance(value, collections.deque):
        inside = [*value, value.maxlen]
    elif isinstance(value, list | tuple):
        inside = list(value)
    elif isinstance(value, BaseException):
        inside = list(value.args)
    return inside + attributes(value)


def attributes(value: Any) -> list[Any]:
    """The names and values of an object's attributes, by name."""
    found = dict(getattr(value, "__dict__", {}))
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name != "__weakref__" and hasattr(value, name):
                found[name] = getattr(value, name)
    return [part for item in sorted(found.items()) for part in item]


def same_leaf(one: Any, other: Any) -> bool:
    if type(one) is float:
        same = one == other and copysign(1, one) == copysign(1, other)
        return same or (one != one and other != other)
    if type(one).__module__ == "numpy":
        alike = one.dtype == other.dtype and one.shape == other.shape
        return bool(alike and one.tobytes() == other.tobytes())
    if type(one) in PLAIN:
        return bool(one == other)
    # Distinguishes Decimal("1.0") from Decimal("1.00"), and times of one zone from those of another.
    return repr(one) == repr(other)


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def values_and_columns(value: Any) -> tuple[int, int]:
    """The number of values, and the size of their columns in bytes.

    A number, a date or another scalar takes 8 bytes; a Decimal or UUID 16; text its UTF-8 and 8 for its end; a
    container 8 for its length; an object 8 for each further reference. Arrays take their own size. Names of fields
    are in no column.
    """
    values = columns = 0
    seen: set[int] = set()
    todo = [value]
    while todo:
        each = todo.pop()
        kind = type(each)
        values += 1
        if kind is str:
            columns += 8 + len(each.encode())
        elif kind is bytes:
            columns += 8 + len(each)
        elif kind.__module__ == "numpy":
            values += each.size - 1
            columns += each.nbytes
        elif kind.__module__ in ("decimal", "uuid"):
            columns += 16
        else:
            columns += 8
            if kind is list or kind is tuple or kind is dict or parts(each) is not None:
                if id(each) in seen:
                    continue
                seen.add(id(each))
                if kind is dict:
                    todo += each.values()
                elif kind is list or kind is tuple:
                    todo += each
                else:
                    todo += attributes(each)[1::2]
    return values, columns
