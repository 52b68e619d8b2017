"""Chapter 6: columns. Every function here reads a column of n rows, n > 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader, from_big, from_zigzag

# F-57: reserved for all kinds of columns.
RESERVED_FOR_ALL = frozenset({0x70, *range(0xE0, 0x100)})
RESERVED_FOR_INTS = RESERVED_FOR_ALL | {0x41, 0x42, 0x43}
RESERVED_FOR_BITS = RESERVED_FOR_ALL
RESERVED_FOR_FLOATS = RESERVED_FOR_ALL | {0x5A, 0x5B, 0x5C}
RESERVED_FOR_TEXT = RESERVED_FOR_ALL | {0x61}

ALL_FALSE = 0x50
ALL_TRUE = 0x51
RAW_BITS = 0x52
BIG = 0x44
RAW_FLOATS = 0x58
CONSTANT_FLOAT = 0x59
PLAIN_TEXT = 0x60


@dataclass(frozen=True, slots=True)
class IntKind:
    """A kind of Ints (F-29): whether it is signed, and its range; `int` has no width."""

    name: str
    signed: bool
    width: int | None

    def holds(self, number: int) -> bool:
        """Whether the number lies in the kind's range (F-29)."""
        return self.width is None or _fits(number, self.width, self.signed)

    @property
    def wide(self) -> bool:
        """Whether the kind has numbers that do not fit 64 bits: u128, i128 and int."""
        return self.width is None or self.width > 64


INT_KINDS = {
    kind.name: kind
    for kind in [
        IntKind("int", True, None),
        *[IntKind(f"u{width}", False, width) for width in (8, 16, 32, 64, 128)],
        *[IntKind(f"i{width}", True, width) for width in (8, 16, 32, 64, 128)],
    ]
}
U64 = INT_KINDS["u64"]


@dataclass(frozen=True, slots=True)
class Ints:
    """The rows of a column of Ints, and where it stands, for F-27."""

    rows: list[int]
    start: int
    places: list[int]
    """The places of the varints where n < 4; else empty."""

    def check_below(self, bound: int) -> None:
        """F-27's check of the whole column, in row order."""
        for i, number in enumerate(self.rows):
            if number >= bound:
                # F-27: @ its varint where n < 4, @ the column's first byte where n >= 4.
                raise FormatError(
                    "index_out_of_range", self.places[i] if self.places else self.start
                )


def unknown_encoding(encoding: int, place: int, reserved: frozenset[int]) -> FormatError:
    """The error for an encoding byte that is not listed for the kind of column."""
    # Chapter 6: `unsupported` @ it if chapter 14 reserves it for that kind, else unknown.
    return FormatError("unsupported" if encoding in reserved else "unknown_encoding", place)


def read_bits(reader: Reader, n: int) -> Sequence[int]:
    """Bits, each 0 or 1 (F-28)."""
    if n <= 8:
        # F-28: one byte, row i is bit i.
        return _read_raw_bits(reader, n)
    place = reader.position
    encoding = reader.byte()
    if encoding == ALL_FALSE:
        return bytes(n)
    if encoding == ALL_TRUE:
        return b"\x01" * n
    if encoding == RAW_BITS:
        return _read_raw_bits(reader, n)
    raise unknown_encoding(encoding, place, RESERVED_FOR_BITS)


