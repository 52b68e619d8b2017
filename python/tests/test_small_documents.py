"""Documents of many values are packed and read in one walk, as small messages are; that gives what the general path gives."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import itertools
import random
from collections.abc import Callable
from typing import Any

import holdall
import pytest
from conftest import ALL_ROUNDS
from holdall import _holdall

#: With limits, each message takes the general path.
OUTPUT = holdall.Limits(output=1 << 30)
BUDGET = holdall.Limits(budget=1 << 26)
SEEDS = 60 if ALL_ROUNDS else 12
MUTATIONS = 2000 if ALL_ROUNDS else 200


class Rights(enum.Flag):
    READ = 1
    WRITE = 2
    RUN = 4


@holdall.register
@dataclasses.dataclass
class Place:
    name: str
    tags: list[str]


#: Other objects become records or extensions.
TYPES = [Place, Rights]


def check(value: Any, **options: Any) -> None:
    """Each packing of a value gives the bytes of the general path: the first, and those that know its classes."""
    general = holdall.Encoder(limits=OUTPUT, **options).encode(value)
    encoder = holdall.Encoder(**options)
    for _ in range(3):
        assert encoder.encode(value) == general
    outcome_of(general)


def outcome_of(data: bytes) -> str:
    """What reading gives, a value or an error: the same by each way."""
    general = read(holdall.Decoder(types=TYPES, limits=BUDGET), data)
    decoder = holdall.Decoder(types=TYPES)
    for _ in range(3):
        assert read(decoder, data) == general
    return general


def read(decoder: holdall.Decoder[Any], data: bytes) -> str:
    try:
        return repr(decoder.decode(data))
    except holdall.DecodeError as error:
        return f"{type(error).__name__} {error.code} {error.offset} {error.path} {error.args}"


Make = Callable[[random.Random], Any]
SCALARS: list[Make] = [
    lambda chance: chance.randrange(-9, 10**6),
    lambda chance: chance.randrange(-(2**63), 2**63),
    lambda chance: round(chance.uniform(0, 99), 2),
    lambda chance: f"{chance.randrange(30)}é",
    lambda chance: "x" * chance.randrange(300),
    lambda chance: bytes(chance.randrange(9)),
    lambda chance: chance.random() < 0.5,
    lambda _: None,
    lambda chance: Rights(chance.randrange(8)),
    lambda chance: datetime.date(2000 + chance.randrange(99), 1, 1),
]


def some(chance: random.Random, depth: int, names: list[str]) -> Make:
    """A way to make values, with one form or several."""
    kind = chance.randrange(9 if depth else 3)
    if kind < 2:
        return chance.choice(SCALARS)
    if kind == 2:
        makes = chance.sample(SCALARS, 3)
        return lambda chance: chance.choice(makes)(chance)
    inside = [some(chance, depth - 1, names) for _ in range(chance.randrange(1, 9))]
    one, most = inside[0], chance.choice((3, 12, 50))
    if kind == 3:
        return lambda chance: [one(chance) for _ in range(chance.randrange(most))]
    if kind == 4:
        return lambda chance: tuple(make(chance) for make in inside)
    if kind == 5:
        return lambda chance: chance.choice(inside)(chance)
    # With few names, records have the shapes of those around them.
    names = chance.sample(names, min(len(inside), len(names)))
    share = chance.choice((1.0, 0.9, 0.4))
    if kind == 6:
        dates = chance.choice((0, 0.02, 0.5, 1.0))
        return lambda chance: (
            {f"20{chance.randrange(10, 99)}-01-01": one(chance) for _ in range(chance.randrange(3))}
            if chance.random() < dates
            else {name: one(chance) for name in names if chance.random() < share}
        )
    if kind == 7:
        return lambda chance: {
            name: make(chance)
            for name, make in zip(names, inside, strict=False)
            if chance.random() < share
        }
    span = chance.choice((10, 300, 10**9))
    return lambda chance: {f"k{chance.randrange(span)}": one(chance) for _ in range(5)}


NAMES = [f"{word}{at}" for word in ("id", "name", "é", "", "2024-01-0", "url_") for at in range(9)]


@pytest.mark.parametrize("options", [{}, {"profile": "fast"}, {"references": False}], ids=repr)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_documents_at_random_have_the_bytes_of_the_general_path(
    seed: int, options: dict[str, Any]
) -> None:
    chance = random.Random(seed)
    for _ in range(8):
        make = some(chance, *chance.choice(((3, NAMES), (4, NAMES[:3]))))
        check([make(chance) for _ in range(chance.choice((2, 20, 300)))], **options)


def sparse(count: int) -> list[dict[str, Any]]:
    chance = random.Random(5)
    return [{name: at for name in NAMES if chance.random() < 0.3} for at in range(count)]


def keys(first: int, count: int) -> dict[str, int]:
    return {f"k{first + at}": at for at in range(count)}


#: Each choice of types of scalars, in each order, with several rows of some.
COLUMNS = [
    [value for value in row for _ in range(1 + (at + len(str(value))) % 3)]
    for count in range(7)
    for at, row in enumerate(itertools.permutations([1, 1.5, "é", None, True, b"b"], count))
]

DOCUMENTS: dict[str, Any] = {
    "flat": [{"id": at, "name": f"n{at}", "score": at / 3} for at in range(20_000)],
    "objects": [Place(f"n{at}", ["a", f"t{at % 7}"]) for at in range(5_000)],
    "flags": [Rights(at % 8) for at in range(10_000)],
    "strings": [f"{at * 7919 % 4000}" for at in range(20_000)],
    "strings that repeat at first": ["a"] * 2000 + [f"{at}" for at in range(20_000)],
    "17 shapes": [dict.fromkeys(NAMES[:at], 1) for at in range(1, 18)] * 3,
    "sparse": sparse(5_000),
    "256 fields, then others": [keys(at, 2) for at in range(400)],
    "256 fields exceeded by one dict": [keys(0, 250), keys(0, 300), keys(0, 3), keys(300, 6)],
    "257 fields in one dict": keys(0, 257),
    "257 fields in one dict of several": [keys(0, 257), keys(0, 1), {}],
    "maps, then records": [{"2024-01-01": 1}, {"a": 1}, {}],
    "empty dicts, then maps": [{}, {}, {"2024-01-01": 1}, {"a": 1}, {}],
    "empty dicts, then numbers": [{}, {1: 2}, {}, {"a": 1}, {"b": 2}],
    "records among numbers": [{"a": 1}, {1: 2}, {"b": 1}, {}, {"a": 1, 2: 3}],
    "records and maps among others": [1, {"a": 1}, None, {1: 2}, "x", {"b": 1}, {}],
    "one dict among others": [1, {1: 2}, "x"],
    "a key that is no string": {"a": 1, 2: 3},
    "many names": [{f"k{at * 16 + key}": [{f"j{at}": 1}] for key in range(16)} for at in range(32)],
    "16,000 sites": {f"a{at}": keys(0, 250) for at in range(64)},
    "more sites than there are types": {f"a{at}": {"b": keys(0, 256)} for at in range(70)},
    "scalars of several types": COLUMNS,
    "a field for each choice of types": [
        [{"a": value, "b": [value], "c": [column[0], value]} for value in column]
        for column in COLUMNS
        if column
    ],
    "lists of scalars, then one of lists": [[], [1, None], [1.5], [[2]], [3]],
    "scalars, then others": [{"a": 1}, {"a": None}, {"a": 2.5}, {"a": [1]}, {"a": {}}],
    "lists in turn": [[at] * (at % 4) for at in range(9_000)],
}


@pytest.mark.parametrize("profile", ["fast", "balanced"])
@pytest.mark.parametrize("value", DOCUMENTS.values(), ids=DOCUMENTS)
def test_documents_have_the_bytes_of_the_general_path(value: Any, profile: str) -> None:
    check(value, profile=profile)


@pytest.mark.parametrize("name", ["flat", "sparse", "256 fields, then others", "strings"])
def test_documents_have_the_bytes_of_the_library(name: str) -> None:
    data = holdall.dumps(DOCUMENTS[name])
    assert _holdall.through_value(data, "balanced") == data


@pytest.mark.parametrize("name", ["flat", "17 shapes", "sparse", "maps, then records"])
def test_damaged_documents_are_read_as_in_general(name: str) -> None:
    chance = random.Random(7)
    data = holdall.dumps(DOCUMENTS[name][:500])
    valid = outcome_of(data)
    outcomes = set()
    for _ in range(MUTATIONS):
        broken = bytearray(data)
        broken[chance.randrange(2, len(data))] = chance.choice(
            (0, 1, 2, 16, 32, 255, chance.randrange(256))
        )
        outcomes.add(outcome_of(bytes(broken)))
    assert len(outcomes - {valid}) > MUTATIONS // 10


def test_rows_that_list_their_fields_are_read_in_their_order() -> None:
    data = holdall.dumps(DOCUMENTS["17 shapes"])
    assert " sparse" in str(holdall.schema(data))
    assert outcome_of(data) == repr(DOCUMENTS["17 shapes"])


def test_an_int_beyond_64_bits_is_read_in_documents() -> None:
    check([{"a": at} for at in range(3_000)] + [{"a": 1 << 70}])


def test_values_that_others_hold_have_an_identity_in_documents() -> None:
    rows = [{"a": at} for at in range(3_000)]
    check([rows, [dict(row) for row in rows]])
    check([rows, [*rows[:1], *([{"a": 1}] * 2)]])
    one, other = holdall.loads(holdall.dumps([rows, rows[-1:]]))
    assert one[-1] is other[0]
