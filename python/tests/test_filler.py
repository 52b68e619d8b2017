"""What the default packs, the default unpacks, however few bytes it takes."""

from __future__ import annotations

import io
from typing import Any

import holdall
import pytest
from conftest import SOAK

# 8 units each: more than the budget of a small message.
MANY = 10_000_000


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(lambda count: [None] * count, id="nulls"),
        pytest.param(lambda count: [True] * count, id="bools"),
        pytest.param(lambda count: [0] * count, id="ints"),
        pytest.param(lambda count: [0.5] * count, id="floats"),
        pytest.param(lambda count: [""] * count, id="empty_texts"),
        pytest.param(lambda count: [b""] * count, id="empty_bytes"),
        pytest.param(lambda count: [[None] * (count // 2)] * 2, id="nulls_in_one_list_twice"),
        pytest.param(lambda count: [()] * (count // 4), id="empty_tuples"),
        pytest.param(lambda count: [[] for _ in range(count // 4)], id="empty_lists"),
        pytest.param(lambda count: [{"a": None, "b": 1} for _ in range(count // 4)], id="dicts"),
    ],
)
def test_very_many_equal_rows_are_unpacked(value: Any) -> None:
    own = value(MANY)
    assert holdall.loads(holdall.dumps(own)) == own


@pytest.mark.skipif(not SOAK, reason="takes gigabytes")
@pytest.mark.parametrize("item", [None, True, 0, ""])
def test_a_hundred_million_rows_are_unpacked(item: Any) -> None:
    own = [item] * (10 * MANY)
    assert holdall.loads(holdall.dumps(own)) == own


def test_so_are_streams_of_them() -> None:
    own = [None] * MANY
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
        "limit_budget at offset 8 in $[]: expected at most 67108856 units more, got 134217728 units; "
        "if you trust the data, pass limits=holdall.Limits(budget=...)"
    )
    limits = holdall.Limits(budget=1 << 28)
    assert holdall.loads(data, limits=limits) == [None] * (1 << 24)
