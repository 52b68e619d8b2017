"""Plain data of other formats are read without a message between: the values and errors are those by way of a message."""

from __future__ import annotations

import random
from typing import Any

import holdall
import pytest
from conftest import ALL_ROUNDS
from holdall import _holdall
from test_formats_plain import FORMATS, nested, some

#: With limits, all data go by way of a message.
BY_MESSAGE = holdall.Limits(output=1 << 30)
SEEDS = 200 if ALL_ROUNDS else 40
#: Damaged inputs of each value.
DAMAGED = 20


def plain(name: str, data: bytes) -> Any:
    """What is read without a message. After failures in a row there are pauses."""
    tries = (_holdall.read_plain(name, data) for _ in range(130))
    return next((read for read in tries if read is not None), None)


def outcome(data: bytes, name: str, **options: Any) -> tuple[Any, ...]:
    """A value as its text, which shows types, signs and the order of keys; or what an error says."""
    try:
        return (repr(holdall.loads(data, format=name, **options)),)
    except holdall.DecodeError as error:
        return error.code, error.offset, error.path, str(error)


def check(data: bytes, name: str) -> tuple[Any, ...]:
    by_message = outcome(data, name, limits=BY_MESSAGE)
    assert outcome(data, name) == by_message, data
    return by_message


#: Data, and whether they are read without a message.
DATA: list[tuple[str, bytes, bool]] = [
    ("json", b"[]", True),
    ("json", b" {} ", True),
    ("json", b'[null, true, false, 1, -1, 1.5, -0.0, "a", "\\u00e9", [], {}]', True),
    ("json", b'{"a": {"b": [1, {"c": []}]}, "": 9223372036854775807}', True),
    ("json", b"[9223372036854775808]", False),
    ("json", b"1", False),
    ("json", b"null", False),
    ("json", b'"a"', False),
    ("json", b'{"a": 1, "a": 2}', False),
    ("json", b'[{"a": {"b": 1, "c": 2, "b": 3}}]', False),
    ("json", b"[1, 2", False),
    ("json", b"[1] 2", False),
    ("json", b"\xff", False),
    ("json", b"", False),
    ("ndjson", b"1\n[2]\n\n{}", True),
    ("ndjson", b"", True),
    ("ndjson", b"1\n[2", False),
    ("ndjson", b'{"a": 1, "a": 2}\n', False),
    ("msgpack", bytes.fromhex("93 c0 ca 7fa00001 c4 01 ff"), True),
    ("msgpack", bytes.fromhex("82 a1 61 01 a1 62 cb fff8000000000001"), True),
    ("msgpack", bytes.fromhex("81 01 02"), False),
    ("msgpack", bytes.fromhex("91 cf ffffffffffffffff"), False),
    ("msgpack", bytes.fromhex("91 d4 05 00"), False),
    ("msgpack", bytes.fromhex("91 d6 ff 00000001"), False),
    ("cbor", bytes.fromhex("84 f6 f9 3c00 fa 7fa00001 41 ff"), True),
    ("cbor", bytes.fromhex("bf 61 61 9f 01 02 ff 61 62 7f 61 63 61 64 ff ff"), True),
    ("cbor", bytes.fromhex("a1 61 61 c1 01"), False),
    ("cbor", bytes.fromhex("81 f7"), False),
    ("cbor", bytes.fromhex("a1 f5 01"), False),
    ("csv", b"a,b\n1,2\n", False),
    ("dlhn", b"", False),
]


@pytest.mark.parametrize("at", range(len(DATA)))
def test_plain_data_have_the_values_and_errors_of_a_message(at: int) -> None:
    name, data, is_plain = DATA[at]
    (first, *_) = check(data, name)
    read = plain(name, data)
    assert (read is not None) == is_plain
    if is_plain:
        assert repr(read) == first


@pytest.mark.parametrize("seed", range(SEEDS))
def test_data_at_random_and_damaged_have_the_values_and_errors_of_a_message(seed: int) -> None:
    chance = random.Random(seed)
    for name in FORMATS:
        value = [some(chance, 5) for _ in range(chance.randrange(30))]
        data = holdall.dumps(value, format=name)
        check(data, name)
        assert plain(name, data) is not None
        for _ in range(DAMAGED):
            damaged = bytearray(data)
            for _ in range(chance.randrange(1, 3)):
                if damaged:
                    damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            check(bytes(damaged[: chance.choice([None, chance.randrange(len(damaged) + 1)])]), name)


def test_repeated_keys_are_those_of_their_place() -> None:
    keys = [f"{'k' * (at % 70)}{at}" for at in range(3000)]
    value = [dict.fromkeys(keys, row) for row in range(3)]
    for name in FORMATS:
        data = holdall.dumps(value, format=name)
        assert plain(name, data) == value
    first, second = holdall.loads(b'[{"abcdefghij": 1}, {"abcdefghij": 2}]' * 1, format="json")
    assert list(first) == list(second)


def test_after_failures_in_a_row_data_are_tried_less_often() -> None:
    refused, accepted = b"[9223372036854775808]", b"[1]"
    assert plain("json", accepted) == [1]
    for _ in range(200):
        assert holdall.loads(refused, format="json") == [2**63]
    tries = [_holdall.read_plain("json", accepted) for _ in range(70)]
    assert None in tries
    assert tries[-1] == [1]
    assert holdall.loads(accepted, format="json") == [1]


def test_deep_data_need_a_message() -> None:
    for levels, is_plain in [(64, True), (65, False), (5000, False)]:
        value = [nested(levels - 1)] if levels > 1 else []
        data = holdall.dumps(value, format="cbor")
        assert (plain("cbor", data) is not None) == is_plain
        # Comparing deep lists recurses.
        assert holdall.dumps(holdall.loads(data, format="cbor"), format="cbor") == data


def test_options_and_types_need_a_message() -> None:
    data = b'{"a": [1, 2]}'
    assert holdall.loads(data, dict[str, tuple[int, ...]], format="json") == {"a": (1, 2)}
    assert holdall.loads(memoryview(data), format="json") == {"a": [1, 2]}
    assert holdall.loads(bytearray(data), format="json") == {"a": [1, 2]}


def test_more_than_a_million_values_need_a_message() -> None:
    value = [None] * (1 << 20)
    for extra, is_plain in [(0, True), (1, False)]:
        data = holdall.dumps(value + [None] * extra, format="msgpack")
        assert (plain("msgpack", data) is not None) == is_plain
        assert len(holdall.loads(data, format="msgpack")) == len(value) + extra
