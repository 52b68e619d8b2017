"""The check of results fails for each kind of wrong result."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import pathlib
import re
from typing import Any

import numpy as np
import pytest

from ..data import graph, held, records
from ..same import difference, values_and_columns


@dataclasses.dataclass
class One:
    x: Any


@dataclasses.dataclass
class Other:
    x: Any


class Plain:
    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


shared: list[Any] = []
UTC = datetime.UTC
NOON = datetime.datetime(2024, 1, 1, 12)

WRONG: list[tuple[Any, Any]] = [
    (1, 2),
    (1, 1.0),
    (1, True),
    (0, None),
    (0.0, -0.0),
    (float("nan"), 1.0),
    ("1", 1),
    ("a", b"a"),
    ([1, 2], [2, 1]),
    ([1], [1, 1]),
    ([1], (1,)),
    ([1, 2, 3.0], [1, 2, 3]),
    ({"a": 1}, {"a": 2}),
    ({"a": 1}, {"b": 1}),
    ({"a": 1}, {"a": 1, "b": 1}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": {"b": [{}]}}, {"a": {"b": [[]]}}),
    (One(1), Other(1)),
    (One(1), {"x": 1}),
    (One(1), One(2)),
    (One([1]), One([2])),
    (Plain(a=1), Plain()),
    (Plain(a=1), Plain(b=1)),
    (records.AsSlotted(1, "a", "b", 1.0, True), records.AsSlotted(1, "a", "b", 1.0, False)),
    (held.Colour.RED, held.Colour.BLUE),
    (held.Place("a", 1, 2.0), held.Place("a", 1, 3.0)),
    (held.Items([1]), held.Items([2])),
    (held.Options(a=1), held.Options(a=2)),
    (held.ParserError("a"), held.ParserError("b")),
    (collections.Counter("aab"), collections.Counter("abb")),
    (collections.defaultdict(int), collections.defaultdict(list)),
    (collections.deque([1], 2), collections.deque([1], 3)),
    (collections.OrderedDict(a=1, b=2), collections.OrderedDict(b=2, a=1)),
    ({1, 2}, {1, 3}),
    (pathlib.PurePosixPath("a"), pathlib.PurePosixPath("b")),
    (re.compile("a"), re.compile("a", re.IGNORECASE)),
    (records.AsStruct(1, "a", "b", 1.0, True), records.AsStruct(2, "a", "b", 1.0, True)),
    (records.AsAttrs(1, "a", "b", 1.0, True), records.AsAttrs(1, "x", "b", 1.0, True)),
    (decimal.Decimal("1.0"), decimal.Decimal("1.00")),
    (NOON, NOON.replace(tzinfo=UTC)),
    (NOON, NOON.replace(microsecond=1)),
    (NOON.isoformat(), NOON),
    (np.zeros(3), np.ones(3)),
    (np.zeros(3), np.zeros(3, "f4")),
    (np.zeros((2, 3)), np.zeros((3, 2))),
    (np.zeros(1), [0.0]),
    ([shared, shared], [[], []]),
    ([[], []], [shared, shared]),
]


@pytest.mark.parametrize("pair", WRONG, ids=repr)
def test_other_values_differ(pair: tuple[Any, Any]) -> None:
    left, right = pair
    assert difference(left, right) is not None
    assert difference(right, left) is not None
    assert difference([left], [right]) is not None
    for same in pair:
        assert difference(same, same) is None


def test_attributes_have_no_order() -> None:
    assert difference(Plain(a=1, b=2), Plain(b=2, a=1)) is None


def test_graphs_are_compared_by_identity() -> None:
    left, right = graph.make(200, 1), graph.make(200, 1)
    assert difference(left, right) is None
    # An equal copy instead of the same object.
    other = graph.make(200, 1)[5]
    right[3].team.members[0] = other
    assert difference(left, right) is not None


def test_cycles_and_depth_end() -> None:
    ring: list[Any] = []
    ring.append(ring)
    assert difference(ring, ring) is None
    deep: list[Any] = []
    for _ in range(50_000):
        deep = [deep]
    assert difference(deep, deep) is None


def test_columns_are_counted() -> None:
    assert values_and_columns(1) == (1, 8)
    assert values_and_columns("añ") == (1, 11)
    assert values_and_columns({"name": 1.5, "more": [True, None]}) == (5, 40)
    assert values_and_columns([decimal.Decimal(1)]) == (2, 24)
    assert values_and_columns(np.zeros(10)) == (10, 80)
    assert values_and_columns(One("ab")) == (2, 18)
    both = One(1)
    assert values_and_columns([both, both]) == (4, 32)
