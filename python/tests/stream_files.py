"""Files and processes for the tests of streams."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import holdall


def write(path: Path, values: Any, **options: Any) -> None:
    with holdall.Writer(path, **options) as writer:
        for value in values:
            writer.write(value)


def python(code: str, *arguments: Any, **options: Any) -> subprocess.Popen[str]:
    """Another process, which answers by its standard output."""
    command = [sys.executable, "-u", "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)
