"""One step of one format, in a process of its own; prints its cost as JSON."""

from __future__ import annotations

import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from ..python import memory
from .formats import Format, named
from .tables import Case, arrow

STEPS = ("open", "column", "filter", "pandas", "polars", "duckdb")
#: The median of this many is the time.
ROUNDS = 7


@dataclass
class Taken:
    """The cost of a step, and its result: a number that is the same for all formats."""

    seconds: float
    peak: int
    #: The bytes that the system read for the process; with maps off, so that all are counted.
    read: int
    answer: float


def step(kind: Format, name: str, case: Case) -> Any:
    if name == "open":
        return kind.open()
    if name == "column":
        return kind.column(case.column)
    if name == "filter":
        return kind.filtered((case.columns, case.bound))
    return getattr(kind, name)()


def answer(name: str, found: Any) -> float:
    if name == "open":
        return float(found)
    if name == "column":
        return float(pc.sum(found).as_py())
    if name == "filter":
        return float((pc.sum(found.column(0)).as_py() or 0) + found.num_rows)
    return float(len(found))


def bytes_read() -> int:
    text = Path("/proc/self/io").read_text()
    return int(next(line for line in text.splitlines() if line.startswith("rchar")).split()[1])


def measure(kind: Format, name: str, case: Case, rounds: int) -> Taken:
    # Imports, and the system's cache.
    step(kind, name, case)
    before = bytes_read()
    found, peak = memory.peak(lambda: step(kind, name, case))
    read = bytes_read() - before
    result = answer(name, found)
    del found
    seconds = []
    for _ in range(rounds):
        began = time.perf_counter()
        step(kind, name, case)
        seconds.append(time.perf_counter() - began)
    return Taken(statistics.median(seconds), peak, read, result)


def main() -> None:
    what, kind, path, case, rows = json.loads(sys.argv[1])
    own, file = Case(*case), named(kind)(Path(path))
    if what == "write":
        file.write(arrow(own.name, rows))
    else:
        print(json.dumps(asdict(measure(file, what, own, ROUNDS))))


if __name__ == "__main__":
    main()
