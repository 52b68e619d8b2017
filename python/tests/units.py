"""The memory and the time that reading takes for each unit of the budget."""

from __future__ import annotations

import gc
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import holdall
from holdall import Limits

#: SECURITY.md names this factor: bytes of memory for each unit that reading costs.
FACTOR = 32
#: Seconds for each unit, as in SECURITY.md. Most kinds take a hundredth of it, the slowest a tenth: machines
#: differ, and builds for tests are slower.
TIME = 10e-6
ROWS = 1_000

#: Reads a message, with options.
Load = Callable[..., Any]


def is_enough(data: bytes, budget: int, load: Load) -> bool:
    """Whether reading takes at most this many units."""
    try:
        load(data, limits=Limits(budget=budget))
    except holdall.LimitError as error:
        assert error.code == "limit_budget"
        return False
    return True


def timed(data: bytes, load: Load) -> float:
    start = time.process_time()
    load(data)
    return time.process_time() - start


def resident() -> int:
    """The bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def grown(data: bytes, load: Load) -> int:
    """The bytes by which the process grows with each result that it keeps, with what any allocator gives."""
    kept, times = [load(data)], 4
    before = resident()
    kept += [load(data) for _ in range(times)]
    return (resident() - before) // times


def check_units(
    data: bytes,
    load: Load = holdall.loads,
    *,
    own: int = 0,
    factor: int = FACTOR,
    has_own_allocator: bool = False,
) -> None:
    """Checks that the units of a message of many rows pay for the time and the memory of its objects, but for `own` bytes each.

    With an allocator of their own, which tracemalloc does not see, the growth of the process counts if it is more.
    """
    # What is found once for each class is kept.
    load(data)
    seconds = min(timed(data, load) for _ in range(3))
    # What a message takes whatever is in it.
    too_few = int((seconds - 0.01) / TIME)
    assert too_few <= 0 or not is_enough(data, too_few, load), f"{too_few} pay for {seconds} s"
    gc.collect()
    tracemalloc.start()
    try:
        back = load(data)
        taken = tracemalloc.get_traced_memory()[1] - own * ROWS
    finally:
        tracemalloc.stop()
    assert len(back) == ROWS
    if has_own_allocator and sys.platform == "linux":
        taken = max(taken, grown(data, load))
    # What is stored as it is costs no units, only its length. The constant is for what any message takes.
    too_few = (taken - 2 * len(data) - 64_000 - 1) // factor
    assert too_few < 0 or not is_enough(data, too_few, load), f"{too_few} pay for {taken} bytes"
