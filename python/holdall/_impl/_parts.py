"""Files of which parts are read: binary file objects, URLs, and files of fsspec."""

from __future__ import annotations

import _thread
import bisect
import io
import os
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ._files import is_url

Range = tuple[int, int]

#: Parts of a file on a network that are no further apart than this are asked for at once: a request takes as long as these bytes.
_GAP = 1 << 16
#: What is asked for at least, if it was not announced, and at most.
_AHEAD = 1 << 16
_MOST_AHEAD = 1 << 22
#: What is asked for first, from the beginning and the end.
_HEAD = 1 << 14
_TAIL = 1 << 16
#: The most bytes that are kept: for views, whose columns are announced together, and for readers.
_KEPT = 1 << 27
_KEPT_IN_ORDER = 1 << 24
#: The most requests at a time.
_AT_A_TIME = 8


class Source(NamedTuple):
    """A file: its number of bytes, and a function that reads ranges of it."""

    name: str
    size: int
    ranges: Callable[[Sequence[Range]], Sequence[bytes]]
    #: Whether each request takes long.
    is_remote: bool
    #: Parts that are known already: where they begin, and their bytes.
    known: tuple[tuple[int, bytes], ...] = ()


def parts(file: Any, kept: int = _KEPT) -> Parts:
    """The parts of a URL or a file object."""
    if is_url(file):
        is_http = file.lower().startswith(("http://", "https://"))
        return Parts(_of_http(file) if is_http else _of_fsspec(*_file_system(file)), kept)
    if hasattr(file, "fs") and hasattr(file, "path"):
        return Parts(_of_fsspec(file.fs, file.path), kept)
    return Parts(_of_object(file), kept)


class Parts:
    """What was read of a file, and is kept for a while. A view calls `announce` and `read`."""

    __slots__ = (
        "_ahead",
        "_bytes",
        "_held",
        "_kept",
        "_lock",
        "_miss",
        "_source",
        "_starts",
        "size",
    )

    def __init__(self, source: Source, kept: int = _KEPT) -> None:
        self._source, self._kept = source, kept
        self.size = source.size
        #: The offsets of the parts in their order, and their bytes in the order of arrival. No part contains another.
        self._starts: list[int] = []
        self._held: dict[int, bytes] = {}
        self._bytes = 0
        self._lock = threading.Lock()
        #: Where the next read begins if the file is read in order, and how much is read then.
        self._miss = -1
        self._ahead = _AHEAD if source.is_remote else 0
        for start, data in source.known:
            self._keep(start, data)

    def __repr__(self) -> str:
        return f"<{self._source.name}, {self.size:,} bytes>"

    def announce(self, ranges: Sequence[Range]) -> None:
        """Fetches what is missing of some ranges. Those near each other are one request."""
        with self._lock:
            gap = _GAP if self._source.is_remote else 0
            runs: list[list[int]] = []
            for start, end in sorted(ranges):
                if start >= end or self._find(start, end) is not None:
                    continue
                if runs and start - runs[-1][1] <= gap:
                    runs[-1][1] = max(runs[-1][1], end)
                else:
                    runs.append([start, end])
            self._fetch([(start, end) for start, end in runs])

    def read(self, start: int, length: int) -> bytes:
        """Bytes from an offset on."""
        with self._lock:
            end = start + length
            if end > self.size:
                raise EOFError(f"{self._source.name} ends at byte {self.size}")
            found = self._find(start, end)
            if found is None:
                if self._source.is_remote:
                    in_order = start <= self._miss < end
                    self._ahead = min(self._ahead * 2, _MOST_AHEAD) if in_order else _AHEAD
                self._miss = min(max(end, start + self._ahead), self.size)
                self._fetch([(start, self._miss)])
                found = start
            data = self._held[found]
            return data[start - found : end - found]

    def _find(self, start: int, end: int) -> int | None:
        """The beginning of the part that has a range."""
        at = bisect.bisect_right(self._starts, start) - 1
        if at < 0:
            return None
        first = self._starts[at]
        return first if end <= first + len(self._held[first]) else None

    def _fetch(self, ranges: list[Range]) -> None:
        if not ranges:
            return
        try:
            found = self._source.ranges(ranges)
        except KeyboardInterrupt:
            # The compiled half passes it on as an error; so Python raises it again before its next instruction.
            _thread.interrupt_main()
            raise
        for (start, end), data in zip(ranges, found, strict=True):
            if len(data) != end - start:
                raise EOFError(f"{self._source.name} has no bytes {start + len(data)} to {end}")
            self._keep(start, data)

    def _keep(self, start: int, data: bytes) -> None:
        first = bisect.bisect_left(self._starts, start)
        last = first
        while last < len(self._starts):
            own = self._starts[last]
            if own + len(self._held[own]) > start + len(data):
                break
            self._drop(own)
            last += 1
        self._starts[first:last] = [start]
        self._held[start] = data
        self._bytes += len(data)
        while self._bytes > self._kept and len(self._starts) > 1:
            oldest = next(iter(self._held))
            if oldest == start:
                break
            self._drop(oldest)
            del self._starts[bisect.bisect_left(self._starts, oldest)]

    def _drop(self, start: int) -> None:
        self._bytes -= len(self._held.pop(start))


