"""Laws of the mutation that `make fuzz-python` uses: `python/fuzz/mutation.py`."""

from __future__ import annotations

import io
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "fuzz"))

import holdall
import mutation
import pytest


def stream(values: list[object]) -> bytes:
    file = io.BytesIO()
    with holdall.Writer(file, block_rows=2) as writer:
        for value in values:
            writer.write(value)
    return file.getvalue()


def read(data: bytes) -> list[object]:
    with holdall.Reader(io.BytesIO(data)) as reader:
        return list(reader)


def test_a_message_keeps_its_checksum_and_its_length_when_its_bytes_change() -> None:
    message = holdall.dumps(["abc", "xyz"], checksum=True)
    assert mutation.refitted(message) == message
    assert mutation.refitted(message[:3] + b"\x00" + message[4:-4] + bytes(4)) == message
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.loads(mutation.refitted(message[:-4] + b"zz" + message[-4:]))
    assert caught.value.code == "trailing_bytes"


def test_a_stream_is_whole_when_its_frames_are_joined_again() -> None:
    values: list[object] = [1, 2, "three", 4, {"five": 5}, 6]
    parts = mutation.split(stream(values))
    assert parts is not None
    assert read(mutation.joined(parts)) == values
    del parts[next(at for at, part in enumerate(parts) if part.kind == mutation.BLOCK)]
    assert read(mutation.joined(parts)) == values[2:]


def test_frames_of_changed_streams_are_whole() -> None:
    chance = random.Random(1)
    data = stream([1, "two", {"three": 3}, 4])
    parts = mutation.split(data)
    assert parts is not None
    for _ in range(200):
        changed = mutation.changed(chance, list(parts), data)
        report = holdall.verify(io.BytesIO(changed))
        codes = {damage.code for damage in report.damage}
        assert not codes & {"bad_sync", "bad_checksum", "missing_frames", "repeated_frame"}, report
