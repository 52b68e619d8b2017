"""The vectors notice small misreadings of the spec (tests/misreadings.py)."""

from __future__ import annotations

import pytest

from tests.misreadings import catalogue, sample, tried

# About 200 of more than 2,000; `make misreadings` tries all.
SIZE = 0.15
PARTS = 8

# Those of the sample that no vector notices, and why.
EXPLAINED: dict[str, str] = {}


@pytest.mark.parametrize("part", range(PARTS))
def test_vectors_notice_misreadings(part: int) -> None:
    keys = sample(SIZE)[part::PARTS]
    left = {key for key, vector in tried(keys).items() if vector is None}
    assert left == EXPLAINED.keys() & set(keys)


def test_misreadings_are_about_200() -> None:
    assert 150 <= len(sample(SIZE)) <= 300


def test_few_misreadings_are_explained() -> None:
    assert len(EXPLAINED) < 10
    assert EXPLAINED.keys() <= set(sample(SIZE))


def test_every_reader_of_the_reference_is_misread() -> None:
    modules = {misreading.module.partition(".")[0] for misreading, _ in catalogue().values()}
    assert modules >= {"assembly", "block", "columns", "envelope", "numbers", "stream"}
