"""Limits for the bytes of other formats."""

from __future__ import annotations

from typing import Any

import holdall
import pytest


@pytest.mark.parametrize("name", ["json", "ndjson", "csv", "msgpack", "cbor", "dlhn"])
def test_a_limit_bounds_the_bytes_of_the_format(name: str) -> None:
    value = [{"a": 0.5}] * 1000
    options: dict[str, Any] = {"format": name, "storage": True, "copies": True}
    size = len(holdall.dumps(value, **options))
    assert len(holdall.dumps(value, limits=holdall.Limits(output=size + 100), **options)) == size
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps(value, limits=holdall.Limits(output=size // 2), **options)
    assert caught.value.code == "limit_output"


def test_a_limit_bounds_the_copies_of_shared_values() -> None:
    value: list[Any] = [1]
    for _ in range(40):
        value = [value, value]
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps(value, format="json", copies=True, limits=holdall.Limits(output=100_000))
    assert caught.value.code == "limit_output"
