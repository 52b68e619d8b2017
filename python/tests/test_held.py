"""Values that pickle's users hold, in lists long enough for the direct walk and the direct build."""

from __future__ import annotations

import collections
import enum
import pathlib
import random
from collections.abc import Callable
from typing import Any

import holdall
import pytest

COUNT = 300


class Letter(enum.Enum):
    ALPHA = 1
    BETA = 2


Many = enum.Enum("Many", {f"M{number}": number for number in range(100)}, module=__name__)


class Mode(enum.Flag):
    READ = 1
    WRITE = 2
    FAR = 1 << 40
    FARTHER = 1 << 80


class Money:
    made = 0

    def __init__(self, amount: int, currency: str = "EUR") -> None:
        if amount == 13:
            raise ValueError("unlucky")
        Money.made += 1
        self.pair = (amount, currency)

    def __reduce__(self) -> tuple[type[Money], tuple[int, str]]:
        return Money, self.pair

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Money) and other.pair == self.pair

    __hash__ = None  # type: ignore[assignment]


class Labelled(dict[str, int]):
    label: str


for each in (Letter, Many, Mode, Money, Labelled):
    holdall.register(each)


def both(value: Any) -> list[Any]:
    """The value from the functions and from an encoder that has packed it before."""
    encoder = holdall.Encoder()
    first = encoder.encode(value)
    assert encoder.encode(value) == holdall.dumps(value) == first
    return [holdall.loads(first), holdall.Decoder().decode(first)]


def keys(order: random.Random, count: int = 3) -> list[str]:
    return order.sample([f"key {number}" for number in range(20)], count)


EDGES = [
    sign * (1 << bits) + more
    for bits in (31, 63, 64, 65, 127, 128, 255, 256, 257, 511, 4096)
    for sign in (1, -1)
    for more in (-1, 0, 1)
]

MAKERS: dict[str, Callable[[random.Random], Any]] = {
    "big-ints": lambda order: order.choice(EDGES),
    "ints-of-a-size": lambda order: order.getrandbits(200) - (1 << 199),
    "members": lambda order: order.choice(list(Letter)),
    "many-members": lambda order: order.choice(list(Many)),
    "members-and-others": lambda order: order.choice([*Letter, *Many, None, 1, "a"]),
    "flags": lambda order: order.choice([Mode(0), Mode.READ, Mode.READ | Mode.WRITE, Mode.FAR]),
    "far-flags": lambda order: order.choice([Mode.FARTHER, Mode.FARTHER | Mode.READ, Mode.READ]),
    "sets": lambda order: {order.randrange(1000) for _ in range(order.randrange(9))},
    "sets-of-strings": lambda order: set(keys(order)),
    "sets-of-pairs": lambda order: {(order.randrange(9), "é") for _ in range(3)},
    "sets-of-all": lambda order: set(order.sample([None, 1, "a", b"b", 2.5, 1 << 70, (1, 2)], 4)),
    "frozen-sets": lambda order: frozenset(order.sample(range(-50, 50), 5)),
    "defaultdicts": lambda order: collections.defaultdict(
        order.choice([int, list, None]), dict.fromkeys(keys(order), 1)
    ),
    "defaultdicts-of-ints": lambda order: collections.defaultdict(int, {order.randrange(99): 1.5}),
    "defaultdicts-inside": lambda order: collections.defaultdict(
        dict, {key: collections.Counter(keys(order)) for key in keys(order)}
    ),
    "counters": lambda order: collections.Counter(keys(order)),
    "ordered-dicts": lambda order: collections.OrderedDict.fromkeys(keys(order), (1, "b")),
    "dicts-of-other-keys": lambda order: dict.fromkeys(keys(order, order.randrange(6)), 1),
    "paths": lambda order: pathlib.PurePosixPath("/srv", *keys(order)),
    "windows-paths": lambda order: pathlib.PureWindowsPath("C:/srv", *keys(order)),
    "reduced": lambda order: Money(order.randrange(20, 90), order.choice(["EUR", "USD"])),
}


