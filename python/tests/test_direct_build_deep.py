"""Direct builds of deep values: no recursion, no repeated attempts."""

from __future__ import annotations

import datetime
import gc
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import holdall
import pytest
from direct_builds import DATE, LONG, Point, Slotted, Struct, nested


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """The garbage collector detects damage to an object's memory."""
    yield
    gc.collect()


def varint(number: int) -> bytes:
    """F-3, of less than 56 bits."""
    extra = next(k for k in range(8) if number < 1 << 7 * (k + 1))
    return (number << extra + 1 | (1 << extra) - 1).to_bytes(extra + 1, "little")


def chain(count: int, depth: int) -> bytes:
    """A record with one of these fields; each definition is nested lists of the previous one."""
    names = [f"f{number:x}".encode() for number in range(count)]
    fields = b"".join(
        varint(2 * len(name)) + name + b"\x1f" + varint(number) for number, name in enumerate(names)
    )
    head = b"\xc1\x12" + varint(count) + b"\x1a" + varint(4 * count + 1) + fields
    shapes = varint(2) + varint(1) + varint(count - 1) + varint(1) + varint(0)
    bodies = [
        b"\x16" * depth + (b"\x1f" + varint(number - 1) if number else b"\x03")
        for number in range(count)
    ]
    return head + shapes + b"".join(bodies) + varint(0) * (count - 1) + varint(1) + bytes(2)


@pytest.mark.parametrize("depth", [1, 20, 31, 32, 33, 47, 48, 49, 38, 39, 40, 41, 42, 64, 128, 200])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda value: [value, 1],
        lambda value: (value, "a"),
        lambda value: {"a": value, "b": 2.5},
        lambda value: {"next": [value]},
        lambda value: {1: value},
        lambda value: Point(1, value),
        lambda value: Slotted(1, [value]),
        lambda value: Struct(1, value),
    ],
)
def test_depth_does_not_change_the_result(depth: int, wrap: Any) -> None:
    check_nested(depth, wrap)


def test_lists_of_two_lists_are_the_same_at_each_depth() -> None:
    # 2^depth of them.
    for depth in range(1, 15):
        check_nested(depth, lambda value: [value, value])


def check_nested(depth: int, wrap: Any) -> None:
    value = [nested(depth, wrap) for _ in range(3)]
    data = holdall.dumps(value, references=False)
    assert holdall.loads(data) == value
    assert repr(holdall.loads(holdall.dumps(value))) == repr(value)


def test_a_chain_of_a_million_options_is_one_value() -> None:
    count = 1_000_000
    # list(#0) where #0 = option(#0); this many rows of #0; a list of one; which rows are present: all but the last.
    head = bytes.fromhex("c1 12 02 16 1f 00 15 1f 00") + (count << 3 | 0b011).to_bytes(3, "little")
    there = (1 << count - 1) - 1
    data = head + b"\x02\x52" + there.to_bytes(count // 8, "little")
    assert holdall.loads(data) == [None]


def test_mutually_recursive_definitions_need_no_deep_stack() -> None:
    code = (
        "import sys, threading, holdall\n"
        "data = bytes.fromhex(sys.stdin.read())\n"
        "threading.stack_size(256 << 10)\n"
        "thread = threading.Thread(target=lambda: print(holdall.loads(data)))\n"
        "thread.start()\n"
        "thread.join()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=chain(1500, 40).hex(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("{'f5db': []}\n", 0), done.stderr


def test_deep_values_are_read_on_a_small_stack() -> None:
    code = (
        "import threading, holdall\n"
        "def nested(wrap, depth):\n"
        "    value = 1\n"
        "    for _ in range(depth):\n"
        "        value = wrap(value)\n"
        "    return value\n"
        "wraps = [lambda v: [v], lambda v: (v, 1), lambda v: {'a': v, 'b': 2}, lambda v: {1: v}, lambda v: {'c': [v]}]\n"
        "values = [[nested(wrap, depth)] * 2 for wrap in wraps for depth in (38, 39, 40, 90, 300)]\n"
        "data = [holdall.dumps(value, references=False) for value in values]\n"
        "made = []\n"
        "threading.stack_size(512 << 10)\n"
        "thread = threading.Thread(target=lambda: made.extend(map(holdall.loads, data)))\n"
        "thread.start()\n"
        "thread.join()\n"
        "print(made == values)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


def test_many_lists_of_a_wide_type_cost_only_their_contents() -> None:
    lists, width = 20_000, 20_000
    # tuple(list(#0), ..., extension "zz"(int)) where #0 = tuple(int, ...), without a row.
    head = b"\xc1\x12" + varint(1) + b"\x18" + varint(lists + 1)
    types = b"\x16\x1f\x00" * lists + b"\x23\x08zz\x03" + b"\x18" + varint(width) + b"\x03" * width
    start = time.process_time()
    made = holdall.loads(head + types + bytes(lists + 2))
    assert made[:-1] == ([],) * lists
    # It used to take 14 seconds and 3 GB.
    assert time.process_time() - start < 5


def test_a_failed_direct_build_is_tried_once() -> None:
    value = nested(43, lambda value: (value,), ([True] * 2_000_000, {1.5: 1}))
    data = holdall.dumps(value, references=False)
    start = time.process_time()
    assert holdall.loads(data) == value
    # It used to try each tuple again, which took more than a second.
    assert time.process_time() - start < 5


def test_a_fault_deep_inside_has_its_path() -> None:
    value: list[Any] = [{"a": [datetime.date(2024, 1, 1)] * 3} for _ in range(LONG)]
    value[70]["a"][1] = holdall.Logical(DATE, b"", 10**8)
    with pytest.raises(holdall.DecodeError) as fault:
        holdall.loads(holdall.dumps(value))
    assert fault.value.path == "$[70].a[1]"
