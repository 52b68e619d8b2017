"""Streams over asynchronous files and connections."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Callable
from typing import Any

import holdall
import pytest

VALUES: list[Any] = [1, "two", {"three": [3.0]}, None]


def stream_of(*values: object, **options: Any) -> bytes:
    file = io.BytesIO()
    with holdall.Writer(file, **options) as writer:
        for value in values:
            writer.write(value)
    return file.getvalue()


def reader_of(data: bytes, size: int = 1 << 20) -> asyncio.StreamReader:
    stream = asyncio.StreamReader(size)
    stream.feed_data(data)
    stream.feed_eof()
    return stream


class Sink:
    """What a connection sends, by a plain function or a coroutine."""

    def __init__(self) -> None:
        self.data = b""
        self.drained = 0

    def write(self, data: bytes) -> None:
        self.data += data

    async def drain(self) -> None:
        self.drained += 1


class AsyncSink:
    def __init__(self, fails_at: int | None = None) -> None:
        self.data = b""
        self.calls = 0
        self.fails_at = fails_at

    async def send(self, data: bytes) -> None:
        await asyncio.sleep(0)
        self.calls += 1
        if self.calls == self.fails_at:
            raise ConnectionResetError
        self.data += data


async def written(sink: Any, **options: Any) -> bytes:
    async with holdall.AsyncWriter(sink, **options) as writer:
        for value in VALUES:
            await writer.write(value)
    data: bytes = sink.data
    return data


async def read(stream: Any) -> list[Any]:
    return [value async for value in holdall.AsyncReader(stream)]


@pytest.mark.parametrize("make", [Sink, AsyncSink])
def test_an_async_writer_writes_the_bytes_of_a_writer(make: Callable[[], Any]) -> None:
    options = {"sync": b"12345678", "block_rows": 2, "metadata": {"of": "values"}}
    assert asyncio.run(written(make(), **options)) == stream_of(*VALUES, **options)


def test_flush_sends_what_was_written() -> None:
    async def run() -> tuple[list[Any], int]:
        sink = Sink()
        writer = holdall.AsyncWriter(sink)
        await writer.write(1)
        await writer.flush()
        values = list(holdall.Reader(io.BytesIO(sink.data), unfinished=True))
        await writer.close()
        return values, sink.drained

    values, drained = asyncio.run(run())
    assert values == [1]
    assert drained > 0


def test_after_a_failed_write_nothing_follows() -> None:
    async def run() -> bytes:
        sink = AsyncSink(fails_at=3)
        writer = holdall.AsyncWriter(sink, block_rows=1)
        await writer.write(1)
        with pytest.raises(ConnectionResetError):
            await writer.write(2)
        for call in (lambda: writer.write(3), writer.flush):
            with pytest.raises(holdall.FileError) as failed:
                await call()
            assert failed.value.code == "io"
        await writer.close()
        return sink.data

    assert list(holdall.Reader(io.BytesIO(asyncio.run(run())), unfinished=True)) == [1]


def test_a_value_that_cannot_be_packed_is_not_in_the_stream() -> None:
    async def run() -> bytes:
        sink = Sink()
        async with holdall.AsyncWriter(sink) as writer:
            await writer.write(1)
            with pytest.raises(holdall.EncodeError):
                await writer.write(lambda: 0)
            await writer.write(2)
        return sink.data

    assert list(holdall.Reader(io.BytesIO(asyncio.run(run())))) == [1, 2]


def test_values_arrive_in_order() -> None:
    async def run() -> list[Any]:
        return await read(reader_of(stream_of(*VALUES, block_rows=1)))

    assert asyncio.run(run()) == VALUES


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_an_iterator_of_pieces_is_a_stream(size: int) -> None:
    data = stream_of(*VALUES)

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(data), size):
            yield data[at : at + size]
            yield b""

    assert asyncio.run(read(pieces())) == VALUES


def test_a_value_is_there_before_the_next_block() -> None:
    async def run() -> list[int]:
        sink, stream = Sink(), asyncio.StreamReader()
        writer, values = holdall.AsyncWriter(sink), []
        reader = holdall.AsyncReader(stream, int)
        for number in range(3):
            await writer.write(number)
            await writer.flush()
            stream.feed_data(sink.data)
            sink.data = b""
            values.append(await anext(reader))
        await writer.close()
        return values

    assert asyncio.run(run()) == [0, 1, 2]


def test_a_stream_without_its_end_is_truncated() -> None:
    data = stream_of(1, 2)

    async def run(length: int) -> tuple[list[int], str]:
        values = []
        try:
            async for value in holdall.AsyncReader(reader_of(data[:length]), int):
                values.append(value)
        except holdall.DecodeError as error:
            return values, error.code
        return values, ""

    assert asyncio.run(run(len(data))) == ([1, 2], "")
    for length in range(len(data)):
        values, code = asyncio.run(run(length))
        assert values in ([], [1, 2])
        assert code == "truncated"


def test_one_can_read_on_after_a_value_of_another_type() -> None:
    async def run() -> list[Any]:
        reader = holdall.AsyncReader(reader_of(stream_of(1, "two", 3)), int)
        first = await anext(reader)
        with pytest.raises(holdall.SchemaError) as failed:
            await anext(reader)
        return [first, failed.value.code, *[value async for value in reader]]

    assert asyncio.run(run()) == [1, "unconvertible", 3]


def test_bytes_after_the_stream_are_not_lost() -> None:
    async def run() -> tuple[list[Any], bytes]:
        reader = holdall.AsyncReader(reader_of(stream_of(1) + b"more"))
        return [value async for value in reader], reader.unused_data

    assert asyncio.run(run()) == ([1], b"more")
