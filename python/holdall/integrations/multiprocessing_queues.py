"""multiprocessing: queues that carry messages.

>>> from holdall.integrations.multiprocessing_queues import JoinableQueue, Queue, SimpleQueue
>>> queue = Queue(10)
>>> queue.put((1, [2]))
>>> queue.get(timeout=5)
(1, [2])

They are those of `multiprocessing`, with its sizes, timeouts, `task_done` and `join`. A subclass can have another ``serializer``. Nothing
that a process puts is executed by the one that gets it: what arrives is read as a message, and never unpickled.
"""

from __future__ import annotations

import contextlib
import multiprocessing.queues
import pickle
from typing import Any

from ._serializer import Serializer


class SimpleQueue(multiprocessing.queues.SimpleQueue[Any]):
    serializer = Serializer()
    _rlock: Any
    _wlock: Any
    _reader: Any
    _writer: Any

    def __init__(self, *, context: Any = None) -> None:
        super().__init__(ctx=context or multiprocessing.get_context())

    def put(self, obj: object) -> None:
        data = self.serializer.dumps(obj)
        with self._wlock or contextlib.nullcontext():
            self._writer.send_bytes(data)

    def get(self) -> Any:
        with self._rlock:
            data = self._reader.recv_bytes()
        return self.serializer.loads(data)


class Queue(multiprocessing.queues.Queue):  # type: ignore[type-arg] # Python 3.11 has no subscript
    """The library pickles what is put, and unpickles what arrives: here both are bytes that this process itself has pickled."""

    serializer = Serializer()
    _reader: Any
    _writer: Any
    _send_bytes: Any
    _recv_bytes: Any

    def __init__(self, maxsize: int = 0, *, context: Any = None) -> None:
        super().__init__(maxsize, ctx=context or multiprocessing.get_context())

    def _reset(self, after_fork: bool = False) -> None:
        super()._reset(after_fork)  # type: ignore[misc]
        self._send_bytes = lambda own: self._writer.send_bytes(pickle.loads(own))
        self._recv_bytes = lambda: pickle.dumps(self._reader.recv_bytes())

    def put(self, obj: object, block: bool = True, timeout: float | None = None) -> None:
        super().put(self.serializer.dumps(obj), block, timeout)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        return self.serializer.loads(super().get(block, timeout))


class JoinableQueue(Queue, multiprocessing.queues.JoinableQueue):  # type: ignore[type-arg]
    """A queue that knows what has been done."""
