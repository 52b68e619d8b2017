"""Streams: any number of values in files, pipes and sockets, with one block in memory."""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar, Unpack, overload

from .. import _holdall
from .._errors import DecodeError, UncountableError, note_damage
from . import _arrays, _files, _limited
from ._codec import reading
from ._files import Readable, Writable
from ._keywords import check_choice, check_names, check_threads, names_checked
from ._limited import limits_of
from ._options import COMPRESSIONS, PROFILES, Profile, ReaderOptions, ReadOptions
from ._progress import Progress, Written, callback
from ._recovery import Damage, damage_list
from ._schema import Schema
from ._tables import Exported

T = TypeVar("T")


class Writer:
    """Writes any number of values to a path, binary file object, pipe or socket, one block at a time.

    Whatever `flush` has written stays readable, even if the process dies. `close`, or the end of a ``with`` block, writes the
    end of the stream. A path is locked against other writers. A file that exists is replaced, unless you say what you intend.

    - ``append`` (False): appends to the stream in the file, which keeps its sync marker and metadata. ``append=True``
    - ``exclusive`` (False): fails with `FileExistsError` if the file exists. ``exclusive=True``
    - ``block_bytes`` (2**20): a block is written when its values take this many bytes before encoding. ``block_bytes=2**16``
    - ``block_rows`` (None): or when it has this many values. ``block_rows=1000``
    - ``sync`` (None): the marker of 8 bytes that begins each part of the stream, by default random. If you set it, equal
      values give equal bytes, but the marker must not occur in any value. ``sync=b"holdall."``
    - ``statistics`` (False): writes bounds of columns, by which `scan` with ``where=`` leaves out blocks. ``statistics=True``
    - ``progress`` (None): a function of the bytes written so far and None, called for each block, or True for a bar of tqdm.
      ``progress=print``
    - ``profile``, ``compress``, ``metadata``, ``references``, ``canonical``, ``enc_hook``, ``threads``, ``limits``: as in
      `Encoder`.

    There are two kinds of failures. A value that cannot be packed is not in the stream, and you can write the next one. After
    a failed write (``OSError``, or an exception of a file object) the writer accepts no more values, and the stream is readable
    up to its last block.

    >>> import io
    >>> file = io.BytesIO()
    >>> with holdall.Writer(file) as writer:
    ...     for number in range(3):
    ...         writer.write({"id": number})
    >>> file.seek(0)
    0
    >>> list(holdall.Reader(file))
    [{'id': 0}, {'id': 1}, {'id': 2}]
    """

    __slots__ = ("__weakref__", "_object", "_opened", "_path", "_process", "_raw", "_written")
    _raw: _holdall.StreamWriter

    @names_checked
    def __init__(
        self,
        file: Writable,
        /,
        *,
        append: bool = False,
        exclusive: bool = False,
        block_bytes: int = 1 << 20,
        block_rows: int | None = None,
        profile: Profile = "balanced",
        compress: Literal["zstd"] | None = None,
        metadata: Mapping[str, str] | None = None,
        sync: bytes | None = None,
        references: bool = True,
        canonical: bool = False,
        enc_hook: Callable[[Any], Any] | None = None,
        progress: Progress = None,
        threads: int = 1,
        statistics: bool = False,
        limits: _limited.Limits | None = None,
    ) -> None:
        check_threads(threads)
        check_choice("profile", profile, *PROFILES)
        check_choice("compress", compress, *COMPRESSIONS)
        if sync is not None and len(sync) != 8:
            raise ValueError(f"sync must be 8 bytes, not {len(sync)}")
        if block_bytes < 1 or (block_rows is not None and block_rows < 1):
            raise ValueError("block_bytes and block_rows must be at least 1")
        own = limits_of(limits, "output")
        #: After a fork, both processes have the writer; only this one writes.
        self._process = os.getpid()
        self._path, functions, self._opened = _files.target(file)
        report = callback(progress, None)
        self._written = None if report is None else Written(self._path, report)
        if self._written is not None and functions is not None:
            functions = (self._written.counting(functions[0]), *functions[1:])
        self._object: Any = None if self._path is not None else self._opened or file
        try:
            if self._path is None and (append or exclusive):
                option = "append" if append else "exclusive"
                raise ValueError(f"{option}=True needs the path of a file")
            if append and exclusive:
                raise ValueError("append=True and exclusive=True exclude each other")
            if exclusive and self._path is not None:
                os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            with _files.named(self._path):
                self._raw = _holdall.StreamWriter(
                    self._path,
                    functions,
                    append,
                    "small" if compress else profile,
                    block_bytes,
                    block_rows,
                    list((metadata or {}).items()),
                    sync,
                    own.output,
                    own._walk,
                    references,
                    canonical,
                    enc_hook,
                    threads,
                    statistics,
                )
        except BaseException as error:
            if append:
                note_damage(error)
            if self._opened is not None:
                self._opened.close()
            raise

    def write(self, obj: object, /) -> None:
        """Adds a value. It is in the stream once its block is full, or after `flush` or `close`."""
        self._check_process()
        try:
            self._raw.write(obj)
        except OSError:
            with _files.named(self._path):
                raise
        if self._written is not None:
            self._written.report()

    def write_table(self, table: object, /) -> None:
        """Adds each row of a table as a dict: of a data frame, or whatever else has ``__arrow_c_stream__`` or ``__arrow_c_array__``.

        It takes one batch of rows at a time, so a reader or dataset of pyarrow or a DuckDB relation can be larger than the memory.

        >>> import io
        >>> file = io.BytesIO()
        >>> with holdall.Writer(file) as writer:
        ...     writer.write_table(holdall.scan(holdall.dumps([{"id": 1}, {"id": 2}])))
        >>> list(holdall.Reader(io.BytesIO(file.getvalue())))
        [{'id': 1}, {'id': 2}]
        """
        self._check_process()
        for batch in _arrays.batches(table):
            with _files.named(self._path):
                self._raw.write_arrays(batch)

    def flush(self, sync: bool = False) -> None:
        """Writes the values so far as a block. They stay readable if the process dies, and with ``sync`` if the machine crashes."""
        self._check_process()
        with _files.named(self._path):
            self._raw.flush(sync)
        if self._written is not None:
            self._written.report()
        if sync and self._object is not None:
            os.fsync(self._object.fileno())

    def close(self) -> None:
        """Writes the values so far and the end of the stream. Closes the file of a path; only flushes a file object.

        After a failed write it writes nothing, and in a process that was forked after it was opened, it does nothing.
        """
        if self._process != os.getpid():
            return
        try:
            with _files.named(self._path):
                self._raw.close()
            if self._written is not None:
                self._written.report()
        finally:
            if self._opened is not None:
                self._opened.close()

    def _check_process(self) -> None:
        if self._process != os.getpid():
            raise ValueError(
                "this process was forked after the writer was opened; only the process that opened it writes"
            )

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self._raw.is_closed()

    @property
    def count(self) -> int:
        """The number of values in the stream, including those from before the writer opened it."""
        return self._raw.len()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        raw = getattr(self, "_raw", None)
        if raw is not None and not raw.is_closed() and self._process == os.getpid():
            try:
                warnings.warn(f"unclosed {self!r}", ResourceWarning, stacklevel=2, source=self)
            finally:
                self.close()


