"""The memory of objects beyond what the rows of the data pay for."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._errors import LimitError
from .._holdall import charge
from ._kinds import _slots

#: The most objects that one measurement looks at.
_MOST = 10_000
#: The bytes of an object that its row pays for, and those for each of its fields, of 256 for a row of 8 units: the rest is for the
#: values of the fields.
_OF_ROW = 192
_OF_FIELD = 64
#: The bytes of a dict of attributes, and of an entry, at most.
_DICT = 104
_ENTRY = 56
#: What is shared by all objects, however it is reached.
_SHARED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)


def pay(size: int) -> None:
    """Charges bytes to the budget for what is made beyond the rows."""
    refused = charge(size)
    if refused is not None:
        units, left = refused
        raise LimitError(
            f"reading this takes {units} units of memory (a unit is about a byte), and {left} are left of the budget; "
            "if you trust the data, pass a larger limits=holdall.Limits(budget=...)",
            code="limit_budget",
        )


def _reached(values: Iterable[Any]) -> dict[int, Any]:
    """The values and all in them, by their addresses."""
    # Most programs read no data that lack fields.
    import gc

    found: dict[int, Any] = {}
    todo = list(values)
    while todo and len(found) < _MOST:
        value = todo.pop()
        # Without code of its class: a proxy has another `__class__`.
        if id(value) not in found and not issubclass(type(value), _SHARED):
            found[id(value)] = value
            inside = gc.get_referents(value)
            # What refers to so much is seldom made for each object.
            if len(inside) <= _MOST:
                todo += inside
    return found


def _size(value: Any) -> int:
    try:
        return sys.getsizeof(value)
    except Exception:
        # Of a class whose `__sizeof__` fails.
        return type(value).__basicsize__


def made_anew(first: Sequence[Any], second: Sequence[Any]) -> int:
    """The bytes of what the second values have in them, and not the first ones, which were made in the same way."""
    shared = _reached(first)
    return sum(_size(each) for at, each in _reached(second).items() if at not in shared)


def lacking_fields(first: Any, second: Any, given: Sequence[str]) -> int:
    """The bytes of what the second of two objects has in attributes that the data did not give."""
    values = [
        [each for name, each in _attributes(value) if name not in given]
        for value in (first, second)
    ]
    return made_anew(*values)


def beyond_fields(first: Any, second: Any, given: Sequence[str]) -> int:
    """The bytes of the second of two objects beyond what its rows pay for."""
    size = _size(second) + lacking_fields(first, second, given)
    own = _dict_of(second)
    if own is not None:
        # An object that keeps its attributes without a dict has made this one just now, with room for more.
        size += min(sys.getsizeof(own), _DICT + _ENTRY * len(own))
    return max(0, size - _OF_ROW - _OF_FIELD * len(given))


#: Of objects that are made alike in one message, the 8th, the 16th, the 32nd and so on are measured. Few objects cost no time.
_FIRST_MEASURED = 8


class Samples:
    """What objects of the same fields take beyond their rows: the least of those measured, because honest data are not to be refused
    because of some large ones.
    """

    __slots__ = ("_count", "_first", "_least")

    def __init__(self) -> None:
        self._first: Any = None
        self._count = 0
        self._least: int | None = None

    def pay(self, value: Any, given: Iterable[str], attributes: Mapping[str, str]) -> None:
        """Charges an object to which the data gave these fields; some have attributes of other names."""
        self._count += 1
        if self._count == 1:
            self._first = value
        elif self._count >= _FIRST_MEASURED and self._count & (self._count - 1) == 0:
            names = [attributes.get(name, name) for name in given]
            size = beyond_fields(self._first, value, names)
            self._least = size if self._least is None else min(self._least, size)
        if self._least is not None:
            pay(self._least)


def _dict_of(value: Any) -> dict[str, Any] | None:
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return own if type(own) is dict else None


def _attributes(value: Any) -> Iterable[tuple[str, Any]]:
    """The attributes of an object and their names, without code of its class."""
    yield from (_dict_of(value) or {}).items()
    cls = type(value)
    if isinstance(value, tuple):
        yield from zip(getattr(cls, "_fields", ()), value, strict=False)
    for name in (*_slots(cls), *getattr(cls, "__struct_fields__", ())):
        try:
            yield name, object.__getattribute__(value, name)
        except AttributeError:
            continue
