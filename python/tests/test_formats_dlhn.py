"""DLHN by `format=`: dicts are maps whose values have one type, objects get the names of their fields from the type."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, NamedTuple, NewType, TypedDict, TypeVar

import holdall
import msgspec
import pytest


@dataclasses.dataclass
class XY:
    x: int
    y: int


class Named(NamedTuple):
    x: int
    y: int


class Typed(TypedDict):
    x: int
    y: int


class Struct(msgspec.Struct):
    x: int
    y: int


@dataclasses.dataclass
class Ages:
    of: dict[str, int]
    points: dict[str, XY]


class Way(TypedDict):
    to: XY | None
    begin: XY


#: 23 is a map, 16 an integer of any size, 1 an optional value, 20 an array, 21 a tuple.
MAPS = [
    ({"y": 1, "x": 2}, "17 10 02 01 79 01 01 01 78 01 02"),
    ({}, "17 00 00"),
    ({"a": None, "b": 1}, "17 01 10 02 01 61 00 01 62 01 01 01"),
    ({"a": [], "b": [1]}, "17 14 10 02 01 61 00 01 62 01 01 01"),
    ([{"a": 1}, {}, {"b": 2}], "14 17 10 03 01 01 61 01 01 00 01 01 62 01 02"),
    ({"a": {"b": 1}, "c": {"d": 2}}, "17 17 10 02 01 61 01 01 62 01 01 01 63 01 01 64 01 02"),
    ({"a": [{"b": 1}], "c": []}, "17 14 17 10 02 01 61 01 01 01 62 01 01 01 63 00"),
]


@pytest.mark.parametrize(("value", "data"), MAPS, ids=repr)
def test_dicts_are_maps_with_their_keys_in_order(value: Any, data: str) -> None:
    assert holdall.dumps(value, format="dlhn").hex(" ") == data
    back = holdall.loads(bytes.fromhex(data), format="dlhn")
    assert back == value
    assert repr(back) == repr(value)


def test_a_dict_comes_back_as_a_dict_and_as_a_class_with_its_fields_in_any_order() -> None:
    value = {"y": 1, "x": 2}
    data = holdall.dumps(value, format="dlhn")
    for tp, expected in [
        (dict[str, int], value),
        (Typed, value),
        (XY, XY(2, 1)),
        (Named, Named(2, 1)),
        (Struct, Struct(2, 1)),
    ]:
        assert holdall.loads(data, tp, format="dlhn") == expected


@pytest.mark.parametrize("value", [XY(1, 2), Named(1, 2), Struct(1, 2)], ids=repr)
def test_objects_of_classes_are_tuples_of_their_fields(value: Any) -> None:
    data = holdall.dumps(value, format="dlhn")
    assert data.hex(" ") == "15 02 10 10 01 01 01 02"
    assert holdall.loads(data, type(value), format="dlhn") == value


def test_dicts_in_fields_come_back() -> None:
    for value in [
        Ages({}, {}),
        Ages({"b": 1, "a": 2}, {"p": XY(1, 2), "q": XY(3, 4)}),
    ]:
        data = holdall.dumps(value, format="dlhn")
        assert holdall.loads(data, Ages, format="dlhn") == value
    ways: list[Way] = [
        {"begin": XY(1, 2), "to": XY(3, 4)},
        {"begin": XY(1, 2), "to": None},
    ]
    for way in ways:
        assert holdall.loads(holdall.dumps(way, format="dlhn"), Way, format="dlhn") == way


@pytest.mark.parametrize(
    ("value", "path", "stored"),
    [
        ({"b": 1, "a": "x"}, "$", (1, "x")),
        ({"rows": [{"id": 1, "name": "a"}]}, "$.rows[]", {"rows": [(1, "a")]}),
        (Ages({"a": 1, "b": 1.5}, {}), "$.of", ((1, 1.5), {})),  # type: ignore[dict-item]
        ({"a": [1], "b": ["x"]}, "$", ([1], ["x"])),
        ({"a": True, "b": 1}, "$", (True, 1)),
    ],
    ids=repr,
)
def test_a_dict_with_values_of_several_types_is_refused_at_its_path(
    value: Any, path: str, stored: Any
) -> None:
    with pytest.raises(
        holdall.EncodeError, match="pack an object of a class, or storage=True writes the values"
    ) as caught:
        holdall.dumps(value, format="dlhn")
    assert (caught.value.code, caught.value.path) == ("unrepresentable", path)
    data = holdall.dumps(value, format="dlhn", storage=True)
    assert data == holdall.dumps(stored, format="dlhn")


def test_rows_with_other_keys_and_types_are_no_tuples() -> None:
    rows = [{"a": 1}, {"b": "x"}]
    for storage in (False, True):
        with pytest.raises(holdall.EncodeError, match="whose values have one type") as caught:
            holdall.dumps(rows, format="dlhn", storage=storage)
        assert caught.value.path == "$[]"


@dataclasses.dataclass
class Point:
    x: int
    y: float
    tags: list[str]


@dataclasses.dataclass
class Flat:
    n: int


POINTS: list[Point | int] = [Point(1, 2.0, ["a"]), Point(3, 4.5, [])]


@dataclasses.dataclass
class WithClassVariable:
    kind: ClassVar[int] = 3
    x: int
    given: dataclasses.InitVar[int] = 0
    y: float = 0.0


def test_names_of_dlhn_are_those_of_fields_alone() -> None:
    values = [WithClassVariable(1, 0, 2.0)]
    data = holdall.dumps(values, format="dlhn")
    assert holdall.loads(data, list[WithClassVariable], format="dlhn") == values


Meters = NewType("Meters", Point)


@dataclasses.dataclass
class Route:
    stops: Sequence[Meters]
    last: Point | None
    others: list[Point | int]


V = TypeVar("V")


@dataclasses.dataclass
class Held(Generic[V]):
    value: V
    others: list[V]


def test_names_of_dlhn_are_those_that_type_variables_stand_for() -> None:
    held = Held(Point(1, 2.0, []), [Point(3, 4.5, ["a"])])
    data = holdall.dumps([held], format="dlhn")
    assert holdall.loads(data, list[Held[Point]], format="dlhn") == [held]
    numbers = Held(1, [2])
    data = holdall.dumps(numbers, format="dlhn")
    assert holdall.loads(data, Held[int], format="dlhn") == numbers


def test_names_of_dlhn_are_found_wherever_data_can_have_them() -> None:
    route = Route([Meters(Point(1, 2.0, ["a"]))], Point(3, 4.5, []), POINTS)
    data = holdall.dumps([route], format="dlhn")
    assert holdall.loads(data, list[Route], format="dlhn") == [route]


@pytest.mark.parametrize(
    "tp", [Point | Flat, Point | tuple[int, float, list[str]], Point | Flat | None], ids=str
)
def test_a_union_that_leaves_names_of_dlhn_open_is_refused(tp: Any) -> None:
    data = holdall.dumps(POINTS, format="dlhn")
    with pytest.raises(TypeError, match="have no names of fields, and .* cannot give them"):
        holdall.loads(data, list[tp], format="dlhn")


@dataclasses.dataclass(frozen=True)
class Place:
    x: int
    name: str


ONE, TWO = Place(1, "a"), Place(2, "b")
ROW = "15 02 10 12"
#: A type, a value, and its bytes, also of a list or tuple that is read as that type.
COLLECTIONS: list[tuple[Any, Any, str]] = [
    (tuple[Place, ...], (ONE, TWO), f"15 02 {ROW} {ROW} 01 01 01 61 01 02 01 62"),
    (tuple[Place, ...], (ONE, TWO), f"14 {ROW} 02 01 01 01 61 01 02 01 62"),
    (tuple[Place, Place], (ONE, TWO), f"14 {ROW} 02 01 01 01 61 01 02 01 62"),
    (list[Place], [ONE, TWO], f"15 02 {ROW} {ROW} 01 01 01 61 01 02 01 62"),
    (set[Place], {ONE}, f"14 {ROW} 01 01 01 01 61"),
    (frozenset[Place], frozenset([ONE]), f"15 01 {ROW} 01 01 01 61"),
    (
        collections.deque[Place],
        collections.deque([ONE], 5),
        f"15 02 14 {ROW} 10 01 01 01 01 61 01 05",
    ),
    (collections.deque[Place], collections.deque([ONE]), f"15 02 14 {ROW} 00 01 01 01 01 61"),
    (collections.deque[Place], collections.deque([ONE]), f"14 {ROW} 01 01 01 01 61"),
    (
        collections.deque[Place],
        collections.deque([ONE, TWO]),
        f"15 02 {ROW} {ROW} 01 01 01 61 01 02 01 62",
    ),
    (
        list[collections.deque[Place]],
        [collections.deque([ONE]), collections.deque([TWO], 5)],
        f"14 15 02 14 {ROW} 01 10 02 01 01 01 01 61 00 01 01 02 01 62 01 01 05",
    ),
    (
        collections.defaultdict[str, Place],
        collections.defaultdict(int, k=ONE),
        f"15 02 12 17 {ROW} 03 69 6e 74 01 01 6b 01 01 01 61",
    ),
    (
        collections.ChainMap[str, Place],
        collections.ChainMap({"k": ONE}, {}),
        f"14 17 {ROW} 02 01 01 6b 01 01 01 61 00",
    ),
]


@pytest.mark.parametrize(("tp", "value", "data"), COLLECTIONS)
def test_items_have_the_names_of_their_type_in_any_collection(
    tp: Any, value: Any, data: str
) -> None:
    back = holdall.loads(bytes.fromhex(data), tp, format="dlhn")
    assert (back, repr(back)) == (value, repr(value))
    written = holdall.dumps(value, format="dlhn", storage=True)
    back = holdall.loads(written, tp, format="dlhn")
    assert (back, repr(back)) == (value, repr(value))


@dataclasses.dataclass
class Ones:
    id: int
    one: tuple[int]
    some: list[tuple[str]]
    none: tuple[None] | None


def test_a_tuple_of_one_item_comes_back() -> None:
    value = [Ones(1, (2,), [("a",), ("b",)], (None,)), Ones(1, (3,), [], None)]
    data = holdall.dumps(value, format="dlhn")
    assert holdall.loads(data, list[Ones], format="dlhn") == value
