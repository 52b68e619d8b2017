"""Metadata (F-68): pairs of strings in a message's head."""

from __future__ import annotations

from holdall_reference.errors import FormatError
from holdall_reference.numbers import Reader, check_count


def read_metadata(reader: Reader) -> dict[str, str]:
    """The pairs in the order in which they were written."""
    place = reader.position
    count = reader.varint()
    # F-68: the count check of F-13.
    check_count(reader, count, place)
    pairs: dict[str, str] = {}
    for _ in range(count):
        place = reader.position
        key = _read_string(reader)
        # F-68: an earlier pair has it: `duplicate_name` @ its length.
        if key in pairs:
            raise FormatError("duplicate_name", place)
        pairs[key] = _read_string(reader)
    return pairs


def _read_string(reader: Reader) -> str:
    # F-68: a length, and a payload of UTF-8.
    length = reader.varint()
    start = reader.position
    try:
        return reader.take(length).decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError("invalid_utf8", start) from None
