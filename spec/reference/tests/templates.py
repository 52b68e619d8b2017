"""Columns of text as templates (F-98), written for the tests."""

from __future__ import annotations

from collections.abc import Sequence

from holdall_reference.writer.numbers import varint

Slot = tuple[str, int, int]
"""How a number is written (`d`, `x` or `X`), in how many digits at least (0: without leading zeros), and the number."""
Row = Sequence[bytes | Slot]


def frame(numbers: Sequence[int]) -> bytes:
    """An inner frame of base 0, of 64 bits."""
    return b"\x40" + b"".join(number.to_bytes(8, "little") for number in numbers)


def template(row: Row) -> bytes:
    """The row's text with slots in place of numbers."""
    out = b""
    for part in row:
        if isinstance(part, bytes):
            out += part
        elif part[1] == 0:
            out += b"\xf8"
        else:
            out += bytes([{"d": 0xF9, "x": 0xFA, "X": 0xFB}[part[0]], part[1]])
    return out


def text(row: Row) -> bytes:
    """The text that a reader returns for it."""
    parts = [
        part if isinstance(part, bytes) else format(part[2], part[0]).rjust(part[1], "0").encode()
        for part in row
    ]
    return b"".join(parts)


def plain(items: Sequence[bytes]) -> bytes:
    """A column of these rows, from its encoding byte on."""
    return b"\x60" + frame(list(map(len, items))) + b"".join(items)


def dictionary(items: Sequence[bytes]) -> bytes:
    """The same as a dictionary of the rows that differ."""
    entries = list(dict.fromkeys(items))
    lengths = frame(list(map(len, entries)))
    indices = frame([entries.index(item) for item in items])
    return b"\x61" + varint(len(entries)) + lengths + b"".join(entries) + indices


def numbers(rows: Sequence[Row]) -> bytes:
    """What follows the templates."""
    slots = [[part[2] for part in row if not isinstance(part, bytes)] for row in rows]
    k = max(map(len, slots))
    out = varint(k)
    for j in range(k):
        column = [row[j] for row in slots if len(row) > j]
        out += varint(len(column)) + frame(column)
    return out
