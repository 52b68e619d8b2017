"""The values that were fitted to nodes in one message: a shared object is fitted once and stays shared."""

from __future__ import annotations

import threading
from sys import getsizeof
from typing import Any, Protocol

from .._errors import Mismatch
from .._holdall import charge
from ._sizes import refuse


class _Fits(Protocol):
    text: str

    def _fit(self, value: Any) -> Any: ...


#: The bytes of an entry of the values fitted to a node, beyond what the rows of the value pay for: most for a list or dict, and less
#: for others, which their rows pay for, or which were made of fitted values.
_ENTRY = 64
_ENTRY_OF_OTHERS = 192
_PLAIN = (list, tuple, dict)
#: The result of a value that is being fitted.
_PENDING = object()


class _Fitted(threading.local):
    def __init__(self) -> None:
        self.is_used = False
        self.made: dict[tuple[int, int], tuple[Any, Any]] = {}
        #: Of objects with the same fields: the first, until the second shows what each takes.
        self.first: dict[tuple[Any, ...], Any] = {}
        self.sizes: dict[tuple[Any, ...], int] = {}

    def once(self, node: _Fits, value: Any) -> Any:
        self.is_used = True
        key = (id(node), id(value))
        known = self.made.get(key)
        if known is None:
            self.made[key] = (value, _PENDING)
            try:
                made = node._fit(value)
            except BaseException:
                del self.made[key]
                raise
            self.made[key] = (value, made)
            size = _ENTRY if type(value) in _PLAIN else _ENTRY_OF_OTHERS
            refused = charge(size if made is value else size + getsizeof(made))
            if refused is not None:
                refuse(*refused)
            return made
        if known[1] is _PENDING:
            raise Mismatch(
                node.text,
                f"a {type(value).__name__} that contains itself, which cannot be converted",
            )
        return known[1]

    def forget(self) -> None:
        self.is_used = False
        self.made.clear()
        self.first.clear()
        self.sizes.clear()


fitted = _Fitted()
