"""A file that is appended to by a process which is killed in the middle, read again, damaged, and recovered."""

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
# What the process does that is killed: it says how many values it has flushed.
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
    """Lets a process append for a while and kills it; answers how many values it said were flushed."""
    command = [sys.executable, "-u", "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        said = [first, *process.stdout.read().splitlines(keepends=True)]
    return int([line for line in said if line.endswith("\n")][-1])


def numbers(path: Path) -> list[int]:
    """The numbers of the values that are there, which must come in their order."""
    got = [value["id"] for value in holdall.Reader(path, on_damage="skip")]
    if got != sorted(set(got)):
        raise SystemExit("values came twice, or in another order")
    return got


def main() -> None:
    """Prints what happens."""
    print("\na file that is appended to by processes that are killed\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.hold")
        for _ in range(ROUNDS):
            flushed = killed(path, 0.5)
            got = numbers(path)
            report = holdall.verify(path)
            if len(got) < flushed:
                raise SystemExit(f"{flushed} values were flushed, {len(got)} are there")
            torn = report.damage[0].skipped
            print(
                f"killed: {flushed:9,} values were flushed, {len(got):9,} are read; {torn:5} bytes of a torn block, "
                f"{path.stat().st_size:11,} bytes in all"
            )
        holdall.Writer(path, append=True).close()
        print(f"ended:  {len(holdall.Reader(path)):9,} values, by the index at the end")

        data = bytearray(path.read_bytes())
        at = random.Random(7).randrange(len(data) // 3, len(data) // 2)
        data[at : at + 5000] = bytes(5000)
        path.write_bytes(data)
        try:
            for _ in holdall.Reader(path):
                pass
        except holdall.DecodeError as error:
            print(f"\n5,000 bytes from {at:,} on were overwritten; a reader says\n  {error}")
        report = holdall.recover(path, path)
        print(f"recovered: {report.values:,} values; passed by:")
        for damage in report.damage:
            print(f"  {damage}")
        reader = holdall.Reader(path)
        middle = len(reader) // 2
        print(f"value {middle:,} by its number: {reader[middle]}")
        values = list(reader)
        if numbers(path) != [value["id"] for value in values] or not reader.finished:
            raise SystemExit("the recovered file is not whole")

        scores = holdall.open(path)["score"].array()
        if scores.tolist() != [value["score"] for value in values]:
            raise SystemExit("the column is not that of the values")
        print(
            f"column score: {len(scores):,} numbers up to {scores.max():,.1f}, read without the other columns"
        )


if __name__ == "__main__":
    main()
