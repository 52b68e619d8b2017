"""Plain values are written in other formats without a message between: the bytes and errors are those by way of a message."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from typing import Any

import holdall
import pytest
from conftest import ALL_ROUNDS
from holdall import _holdall

#: With limits, each value goes by way of a message.
BY_MESSAGE = holdall.Limits(output=1 << 30)
FORMATS = ["json", "ndjson", "msgpack", "cbor"]
SEEDS = 200 if ALL_ROUNDS else 40

SHARED: list[Any] = [1]
CYCLE: list[Any] = []
CYCLE.append(CYCLE)


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


#: Values, and whether formats that hold them write them without a message.
VALUES: list[tuple[Any, bool]] = [
    (None, True),
    (True, True),
    (-(2**63), True),
    (2**63 - 1, True),
    (2**63, False),
    (1.5, True),
    (-0.0, True),
    (1e300, True),
    (float("nan"), True),
    (float("inf"), True),
    ("", True),
    ('"\\\n\x00\x7f/é€😀' * 9, True),
    ("\ud800", False),
    ({"\ud800": 1}, False),
    (b"", True),
    (bytes(70_000), True),
    ([], True),
    ({}, True),
    ((), True),
    ({"": None}, True),
    ({"2024-01-01": 1, "1": 2}, True),
    ({"a": {"a": {"a": {}}}}, True),
    ({1: 2}, False),
    ({"a": 1, 2: 3}, False),
    ({None: 1}, False),
    ({f"k{at}": at for at in range(300)}, True),
    ([{"a": 1}, {"b": 2, "a": None}, {}], True),
    ([[1, "a"], [None, 2.5], []], True),
    ([tuple(range(20)), (1, [2], ((3,),)), (4, 5)], True),
    ([(1, 2)] * 3, True),
    ([SHARED, SHARED], False),
    ({"a": SHARED, "b": [SHARED]}, False),
    ([[SHARED]], True),
    (CYCLE, False),
    ({1, 2}, False),
    (datetime.date(2024, 1, 1), False),
    ([1, datetime.date(2024, 1, 1)], False),
    (bytearray(b"a"), False),
    (nested(64), True),
    (nested(65), False),
    (nested(5000), False),
]


def outcome(value: Any, name: str, **options: Any) -> bytes | tuple[Any, ...]:
    try:
        return holdall.dumps(value, format=name, **options)
    except holdall.EncodeError as error:
        return type(error), error.code, error.path, str(error)


def check(value: Any, name: str) -> bytes | tuple[Any, ...]:
    by_message = outcome(value, name, limits=BY_MESSAGE)
    assert outcome(value, name) == by_message
    return by_message


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("at", range(len(VALUES)))
def test_plain_values_have_the_bytes_and_errors_of_a_message(at: int, name: str) -> None:
    value, is_plain = VALUES[at]
    by_message = check(value, name)
    if isinstance(by_message, bytes):
        assert _holdall.write_plain(name, value) == (by_message if is_plain else None)
    else:
        assert _holdall.write_plain(name, value) is None


SCALARS: list[Callable[[random.Random], Any]] = [
    lambda chance: chance.randrange(-(2**63), 2**63) >> chance.randrange(64),
    lambda chance: chance.uniform(-1, 1) * 10.0 ** chance.randrange(-30, 30),
    lambda chance: "".join(chr(chance.randrange(1, 0x250)) for _ in range(chance.randrange(40))),
    lambda _: None,
    lambda chance: chance.random() < 0.5,
]


def some(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(4 if depth else 1)
    if kind == 1:
        return [some(chance, depth - 1) for _ in range(chance.randrange(5))]
    if kind == 2:
        return tuple(some(chance, depth - 1) for _ in range(chance.randrange(4)))
    if kind == 3:
        count = chance.randrange(6)
        return {f"{chance.choice('abcdé')}{at}": some(chance, depth - 1) for at in range(count)}
    return chance.choice(SCALARS)(chance)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_values_at_random_have_the_bytes_of_a_message(seed: int) -> None:
    chance = random.Random(seed)
    for name in FORMATS:
        value = [some(chance, 5) for _ in range(chance.randrange(30))]
        assert isinstance(check(value, name), bytes)
        assert _holdall.write_plain(name, value) is not None


@pytest.mark.parametrize("name", ["csv", "bson", "dlhn"])
def test_other_formats_need_a_message(name: str) -> None:
    assert _holdall.write_plain(name, [{"a": "b"}]) is None


def test_more_than_a_million_values_need_a_message() -> None:
    value = [None] * (1 << 20)
    assert _holdall.write_plain("msgpack", value) is not None
    value.append(None)
    assert _holdall.write_plain("msgpack", value) is None
    check(value, "msgpack")
