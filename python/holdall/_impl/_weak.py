"""Weak references, and the containers of the standard library that hold them.

What a weak reference refers to is packed like any other value. When it is read, it lives only if something else refers to it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from .._errors import DecodeError, EncodeError, checked
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


def _fill_values(empty: Any, content: Any) -> None:
    _of(checked(content, dict), empty.update)


def _fill_keys(empty: Any, content: Any) -> None:
    _of(checked(content, dict), empty.update)


def _fill_set(empty: Any, content: Any) -> None:
    _of(checked(content, list), empty.update)


HOOKS: dict[type, Callable[[Any], Any]] = {
    weakref.ReferenceType: _pack_reference,
    weakref.WeakValueDictionary: lambda value: Extension("py.weak_values", dict(value.items())),
    weakref.WeakKeyDictionary: lambda value: Extension("py.weak_keys", dict(value.items())),
    weakref.WeakSet: lambda value: Extension("py.weak_set", list(value)),
}

EXTENSIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "py.weak": (_make_reference,),
    "py.weak_values": (weakref.WeakValueDictionary, _fill_values),
    "py.weak_keys": (weakref.WeakKeyDictionary, _fill_keys),
    "py.weak_set": (weakref.WeakSet, _fill_set),
}
