"""Each format preserves the records, and a wrong result is detected."""

from __future__ import annotations

from pathlib import Path

import pytest

from .. import records, report, worker
from ..__main__ import check
from ..formats import FORMATS, Format

COUNT = 2500


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
def test_a_format_gives_back_what_was_written(kind: type[Format], tmp_path: Path) -> None:
    path = tmp_path / "records"
    worker.step(kind(), "write", path, COUNT)
    written = [each for chunk in records.chunks(COUNT) for each in chunk]
    assert len(written) == COUNT
    assert list(kind().records(path)) == written
    assert kind().numbers(path) == pytest.approx(sum(each["duration"] for each in written))
    assert kind().strings(path) == [each["user"]["city"] for each in written]
    for number in (0, 999, 1000, COUNT - 1):
        assert kind().record(path, number) == written[number]


def test_records_have_20_fields_and_are_the_same_each_time() -> None:
    def leaves(value: object) -> int:
        return sum(map(leaves, value.values())) if isinstance(value, dict) else 1

    first, again = next(records.chunks(10)), next(records.chunks(10))
    assert first == again
    assert {leaves(each) for each in first} == {20}


def measured(name: str, answer: float, size: int = 10) -> report.Measured:
    steps = {step: worker.Taken(1.0, 1_000_000, answer) for step in worker.STEPS}
    return report.Measured(name, name == "pickle", size, steps)


def test_an_answer_that_differs_is_an_error() -> None:
    same = [measured("holdall", 5.0), measured("pickle", 5.0)]
    check(same)
    with pytest.raises(SystemExit, match="pickle"):
        check([measured("holdall", 5.0), measured("pickle", 6.0)])


def test_targets_are_ratios_of_what_was_measured() -> None:
    found = [
        measured("holdall", 1.0, 8),
        measured("holdall, small", 1.0, 4),
        measured("pickle", 1.0, 16),
    ]
    figures = {each.text: (each.figure, each.is_met) for each in report.targets(found)}
    assert figures["bytes / the smallest row format's"] == (0.5, True)
    assert figures["read all: the fastest row format's time / ours"] == (1.0, False)
    assert figures["peak memory of writing and of reading all, MB"] == (1.0, True)
