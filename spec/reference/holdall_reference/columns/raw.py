"""Raw (F-94): rows of a fixed width, of fixed, packed and the elements of tensors."""

from __future__ import annotations

from typing import NamedTuple

from holdall_reference.columns.encodings import RAW, RAW_PLANES, unknown_encoding
from holdall_reference.columns.floats import read_encoded_floats
from holdall_reference.columns.frames import INT_KINDS
from holdall_reference.columns.ints import read_encoded_ints
from holdall_reference.columns.zstd import read_encoded
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader
from holdall_reference.schema import (
    FLOAT_SIZES,
    SCALAR_NAMES,
    Extension,
    Logical,
    Scalar,
    Type,
)

# F-94: columns of fewer bytes have no encoding byte.
ENCODED_SIZE = 64


class Raw(NamedTuple):
    """The rows of a column, one after the other."""

    payload: bytes
    start: int
    in_place: bool
    """Whether `start` is where the payload is stored in the input unchanged; otherwise, where the column is."""

    def place(self, at: int) -> int:
        """Where a fault of a byte is reported."""
        return self.start + at if self.in_place else self.start


def read_raw(reader: Reader, budget: Budget, n: int, size: int, item: Type | None = None) -> Raw:
    """n rows of this many bytes each; `item` is the type of a tensor's elements (F-94)."""
    total = n * size
    start = reader.position
    if total < ENCODED_SIZE:
        return Raw(reader.take(total), start, in_place=True)
    in_place = reader.data[start : start + 1] == bytes([RAW])

    def read_rest(reader: Reader, encoding: int, place: int) -> bytes:
        if encoding == RAW:
            return reader.take_padded(total)
        # F-94: r·w units are charged @ the encoding byte, but for 48 and 70.
        budget.charge(total, place)
        if encoding == RAW_PLANES:
            return _read_planes(reader, n, size)
        number = _number(item)
        if number in FLOAT_SIZES:
            return b"".join(read_encoded_floats(reader, size, n, encoding, place))
        if number is not None:
            kind = INT_KINDS[SCALAR_NAMES[number]]
            rows = read_encoded_ints(reader, budget, kind, n, encoding, place)
            return b"".join([row.to_bytes(size, "little", signed=kind.signed) for row in rows])
        raise unknown_encoding(encoding, place)

    payload = read_encoded(reader, budget, read_rest)
    return Raw(payload, reader.position - total if in_place else start, in_place)


def _number(item: Type | None) -> int | None:
    """The code of the integer or float that elements are, also under a meaning or a name (F-94)."""
    while isinstance(item, Logical | Extension):
        item = item.storage if isinstance(item, Logical) else item.item
    is_number = isinstance(item, Scalar) and SCALAR_NAMES[item.code] in INT_KINDS
    if isinstance(item, Scalar) and (is_number or item.code in FLOAT_SIZES):
        return item.code
    return None


def _read_planes(reader: Reader, n: int, size: int) -> bytes:
    """What follows the encoding byte 49 (F-94)."""
    planes = []
    # F-94: for each byte of a row, lowest first.
    for _ in range(size):
        place = reader.position
        marker = reader.byte()
        # F-94: a marker other than 00 and 01: `bad_planes` @ it.
        if marker not in (0, 1):
            raise FormatError("bad_planes", place)
        # F-94: 00 and n bytes (payload), or 01 and one byte for all rows.
        planes.append(reader.take(1) * n if marker else reader.take(n))
    return b"".join([bytes(row) for row in zip(*planes, strict=True)])
