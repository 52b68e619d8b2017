"""Counts what docs/testing.md states, and writes the table.

With --check, fails if a number is off by over a tenth, or if SECURITY.md names a test that does not exist.

docs/measured.json has what long runs did. `make fuzz` adds its seconds there: --fuzzed TARGET SECONDS. `make coverage`
adds what tests reach: --covered FILE, an export of llvm-cov or of coverage.py. `make mutants` adds what tests notice:
--mutants FILE SAMPLE, the outcomes of cargo-mutants and which part of all mutants they are of. `make soak-rust`,
`make test-mutations` and `make fuzz-python` add what they tried: --ran RUN COUNT; the largest run counts.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "testing.md"
MEASURED = ROOT / "docs" / "measured.json"
MUTANTS = ROOT / ".cargo" / "mutants.toml"
PACKAGE_TESTS = [f"python/{each}/*.py" for each in ("tests", "foreign", "integrations", "tables")]
#: What the table says of the largest run of a kind.
RUNS = {
    "fuzz-python": "mutated inputs in the longest run of fuzzing Python",
    "crashes": "simulated crashes of a writer in one run, without a loss",
    "mutations": "damaged messages that the reference, Rust and Python read alike in one run",
}
BEGIN, END = "<!-- counted -->\n", "<!-- end -->\n"


def tracked(*patterns: str) -> Iterator[str]:
    """The texts of the files under version control whose paths match."""
    listed = subprocess.run(
        ["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        yield (ROOT / name).read_text("utf-8")


def count(pattern: str, *files: str) -> int:
    """How often a pattern occurs at the beginnings of lines."""
    return sum(len(re.findall(pattern, text, re.MULTILINE)) for text in tracked(*files))


def vectors(folder: str) -> int:
    found = (json.loads(text) for text in tracked(f"conformance/{folder}/*.json"))
    return sum(len(each["vectors"]) for each in found)


def lines(*files: str) -> int:
    return sum(text.count("\n") for text in tracked(*files))


def counted() -> dict[str, int]:
    return {
        "lines of Rust that users run": lines("crates/*/src/*.rs"),
        "lines of the Python package": lines("python/holdall/*.py"),
        "lines of Rust tests": lines("crates/*/tests/*.rs"),
        "lines of Python tests": lines(*PACKAGE_TESTS),
        "tests in Rust": count(r"^ *#\[test\]", "crates/*.rs"),
        "functions that test the Python package": count(r"^def test_", *PACKAGE_TESTS),
        "functions that test the reference": count(r"^def test_", "spec/reference/tests/*.py"),
        "rules of the specification": len(
            set(re.findall(r"^.*\*\*(F-\d+)", (ROOT / "spec/format.md").read_text(), re.MULTILINE))
        ),
        "vectors that must be read": vectors("valid"),
        "vectors that must be refused, with code and offset": vectors("invalid"),
        "vectors of reading with another schema": vectors("evolution"),
        "vectors of streams": vectors("streams"),
        "fuzz targets": count(r"^#!\[no_main\]", "fuzz/src/bin/*.rs"),
        **measured(),
    }


def measured() -> dict[str, int]:
    """What long runs did, each at its last change or in all."""
    found = json.loads(MEASURED.read_text("utf-8"))
    minutes = {
        f"minutes of fuzzing `{target}`": seconds // 60
        for target, seconds in sorted(found["fuzzed"].items())
        if seconds >= 60
    }
    covered = {
        f"per cent of the {what} of `{part}` that tests reach": share
        for part, shares in sorted(found["covered"].items())
        for what, share in shares.items()
    }
    runs = {RUNS[run]: count for run, count in found["runs"].items()}
    return {**runs, **minutes, **covered, **mutants(found.get("mutants"))}


def mutants(found: dict[str, Any] | None) -> dict[str, int]:
    """The score of the last sample, and of what it consists."""
    if found is None:
        return {}
    parts = {
        "mutants of the format in the sample": found["tried"],
        "of these, noticed by a test that fails": found["caught"],
        "of these, noticed by a test that does not end": found["timeout"],
        "of these, not noticed, and a text says why none can": found["explained"],
        "of these, not noticed": found["missed"],
        "of these, not compiled": found["unviable"],
        "per cent of the mutants that compile that are noticed or explained": score(found),
    }
    return {what: number for what, number in parts.items() if number > 0}


def score(found: dict[str, Any]) -> int:
    noticed: int = found["caught"] + found["timeout"] + found["explained"]
    missed: int = found["missed"]
    return 100 * noticed // max(1, noticed + missed)


def add_fuzzed(target: str, seconds: int) -> None:
    found = json.loads(MEASURED.read_text("utf-8"))
    found["fuzzed"][target] = found["fuzzed"].get(target, 0) + seconds
    MEASURED.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


def add_run(run: str, count: int) -> None:
    found = json.loads(MEASURED.read_text("utf-8"))
    assert run in RUNS, run
    found["runs"][run] = max(count, found["runs"].get(run, 0))
    MEASURED.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


def add_covered(export: str) -> None:
    found = json.loads(MEASURED.read_text("utf-8"))
    read = json.loads(Path(export).read_text("utf-8"))
    reached = of_coverage(read["totals"]) if "totals" in read else of_llvm(read["data"][0]["files"])
    for part, counts in reached.items():
        found["covered"][part] = {what: 100 * hit // of for what, (hit, of) in counts.items()}
    MEASURED.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


def add_mutants(outcomes: str, sample: str) -> None:
    """Adds the score of a sample. What .cargo/mutants.toml excludes since then counts as explained."""
    found = json.loads(MEASURED.read_text("utf-8"))
    read = json.loads(Path(outcomes).read_text("utf-8"))
    excluded = re.compile("|".join(tomllib.loads(MUTANTS.read_text("utf-8"))["exclude_re"]))
    missed = [
        outcome["scenario"]["Mutant"]["name"]
        for outcome in read["outcomes"]
        if outcome["summary"] == "MissedMutant"
    ]
    explained = sum(1 for name in missed if excluded.search(name))
    found["mutants"] = {
        # A run that was stopped has no end.
        "date": read["start_time"][:10],
        "sample": sample,
        "tried": read["total_mutants"],
        **{what: read[what] for what in ("caught", "timeout", "unviable")},
        "explained": explained,
        "missed": len(missed) - explained,
    }
    MEASURED.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


def of_coverage(totals: dict[str, int]) -> dict[str, dict[str, tuple[int, int]]]:
    """The lines and branches of the Python package that were reached, and how many there are."""
    lines = totals["covered_lines"], totals["num_statements"]
    return {
        "python": {
            "lines": lines,
            "branches": (totals["covered_branches"], totals["num_branches"]),
        }
    }


def of_llvm(files: list[dict[str, Any]]) -> dict[str, dict[str, tuple[int, int]]]:
    """The same for each crate."""
    sums: dict[str, dict[str, tuple[int, int]]] = {}
    for file in files:
        crate, _, inside = str(file["filename"]).partition("/crates/")[2].partition("/")
        if not inside.startswith("src/"):
            continue
        own = sums.setdefault(crate, {"lines": (0, 0), "branches": (0, 0)})
        for what, (hit, of) in own.items():
            more = file["summary"][what]
            own[what] = hit + more["covered"], of + more["count"]
    return sums


def missing_tests() -> list[str]:
    """The tests and vectors that SECURITY.md names and that do not exist."""
    table = (ROOT / "SECURITY.md").read_text("utf-8").split("## The bounds and their tests")[1]
    named = re.findall(r"`(\w+)`", table.split("\n## ")[0].split("`docs/")[0])
    files = ("crates/*.rs", "python/tests/*.py", "conformance/invalid/*.json")
    every = "\n".join(tracked(*files))
    return [name for name in named if not re.search(rf'(fn |def |"name": "){name}\b', every)]


def stated(text: str) -> dict[str, int]:
    rows = re.findall(r"^\| (.*) \| ([\d,]+) \|$", text, re.MULTILINE)
    return {name: int(number.replace(",", "")) for name, number in rows}


def main() -> int:
    if sys.argv[1:2] == ["--fuzzed"]:
        add_fuzzed(sys.argv[2], int(sys.argv[3]))
    if sys.argv[1:2] == ["--covered"]:
        add_covered(sys.argv[2])
    if sys.argv[1:2] == ["--ran"]:
        add_run(sys.argv[2], int(sys.argv[3]))
    if sys.argv[1:2] == ["--mutants"]:
        add_mutants(sys.argv[2], sys.argv[3])
    before, rest = PAGE.read_text("utf-8").split(BEGIN)
    table, after = rest.split(END)
    found = counted()
    assert all(found.values()), found
    if "--check" in sys.argv[1:]:
        old = stated(table)
        stale = [
            name for name, number in found.items() if abs(old.get(name, 0) - number) * 10 > number
        ]
        for name in stale:
            print(f"docs/testing.md: {name}: {found[name]}; run docs/testing.py")
        missing = missing_tests()
        for name in missing:
            print(f"SECURITY.md names the test {name}, which does not exist")
        return 1 if stale or missing or old.keys() != found.keys() else 0
    rows = "".join(f"| {name} | {number:,} |\n" for name, number in found.items())
    PAGE.write_text(f"{before}{BEGIN}| what | number |\n|---|---|\n{rows}{END}{after}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
