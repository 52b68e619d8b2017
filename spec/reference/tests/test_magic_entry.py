"""docs/holdall.magic, with which file(1) recognises holdall data."""

from __future__ import annotations

import json
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

from tests.support import CONFORMANCE, ROOT, hx, readers_vectors

MEDIA_TYPE = "application/vnd.holdall"
OTHERS = {
    "pickle": hx("80 04 95 05 00 00 00 00 00 00 00 5D 94 4B 01 61 2E"),
    "json": b'{"a": 1}',
    "gzip": hx("1F 8B 08 00 00 00 00 00 00 03"),
    "message pack": hx("81 A1 61 01"),
    "not UTF-8": hx("C1 C1 20 C1"),
    "another version": hx("C1 20 03 00"),
    "another version of streams": hx("C1 F2 68 6F 6C 64 0D 0A"),
    "both flags": hx("C1 13 01 00"),
    "no type": hx("C1 10 7F 00"),
    "reserved flags": hx("C1 18 80 00"),
}


@pytest.fixture(scope="module")
def command() -> str:
    found = shutil.which("file")
    if found is None:
        text = "file(1) is not installed: docs/holdall.magic is NOT TESTED"
        # Printed even if skipped tests are not listed.
        warnings.warn(text, stacklevel=1)
        pytest.skip(text)
    return found


def answers(command: str, option: str, data: dict[str, bytes], folder: Path) -> dict[str, str]:
    """The output of file(1) for each."""
    paths = [folder / str(number) for number in range(len(data))]
    for path, content in zip(paths, data.values(), strict=True):
        path.write_bytes(content)
    magic = str(ROOT / "docs" / "holdall.magic")
    ran = subprocess.run(
        [command, "--brief", option, "--magic-file", magic, *paths],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not ran.stderr
    return dict(zip(data, ran.stdout.splitlines(), strict=True))


@pytest.mark.filterwarnings("default")
def test_file_knows_messages_and_streams(command: str, tmp_path: Path) -> None:
    messages = {
        vector.name: vector.given.data
        for vector in readers_vectors()
        if vector.valid and vector.given.form == "message"
    }
    streams = {
        record["name"]: hx(record["hex"])
        for record in json.loads((CONFORMANCE / "streams" / "streams.json").read_bytes())["vectors"]
        if hx(record["hex"]).startswith(hx("C1 F1 68 6F 6C 64 0D 0A"))
    }
    assert len(messages) > 100
    assert len(streams) > 10
    for option, word in [("--mime-type", MEDIA_TYPE), ("--extension", "hold")]:
        said = answers(command, option, messages | streams, tmp_path)
        assert {name: text for name, text in said.items() if text != word} == {}
    said = answers(command, "-k", messages, tmp_path)
    assert all(text.startswith("holdall message") for text in said.values())
    said = answers(command, "-k", streams, tmp_path)
    assert all(text.startswith("holdall stream") for text in said.values())


@pytest.mark.filterwarnings("default")
def test_file_does_not_take_other_data_for_holdall(command: str, tmp_path: Path) -> None:
    said = answers(command, "--mime-type", OTHERS, tmp_path)
    assert MEDIA_TYPE not in said.values(), said
