"""Damaged streams: what readers skip, and functions that check and recover a stream."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _holdall
from .._errors import DecodeError, LimitError
from . import _files
from ._files import Readable, Writable
from ._keywords import names_checked
from ._limited import limits_of
from ._named import Names
from ._schema import Schema, SchemaStore, raw_store

if TYPE_CHECKING:
    from ._limits import Limits


@dataclass(frozen=True)
class Damage:
    """A damaged part that a reader skipped: ``skipped`` bytes from ``offset``; ``frames`` are the numbers of the missing frames.

    ``code`` and ``message`` are those of the error, and ``at`` is the byte that it names.
    """

    offset: int
    skipped: int
    frames: range
    code: str
    at: int | None
    message: str

    def __str__(self) -> str:
        return self.message


def damage_list(raw: Iterable[_holdall.RawDamage]) -> list[Damage]:
    return [
        Damage(
            each["offset"],
            each["skipped"],
            range(*each["frames"]),
            each["code"],
            each["at"],
            each["text"],
        )
        for each in raw
    ]


@dataclass(frozen=True)
class Report:
    """The result of `verify` and `recover`: the number of readable values, blocks and bytes, and the damage."""

    values: int
    blocks: int
    bytes: int
    finished: bool
    damage: tuple[Damage, ...]

    @classmethod
    def _of(cls, raw: _holdall.RawReport) -> Report:
        return cls(
            raw["values"],
            raw["blocks"],
            raw["bytes"],
            raw["finished"],
            tuple(damage_list(raw["damage"])),
        )


@names_checked
def verify(
    file: Readable | bytes | bytearray | memoryview,
    /,
    *,
    limits: Limits | None = None,
    store: SchemaStore | None = None,
) -> Report:
    """Checks an entire stream, and continues after damage. Checks a message, too, if the file is one. ``file`` is a path, a file
    object, or the bytes themselves.

    A damaged message has no readable value. ``store`` (None) has the schema of a message with a fingerprint.

    >>> holdall.verify(holdall.dumps([1, 2]))
    Report(values=1, blocks=1, bytes=7, finished=True, damage=())

    >>> holdall.verify(b"C1 F1")
    Traceback (most recent call last):
        ...
    holdall._errors.DecodeError: bad_magic at offset 0: expected the beginning of a stream, got 43
    """
    limits = limits_of(limits, "budget")
    if isinstance(file, bytes | bytearray | memoryview):
        file = io.BytesIO(file)
    path, functions, opened = _files.source(file)
    try:
        with _files.named(path):
            message = _message(path, functions)
            if message is not None:
                return _of_message(message, limits, store)
            return Report._of(_holdall.verify(path, functions, limits.budget, limits.frame))
    finally:
        if opened is not None:
            opened.close()


def _message(path: str | None, functions: Any) -> bytes | None:
    """The bytes of a file that is a message; None for others, and for pipes, which can be read only once."""
    if path is not None:
        with Path(path).open("rb") as opened:
            return opened.read() if _is_message(opened.read(2)) and not opened.seek(0) else None
    read, seek, start = functions
    if seek is None:
        return None
    is_message = _is_message(read(2))
    seek(start, os.SEEK_SET)
    return bytes(read(-1)) if is_message else None


def _is_message(head: bytes | None) -> bool:
    # A file that does not block may have none.
    return head is not None and len(head) == 2 and head[0] == 0xC1 and head[1] >> 4 == 1


def _of_message(data: bytes, limits: Limits, store: SchemaStore | None) -> Report:
    damage: tuple[Damage, ...] = ()
    try:
        raw = raw_store(store)
        # As records, so that no code of classes runs.
        _holdall.Unpacker(Names(), None, None, [], [], raw, limits.budget).unpack(data)
    except DecodeError as error:
        if isinstance(error, LimitError) or error.code == "unknown_fingerprint":
            # These say nothing about the bytes.
            raise
        # Python cannot hold every value.
        if error.code != "unrepresentable":
            damage = (Damage(0, len(data), range(1), error.code, error.offset, str(error)),)
    return Report(int(not damage), 1, len(data), not damage, damage)


@names_checked
def recover(
    file: Readable,
    output: Writable,
    /,
    *,
    schemas: Iterable[Schema] = (),
    limits: Limits | None = None,
) -> Report:
    """Writes the intact values of a damaged stream, in order and each once, as a new stream, and reports the losses.

    An output path is replaced in one step, so it can be the file itself. ``schemas`` are for blocks whose own schema is lost.
    """
    limits = limits_of(limits, "budget")
    path, functions, opened = _files.source(file)
    if functions is not None and functions[1] is None:
        if opened is not None:
            opened.close()
        raise ValueError("recover needs a file, because it reads it twice")
    known = [schema._raw for schema in schemas]
    if isinstance(output, str | os.PathLike) and not _files.is_special(os.fspath(output)):
        with _files.written_at_once(output) as out, _files.named(path):
            return Report._of(
                _holdall.recover(
                    path, functions, (out.write, None, False), known, limits.budget, limits.frame
                )
            )
    _, write, opened = _files.target(output)
    assert write is not None
    try:
        with _files.named(path):
            return Report._of(
                _holdall.recover(path, functions, write, known, limits.budget, limits.frame)
            )
    finally:
        if opened is not None:
            opened.close()
