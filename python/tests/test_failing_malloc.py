"""An allocator fails each large request once, in packing and unpacking: the call raises MemoryError or finds another way, and then works again.

Requests below 4 KiB do not fail: SECURITY.md says what happens without memory for those.
"""

from __future__ import annotations

import array
import ctypes
import datetime
import decimal
import functools
import io
import os
import random
import shutil
import subprocess
import sys
import uuid
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import holdall
import numpy as np
import pytest
from conftest import ALL_ROUNDS
from test_exhaustion import run_apart

SOURCE = Path(__file__).with_name("failing_malloc.c")
LARGE = 4 << 10
#: How many values a kind has: enough for requests that are large.
COUNT = 1_500
#: How many requests of a call fail unless all do.
FAILING = 2


@dataclass
class Point:
    x: int
    y: float
    name: str


@dataclass
class Shape:
    points: list[Point]
    tags: set[str]
    more: dict[str, int]


def sparse() -> list[dict[str, int]]:
    choose = random.Random(3)
    return [{f"key {choose.randrange(60)}": at for _ in range(5)} for at in range(COUNT)]


def shared() -> list[object]:
    one = [1, "two", [3.0]]
    return [one, *([at] for at in range(COUNT)), one] * 2


KINDS: dict[str, Callable[[], Any]] = {
    "ints": lambda: [at * 7919 for at in range(COUNT)],
    "big ints": lambda: [1 << at % 300 for at in range(COUNT)],
    "floats": lambda: [at / 7 for at in range(COUNT)],
    "bools": lambda: [at % 3 == 0 for at in range(40_000)],
    "bytes": lambda: b"some bytes" * COUNT,
    "text": lambda: "some text." * COUNT,
    "texts": lambda: [f"user {at} of {at % 7}" for at in range(COUNT)],
    "repeated texts": lambda: [["red", "green", "blue"][at % 3] * 3 for at in range(COUNT)],
    "array": lambda: np.arange(COUNT),
    "arrays": lambda: [array.array("i", [at]) for at in range(COUNT)],
    "dict": lambda: {str(at): at for at in range(COUNT)},
    "dicts": lambda: [{"at": at, "text": str(at)} for at in range(COUNT)],
    "sparse dicts": sparse,
    "many shapes": lambda: [{f"key {at}": at} for at in range(COUNT)],
    "nested": lambda: [{"a": {"b": [at, str(at)]}, "c": [{"d": at}]} for at in range(COUNT)],
    "set": lambda: set(range(COUNT)),
    "set of texts": lambda: {str(at) for at in range(COUNT)},
    "sets": lambda: [{at, str(at)} for at in range(COUNT)],
    "lists": lambda: [[at] for at in range(COUNT)],
    "tuples": lambda: [(at, str(at)) for at in range(COUNT)],
    "mixed": lambda: [[at, str(at), at / 2, None, (at,), {"a": at}][at % 6] for at in range(COUNT)],
    "complexes": lambda: [complex(at, 1) for at in range(COUNT)],
    "long names": lambda: {f"{at} " * 10_000: at for at in range(3)},
    "counters": lambda: [Counter({"at": at, str(at): 1}) for at in range(COUNT // 2)],
    "reduced": lambda: [deque([at], 3) for at in range(COUNT)],
    "deep": lambda: functools.reduce(lambda inner, _: [inner], range(COUNT), None),
    "namespaces": lambda: [SimpleNamespace(a=at) for at in range(COUNT)],
    "ordered": lambda: [OrderedDict(a=at) for at in range(COUNT)],
    "decimals": lambda: [decimal.Decimal(at) / 7 for at in range(COUNT)],
    "days": lambda: [datetime.date(2020, 1, 1) + datetime.timedelta(at) for at in range(COUNT)],
    "uuids": lambda: [uuid.UUID(int=at) for at in range(COUNT)],
    "shared": shared,
    "points": lambda: [Point(at, at / 2, str(at)) for at in range(COUNT)],
    "shapes": lambda: [
        Shape([Point(at, 0.5, "p")], {str(at)}, {"k": at}) for at in range(COUNT // 3)
    ],
}
#: Types that are requested for kinds.
TYPES: dict[str, Any] = {
    "points": list[Point],
    "shapes": list[Shape],
    "ints": list[float],
    "texts": tuple[str, ...],
    "dict": dict[str, int],
    "set": set[int],
    "dicts": list[dict[str, int | str]],
}
#: Kinds that a view has as lists, and those of them that it has as numbers.
VIEWED = [
    "ints",
    "bools",
    "texts",
    "repeated texts",
    "dicts",
    "sparse dicts",
    "nested",
    "lists",
    "shared",
    "arrays",
]
NUMBERS = ["floats", "bools"]
STREAMED = ["ints", "texts", "dicts", "nested", "sets", "points"]
PLAIN = [
    "ints",
    "floats",
    "texts",
    "dict",
    "dicts",
    "sparse dicts",
    "nested",
    "lists",
    "deep",
    "long names",
]


def again(data: bytes, **options: Any) -> bytes:
    """What is read, in bytes, which compare where objects do not."""
    return holdall.dumps(holdall.loads(data, **options))


def streamed(values: list[object]) -> bytes:
    out = io.BytesIO()
    with holdall.Writer(out, block_bytes=20_000) as writer:
        for value in values:
            writer.write(value)
    out.seek(0)
    return holdall.dumps(list(holdall.Reader(out)))


def calls_of(way: str) -> dict[str, Callable[[], object]]:
    """The calls of a way to pack or unpack, by kinds. Each returns the same every time."""
    values = {name: make() for name, make in KINDS.items()}
    if way in ("fast", "balanced", "small"):
        return {
            name: functools.partial(holdall.dumps, value, profile=way)
            for name, value in values.items()
        }
    if way == "canonical":
        names = ["set", "set of texts", "sets", "dict", "dicts", "shapes"]
        return {
            name: functools.partial(holdall.dumps, values[name], canonical=True) for name in names
        }
    if way in PLAIN_FORMATS:
        return {name: functools.partial(through, values[name], way) for name in PLAIN}
    if way == "streams":
        return {
            name: functools.partial(streamed, value)
            for name, value in values.items()
            if name in STREAMED
        }
    packed = {name: holdall.dumps(value) for name, value in values.items()}
    if way == "loads":
        return {name: functools.partial(again, data) for name, data in packed.items()}
    if way == "loads of small":
        small = {name: holdall.dumps(value, profile="small") for name, value in values.items()}
        return {name: functools.partial(again, data) for name, data in small.items()}
    if way == "types":
        return {
            name: functools.partial(again, packed[name], type=wanted)
            for name, wanted in TYPES.items()
        }
    assert way == "views"
    rows = {name: functools.partial(viewed, packed[name]) for name in VIEWED}
    columns = {f"{name}, array": functools.partial(column, packed[name]) for name in NUMBERS}
    return rows | columns


PLAIN_FORMATS = ["json", "msgpack"]
WAYS = [
    "fast",
    "balanced",
    "small",
    "canonical",
    "loads",
    "loads of small",
    "types",
    "views",
    "streams",
]


def through(value: object, other: Any) -> bytes:
    return holdall.dumps(holdall.loads(holdall.dumps(value, format=other), format=other))


def viewed(data: bytes) -> bytes:
    view = holdall.view(data)
    return holdall.dumps([view[0], view[-1], view[3:COUNT:2]])


def column(data: bytes) -> bytes:
    return bytes(holdall.view(data).items.array().tobytes())


def fail_each(name: str, work: Callable[[], object]) -> int:
    """Repeats a call, with another failing request each time. Returns how many of them raised MemoryError."""
    allocator = ctypes.CDLL(None)
    fail_at = allocator.fail_at
    fail_at.argtypes = ctypes.c_long, ctypes.c_size_t
    fail_at.restype = allocator.failures.restype = ctypes.c_long
    expected = work()

    def count() -> int:
        """How many large requests the call makes, which works."""
        fail_at(0, LARGE)
        assert work() == expected, name
        return int(fail_at(0, sys.maxsize))

    def settle() -> int:
        """The same once memory is kept for the next calls, and plans for their types."""
        counts = [count(), count()]
        while counts[-1] != counts[-2]:
            assert len(counts) < 20, (name, counts)
            counts.append(count())
        return counts[-1]

    # Kept memory changes a few calls after plans do.
    requests = [settle() for _ in range(4)][-1]
    assert requests, name
    step = 1 if ALL_ROUNDS else -(-requests // FAILING)
    raised, at = 0, 1 + requests % step
    while at <= requests:
        # Shows which one ended the process.
        os.write(1, f"{name}: {at} of {requests}\n".encode())
        fail_at(at, LARGE)
        try:
            result = work()
        except MemoryError:
            raised += 1
        else:
            assert result == expected, (name, at)
        finally:
            failed = allocator.failures()
            fail_at(0, sys.maxsize)
        assert failed == 1, (name, at, failed)
        # What was not finished can have been made without a plan, or left more memory.
        requests = settle()
        at += step
    return raised


def attempt(way: str) -> None:
    calls = calls_of(way)
    raised = {name: fail_each(name, work) for name, work in calls.items()}
    # Where a fast way fails, the general one mostly has what it needs, and nothing is raised.
    assert sum(raised.values()) > len(calls) // 8, raised


@pytest.fixture(scope="session")
def allocator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    assert compiler, "tests need a C compiler"
    made = tmp_path_factory.mktemp("allocator") / "failing_malloc.so"
    subprocess.run([compiler, "-O2", "-Wall", "-shared", "-fPIC", SOURCE, "-o", made], check=True)
    return made


@pytest.mark.skipif(sys.platform != "linux", reason="takes the place of the allocator of glibc")
@pytest.mark.parametrize("way", WAYS + PLAIN_FORMATS)
def test_each_large_request_that_fails_is_a_memory_error(way: str, allocator: Path) -> None:
    run_apart(
        "test_failing_malloc",
        f"attempt({way!r})",
        timeout=600,
        LD_PRELOAD=str(allocator),
        # A block that is kept would be freed, and the request succeed at last.
        HOLDALL_NO_KEPT_BLOCKS="1",
    )
