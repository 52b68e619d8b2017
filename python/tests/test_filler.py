"""The default settings unpack whatever they pack, however few bytes it takes."""

from __future__ import annotations

import io
from typing import Any

import holdall
import numpy as np
import pytest
from conftest import ALL_ROUNDS, SOAK

# Each takes 8 units, which is more than the budget of a small message.
BEYOND_BUDGET = 10_000_000

SOAK_ONLY = pytest.mark.skipif(not SOAK, reason="takes gigabytes")


# The first one stands for all.
KINDS = [
    pytest.param(lambda count: [None] * count, id="nulls"),
    pytest.param(
        lambda count: [dict.fromkeys("abcdefg", "") for _ in range(count // 8)], id="dicts_of_texts"
    ),
    pytest.param(lambda count: [""] * count, id="empty_texts"),
    pytest.param(lambda count: [dict.fromkeys("abcdefg") for _ in range(count // 8)], id="dicts"),
    pytest.param(lambda count: [True] * count, id="bools"),
    pytest.param(lambda count: [0] * count, id="ints"),
    pytest.param(lambda count: [0.5] * count, id="floats"),
    pytest.param(lambda count: [b""] * count, id="empty_bytes"),
    pytest.param(lambda count: [[None] * (count // 2)] * 2, id="nulls_in_one_list_twice"),
    pytest.param(lambda count: [()] * count, id="empty_tuples"),
    pytest.param(lambda count: [[]] * count, id="one_empty_list_everywhere"),
]


@pytest.mark.parametrize("value", KINDS if ALL_ROUNDS else KINDS[:1])
def test_very_many_equal_rows_are_unpacked(value: Any) -> None:
    own = value(BEYOND_BUDGET)
    assert holdall.loads(holdall.dumps(own)) == own


@SOAK_ONLY
@pytest.mark.parametrize("item", [None, True, 0, ""])
def test_a_hundred_million_rows_are_unpacked(item: Any) -> None:
    own = [item] * (10 * BEYOND_BUDGET)
    assert holdall.loads(holdall.dumps(own)) == own


@SOAK_ONLY
def test_very_many_lists_of_their_own_are_unpacked() -> None:
    own: list[list[None]] = [[] for _ in range(BEYOND_BUDGET)]
    assert holdall.loads(holdall.dumps(own)) == own


@pytest.mark.parametrize("profile", ["fast", "small"])
@pytest.mark.parametrize(
    "count", [BEYOND_BUDGET, pytest.param(10 * BEYOND_BUDGET, marks=SOAK_ONLY)]
)
def test_tensors_of_very_many_equal_elements_are_unpacked(profile: Any, count: int) -> None:
    data = holdall.dumps(np.zeros((10, count // 10)), profile=profile)
    # Compressed, it has a filler: 80 million bytes take as many units.
    assert profile == "fast" or len(data) < count // 100
    back = holdall.loads(data)
    assert back.shape == (10, count // 10)
    assert not back.any()


@pytest.mark.skipif(not ALL_ROUNDS, reason="takes long")
def test_tensors_of_very_many_dimensions_are_unpacked() -> None:
    # Each has 33 rows.
    own = [np.ones((1,) * 32, np.uint8) for _ in range(BEYOND_BUDGET // 33)]
    back = holdall.loads(holdall.dumps(own))
    assert len(back) == len(own)
    assert all(one.shape == (1,) * 32 for one in back)


@SOAK_ONLY
def test_very_many_tensors_are_unpacked() -> None:
    back = holdall.loads(holdall.dumps([np.zeros(0, np.uint8) for _ in range(BEYOND_BUDGET)]))
    assert len(back) == BEYOND_BUDGET
    assert not any(map(len, back))


def test_streams_of_very_many_equal_rows_are_read() -> None:
    own = [None] * BEYOND_BUDGET
    file = io.BytesIO()
    with holdall.Writer(file) as writer:
        writer.write(own)
    file.seek(0)
    assert list(holdall.Reader(file)) == [own]


def test_the_error_says_what_to_do() -> None:
    # A list of 2^24 nulls.
    data = bytes.fromhex("C1 10 16 01 07 00 00 10")
    with pytest.raises(holdall.LimitError) as refused:
        holdall.loads(data)
    assert str(refused.value) == (
        "limit_budget at offset 8 in $[]: reading this takes 134217728 units of memory (a unit is about a byte), "
        "and 67108856 are left of the budget; if you trust the data, pass a larger limits=holdall.Limits(budget=...)"
    )
    limits = holdall.Limits(budget=1 << 28)
    assert holdall.loads(data, limits=limits) == [None] * (1 << 24)
