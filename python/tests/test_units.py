"""The memory that objects take for each unit of the budget, kind by kind."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

import holdall
import pytest
from holdall import Limits
from sample_values import EVERY, named

#: SECURITY.md names this factor: bytes of memory for each unit that reading costs.
FACTOR = 32
ROWS = 1_000

#: The smallest rows of kinds that are not among the samples.
SMALL: list[Any] = [
    {},
    (None,),
    [None],
    {"a": None},
    holdall.Record("x.Y"),
    holdall.Record("x.Y", a=None),
    holdall.Variant("V"),
    holdall.Extension("x.z"),
    holdall.Logical(0xE5),
]


def cost_of(data: bytes) -> int:
    """The units that reading takes, within a twentieth."""
    low, high = 0, 1

    def is_enough(budget: int) -> bool:
        try:
            holdall.loads(data, limits=Limits(budget=budget))
        except holdall.LimitError as error:
            assert error.code == "limit_budget"
            return False
        return True

    while not is_enough(high):
        low, high = high, 2 * high
    while high - low > max(1, high // 20):
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


@pytest.mark.parametrize("value", named([*EVERY, *SMALL]))
def test_memory_for_each_unit_is_bounded(value: Any) -> None:
    rows = [value] * ROWS
    data = holdall.dumps(rows, references=False)
    cost = cost_of(data)
    # What is found once for each class is kept.
    holdall.loads(data)
    gc.collect()
    tracemalloc.start()
    try:
        back = holdall.loads(data)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(back) == ROWS
    # What is stored as it is costs no units, only its length. The constant is for what any message takes.
    assert taken <= FACTOR * cost + 2 * len(data) + 64_000, (
        f"{taken / cost:.1f} bytes for each unit"
    )
