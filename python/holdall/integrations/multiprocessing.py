"""multiprocessing: connections that carry messages.

>>> import multiprocessing
>>> from holdall.integrations.multiprocessing import Connection
>>> here, there = (Connection(each) for each in multiprocessing.Pipe())
>>> here.send({"name": "Ada", "tags": {1, 2}})
>>> there.recv()
{'name': 'Ada', 'tags': {1, 2}}

Nothing that a process sends is executed by the one that receives it. Starting a process still pickles its arguments. The module
`multiprocessing_queues` has queues.
"""

from __future__ import annotations

from typing import Any, Protocol

from ._serializer import Serializer


class Pipe(Protocol):
    """An end of `multiprocessing.Pipe`; what `multiprocessing.connection.Client` and `Listener.accept` return."""

    def send_bytes(self, data: bytes, /) -> None: ...
    def recv_bytes(self) -> bytes: ...
    def poll(self, timeout: float | None = 0.0, /) -> bool: ...
    def fileno(self) -> int: ...
    def close(self) -> None: ...


class Connection:
    """`send` and `recv` of messages over a connection, and what else connections have. `multiprocessing.connection.wait` takes it."""

    def __init__(self, pipe: Pipe, *, serializer: Serializer | None = None) -> None:
        self.pipe = pipe
        self._serializer = serializer or Serializer()

    def send(self, obj: object) -> None:
        """Sends an object to the other end."""
        self.pipe.send_bytes(self._serializer.dumps(obj))

    def recv(self) -> Any:
        """Receives an object: waits for it."""
        return self._serializer.loads(self.pipe.recv_bytes())

    def poll(self, timeout: float | None = 0.0) -> bool:
        """Whether there is an object to receive, within a time in seconds; None waits for one."""
        return self.pipe.poll(timeout)

    def fileno(self) -> int:
        return self.pipe.fileno()

    def close(self) -> None:
        self.pipe.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
