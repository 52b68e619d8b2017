"""Writes the same records into files of many formats, and reads them: `make bench-streams`."""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ..python import machine
from .formats import FORMATS, Format
from .records import chunks
from .report import Measured, tables, target_table
from .worker import STEPS, Taken


def records_of(size: int) -> int:
    """The number of records that take about this many bytes as lines of JSON."""
    some = next(chunks(1000))
    return max(1000, size * len(some) // sum(len(json.dumps(each)) for each in some))


def run(kind: type[Format], step: str, path: Path, count: int) -> Taken:
    command = [
        sys.executable,
        "-m",
        "benches.streams.worker",
        kind.name,
        step,
        str(path),
        str(count),
    ]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Taken(**json.loads(done.stdout))


def measure(kind: type[Format], folder: Path, count: int) -> Measured:
    path = folder / "records"
    steps = {}
    for step in STEPS:
        print(f"{kind.name}: {step}", file=sys.stderr, flush=True)
        steps[step] = run(kind, step, path, count)
    size = path.stat().st_size
    path.unlink()
    return Measured(kind.name, kind.has_rows, size, steps)


def check(measured: list[Measured]) -> None:
    """Checks that all formats have the same results."""
    for step in STEPS:
        answers = {each.name: each.steps[step].answer for each in measured}
        first = next(iter(answers.values()))
        wrong = [name for name, answer in answers.items() if not math.isclose(answer, first)]
        if wrong:
            raise SystemExit(f"{step}: {', '.join(wrong)} have other results: {answers}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.streams", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=2000, help="size of the records as JSON")
    parser.add_argument("--results", type=Path, help="the file that the tables are written to")
    parser.add_argument("--folder", type=Path, help="where the files are written")
    args = parser.parse_args()
    where = machine.machine({each.package for each in FORMATS if each.package} | {"numpy"})
    count = records_of(args.megabytes * 1_000_000)
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        measured = [measure(each, Path(folder), count) for each in FORMATS]
    check(measured)
    text = f"{tables(measured)}\n{target_table(measured)}"
    print(text)
    if args.results:
        command = os.environ.get(
            "BENCH_COMMAND", " ".join(["python -m benches.streams", *sys.argv[1:]])
        )
        args.results.parent.mkdir(parents=True, exist_ok=True)
        args.results.write_text(
            f"# Files of {count:,} records, {datetime.date.today():%Y-%m-%d}\n\n"
            f"`{command}`. About {args.megabytes:,} MB as lines of JSON; 20 fields, see "
            "`benches/streams/records.py`. Each step runs in its own process, with the file in the system's cache.\n\n"
            f"{where}\n{text}",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
