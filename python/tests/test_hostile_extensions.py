"""Extensions whose content is not what their kind holds: each is an error or another value, in little memory."""

from __future__ import annotations

import re
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import holdall
import numpy as np
import pytest
from conftest import ALL_ROUNDS
from forked import Forked
from holdall import Extension
from holdall._impl import _numpy, _plain
from sample_values import EVERY

#: Above what the process had before: address space, so that anything that is asked for counts.
MEMORY = 256 << 20
NAMES = sorted({**_plain.EXTENSIONS, **_numpy.EXTENSIONS})


def laughs() -> Any:
    """Lists inside lists whose text would not fit any memory."""
    value: Any = ["ha"] * 2
    for _ in range(40):
        value = [value, value]
    return value


HOSTILE = [
    1 << 31,
    -1,
    range(10**12),
    range(1 << 31),
    laughs(),
    "f8," * 10_000,
    "(" * 10_000,
    "(1000000,1000000)f8",
    "V2147483647",
    "M8[" + "9" * 1000 + "s]",
    "O",
    (1 << 62,) * 3,
    (0, 1 << 62),
    (2,) * 65,
    [1 << 31] * 3,
    {"names": range(1 << 31), "formats": ["f8"], "offsets": [0], "itemsize": 8},
    {"names": ["a"], "formats": range(1 << 31), "offsets": [0], "itemsize": 8},
    {"names": ["a"], "formats": ["f8"], "offsets": [1 << 31], "itemsize": 1 << 40},
    holdall.Record("x.Y", dtype=1, ndim=0, int=1 << 62, shape=(1 << 62,)),
    np.zeros((3, 3)),
]


def contents() -> list[Any]:
    """What is put into each extension: every value, and every value in place of each part of what an extension holds."""
    every = [*EVERY, *HOSTILE]
    held = [
        ([1], 5),
        (None, {1: 2}),
        ("list", {1: 2}),
        (1, 2, 3),
        ({"a": 1},),
    ]
    for value in EVERY:
        kept = content_of(value)
        if isinstance(kept, tuple):
            held.append(kept)
    unlike = {repr(tuple(map(type, each))): each for each in held}
    replaced = [
        (*each[:at], part, *each[at + 1 :])
        for each in unlike.values()
        for at in range(len(each))
        for part in every
    ]
    return [*every, *replaced]


def content_of(value: Any) -> Any:
    """The content of a value that is an extension in data."""
    hook = _plain.HOOKS.get(type(value)) or _numpy.hook(type(value))
    made = hook(value) if hook else None
    return made.value if type(made) is Extension else None


#: Every n-th content is put into an extension, from its place among the names on: each content is in several of them.
STEP = 1 if ALL_ROUNDS else 8


def feed(name: str, every: list[Any]) -> None:
    cases = []
    for content in [*HOSTILE, *every[NAMES.index(name) % STEP :: STEP]]:
        try:
            cases.append(holdall.dumps(Extension(name, content)))
        except holdall.EncodeError:
            continue
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, -1))
    for data in cases:
        try:
            holdall.loads(data)
        except holdall.DecodeError:
            continue
    print(len(cases))


@pytest.fixture(scope="module")
def forked() -> Iterator[Forked]:
    # Absolute, because the tests may run with a relative PYTHONPATH.
    folders = [Path(holdall.__file__).resolve().parents[1], Path(__file__).resolve().parent]
    head = f"""
import sys
sys.path[:0] = {list(map(str, folders))}
from test_hostile_extensions import contents, feed
every = contents()
"""
    with Forked(head) as process:
        yield process


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize("name", NAMES)
def test_any_content_is_a_value_or_an_error(name: str, forked: Forked, tmp_path: Path) -> None:
    done = forked.run(f"feed({name!r}, every)", tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) > 8_000 // STEP


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("numpy.array", ("<f8", (1,), False, 1 << 31)),
        ("numpy.dtype", ("<f8", range(10**12))),
        ("py.zone", ("UTC", 1)),
        ("py.ip_interface", 5),
        ("py.ipv6_scoped", (laughs(), "x")),
        ("numpy.scalar", holdall.Record("x.Y", dtype=1, ndim=0)),
    ],
)
def test_contents_of_other_types_are_refused(name: str, content: Any) -> None:
    with pytest.raises(holdall.DecodeError):
        holdall.loads(holdall.dumps(Extension(name, content)))


def test_patterns_that_take_long_to_compile_are_refused() -> None:
    for pattern in ("[\x00-\U0010ffff]", r"[\x00-\uffff]"):
        # As its own type, and as the extension for flags that the type does not have.
        for value in (
            holdall.Logical(0x15, b"", (pattern * 1_000, "i")),
            Extension("py.pattern", (pattern * 1_000, 2)),
        ):
            data = holdall.dumps(value)
            start = time.perf_counter()
            with pytest.raises(holdall.LimitError) as caught:
                holdall.loads(data)
            assert caught.value.code == "limit_budget"
            assert time.perf_counter() - start < 2
    assert holdall.loads(holdall.dumps(re.compile(pattern * 50))).pattern == pattern * 50
