"""The encoding bytes (F-57). Frames are a range of them: see frames.py."""

from __future__ import annotations

from holdall_reference.errors import FormatError

DELTA = 0x41
RUN_LENGTH = 0x42
PATCHED = 0x43
BIG = 0x44
ALL_FALSE = 0x50
ALL_TRUE = 0x51
RAW_BITS = 0x52
RAW_FLOATS = 0x58
CONSTANT_FLOAT = 0x59
NARROWED = 0x5A
DECIMAL = 0x5B
BYTE_PLANES = 0x5C
PLAIN_TEXT = 0x60
DICTIONARY = 0x61
ZSTD = 0x70

# F-57: reserved, for all kinds of columns.
RESERVED = range(0xE0, 0x100)


def unknown_encoding(encoding: int, place: int) -> FormatError:
    """The error for an encoding byte that is not listed for the kind of column."""
    # Chapter 6: `unsupported` @ it if chapter 14 reserves it for that kind, else unknown.
    return FormatError("unsupported" if encoding in RESERVED else "unknown_encoding", place)
