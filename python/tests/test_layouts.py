"""The private layouts of objects are used where they are known; an environment variable switches them off."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig

from holdall import _holdall

SCRIPT = """
import dataclasses, holdall
from holdall import _holdall

@holdall.register
@dataclasses.dataclass(slots=True)
class Slotted:
    text: str
    items: list

@holdall.register
@dataclasses.dataclass
class Plain:
    text: str
    items: list

values = [kind("t" * n, [n, None]) for n in range(100) for kind in (Slotted, Plain)]
data = holdall.dumps(values)
assert holdall.loads(data) == values
print(",".join(_holdall.used_layouts()) or "none", data.hex())
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


#: The versions of CPython whose private layouts are known.
IS_KNOWN = (
    sys.implementation.name == "cpython"
    and (3, 11) <= sys.version_info < (3, 14)
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)


def test_known_layouts_are_used_unless_the_environment_forbids_it() -> None:
    known = ["slots", "entries", "attributes", "decimals"] if IS_KNOWN else ["slots"]
    assert _holdall.used_layouts() == ([] if os.environ.get("HOLDALL_PUBLIC_API") else known)
    used, data = run()
    assert used == ",".join(known)
    assert run(HOLDALL_PUBLIC_API="1") == ["none", data]
