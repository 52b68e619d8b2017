"""The vectors notice small misreadings of the spec (tests/misreadings.py)."""

from __future__ import annotations

import pytest

from tests.misreadings import catalogue, sample, tried

# About 200 of more than 2,000; `make misreadings` tries all.
SIZE = 0.15
PARTS = 8

# Those of the sample that no vector notices, and why.
EXPLAINED = {
    "columns.zstd.read_encoded: place: FormatError('bad_inner_encoding', 0) in "
    "raise FormatError('bad_inner_encoding', 0)": "faults inside zstd get the outer place",
    "limits.default_budget: one more: 31 in "
    "return min(max(1 << 26, 1000 * input_length), 1 << 31)": "an input of 4 MB would tell",
    "resolution_numbers._nan: one less: 0 in if lacking <= 0:": "no bit is lost either way",
    "resolution_rows._Rows.told: one less: 0 in return (value, others[0])": "the last of them "
    "reads the same",
    "resolution_rows._numbered: one less: 0 in places.append((each.holder[0], into, at))": "the "
    "list has one item",
}


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
