"""The memory and the time that objects take for each unit of the budget, kind by kind."""

from __future__ import annotations

import gc
import subprocess
import sys
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
#: Seconds for each unit, as in SECURITY.md. Most kinds take a hundredth of it, the slowest a tenth: machines
#: differ, and builds for tests are slower.
TIME = 10e-6
ROWS = 1_000

#: The smallest rows of kinds that are not among the samples.
SMALLEST_ROWS: list[Any] = [
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


def timed(data: bytes) -> float:
    start = time.process_time()
    holdall.loads(data)
    return time.process_time() - start


@pytest.mark.parametrize("value", named([*EVERY, *SMALLEST_ROWS])[:: 1 if ALL_ROUNDS else 3])
def test_memory_and_time_for_each_unit_are_bounded(value: Any) -> None:
    rows = [value] * ROWS
    data = holdall.dumps(rows, references=False)
    # What is found once for each class is kept.
    holdall.loads(data)
    seconds = min(timed(data) for _ in range(3))
    # What a message takes whatever is in it.
    too_few = int((seconds - 0.01) / TIME)
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


#: What becomes the largest, of few bytes under the default budget: the message, and the objects in it.
LARGEST = {
    "empty sets in 13 bytes": ("C1 10 16 22 0A 00 16 00 F7 FF FF 03 00", 2**22 - 1),
    "records in 11 bytes": ("C1 10 16 19 04 61 00 F7 FF FF 07", 2**23 - 1),
    "deques in 22 bytes": (
        "C1 10 16 23 20 70 79 2E 64 65 71 75 65 18 04 16 00 01 FB FF FF 00",
        2**21 - 1,
    ),
}
#: As many bytes, with one object more.
ONE_MORE = {
    "empty sets in 13 bytes": "C1 10 16 22 0A 00 16 00 07 00 00 04 00",
    "records in 11 bytes": "C1 10 16 19 04 61 00 07 00 00 08",
}
LOAD = """
import os, resource, sys, time
import holdall
data = bytes.fromhex(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
made = holdall.loads(data)
seconds = time.process_time() - start
taken = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
print(len(made), taken, seconds, flush=True)
# Freeing them takes as long again.
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the memory has other units")
@pytest.mark.skipif(not ALL_ROUNDS, reason="takes a GB or two of memory, and many seconds")
@pytest.mark.parametrize("name", LARGEST)
def test_a_few_bytes_become_the_memory_that_the_default_budget_allows(name: str) -> None:
    text, count = LARGEST[name]
    done = subprocess.run(
        [sys.executable, "-c", LOAD, text], capture_output=True, text=True, check=True
    )
    made, taken, seconds = done.stdout.split()
    assert int(made) == count
    assert int(taken) < FACTOR << 26
    assert float(seconds) < TIME * (1 << 26)


@pytest.mark.parametrize("name", ONE_MORE)
def test_more_objects_are_beyond_the_default_budget(name: str) -> None:
    data = bytes.fromhex(ONE_MORE[name])
    assert len(data) == len(bytes.fromhex(LARGEST[name][0]))
    with pytest.raises(holdall.LimitError) as caught:
        holdall.loads(data)
    assert caught.value.code == "limit_budget"
