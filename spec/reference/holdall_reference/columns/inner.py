"""Inner columns (F-59), and the encodings of F-29 that occur in them and contain others."""

from __future__ import annotations

from holdall_reference.columns.bins import read_bins
from holdall_reference.columns.encodings import BINS, DELTA, SCALED, WIDTHS
from holdall_reference.columns.frames import (
    Inner,
    bits_at,
    check_unused,
    is_frame,
    read_frame,
    read_inner_frame,
    wrapped,
)
from holdall_reference.errors import FormatError
from holdall_reference.numbers import Reader, from_zigzag

# F-59: inside an encoding, beside frames: scaled, delta, bins, widths.
INSIDE = frozenset({SCALED, DELTA, BINS, WIDTHS})
# F-59: scaled does not contain scaled; delta contains neither scaled nor delta.
INSIDE_SCALED = INSIDE - {SCALED}
INSIDE_DELTA = INSIDE_SCALED - {DELTA}


def read_inner_column(
    reader: Reader, m: int, *, signed: bool = False, inside: frozenset[int] = INSIDE
) -> Inner:
    """An inner column of m rows, m > 0 (F-59), which has one of these encodings or is a frame."""
    place = reader.position
    encoding = reader.byte()
    # F-59: any other encoding byte, reserved or not: `bad_inner_encoding` @ it.
    if not (is_frame(encoding) or encoding in inside):
        raise FormatError("bad_inner_encoding", place)
    # F-59: it charges nothing, and kinds u64 and i64 have every row, so none is checked.
    return Inner(read_numbers(reader, signed, m, encoding), place)


def read_numbers(
    reader: Reader, signed: bool, n: int, encoding: int, *, padded: bool = False
) -> list[int]:
    """What follows an encoding byte that is a frame's or in INSIDE (F-29), without range check."""
    if encoding == SCALED:
        return _read_scaled(reader, signed, n)
    if encoding == DELTA:
        return _read_delta(reader, signed, n)
    if encoding == BINS:
        return read_bins(reader, signed, n)
    if encoding == WIDTHS:
        return _read_widths(reader, signed, n)
    return read_frame(reader, signed, n, encoding, padded=padded)


def _read_varint(reader: Reader, signed: bool) -> int:
    """A varint, zigzag if the kind is signed, never an escape (F-29)."""
    number = reader.varint()
    return from_zigzag(number) if signed else number


def _read_delta(reader: Reader, signed: bool, n: int) -> list[int]:
    """What follows the encoding byte 41 (F-29)."""
    rows = [_read_varint(reader, signed)]
    # F-29: signed inner column of n-1 differences, if n > 1: an inner column has rows.
    if n > 1:
        inner = read_inner_column(reader, n - 1, signed=True, inside=INSIDE_DELTA)
        for difference in inner.rows:
            # F-29: row i is row i-1 plus difference i-1, mod 2^64, then read as a frame's row is.
            rows.append(wrapped(rows[-1] + difference, signed))
    return rows


def _read_scaled(reader: Reader, signed: bool, n: int) -> list[int]:
    """What follows the encoding byte 42 (F-29)."""
    base = _read_varint(reader, signed)
    place = reader.position
    g = reader.varint()
    # F-29: g below 2: `bad_scale` @ it.
    if g < 2:
        raise FormatError("bad_scale", place)
    # F-29: row i is (base + g·quotient i) mod 2^64, then read as a frame's row is.
    quotients = read_inner_column(reader, n, inside=INSIDE_SCALED).rows
    return [wrapped(base + g * quotient, signed) for quotient in quotients]


def _read_widths(reader: Reader, signed: bool, n: int) -> list[int]:
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
        rows.append(from_zigzag(pattern) if signed else pattern)
    return rows


def read_positions(reader: Reader, n: int) -> list[int]:
    """The number p of a column's exceptions, and their positions (F-30)."""
    place = reader.position
    p = reader.varint()
    # F-30: p above n: `bad_patches` @ it.
    if p > n:
        raise FormatError("bad_patches", place)
    # F-30: inner column of p positions; if p > 0.
    if p == 0:
        return []
    positions = read_inner_column(reader, p)
    # F-30: they increase strictly and are below n: else `bad_patches` @ their encoding byte;
    # F-59: checked where their column ends, before the values are read.
    before = -1
    for position in positions.rows:
        if not before < position < n:
            raise FormatError("bad_patches", positions.place)
        before = position
    return positions.rows
