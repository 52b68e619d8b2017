"""Compares holdall with other serializers of Python objects: `make bench-python`."""

from __future__ import annotations

import argparse
import datetime
import os
import sys
from pathlib import Path

from . import machine, plots, report, run
from .data import every


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.python", description=__doc__)
    parser.add_argument("parts", nargs="*", help="measure cases with one of these in their names")
    parser.add_argument("--data", type=Path, help="a folder of JSON files: each is a case")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, to check that everything works"
    )
    parser.add_argument("--results", type=Path, help="a folder for tables and pictures")
    args = parser.parse_args()
    data = args.data.resolve() if args.data else None
    if data and not any(data.glob("*.json")):
        parser.error(f"no JSON files in {data}")
    cases = every.cases(data, args.parts, args.quick)
    if not cases:
        parser.error(f"no case has {' or '.join(args.parts)} in its name")
    # Before the benchmark itself loads the machine.
    where = machine.machine(machine.packages())
    options = run.Options(args.quick, data, least_time=0.1 if args.quick else 2.0)
    measured = [run.measure(options, case, say) for case in cases]
    print(report.text(measured))
    if args.quick:
        print("\nSmall sizes, measured quickly: this only shows that everything works.")
    if args.results:
        args.results.mkdir(parents=True, exist_ok=True)
        version = "".join(map(str, sys.version_info[:2]))
        prefix = args.results / f"python{version}-{datetime.date.today():%Y-%m-%d}"
        pictures = [path.name for path in plots.draw(measured, prefix)]
        # The make command, if make ran it.
        command = os.environ.get(
            "BENCH_COMMAND", " ".join(["python -m benches.python", *sys.argv[1:]])
        )
        content = report.markdown(where, command, measured, pictures)
        prefix.with_suffix(".md").write_text(content, encoding="utf-8")
        print(f"\nwritten: {prefix}.md and {len(pictures)} pictures")


def say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
