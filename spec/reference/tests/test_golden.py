"""The golden files: every later version reads what a version wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from holdall_reference import decode_message, decode_stream, dumps, equal
from holdall_reference.writer import Profile, encode_message

from tests.support import CONFORMANCE, ROOT

GOLDEN = CONFORMANCE / "golden"
FILES = sorted(GOLDEN.glob("[0-9]*/*.hold"))
PROFILES: tuple[Profile, ...] = get_args(Profile)


def label(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def value_of(path: Path) -> Any:
    """The value named by the file."""
    name = path.name.split(".")[0]
    return json.loads((GOLDEN / "values" / f"{name}.json").read_text(encoding="utf-8"))


def version() -> str:
    """The version that this checkout writes."""
    lines = (ROOT / "Cargo.toml").read_text(encoding="utf-8").splitlines()
    return next(line.split('"')[1] for line in lines if line.startswith("version = "))


@pytest.mark.parametrize("path", FILES, ids=label)
def test_golden_file_reads_as_its_value(path: Path) -> None:
    value = value_of(path)
    if path.name.endswith(".stream.hold"):
        stream = decode_stream(path.read_bytes())
        assert stream.error is None
        assert stream.values == value[1]
    else:
        read = decode_message(path.read_bytes())
        assert equal(read, value), dumps(read)[:2000]


PROMISED = [
    path
    for path in FILES
    if path.parent.name == version()
    and path.name.split(".")[1] in PROFILES
    and not path.name.endswith(".stream.hold")
]


@pytest.mark.parametrize("path", PROMISED, ids=label)
def test_this_version_writes_the_promised_bytes(path: Path) -> None:
    profile: Profile = path.name.split(".")[1]  # type: ignore[assignment]
    assert encode_message(value_of(path), profile) == path.read_bytes()


def test_there_are_golden_files() -> None:
    assert len(FILES) >= 25
    assert len(PROMISED) >= 16
