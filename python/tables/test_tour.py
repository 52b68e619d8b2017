"""The tour of tables in the documentation: each of its lines runs, and prints what is there."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

TOUR = Path(__file__).resolve().parents[2] / "docs" / "tables-tour.md"


def test_the_tour_shows_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    found = doctest.testfile(str(TOUR), module_relative=False, optionflags=options)
    assert found.failed == 0
    assert found.attempted > 15
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.hold", "trips.hold"]
