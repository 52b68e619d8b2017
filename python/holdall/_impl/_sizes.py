"""The memory of objects beyond what the rows of the data pay for."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

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


def refuse(units: int, left: int) -> NoReturn:
    """Raises the error for bytes that `charge` refused."""
    raise LimitError(
        f"reading this takes {units} units of memory (a unit is about a byte), and {left} are left of the budget; "
        "if you trust the data, pass a larger limits=holdall.Limits(budget=...)",
        code="limit_budget",
    )


def pay(size: int) -> None:
    """Charges bytes to the units of the budget that the rows left."""
    refused = charge(size)
    if refused is not None:
        refuse(*refused)


def _reached(values: Iterable[Any]) -> dict[int, Any]:
    """The values and all in them, by their addresses."""
    # Most programs read no data that lack fields.
    import gc

    found: dict[int, Any] = {}
    todo = list(values)
    while todo and len(found) < _MOST:
        value = todo.pop()
        if id(value) not in found and not isinstance(value, _SHARED):
            found[id(value)] = value
            todo += gc.get_referents(value)
    return found


def made_anew(first: Sequence[Any], second: Sequence[Any]) -> int:
    """The bytes of what the second values have in them, and not the first ones, which were made in the same way."""
    shared = _reached(first)
    return sum(sys.getsizeof(each) for at, each in _reached(second).items() if at not in shared)


def lacking_fields(first: Any, second: Any, given: Sequence[str]) -> int:
    """The bytes of what the second of two objects has in attributes that the data did not give."""
    values = [
        [each for name, each in _attributes(value) if name not in given]
        for value in (first, second)
    ]
    return made_anew(*values)


def beyond_fields(first: Any, second: Any, given: Sequence[str]) -> int:
    """The bytes of the second of two objects beyond what its rows pay for."""
    size = sys.getsizeof(second) + lacking_fields(first, second, given)
    own = _dict_of(second)
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
    if isinstance(value, tuple):
        yield from zip(getattr(cls, "_fields", ()), value, strict=False)
    for name in (*_slots(cls), *getattr(cls, "__struct_fields__", ())):
        try:
            yield name, object.__getattribute__(value, name)
        except AttributeError:
            continue
