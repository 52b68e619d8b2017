"""Tensors (F-76) and packed rows (F-70): what has no columns inside."""

from __future__ import annotations

from typing import NamedTuple

from holdall_reference import columns
from holdall_reference.columns import PADDED_MULTIPLE, PADDED_SIZE, U64
from holdall_reference.errors import FormatError
from holdall_reference.limits import MAX_RANK, Budget
from holdall_reference.numbers import Reader
from holdall_reference.packable import bad_bool, width
from holdall_reference.schema import Type

# F-69: where large elements of a tensor's row start.
LARGE_SIZE = 4096
LARGE_MULTIPLE = 64


class Tensors(NamedTuple):
    """The rows of a tensor's site."""

    dimensions: list[list[int]]
    orders: list[int]
    elements: list[bytes]


def read_tensors(reader: Reader, budget: Budget, item: Type, n: int) -> Tensors:
    """Tensors of a packable type (F-76)."""
    # F-76: of each row, its number of dimensions; more than 32: `limit_rank`.
    ranks = columns.read_ints(reader, budget, U64, n)
    ranks.check_below(MAX_RANK + 1, "limit_rank")
    total = sum(ranks.rows)
    numbers: list[int] = []
    # F-76: dimensions of all rows, one row after the other; if R > 0.
    if total:
        # F-76: before it is read, 8·R units are charged @ it.
        budget.charge(8 * total, reader.position)
        numbers = columns.read_ints(reader, budget, U64, total).rows
    orders = columns.read_bits(reader, budget, n)
    dimensions = []
    elements = []
    at = 0
    size = width(item)
    for rank in ranks.rows:
        dimensions.append(numbers[at : at + rank])
        at += rank
        # F-76: the product of its dimensions, 1 for rank 0.
        count = 1
        for dimension in dimensions[-1]:
            count *= dimension
        reader.skip_padding(elements_multiple(count * size))
        elements.append(_take_packable(reader, item, count * size))
    return Tensors(dimensions, list(orders), elements)


def elements_multiple(size: int) -> int:
    """Where the elements of a tensor's row start (F-69)."""
    if size >= LARGE_SIZE:
        return LARGE_MULTIPLE
    return PADDED_MULTIPLE if size >= PADDED_SIZE else 1


def read_packed(reader: Reader, item: Type, n: int) -> list[bytes]:
    """Rows of a packable type, row by row (F-24)."""
    size = width(item)
    # F-69: before packed rows of 64 bytes or more.
    if n * size >= PADDED_SIZE:
        reader.skip_padding(PADDED_MULTIPLE)
    payload = _take_packable(reader, item, n * size)
    return [payload[i * size : (i + 1) * size] for i in range(n)]


def _take_packable(reader: Reader, item: Type, size: int) -> bytes:
    start = reader.position
    payload = reader.take(size)
    # F-24, F-76: a bool other than 00 and 01: `bad_bool` @ it.
    at = bad_bool(item, payload)
    if at is not None:
        raise FormatError("bad_bool", start + at)
    return payload
