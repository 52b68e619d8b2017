"""Tensors (F-76) and packed rows (F-70), which have no inner columns."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from holdall_reference import columns
from holdall_reference.columns import U64
from holdall_reference.errors import FormatError
from holdall_reference.limits import MAX_RANK, Budget
from holdall_reference.numbers import Reader, split
from holdall_reference.packable import bad_bool, width
from holdall_reference.schema import Type


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
    counts = []
    at = 0
    for rank in ranks.rows:
        dimensions.append(numbers[at : at + rank])
        at += rank
        # F-76: the product of its dimensions, 1 for rank 0.
        counts.append(prod(dimensions[-1]))
    # F-76: the elements of all rows, one row after the other.
    payload = _read_packable(reader, budget, item, sum(counts), item)
    sizes = [count * width(item) for count in counts]
    elements = [each for _, each in split(payload, sizes)]
    return Tensors(dimensions, list(orders), elements)


def read_packed(reader: Reader, budget: Budget, item: Type, n: int) -> list[bytes]:
    """Rows of a packable type, row by row (F-24)."""
    payload = _read_packable(reader, budget, item, n, None)
    return [each for _, each in split(payload, [width(item)] * n)]


def _read_packable(
    reader: Reader, budget: Budget, item: Type, n: int, element: Type | None
) -> bytes:
    raw = columns.read_raw(reader, budget, n, width(item), element)
    # F-94: a bool other than 00 and 01: `bad_bool` @ it, or @ the column's first byte.
    at = bad_bool(item, raw.payload)
    if at is not None:
        raise FormatError("bad_bool", raw.place(at))
    return raw.payload
