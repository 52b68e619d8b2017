"""Limits for the bytes of other formats."""

from __future__ import annotations

from typing import Any

import holdall
import pytest


@pytest.mark.parametrize("name", ["json", "ndjson", "csv", "msgpack", "cbor", "dlhn"])
def test_a_limit_bounds_the_bytes_of_the_format(name: str) -> None:
    options: dict[str, Any] = {"format": name, "storage": True, "copies": True}
    for value in (
        [{"a": 0.5}] * 1000,
        [{"a": 10**18 + number} for number in range(100)],
        [{"a": "\x01" * 10_000}],
    ):
        data = holdall.dumps(value, **options)
        exact, less = (holdall.Limits(output=len(data) - by) for by in (0, 1))
        assert holdall.dumps(value, limits=exact, **options) == data
        with pytest.raises(holdall.EncodeError) as caught:
            holdall.dumps(value, limits=less, **options)
        assert caught.value.code == "limit_output"
    assert holdall.dumps([1], format="json", limits=holdall.Limits(output=3)) == b"[1]"


def test_a_limit_bounds_the_copies_of_shared_values() -> None:
    value: list[Any] = [1]
    for _ in range(40):
        value = [value, value]
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps(value, format="json", copies=True, limits=holdall.Limits(output=100_000))
    assert caught.value.code == "limit_output"
