"""The functions that most programs need."""

from __future__ import annotations

import builtins
import functools
import os
from collections.abc import Callable, Iterable
from types import GenericAlias
from typing import IO, TYPE_CHECKING, Any, Never, TypeVar, Unpack, overload

from .. import _holdall
from .._errors import DecodeError
from .._holdall import dumps, loads
from . import _progress, _registry
from ._codec import Decoder, Encoder
from ._dictionary import Dictionary, raws_of
from ._keywords import check_names, names_checked
from ._options import DecodeOptions, DumpOptions, EncodeOptions, LoadOptions
from ._progress import Progress
from ._schema import Schema, SchemaStore, raw_store

if TYPE_CHECKING:
    from ._explained import Inspection

T = TypeVar("T")
Buffer = bytes | bytearray | memoryview
File = str | os.PathLike[str] | IO[bytes]

#: For `dumps` and `loads` without options.
default_encoder = Encoder()
default_decoder: Decoder[Any] = Decoder()


@functools.lru_cache(maxsize=64)
def _kept_decoder(type: Any, kind: Callable[..., Decoder[Any]]) -> Decoder[Any]:
    return kind(type)


# A type may now compile to another node.
_registry.changed.append(_kept_decoder.cache_clear)


def decoder_of(
    type: Any, options: DecodeOptions, kind: Callable[..., Decoder[Any]] = Decoder
) -> Decoder[Any]:
    """A decoder of a type. Those of classes, and of generics of classes, with default options are cached.

    Not those of all types: `int | str` equals `str | int`, but they may compile to different nodes.
    """
    if options:
        return kind(type, **options)
    if type is None:
        return default_decoder
    if isinstance(type, builtins.type) or (
        isinstance(type, GenericAlias)
        and all(isinstance(each, builtins.type) for each in type.__args__)
    ):
        return _kept_decoder(type, kind)
    return kind(type)


# Most programs use no other format. A statement inside a function takes longer than to write a small value.
@functools.cache
def _write_format() -> Callable[..., bytes]:
    from ._formats import write

    return write


@functools.cache
def _read_format() -> Callable[..., Any]:
    from ._formats import read

    return read


def dumps_with(
    obj: object,
    *,
    format: str = "holdall",
    storage: bool = False,
    copies: bool = False,
    **options: Unpack[EncodeOptions],
) -> bytes:
    """`dumps` with options."""
    check_names("dumps", options, DumpOptions)
    if format == "holdall":
        if storage or copies:
            raise TypeError("storage= and copies= are for other formats; name one by format=")
        return Encoder(**options).encode(obj)
    return _write_format()(format, obj, options, storage=storage, copies=copies)


def loads_with(
    data: Buffer,
    type: Any = None,
    *,
    buffers: Iterable[Any] | None = None,
    format: str = "holdall",
    infer: bool = False,
    **options: Unpack[DecodeOptions],
) -> Any:
    """`loads` with a type or options."""
    check_names("loads", options, LoadOptions)
    if format != "holdall":
        if buffers is not None:
            raise TypeError(f"buffers= is for messages of holdall, not for format {format!r}")
        return _read_format()(format, data, type, options, infer=infer)
    if infer:
        raise TypeError("infer= is for format 'csv'")
    return decoder_of(type, options).decode(data, buffers=buffers)


def size(obj: object, **options: Unpack[EncodeOptions]) -> int:
    """Returns the number of bytes that `dumps` would return, without joining them. The options are the same.

    >>> holdall.size([1, 2])
    7
    """
    check_names("size", options, EncodeOptions)
    encoder = Encoder(**options) if options else default_encoder
    return encoder.size(obj)


def dump(
    obj: object,
    file: File,
    *surplus: Never,
    progress: Progress = None,
    **options: Unpack[DumpOptions],
) -> None:
    """Packs an object into a file: a path or a binary file object. The other options are those of `dumps`.

    A path is replaced in one step: other programs see the complete old file or the complete new one. ``progress`` (None) is a
    function of the bytes written so far and their total, or True for a bar of tqdm; packing precedes the first report.
    """
    if surplus:
        raise TypeError(
            "dump() takes the object and the file: there is no protocol number as in pickle, and options have names, such as "
            "profile='small'"
        )
    check_names("dump", options, DumpOptions, "progress")
    data = dumps(obj, **options)
    report = _progress.callback(progress, len(data))
    if not isinstance(file, str | os.PathLike):
        _progress.write(file, data, report)
        return
    from ._files import written_at_once

    with written_at_once(file) as out:
        _progress.write(out, data, report)


