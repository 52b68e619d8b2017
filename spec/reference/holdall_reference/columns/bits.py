"""Bits (F-28)."""

from __future__ import annotations

from collections.abc import Sequence

from holdall_reference.columns.encodings import ALL_FALSE, ALL_TRUE, RAW_BITS, unknown_encoding
from holdall_reference.columns.zstd import read_encoded
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader


def read_bits(reader: Reader, budget: Budget, n: int) -> Sequence[int]:
    """Bits, each 0 or 1 (F-28)."""
    if n <= 8:
        # F-28: one byte, row i is bit i.
        return _read_raw_bits(reader, n)

    def read_rest(reader: Reader, encoding: int, place: int) -> bytes:
        if encoding == ALL_FALSE:
            return bytes(n)
        if encoding == ALL_TRUE:
            return b"\x01" * n
        if encoding == RAW_BITS:
            return _read_raw_bits(reader, n)
        raise unknown_encoding(encoding, place)

    return read_encoded(reader, budget, read_rest)


def _read_raw_bits(reader: Reader, n: int) -> bytes:
    # F-28: row i is bit i mod 8 of byte i/8.
    payload = reader.take(-(-n // 8))
    # F-28: the bits from n up MUST be zero: else `nonzero_padding` @ the last byte.
    if n % 8 and payload[-1] >> (n % 8):
        raise FormatError("nonzero_padding", reader.position - 1)
    return bytes([payload[i // 8] >> (i % 8) & 1 for i in range(n)])
