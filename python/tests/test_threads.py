"""Several threads write the bytes, and read the values, of one."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import holdall
import numpy as np
import pytest


def values() -> list[dict[str, Any]]:
    return [
        {
            "number": number * 0x9E3779B97F4A7C15 % 2**64,
            "amount": number / 7,
            "name": f"name {number}",
            "word": ["info", "warning", None][number % 3],
            "tags": [number] * (number % 4),
        }
        for number in range(30_000)
    ]


@pytest.mark.parametrize("profile", ["fast", "balanced", "small"])
def test_messages_of_several_threads_are_those_of_one(profile: Any) -> None:
    value = {"array": np.arange(70_001) / 3, "rows": values()}
    alone = holdall.dumps(value, profile=profile)
    for threads in (0, 2, 5):
        assert holdall.dumps(value, profile=profile, threads=threads) == alone


@pytest.mark.parametrize("profile", ["fast", "balanced", "small"])
def test_streams_of_several_threads_are_those_of_one(profile: Any) -> None:
    def written(threads: int) -> bytes:
        file = io.BytesIO()
        with holdall.Writer(file, profile=profile, sync=b"holdall.", threads=threads) as writer:
            for value in values():
                writer.write(value)
        return file.getvalue()

    assert written(3) == written(1)


@pytest.mark.parametrize("profile", ["fast", "balanced", "small"])
def test_streams_that_several_threads_read_have_the_values_of_one(profile: Any) -> None:
    file = io.BytesIO()
    with holdall.Writer(file, profile=profile, block_rows=500) as writer:
        for value in values():
            writer.write(value)
    for threads in (0, 2, 5):
        reader = holdall.Reader(io.BytesIO(file.getvalue()), threads=threads)
        assert (reader.position, reader.finished) == (0, False)
        assert next(reader) == values()[0]
        assert (reader.position, reader.finished, reader[29_999]) == (1, False, values()[29_999])
        assert list(reader) == values()[1:]
        assert reader.finished


@pytest.mark.parametrize("threads", [1, 3])
def test_the_values_before_damage_are_read(threads: int) -> None:
    file = io.BytesIO()
    with holdall.Writer(file, block_rows=10) as writer:
        for number in range(1000):
            writer.write(number)
    damaged = bytearray(file.getvalue())
    damaged[len(damaged) // 2] ^= 1
    read = []
    with pytest.raises(holdall.DecodeError) as fault:
        for value in holdall.Reader(io.BytesIO(damaged), threads=threads):
            read.append(value)
    assert fault.value.code == "bad_checksum"
    skips = holdall.Reader(io.BytesIO(damaged), threads=threads, on_damage="skip")
    rest = list(skips)
    assert [damage.code for damage in skips.damage] == ["bad_checksum"]
    lost = len(read)
    assert rest == [*range(lost), *range(lost + 10, 1000)]
    assert read == rest[:lost]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_process_reads_on_without_the_threads() -> None:
    file = io.BytesIO()
    with holdall.Writer(file, block_rows=10) as writer:
        for number in range(1000):
            writer.write(number)
    reader = holdall.Reader(io.BytesIO(file.getvalue()), threads=3)
    assert next(reader) == 0
    pid = os.fork()
    if not pid:
        os._exit(list(reader) != list(range(1, 1000)))
    assert os.waitpid(pid, 0)[1] == 0
    assert list(reader) == list(range(1, 1000))


def test_a_negative_number_of_threads_is_refused() -> None:
    with pytest.raises(ValueError, match="threads must be a number from 1 on, or 0"):
        holdall.dumps(1, threads=-1)
    with pytest.raises(ValueError, match="threads must be a number from 1 on, or 0"):
        holdall.Writer(io.BytesIO(), threads=-1)
    with pytest.raises(ValueError, match="threads must be a number from 1 on, or 0"):
        holdall.Reader(io.BytesIO(), threads=-1)


class Counter:
    """Counts in a thread, which runs only while the others have released the interpreter lock themselves."""

    def __init__(self) -> None:
        self.count = 0
        self._ends = False
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._ends:
            self.count += 1
            time.sleep(0)

    def end(self) -> None:
        self._ends = True
        self._thread.join()


@pytest.fixture
def counter() -> Iterator[Counter]:
    interval = sys.getswitchinterval()
    # Longer than the test: nothing else takes the lock away.
    sys.setswitchinterval(1000)
    counting = Counter()
    try:
        yield counting
    finally:
        counting.end()
        sys.setswitchinterval(interval)


LARGE: dict[str, list[Any]] = {
    "ints": [number * 0x9E3779B97F4A7C15 % 2**62 for number in range(400_000)],
    "strings": [str(number * 7919 % 80_000) for number in range(80_000)],
}


def progress(counter: Counter, call: Callable[[], object]) -> int:
    before = counter.count
    call()
    return counter.count - before


@pytest.mark.parametrize("value", LARGE.values(), ids=LARGE)
def test_other_threads_run_while_large_messages_are_written_and_read(
    value: Any, counter: Counter
) -> None:
    data = holdall.dumps(value)
    calls: list[Callable[[], object]] = [
        lambda: holdall.dumps(value),
        lambda: holdall.loads(data),
        lambda: holdall.loads(data, list[int | str]),
    ]
    for call in calls:
        # The system may run the other thread late.
        assert any(progress(counter, call) for _ in range(100))


def test_other_threads_wait_while_small_messages_are_written_and_read(counter: Counter) -> None:
    value = list(range(1000))
    data = holdall.dumps(value)
    for _ in range(100):
        assert progress(counter, lambda: holdall.dumps(value)) == 0
        assert progress(counter, lambda: holdall.loads(data)) == 0
