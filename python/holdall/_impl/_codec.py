"""Packing and unpacking many messages with the same options."""

from __future__ import annotations

import array
import mmap
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, Unpack, overload

from .. import _holdall
from .._errors import DecodeError
from . import _buffers, _classes, _types
from ._dictionary import Dictionary, raw_of, raws_of
from ._keywords import check_choice, check_threads, names_checked
from ._limited import limits_of
from ._options import (
    COMPRESSIONS,
    HEADERS,
    PROFILES,
    Allowed,
    DecodeOptions,
    Header,
    Missing,
    Profile,
)
from ._schema import Schema, SchemaStore, raw_store
from ._spellings import Spelling

if TYPE_CHECKING:
    from ._limits import Limits

T = TypeVar("T")


class Encoder:
    """Packs many objects with the same options, and reuses its buffers and plans.

    >>> encoder = holdall.Encoder(checksum=True)
    >>> holdall.loads(encoder.encode([1, 2]))
    [1, 2]

    The options, which `dumps`, `dump` and `size` also have:

    - ``profile`` ("balanced"): how hard to make the message small: "fast", "balanced" or "small". ``profile="small"``
    - ``header`` ("inline"): what the message has of its schema: all of it, its "fingerprint" of 8 bytes, or "none".
      ``header="fingerprint", store=store``
    - ``references`` (True): whether objects that occur more than once are written once; False writes copies, and refuses
      cycles. ``references=False``
    - ``canonical`` (False): whether equal objects give equal bytes also if they have sets of objects. ``canonical=True``
    - ``checksum`` (False): whether the message has its length and 4 bytes that find damage. ``checksum=True``
    - ``metadata`` (None): pairs of strings that `holdall.metadata` reads without the value. ``metadata={"host": "one"}``
    - ``dictionary`` (None): the `Dictionary` that small messages are compressed with. ``dictionary=Dictionary(data)``
    - ``compress`` (None): "zstd" is profile "small", which uses zstd where it helps. ``compress="zstd"``
    - ``store`` (None): the `SchemaStore` that keeps the schemas of fingerprints. ``store=SchemaStore("schemas")``
    - ``enc_hook`` (None): a function of an object that cannot be packed, which returns one that can. It gets the outermost
      such object first, and returns NotImplemented to be asked about what is inside. ``enc_hook=str``
    - ``buffer_callback`` (None): a function that receives the memory of each array as a `pickle.PickleBuffer`, in place of
      the message. ``buffer_callback=buffers.append``
    - ``threads`` (1): how many threads encode the columns of a message of a megabyte or more, without the interpreter; 0 for
      as many as the machine runs at once. The bytes are the same, and objects are walked by one thread. It pays in
      profiles balanced and small. ``threads=0``
    - ``limits`` (None): `Limits` for ``output`` in bytes, ``objects``, ``depth`` and ``held``. ``limits=Limits(output=2**20)``

    `dumps` and `dump` have three more: ``format`` ("holdall") names another format, one of `holdall.formats`; for those,
    ``storage`` (False) writes types that the format lacks as what stores them, and ``copies`` (False) writes shared values
    once for each use, as dates, decimals, paths and their like always are. ``format="json", storage=True``
    """

    __slots__ = ("_callback", "_raw")
    #: Whether one date, decimal or path in several places is the same one for a reader, too.
    _tracks_atoms = True

    @names_checked
    def __init__(
        self,
        *,
        profile: Profile = "balanced",
        header: Header = "inline",
        references: bool = True,
        canonical: bool = False,
        checksum: bool = False,
        metadata: Mapping[str, str] | None = None,
        compress: Literal["zstd"] | None = None,
        dictionary: Dictionary | None = None,
        store: SchemaStore | None = None,
        enc_hook: Callable[[Any], Any] | None = None,
        buffer_callback: _buffers.Callback | None = None,
        threads: int = 1,
        limits: Limits | None = None,
    ) -> None:
        check_choice("profile", profile, *PROFILES)
        check_choice("compress", compress, *COMPRESSIONS)
        check_choice("header", header, *HEADERS)
        check_threads(threads)
        own = limits_of(limits, "output")
        self._callback = buffer_callback
        self._raw = _holdall.Packer(
            "small" if compress else profile,
            header,
            references,
            self._tracks_atoms,
            canonical,
            checksum,
            list((metadata or {}).items()),
            raw_of(dictionary),
            raw_store(store),
            own.output,
            own._walk,
            enc_hook,
            buffer_callback is not None,
            threads,
        )

    def encode(self, obj: object, /) -> bytes:
        """Packs an object into a message."""
        if self._callback is None:
            return self._raw.pack(obj)
        with _buffers.writing(self._callback):
            return self._raw.pack(obj)

    def encode_into(
        self,
        obj: object,
        buffer: bytearray | memoryview | mmap.mmap | array.array[Any],
        /,
        offset: int | None = None,
    ) -> int:
        """Writes a message into a buffer, and returns the number of its bytes.

        By default it appends to a bytearray. From ``offset``, or at the beginning of any other writable buffer such as an
        mmap, it overwrites what is there. A buffer that is too small stays as it is: the BufferError says how many bytes the
        message needs.

        >>> buffer = memoryview(bytearray(8))
        >>> holdall.Encoder().encode_into([1, 2], buffer)
        7
        >>> holdall.loads(buffer[:7])
        [1, 2]
        """
        if offset is None and isinstance(buffer, bytearray):
            if self._callback is None:
                return self._raw.pack_into(obj, buffer)
            data = self.encode(obj)
            buffer += data
            return len(data)
        with memoryview(buffer) as view, view.cast("B") as room:
            if room.readonly:
                raise TypeError(
                    f"a buffer to write into must be writable, and this {type(buffer).__name__} is not"
                )
            start = 0 if offset is None else operator.index(offset)
            if not 0 <= start <= len(room):
                raise ValueError(
                    f"offset must be from 0 to {len(room)}, the length of the buffer, not {start}"
                )
            data = self.encode(obj)
            if len(data) > len(room) - start:
                raise BufferError(
                    f"the message takes {len(data)} bytes, but the buffer has {len(room) - start} from offset {start} on"
                )
            room[start : start + len(data)] = data
        return len(data)

    def size(self, obj: object, /) -> int:
        """Returns the number of bytes of the message that `encode` would produce, without joining them.

        >>> holdall.Encoder().size([1, 2])
        7
        """
        return self._raw.size(obj) if self._callback is None else len(self.encode(obj))

    def schema(self, obj: object, /) -> Schema:
        """Returns the schema of the message that `encode` would produce."""
        return Schema._of(self._raw.schema(obj))


