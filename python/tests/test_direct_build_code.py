"""Direct builds that run code of the program: hooks, defaults, finalizers and signals."""

from __future__ import annotations

import dataclasses
import gc
import signal
import time
from collections.abc import Iterator
from typing import Any

import holdall
import msgspec
import pytest
from conftest import ALL_ROUNDS
from direct_builds import LONG, nested


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """The garbage collector detects damage to an object's memory."""
    yield
    gc.collect()


def posted(name: str) -> tuple[Any, list[int]]:
    """A class that adds each new object to a list."""
    made: list[int] = []

    @holdall.register(name=name)
    class Posted(msgspec.Struct):
        x: int

        def __post_init__(self) -> None:
            made.append(self.x)

    return Posted, made


def test_code_of_a_class_runs_once_for_each_object() -> None:
    Posted, made = posted("Posted")  # noqa: N806 (a class)
    value = [{"many": list(range(5)), "one": Posted(number)} for number in range(LONG)]
    data = holdall.dumps(value)
    made.clear()
    assert holdall.loads(data) == value
    assert made == list(range(LONG))
    made.clear()
    wrong = holdall.dumps([*value, {"many": ["a"], "one": None}])
    with pytest.raises(holdall.DecodeError):
        holdall.loads(wrong, list[dict[str, list[int] | Posted]])
    assert made == list(range(LONG))


def test_a_signal_ends_a_long_call() -> None:
    value = [
        [number, str(number), float(number)] for number in range(300_000 if ALL_ROUNDS else 60_000)
    ]
    data = holdall.dumps(value, references=False)
    start = time.process_time()
    holdall.loads(data)
    entire = time.process_time() - start
    signals: list[int] = []

    def late(number: int, _: Any) -> None:
        # After the call, signals would arrive as one. One more may come before the timer is off.
        if len(signals) == 3:
            return
        signals.append(number)
        if len(signals) == 3:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGVTALRM, late)
    try:
        # In the time of this process alone, however busy the machine is.
        signal.setitimer(signal.ITIMER_VIRTUAL, entire / 20, entire / 20)
        with pytest.raises(KeyboardInterrupt):
            holdall.loads(data)
        assert len(signals) == 3
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_a_default_is_made_once_for_each_object() -> None:
    made: list[int] = []

    @dataclasses.dataclass
    class Defaulted:
        x: int
        y: list[int] = dataclasses.field(default_factory=lambda: made.append(1) or [])  # type: ignore[func-returns-value]

    holdall.register(Defaulted, name="Defaulted")
    older = [holdall.Record("Defaulted", x=number) for number in range(10)]
    # The last one must be emitted as events, because its keys are floats.
    for value in ([(each, {1.5: 2}) for each in older], [*older, {1.5: 2}]):
        data = holdall.dumps(value, references=False)
        made.clear()
        holdall.loads(data)
        assert len(made) == 10


def test_finalizers_run_only_for_complete_objects() -> None:
    ended: list[int] = []

    class Held:
        def __init__(self, number: int) -> None:
            self.number = number

        def __del__(self) -> None:
            ended.append(self.number)

    holdall.register(Held, name="Held")
    value = [(Held(number), {1.5: 2}) for number in range(3)]
    data = holdall.dumps(value, references=False)
    ended.clear()
    made = holdall.loads(data)
    assert not ended
    assert len(made) == 3


def test_code_runs_once_also_deep_inside() -> None:
    Deep, made = posted("Deep")  # noqa: N806 (a class)
    value = [nested(60, lambda value: [value], Deep(1)), Deep(2)]
    data = holdall.dumps(value, references=False)
    made.clear()
    assert holdall.loads(data) == value
    assert made == [1, 2]


@pytest.mark.parametrize("raised", [KeyboardInterrupt, ValueError])
def test_an_exception_raised_only_once_is_not_lost(raised: type[BaseException]) -> None:
    asked: list[str] = []

    def missing(name: str, _: Any) -> Any:
        asked.append(name)
        if len(asked) == 1:
            raise raised("once")
        return type(name, (), {})

    data = holdall.dumps([holdall.Record("Unknown", x=1)] * 3, references=False)
    with pytest.raises((raised, holdall.DecodeError)):
        holdall.loads(data, missing=missing)
