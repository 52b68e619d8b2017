"""Ints (F-29)."""

from __future__ import annotations

from dataclasses import dataclass

from holdall_reference.columns.encodings import BIG, skip_marker, unknown_encoding
from holdall_reference.columns.frames import IntKind, check_range, is_frame
from holdall_reference.columns.inner import INSIDE, read_inner_column, read_numbers
from holdall_reference.columns.zstd import read_encoded
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader, from_big, from_zigzag, split


@dataclass(frozen=True, slots=True)
class Ints:
    """The rows of a column of Ints, and its position, for F-27."""

    rows: list[int]
    start: int
    places: list[int]
    """The offsets of the varints if n < 4 and there is no marker; otherwise empty."""

    def check_below(self, bound: int, code: str = "index_out_of_range") -> None:
        """F-27's check of the whole column, in row order."""
        for i, number in enumerate(self.rows):
            if number >= bound:
                # F-27: @ its varint where n < 4, @ the column's first byte where n >= 4.
                raise FormatError(code, self.places[i] if self.places else self.start)


def read_ints(reader: Reader, budget: Budget, kind: IntKind, n: int) -> Ints:
    """Ints of a kind (F-29)."""
    start = reader.position
    if n < 4 and kind.width == 8:
        # F-29: u8 and i8: n raw bytes (one payload).
        raw = reader.take(n)
        rows = [int.from_bytes(raw[i : i + 1], "little", signed=kind.signed) for i in range(n)]
        return Ints(rows, start, [start + i for i in range(n)])
    if n < 4 and not skip_marker(reader):
        rows = []
        places = []
        for _ in range(n):
            places.append(reader.position)
            rows.append(_read_single_int(reader, kind))
        return Ints(rows, start, places)
    # Chapter 6: for all rules, a column after a marker begins with its encoding byte.
    start = reader.position

    def read_rest(reader: Reader, encoding: int, place: int) -> list[int]:
        return read_encoded_ints(reader, budget, kind, n, encoding, place)

    return Ints(read_encoded(reader, budget, read_rest), start, [])


def read_encoded_ints(
    reader: Reader, budget: Budget, kind: IntKind, n: int, encoding: int, place: int
) -> list[int]:
    """What follows an encoding byte other than 70; `place` is its offset (F-29)."""
    # F-29: big, only for u128, i128, int.
    if encoding == BIG and kind.wide:
        return _read_bigs(reader, budget, kind, n)
    if not (is_frame(encoding) or encoding in INSIDE):
        raise unknown_encoding(encoding, place)
    rows = read_numbers(reader, kind.signed, n, encoding, padded=True)
    # F-29: a row outside the kind's range: `int_out_of_range` @ the encoding byte,
    # which is the column's first byte.
    check_range(rows, kind, place)
    return rows


def _read_single_int(reader: Reader, kind: IntKind) -> int:
    """One of fewer than 4 rows: a varint (F-29)."""
    place = reader.position
    value = reader.varint()
    # F-29: zigzag if signed.
    number = from_zigzag(value) if kind.signed else value
    # F-29: after each varint: a value outside the kind's range.
    if not kind.holds(number):
        raise FormatError("int_out_of_range", place)
    return number


def _read_bigs(reader: Reader, budget: Budget, kind: IntKind, n: int) -> list[int]:
    """What follows the encoding byte 44 (F-29)."""
    # F-29: the inner column is of the lengths in bytes.
    lengths = read_inner_column(reader, n)
    # F-29: a length of 0: `int_not_shortest` @ the inner encoding byte.
    if 0 in lengths.rows:
        raise FormatError("int_not_shortest", lengths.place)
    start = reader.position
    size = sum(lengths.rows)
    payload = reader.take(size)
    # F-29: that sum is then charged @ the payload.
    budget.charge(size, start)
    rows = []
    # F-29: row by row.
    for at, item in split(payload, lengths.rows):
        number = from_big(item)
        # F-29: not in shortest form: `int_not_shortest` @ the big's first byte.
        if number is None:
            raise FormatError("int_not_shortest", start + at)
        # F-29: outside the kind's range: `int_out_of_range` @ the same.
        if not kind.holds(number):
            raise FormatError("int_out_of_range", start + at)
        rows.append(number)
    return rows
