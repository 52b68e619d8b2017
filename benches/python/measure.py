"""Times work side by side in one process.

The collector is on, as users have it, and has just run when a sample begins. Results are dropped after the clock has
stopped.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from itertools import repeat
from typing import Any

#: Rounds that run however long they take; the quick mode has fewer.
LEAST_ROUNDS = 7
QUICK_ROUNDS = 3

#: A sample of a small message lasts at least so long, in seconds.
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
    """Times one call, and it together with the collection that follows.

    That collection also looks at all that the process had before. How long that takes is measured just before, and
    taken off.
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
    """Times one of many calls in a loop, whose own cost of some 10 ns a call is in it."""

    def run(times: int) -> float:
        start = time.perf_counter()
        for _ in repeat(None, times):
            work(argument)
        return time.perf_counter() - start

    run(100)
    # Enough for a sample even if the first hundred were slow.
    times = max(1, int(SAMPLE / max(run(100) / 100, 1e-9)))

    def sample() -> tuple[float, ...]:
        gc.collect()
        return (run(times) / times,)

    return sample


def medians(
    samples: list[Sample], least_time: float, least_rounds: int = LEAST_ROUNDS
) -> list[tuple[float, ...]]:
    """The median of each part of each sample.

    Each round takes every sample once, so a machine that slows down slows all of them down; and begins with another
    one, so that none always comes after the same. Goes on until `least_time` is over and all rounds are done.
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
