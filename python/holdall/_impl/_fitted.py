"""The values that were fitted to nodes in one message: a shared object is fitted once and stays shared."""

from __future__ import annotations

import threading
from sys import getsizeof
from typing import Any, Protocol

from .._errors import Mismatch
from ._sizes import Samples, pay


class _Fits(Protocol):
    text: str

    def _fit(self, value: Any) -> Any: ...


#: The bytes of an entry of the values fitted to a node that the rows of the value do not pay for: the rows of a list or dict pay for
#: most of it, those of other values for none.
_ENTRY = 64
_ENTRY_OF_OTHERS = 192
_PLAIN = (list, tuple, dict)
#: The result of a value that is being fitted.
_PENDING = object()


class _Fitted(threading.local):
    def __init__(self) -> None:
        self.is_used = False
        self.made: dict[tuple[int, int], tuple[Any, Any]] = {}
        #: What objects take, by their class and fields.
        self.samples: dict[tuple[Any, ...], Samples] = {}

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
            pay(size if made is value else size + getsizeof(made))
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
        self.samples.clear()


fitted = _Fitted()
