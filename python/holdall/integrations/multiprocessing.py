"""multiprocessing: connections and queues that carry messages.

>>> import multiprocessing
>>> from holdall.integrations.multiprocessing import Connection, Queue
>>> here, there = (Connection(each) for each in multiprocessing.Pipe())
>>> here.send({"name": "Ada", "tags": {1, 2}})
>>> there.recv()
{'name': 'Ada', 'tags': {1, 2}}
>>> queue = Queue()
>>> queue.put((1, [2]))
>>> queue.get()
(1, [2])

Nothing that a process sends is executed by the one that receives it. Starting a process still pickles its arguments.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.queues
from typing import Any, Protocol

from ._serializer import Serializer


class Pipe(Protocol):
    """An end of `multiprocessing.Pipe`; what `multiprocessing.connection.Client` and `Listener.accept` return."""

    def send_bytes(self, data: bytes, /) -> None: ...
    def recv_bytes(self) -> bytes: ...


class Connection:
    """`send` and `recv` of messages over a connection."""

    def __init__(self, pipe: Pipe, *, serializer: Serializer | None = None) -> None:
        self.pipe = pipe
        self._serializer = serializer or Serializer()

    def send(self, obj: object) -> None:
        """Sends an object to the other end."""
        self.pipe.send_bytes(self._serializer.dumps(obj))

    def recv(self) -> Any:
        """Receives an object: waits for it."""
        return self._serializer.loads(self.pipe.recv_bytes())


class Queue(multiprocessing.queues.SimpleQueue[Any]):
    """A `multiprocessing.SimpleQueue` of messages. A subclass can have another ``serializer``."""

    serializer = Serializer()
    _rlock: Any
    _wlock: Any
    _reader: Pipe
    _writer: Pipe

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
