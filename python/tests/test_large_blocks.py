"""Large blocks of memory that are kept between calls: within their bound, for all threads, and freed where memory is short."""

from __future__ import annotations

import ctypes
import gc
import os
import random
import resource
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import holdall
import pytest

#: What is kept at most, and room for what the interpreter keeps.
MAX_KEPT_BYTES = 32 << 20
SLACK = 8 << 20


def pages(which: int) -> int:
    """The address space of this process (0), or what of it is in memory (1)."""
    return int(Path("/proc/self/statm").read_text().split()[which]) * resource.getpagesize()


def of_size(count: int) -> list[Any]:
    """Values whose column has 8 bytes for each."""
    return [at * 1.1 for at in range(count)]


def blocks_of_all_sizes_stay_within_the_bound() -> None:
    holdall.dumps(of_size(1000))
    before = pages(1)
    chance = random.Random(1)
    for _ in range(40):
        count = 1 << chance.randrange(14, 21)
        value = of_size(count + chance.randrange(count))
        assert holdall.loads(holdall.dumps(value)) == value
        del value
    gc.collect()
    # What glibc keeps has bounds of its own.
    ctypes.CDLL(None).malloc_trim(0)
    assert pages(1) - before < MAX_KEPT_BYTES + SLACK


def threads_and_their_children_have_blocks_of_their_own() -> None:
    done: list[int] = []

    def work(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(12):
            count = chance.randrange(20_000, 200_000)
            value: list[Any] = [[seed] * count, [f"text {at % 999}" for at in range(count)]]
            assert holdall.loads(holdall.dumps(value)) == value
        done.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    # A child that begins while a thread has the lock of the blocks does without them.
    for _ in range(20):
        pid = os.fork()
        if not pid:
            value = of_size(100_000)
            os._exit(0 if holdall.loads(holdall.dumps(value)) == value else 1)
        _, status = os.waitpid(pid, 0)
        assert status == 0
    for thread in threads:
        thread.join()
    assert sorted(done) == [0, 1, 2, 3]


def is_done_within(room: int, work: Callable[[], object]) -> bool:
    """Whether a child of this process can do some work with this many bytes of memory more."""
    pid = os.fork()
    if not pid:
        resource.setrlimit(resource.RLIMIT_AS, (pages(0) + room, -1))
        try:
            work()
        except MemoryError:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    return status == 0


def needed(work: Callable[[], object]) -> int:
    """How many bytes of memory more are enough. With fewer, vectors grow in smaller steps, which can be enough, too."""
    rooms = range(96 << 20, -64 << 20, -6 << 20)
    return next(room for room in rooms if not is_done_within(room, work))


def blocks_are_freed_where_memory_is_short() -> None:
    value = of_size(2_100_000)
    message = holdall.dumps(bytes(20 << 20))
    # The columns are memory of holdall's, the bytes are memory of the interpreter's.
    works = [lambda: holdall.dumps(value), lambda: holdall.loads(message)]
    alone = [needed(work) for work in works]
    # Blocks of other sizes than those that the work needs.
    before = pages(0)
    for count in (1_000_000, 1_250_000, 1_500_000):
        holdall.dumps(of_size(count))
    kept = pages(0) - before
    assert kept > 16 << 20
    for work, room in zip(works, alone, strict=True):
        assert needed(work) < room - kept // 2


def nothing_is_kept_if_the_environment_says_it() -> None:
    value = of_size(1_000_000)
    holdall.dumps(of_size(1000))
    before = pages(0)
    holdall.dumps(value)
    kept = pages(0) - before
    assert (kept < 1 << 20) == bool(os.environ.get("HOLDALL_NO_KEPT_BLOCKS"))


PROGRAMS = [
    blocks_of_all_sizes_stay_within_the_bound,
    threads_and_their_children_have_blocks_of_their_own,
    blocks_are_freed_where_memory_is_short,
    nothing_is_kept_if_the_environment_says_it,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_in_a_process_of_its_own(program: Any) -> None:
    run(program)


def test_the_environment_switches_keeping_off() -> None:
    run(nothing_is_kept_if_the_environment_says_it, HOLDALL_NO_KEPT_BLOCKS="1")


def run(program: Any, **environment: str) -> None:
    # A process with threads that forks: 3.12 warns.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", __file__, program.__name__]
    # glibc gives large blocks that are freed back to the system, whatever was freed before.
    env = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(128 << 10), **environment}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert ended.returncode == 0, ended.stderr


if __name__ == "__main__":
    globals()[sys.argv[1]]()
