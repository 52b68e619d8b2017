"""Objects' memory is used where it is as known; the environment can say that it is not to be."""

from __future__ import annotations

import os
import subprocess
import sys

from holdall import _holdall

SCRIPT = """
import dataclasses, holdall
from holdall import _holdall

@holdall.register
@dataclasses.dataclass(slots=True)
class Slotted:
    text: str
    items: list

values = [Slotted("t" * n, [n, None]) for n in range(100)]
data = holdall.dumps(values)
assert holdall.loads(data) == values
print(_holdall.uses_layouts(), data.hex())
"""


def run(**environment: str) -> list[str]:
    known = {key: value for key, value in os.environ.items() if key != "HOLDALL_PUBLIC_API"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=known | environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


def test_layouts_are_used_where_they_are_as_known_and_the_environment_does_not_say_no() -> None:
    assert _holdall.uses_layouts() == (not os.environ.get("HOLDALL_PUBLIC_API"))
    used, data = run()
    assert used == "True"
    assert run(HOLDALL_PUBLIC_API="1") == ["False", data]
