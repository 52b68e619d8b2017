"""Times work in turn in one process.

The garbage collector is on, as for users, and runs just before each sample. Results are dropped after the clock has
stopped.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from itertools import repeat
from typing import Any

#: The minimum number of rounds; the quick mode has fewer.
LEAST_ROUNDS = 7
QUICK_ROUNDS = 3

#: The minimum duration of a sample of a small message, in seconds.
SAMPLE = 0.005

#: Returns the seconds of each part of a sample.
Sample = Callable[[], tuple[float, ...]]


def once(work: Callable[[Any], Any], argument: Any) -> Sample:
    """Times one call."""

    def sample() -> tuple[float, ...]:
        gc.collect()
        start = time.perf_counter()
        result = work(argument)
        end = time.perf_counter()
        del result
        return (end - start,)

    return sample


def with_collection(work: Callable[[Any], Any], argument: Any) -> Sample:
    """Times one call alone, and together with the following collection.

    That collection also visits all older objects. The time for these is measured just before, and subtracted.
    """

    def sample() -> tuple[float, ...]:
        gc.collect()
        start = time.perf_counter()
        gc.collect()
        idle = time.perf_counter() - start
        start = time.perf_counter()
        result = work(argument)
        end = time.perf_counter()
        gc.collect()
        collected = time.perf_counter()
        del result
        return end - start, max(collected - start - idle, end - start)

    return sample


def looped(work: Callable[[Any], Any], argument: Any) -> Sample:
    """Times one of many calls in a loop, which adds about 10 ns for each call."""

    def run(times: int) -> float:
        start = time.perf_counter()
        for _ in repeat(None, times):
            work(argument)
        return time.perf_counter() - start

    run(100)
    # Enough for a sample, even if the first hundred were slow.
    times = max(1, int(SAMPLE / max(run(100) / 100, 1e-9)))

    def sample() -> tuple[float, ...]:
        gc.collect()
        return (run(times) / times,)

    return sample


def medians(
    samples: list[Sample], least_time: float, least_rounds: int = LEAST_ROUNDS
) -> list[tuple[float, ...]]:
    """The median of each part of each sample.

    Each round takes every sample once, so a machine that slows down affects all of them. Rounds begin with different
    samples, so that none always follows the same one. Continues until `least_time` is over and all rounds are done.
    """
    for sample in samples:
        sample()
    taken: list[list[tuple[float, ...]]] = [[] for _ in samples]
    start = time.perf_counter()
    rounds = 0
    while samples and (rounds < least_rounds or time.perf_counter() - start < least_time):
        for at in range(len(samples)):
            at = (at + rounds) % len(samples)
            taken[at].append(samples[at]())
        rounds += 1
    return [tuple(map(statistics.median, zip(*each, strict=True))) for each in taken]
