"""Floats (F-30): of 2, 4 or 8 bytes, kept as their bytes, so that no bit pattern is lost."""

from __future__ import annotations

import struct

from holdall_reference.columns.encodings import (
    CONSTANT_FLOAT,
    DECIMAL,
    PATTERNS,
    RAW_FLOATS,
    unknown_encoding,
)
from holdall_reference.columns.frames import PADDED_MULTIPLE, PADDED_SIZE
from holdall_reference.columns.inner import read_inner_column, read_positions
from holdall_reference.columns.zstd import read_encoded
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader

F64_SIZE = 8
LARGEST_EXPONENT = 22


def read_floats(reader: Reader, budget: Budget, size: int, n: int) -> list[bytes]:
    """Floats of so many bytes, little-endian (F-30)."""
    if n < 4:
        # F-30: n raw values (one payload).
        return _read_raw_floats(reader, size, n)

    def read_rest(reader: Reader, encoding: int, place: int) -> list[bytes]:
        if encoding == RAW_FLOATS:
            # F-69: before raw Floats of 64 bytes or more.
            if size * n >= PADDED_SIZE:
                reader.skip_padding(PADDED_MULTIPLE)
            return _read_raw_floats(reader, size, n)
        if encoding == CONSTANT_FLOAT:
            # F-30: one value (payload) for all rows.
            return [reader.take(size)] * n
        if encoding == PATTERNS:
            return _read_patterns(reader, size, n)
        # F-30: decimal, only for f64: else `unknown_encoding` @ the byte.
        if encoding == DECIMAL and size == F64_SIZE:
            return _read_decimal(reader, n)
        raise unknown_encoding(encoding, place)

    return read_encoded(reader, budget, read_rest)


def _read_raw_floats(reader: Reader, size: int, n: int) -> list[bytes]:
    payload = reader.take(size * n)
    return [payload[i * size : (i + 1) * size] for i in range(n)]


def _read_decimal(reader: Reader, n: int) -> list[bytes]:
    """What follows the encoding byte 5B (F-30)."""
    place = reader.position
    e = reader.byte()
    # F-30: e above 22: `bad_decimal` @ e.
    if e > LARGEST_EXPONENT:
        raise FormatError("bad_decimal", place)
    digits = read_inner_column(reader, n, signed=True)
    # F-30: digits i, converted to f64, divided by 10^e, both rounded to nearest, ties to even:
    # so do float() of an int, and /. 10^22 is the last power of ten that is exact.
    power = float(10**e)
    rows = [struct.pack("<d", float(each) / power) for each in digits.rows]
    # F-30: varint p, and if p > 0: inner column of p positions, p raw values (one payload).
    positions = read_positions(reader, n)
    values = _read_raw_floats(reader, F64_SIZE, len(positions))
    for position, value in zip(positions, values, strict=True):
        rows[position] = value
    return rows


def _read_patterns(reader: Reader, size: int, n: int) -> list[bytes]:
    """What follows the encoding byte 5C (F-30)."""
    numbers = read_inner_column(reader, n)
    # F-30: a number that does not fit the type's width: `int_out_of_range` @ its encoding byte.
    if max(numbers.rows) >= 1 << (8 * size):
        raise FormatError("int_out_of_range", numbers.place)
    # F-30: the rows' bits as unsigned numbers.
    return [number.to_bytes(size, "little") for number in numbers.rows]
