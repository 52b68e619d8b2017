"""Packing and unpacking with options that are set once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Literal, TypeVar, Unpack, overload

from . import _classes, _holdall, _types
from ._limits import Limits, limits_of
from ._nodes import fitted
from ._options import (
    COMPRESSIONS,
    HEADERS,
    PROFILES,
    DecodeOptions,
    Header,
    Missing,
    Profile,
    check_choice,
)
from ._schema import Schema, SchemaStore

T = TypeVar("T")


class Encoder:
    """Packs many objects with the same options; what it learns of one helps with the next.

    >>> encoder = holdall.Encoder(checksum=True)
    >>> holdall.loads(encoder.encode([1, 2]))
    [1, 2]
    """

    __slots__ = ("_raw",)

    def __init__(
        self,
        *,
        profile: Profile = "balanced",
        schema: Header = "inline",
        references: bool = True,
        canonical: bool = False,
        checksum: bool = False,
        metadata: Mapping[str, str] | None = None,
        compress: Literal["zstd"] | None = None,
        store: SchemaStore | None = None,
        enc_hook: Callable[[Any], Any] | None = None,
        limits: Limits | None = None,
    ) -> None:
        check_choice("profile", profile, *PROFILES)
        check_choice("compress", compress, *COMPRESSIONS)
        if isinstance(schema, Schema):
            raise TypeError(
                "packing infers the schema, so schema= must be 'inline', 'fingerprint' or 'none', not a Schema; "
                "pass the Schema to loads or Decoder"
            )
        check_choice("schema", schema, *HEADERS)
        self._raw = _holdall.Packer(
            "small" if compress else profile,
            schema,
            references,
            canonical,
            checksum,
            list((metadata or {}).items()),
            None if store is None else store._raw,
            limits_of(limits, "output").output,
            enc_hook,
        )

    def encode(self, obj: object, /) -> bytes:
        """An object as a message."""
        return self._raw.pack(obj)

    def encode_into(self, obj: object, buffer: bytearray, /) -> int:
        """Appends a message to a buffer; answers how many bytes it has."""
        return self._raw.pack_into(obj, buffer)

    def schema(self, obj: object, /) -> Schema:
        """The schema that an object's message has."""
        return Schema._of(self._raw.schema(obj))


class Decoder(Generic[T]):
    """Unpacks many messages with the same options.

    >>> holdall.Decoder(list[int]).decode(holdall.dumps([1, 2]))
    [1, 2]
    """

    __slots__ = ("_buffer", "_failed", "_raw")

    @overload
    def __init__(
        self: Decoder[Any], type: None = None, **options: Unpack[DecodeOptions]
    ) -> None: ...
    @overload
    def __init__(self: Decoder[T], type: type[T], **options: Unpack[DecodeOptions]) -> None: ...
    @overload
    def __init__(self: Decoder[Any], type: Any, **options: Unpack[DecodeOptions]) -> None: ...
    def __init__(
        self,
        type: Any = None,
        *,
        types: Iterable[type] = (),
        schema: Schema | None = None,
        missing: Missing = "record",
        extra: Literal["ignore", "error"] = "ignore",
        renames: Mapping[str, type] | None = None,
        strict: bool = True,
        dec_hook: Callable[[Any, Any], Any] | None = None,
        store: SchemaStore | None = None,
        limits: Limits | None = None,
    ) -> None:
        resolver, nodes = reading(
            type,
            types=types,
            missing=missing,
            extra=extra,
            renames=renames,
            strict=strict,
            dec_hook=dec_hook,
        )
        self._buffer = bytearray()
        self._failed: Exception | None = None
        if schema is not None and not isinstance(schema, Schema):
            raise TypeError(
                f"schema must be a holdall.Schema, from holdall.schema(data) or Encoder.schema(obj), not {schema!r}"
            )
        self._raw = _holdall.Unpacker(
            resolver,
            nodes,
            None if schema is None else schema._raw,
            [],
            None if store is None else store._raw,
            limits_of(limits, "budget").budget,
        )

    def decode(self, data: bytes | bytearray | memoryview, /) -> T:
        """The object of a message."""
        try:
            return self._raw.unpack(data)  # type: ignore[no-any-return]
        finally:
            if fitted.is_used:
                fitted.forget()

    def feed(self, data: bytes | bytearray | memoryview, /) -> list[T]:
        """Takes a piece of a stream of messages that each have their length (`checksum=True`), and answers the objects of
        those that are whole by now.

        What is wrong is raised once all objects before it were answered, so by the next call if there are some. Behind a message
        that could not be read others may come; what is no message comes again with each call.
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
        """What was fed and is no part of a message that was whole by then: so it belongs to what comes next."""
        return bytes(self._buffer)


def reading(
    type: Any,
    *,
    types: Iterable[type] = (),
    missing: Missing = "record",
    extra: Literal["ignore", "error"] = "ignore",
    renames: Mapping[str, type] | None = None,
    strict: bool = True,
    dec_hook: Callable[[Any, Any], Any] | None = None,
) -> tuple[_classes.Resolver, list[Any] | None]:
    """For the compiled half: what data may name, and what was asked for."""
    check_choice("extra", extra, "ignore", "error")
    nodes = None
    asked: list[Any] = []
    if type is not None and type is not Any:
        nodes, asked = _types.compile(
            type, strict=strict, deny_extra=extra == "error", dec_hook=dec_hook
        )
    resolver = _classes.Resolver(types, asked, renames or {}, missing)
    resolver.typed = _types.typed_classes(nodes)
    return resolver, nodes
