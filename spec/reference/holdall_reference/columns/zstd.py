"""zstd around a column (F-60)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from holdall_reference.columns.encodings import LATER, TEMPLATES, ZSTD
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader

T = TypeVar("T")

# F-60: a frame does not pay off for fewer bytes.
SMALLEST_CONTENT = 256

# RFC 8878, 3.1.1: Zstandard frames.
MAGIC = bytes.fromhex("28 B5 2F FD")
# F-60: a Window_Size of 2^27: exponent 17, mantissa 0.
LARGEST_WINDOW = 0x88
RESERVED_BIT = 0x08
RLE_BLOCK, RESERVED_BLOCK = 1, 3


def read_encoded(reader: Reader, budget: Budget, read_rest: Callable[[Reader, int, int], T]) -> T:
    """A column from its encoding byte on, which may be 70.

    `read_rest` gets any other encoding byte and its offset, and reads what follows.
    """
    place = reader.position
    encoding = reader.byte()
    if encoding != ZSTD:
        return read_rest(reader, encoding, place)
    size_place = reader.position
    # F-60: varint u, varint c; u < 256, or c >= u: `bad_zstd` @ u.
    size = reader.varint()
    payload_size = reader.varint()
    if size < SMALLEST_CONTENT or payload_size >= size:
        raise FormatError("bad_zstd", size_place)
    payload_place = reader.position
    payload = reader.take(payload_size)
    # F-60: u units are charged @ the payload, before there is room for u bytes (F-38).
    budget.charge(size, payload_place)
    content = _content(payload, size)
    # F-60: what is not such a frame: `bad_zstd` @ the payload.
    if content is None:
        raise FormatError("bad_zstd", payload_place)
    inside = Reader(content)
    try:
        inner_encoding = inside.byte()
        # F-60: the encoding byte inside is 62, 70, or E0 or more: `bad_inner_encoding`.
        if inner_encoding in (TEMPLATES, ZSTD) or inner_encoding in LATER:
            raise FormatError("bad_inner_encoding", 0)
        column = read_rest(inside, inner_encoding, 0)
    except FormatError as fault:
        # F-60: any fault inside is reported with its code @ the outer 70.
        raise FormatError(fault.code, place) from None
    # F-60: bytes after the column inside: `bad_zstd` @ the payload.
    if inside.remaining:
        raise FormatError("bad_zstd", payload_place)
    return column


def _content(payload: bytes, size: int) -> bytes | None:
    """Return the content of the payload's frame, or None if it is not a frame by F-60."""
    return decompressed(payload, size) if stated_size(payload) == size else None


def decompressed(frame: bytes, size: int, dictionary: bytes | None = None) -> bytes | None:
    """Return the content of a frame that states this size, or None if its blocks do not give it."""
    import zstandard  # only columns with encoding 70, and dictionaries, need it

    trained = None if dictionary is None else zstandard.ZstdCompressionDict(dictionary)
    try:
        # The frame declares `size`, which has been charged, so no more than that is allocated.
        # F-60: libzstd checks the checksum, if there is one.
        content = zstandard.ZstdDecompressor(dict_data=trained).decompress(frame)
    except zstandard.ZstdError:
        return None
    assert len(content) == size, "libzstd holds a frame to the size that its header states"
    return content


def stated_size(frame: bytes) -> int | None:
    """The size of its content that one Zstandard frame states, as far as header and block sizes show.

    None if the input is not one frame by F-60.
    """
    try:
        return _read_frame(Reader(frame))
    except FormatError:
        return None


def _read_frame(reader: Reader) -> int | None:
    # F-60: no skippable frame, nor one of the formats before RFC 8878.
    if reader.take(4) != MAGIC:
        return None
    descriptor = reader.byte()
    size_flag, single_segment, dictionary_flag = (
        descriptor >> 6,
        descriptor >> 5 & 1,
        descriptor & 3,
    )
    if descriptor & RESERVED_BIT:
        return None
    # F-60: a Window_Descriptor of at most 88; a single segment has none.
    if not single_segment and reader.byte() > LARGEST_WINDOW:
        return None
    # F-60: Dictionary_ID absent or 0.
    if int.from_bytes(reader.take((0, 1, 2, 4)[dictionary_flag]), "little"):
        return None
    # F-60: u is stated as Frame_Content_Size.
    if size_flag == 0 and not single_segment:
        return None
    size = int.from_bytes(reader.take(1 << size_flag), "little")
    # F-60: the frame ends where the payload ends. A block begins with 3 bytes:
    # whether it is the last one, its type, its size.
    last = False
    while not last:
        header = int.from_bytes(reader.take(3), "little")
        last, block_type, block_size = bool(header & 1), header >> 1 & 3, header >> 3
        if block_type == RESERVED_BLOCK:
            return None
        reader.take(1 if block_type == RLE_BLOCK else block_size)
    if descriptor >> 2 & 1:
        reader.take(4)  # Content_Checksum
    return size + (256 if size_flag == 1 else 0) if reader.remaining == 0 else None
