"""The progress of a reader, passed to a function or shown as a bar."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

#: True for a bar of tqdm, or a function of the bytes read and the total, which is None if it is unknown.
Progress = Callable[[int, int | None], object] | bool | None


def callback(progress: Progress, total: int | None) -> Callable[[int], object] | None:
    """The function to call with the number of bytes read."""
    if isinstance(progress, bool):
        return _bar(total) if progress else None
    if progress is None:
        return None
    report = progress
    return lambda done: report(done, total)


def _bar(total: int | None) -> Callable[[int], object]:
    try:
        tqdm: Any = importlib.import_module("tqdm")
    except ImportError as missing:
        raise ImportError("progress=True needs tqdm: pip install tqdm", name="tqdm") from missing
    bar = tqdm.tqdm(total=total, unit="B", unit_scale=True, unit_divisor=1024)
    return lambda done: bar.update(done - bar.n)
