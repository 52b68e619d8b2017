"""Measures tables in analytics tools beside other formats: `make bench-arrow`."""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..python import machine
from ..streams.report import seconds, table
from .formats import FORMATS, Format
from .tables import CASES, Case
from .worker import STEPS, Taken

TITLES = {
    "open": "open",
    "column": "one column",
    "filter": "five columns, filtered",
    "pandas": "all to pandas",
    "polars": "all to polars",
    "duckdb": "all by DuckDB",
}

LEGEND = """\
Each step of each format runs in a process of its own: once to import what it needs, then the median of seven. Files are
in the system's cache. "open" counts the rows. The filter is a comparison. Bytes read are counted by the system, in a
run in which holdall maps no files. Arrow IPC has batches of 65,536 rows; the other formats have default options.
"""


@dataclass
class Measured:
    """A format's file of a table."""

    name: str
    size: int
    steps: dict[str, Taken]


def run(what: str, kind: type[Format], path: Path, case: Case, rows: int | None, maps: bool) -> str:
    arguments = json.dumps([what, kind.name, str(path), list(case), rows])
    command = [sys.executable, "-m", "benches.arrow.worker", arguments]
    environment = os.environ | ({} if maps else {"HOLDALL_NO_MAPS": "1"})
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout


def measure(kind: type[Format], folder: Path, case: Case, rows: int | None) -> Measured:
    path = folder / "table"
    run("write", kind, path, case, rows, maps=True)
    steps = {}
    for name in STEPS:
        print(f"{case.name}: {kind.name}: {name}", file=sys.stderr, flush=True)
        found = Taken(**json.loads(run(name, kind, path, case, rows, maps=True)))
        if name in ("column", "filter"):
            found.read = json.loads(run(name, kind, path, case, rows, maps=False))["read"]
        steps[name] = found
    size = path.stat().st_size
    path.unlink()
    return Measured(kind.name, size, steps)


def check(measured: list[Measured]) -> None:
    """Checks that all formats have the same results."""
    for name in STEPS:
        answers = {each.name: each.steps[name].answer for each in measured}
        first = next(iter(answers.values()))
        wrong = [own for own, answer in answers.items() if not math.isclose(answer, first)]
        if wrong:
            raise SystemExit(f"{name}: {', '.join(wrong)} have other results: {answers}")


def tables(case: Case, measured: list[Measured]) -> str:
    times = [
        [each.name, *(seconds(each.steps[name].seconds) for name in STEPS)] for each in measured
    ]
    mega = 1e6
    sizes = [
        [
            each.name,
            f"{each.size / mega:,.2f} MB",
            *(f"{each.steps[name].read / mega:,.2f} MB" for name in ("column", "filter")),
            *(f"{each.steps[name].peak / mega:,.0f} MB" for name in ("pandas", "polars", "duckdb")),
        ]
        for each in measured
    ]
    head = ["bytes of the file", "read for one column", "read for five, filtered"]
    head += [f"peak memory, {TITLES[name]}" for name in ("pandas", "polars", "duckdb")]
    return (
        f"## {case.name}\n\n"
        + table(["time", *(TITLES[name] for name in STEPS)], times)
        + "\n"
        + table(["", *head], sizes)
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.arrow", description=__doc__)
    parser.add_argument("parts", nargs="*", help="tables with one of these in their names")
    parser.add_argument(
        "--rows", type=int, help="only this many rows, to check that everything works"
    )
    parser.add_argument("--results", type=Path, help="the file that the tables are written to")
    args = parser.parse_args()
    packages = {each.package for each in FORMATS if each.package}
    where = machine.machine(packages | {"duckdb", "numpy", "pandas", "polars", "pyarrow"})
    texts = []
    for case in CASES:
        if args.parts and not any(part in case.name for part in args.parts):
            continue
        with tempfile.TemporaryDirectory() as folder:
            measured = [measure(each, Path(folder), case, args.rows) for each in FORMATS]
        check(measured)
        texts.append(tables(case, measured))
    text = "\n".join(texts)
    print(text)
    if args.results:
        command = os.environ.get("BENCH_COMMAND", "python -m benches.arrow")
        args.results.parent.mkdir(parents=True, exist_ok=True)
        head = f"# Tables in analytics tools, {datetime.date.today()}\n\n`{command}`\n\n{where}\n"
        args.results.write_text(f"{head}\n{LEGEND}\n{text}")


if __name__ == "__main__":
    main()
