"""The suites of msgspec and cbor2, from their source archives: every value in them makes a round trip."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
#: `make test-foreign` puts the archives there.
ARCHIVES = Path(os.environ["HOLDALL_FOREIGN"])

NO_STATE = "a class of a compiled module, whose state no method shows"
UNSET = "a required field that is not set: msgspec does not read it back, either"

#: For each suite: its tests, the number of values that came back the same at least, and what did not, with reasons.
SUITES: dict[str, tuple[str, int, dict[str, str]]] = {
    "cbor2": (
        "tests",
        900,
        {
            r"different cbor2\.UndefinedType": NO_STATE,
            r"refused (builtins|collections)\.\w+: unsupported_value": NO_STATE,
            r"refused cbor2\.\w+: unsupported_value": NO_STATE,
            r"refused ipaddress\.IPv6Interface: unsupported_value": "the type in data has no scope",
        },
    ),
    "msgspec": (
        "tests/unit",
        20_000,
        {
            r"different builtins\.memoryview": "bytes: a view of memory is packed as its content",
            r"different builtins\.object": "objects without state are equal only to themselves",
            r"different tests\.unit\.test_constraints\.TestBytesConstraints\..*": "a memoryview in a field",
            r"(different|refused) tests\.unit\.test_common\.(TestUnset|TestOrder)\..*": UNSET,
            r"refused tests\.unit\.test_common\.TestDataclass\..*": "holds a mappingproxy",
        },
    ),
}


def report_of(suite: str, tests: str, folder: Path) -> Any:
    """Runs a suite with the recorder. Some of its own tests fail, because the recorder replaces encoders."""
    [archive] = ARCHIVES.glob(f"{suite}-*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    [source] = folder.iterdir()
    report = folder / "report.json"
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(HERE), os.environ["PYTHONPATH"]]),
        "HOLDALL_SUITE": suite,
        "HOLDALL_REPORT": str(report),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "recorder", tests]
    done = subprocess.run(
        command, cwd=source, env=environment, capture_output=True, text=True, check=False
    )
    # 1: some tests failed.
    assert done.returncode in (0, 1), done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads(report.read_text())


@pytest.mark.parametrize("suite", SUITES)
def test_values_of_other_suites_make_a_round_trip(suite: str, tmp_path: Path) -> None:
    tests, least, expected = SUITES[suite]
    report = report_of(suite, tests, tmp_path)
    print(suite, report["counts"])
    other = {
        name: text
        for name, text in report["found"].items()
        if not any(re.fullmatch(pattern, name) for pattern in expected)
    }
    assert not other
    stale = [
        pattern
        for pattern in expected
        if not any(re.fullmatch(pattern, name) for name in report["found"])
    ]
    assert not stale
    assert report["counts"]["same"] >= least
