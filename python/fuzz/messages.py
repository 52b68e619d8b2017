"""Fuzzes the Python package: `make fuzz-python` runs it for FUZZ_SECONDS.

Its inputs are mutated vectors, samples, streams and pickles. The laws: `loads` returns a value or raises DecodeError,
with and without a type; what it returns can be packed, and reads as the same value; a view of it has the same rows, or
the same error, or another one of those that `test_view_laws` allows; a stream gives values or errors; `convert_pickle`
makes a message of a pickle that can be read, but for what its classes refuse, or raises DecodeError. An input whose
outcome is new is kept, and mutated further: the package has no instrumentation, so outcomes take the place of branches.

The inputs run in a process of their own. If it dies, the input is in `fuzz/artifacts/python`.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import mmap
import multiprocessing
import pickle
import random
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests"), str(HERE.parents[1] / "spec" / "reference")]

import holdall  # noqa: E402
from checks import differing  # noqa: E402
from mutation import change  # noqa: E402
from sample_values import EVERY  # noqa: E402
from samples import Model, Packed, Point  # noqa: E402
from test_view_laws import MESSAGES, check  # noqa: E402

FOUND = HERE.parents[1] / "fuzz" / "artifacts" / "python"
#: The longest input, and the number of inputs that are kept.
MAX_INPUT_LEN = 1 << 16
KEPT = 50_000
LIMITS = holdall.Limits(budget=1 << 22)
TYPES: list[Any] = [
    int,
    str,
    list[int],
    dict[str, int],
    list[dict[str, float | None]],
    tuple[int, ...],
    set[str],
    Point,
    list[Packed],
    dict[str, Model],
]


def samples() -> list[bytes]:
    packed = []
    for value in EVERY:
        for profile in ("fast", "balanced", "small"):
            packed.append(holdall.dumps([value, value], profile=profile))
    return packed


def streams() -> list[bytes]:
    made = []
    for value in EVERY[::8]:
        file = io.BytesIO()
        with holdall.Writer(file, block_rows=2) as writer:
            for _ in range(5):
                writer.write(value)
        made.append(file.getvalue())
    return made


def pickles() -> list[bytes]:
    made = []
    for value in EVERY:
        try:
            made += [pickle.dumps(value, protocol) for protocol in (2, 4)]
        except Exception:
            # Not all can be pickled.
            continue
    return made


def outcome(data: bytes) -> str:
    """What reading does, in few words; an exception is a find."""
    if data[:1] == b"\x80":
        return of_pickle(data)
    if data[:2] == b"\xc1\xf1":
        return of_stream(data)
    for tp in TYPES:
        try:
            holdall.loads(data, tp, limits=LIMITS)
        except holdall.DecodeError:
            continue
    try:
        value = holdall.loads(data, limits=LIMITS)
    except holdall.DecodeError as error:
        return f"{error.code} {str(error).split(' at offset')[-1].split(' in ')[-1][:60]}"
    try:
        again = holdall.dumps(value)
    except holdall.EncodeError as error:
        # What has a form in data only.
        return f"not packed: {error.code}"
    if "struct" in str(holdall.schema(data)):
        # A class with a state of its own packs that, not the attributes that data gave to its object.
        value = holdall.loads(again, limits=LIMITS)
        again = holdall.dumps(value)
    assert next(differing(value, holdall.loads(again, limits=LIMITS)), None) is None
    return f"{check(data)} {holdall.schema(data)}"[:80]


def of_stream(data: bytes) -> str:
    codes = []
    reader = holdall.Reader(io.BytesIO(data), on_damage="skip", limits=LIMITS)
    try:
        for _ in reader:
            codes.append("value")
    except holdall.Error as error:
        codes.append(str(error.code))
    return " ".join(dict.fromkeys(codes))


def of_pickle(data: bytes) -> str:
    try:
        converted = holdall.convert_pickle(data, limits=LIMITS)
    except holdall.Error as error:
        return f"pickle: {error.code}"
    try:
        holdall.loads(converted.data, limits=LIMITS)
    except holdall.DecodeError as error:
        # A class of the samples gets other content than it can have.
        if error.code != "unconvertible":
            raise
    return f"pickle: {holdall.schema(converted.data)}"[:80]


def work(seed: int, seconds: float, current: mmap.mmap, results: Any) -> None:
    chance = random.Random(seed)
    inputs = [*MESSAGES, *samples(), *streams(), *pickles()]
    known: set[str] = set()
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        data = chance.choice(inputs)
        for _ in range(chance.choice([1, 1, 1, 2, 4])):
            data = change(chance, data, chance.choice(inputs))[:MAX_INPUT_LEN]
        current[:] = len(data).to_bytes(8, "little") + data + bytes(MAX_INPUT_LEN - len(data))
        met = outcome(data)
        if met not in known and len(inputs) < KEPT:
            known.add(met)
            inputs.append(data)
        count += 1
    results.put((count, len(known)))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count-to", type=Path, help="a file for the number of inputs")
    given = options.parse_args()
    current = mmap.mmap(-1, 8 + MAX_INPUT_LEN)
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=work, args=(given.seed, given.seconds, current, results))
    child.start()
    child.join()
    if child.exitcode:
        data = current[8 : 8 + int.from_bytes(current[:8], "little")]
        FOUND.mkdir(parents=True, exist_ok=True)
        path = FOUND / hashlib.sha1(data, usedforsecurity=False).hexdigest()
        path.write_bytes(data)
        print(f"fuzz-python: seed {given.seed}: exit status {child.exitcode}, the input is {path}")
        return 1
    count, outcomes = results.get()
    if given.count_to:
        given.count_to.write_text(f"{count}\n", "utf-8")
    ran = f"seed {given.seed}, {given.seconds:.0f} s, {count:,} inputs, {outcomes:,} outcomes"
    print(f"fuzz-python: {ran}, without a find")
    return 0


if __name__ == "__main__":
    sys.exit(main())
