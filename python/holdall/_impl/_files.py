"""The kinds of files that functions accept: a path, a binary file object, a pipe, a socket."""

from __future__ import annotations

import contextlib
import io
import os
import re
import socket
import stat
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from .._errors import FileError


class Reads(Protocol):
    """A binary file object that can be read."""

    def read(self, size: int, /) -> bytes | bytearray | memoryview | None: ...


class Writes(Protocol):
    """A binary file object that can be written."""

    def write(self, data: bytes, /) -> int | None: ...


PathLike = str | os.PathLike[str]
Readable = PathLike | Reads | socket.socket
Writable = PathLike | Writes | socket.socket


class Source(NamedTuple):
    """A file to read: a path, or functions to read and seek, and its start position."""

    path: str | None
    functions: tuple[Callable[[int], Any], Callable[[int, int], int] | None, int] | None
    #: A file that this package opened and must close.
    opened: io.RawIOBase | None


class Target(NamedTuple):
    """A file to write: a path, or functions to write and flush, and whether a result of None means that nothing
    was written.
    """

    path: str | None
    functions: tuple[Callable[[bytes], Any], Callable[[], Any] | None, bool] | None
    opened: io.FileIO | None


_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_url(file: object) -> bool:
    """Whether this is the URL of a file, and no path."""
    return isinstance(file, str) and _URL.match(file) is not None


def path_of(file: Any) -> str | bytes | None:
    """The path of a file on this machine; None for file objects and other URLs."""
    if is_url(file):
        if not file.lower().startswith("file://"):
            return None
        from urllib.request import url2pathname

        return url2pathname(file[len("file://") :])
    return os.fspath(file) if isinstance(file, str | bytes | os.PathLike) else None


def source(file: Readable) -> Source:
    """How to read a file."""
    if isinstance(file, str | os.PathLike):
        path: Any = path_of(file)
        if path is None:
            from ._parts import PartFile

            remote = PartFile(str(file))
            return Source(None, (remote.read, remote.seek, 0), remote)
        if not is_special(path):
            return Source(path, None, None)
        # Only Python can interrupt the wait for the other end of a pipe.
        opened = io.FileIO(path, "r")
        return Source(None, (opened.read, None, 0), opened)
    read = _method(file, "read", "recv")
    seekable = getattr(file, "seekable", None)
    if seekable is None or not seekable():
        return Source(None, (read, None, 0), None)
    seek: Any = getattr(file, "seek", None)
    return Source(None, (read, seek, seek(0, os.SEEK_CUR)), None)


def target(file: Writable) -> Target:
    """How to write a file."""
    if isinstance(file, str | os.PathLike):
        path = os.fspath(file)
        if not is_special(path):
            return Target(path, None, None)
        opened = io.FileIO(path, "w")
        return Target(None, (opened.write, None, True), opened)
    write = _method(file, "write", "sendall")
    is_raw = isinstance(file, io.RawIOBase)
    flush = getattr(file, "flush", None)
    if _is_compressed(file):
        _compressed.add(file)
    elif not is_raw and flush is not None:
        write = _written_through(write, flush)
    if isinstance(getattr(file, "raw", file), io.FileIO):
        write = _watched(write, file)
    return Target(None, (write, flush, is_raw), None)


def _is_compressed(file: object) -> bool:
    is_other = isinstance(file, io.BytesIO | io.BufferedRWPair) or hasattr(file, "raw")
    return isinstance(file, io.BufferedIOBase) and not is_other


def _written_through(write: Any, flush: Any) -> Any:
    """Writes to a buffered file and empties its buffer, which a forked process would write a second time when it ends."""

    def write_through(data: bytes) -> Any:
        written = write(data)
        flush()
        return written

    return write_through


def _watched(write: Any, file: Any) -> Any:
    """Writes to a file as long as it has what was written before: after it was truncated, zeros would take that place."""
    if size(file) is None:
        return write
    end = 0

    def write_behind(data: bytes) -> Any:
        nonlocal end
        length = size(file)
        if length is not None and length < end:
            raise FileError(
                f"io: expected the {end} bytes that were written to the file, got {length} bytes: something else truncated it",
                code="io",
            )
        written = write(data)
        end = file.tell()
        return written

    return write_behind


#: Files that compress, of gzip for example. When they are closed, also at the end of a forked process, they write what no flush writes.
_compressed: weakref.WeakSet[Any] = weakref.WeakSet()


def _leave_compressed() -> None:
    """Lets no file of the process that forked be written in this one. The standard streams are of use to it."""
    for file in list(_compressed):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            number = file.fileno()
            if number > 2 and not file.closed:
                unwritable = os.open(os.devnull, os.O_RDONLY)
                os.dup2(unwritable, number, inheritable=False)
                os.close(unwritable)
                # What they have left fails to be written now, and not when they are freed, where Python reports it.
                for each in (file, getattr(file, "fileobj", file)):
                    with contextlib.suppress(OSError, ValueError):
                        each.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_compressed)


def _method(file: object, of_file: str, of_socket: str) -> Any:
    method = getattr(file, of_file, None) or getattr(file, of_socket, None)
    if method is None or isinstance(file, io.TextIOBase):
        hint = "; open it in binary mode" if isinstance(file, io.TextIOBase) else ""
        raise TypeError(f"expected a path, a binary file or a socket, got {file!r}{hint}")
    return method


def is_special(path: str) -> bool:
    """Whether a path is a pipe, device or folder, which does not support locks and seeking."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 (of a path that may be bytes)
    except OSError:
        return False


def size(file: Readable) -> int | None:
    """The number of bytes to read, or None if it is unknown."""
    with contextlib.suppress(OSError, AttributeError, ValueError):
        if isinstance(file, str | os.PathLike):
            found = os.stat(file)  # noqa: PTH116
        else:
            fileno: Any = file.fileno  # type: ignore[union-attr]
            found = os.fstat(fileno())
        if stat.S_ISREG(found.st_mode):
            return found.st_size
    return None


@contextlib.contextmanager
def named(path: str | bytes | None) -> Iterator[None]:
    """Adds the file's name to errors of the operating system, as Python's own files do."""
    try:
        yield
    except OSError as error:
        if path is not None and error.errno is not None and error.filename is None:
            error.filename = path
        raise


@contextlib.contextmanager
def written_at_once(path: PathLike) -> Iterator[IO[bytes]]:
    """A new file, which replaces the file at a path once it is complete."""
    # In the folder of a link's target: a rename must not cross file systems, nor replace the link.
    path = Path(path).resolve()
    unfinished = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        with unfinished.open("xb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        with contextlib.suppress(FileNotFoundError):
            unfinished.chmod(path.stat().st_mode & 0o7777)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
