"""Columns and tables of them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

#: The length that marks an absent string in the timer's file.
MISSING = 0xFFFFFFFF

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]


@dataclass
class Column:
    """Values of one type: an array of numbers with NaN for absent ones, or strings with None for absent ones."""

    name: str
    values: Numbers | list[str | None]

    @property
    def kind(self) -> Literal["int", "float", "text"]:
        if isinstance(self.values, list):
            return "text"
        return "int" if self.values.dtype.kind == "i" else "float"

    def numbers(self) -> Numbers:
        assert not isinstance(self.values, list)
        return self.values

    def texts(self) -> list[str | None]:
        assert isinstance(self.values, list)
        return self.values

    def objects(self) -> list[Any]:
        """The values as Python objects."""
        if isinstance(self.values, list):
            return self.values
        found: list[Any] = self.values.tolist()
        return [None if value != value else value for value in found]

    def plain(self) -> Plain:
        if isinstance(self.values, list):
            return plain_text(self.values)
        return Plain(self.values)


@dataclass
class Plain:
    """A column in memory: numbers, or bytes of text with the length of each string; and which values are present."""

    content: npt.NDArray[Any]
    lengths: npt.NDArray[np.uint32] | None = None
    #: A bit for each row, if some strings are absent.
    present: npt.NDArray[np.uint8] | None = None

    @property
    def parts(self) -> list[npt.NDArray[Any]]:
        return [part for part in (self.content, self.lengths, self.present) if part is not None]

    @property
    def size(self) -> int:
        """8 bytes for a number; for text its bytes and 4 for each string; a bit for each row if some are absent."""
        return sum(part.nbytes for part in self.parts)


def plain_text(texts: list[str | None]) -> Plain:
    encoded = [(text or "").encode() for text in texts]
    lengths = np.fromiter(map(len, encoded), np.uint32, len(encoded))
    there = np.fromiter((text is not None for text in texts), np.bool_, len(texts))
    present = None if there.all() else np.packbits(there, bitorder="little")
    return Plain(np.frombuffer(b"".join(encoded), np.uint8), lengths, present)


def texts_of(plain: Plain) -> list[str | None]:
    """The strings of a plain column."""
    assert plain.lengths is not None
    text, ends = plain.content.tobytes(), np.cumsum(plain.lengths, dtype=np.int64).tolist()
    found: list[str | None] = [
        text[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)
    ]
    if plain.present is not None:
        there = np.unpackbits(plain.present, count=len(found), bitorder="little").tolist()
        found = [each if is_there else None for each, is_there in zip(found, there, strict=True)]
    return found


@dataclass
class Table:
    """Columns of equal length."""

    name: str
    about: str
    columns: list[Column]

    @property
    def rows(self) -> int:
        return len(self.columns[0].values)

    @property
    def size(self) -> int:
        return sum(column.plain().size for column in self.columns)

    @property
    def numeric(self) -> Table:
        """Its columns of numbers."""
        numeric = [column for column in self.columns if column.kind != "text"]
        return Table(self.name, self.about, numeric)

    def head(self, rows: int) -> Table:
        """Its first rows."""
        columns = [Column(column.name, column.values[:rows]) for column in self.columns]
        return Table(self.name, f"the first {rows:,} rows of {self.about}", columns)

    def records(self) -> list[dict[str, Any]]:
        """Its rows, as Python has them."""
        names = [column.name for column in self.columns]
        rows = zip(*(column.objects() for column in self.columns), strict=True)
        return [dict(zip(names, row, strict=True)) for row in rows]


def same(left: Column, right: Column) -> bool:
    """Whether two columns have the same values: floats by their bits, with any NaN for an absent one."""
    if left.kind != right.kind or len(left.values) != len(right.values):
        return False
    if left.kind == "text":
        return left.texts() == right.texts()
    one, other = left.numbers(), right.numbers()
    if left.kind == "float":
        missing = np.isnan(one)
        if not np.array_equal(missing, np.isnan(other)):
            return False
        one, other = one[~missing].view(np.int64), other[~missing].view(np.int64)
    return np.array_equal(one, other)


def timer_file(columns: list[Column]) -> bytes:
    """The columns in the timer's format (`src/columns.rs`)."""
    parts = [struct.pack("<Q", len(columns))]
    for column in columns:
        kind = ("int", "float", "text").index(column.kind)
        parts.append(struct.pack("<BQ", kind, len(column.values)))
        if column.kind == "text":
            texts = column.texts()
            plain = plain_text(texts)
            assert plain.lengths is not None
            lengths = plain.lengths.copy()
            lengths[[text is None for text in texts]] = MISSING
            parts += [lengths.tobytes(), plain.content.tobytes()]
        else:
            parts.append(column.numbers().tobytes())
    return b"".join(parts)
