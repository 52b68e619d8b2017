"""Chapters 1 and 2: the input and its numbers."""

from __future__ import annotations

from holdall_reference.errors import FormatError
from holdall_reference.limits import may_be_filled

# F-69: where the block and large raw payloads start.
PADDED_SIZE = 4096
PADDED_MULTIPLE = 64


class Reader:
    """A position in the input. F-1: it only moves forward; reading ends at the first fault."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0
        # F-67: where the input ends: before the checksum, if there is one.
        self.end = len(data)
        # F-69: whether there is padding. In bare bodies and inside zstd there is none.
        self.aligned = False
        # F-39: the length of the whole input, which may be longer than this part.
        self.whole = len(data)

    @property
    def remaining(self) -> int:
        """The number of bytes from the current position to the end of the input (chapter 1)."""
        return self.end - self.position

    def take(self, size: int) -> bytes:
        """An item of that many bytes: a payload, a name's bytes, an 8-byte number."""
        # F-2: `truncated` at the item's first byte.
        if size > self.remaining:
            raise FormatError("truncated", self.position)
        item = self.data[self.position : self.position + size]
        self.position += size
        return item

    def byte(self) -> int:
        """A single byte, an item by itself (F-2)."""
        return self.take(1)[0]

    def skip_padding(self, multiple: int) -> None:
        """Zero bytes up to a multiple of the message's offsets, if it is aligned (F-69)."""
        if not self.aligned:
            return
        start = self.position
        # F-69: padding is an item of its own; a byte of it that is not zero: @ it.
        for at, byte in enumerate(self.take(-start % multiple)):
            if byte:
                raise FormatError("nonzero_padding", start + at)

    def skip_filler(self) -> None:
        """Read the zero bytes after the block up to the end, where the format allows them (F-95)."""
        rest = self.data[self.position : self.end]
        if may_be_filled(self.whole) and not rest.strip(b"\0"):
            self.position = self.end

    def take_padded(self, size: int) -> bytes:
        """A payload of raw rows, with padding before it if it is large (F-69)."""
        if size >= PADDED_SIZE:
            self.skip_padding(PADDED_MULTIPLE)
        return self.take(size)

    def varint(self) -> int:
        """A varint in its shortest form (F-3, F-4)."""
        place = self.position
        # F-2: the varint is one item, so a missing tail is reported @ its first byte.
        if self.remaining == 0:
            raise FormatError("truncated", self.position)
        # F-3: k is the number of consecutive one bits, from bit 0.
        first = self.data[self.position]
        k = 0
        while k < 8 and first >> k & 1:
            k += 1
        item = self.take(k + 1)
        # F-3: the bytes as one little-endian number, shifted right by k+1 bits;
        # for k = 8, where those bits fill the first byte, the 8 bytes after it.
        value = int.from_bytes(item[1:] if k == 8 else item, "little")
        if k < 8:
            value >>= k + 1
        # F-4: the value lies in the row of the table, which begins at 2^(7k):
        # else `varint_overlong` @ the varint's first byte.
        if k > 0 and value < 1 << (7 * k):
            raise FormatError("varint_overlong", place)
        return value


def check_count(reader: Reader, count: int, place: int) -> None:
    """F-13's check of a count, before anything is allocated for it."""
    # F-13: a count greater than the number of remaining bytes after it: `truncated` @ the count.
    if count > reader.remaining:
        raise FormatError("truncated", place)


def from_zigzag(number: int) -> int:
    """The signed number that zigzag maps to this one (F-5)."""
    # F-5: u/2 for even u, -(u+1)/2 for odd u.
    return number // 2 if number % 2 == 0 else -((number + 1) // 2)


def from_big(item: bytes) -> int | None:
    """The number that a big holds, or None if it is not in shortest form (F-6)."""
    # F-6: at least one byte.
    if not item:
        return None
    if len(item) > 1:
        # F-6: the last byte MUST NOT be 00 after a byte with bit 7 clear,
        # nor FF after a byte with bit 7 set.
        negative = item[-2] >= 0x80
        if item[-1] == (0xFF if negative else 0x00):
            return None
    return int.from_bytes(item, "little", signed=True)


def split(payload: bytes, lengths: list[int]) -> list[tuple[int, bytes]]:
    """The items of a payload, one after the other, each with its place in it."""
    items = []
    at = 0
    for length in lengths:
        items.append((at, payload[at : at + length]))
        at += length
    return items
