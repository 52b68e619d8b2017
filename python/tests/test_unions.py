"""Unions of classes are resolved by the name in the data, otherwise by the fields; ambiguity is an error."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any, NamedTuple, NotRequired, TypedDict

import attrs
import holdall
import msgspec
import pydantic
import pytest


@dataclasses.dataclass
class Dog:
    name: str
    bark: int


@dataclasses.dataclass
class Cat:
    name: str
    meow: int
    lives: int = 9


@dataclasses.dataclass
class Named:
    name: str


@dataclasses.dataclass
class Loose:
    name: str = ""
    size: int = 0


@dataclasses.dataclass
class Twin:
    name: str
    bark: int


class Fish(TypedDict):
    name: str
    fins: NotRequired[int]


class Bird(msgspec.Struct, rename="camel"):
    name: str
    wing_span: float


class Model(pydantic.BaseModel):
    name: str
    legs: int


class Row(NamedTuple):
    name: str
    column: int


@attrs.define
class Frog:
    name: str
    jump: float = 1.0


def read(value: Any, tp: Any, **options: Any) -> Any:
    return holdall.loads(holdall.dumps(value), tp, **options)


ANIMALS = Dog | Cat | Fish | Bird | Model | Row | Frog
CHOSEN: list[tuple[Any, Any, Any]] = [
    ({"name": "a", "bark": 1}, ANIMALS, Dog("a", 1)),
    ({"name": "a", "meow": 1}, ANIMALS, Cat("a", 1)),
    ({"name": "a", "meow": 1, "lives": 2}, ANIMALS, Cat("a", 1, 2)),
    ({"name": "a", "wingSpan": 2.0}, ANIMALS, Bird("a", 2.0)),
    ({"name": "a", "wing_span": 2.0}, ANIMALS, Bird("a", 2.0)),
    ({"name": "a", "legs": 4}, ANIMALS, Model(name="a", legs=4)),
    ({"name": "a", "column": 4}, ANIMALS, Row("a", 4)),
    ({"name": "a", "fins": 4}, ANIMALS, {"name": "a", "fins": 4}),
    ({"name": "a", "jump": 4.0}, ANIMALS, Frog("a", 4.0)),
    # First the fewest unread fields, then the fewest left to defaults.
    ({"name": "a"}, Dog | Named, Named("a")),
    ({"name": "a", "bark": 1}, Named | Dog, Dog("a", 1)),
    ({"name": "a", "other": 1}, Named | Dog, Named("a")),
    ({"name": "a"}, Loose | Named, Named("a")),
    ({"name": "a", "size": 1}, Loose | Named, Loose("a", 1)),
    ({}, Loose | Named, Loose()),
    # The name in the data decides, whatever the fields.
    (Twin("a", 1), Dog | Twin, Twin("a", 1)),
    (Dog("a", 1), Twin | Dog, Dog("a", 1)),
    (holdall.Record("Twin", name="a", bark=1), Dog | Twin, Twin("a", 1)),
    (holdall.Record("elsewhere.Pet", name="a", meow=1), Dog | Cat, Cat("a", 1)),
    (holdall.Variant("Twin", {"name": "a", "bark": 1}), Dog | Twin, Twin("a", 1)),
    # What fits no class becomes another type of the union.
    ({"a": 1}, Dog | dict[str, int], {"a": 1}),
    ({"name": "a", "bark": 1}, Dog | dict[str, int], Dog("a", 1)),
    (None, Dog | Cat | None, None),
    (3, Dog | Cat | int, 3),
]


@pytest.mark.parametrize(("value", "tp", "expected"), CHOSEN, ids=lambda each: str(each)[:40])
def test_the_class_that_fits_best_is_chosen(value: Any, tp: Any, expected: Any) -> None:
    for back in (
        read(value, tp),
        read([value], list[tp])[0],
        # The Python half reads it, because it is not a mapping of one shape.
        read([value], collections.deque[tp])[0],
        read({1: value}, collections.OrderedDict[int, tp])[1],
    ):
        assert back == expected
        assert type(back) is type(expected)


AMBIGUOUS: list[tuple[Any, Any]] = [
    ({"name": "a", "bark": 1}, Dog | Twin),
    (holdall.Record("elsewhere.Pet", name="a", bark=1), Dog | Twin),
    ({"name": "a", "bark": 1}, Dog | Twin | None),
    ({"name": "a", "bark": 1, "more": 2}, Dog | Cat | Twin),
]


#: Unions compare equal whatever the order of their members, so a cache takes them for one type.
ALIKE = "got fields that fit (Dog and Twin|Twin and Dog) equally well"


@pytest.mark.parametrize(("value", "tp"), AMBIGUOUS, ids=lambda each: str(each)[:40])
def test_classes_that_fit_equally_are_an_error(value: Any, tp: Any) -> None:
    with pytest.raises(holdall.SchemaError, match=ALIKE) as caught:
        read([value], list[tp])
    assert (caught.value.code, caught.value.path) == ("unconvertible", "$[0]")
    with pytest.raises(holdall.SchemaError, match=ALIKE):
        read({1: value}, dict[int, tp])


class Circle(msgspec.Struct, tag="circle"):
    size: float
    colour: str = "red"


class Square(msgspec.Struct, tag="square", forbid_unknown_fields=True):
    size: float


TAGGED: list[tuple[Any, Any]] = [
    ({"type": "circle", "size": 1.0}, Circle(1.0)),
    ({"type": "square", "size": 1.0}, Square(1.0)),
    ({"size": 1.0, "colour": "blue"}, Circle(1.0, "blue")),
    ({"size": 1.0}, Square(1.0)),
    (Circle(2.0), Circle(2.0)),
]


@pytest.mark.parametrize(("value", "expected"), TAGGED, ids=lambda each: str(each)[:40])
def test_tags_of_structs_select_the_class(value: Any, expected: Any) -> None:
    assert read([value], list[Circle | Square | None]) == [expected]
    assert read([value], collections.deque[Circle | Square]) == collections.deque([expected])
    assert read([value], list[Circle | Square | dict[str, int]]) == [expected]
    assert read([value], list[type(expected)]) == [expected]


def test_unknown_tags_are_an_error() -> None:
    for value, tp in (
        ({"type": "line", "size": 1.0}, list[Circle | Square]),
        ({"type": "square", "size": 1.0}, list[Circle]),
    ):
        with pytest.raises(holdall.SchemaError) as caught:
            read([value], tp)
        assert caught.value.code == "unconvertible"
        assert caught.value.path in ("$[0]", "$[0].type")
    with pytest.raises(holdall.SchemaError, match="more"):
        read({"type": "square", "size": 1.0, "more": 1}, Square)


def test_values_that_fit_no_class_are_an_error() -> None:
    with pytest.raises(holdall.SchemaError, match="expected Dog | Cat, got") as caught:
        read([{"name": "a"}], list[Dog | Cat])
    assert (caught.value.code, caught.value.path) == ("unconvertible", "$[0]")


def test_fields_of_members_are_checked() -> None:
    for tp in (list[Dog | Cat], collections.deque[Dog | Cat]):
        with pytest.raises(holdall.SchemaError, match="expected int, got str 'x'") as caught:
            read([{"name": "a", "meow": "x"}], tp)
        assert caught.value.path == "$[0].meow"
