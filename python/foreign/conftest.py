"""Test suites of other projects, with holdall in the place of what they test: `make test-foreign`."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [
    str(HERE),
    str(HERE.parent / "tests"),
    str(HERE.parents[1] / "spec" / "reference"),
]
