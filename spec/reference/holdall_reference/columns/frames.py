"""Kinds of integers, and the one encoding that others build on: frames (F-29, F-59)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from holdall_reference.errors import FormatError
from holdall_reference.numbers import Reader, from_zigzag


@dataclass(frozen=True, slots=True)
class IntKind:
    """A kind of Ints (F-29): whether it is signed, and its range; `int` has no width."""

    name: str
    signed: bool
    width: int | None

    def holds(self, number: int) -> bool:
        """Whether the number lies in the kind's range (F-29)."""
        return self.width is None or fits(number, self.width, self.signed)

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

# F-69: frames of width 16, 32 or 64 with base 0, that are not inside another encoding.
PADDED_FRAMES = frozenset({0x10, 0x20, 0x40})


def fits(number: int, width: int, signed: bool) -> bool:
    """Whether the number fits into this many bits."""
    low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
    return low <= number < high


def wrapped(number: int, signed: bool) -> int:
    """The number mod 2^64, then read as signed (two's complement) if the kind is (F-29)."""
    number %= 1 << 64
    return number - (1 << 64) if signed and number >= 1 << 63 else number


def check_range(rows: list[int], kind: IntKind, place: int) -> None:
    """F-29: a row outside the kind's range."""
    if not (kind.holds(min(rows)) and kind.holds(max(rows))):
        raise FormatError("int_out_of_range", place)


def is_frame(encoding: int) -> bool:
    """Whether the byte is one of a frame (F-29)."""
    # F-29: 00 to 39, 40, 80 to B9 and C0.
    width = encoding & 0x7F
    return width <= 57 or width == 64


def read_frame(
    reader: Reader, signed: bool, n: int, encoding: int, *, padded: bool = False
) -> list[int]:
    """What follows a frame's encoding byte (F-29), without the check of the kind's range."""
    width = encoding & 0x7F
    base = 0
    if encoding & 0x80:
        # F-29: base as a varint (zigzag if signed).
        base = reader.varint()
        if signed:
            base = from_zigzag(base)
    # F-29: the payload is n·w/8 bytes, rounded up.
    size = -(-n * width // 8)
    is_padded = padded and encoding in PADDED_FRAMES
    payload = reader.take_padded(size) if is_padded else reader.take(size)
    check_unused(reader, payload, n * width)
    # F-29: row i is (base + field i) mod 2^64, then read as signed if the kind is signed.
    if width == 0:
        return [wrapped(base, signed)] * n
    return [wrapped(base + bits_at(payload, i * width, width), signed) for i in range(n)]


def check_unused(reader: Reader, payload: bytes, bits: int) -> None:
    """F-29: of a payload just read, with this many bits, the unused ones of the last byte are zero."""
    used = bits % 8
    if used and payload[-1] >> used:
        raise FormatError("nonzero_padding", reader.position - 1)


def bits_at(payload: bytes, bit: int, width: int) -> int:
    """This many bits of a payload as a number."""
    # F-29: field i is the w bits from bit i·w on, counted from bit 0 of the first byte.
    window = payload[bit // 8 : (bit + width + 7) // 8]
    return int.from_bytes(window, "little") >> (bit % 8) & ((1 << width) - 1)


class Inner(NamedTuple):
    """The rows of an inner column, and the offset of its encoding byte."""

    rows: list[int]
    place: int


def read_inner_frame(reader: Reader, m: int, *, signed: bool = False) -> Inner:
    """An inner frame of m rows (F-59). Kinds u64 and i64 have every row, so none is checked."""
    place = reader.position
    encoding = reader.byte()
    # F-59: any other encoding byte, reserved or not: `bad_inner_encoding` @ it.
    if not is_frame(encoding):
        raise FormatError("bad_inner_encoding", place)
    return Inner(read_frame(reader, signed, m, encoding), place)
