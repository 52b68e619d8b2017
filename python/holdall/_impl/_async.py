"""Streams over asynchronous files and connections, for programs with an event loop."""

from __future__ import annotations

import inspect
from collections import deque
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, Unpack, overload

from .._errors import FileError
from ._keywords import check_names
from ._options import ReadOptions, WriterOptions
from ._streams import StreamDecoder, Writer

T = TypeVar("T")


class AsyncWriter:
    """Writes any number of values to an asynchronous stream, one block at a time. The options are those of `Writer`.

    The stream is an `asyncio.StreamWriter`, or any object whose ``write`` or ``send`` takes bytes, as a coroutine or not;
    ``drain``, if it has it, is awaited. The writer does not close it. After a failed or cancelled write it accepts no more
    values, and the stream is readable up to its last block.

    >>> import asyncio
    >>> async def copy(values):
    ...     stream = asyncio.StreamReader()
    ...     class Connection:
    ...         write = staticmethod(stream.feed_data)
    ...     async with holdall.AsyncWriter(Connection) as writer:
    ...         for value in values:
    ...             await writer.write(value)
    ...     return [value async for value in holdall.AsyncReader(stream)]
    >>> asyncio.run(copy([1, {"two": 2}]))
    [1, {'two': 2}]
    """

    __slots__ = ("_drain", "_failed", "_pieces", "_send", "_writer")

    def __init__(self, stream: Any, /, **options: Unpack[WriterOptions]) -> None:
        check_names("AsyncWriter", options, WriterOptions)
        send = getattr(stream, "write", None) or getattr(stream, "send", None)
        if send is None:
            raise TypeError(f"expected a stream with write or send, got {stream!r}")
        self._send = send
        self._drain = getattr(stream, "drain", None)
        self._pieces = _Pieces()
        self._failed = False
        self._writer = Writer(self._pieces, **options)

    async def write(self, obj: object, /) -> None:
        """Adds a value. It is in the stream once its block is full, or after `flush` or `close`."""
        self._check()
        self._writer.write(obj)
        await self._pass_on()

    async def flush(self) -> None:
        """Writes the values so far as a block."""
        self._check()
        self._writer.flush()
        await self._pass_on()

    async def close(self) -> None:
        """Writes the values so far and the end of the stream; nothing after a failed write."""
        self._writer.close()
        if not self._failed:
            await self._pass_on()

    def _check(self) -> None:
        if self._failed:
            raise FileError("io: an earlier write failed or was cancelled", code="io")

    async def _pass_on(self) -> None:
        if not self._pieces.waiting:
            return
        # What part of a piece arrived is unknown, so none can follow.
        self._failed = True
        while self._pieces.waiting:
            sent = self._send(self._pieces.waiting.popleft())
            if inspect.isawaitable(sent):
                await sent
        if self._drain is not None:
            await self._drain()
        self._failed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()


class _Pieces:
    """The file of the writer: what it wrote waits for the event loop."""

    def __init__(self) -> None:
        self.waiting: deque[bytes] = deque()

    def write(self, data: bytes, /) -> None:
        self.waiting.append(data)


class AsyncReader(Generic[T]):
    """Reads the values of an asynchronous stream in order. The type and the options are those of `Reader` for its values.

    The stream is an `asyncio.StreamReader`, any object with ``read(size)``, as a coroutine or not, or an asynchronous iterator of bytes.
    A value that does not have the type raises an error, after which you can read the next one. A stream without its end raises
    `truncated`. Values are returned as soon as their block has arrived.
    """

    __slots__ = ("_decoder", "_pieces", "_read", "_ready")

    @overload
    def __init__(
        self: AsyncReader[Any], stream: Any, /, type: None = None, **options: Unpack[ReadOptions]
    ) -> None: ...
    @overload
    def __init__(
        self: AsyncReader[T], stream: Any, /, type: type[T], **options: Unpack[ReadOptions]
    ) -> None: ...
    @overload
    def __init__(
        self: AsyncReader[Any], stream: Any, /, type: Any, **options: Unpack[ReadOptions]
    ) -> None: ...
    def __init__(self, stream: Any, /, type: Any = None, **options: Unpack[ReadOptions]) -> None:
        check_names("AsyncReader", options, ReadOptions, "type")
        self._read = getattr(stream, "read", None)
        self._pieces: Any = None if self._read is not None else _iterator(stream)
        self._decoder: StreamDecoder[T] = StreamDecoder(type, **options)
        self._ready: deque[T] = deque()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        while not self._ready:
            # An error after the values before it waits in the decoder.
            self._ready.extend(self._decoder.feed(b""))
            if self._ready:
                break
            if self._decoder.eof:
                raise StopAsyncIteration
            piece = await self._next_piece()
            if not piece:
                self._decoder.close()
                raise StopAsyncIteration
            self._ready.extend(self._decoder.feed(piece))
        return self._ready.popleft()

    async def _next_piece(self) -> bytes:
        if self._read is not None:
            got = self._read(_PIECE)
            return bytes(await got if inspect.isawaitable(got) else got)
        # An iterator may have empty pieces before its end.
        async for piece in self._pieces:
            if piece:
                return bytes(piece)
        return b""

    @property
    def unused_data(self) -> bytes:
        """What was read after the end of the stream."""
        return self._decoder.unused_data


#: How many bytes are read at once.
_PIECE = 1 << 16


def _iterator(stream: Any) -> Any:
    if not hasattr(stream, "__aiter__"):
        raise TypeError(
            f"expected a stream with read, or an asynchronous iterator of bytes, got {stream!r}"
        )
    return aiter(stream)
