"""Floats (F-30): of 2, 4 or 8 bytes, kept as their bytes, so that no bit pattern is lost."""

from __future__ import annotations

import struct

from holdall_reference.columns.encodings import (
    BYTE_PLANES,
    CONSTANT_FLOAT,
    DECIMAL,
    NARROWED,
    RAW_FLOATS,
    unknown_encoding,
)
from holdall_reference.columns.frames import (
    PADDED_MULTIPLE,
    PADDED_SIZE,
    read_inner_frame,
    read_patches,
)
from holdall_reference.columns.zstd import read_encoded
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader

F32_SIZE, F64_SIZE = 4, 8
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
        if encoding == BYTE_PLANES:
            return _read_byte_planes(reader, size, n)
        # F-30: narrowed and decimal, only for f64: else `unknown_encoding` @ the byte.
        if encoding == NARROWED and size == F64_SIZE:
            return [_widened(item) for item in _read_raw_floats(reader, F32_SIZE, n)]
        if encoding == DECIMAL and size == F64_SIZE:
            return _read_decimal(reader, n)
        raise unknown_encoding(encoding, place)

    return read_encoded(reader, budget, read_rest)


def _read_raw_floats(reader: Reader, size: int, n: int) -> list[bytes]:
    payload = reader.take(size * n)
    return [payload[i * size : (i + 1) * size] for i in range(n)]


def _widened(item: bytes) -> bytes:
    """An f32 as an f64 (F-30)."""
    bits = int.from_bytes(item, "little")
    sign, exponent, fraction = bits >> 31, bits >> 23 & 0xFF, bits & 0x7F_FFFF
    if exponent == 0xFF and fraction:
        # F-30: of a NaN it keeps the sign, and its 23 fraction bits become the highest of the 52.
        # By hand, since machines make signalling NaNs quiet.
        return (sign << 63 | 0x7FF << 52 | fraction << 29).to_bytes(F64_SIZE, "little")
    # F-30: widening keeps the number exactly.
    (number,) = struct.unpack("<f", item)
    return struct.pack("<d", number)


def _read_decimal(reader: Reader, n: int) -> list[bytes]:
    """What follows the encoding byte 5B (F-30)."""
    place = reader.position
    e = reader.byte()
    # F-30: e above 22: `bad_decimal` @ e.
    if e > LARGEST_EXPONENT:
        raise FormatError("bad_decimal", place)
    digits = read_inner_frame(reader, n, signed=True)
    # F-30: digits i, converted to f64, divided by 10^e, both rounded to nearest, ties to even:
    # so do float() of an int, and /. 10^22 is the last power of ten that is exact.
    power = float(10**e)
    rows = [struct.pack("<d", float(each) / power) for each in digits.rows]
    # F-30: varint p, and if p > 0: inner frame of p positions, p raw values (one payload).
    positions = read_patches(reader, n, at_least=0)
    values = _read_raw_floats(reader, F64_SIZE, len(positions))
    for position, value in zip(positions, values, strict=True):
        rows[position] = value
    return rows


def _read_byte_planes(reader: Reader, size: int, n: int) -> list[bytes]:
    """What follows the encoding byte 5C (F-30)."""
    planes = []
    # F-30: for each byte of the type, lowest first.
    for _ in range(size):
        place = reader.position
        marker = reader.byte()
        # F-30: a marker other than 00 and 01: `bad_planes` @ it.
        if marker not in (0, 1):
            raise FormatError("bad_planes", place)
        # F-30: 00 and n bytes (payload), or 01 and one byte for all rows.
        planes.append(reader.take(1) * n if marker else reader.take(n))
    return [bytes(row) for row in zip(*planes, strict=True)]
