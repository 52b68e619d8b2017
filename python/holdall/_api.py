"""The functions that most programs need."""

from __future__ import annotations

import builtins
import contextlib
import functools
import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import GenericAlias
from typing import IO, Any, Literal, TypeVar, Unpack, overload

from . import _holdall, _registry
from ._codec import Decoder, Encoder
from ._limits import Limits
from ._options import DecodeOptions, EncodeOptions, Header, Missing, Profile
from ._schema import Inspection, Item, Schema, SchemaStore

T = TypeVar("T")
Buffer = bytes | bytearray | memoryview
File = str | os.PathLike[str] | IO[bytes]

_default_encoder = Encoder()
_default_decoder: Decoder[Any] = Decoder()


@functools.lru_cache(maxsize=64)
def _kept_decoder(type: Any) -> Decoder[Any]:
    return Decoder(type)


# What a type compiles to may have changed.
_registry.changed.append(_kept_decoder.cache_clear)


def _decoder_of(type: Any) -> Decoder[Any]:
    """A decoder of a type, with the other options as they are by default: kept for classes, and for generics of them.

    Not for all types: `int | str` equals `str | int`, and what either compiles to need not.
    """
    if type is None:
        return _default_decoder
    if isinstance(type, builtins.type) or (
        isinstance(type, GenericAlias)
        and all(isinstance(each, builtins.type) for each in type.__args__)
    ):
        return _kept_decoder(type)
    return Decoder(type)


def dumps(
    obj: object,
    *,
    profile: Profile = "balanced",
    schema: Header = "inline",
    references: bool = True,
    checksum: bool = False,
    metadata: Mapping[str, str] | None = None,
    compress: Literal["zstd"] | None = None,
    store: SchemaStore | None = None,
    enc_hook: Callable[[Any], Any] | None = None,
    limits: Limits | None = None,
) -> bytes:
    """An object as bytes.

    >>> holdall.dumps({"a": 1}).hex(" ")
    'c1 10 1a 08 04 61 03 04'
    """
    if (
        profile == "balanced"
        and schema == "inline"
        and references
        and not (checksum or metadata or compress or store or enc_hook or limits)
    ):
        return _default_encoder.encode(obj)
    encoder = Encoder(
        profile=profile,
        schema=schema,
        references=references,
        checksum=checksum,
        metadata=metadata,
        compress=compress,
        store=store,
        enc_hook=enc_hook,
        limits=limits,
    )
    return encoder.encode(obj)


@overload
def loads(data: Buffer, type: None = None, **options: Unpack[DecodeOptions]) -> Any: ...
@overload
def loads(data: Buffer, type: type[T], **options: Unpack[DecodeOptions]) -> T: ...
@overload
def loads(data: Buffer, type: Any, **options: Unpack[DecodeOptions]) -> Any: ...
def loads(
    data: Buffer,
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
) -> Any:
    """The object that bytes hold; with a type, as that.

    >>> holdall.loads(bytes.fromhex("c1 10 1a 08 04 61 03 04"))
    {'a': 1}
    """
    plain = strict and missing == "record" and extra == "ignore" and dec_hook is None
    if plain and not (types or schema or renames or store or limits):
        return _decoder_of(type).decode(data)
    decoder: Decoder[Any] = Decoder(
        type,
        types=types,
        schema=schema,
        missing=missing,
        extra=extra,
        renames=renames,
        strict=strict,
        dec_hook=dec_hook,
        store=store,
        limits=limits,
    )
    return decoder.decode(data)


def dump(obj: object, file: File, **options: Unpack[EncodeOptions]) -> None:
    """Writes an object to a path or a binary file, with the options of `dumps`.

    A path is written at once: whoever looks sees the old file or the whole new one.
    """
    data = dumps(obj, **options)
    if not isinstance(file, str | os.PathLike):
        file.write(data)
        return
    path = Path(file)
    # The folder of what a link leads to: a rename must not cross file systems, nor replace the link.
    path = path.resolve()
    unfinished = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with unfinished.open("xb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        with contextlib.suppress(FileNotFoundError):
            unfinished.chmod(path.stat().st_mode & 0o7777)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


@overload
def load(file: File, type: None = None, **options: Unpack[DecodeOptions]) -> Any: ...
@overload
def load(file: File, type: type[T], **options: Unpack[DecodeOptions]) -> T: ...
@overload
def load(file: File, type: Any, **options: Unpack[DecodeOptions]) -> Any: ...
def load(file: File, type: Any = None, **options: Unpack[DecodeOptions]) -> Any:
    """Reads an object from a path or a binary file, with the options of `loads`."""
    data = Path(file).read_bytes() if isinstance(file, str | os.PathLike) else file.read()
    return loads(data, type, **options)


def schema(data: Buffer, *, store: SchemaStore | None = None) -> Schema:
    """The schema of a message."""
    return Schema._of(_holdall.schema_of(data, None if store is None else store._raw))


def metadata(data: Buffer) -> dict[str, str]:
    """The metadata of a message, without reading its value."""
    return dict(_holdall.metadata_of(data))


def inspect(data: Buffer, *, path: str | None = None, redact: bool = False) -> Inspection:
    """What each byte of a message is; with ``path``, those of one place in the value; ``redact`` hides values."""
    rows, errors = _holdall.inspect(data, path, redact)
    items = tuple(Item(**{**row, "faults": tuple(row["faults"])}) for row in rows)
    return Inspection(items, tuple(errors))
