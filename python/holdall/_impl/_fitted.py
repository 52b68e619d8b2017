"""The values that were fitted to nodes in one message: a shared object is fitted once and stays shared."""

from __future__ import annotations

import threading
from typing import Any, Protocol

from .._errors import Mismatch


class _Fits(Protocol):
    text: str

    def _fit(self, value: Any) -> Any: ...


#: The result of a value that is being fitted.
_PENDING = object()


class _Fitted(threading.local):
    def __init__(self) -> None:
        self.is_used = False
        self.made: dict[tuple[int, int], tuple[Any, Any]] = {}

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


fitted = _Fitted()
