"""The memory of objects beyond what the rows of the data pay for."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable, Sequence
from typing import Any

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
#: The bytes of what objects have beside their rows or copy of content that data may share, at most: an entry of a dict of its own
#: above; an item of a list; an entry of an ordered dict; an entry or member of a weak container, with the reference.
OF_ENTRY = _ENTRY
OF_ITEM = 10
OF_ORDERED = 128
OF_WEAK = 176
#: What is shared by all objects, however it is reached.
_SHARED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)


def _size(value: Any) -> int:
    try:
        return sys.getsizeof(value)
    except Exception:
        # Of a class whose `__sizeof__` fails.
        return type(value).__basicsize__


def made_anew(seen: dict[int, Any], values: Sequence[Any], given: Sequence[str] = ()) -> int:
    """The bytes of the values and all in them that was not seen, by its address; afterwards it is."""
    # Most programs read no data that lack fields.
    import gc

    todo = list(values)
    size, most = 0, len(seen) + _MOST
    while todo and len(seen) < most:
        value = todo.pop()
        # Without code of its class: a proxy has another `__class__`.
        if id(value) not in seen and not issubclass(type(value), _SHARED):
            seen[id(value)] = value
            size += _size(value)
            inside = gc.get_referents(value)
            # What refers to so much is seldom made for each object.
            if len(inside) <= _MOST:
                todo += inside
    return size


def lacking_fields(seen: dict[int, Any], value: Any, given: Sequence[str]) -> int:
    """The bytes of what an object has in attributes that the data did not give."""
    return made_anew(seen, [each for name, each in _attributes(value) if name not in given])


def beyond_fields(seen: dict[int, Any], value: Any, given: Sequence[str]) -> int:
    """The bytes of an object beyond what its rows pay for."""
    size = _size(value) + lacking_fields(seen, value, given)
    own = _dict_of(value)
    if own is not None:
        # An object that keeps its attributes without a dict has made this one just now, with room for more.
        size += min(sys.getsizeof(own), _DICT + _ENTRY * len(own))
    return max(0, size - _OF_ROW - _OF_FIELD * len(given))


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
    if issubclass(cls, tuple):
        yield from zip(getattr(cls, "_fields", ()), value, strict=False)
    for name in (*_slots(cls), *getattr(cls, "__struct_fields__", ())):
        try:
            yield name, object.__getattribute__(value, name)
        except AttributeError:
            continue