@overload
def load(
    file: File, type: None = None, *, progress: Progress = None, **options: Unpack[LoadOptions]
) -> Any: ...
@overload
def load(
    file: File, type: type[T], *, progress: Progress = None, **options: Unpack[LoadOptions]
) -> T: ...
@overload
def load(
    file: File, type: Any, *, progress: Progress = None, **options: Unpack[LoadOptions]
) -> Any: ...
def load(
    file: File, type: Any = None, *, progress: Progress = None, **options: Unpack[LoadOptions]
) -> Any:
    """Unpacks an object from a file: a path or a binary file object. The other options are those of `loads`.

    ``progress`` (None) is a function of the bytes read so far and their total (None if it is unknown), or True for a bar of
    tqdm; unpacking follows the last report.
    """
    check_names("load", options, LoadOptions, "type", "progress")
    if isinstance(file, str | os.PathLike):
        with open(file, "rb") as opened:  # noqa: PTH123 (pathlib takes long to import)
            data = _progress.read(opened, progress)
    else:
        data = _progress.read(file, progress)
    try:
        return loads(data, type, **options)
    except DecodeError as error:
        if error.code == "trailing_bytes":
            error.add_note(
                "A file of dump has one value; to write several into one file, use holdall.Writer and Reader."
            )
        raise


@names_checked
def digest(obj: object, *, algorithm: str = "sha256") -> bytes:
    """Returns a hash of an object's canonical bytes: the same in every process and on every machine.

    It is equal for objects of the same types and values: 1 is another one than 1.0, and the order of the keys of a dict counts,
    that of the members of a set does not. So does whether an object occurs twice, or two equal ones do; those of None, bool, int,
    float, str, bytes and short tuples of these are the same.

    ``algorithm`` ("sha256") is one of hashlib's. The command ``holdall hash`` prints the same for the value in a file.

    >>> holdall.digest([1, {"a", "b"}]) == holdall.digest([1, {"b", "a"}])
    True
    """
    import hashlib

    try:
        made = hashlib.new(algorithm)
    except (ValueError, TypeError):
        made = None
    # Hashes of any length ask for one.
    if made is None or not made.digest_size:
        known = sorted(each for each in hashlib.algorithms_guaranteed if "shake" not in each)
        words = f"algorithm must be one of hashlib's of a fixed length, such as {', '.join(known)}, not {algorithm!r}"
        raise ValueError(words) if isinstance(algorithm, str) else TypeError(words)
    made.update(dumps(obj, canonical=True))
    return made.digest()


def schema(
    data: Buffer,
    *,
    dictionaries: Iterable[Dictionary] = (),
    store: SchemaStore | None = None,
) -> Schema:
    """Returns the schema of a message."""
    known = raws_of(dictionaries), raw_store(store)
    return Schema._of(_holdall.schema_of(data, *known))


def classes(
    data: Buffer,
    *,
    dictionaries: Iterable[Dictionary] = (),
    store: SchemaStore | None = None,
) -> dict[str, Callable[..., Any] | None]:
    """Returns what a message names: the classes of its objects, and the classes and functions that its values hold or call.

    Those that this program has not registered are None: `loads` gives a `Record` for the objects of such a class, unless
    ``types=`` or ``renames=`` has it. Nothing is created: only where values can have names, they are read, as records.

    >>> holdall.classes(holdall.dumps([holdall.Record("shop.Cart", items=[]), print]))
    {'shop.Cart': None, 'builtins.print': None}
    """
    # Few programs need it.
    from . import _named

    return _named.classes(data, raws_of(dictionaries), raw_store(store))


def metadata(data: Buffer) -> dict[str, str]:
    """Returns the metadata of a message, without reading its value."""
    return dict(_holdall.metadata_of(data))


def inspect(
    data: Buffer,
    *,
    path: str | None = None,
    redact: bool = False,
    dictionaries: Iterable[Dictionary] = (),
    store: SchemaStore | None = None,
) -> Inspection:
    """Explains each byte of a message, or only those of one path in the value. ``redact`` hides the values."""
    from ._explained import Inspection, Item

    known = raws_of(dictionaries), raw_store(store)
    rows, errors = _holdall.inspect(data, path, redact, *known)
    items = tuple(Item(**{**row, "faults": tuple(row["faults"])}) for row in rows)
    return Inspection(items, tuple(errors))