class Reader(Exported, Generic[T]):
    """Reads the values of a stream, in order or by number, from a path, URL, binary file object, pipe or socket.

    It consumes no byte of a file object after the end of the stream. A value that does not have the requested type raises an
    error, after which you can read the next one. The reader of a path is also a table, as `scan` reads it.

    - ``type`` (None): the type of each value, as in `Decoder`. ``Reader(path, User)``
    - ``follow`` (False): waits at the end for values that another process appends, until `stop` is called or an exception
      such as Ctrl-C arrives. ``follow=True``
    - ``on_damage`` ("error"): damage raises a `DecodeError`, and the reader returns nothing after it; "skip" skips damaged
      parts, which `damage` then lists. ``on_damage="skip"``
    - ``unfinished`` (False): treats a stream with no end marker as complete, and ignores the beginning of a frame at its end;
      use it to read a file once while it is being written. ``unfinished=True``
    - ``progress`` (None): a function of the bytes read and the total, or True for a bar of tqdm. ``progress=print``
    - ``threads`` (1): how many threads read; 0 for as many as the machine runs at once. One makes the objects, the others
      read the columns of the blocks behind, without the interpreter: for profile small. A pipe is read ahead, too, so values
      wait until the blocks behind them have arrived. ``threads=0``
    - ``schemas`` (()): for blocks whose own schema is lost. ``schemas=[schema]``
    - ``types``, ``trust``, ``missing``, ``extra``, ``renames``, ``strict``, ``dec_hook``, ``limits``: as in `Decoder`; a budget
      is for one block.

    >>> import io
    >>> file = io.BytesIO()
    >>> with holdall.Writer(file, metadata={"of": "squares"}) as writer:
    ...     for number in range(100):
    ...         writer.write(number**2)
    >>> _ = file.seek(0)
    >>> reader = holdall.Reader(file, int)
    >>> len(reader), reader[7], reader[-2:], next(reader), reader.metadata
    (100, 49, [9604, 9801], 0, {'of': 'squares'})
    """

    __slots__ = ("__weakref__", "_has_places", "_opened", "_path", "_raw")
    _raw: _holdall.StreamReader

    @overload
    def __init__(
        self: Reader[Any],
        file: Readable,
        /,
        type: None = None,
        **options: Unpack[ReaderOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Reader[T],
        file: Readable,
        /,
        type: type[T],
        **options: Unpack[ReaderOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Reader[Any],
        file: Readable,
        /,
        type: Any,
        **options: Unpack[ReaderOptions],
    ) -> None: ...
    def __init__(
        self,
        file: Readable,
        /,
        type: Any = None,
        *,
        follow: bool = False,
        on_damage: Literal["error", "skip"] = "error",
        unfinished: bool = False,
        progress: Progress = None,
        threads: int = 1,
        **options: Unpack[ReadOptions],
    ) -> None:
        check_choice("on_damage", on_damage, "error", "skip")
        check_threads(threads)
        known, limits, resolver, nodes = _compiled("Reader", type, options)
        report = callback(progress, None if follow else _files.size(file))
        self._path, functions, self._opened = _files.source(file)
        self._has_places = functions is None or functions[1] is not None
        try:
            if follow and not self._has_places:
                raise ValueError("follow=True needs a file; a pipe or socket waits for more anyway")
            with _files.named(self._path):
                self._raw = _holdall.StreamReader(
                    self._path,
                    functions,
                    follow,
                    on_damage == "skip",
                    unfinished,
                    resolver,
                    nodes,
                    known,
                    limits.budget,
                    limits.frame,
                    report,
                    threads,
                )
        except BaseException:
            if self._opened is not None:
                self._opened.close()
            raise

    def __iter__(self) -> Iterator[T]:
        # Bound directly, without a Python call for each value.
        return self._raw

    def __next__(self) -> T:
        return next(self._raw)  # type: ignore[no-any-return]

    def __len__(self) -> int:
        """The number of values in the stream, from its end; without an end, from a scan of the whole stream, up to where that is
        cut off.

        A pipe or socket has no length (TypeError).
        """
        # `list(reader)` asks for the length first, and continues without it after a TypeError: so it yields the
        # values before damage.
        if not self._has_places:
            raise TypeError("a pipe or socket has no len() and no values by number")
        try:
            with _files.named(self._path):
                return self._raw.len()
        except DecodeError as error:
            raise UncountableError.of(error) from error

    def __bool__(self) -> bool:
        # Without `len`, which not every reader has.
        return True

    @overload
    def __getitem__(self, number: int, /) -> T: ...
    @overload
    def __getitem__(self, number: slice, /) -> list[T]: ...
    def __getitem__(self, number: int | slice, /) -> T | list[T]:
        """Returns a value, or a list for a slice, and reads only their blocks. Iteration continues where it was."""
        length = len(self)
        with _files.named(self._path):
            if isinstance(number, slice):
                numbers = range(length)[number]
                ascending = numbers if numbers.step > 0 else numbers[::-1]
                if not ascending:
                    return []
                values = self._raw.several(ascending.start, len(ascending), ascending.step)
                return values if numbers.step > 0 else values[::-1]
            at = operator.index(number)
            if not -length <= at < length:
                raise IndexError(f"there is no value {at}: the stream has {length}")
            return self._raw.several(at % length, 1, 1)[0]  # type: ignore[no-any-return]

    @property
    def schema(self) -> Schema | None:
        """The schema of the next values, without reading them; None after the last one."""
        with _files.named(self._path):
            found = self._raw.schema()
        return None if found is None else Schema._of(found)

    @property
    def metadata(self) -> dict[str, str]:
        """The metadata of the stream, without reading its values."""
        with _files.named(self._path):
            return dict(self._raw.metadata())

    @property
    def damage(self) -> list[Damage]:
        """The damaged parts skipped so far, with ``on_damage="skip"``."""
        return damage_list(self._raw.damage())

    @property
    def position(self) -> int:
        """The number of values read so far, including those that did not have the type."""
        return self._raw.position()

    @property
    def finished(self) -> bool:
        """Whether the reader has reached the end of the stream."""
        return self._raw.is_finished()

    def stop(self) -> None:
        """Ends the wait of ``follow=True``; values that are already there are still returned. Call it from any thread or a signal handler."""
        self._raw.stop()

    def close(self) -> None:
        """Closes the file if the reader opened it, and stops a wait in another thread."""
        self._raw.close()
        if self._opened is not None:
            self._opened.close()

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self._raw.is_closed()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class StreamDecoder(Generic[T]):
    """Accepts a stream in pieces of any size, for event loops. The options are those of `Reader`.

    >>> parts = []
    >>> class File:
    ...     write = staticmethod(parts.append)
    >>> with holdall.Writer(File) as writer:
    ...     writer.write([1, 2])
    >>> decoder = holdall.StreamDecoder(list[int])
    >>> [value for byte in b"".join(parts) + b"what follows" for value in decoder.feed(bytes([byte]))]
    [[1, 2]]
    >>> decoder.eof, decoder.unused_data
    (True, b'what follows')
    """

    __slots__ = ("_raw",)
    _raw: _holdall.StreamFeeder

    @overload
    def __init__(
        self: StreamDecoder[Any], type: None = None, **options: Unpack[ReadOptions]
    ) -> None: ...
    @overload
    def __init__(self: StreamDecoder[T], type: type[T], **options: Unpack[ReadOptions]) -> None: ...
    @overload
    def __init__(self: StreamDecoder[Any], type: Any, **options: Unpack[ReadOptions]) -> None: ...
    def __init__(self, type: Any = None, **options: Unpack[ReadOptions]) -> None:
        known, limits, resolver, nodes = _compiled("StreamDecoder", type, options)
        self._raw = _holdall.StreamFeeder(resolver, nodes, known, limits.budget, limits.frame)

    def feed(self, data: bytes | bytearray | memoryview, /) -> list[T]:
        """Accepts the next piece, and returns the values that are complete now.

        Returns the values before an error first; the next call then raises it. You can continue after a value that does
        not have the type. Damage of the stream raises the same error in every call.
        """
        return self._raw.feed(data)

    def close(self) -> None:
        """Call it after the last piece. It raises a pending error, or an error if the stream has not ended."""
        self._raw.close()

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return self._raw.is_ended()

    @property
    def unused_data(self) -> bytes:
        """The bytes that were fed after the end of the stream."""
        return self._raw.unused()


def _compiled(
    function: str, type: Any, options: ReadOptions
) -> tuple[list[_holdall.Schema], Any, object, list[Any] | None]:
    """The options of reading, in the form of the compiled half."""
    names = ("follow", "on_damage", "unfinished", "progress") if function == "Reader" else ()
    check_names(function, options, ReadOptions, "type", *names)
    own: dict[str, Any] = {**options}
    known = [schema._raw for schema in own.pop("schemas", ())]
    limits = limits_of(own.pop("limits", None), "budget")
    resolver, nodes = reading(type, **own)
    resolver.call = f"{function}({'file, ' if function == 'Reader' else ''}"
    return known, limits, resolver, nodes
