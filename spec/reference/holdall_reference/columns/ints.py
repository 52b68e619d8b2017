"""Ints (F-29)."""

from __future__ import annotations

from dataclasses import dataclass

from holdall_reference.columns.encodings import (
    BIG,
    DELTA,
    PATCHED,
    RUN_LENGTH,
    WIDTHS,
    unknown_encoding,
)
from holdall_reference.columns.frames import (
    IntKind,
    bits_at,
    check_range,
    check_unused,
    fits,
    is_frame,
    read_frame,
    read_inner_frame,
    read_patches,
    wrapped,
)
from holdall_reference.columns.zstd import read_encoded
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader, from_big, from_zigzag, split


@dataclass(frozen=True, slots=True)
class Ints:
    """The rows of a column of Ints, and where it stands, for F-27."""

    rows: list[int]
    start: int
    places: list[int]
    """The places of the varints where n < 4; else empty."""

    def check_below(self, bound: int, code: str = "index_out_of_range") -> None:
        """F-27's check of the whole column, in row order."""
        for i, number in enumerate(self.rows):
            if number >= bound:
                # F-27: @ its varint where n < 4, @ the column's first byte where n >= 4.
                raise FormatError(code, self.places[i] if self.places else self.start)


def read_ints(reader: Reader, budget: Budget, kind: IntKind, n: int) -> Ints:
    """Ints of a kind (F-29)."""
    start = reader.position
    if n < 4:
        if kind.width == 8:
            # F-29: u8 and i8: n raw bytes (one payload).
            raw = reader.take(n)
            rows = [int.from_bytes(raw[i : i + 1], "little", signed=kind.signed) for i in range(n)]
            return Ints(rows, start, [start + i for i in range(n)])
        rows = []
        places = []
        for _ in range(n):
            places.append(reader.position)
            rows.append(_read_single_int(reader, budget, kind))
        return Ints(rows, start, places)

    def read_rest(reader: Reader, encoding: int, place: int) -> list[int]:
        # F-29: big, only for u128, i128, int.
        if encoding == BIG and kind.wide:
            return _read_bigs(reader, budget, kind, n)
        if is_frame(encoding):
            rows = read_frame(reader, kind.signed, n, encoding, padded=True)
        elif encoding == DELTA:
            rows = _read_delta(reader, kind, n)
        elif encoding == RUN_LENGTH:
            rows = _read_runs(reader, kind, n)
        elif encoding == PATCHED:
            rows = _read_patched(reader, kind, n)
        elif encoding == WIDTHS:
            rows = _read_widths(reader, kind, n)
        else:
            raise unknown_encoding(encoding, place)
        # F-29: a row outside the kind's range: `int_out_of_range` @ the encoding byte,
        # which is the column's first byte.
        check_range(rows, kind, place)
        return rows

    return Ints(read_encoded(reader, budget, read_rest), start, [])


def _read_single_int(reader: Reader, budget: Budget, kind: IntKind) -> int:
    """One of fewer than 4 rows: a varint, or an escape (F-29)."""
    place = reader.position
    value, shortest = reader.varint_of_any_form()
    if not shortest:
        # F-29: an escape is FF, then 8 bytes with a number L below 2^56.
        # For other kinds (and after other first bytes, F-4) it is `varint_overlong`.
        if kind.wide and reader.data[place] == 0xFF:
            return _read_escaped(reader, budget, kind, value, place)
        raise FormatError("varint_overlong", place)
    # F-29: zigzag if signed.
    number = from_zigzag(value) if kind.signed else value
    # F-29: after each varint: a value outside the kind's range.
    if not kind.holds(number):
        raise FormatError("int_out_of_range", place)
    return number


