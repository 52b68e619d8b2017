"""Text (F-32, F-98)."""

from __future__ import annotations

from collections import Counter

from holdall_reference.columns.encodings import (
    DICTIONARY,
    PLAIN_TEXT,
    TEMPLATES,
    ZSTD,
    skip_marker,
    unknown_encoding,
)
from holdall_reference.columns.inner import read_inner_column
from holdall_reference.columns.templates import read_slots
from holdall_reference.columns.zstd import read_encoded
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader, split


def read_text(reader: Reader, budget: Budget, n: int, *, utf8: bool) -> list[bytes]:
    """Text: the bytes of each row (F-32)."""
    if n < 4 and not skip_marker(reader):
        # F-32: n lengths as varints, then a payload.
        lengths = [reader.varint() for _ in range(n)]
        return _read_items(reader, budget, lengths, utf8)

    return _read_encoded_text(reader, budget, n, utf8)


def _read_encoded_text(reader: Reader, budget: Budget, n: int, utf8: bool) -> list[bytes]:
    """Text from its encoding byte on (F-32)."""

    def read_rest(reader: Reader, encoding: int, place: int) -> list[bytes]:
        if encoding == PLAIN_TEXT:
            # F-32: inner column of n lengths, payload.
            lengths = read_inner_column(reader, n).rows
            return _read_items(reader, budget, lengths, utf8)
        if encoding == DICTIONARY:
            return _read_dictionary(reader, budget, n, place, utf8)
        if encoding == TEMPLATES:
            return _read_templates(reader, budget, n, place, utf8)
        raise unknown_encoding(encoding, place)

    return read_encoded(reader, budget, read_rest)


def _read_items(
    reader: Reader, budget: Budget | None, lengths: list[int], utf8: bool
) -> list[bytes]:
    """The bytes of rows, which are charged to the budget, or of entries, which are not (F-32)."""
    # F-32: a payload of the sum of the lengths.
    start = reader.position
    size = sum(lengths)
    payload = reader.take(size)
    if budget is not None:
        # F-32: for n < 4 and plain that sum is then charged @ the payload.
        budget.charge(size, start)
    items = []
    for at, item in split(payload, lengths):
        # F-32: string: each MUST be UTF-8 by itself:
        # else `invalid_utf8` @ the first byte of the first that is not.
        if utf8 and not _is_utf8(item):
            raise FormatError("invalid_utf8", start + at)
        items.append(item)
    return items


def _read_dictionary(
    reader: Reader, budget: Budget, n: int, column_place: int, utf8: bool
) -> list[bytes]:
    """What follows the encoding byte 61 (F-32)."""
    place = reader.position
    d = reader.varint()
    # F-32: d is 1 to n: else `bad_dictionary` @ d.
    if not 1 <= d <= n:
        raise FormatError("bad_dictionary", place)
    lengths = read_inner_column(reader, d).rows
    entries = _read_items(reader, None, lengths, utf8)
    indices = read_inner_column(reader, n)
    # F-32: an index of d or more: `index_out_of_range` @ the indices' encoding byte.
    if max(indices.rows) >= d:
        raise FormatError("index_out_of_range", indices.place)
    # F-32: then the sum of the lengths of all rows, each entry counted as often as it is used,
    # is charged @ the column's first byte.
    uses = Counter(indices.rows)
    budget.charge(sum(lengths[index] * count for index, count in uses.items()), column_place)
    return [entries[index] for index in indices.rows]


def _read_templates(
    reader: Reader, budget: Budget, n: int, column_place: int, utf8: bool
) -> list[bytes]:
    """What follows the encoding byte 62 (F-98)."""
    place = reader.position
    # F-98: a Text column of bytes, from its encoding byte on; neither plain, dictionary nor zstd:
    # `bad_inner_encoding` @ that byte.
    if reader.byte() not in (PLAIN_TEXT, DICTIONARY, ZSTD):
        raise FormatError("bad_inner_encoding", place)
    reader.position = place
    templates = _read_encoded_text(reader, budget, n, False)
    rows = read_slots(reader, budget, templates, place, column_place)
    # F-98: last of all, a string that is not UTF-8 by itself:
    # `invalid_utf8` @ the column's first byte.
    if utf8 and not all(_is_utf8(row) for row in rows):
        raise FormatError("invalid_utf8", column_place)
    return rows


def _is_utf8(item: bytes) -> bool:
    try:
        item.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
