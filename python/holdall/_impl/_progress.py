"""The progress of a reader or writer, passed to a function or shown as a bar."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Callable
from typing import IO, Any

#: True for a bar of tqdm, or a function of the bytes so far and the total, which is None if it is unknown.
Progress = Callable[[int, int | None], object] | bool | None


def callback(progress: Progress, total: int | None) -> Callable[[int], object] | None:
    """The function to call with the number of bytes so far."""
    if isinstance(progress, bool):
        return _bar(total) if progress else None
    if progress is None:
        return None
    report = progress
    return lambda done: report(done, total)


def _bar(total: int | None) -> Callable[[int], object]:
    try:
        tqdm: Any = importlib.import_module("tqdm")
    except ImportError as missing:
        raise ImportError("progress=True needs tqdm: pip install tqdm", name="tqdm") from missing
    bar = tqdm.tqdm(total=total, unit="B", unit_scale=True, unit_divisor=1024)
    return lambda done: bar.update(done - bar.n)


#: A piece takes about a millisecond, and a call for each costs nothing beside it.
PIECE = 1 << 20


def _check(file: object, method: str) -> None:
    if not hasattr(file, method):
        raise TypeError(f"expected a path or a binary file, got {file!r}")


def read(file: IO[bytes], progress: Progress) -> bytes:
    """The rest of a file, with a report for each piece."""
    _check(file, "read")
    if progress is None or progress is False:
        return file.read()
    from ._files import size

    report = callback(progress, size(file))
    assert report is not None
    data = bytearray()
    while piece := file.read(PIECE):
        data += piece
        report(len(data))
    return bytes(data)


def _is_around_raw(file: Any) -> bool:
    tempfile = sys.modules.get("tempfile")
    wrapper = getattr(tempfile, "_TemporaryFileWrapper", ())
    return isinstance(file, wrapper) and isinstance(file.file, io.RawIOBase)


def write(file: IO[bytes], data: bytes, report: Callable[[int], object] | None) -> None:
    """Writes a file, with a report for each piece. A file without a buffer may take less than it is given, as where the disk is
    full.
    """
    _check(file, "write")
    is_raw = isinstance(file, io.RawIOBase) or _is_around_raw(file)
    done, most = 0, len(data) if report is None else PIECE
    while done < len(data):
        piece = data if len(data) <= most and not done else memoryview(data)[done : done + most]
        taken = file.write(piece)
        if not is_raw:
            # All others write all, whatever they return.
            taken = len(piece)
        elif taken is None:
            raise BlockingIOError("the file object is not ready to write; use one in blocking mode")
        elif not 0 < taken <= len(piece):
            raise OSError(f"write() returned {taken} for {len(piece)} bytes")
        done += taken
        if report is not None:
            report(done)


class Written:
    """Reports how many bytes a writer of a stream has written, if it has written some."""

    def __init__(self, path: str | bytes | None, report: Callable[[int], object]) -> None:
        self._path, self._report = path, report
        self._bytes = self._reported = 0

    def counting(self, write: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        """A function of a file object that counts."""

        def counted(data: bytes) -> Any:
            done = write(data)
            self._bytes += done if isinstance(done, int) else len(data)
            return done

        return counted

    def report(self) -> None:
        if self._path is not None:
            self._bytes = os.stat(self._path).st_size  # noqa: PTH116 (of a path that may be bytes)
        if self._bytes != self._reported:
            self._reported = self._bytes
            self._report(self._bytes)