class Decoder(Generic[T]):
    """Unpacks many messages with the same options.

    >>> holdall.Decoder(list[int]).decode(holdall.dumps([1, 2]))
    [1, 2]

    The options, which `loads` and `load` also have:

    - ``type`` (None): the type that the value must have; without it the value is read as what was packed. ``list[User]``
    - ``types`` (()): classes, functions, modules or names such as "shop.*" of which data may create objects.
      ``types=[User, shop.models]``
    - ``trust`` (False): whether everything that data name is imported and called, as pickle does: only for data of your own.
      ``trust=True``
    - ``schema`` (None): the `Schema` of a message that was packed with ``header="none"``. ``schema=Encoder().schema(obj)``
    - ``missing`` ("record"): what objects of other classes become: a "record", a "dict", an "error", or what a function of
      name and fields returns. ``missing="error"``
    - ``extra`` ("ignore"): whether fields that a requested class lacks are an "error". ``extra="error"``
    - ``renames`` (None): the classes of names in data. ``renames={"old.User": User}``
    - ``strict`` (True): whether a requested number or time must not be text; of CSV, whether it must be as `dumps` writes it.
      ``strict=False``
    - ``dec_hook`` (None): a function of a requested type and the stored value, which creates objects of types that holdall
      does not know. ``dec_hook=lambda type, value: type(value)``
    - ``dictionaries`` (()): each `Dictionary` that messages may be compressed with. ``dictionaries=[old, new]``
    - ``store`` (None): the `SchemaStore` that has the schemas of fingerprints. ``store=SchemaStore("schemas")``
    - ``limits`` (None): `Limits` for the ``budget``, in units of about a byte of memory; by default 1,000 times the size of the
      message, at least 64 MiB. ``limits=Limits(budget=2**24)``

    `loads`, `load` and `decode` have one more: ``buffers`` (None) are those that ``buffer_callback`` received, in that order.
    `loads` and `load` also have ``format`` ("holdall"), as `dumps` has it, and ``infer`` (False): cells of "csv" for which the
    type has no class are read as numbers and booleans where all of a column are.
    """

    __slots__ = (
        "_budget",
        "_buffer",
        "_dictionaries",
        "_failed",
        "_nodes",
        "_raw",
        "_resolver",
        "_schema",
        "_store",
    )

    #: What the values of messages spell that were read from another format.
    _spelling: ClassVar[Spelling | None] = None

    @overload
    def __init__(
        self: Decoder[Any], type: None = None, **options: Unpack[DecodeOptions]
    ) -> None: ...
    @overload
    def __init__(self: Decoder[T], type: type[T], **options: Unpack[DecodeOptions]) -> None: ...
    @overload
    def __init__(self: Decoder[Any], type: Any, **options: Unpack[DecodeOptions]) -> None: ...
    @names_checked
    def __init__(
        self,
        type: Any = None,
        *,
        types: Allowed = (),
        trust: bool = False,
        schema: Schema | None = None,
        missing: Missing = "record",
        extra: Literal["ignore", "error"] = "ignore",
        renames: Mapping[str, type] | None = None,
        strict: bool = True,
        dec_hook: Callable[[Any, Any], Any] | None = None,
        dictionaries: Iterable[Dictionary] = (),
        store: SchemaStore | None = None,
        limits: Limits | None = None,
    ) -> None:
        resolver, nodes = reading(
            type,
            types=types,
            trust=trust,
            missing=missing,
            extra=extra,
            renames=renames,
            strict=strict,
            dec_hook=dec_hook,
            spelling=self._spelling,
        )
        self._budget = limits_of(limits, "budget").budget
        self._buffer = bytearray()
        self._failed: Exception | None = None
        if schema is not None and not isinstance(schema, Schema):
            raise TypeError(
                f"schema must be a holdall.Schema, from holdall.schema(data) or Encoder.schema(obj), not {schema!r}"
            )
        self._resolver = resolver
        self._nodes = nodes
        self._schema = None if schema is None else schema._raw
        self._dictionaries = raws_of(dictionaries)
        self._store = raw_store(store)
        self._raw = _holdall.Unpacker(
            resolver,
            nodes,
            self._schema,
            [],
            self._dictionaries,
            self._store,
            self._budget,
        )

    def decode(
        self, data: bytes | bytearray | memoryview, /, *, buffers: Iterable[Any] | None = None
    ) -> T:
        """Unpacks a message; ``buffers`` are those that its ``buffer_callback`` received, in that order."""
        if buffers is not None:
            with _buffers.reading(buffers):
                return self.decode(data)
        try:
            return self._raw.unpack(data)  # type: ignore[no-any-return]
        except DecodeError as error:
            if error.code == "unrepresentable" and self._resolver.missing == "error":
                self._list_missing(error, data)
            raise

    def _list_missing(self, error: DecodeError, data: bytes | bytearray | memoryview) -> None:
        # Few programs have such errors.
        from . import _named

        known = self._dictionaries, self._store
        schema = self._schema or _holdall.schema_of(data, *known)
        try:
            is_bare = self._schema is not None
            names = _named.in_values(data, schema, known, self._budget, bare=is_bare)
        except DecodeError:
            # Its other faults do not matter here.
            names = {}
        self._resolver.list_missing(error, schema, names)

    def feed(self, data: bytes | bytearray | memoryview, /) -> list[T]:
        """Accepts the next piece of a sequence of messages that contain their length (`checksum=True`), and returns the
        objects of the messages that are complete now.

        Returns the objects before an error first; the next call then raises it. You can continue after a message that cannot
        be read. Bytes that are not a message raise the same error in every call.
        """
        self._buffer += data
        done: list[T] = []
        start = 0
        try:
            while self._failed is None:
                try:
                    length = _holdall.message_len(bytes(self._buffer[start : start + 16]))
                    if length is None or len(self._buffer) - start < length:
                        return done
                    message = bytes(self._buffer[start : start + length])
                    start += length
                    done.append(self.decode(message))
                except Exception as error:
                    self._failed = error
        finally:
            del self._buffer[:start]
        if done:
            return done
        failed, self._failed = self._failed, None
        raise failed

    @property
    def unused_data(self) -> bytes:
        """The bytes fed so far that are not part of a complete message: the beginning of the next one."""
        return bytes(self._buffer)


def reading(
    type: Any,
    *,
    types: Allowed = (),
    trust: bool = False,
    missing: Missing = "record",
    extra: Literal["ignore", "error"] = "ignore",
    renames: Mapping[str, type] | None = None,
    strict: bool = True,
    dec_hook: Callable[[Any, Any], Any] | None = None,
    spelling: Spelling | None = None,
) -> tuple[_classes.Resolver, list[Any] | None]:
    """For the compiled half: the classes that data may name, and the nodes of the requested type."""
    check_choice("extra", extra, "ignore", "error")
    resolver = _classes.Resolver(types, renames or {}, missing, trust=trust)
    if type is None or type is Any:
        return resolver, None
    nodes, asked = _types.compile(
        type,
        strict=strict,
        deny_extra=extra == "error",
        dec_hook=dec_hook,
        spelling=spelling,
        allowed=resolver.allowed(),
        loaded=resolver.loaded,
    )
    resolver.ask(asked, _types.typed_classes(nodes))
    return resolver, nodes
