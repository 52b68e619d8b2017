"""Small misreadings of the spec, one at a time: a vector notices each that changes an answer."""

from __future__ import annotations

import os

import pytest

from tests.explained import EXPLAINED, REASONS
from tests.misreading_catalogue import catalogue, sample
from tests.misreadings import tried
from tests.support import EXHAUSTIVE

ALL = os.environ.get("HOLDALL_MISREADINGS") == "all"
# A sample of about 200 takes half a minute on two cores, all of them less than ten.
SAMPLE = 0.15
SIZE, PARTS = (3, 40) if ALL else (SAMPLE if EXHAUSTIVE else SAMPLE / 4, 4)


@pytest.mark.parametrize("part", range(PARTS))
def test_vectors_notice_all_but_those_that_are_explained(part: int) -> None:
    keys = sample(SIZE)[part::PARTS]
    left = {key for key, vector in tried(keys).items() if vector is None}
    assert left == EXPLAINED.keys() & set(keys)


def test_the_sample_has_about_200_of_which_few_are_left() -> None:
    keys = sample(SAMPLE)
    assert 180 <= len(keys) <= 250
    assert len(EXPLAINED.keys() & set(keys)) < 10


def test_what_is_explained_exists_and_stands_once() -> None:
    assert EXPLAINED.keys() <= catalogue().keys()
    assert len(EXPLAINED) == sum(map(len, REASONS.values()))


def test_a_misreading_is_noticed() -> None:
    key = "columns.inner._read_scaled: boundary: g < 2 in if g < 2:"
    assert tried([key])[key] is not None
