"""Packs a JSON file with the command, and looks into the result: `files.py cars.json`."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from pathlib import Path


def run(*words: str, lines: int | None = None) -> str:
    """Runs the command, and prints its command line and the first lines of its output."""
    shown = shlex.join(("holdall", *words)) + (f" | head -n {lines}" if lines else "")
    print(f"$ {shown}", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "holdall", *words], check=True, stdout=subprocess.PIPE, text=True
    )
    text = "".join(done.stdout.splitlines(keepends=True)[:lines])
    print(text, flush=True)
    return text


def main() -> None:
    """Prints what happens."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--map", type=Path, help="only draw where the bytes are, as this page")
    chosen = arguments.parse_args()
    packed = chosen.file.with_suffix(".hold")
    if chosen.map:
        run("stat", str(packed), "--html", "-o", str(chosen.map))
        print(f"Open this page in a browser: {chosen.map.resolve()}")
        return
    run("pack", str(chosen.file), "-o", str(packed))
    print(f"{chosen.file.stat().st_size:,} bytes of JSON became {packed.stat().st_size:,}\n")
    run("schema", str(packed))
    run("stat", str(packed), lines=8)
    run("cat", str(packed), "--column", "Name", "--where", "Cylinders=3")
    run("inspect", str(packed), lines=12)


if __name__ == "__main__":
    main()