class PartFile(io.RawIOBase):
    """The parts of a URL as a binary file object, for what reads a file in order."""

    def __init__(self, url: str) -> None:
        self._parts = parts(url, _KEPT_IN_ORDER)
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        self._at = offset + (0, self._at, self._parts.size)[whence]
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        count = max(min(len(buffer), self._parts.size - self._at), 0)
        buffer[:count] = self._parts.read(self._at, count) if count else b""
        self._at += count
        return count


def _of_object(file: Any) -> Source:
    """A binary file object. Others must not move its position meanwhile."""
    seekable = getattr(file, "seekable", None)
    if isinstance(file, io.TextIOBase) or not hasattr(file, "read") or not hasattr(file, "seek"):
        raise TypeError(f"expected a path, a URL or a binary file that can seek, got {file!r}")
    if seekable is not None and not seekable():
        raise TypeError(f"{file!r} cannot seek; holdall.Reader reads it in order")

    def ranges(wanted: Sequence[Range]) -> list[bytes]:
        found = []
        for start, end in wanted:
            file.seek(start)
            pieces: list[bytes] = []
            # A raw file can return less than it is asked for.
            while (missing := end - start - sum(map(len, pieces))) > 0:
                piece = file.read(missing)
                if not piece:
                    break
                pieces.append(bytes(piece))
            found.append(pieces[0] if len(pieces) == 1 else b"".join(pieces))
        return found

    return Source(repr(file), file.seek(0, os.SEEK_END), ranges, is_remote=False)


def _file_system(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise ModuleNotFoundError(
            f"{url} needs fsspec, and the package that it names for this protocol: pip install fsspec"
        ) from None
    system, path = url_to_fs(url)
    return system, path


def _of_fsspec(system: Any, path: str) -> Source:
    def ranges(wanted: Sequence[Range]) -> list[bytes]:
        starts, ends = zip(*wanted, strict=True)
        # It asks for all at the same time, if the file system can.
        paths = [path] * len(wanted)
        found: list[bytes] = system.cat_ranges(paths, list(starts), list(ends), on_error="raise")
        return found

    size = system.size(path)
    if size is None:
        raise OSError(f"{path} has no size, so no parts of it can be read")
    ends = [(0, min(_HEAD, size)), (max(size - _TAIL, 0), size)]
    if ends[1][0] <= ends[0][1]:
        ends = [(0, size)]
    known = zip((start for start, _ in ends), ranges(ends), strict=True)
    return Source(path, size, ranges, is_remote=True, known=tuple(known))


def _of_http(url: str) -> Source:
    """A URL. A server that answers no ranges sends everything at once."""
    import urllib.error
    import urllib.request
    from concurrent.futures import ThreadPoolExecutor

    def get(asked: str) -> tuple[int, int | None, str | None, bytes]:
        """The first offset, the size of the file if it is known, the version of the file, and the bytes."""
        request = urllib.request.Request(url, headers={"Range": f"bytes={asked}"})
        with urllib.request.urlopen(request) as response:
            tag, data = response.headers.get("ETag"), response.read()
            if response.status != 206:
                return 0, len(data), tag, data
            place = re.fullmatch(
                r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", "")
            )
            if place is None:
                raise OSError(f"{url} answers no single range of bytes")
            total = None if place[2] == "*" else int(place[2])
            return int(place[1]), total, tag, data

    def get_end() -> tuple[int, int | None, str | None, bytes] | None:
        try:
            return get(f"-{_TAIL}")
        except urllib.error.HTTPError:
            # Some servers know no ranges from the end, and an empty file has none.
            return None

    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(get_end)
        head = get(f"0-{_HEAD - 1}")
        tail = pending.result()
    first, size, version, data = head
    if size is None:
        size = tail[1] if tail is not None else None
    if size is None:
        raise OSError(f"{url} does not say how many bytes it has, so no parts of it can be read")
    known = [(first, data)]
    if tail is not None and len(data) < size:
        known.append((tail[0], tail[3]))

    def part(wanted: Range) -> bytes:
        start, end = wanted
        first, total, tag, data = get(f"{start}-{end - 1}")
        if tag != version or total not in (None, size):
            raise OSError(f"{url} has changed")
        return data[start - first : end - first]

    def ranges(wanted: Sequence[Range]) -> list[bytes]:
        if len(wanted) == 1:
            return [part(wanted[0])]
        with ThreadPoolExecutor(min(len(wanted), _AT_A_TIME)) as pool:
            return list(pool.map(part, wanted))

    return Source(url, size, ranges, is_remote=True, known=tuple(known))