def _read_escaped(reader: Reader, budget: Budget, kind: IntKind, length: int, place: int) -> int:
    # F-29: the 9 bytes (read by the caller); payload; L units charged @ the payload.
    start = reader.position
    payload = reader.take(length)
    budget.charge(length, start)
    # F-29: the shortest form, and not fitting 64 bits (unsigned for u128, signed for the others):
    # else `int_not_shortest` @ the escape's FF.
    number = from_big(payload)
    if number is None or fits(number, 64, kind.signed):
        raise FormatError("int_not_shortest", place)
    # F-29: the kind's range: else `int_out_of_range` @ the FF.
    if not kind.holds(number):
        raise FormatError("int_out_of_range", place)
    return number


def _read_delta(reader: Reader, kind: IntKind, n: int) -> list[int]:
    """What follows the encoding byte 41 (F-29)."""
    # F-29: first row as a varint (zigzag if the kind is signed), never an escape.
    first = reader.varint()
    rows = [from_zigzag(first) if kind.signed else first]
    # F-29: signed inner frame of n-1 differences.
    for difference in read_inner_frame(reader, n - 1, signed=True).rows:
        # F-29: row i is row i-1 plus difference i-1, mod 2^64, then read as a frame's row is.
        rows.append(wrapped(rows[-1] + difference, kind.signed))
    return rows


def _read_runs(reader: Reader, kind: IntKind, n: int) -> list[int]:
    """What follows the encoding byte 42 (F-29)."""
    place = reader.position
    r = reader.varint()
    # F-29: r is 1 to n: else `bad_runs` @ r.
    if not 1 <= r <= n:
        raise FormatError("bad_runs", place)
    values = read_inner_frame(reader, r, signed=kind.signed)
    lengths = read_inner_frame(reader, r)
    # F-29: every length is at least 1 and their sum n: else @ the lengths' encoding byte.
    if 0 in lengths.rows or sum(lengths.rows) != n:
        raise FormatError("bad_runs", lengths.place)
    rows = []
    for value, length in zip(values.rows, lengths.rows, strict=True):
        rows += [value] * length
    return rows


def _read_patched(reader: Reader, kind: IntKind, n: int) -> list[int]:
    """What follows the encoding byte 43 (F-29)."""
    place = reader.position
    encoding = reader.byte()
    # F-29: the frame's encoding byte is none: `bad_inner_encoding` @ it.
    if not is_frame(encoding):
        raise FormatError("bad_inner_encoding", place)
    # F-29: rows before the patches are not checked.
    rows = read_frame(reader, kind.signed, n, encoding)
    positions = read_patches(reader, n, at_least=1)
    # F-29: inner frame of p values (signed if the kind is), which replace the rows.
    values = read_inner_frame(reader, len(positions), signed=kind.signed)
    for position, value in zip(positions, values.rows, strict=True):
        rows[position] = value
    return rows


def _read_widths(reader: Reader, kind: IntKind, n: int) -> list[int]:
    """What follows the encoding byte 45 (F-29)."""
    widths = read_inner_frame(reader, n)
    # F-29: a width above 64: `bad_widths` @ the inner encoding byte.
    if max(widths.rows) > 64:
        raise FormatError("bad_widths", widths.place)
    # F-29: of each row width - 1 bits, none for width 0.
    bits = sum(max(width - 1, 0) for width in widths.rows)
    payload = reader.take(-(-bits // 8))
    check_unused(reader, payload, bits)
    rows = []
    at = 0
    for width in widths.rows:
        pattern = 0
        if width > 0:
            # F-29: the highest one bit is not written.
            pattern = 1 << (width - 1) | bits_at(payload, at, width - 1)
            at += width - 1
        # F-29: the pattern is zigzag if the kind is signed.
        rows.append(from_zigzag(pattern) if kind.signed else pattern)
    return rows


def _read_bigs(reader: Reader, budget: Budget, kind: IntKind, n: int) -> list[int]:
    """What follows the encoding byte 44 (F-29)."""
    # F-29: the inner frame is of the lengths in bytes.
    lengths = read_inner_frame(reader, n)
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
