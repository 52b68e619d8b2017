"""Columns with encoding 70 (F-60) for the tests, with frames built by hand after RFC 8878."""

from __future__ import annotations

import zstandard
from holdall_reference import Tagged
from holdall_reference.writer.numbers import varint

from tests.kinds import BOOL, BYTES, F16, F64, INT, STRING, U8, U64, ints, unsigned
from tests.rans import Bin, write_bins
from tests.support import hx

MAGIC = "28 B5 2F FD"
SEVENS = ints(U8, *[7] * 300)
# 301 bytes: a frame of 300 rows with 8 bits, all 7. A raw block of 1 byte, a last one of a run.
CONTENT = b"\x08" + b"\x07" * 300
BLOCKS = "08 00 00 08 63 09 00 07"
# A single segment; Frame_Content_Size in 2 bytes, to which 256 is added.
FRAME = MAGIC + "60 2D 00" + BLOCKS
LENGTH = "B1 04"


def wrapped(frame: str, size: int = 301) -> str:
    """A list of 300: the encoding is at 2, u at 3, and mostly c at 5, the payload at 6."""
    return LENGTH + "70" + unsigned(size) + unsigned(len(hx(frame))) + frame


def compressed(column: bytes) -> bytes:
    """A column in a column with encoding 70."""
    frame = zstandard.ZstdCompressor().compress(column)
    return b"\x70" + varint(len(column)) + varint(len(frame)) + frame


def checksum() -> str:
    """The Content_Checksum of CONTENT: a frame of libzstd ends with it."""
    return zstandard.ZstdCompressor(write_checksum=True).compress(CONTENT)[-4:].hex()


INSIDE: list[tuple[str, bytes, Tagged]] = [
    # The schema of a list's items, their column from its encoding byte on, the list.
    (BOOL, b"\x52" + b"\x55" * 300, ["list", [["bool", i % 2 == 0] for i in range(2400)]]),
    (U8, CONTENT, SEVENS),
    (INT, b"\x88\x02" + CONTENT[1:], ints(INT, *[7 - 1] * 300)),
    (U64, b"\x41\x0a\x08" + b"\x01" * 299, ints(U64, *range(5, 305))),
    (U8, b"\x42\x02\x04\x08" + b"\x03" * 300, SEVENS),
    (U8, write_bins(1, [Bin(0, 0, 1), Bin(7, 8, 1)], [(1, 0)] * 300), SEVENS),
    (INT, b"\x44\x80\x02" + b"\x07" * 300, ints(INT, *[7] * 300)),
    (F64, b"\x58" + b"\x00" * 2400, ["list", [["f64", "0" * 16]] * 300]),
    (F64, b"\x5b\x00" + CONTENT + b"\x00", ["list", [["f64", "401c000000000000"]] * 300]),
    (F16, b"\x5c\x10" + b"\xc0" * 600, ["list", [["f16", "c0c0"]] * 300]),
    (STRING, b"\x60\x80\x02" + b"a" * 300, ["list", [["string", "a"]] * 300]),
    (
        BYTES,
        b"\x61\x02\x80" + varint(300) + b"\xff" * 300 + b"\x00",
        ["list", [["bytes", "ff" * 300]] * 300],
    ),
]
