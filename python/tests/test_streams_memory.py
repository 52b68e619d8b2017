"""Memory while streams are written and read: that of one block, however long the stream is; nothing leaks."""

from __future__ import annotations

import gc
import io
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import holdall
import pytest
from conftest import ALL_ROUNDS, SOAK
from sample_values import LOCK
from samples import Plain
from test_memory import flat

WORK = """
    import resource, sys, holdall

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

    count = int(sys.argv[2])

    def value(at):
        return {"id": at, "name": f"name {at}", "score": at / 7, "tags": ["a", str(at % 100)], "on": at % 3 == 0}

    def ring(at):
        own = value(at)
        own["self"] = own
        return own

    make = {"plain": value, "rings": ring}[sys.argv[3]]
    before = peak()
    with holdall.Writer(sys.argv[1]) as writer:
        for at in range(count):
            writer.write(make(at))
    written = peak()
    total = 0
    for each in holdall.Reader(sys.argv[1]):
        total += each["id"]
    assert total == count * (count - 1) // 2
    for each in holdall.Reader(sys.argv[1], dict):
        total -= each["id"]
    assert total == 0
    print(before, written, peak())
"""


@pytest.mark.parametrize("kind", ["plain", "rings"] if ALL_ROUNDS else ["rings"])
def test_memory_is_that_of_a_block(tmp_path: Path, kind: str) -> None:
    count = max(400_000, 50_000 * SOAK) if ALL_ROUNDS else 200_000
    path = tmp_path / "stream.hold"
    command = [sys.executable, "-c", textwrap.dedent(WORK), str(path), str(count), kind]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    before, written, read = map(int, output.split())
    assert path.stat().st_size > 10 * count
    # In MiB: a block of 1 MiB has about 15,000 of these values, which take 10 MiB as objects; all of them take 130 or more.
    assert written - before < 24
    assert read - before < 90


def test_streams_leak_nothing(rounds: int, tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"

    def work() -> None:
        with holdall.Writer(path, block_rows=3) as writer:
            for at in range(10):
                writer.write({"id": at, "of": Plain(at)})
            with pytest.raises(holdall.EncodeError):
                writer.write([{"deep": [LOCK]}])
        reader = holdall.Reader(path)
        assert len(list(reader)) == len(reader) == 10
        reader = holdall.Reader(path)
        next(reader)
        assert reader[7]["id"] == 7
        with pytest.raises(holdall.SchemaError):
            next(holdall.Reader(path, list[int]))

    flat(work, rounds)


def test_broken_files_leak_nothing(rounds: int) -> None:
    class Raising(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise ValueError

        def write(self, data: Any) -> int:
            raise ValueError

    def work() -> None:
        with pytest.raises(ValueError):  # noqa: PT011
            holdall.Writer(Raising())
        with pytest.raises(ValueError):  # noqa: PT011
            next(holdall.Reader(Raising()))
        decoder: holdall.StreamDecoder[Any] = holdall.StreamDecoder()
        with pytest.raises(holdall.DecodeError):
            decoder.feed(b"no stream at all")

    flat(work, rounds)


def test_files_are_closed(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    with holdall.Writer(path) as writer:
        writer.write(1)
    gc.collect()
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("this system does not show which files are open")
    before = len(list(folder.iterdir()))
    for _ in range(50):
        list(holdall.Reader(path))
        holdall.Reader(path).close()
        holdall.verify(path)
    assert len(list(folder.iterdir())) == before
