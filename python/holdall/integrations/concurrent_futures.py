"""concurrent.futures: arguments and results that cross processes as messages.

In a module that the other processes can import::

    def longest(graph):
        ...

    if __name__ == "__main__":
        with ProcessPoolExecutor() as pool:
            results = list(Call(longest).map(pool, graphs))

>>> from concurrent.futures import ProcessPoolExecutor
>>> from holdall.integrations.concurrent_futures import Call
>>> with ProcessPoolExecutor(1) as pool:
...     list(Call(sorted).map(pool, [{3, 1}, [2, 1]]))
[[1, 3], [1, 2]]

The function itself is pickled, by its name. Use it for graphs that pickle is too deep for, or with ``types=`` and hooks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from typing import Any

from ._serializer import Serializer


class Call:
    """A function whose arguments and result are messages; ``serializer`` is for both."""

    def __init__(
        self, function: Callable[..., Any], *, serializer: Serializer | None = None
    ) -> None:
        self.function = function
        self.serializer = serializer or Serializer()

    def __call__(self, data: bytes) -> bytes:
        return self.serializer.dumps(self.function(*self.serializer.loads(data)))

    def map(self, executor: Executor, *iterables: Iterable[Any]) -> Iterator[Any]:
        """As `Executor.map`: the results, in order."""
        calls = (self.serializer.dumps(arguments) for arguments in zip(*iterables, strict=False))
        return map(self.serializer.loads, executor.map(self, calls))
