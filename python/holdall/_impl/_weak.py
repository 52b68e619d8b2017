"""Weak references, and the containers of the standard library that hold them.

What a weak reference refers to is packed like any other value. When it is read, it lives only if something else refers to it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from .._errors import DecodeError, EncodeError, checked
from .._holdall import charge
from ._sizes import OF_WEAK
from ._values import Extension


def _pack_reference(value: Any) -> Extension:
    if value.__callback__ is not None:
        raise EncodeError(
            "a weak reference with a callback cannot be packed; leave it out, or pass an enc_hook that replaces it",
            code="unsupported_value",
        )
    # So deep, because what it refers to may hold the reference and need not be complete before it.
    live = value()
    return Extension("py.weak", ([] if live is None else [live],))


def _make_reference(content: Any) -> Any:
    (referents,) = checked(content, tuple)
    if not checked(referents, list):
        return weakref.ref(_Gone())
    (referent,) = referents
    return _of(referent, weakref.ref)


class _Gone:
    """What a dead reference referred to."""


def _of(value: Any, make: Callable[[Any], Any]) -> Any:
    try:
        return make(value)
    except TypeError:
        raise DecodeError(
            f"the data has a weak reference to {type(value).__name__}, which cannot have any",
            code="unrepresentable",
        ) from None


#: The bytes of a container without entries, with the sets, lists and functions that Python's code keeps for each.
_DICT = 704
_SET = 848


def _fill_dict(empty: Any, content: Any) -> None:
    charge(_DICT + OF_WEAK * len(checked(content, dict)))
    _of(content, empty.update)


def _fill_set(empty: Any, content: Any) -> None:
    charge(_SET + OF_WEAK * len(checked(content, list)))
    _of(content, empty.update)


HOOKS: dict[type, Callable[[Any], Any]] = {
    weakref.ReferenceType: _pack_reference,
    weakref.WeakValueDictionary: lambda value: Extension("py.weak_values", dict(value.items())),
    weakref.WeakKeyDictionary: lambda value: Extension("py.weak_keys", dict(value.items())),
    weakref.WeakSet: lambda value: Extension("py.weak_set", list(value)),
}

EXTENSIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "py.weak": (_make_reference,),
    "py.weak_values": (weakref.WeakValueDictionary, _fill_dict),
    "py.weak_keys": (weakref.WeakKeyDictionary, _fill_dict),
    "py.weak_set": (weakref.WeakSet, _fill_set),
}
