"""Chapter 10: which encodings the profiles choose. Every function has n rows to write, n > 0."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from holdall_reference.columns import IntKind
from holdall_reference.columns.encodings import (
    ALL_FALSE,
    ALL_TRUE,
    BIG,
    CONSTANT_FLOAT,
    DECIMAL,
    DELTA,
    DICTIONARY,
    MARKER,
    PLAIN_TEXT,
    RAW,
    RAW_BITS,
    RAW_FLOATS,
    SCALED,
    WIDTHS,
)
from holdall_reference.columns.floats import F64_SIZE, LARGEST_EXPONENT
from holdall_reference.columns.frames import fits, wrapped
from holdall_reference.columns.raw import ENCODED_SIZE
from holdall_reference.writer.numbers import big, signed_varint, varint, zigzag

Profile: TypeAlias = Literal["fast", "balanced"]

# F-29: the widths that frames have.
FRAME_WIDTHS = (*range(58), 64)

# F-91.
FEWEST_WIDTHS = 16
LEAST_FRAME_WIDTH = 16

# F-93.
DECIMAL_SAMPLE = 64
LARGEST_DIGITS = 1 << 53

# F-62.
FIRST = 128
SAMPLE = 1024
FEWEST_REPEATS = 3
MOST_DIFFERENT = 819


def write_bits(rows: Sequence[bool]) -> bytes:
    """Bits (F-28, F-43)."""
    payload = bytearray(-(-len(rows) // 8))
    for i, row in enumerate(rows):
        payload[i // 8] |= row << (i % 8)
    # F-28: up to 8 rows are one byte.
    if len(rows) <= 8:
        return bytes(payload)
    # F-43: all false, all true, else raw.
    if not any(rows):
        return bytes([ALL_FALSE])
    if all(rows):
        return bytes([ALL_TRUE])
    return bytes([RAW_BITS]) + payload


def write_ints(kind: IntKind, rows: Sequence[int], profile: Profile) -> bytes:
    """Ints (F-29, F-42; of balanced F-61, F-91, F-92)."""
    # F-42: if all rows fit 64 bits (unsigned for unsigned kinds, signed for signed ones): a frame.
    if not all(fits(row, 64, kind.signed) for row in rows):
        # F-42: else: big, behind the marker if there are fewer than 4 rows.
        marker = MARKER if len(rows) < 4 else b""
        bigs = [big(row) for row in rows]
        return marker + bytes([BIG]) + write_frame([len(each) for each in bigs]) + b"".join(bigs)
    if len(rows) < 4:
        return b"".join([_single_int(kind, row) for row in rows])
    return (
        _balanced_ints(kind.signed, rows)
        if profile == "balanced"
        else write_frame(rows, kind.signed)
    )


def _balanced_ints(signed: bool, rows: Sequence[int]) -> bytes:
    """Ints of 4 rows or more that all fit 64 bits, in profile balanced (F-61, F-91, F-92)."""
    unscaled = _unscaled_ints(signed, rows)
    base = min(rows)
    # F-92: g, of the differences between each row and the least one, as numbers below 2^64.
    g = math.gcd(*[row - base for row in rows])
    # F-92: if g is 2 or more (it is 0 of equal rows).
    if g < 2:
        return unscaled
    # F-92: the least row as base, as quotients the column of kind u64 that F-42, F-61 and F-91 make.
    quotients = _unscaled_ints(False, [(row - base) // g for row in rows])
    scaled = bytes([SCALED]) + signed_varint(base, signed) + varint(g) + quotients
    return scaled if _saves_an_eighth(scaled, unscaled) else unscaled


def _unscaled_ints(signed: bool, rows: Sequence[int]) -> bytes:
    """Ints as F-42, F-61 and F-91 have them."""
    frame = write_frame(rows, signed)
    if all(a <= b for a, b in pairwise(rows)):
        # F-61: sorted: delta, if it is fewer bytes than the frame. Their encoding bytes,
        # one each, weigh nothing. The differences are mod 2^64, as signed numbers.
        differences = [wrapped(b - a, True) for a, b in pairwise(rows)]
        delta = signed_varint(rows[0], signed) + write_frame(differences, signed=True)
        if 1 + len(delta) < len(frame):
            return bytes([DELTA]) + delta
    # F-91: of 16 rows or more whose frame has width 16 or more.
    if len(rows) >= FEWEST_WIDTHS and (frame[0] & 0x7F) >= LEAST_FRAME_WIDTH:
        widths = _widths(signed, rows)
        if _saves_an_eighth(widths, frame):
            return widths
    return frame


def _saves_an_eighth(column: bytes, other: bytes) -> bool:
    """F-91, F-92, F-93: 8 times the bytes of one column are at most 7 times those of the other."""
    return 8 * len(column) <= 7 * len(other)


def _widths(signed: bool, rows: Sequence[int]) -> bytes:
    """Rows with only the bits that they need (F-29)."""
    patterns = [zigzag(row) if signed else row for row in rows]
    # F-29: of each row the bits below the highest one bit; the first row has the lowest.
    bits = "".join([f"{pattern:b}"[1:] for pattern in reversed(patterns)])
    payload = int(bits or "0", 2).to_bytes(-(-len(bits) // 8), "little")
    return bytes([WIDTHS]) + write_frame([pattern.bit_length() for pattern in patterns]) + payload


def _single_int(kind: IntKind, row: int) -> bytes:
    """One of fewer than 4 rows (F-29)."""
    if kind.width == 8:
        return row.to_bytes(1, "little", signed=kind.signed)
    return signed_varint(row, kind.signed)


def write_frame(rows: Sequence[int], signed: bool = False) -> bytes:
    """A frame with its encoding byte (F-42), as most inner columns are too (F-44)."""
    # F-42: the candidates are base 0, and base = the smallest row.
    plain_width, plain = _fields(rows, 0)
    base = min(rows)
    based_width, fields = _fields(rows, base)
    based = signed_varint(base, signed) + fields
    # F-42: the base is written if its candidate is smaller by at least one byte.
    if len(based) < len(plain):
        return bytes([0x80 + based_width]) + based
    return bytes([plain_width]) + plain


def _fields(rows: Sequence[int], base: int) -> tuple[int, bytes]:
    """The width of a frame with that base, and its payload."""
    # F-42: the fields are (row - base) mod 2^64.
    fields = [(row - base) % (1 << 64) for row in rows]
    # F-42: the smallest width that holds the largest field.
    needed = max(fields).bit_length()
    width = next(width for width in FRAME_WIDTHS if width >= needed)
    # F-29: field i is the w bits from bit i·w on.
    size = -(-len(rows) * width // 8)
    if width % 8 == 0:
        return width, b"".join([field.to_bytes(width // 8, "little") for field in fields])
    bits = "".join([f"{field:0{width}b}" for field in reversed(fields)])
    return width, int(bits, 2).to_bytes(size, "little")


def write_floats(rows: Sequence[bytes], profile: Profile) -> bytes:
    """Floats, as their bytes (F-30, F-43; of balanced F-93)."""
    if len(rows) < 4:
        return b"".join(rows)
    # F-43: constant if all rows have the same bits, else raw.
    if len(set(rows)) == 1:
        return bytes([CONSTANT_FLOAT]) + rows[0]
    raw = bytes([RAW_FLOATS]) + b"".join(rows)
    if profile == "balanced" and len(rows[0]) == F64_SIZE:
        decimal = _decimal(rows)
        # F-93: if 8 times the bytes of all that are at most 7 times those of raw.
        if decimal is not None and _saves_an_eighth(decimal, raw):
            return decimal
    return raw


def _decimal(rows: Sequence[bytes]) -> bytes | None:
    """Decimal, where the sample has it tried (F-93)."""
    n = len(rows)
    # F-93: m is the smaller of n and 64, the sample the rows k·n/m, rounded down.
    m = min(n, DECIMAL_SAMPLE)
    sample = [rows[k * n // m] for k in range(m)]
    found = [
        [d for row in sample if (d := _digits(row, e)) is not None]
        for e in range(LARGEST_EXPONENT + 1)
    ]
    # F-93: e is the one at which most rows of the sample have digits, of several the smallest.
    e = max(range(LARGEST_EXPONENT + 1), key=lambda each: len(found[each]))
    # F-93: if that are 3/4 of the sample or more.
    if 4 * len(found[e]) < 3 * m:
        return None
    digits = [_digits(row, e) for row in rows]
    positions = [i for i, d in enumerate(digits) if d is None]
    # F-93: exceptions have the digits of the first row of the sample that has some.
    filled = [found[e][0] if d is None else d for d in digits]
    decimal = bytes([DECIMAL, e]) + _balanced_ints(True, filled) + varint(len(positions))
    if positions:
        decimal += write_frame(positions) + b"".join([rows[i] for i in positions])
    return decimal


def _digits(row: bytes, e: int) -> int | None:
    """The digits that an f64 has at e, if it has some (F-93)."""
    (number,) = struct.unpack("<d", row)
    # F-93: row·10^e, rounded as a product of two f64.
    product = number * float(10**e)
    # Infinities and NaNs have no digits, and round() takes neither.
    if not math.isfinite(product):
        return None
    # F-93: rounded to a whole number, ties to even; at most 2^53 in size.
    d = round(product)
    if abs(d) > LARGEST_DIGITS:
        return None
    # F-93: as digits at e (F-30) it is the row, bit by bit.
    return d if struct.pack("<d", float(d) / float(10**e)) == row else None


def write_raw(rows: Sequence[bytes]) -> bytes:
    """Raw, as the rows' bytes (F-94, F-43)."""
    payload = b"".join(rows)
    return bytes([RAW]) + payload if len(payload) >= ENCODED_SIZE else payload


