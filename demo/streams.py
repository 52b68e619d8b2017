"""Kills processes while they append to a file, then reads, damages and recovers the file."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import holdall

ROUNDS = 3
# The process that is killed. It prints how many values it has flushed.
WRITER = """
import sys, holdall

with holdall.Writer(sys.argv[1], append=True) as writer:
    number = writer.count
    while True:
        for _ in range(100):
            tags = ["a", "b"][: number % 3]
            writer.write({"id": number, "name": f"n {number % 50}", "score": number / 7, "tags": tags})
            number += 1
        writer.flush()
        print(number)
"""


def killed(path: Path, seconds: float) -> int:
    """Kills a process that appends, and returns how many values it had flushed by its own count."""
    command = [sys.executable, "-u", "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        said = [first, *process.stdout.read().splitlines(keepends=True)]
    return int([line for line in said if line.endswith("\n")][-1])


def numbers(path: Path) -> list[int]:
    """The numbers of the values in the file, which must be in order."""
    got = [value["id"] for value in holdall.Reader(path, on_damage="skip")]
    if got != sorted(set(got)):
        raise SystemExit("values are repeated, or out of order")
    return got


def main() -> None:
    """Prints what happens."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.hold")
        for _ in range(ROUNDS):
            flushed = killed(path, 0.5)
            got = numbers(path)
            report = holdall.verify(path)
            if len(got) < flushed:
                raise SystemExit(f"{flushed} values were flushed, and {len(got)} can be read")
            torn = report.damage[0].skipped
            print(
                f"killed a writer: it had flushed {flushed:9,} values, and {len(got):9,} can be read "
                f"from {path.stat().st_size:11,} bytes; {torn:5} bytes are an incomplete block"
            )
        holdall.Writer(path, append=True).close()
        print(f"closed the file: its index counts {len(holdall.Reader(path)):,} values")

        data = bytearray(path.read_bytes())
        at = random.Random(7).randrange(len(data) // 3, len(data) // 2)
        data[at : at + 5000] = bytes(5000)
        path.write_bytes(data)
        try:
            for _ in holdall.Reader(path):
                pass
        except holdall.DecodeError as error:
            print(f"\noverwrote 5,000 bytes at {at:,}; reading fails with\n  {error}")
        report = holdall.recover(path, path)
        print(f"recovered {report.values:,} values; lost:")
        for damage in report.damage:
            print(f"  {damage}")
        reader = holdall.Reader(path)
        middle = len(reader) // 2
        print(f"value {middle:,}, found by its number: {reader[middle]}")
        values = list(reader)
        if numbers(path) != [value["id"] for value in values] or not reader.finished:
            raise SystemExit("the recovered file is incomplete")

        scores = holdall.open(path)["score"].tolist()
        if scores != [value["score"] for value in values]:
            raise SystemExit("the column differs from the values")
        print(
            f"the column score: {len(scores):,} numbers up to {max(scores):,.1f}, read without the other columns"
        )


if __name__ == "__main__":
    main()
