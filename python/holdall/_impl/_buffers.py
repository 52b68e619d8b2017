"""Buffers outside the message, as those of pickle's protocol 5: large arrays cross processes without a copy."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .._errors import DecodeError
from . import _later
from ._values import Extension

if TYPE_CHECKING:
    from pickle import PickleBuffer

#: Anything with the buffer protocol, such as bytes, a memoryview, a PickleBuffer or an mmap.
Buffer = Any
#: Called with each buffer as a `pickle.PickleBuffer`; if it returns true, that buffer stays in the message.
Callback = Callable[["PickleBuffer"], object]


class Writer:
    """The buffers of one message."""

    def __init__(self, callback: Callback) -> None:
        self._callback = callback
        self._count = 0
        #: By identity, with the object itself, which keeps the identity its own: a walk can meet an object more than once.
        self._known: dict[int, tuple[object, int | None]] = {}

    def number(self, owner: object, buffer: PickleBuffer) -> int | None:
        """The number of the buffer of an object; None if it stays in the message."""
        known = self._known.get(id(owner))
        if known is None:
            known = (owner, None if self._callback(buffer) else self._count)
            self._count += known[1] is not None
            self._known[id(owner)] = known
        return known[1]


#: The buffers of the message that a thread packs or unpacks. Nearly always empty, which is cheap to find out.
writers: dict[int, Writer] = {}
readers: dict[int, list[Buffer]] = {}


@contextlib.contextmanager
def writing(callback: Callback) -> Iterator[None]:
    """Packs what follows in this thread with buffers outside."""
    with _set(writers, Writer(callback)):
        yield


@contextlib.contextmanager
def reading(buffers: Iterable[Buffer]) -> Iterator[None]:
    """Unpacks what follows in this thread with these buffers."""
    with _set(readers, list(buffers)):
        yield


@contextlib.contextmanager
def _set(kept: dict[int, Any], own: object) -> Iterator[None]:
    thread = threading.get_ident()
    before = kept.get(thread)
    kept[thread] = own
    try:
        yield
    finally:
        if before is None:
            del kept[thread]
        else:
            kept[thread] = before


def number_of(owner: object, view: Buffer) -> int | None:
    """The number of an object's buffer, if this thread packs with buffers outside and the buffer is to be there."""
    writer = writers.get(threading.get_ident())
    if writer is None:
        return None
    own = view if isinstance(view, _later.pickle.PickleBuffer) else _later.pickle.PickleBuffer(view)
    return writer.number(owner, own)


def buffer_of(number: Any) -> Buffer:
    """The buffer of a number in a message."""
    buffers = readers.get(threading.get_ident())
    if buffers is None:
        raise _error(
            "buffers outside of it: pass those of buffer_callback as loads(..., buffers=...)"
        )
    if type(number) is not int or not 0 <= number < len(buffers):
        raise _error(f"the buffer {number!r}, but buffers= has {len(buffers)}")
    return buffers[number]


def bytes_of(number: Any, shape: tuple[int, ...], itemsize: int) -> memoryview:
    """The bytes of a buffer that has the elements of an array, no more and no less."""
    view = memoryview(buffer_of(number))
    if view.nbytes != math.prod(shape) * itemsize:
        raise _error(
            f"an array of {math.prod(shape) * itemsize} bytes in a buffer of {view.nbytes}"
        )
    if not view.contiguous:
        raise _error("an array in a buffer that is not contiguous")
    return view.cast("B") if view.c_contiguous else _later.pickle.PickleBuffer(view).raw()


def _error(text: str) -> DecodeError:
    return DecodeError(f"the data has {text}", code="unrepresentable")


def pack(buffer: PickleBuffer) -> Any:
    """A PickleBuffer: outside, or as pickle packs it, as bytes or a bytearray."""
    number = number_of(buffer, buffer) if writers else None
    if number is not None:
        return Extension("py.buffer", number)
    view = buffer.raw()
    return bytes(view) if view.readonly else bytearray(view)


EXTENSIONS: dict[str, tuple[Callable[..., Any], ...]] = {"py.buffer": (buffer_of,)}
