"""Processes for tests that may crash, or that limit themselves: forked from one that has imported what they need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple, Self

# The child leaves the loop, and ends as any interpreter does.
SERVER = """
import json, os, sys
scope = {"__name__": "__main__"}
exec(sys.argv.pop(1), scope)
for line in sys.stdin:
    program, arguments, output, errors = json.loads(line)
    child = os.fork()
    if not child:
        for number, path in enumerate((os.devnull, output, errors)):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
        sys.argv[1:] = arguments
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
exec(program, scope)
"""


class Ended(NamedTuple):
    """How a process ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


class Forked:
    """A process that has run some code, and forks for each program; to import numpy anew takes longer than most programs."""

    def __init__(self, head: str) -> None:
        # A process with threads cannot be forked safely, and OpenBLAS starts some when it is imported. Copying an iterator of
        # itertools warns since 3.12.
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore::DeprecationWarning", "-c", SERVER, head],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def run(self, program: str, folder: Path, *arguments: Any) -> Ended:
        """Runs a program in a process of its own, with the names of the head; its output is collected in the folder."""
        output, errors = folder / "output", folder / "errors"
        request = json.dumps([program, list(map(str, arguments)), str(output), str(errors)])
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        returncode = int(self.process.stdout.readline())
        return Ended(returncode, output.read_text(), errors.read_text())
