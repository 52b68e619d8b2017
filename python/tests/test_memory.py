"""References and memory do not grow, however often packing, unpacking or failing is repeated."""

from __future__ import annotations

import gc
import resource
import sys
from typing import Any

import holdall
import pytest
from conftest import SOAK
from sample_values import EVERY, LOCK
from samples import Plain
from test_graphs import cyclic


def blocks() -> int:
    gc.collect()
    return sys.getallocatedblocks()


def flat(work: Any, rounds: int) -> None:
    grown = 0
    # Free lists and caches settle, CPython's cache of attributes after some thousand names. A leak grows in every
    # round.
    for _ in range(50):
        before = blocks()
        for _ in range(rounds):
            work()
        grown = blocks() - before
        if grown < rounds * 3 // 4:
            return
    raise AssertionError(f"{grown} blocks more after {rounds} rounds")


# One by one they take longest; `make soak-python` runs them so.
BATCH = 1 if SOAK else 25
BATCHES = [EVERY[at : at + BATCH] for at in range(0, len(EVERY), BATCH)]


def grown(value: Any) -> int:
    """How many references to a value 50 messages leave."""
    before = sys.getrefcount(value)
    for _ in range(50):
        holdall.dumps([value])
    return sys.getrefcount(value) - before


@pytest.mark.parametrize("values", BATCHES, ids=map(str, range(len(BATCHES))))
def test_round_trips_leak_nothing(values: list[Any], rounds: int) -> None:
    data = holdall.dumps([values, values])
    flat(lambda: holdall.loads(holdall.dumps([values, values])), rounds)
    flat(lambda: pytest.raises(holdall.DecodeError, holdall.loads, data[:-1]), rounds)
    for value in values:
        # Members of enums are remembered, once in each encoder that is kept.
        for _ in range(50):
            holdall.dumps([value])
        # One more encoder may still come to remember it; a leak would be in each round.
        assert 0 in [grown(value) for _ in range(3)]


# The garbage collector does not look into numpy arrays, so cycles through them stay, however they were created.
@pytest.mark.parametrize("name", [name for name in cyclic() if "array" not in name])
def test_cycles_leak_nothing(name: str, rounds: int) -> None:
    data = holdall.dumps(cyclic()[name])
    flat(lambda: holdall.loads(data), rounds)


def test_failures_in_the_middle_leak_nothing(rounds: int) -> None:
    value = {"a": [Plain(1), (1, [2]), {3}], "b": LOCK}

    def fail(hook: Any) -> None:
        with pytest.raises(holdall.EncodeError):
            holdall.dumps(value, enc_hook=hook)

    def raising(_: Any) -> Any:
        raise ValueError

    flat(lambda: fail(None), rounds)
    flat(lambda: fail(raising), rounds)
    data = holdall.dumps([Plain(1), [1, 2], {"x": holdall.Record("unknown", a=[1])}])
    flat(lambda: pytest.raises(holdall.DecodeError, holdall.loads, data, missing="error"), rounds)
    flat(lambda: pytest.raises(holdall.DecodeError, holdall.loads, data, list[int]), rounds)


def test_interrupts_in_hooks_propagate(rounds: int) -> None:
    def interrupt(_: Any) -> Any:
        raise KeyboardInterrupt

    def work() -> None:
        with pytest.raises(KeyboardInterrupt):
            holdall.dumps([LOCK], enc_hook=interrupt)

    flat(work, rounds)


def test_names_in_data_are_not_kept(rounds: int) -> None:
    def work(counter: list[int] = [0]) -> None:  # noqa: B006
        counter[0] += 1
        holdall.loads(
            holdall.dumps(
                {
                    f"a field of its own {counter[0]}": 1,
                    "r": holdall.Record(f"x.Y{counter[0]}", a=1),
                }
            )
        )

    flat(work, rounds)


def test_memory_does_not_grow() -> None:
    value = [{"a": at, "b": str(at), "c": [at]} for at in range(20_000)]
    data = holdall.dumps(value)
    for _ in range(3):
        holdall.loads(data)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10):
        holdall.loads(data)
        holdall.dumps(value)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 << 10
