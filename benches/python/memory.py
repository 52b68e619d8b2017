"""The peak memory of some work beyond what the process had: growth of its resident memory."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import resource
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")


def peak(work: Callable[[], T]) -> tuple[T, int]:
    """The work's result, and its peak memory in bytes, including the result.

    If the system can reset the peak (Linux), it starts at the current size of the process. Otherwise it is
    `ru_maxrss`, which shows only growth beyond all earlier peaks.
    """
    gc.collect()
    # Freed memory that is kept for reuse would hide what the work takes.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    can_reset = reset()
    before = kilobytes("VmRSS") if can_reset else most()
    result = work()
    after = kilobytes("VmHWM") if can_reset else most()
    return result, max(after - before, 0) * 1024


def reset() -> bool:
    """Resets the peak to the current size; returns whether that is possible."""
    try:
        CLEAR.write_text("5")
    except OSError:
        return False
    return True


def kilobytes(field: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1])


def most() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
