"""With `canonical=True` equal objects give equal bytes, whatever the hash seed, in Python and in Rust (F-96)."""

from __future__ import annotations

import datetime
import enum
import io
import os
import pathlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import holdall
import pytest
from checks import check_message
from holdall import _holdall
from holdall_reference import decode_message
from holdall_reference.writer import encode_message

SEEDS = 20

#: Runs under each seed; prints the bytes, and whether another order of insertion gives the same.
SCRIPT = """
import datetime, enum, pathlib, sys
import holdall
from decimal import Decimal
from uuid import UUID

class Suit(enum.Enum):
    HEARTS = "h"
    SPADES = "s"
    CLUBS = "c"

@holdall.register(name="Point")
class Point:
    def __init__(self, *of):
        self.of = of
        self.tags = set(map(str, of))
    def __eq__(self, other):
        return self.of == other.of
    def __hash__(self):
        return hash(self.of)

def make(step):
    n = range(12)[::step]
    dates = {datetime.date(2020, 1, 1) + datetime.timedelta(days * days) for days in n}
    shared = datetime.date(1999, 9, 9)
    return {
        "dates": dates,
        "times": {datetime.datetime(2020, 1, 1, hour, tzinfo=datetime.timezone.utc) for hour in n},
        "paths": {pathlib.PurePosixPath("/" + "x" * k) for k in n},
        "frozensets": {frozenset(f"{k}{i}" for i in range(k)) for k in n},
        "deeper": {frozenset({frozenset({k, f"{k}"}), datetime.date(2000 + k, 1, 1)}) for k in n},
        "tuples": {((k, f"{k}"), (None, float(k))) for k in n},
        "enums": {*list(Suit)[::step]},
        "numbers": {Decimal(k) for k in n} | {k for k in n} | {UUID(int=k) for k in n},
        "mixed": {*n, *"abc"[::step], None, 1.5, b"x", (1, 2), ("z",), datetime.date(1, 1, 1), Suit.CLUBS},
        "objects": {Point(k, k % 3) for k in n},
        "long": {tuple(range(k, k + 9)) for k in n},
        "shared": [{shared, *dates}, shared, {frozenset({shared, 1}), frozenset({2, shared})}],
        "dicts": [{str(k): {k, str(k)} for k in range(12)}],
    }

for profile in ("fast", "balanced"):
    data = holdall.dumps(make(1), canonical=True, profile=profile)
    assert data == holdall.dumps(make(-1), canonical=True, profile=profile)
    assert data == holdall.dumps(holdall.loads(data, types=[Suit]), canonical=True, profile=profile)
    print(data.hex())
print(holdall.dumps(make(1), profile="fast").hex())
"""


@pytest.fixture(scope="module")
def printed() -> list[list[str]]:
    """The output of the script under each seed."""
    running = []
    for seed in range(SEEDS):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        command = [sys.executable, "-c", SCRIPT]
        pipe = subprocess.PIPE
        running.append(
            subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)
        )
    answers = []
    for process in running:
        out, err = process.communicate()
        assert process.returncode == 0, err
        answers.append(out.split())
    return answers


def test_equal_objects_give_equal_bytes_under_every_seed(printed: list[list[str]]) -> None:
    fast, balanced, loose = zip(*printed, strict=True)
    assert len(set(fast)) == len(set(balanced)) == 1
    # Without the option the order of sets shows, so the seeds had an effect.
    assert len(set(loose)) > 1


def test_rust_and_the_reference_write_the_same_bytes(printed: list[list[str]]) -> None:
    fast, balanced, _ = map(bytes.fromhex, printed[0])
    check_message(balanced)
    for _, _, text in printed[:5]:
        # The value with the other order is the same.
        loose = bytes.fromhex(text)
        assert _holdall.through_value(loose, "fast", True) == fast
        assert _holdall.through_value(loose, "balanced", True) == balanced
        assert encode_message(decode_message(loose), "fast", canonical=True) == fast


