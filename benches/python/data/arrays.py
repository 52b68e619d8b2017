"""Arrays of numpy: a large one and many small ones."""

from __future__ import annotations

from typing import Any

from .case import Case


def large(count: int, seed: int) -> Any:
    import numpy as np

    return np.random.default_rng(seed).normal(0, 1000, count)


def several(count: int, seed: int) -> list[Any]:
    """Makes arrays of five types, with one or two dimensions."""
    import numpy as np

    random = np.random.default_rng(seed)
    kinds = [np.float64, np.float32, np.int64, np.uint8, np.int16]
    return [
        random.integers(0, 100, (int(random.integers(1, 20)), 10)[at % 2 :]).astype(kinds[at % 5])
        for at in range(count)
    ]


CASES = [
    Case("array", "arrays", "an array of {count} doubles", 1_000_000, large, modules=("numpy",)),
    Case("small-arrays", "arrays", "{count} small arrays", 100, several, modules=("numpy",)),
]
