"""One step of one format, in a process of its own; prints its cost as JSON."""

from __future__ import annotations

import itertools
import json
import math
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from ..python import memory
from . import records
from .formats import Format, named

STEPS = ("write", "read", "numbers", "strings", "record")


@dataclass
class Taken:
    """The cost of a step, and its result: a number that is the same for all formats."""

    seconds: float
    peak: int
    answer: float


def step(kind: Format, name: str, path: Path, count: int) -> tuple[float, float]:
    """The seconds and the result of a step."""
    if name == "write":
        return write(kind, path, count)
    if name == "read":
        return read(kind, path)
    began = time.perf_counter()
    if name == "numbers":
        answer = kind.numbers(path)
    elif name == "strings":
        answer = float(sum(map(len, kind.strings(path))))
    else:
        answer = records.digest(kind.record(path, count // 4))
    return time.perf_counter() - began, answer


def write(kind: Format, path: Path, count: int) -> tuple[float, float]:
    """Times only the writing, not the making of the records."""
    seconds, answer = 0.0, 0.0
    kind.open(path)
    for chunk in records.chunks(count):
        began = time.perf_counter()
        kind.write(chunk)
        seconds += time.perf_counter() - began
        answer += len(chunk)
    began = time.perf_counter()
    kind.close()
    return seconds + time.perf_counter() - began, answer


def read(kind: Format, path: Path) -> tuple[float, float]:
    """Times only the reading, not the use of the records."""
    answer: list[float] = []
    seconds, found = 0.0, kind.records(path)
    while True:
        began = time.perf_counter()
        some = list(itertools.islice(found, records.CHUNK))
        seconds += time.perf_counter() - began
        if not some:
            return seconds, math.fsum(answer)
        answer.append(math.fsum(map(records.digest, some)))


def warm(kind: Format) -> None:
    """Imports what the format needs, with a file of a few records, which is not measured."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "few"
        for name in STEPS:
            step(kind, name, path, 10)


def main() -> None:
    name, what, path, count = sys.argv[1:]
    kind = named(name)()
    warm(kind)
    (seconds, answer), peak = memory.peak(lambda: step(kind, what, Path(path), int(count)))
    print(json.dumps(asdict(Taken(seconds, peak, answer))))


if __name__ == "__main__":
    main()
