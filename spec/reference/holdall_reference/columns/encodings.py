"""The encoding bytes (F-57). Frames are a range of them: see frames.py."""

from __future__ import annotations

from holdall_reference.errors import FormatError
from holdall_reference.numbers import Reader

DELTA = 0x41
SCALED = 0x42
BIG = 0x44
WIDTHS = 0x45
BINS = 0x46
ALL_FALSE = 0x50
ALL_TRUE = 0x51
RAW_BITS = 0x52
RAW = 0x48
RAW_PLANES = 0x49
RAW_FLOATS = 0x58
CONSTANT_FLOAT = 0x59
DECIMAL = 0x5B
PATTERNS = 0x5C
PLAIN_TEXT = 0x60
DICTIONARY = 0x61
TEMPLATES = 0x62
ZSTD = 0x70

# F-77: those of later versions, for all kinds of columns.
LATER = range(0xE0, 0x100)

# Chapter 6: before the encoding byte of a column of fewer than 4 rows.
MARKER = bytes([0x01, 0x00])


def unknown_encoding(encoding: int, place: int) -> FormatError:
    """The error for an encoding byte that is not listed for the kind of column."""
    # F-77: from E0 up `unsupported` @ the byte, in a column that says how many rows another one
    # has, or which, and in the orders of tensors: `skip_later` has not been asked about it.
    return FormatError("unsupported" if encoding in LATER else "unknown_encoding", place)


def skip_marker(reader: Reader) -> bool:
    """Consume a marker if the next byte is one, and return whether it was."""
    # Chapter 6: no varint in its shortest form begins so.
    if reader.remaining < len(MARKER) or not reader.data.startswith(MARKER, reader.position):
        return False
    reader.take(len(MARKER))
    return True


def skip_later(reader: Reader, *, behind_marker: bool = False) -> bool:
    """Skip a column of values if its encoding is of a later version (F-77)."""
    start = reader.position
    if behind_marker and not skip_marker(reader):
        return False
    if not reader.remaining or reader.data[reader.position] not in LATER:
        reader.position = start
        return False
    # F-77: encoding byte, varint b, b bytes (payload), both skipped.
    reader.byte()
    reader.take(reader.varint())
    return True
