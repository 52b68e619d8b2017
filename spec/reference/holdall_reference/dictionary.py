"""Messages with a dictionary (F-101)."""

from __future__ import annotations

from collections.abc import Iterable

from holdall_reference.columns.zstd import MAGIC, decompressed, stated_size
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader
from holdall_reference.schema import fingerprint


def dictionary_hash(dictionary: bytes) -> int:
    """The hash by which messages name a dictionary: computed as that of a schema's bytes (F-22)."""
    return fingerprint(dictionary)


def open_content(reader: Reader, dictionaries: Iterable[bytes], budget: Budget) -> Reader:
    """Read hash and frame, and return a reader at the content, which is in the place of the frame."""
    place = reader.position
    # F-101: 8 bytes, little-endian; a dictionary that the reader does not have: @ them.
    number = int.from_bytes(reader.take(8), "little")
    known = {dictionary_hash(dictionary): dictionary for dictionary in dictionaries}
    if number not in known:
        raise FormatError("unknown_dictionary", place)
    place = reader.position
    # F-101: the frame is all that is left, without its first 4 bytes.
    frame = MAGIC + reader.take(reader.remaining)
    # F-101, F-60: what shows that it is no such frame, without decompressing it.
    size = stated_size(frame)
    if size is None:
        raise FormatError("bad_zstd", place)
    # F-101: u units are charged @ the frame, before there is room for u bytes (F-38).
    budget.charge(size, place)
    content = decompressed(frame, size, known[number])
    if content is None:
        raise FormatError("bad_zstd", place)
    # F-101: offsets count on from the frame's first byte.
    inside = Reader(reader.data[:place] + content)
    inside.position = place
    return inside