@pytest.mark.parametrize("name", MAKERS)
def test_values_of_one_kind_are_restored(name: str) -> None:
    order = random.Random(name)
    value = [MAKERS[name](order) for _ in range(COUNT)]
    for back in both(value):
        assert back == value
        assert [type(each) for each in back] == [type(each) for each in value]
        for made, each in zip(back, value, strict=True):
            if isinstance(each, dict):
                assert list(made) == list(each)
                assert getattr(made, "default_factory", 0) == getattr(each, "default_factory", 0)


@pytest.mark.parametrize("name", MAKERS)
def test_shared_values_stay_shared(name: str) -> None:
    order = random.Random(name)
    pool = [MAKERS[name](order) for _ in range(5)]
    value = [order.choice(pool) for _ in range(COUNT)]
    for back in both(value):
        assert back == value
        alike = {id(each): id(made) for each, made in zip(value, back, strict=True)}
        if isinstance(pool[0], set | dict | Money):
            assert [alike[id(each)] for each in value] == [id(made) for made in back]


def test_sets_without_their_first_members_are_restored() -> None:
    value = [set(range(number)) for number in range(60)]
    for number, members in enumerate(value):
        members -= set(range(0, number, 3))
    assert holdall.loads(holdall.dumps(value)) == value


def test_members_that_a_set_lost_are_not_packed() -> None:
    members = {f"key {number}" for number in range(50)}
    for number in range(49):
        members.remove(f"key {number}")
    assert holdall.dumps([members]) == holdall.dumps([{"key 49"}])


def test_values_that_wait_inside_a_collection_are_restored() -> None:
    deep: list[Any] = []
    for _ in range(40):
        deep = [deep]
    value = [collections.defaultdict(list, {"a": deep, "b": Money(1), "c": 3}) for _ in range(5)]
    value += [collections.Counter({"a": deep, "b": Money(1), "c": 3}) for _ in range(5)]  # type: ignore[dict-item]
    for back in both(value):
        assert back == value
        assert [list(each) for each in back] == [list(each) for each in value]


def test_a_collection_inside_itself_is_restored() -> None:
    own: Any = collections.defaultdict(list, a=1)
    own["own"] = own
    (back, other) = holdall.loads(holdall.dumps([own, own]))
    assert back is other
    assert back["own"] is back
    assert list(back) == ["a", "own"]


def test_an_entry_that_is_shared_outside_a_collection_stays_shared() -> None:
    inner = [1]
    value = [collections.Counter({"a": inner}), inner, collections.defaultdict(None, {"a": inner})]  # type: ignore[dict-item]
    first, second, third = holdall.loads(holdall.dumps(value))
    assert first["a"] is second
    assert third["a"] is second


def test_constructors_run_once_for_each_object() -> None:
    data = holdall.dumps([Money(number) for number in range(20, 20 + COUNT)])
    Money.made = 0
    holdall.loads(data)
    assert Money.made == COUNT


def test_an_exception_of_a_constructor_names_its_object() -> None:
    made = [Money(number) for number in range(20, 30)]
    made[7].pair = (13, "EUR")
    data = holdall.dumps({"all": made})
    Money.made = 0
    with pytest.raises(ValueError, match="unlucky"):
        holdall.loads(data)
    assert Money.made == 7


def test_subclasses_of_dicts_with_other_keys_in_each_row_keep_their_attributes() -> None:
    order = random.Random(1)
    value = [Labelled(dict.fromkeys(keys(order), 1)) for _ in range(COUNT)]
    for number, each in enumerate(value):
        each.label = str(number)
    for number, back in enumerate(holdall.loads(holdall.dumps(value))):
        assert type(back) is Labelled
        assert (back, back.label, list(back)) == (value[number], str(number), list(value[number]))


def test_rows_that_list_their_fields_are_read_into_types() -> None:
    order = random.Random(2)
    value = [dict.fromkeys(keys(order), 1) for _ in range(COUNT)]
    data = holdall.dumps(value)
    assert holdall.loads(data, list[dict[str, int]]) == value
    with pytest.raises(holdall.SchemaError):
        holdall.loads(data, list[dict[str, str]])
