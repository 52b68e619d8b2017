"""Shared memory: objects whose arrays several processes see, without a copy.

>>> import numpy
>>> from holdall.integrations.shared_memory import share
>>> with share({"name": "Ada", "scores": numpy.zeros(1000)}) as handle:
...     one = handle.open()  # in any process that received the handle
...     two = handle.open()
>>> one["scores"][0] = 7
>>> two["name"], float(two["scores"][0])
('Ada', 7.0)

Send the handle by a queue, a connection or an executor. The memory is freed when the block has ended and no array of it is left.
It is a mapped file in /dev/shm, or in the folder of temporary files.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from .._errors import DecodeError
from ._serializer import SerializerOptions, decoder, encoder

_FOLDER = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else Path(tempfile.gettempdir())
_PREFIX = "holdall-"
#: Arrays begin at multiples of this, as processors like it.
_ALIGNMENT = 64


@dataclass(frozen=True)
class Shared:
    """A handle: the name of the memory, the places of the buffers in it, and the message without them."""

    name: str
    spans: Sequence[tuple[int, int]]
    message: bytes

    def open(self, **options: Unpack[SerializerOptions]) -> Any:
        """The object. All processes that opened it see each change of its arrays."""
        if not re.fullmatch(rf"{_PREFIX}\w+", self.name):
            raise DecodeError(f"{self.name!r} names no shared memory", code="unrepresentable")
        with (_FOLDER / self.name).open("r+b") as file:
            memory = memoryview(mmap.mmap(file.fileno(), 0))
        buffers = [memory[start : start + size] for start, size in self.spans]
        return decoder(options).decode(self.message, buffers=buffers)


@contextlib.contextmanager
def share(obj: object, **options: Unpack[SerializerOptions]) -> Iterator[Shared]:
    """Copies the arrays of an object into shared memory that can be opened until the block ends."""
    buffers: list[memoryview] = []
    message = encoder(options, buffer_callback=lambda each: buffers.append(each.raw())).encode(obj)
    spans = []
    with tempfile.NamedTemporaryFile(prefix=_PREFIX, dir=_FOLDER) as file:
        for each in buffers:
            spans.append((file.tell(), each.nbytes))
            file.write(each)
            file.write(bytes(-file.tell() % _ALIGNMENT))
        file.write(b"\\0")
        file.flush()
        yield Shared(Path(file.name).name, tuple(spans), message)
