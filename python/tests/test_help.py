"""The help of the package in an interpreter."""

from __future__ import annotations

import subprocess
import sys


def test_the_help_of_the_package_fits_three_screens() -> None:
    code = "import holdall; help(holdall)"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "- `Writer`, `Reader`: one by one" in shown.stdout
    lines = shown.stdout.splitlines()
    assert len(lines) <= 80
    # But for the signatures of functions.
    assert (
        max(len(line) for line in lines if "(obj, *" not in line and "(data, type" not in line)
        <= 134
    )
    # Private modules are out of sight, but for those whose names are in error messages.
    contents = shown.stdout.partition("PACKAGE CONTENTS\n")[2].partition("\n\n")[0]
    listed = ["__main__", "_errors", "_holdall", "_impl (package)", "integrations (package)"]
    assert [line.strip() for line in contents.splitlines()] == listed
    # Classes are explained one by one.
    for name in ("Encoder", "Writer"):
        page = subprocess.run(
            [sys.executable, "-c", f"import holdall; help(holdall.{name})"],
            check=True,
            capture_output=True,
            text=True,
        )
        assert f"class {name}" in page.stdout
