"""Several threads write the bytes that one writes."""

from __future__ import annotations

import io
from typing import Any

import holdall
import numpy as np
import pytest


def values() -> list[dict[str, Any]]:
    return [
        {
            "number": number * 0x9E3779B97F4A7C15 % 2**64,
            "amount": number / 7,
            "name": f"name {number}",
            "word": ["info", "warning", None][number % 3],
            "tags": [number] * (number % 4),
        }
        for number in range(30_000)
    ]


@pytest.mark.parametrize("profile", ["fast", "balanced", "small"])
def test_messages_of_several_threads_are_those_of_one(profile: Any) -> None:
    value = {"array": np.arange(70_001) / 3, "rows": values()}
    alone = holdall.dumps(value, profile=profile)
    for threads in (0, 2, 5):
        assert holdall.dumps(value, profile=profile, threads=threads) == alone


@pytest.mark.parametrize("profile", ["fast", "balanced", "small"])
def test_streams_of_several_threads_are_those_of_one(profile: Any) -> None:
    def written(threads: int) -> bytes:
        file = io.BytesIO()
        with holdall.Writer(file, profile=profile, sync=b"holdall.", threads=threads) as writer:
            for value in values():
                writer.write(value)
        return file.getvalue()

    assert written(3) == written(1)


def test_a_negative_number_of_threads_is_refused() -> None:
    with pytest.raises(ValueError, match="threads must be a number from 1 on, or 0"):
        holdall.dumps(1, threads=-1)
    with pytest.raises(ValueError, match="threads must be a number from 1 on, or 0"):
        holdall.Writer(io.BytesIO(), threads=-1)