def write_text(rows: Sequence[bytes], profile: Profile) -> bytes:
    """Text (F-32, F-43, F-62)."""
    payload = b"".join(rows)
    if len(rows) < 4:
        return b"".join([varint(len(row)) for row in rows]) + payload
    plain = write_frame([len(row) for row in rows]) + payload
    if profile == "balanced" and _repeats(rows):
        # F-62: the different rows of the column as entries, in the order of first appearance.
        entries = {row: index for index, row in enumerate(dict.fromkeys(rows))}
        dictionary = (
            varint(len(entries))
            + write_frame([len(entry) for entry in entries])
            + b"".join(entries)
            + write_frame([entries[row] for row in rows])
        )
        # F-62: if all that together is fewer bytes than the inner frame and payload of plain.
        if len(dictionary) < len(plain):
            return bytes([DICTIONARY]) + dictionary
    return bytes([PLAIN_TEXT]) + plain


def _repeats(rows: Sequence[bytes]) -> bool:
    """Whether a dictionary is tried at all (F-62)."""
    # F-62: if n >= 128 and the first 128 rows all differ: plain.
    if len(set(rows[:FIRST])) == FIRST:
        return False
    # F-62: m is the smaller of n and 1,024, k the number of different ones among the first m rows.
    m = min(len(rows), SAMPLE)
    k = len(set(rows[:m]))
    # F-62: if m - k < 3, or if n >= 1,024 and k > 819: plain.
    return not (m - k < FEWEST_REPEATS or (len(rows) >= SAMPLE and k > MOST_DIFFERENT))
