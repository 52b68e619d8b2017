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
from holdall_reference.columns.inner import read_inner_column, read_positions
from holdall_reference.columns.zstd import read_encoded
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader

F64_SIZE = 8
LARGEST_EXPONENT = 22


def read_floats(reader: Reader, budget: Budget, size: int, n: int) -> list[bytes]:
    """Floats of this many bytes, little-endian (F-30)."""
    if n < 4:
        # F-30: n raw values (one payload).
        return _read_raw_floats(reader, size, n)

    def read_rest(reader: Reader, encoding: int, place: int) -> list[bytes]:
        return read_encoded_floats(reader, size, n, encoding, place)

    return read_encoded(reader, budget, read_rest)


def read_encoded_floats(
    reader: Reader, size: int, n: int, encoding: int, place: int
) -> list[bytes]:
    """What follows an encoding byte other than 70; `place` is its offset (F-30)."""
    if encoding == RAW_FLOATS:
        return _split(reader.take_padded(size * n), size)
    if encoding == CONSTANT_FLOAT:
        # F-30: one value (payload) for all rows.
        return [reader.take(size)] * n
    if encoding == PATTERNS:
        return _read_patterns(reader, size, n)
    # F-30: decimal, only for f64: else `unknown_encoding` @ the byte.
    if encoding == DECIMAL and size == F64_SIZE:
        return _read_decimal(reader, n)
    raise unknown_encoding(encoding, place)


def _read_raw_floats(reader: Reader, size: int, n: int) -> list[bytes]:
    return _split(reader.take(size * n), size)


def _split(payload: bytes, size: int) -> list[bytes]:
    return [payload[at : at + size] for at in range(0, len(payload), size)]


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
