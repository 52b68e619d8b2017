"""The memory and the time that objects take for each unit of the budget, kind by kind."""

from __future__ import annotations

import gc
import time
import tracemalloc
from typing import Any

import holdall
import pytest
from conftest import ALL_ROUNDS
from holdall import Limits
from sample_values import EVERY, named

#: SECURITY.md names this factor: bytes of memory for each unit that reading costs.
FACTOR = 32
#: Seconds for each unit. Most kinds take a thousandth of it; a build with debug assertions takes longer.
TIME = 20e-6
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


def is_enough(data: bytes, budget: int) -> bool:
    """Whether reading takes at most this many units."""
    try:
        holdall.loads(data, limits=Limits(budget=budget))
    except holdall.LimitError as error:
        assert error.code == "limit_budget"
        return False
    return True


@pytest.mark.parametrize("value", named([*EVERY, *SMALL])[:: 1 if ALL_ROUNDS else 3])
def test_memory_and_time_for_each_unit_are_bounded(value: Any) -> None:
    rows = [value] * ROWS
    data = holdall.dumps(rows, references=False)
    # What is found once for each class is kept.
    holdall.loads(data)
    start = time.process_time()
    holdall.loads(data)
    seconds = time.process_time() - start
    too_few = int((seconds - 0.1) / TIME)
    assert too_few <= 0 or not is_enough(data, too_few), f"{too_few} units pay for {seconds} s"
    gc.collect()
    tracemalloc.start()
    try:
        back = holdall.loads(data)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(back) == ROWS
    # What is stored as it is costs no units, only its length. The constant is for what any message takes.
    too_few = (taken - 2 * len(data) - 64_000 - 1) // FACTOR
    assert too_few < 0 or not is_enough(data, too_few), f"{too_few} units pay for {taken} bytes"
