"""Damaged streams: what readers skip, and functions that check and recover a stream."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from . import _files, _holdall
from ._files import Readable, Writable
from ._limits import Limits, limits_of
from ._schema import Schema


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


def verify(file: Readable, /, *, limits: Limits | None = None) -> Report:
    """Checks an entire stream, and continues after damage.

    >>> import io
    >>> holdall.verify(io.BytesIO(b"C1 F1"))
    Traceback (most recent call last):
        ...
    holdall._errors.DecodeError: bad_magic at offset 0: expected the beginning of a stream, got 43
    """
    limits = limits_of(limits, "budget")
    path, functions, opened = _files.source(file)
    try:
        with _files.named(path):
            return Report._of(_holdall.verify(path, functions, limits.budget, limits.frame))
    finally:
        if opened is not None:
            opened.close()


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
