"""Shapes stored with each row (F-31, form 2)."""

from __future__ import annotations

from holdall_reference.columns import U64, read_ints
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader


def read_sparse(reader: Reader, budget: Budget, n: int, field_count: int) -> list[list[int]]:
    """The field numbers of each row, form 2 (F-31)."""
    # F-31: each row's count of fields, at most c.
    counts = read_ints(reader, budget, U64, n)
    counts.check_below(field_count + 1)
    total = sum(counts.rows)
    if total == 0:
        return [[]] * n
    # F-31: if their sum m is not 0, 8·m units are charged @ the current position.
    budget.charge(8 * total, reader.position)
    # F-31: then Ints (u64) with m rows: the field numbers of all rows, below c.
    numbers = read_ints(reader, budget, U64, total)
    numbers.check_below(field_count)
    shapes = []
    at = 0
    for size in counts.rows:
        shape = numbers.rows[at : at + size]
        at += size
        # F-31: then, in row order, a field number twice in one row:
        # `bad_shape` @ the first byte of this second column.
        if len(set(shape)) < size:
            raise FormatError("bad_shape", numbers.start)
        shapes.append(shape)
    return shapes