def test_the_bytes_are_those_of_rust() -> None:
    # The same cases are in `crates/holdall/tests/crates/canonical.rs`.
    dates = {datetime.date(1970, 1, day) for day in (4, 2, 3)}
    tuples = {(("b", "a"), "z"), (("a", "b"), "y")}
    for value, expected in [
        (dates, "C1 10 22 0A 00 16 22 01 00 03 06 04 08 0C"),
        (
            tuples,
            "C1 10 22 0A 00 16 18 04 18 04 12 12 12 04 02 02 61 62 02 02 62 61 02 02 79 7A",
        ),
    ]:
        data = holdall.dumps(value, canonical=True, profile="fast")
        assert data.hex(" ").upper() == expected


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def test_every_way_of_writing_has_the_option(tmp_path: Path) -> None:
    def make(step: int) -> Any:
        return {pathlib.PurePosixPath(f"{n}") for n in range(20)[::step]}

    data = holdall.dumps(make(1), canonical=True)
    assert holdall.Encoder(canonical=True).encode(make(-1)) == data
    encoder = holdall.Encoder(canonical=True)
    assert [encoder.encode(make(step)) for step in (1, -1, 1)] == [data] * 3
    holdall.dump(make(-1), tmp_path / "one", canonical=True)
    assert (tmp_path / "one").read_bytes() == data

    def stream(step: int) -> bytes:
        file = io.BytesIO()
        with holdall.Writer(file, canonical=True, sync=b"12345678") as writer:
            for _ in range(3):
                writer.write(make(step))
        return file.getvalue()

    assert stream(1) == stream(-1)
    assert list(holdall.Reader(io.BytesIO(stream(1)))) == [make(1)] * 3


def test_dicts_and_lists_keep_their_order() -> None:
    value = {"b": [3, 1, 2], "a": {Color.BLUE: 1, Color.RED: 2}}
    assert holdall.dumps(value, canonical=True) == holdall.dumps(value)


class Node:
    """Distinguished by its contents."""

    def __init__(self) -> None:
        self.friends: set[Node] = set()


def test_a_set_in_a_member_of_itself_has_no_order() -> None:
    ada, bob, cyd = Node(), Node(), Node()
    ada.friends, bob.friends, cyd.friends = {bob, cyd}, {ada, cyd}, {ada, bob}
    assert holdall.dumps(ada)
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps([ada], canonical=True)
    assert str(caught.value) == (
        "unsupported_value in $[0].friends: expected sets that have a canonical order, got one inside a member of itself"
    )
    # A single member needs no order.
    ada.friends, bob.friends = {bob}, {ada}
    assert holdall.dumps(ada, canonical=True) == holdall.dumps(ada)


def nested(depth: int) -> frozenset[Any]:
    value: frozenset[Any] = frozenset()
    for n in range(depth):
        value = frozenset({value, datetime.date(2000, 1, 1 + n % 28)})
    return value


def test_sets_in_members_of_sets_are_ordered_once_each() -> None:
    # Without a cache of the orders this would take 2^32 steps.
    data = holdall.dumps(nested(32), canonical=True)
    assert holdall.dumps(holdall.loads(data), canonical=True) == data
    assert _holdall.through_value(holdall.dumps(nested(32)), "balanced", True) == data
    for depth in (33, 40):
        with pytest.raises(holdall.EncodeError, match="one inside members of 32 others"):
            holdall.dumps(nested(depth), canonical=True)


def test_members_that_are_equal_as_data_give_equal_bytes() -> None:
    one, other = Node(), Node()
    bytes_of = {holdall.dumps(order, canonical=True) for order in ({one, other}, {other, one})}
    assert len(bytes_of) == 1


def test_errors_in_a_member_have_the_path_of_the_set() -> None:
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps({"a": [{lambda: 0, datetime.date(2000, 1, 1)}]}, canonical=True)
    assert caught.value.path is not None
    assert caught.value.path.startswith("$.a[0]")

    def refuse(value: object) -> object:
        raise KeyError("no")

    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps([{lambda: 0, datetime.date(2000, 1, 1)}], canonical=True, enc_hook=refuse)
    assert isinstance(caught.value.__cause__, KeyError)