def _read_raw_bits(reader: Reader, n: int) -> bytes:
    # F-28: row i is bit i mod 8 of byte i/8.
    payload = reader.take(-(-n // 8))
    # F-28: the bits from n up MUST be zero: else `nonzero_padding` @ the last byte.
    if n % 8 and payload[-1] >> (n % 8):
        raise FormatError("nonzero_padding", reader.position - 1)
    return bytes([payload[i // 8] >> (i % 8) & 1 for i in range(n)])


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
    encoding = reader.byte()
    if _is_frame(encoding):
        return Ints(_read_frame(reader, kind, n, encoding, start), start, [])
    # F-29: big, only for u128, i128, int.
    if encoding == BIG and kind.wide:
        return Ints(_read_bigs(reader, budget, kind, n), start, [])
    raise unknown_encoding(encoding, start, RESERVED_FOR_INTS)


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
    if number is None or _fits(number, 64, kind.signed):
        raise FormatError("int_not_shortest", place)
    # F-29: the kind's range: else `int_out_of_range` @ the FF.
    if not kind.holds(number):
        raise FormatError("int_out_of_range", place)
    return number


def _fits(number: int, width: int, signed: bool) -> bool:
    low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
    return low <= number < high


def _is_frame(encoding: int) -> bool:
    # F-29: 00 to 39, 40, 80 to B9 and C0.
    width = encoding & 0x7F
    return width <= 57 or width == 64


def _read_frame(reader: Reader, kind: IntKind, n: int, encoding: int, place: int) -> list[int]:
    """What follows a frame's encoding byte, which stands at `place` (F-29)."""
    width = encoding & 0x7F
    base = 0
    if encoding & 0x80:
        # F-29: base as a varint (zigzag if signed). It is no row, so there is no escape.
        base = reader.varint()
        if kind.signed:
            base = from_zigzag(base)
    # F-29: the payload is n·w/8 bytes, rounded up.
    payload = reader.take(-(-n * width // 8))
    # F-29: unused bits of the last byte MUST be zero: else `nonzero_padding` @ that byte.
    used = n * width % 8
    if used and payload[-1] >> used:
        raise FormatError("nonzero_padding", reader.position - 1)
    if width == 0:
        rows = [_frame_row(base, 0, kind)] * n
    else:
        rows = [_frame_row(base, _bits_at(payload, i * width, width), kind) for i in range(n)]
    # F-29: a row outside the kind's range: `int_out_of_range` @ the encoding byte.
    if not (kind.holds(min(rows)) and kind.holds(max(rows))):
        raise FormatError("int_out_of_range", place)
    return rows


def _bits_at(payload: bytes, bit: int, width: int) -> int:
    # F-29: field i is the w bits from bit i·w on, counted from bit 0 of the first byte.
    window = payload[bit // 8 : (bit + width + 7) // 8]
    return int.from_bytes(window, "little") >> (bit % 8) & ((1 << width) - 1)


def _frame_row(base: int, field: int, kind: IntKind) -> int:
    # F-29: (base + field i) mod 2^64, then read as signed if the kind is signed.
    row = (base + field) % (1 << 64)
    return row - (1 << 64) if kind.signed and row >= 1 << 63 else row


def _read_inner_lengths(reader: Reader, n: int) -> list[int]:
    """The lengths inside Big and Text of 4 rows or more: Ints (u64) that MUST be a frame."""
    place = reader.position
    encoding = reader.byte()
    # F-29, F-32: else `bad_inner_encoding` @ its encoding byte, whatever it means elsewhere.
    if not _is_frame(encoding):
        raise FormatError("bad_inner_encoding", place)
    return _read_frame(reader, U64, n, encoding, place)


def _read_bigs(reader: Reader, budget: Budget, kind: IntKind, n: int) -> list[int]:
    """What follows the encoding byte 44 (F-29)."""
    place = reader.position
    lengths = _read_inner_lengths(reader, n)
    # F-29: a length of 0: `int_not_shortest` @ the inner encoding byte.
    if 0 in lengths:
        raise FormatError("int_not_shortest", place)
    start = reader.position
    size = sum(lengths)
    payload = reader.take(size)
    # F-29: that sum is charged @ the payload.
    budget.charge(size, start)
    rows = []
    # F-29: row by row.
    for at, item in _split(payload, lengths):
        number = from_big(item)
        # F-29: not in shortest form: `int_not_shortest` @ the big's first byte.
        if number is None:
            raise FormatError("int_not_shortest", start + at)
        # F-29: outside the kind's range: `int_out_of_range` @ the same.
        if not kind.holds(number):
            raise FormatError("int_out_of_range", start + at)
        rows.append(number)
    return rows


def _split(payload: bytes, lengths: list[int]) -> list[tuple[int, bytes]]:
    """The rows' bytes, one after the other, each with its place in the payload."""
    rows = []
    at = 0
    for length in lengths:
        rows.append((at, payload[at : at + length]))
        at += length
    return rows


def read_floats(reader: Reader, size: int, n: int) -> list[bytes]:
    """Floats of 4 or 8 bytes, as their bytes, so that every bit pattern is kept (F-30)."""
    if n < 4:
        # F-30: n raw values (one payload).
        return _read_raw_floats(reader, size, n)
    place = reader.position
    encoding = reader.byte()
    if encoding == RAW_FLOATS:
        return _read_raw_floats(reader, size, n)
    if encoding == CONSTANT_FLOAT:
        # F-30: one value (payload) for all rows.
        return [reader.take(size)] * n
    raise unknown_encoding(encoding, place, RESERVED_FOR_FLOATS)


def _read_raw_floats(reader: Reader, size: int, n: int) -> list[bytes]:
    payload = reader.take(size * n)
    return [payload[i * size : (i + 1) * size] for i in range(n)]


def read_text(reader: Reader, budget: Budget, n: int, *, utf8: bool) -> list[bytes]:
    """Text: the bytes of each row (F-32)."""
    if n < 4:
        # F-32: n lengths as varints.
        lengths = [reader.varint() for _ in range(n)]
    else:
        place = reader.position
        encoding = reader.byte()
        if encoding != PLAIN_TEXT:
            raise unknown_encoding(encoding, place, RESERVED_FOR_TEXT)
        lengths = _read_inner_lengths(reader, n)
    # F-32: a payload of the sum of the lengths; that sum is charged @ the payload.
    start = reader.position
    size = sum(lengths)
    payload = reader.take(size)
    budget.charge(size, start)
    rows = []
    for at, item in _split(payload, lengths):
        # F-32: string: each row MUST be UTF-8 by itself:
        # else `invalid_utf8` @ the first byte of the first row that is not.
        if utf8 and not _is_utf8(item):
            raise FormatError("invalid_utf8", start + at)
        rows.append(item)
    return rows


def _is_utf8(item: bytes) -> bool:
    try:
        item.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
