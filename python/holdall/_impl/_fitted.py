"""The values that were fitted to nodes in one message: a shared object is fitted once and stays shared. What does not fit is not
tried again, so that unions inside unions take no more time than their alternatives.
"""

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
#: The results of a value that is being fitted, and of one that does not fit.
_PENDING, _FAILED = object(), object()


class Fitted:
    """What is kept until a message is read."""

    def __init__(self) -> None:
        #: Values, what they became, and how badly they fit; of those that do not fit, the reason.
        self.made: dict[tuple[int, int], tuple[Any, Any, Any]] = {}
        #: Values, and how far they are from the types of a node.
        self.distances: dict[tuple[int, int], tuple[Any, int]] = {}
        #: How badly all objects so far fit their fields.
        self.misfit = 0
        #: What objects take, by their class.
        self.samples: dict[Any, Samples] = {}

    def once(self, node: _Fits, value: Any) -> Any:
        """Fits a value to a node."""
        if type(value) in _ONE_EMPTY and not value:
            return node._fit(value)
        key = (id(node), id(value))
        known = self.made.get(key)
        if known is None:
            self.made[key] = (value, _PENDING, None)
            before = self.misfit
            try:
                made = node._fit(value)
            except Mismatch as error:
                self.misfit = before
                self.made[key] = (value, _FAILED, error.copy())
                charged(value)
                raise
            except BaseException:
                del self.made[key]
                raise
            self.made[key] = (value, made, self.misfit - before)
            charged(value, made)
            return made
        if known[1] is _PENDING:
            raise Mismatch(
                node.text,
                f"a {type(value).__name__} that contains itself, which cannot be converted",
            )
        if known[1] is _FAILED:
            raise known[2].copy()
        self.misfit += known[2]
        return known[1]


def charged(value: Any, made: Any = None) -> None:
    """Charges what is kept of a value, and of what it became, if that is another one."""
    size = _ENTRY if type(value) in _PLAIN else _ENTRY_OF_OTHERS
    charge(size if made is None or made is value else size + getsizeof(made))


def fitted() -> Fitted:
    """What is kept of the innermost message that this thread reads."""
    return notes(Fitted)
