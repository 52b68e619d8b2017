"""The values that were fitted to nodes in one message: a shared object is fitted once and stays shared."""

from __future__ import annotations

from sys import getsizeof
from typing import Any, Protocol

from .._errors import Mismatch
from .._holdall import Samples, charge, notes


class _Fits(Protocol):
    text: str

    def _fit(self, value: Any) -> Any: ...


#: The bytes of an entry of the values fitted to a node that the rows of the value do not pay for: the rows of a list or dict pay for
#: most of it, those of other values for none.
_ENTRY = 64
_ENTRY_OF_OTHERS = 192
_PLAIN = (list, tuple, dict)
#: CPython has one empty object of these types, which is no shared value.
_ONE_EMPTY = (tuple, frozenset)
#: The result of a value that is being fitted.
_PENDING = object()


class Fitted:
    """What is kept until a message is read."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, int], tuple[Any, Any]] = {}
        #: What objects take, by their class.
        self.samples: dict[Any, Samples] = {}

    def once(self, node: _Fits, value: Any) -> Any:
        """Fits a value to a node."""
        if type(value) in _ONE_EMPTY and not value:
            return node._fit(value)
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
            charge(size if made is value else size + getsizeof(made))
            return made
        if known[1] is _PENDING:
            raise Mismatch(
                node.text,
                f"a {type(value).__name__} that contains itself, which cannot be converted",
            )
        return known[1]


def fitted() -> Fitted:
    """What is kept of the innermost message that this thread reads."""
    return notes(Fitted)
