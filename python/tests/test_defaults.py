"""What the fields become that data lack: those of classes that grew since the data were written."""

from __future__ import annotations

import collections
import dataclasses
import io
import typing
from typing import Any

import attrs
import holdall
import msgspec
import pydantic
import pytest


@dataclasses.dataclass
class Plain:
    x: int
    y: int = 5
    z: list[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    x: int
    y: int = 5
    z: list[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(kw_only=True)
class ByKeyword:
    y: int = 5
    x: int
    z: list[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class NotInInit:
    x: int
    y: int = dataclasses.field(default=5, init=False)
    z: list[int] = dataclasses.field(default_factory=list, init=False)


@dataclasses.dataclass
class Inherited(Plain):
    w: str = "w"


@attrs.define
class Slotted:
    x: int
    y: int = 5
    z: list[int] = attrs.field(factory=list)


@attrs.define(slots=False)
class WithDict:
    x: int
    y: int = 5
    z: list[int] = attrs.field(factory=list)


@attrs.frozen
class FrozenAttrs:
    x: int
    y: int = 5
    z: list[int] = attrs.field(factory=list)


@attrs.define
class OfItself:
    x: int
    y: int = attrs.field(default=attrs.Factory(lambda own: own.x + 4, takes_self=True))
    z: list[int] = attrs.field(default=attrs.Factory(lambda own: [], takes_self=True))


class Named(typing.NamedTuple):
    x: int
    y: int = 5
    z: Any = []


Collected = collections.namedtuple("Collected", "x y z", defaults=[5, []])


class Struct(msgspec.Struct):
    x: int
    y: int = 5
    z: list[int] = []


class FrozenStruct(msgspec.Struct, frozen=True, kw_only=True):
    y: int = 5
    x: int
    z: list[int] = msgspec.field(default_factory=list)


class Model(pydantic.BaseModel):
    x: int
    y: int = 5
    z: list[int] = pydantic.Field(default_factory=list)


@pydantic.dataclasses.dataclass
class ModelClass:
    x: int
    y: int = 5
    z: list[int] = dataclasses.field(default_factory=list)


class OfClass:
    """An attribute of the class itself is a default, too."""

    y = 5
    z: list[int] = []

    def __init__(self, x: int) -> None:
        self.x = x


GROWN = [
    Plain,
    Frozen,
    ByKeyword,
    NotInInit,
    Inherited,
    Slotted,
    WithDict,
    FrozenAttrs,
    OfItself,
    Named,
    Collected,
    Struct,
    FrozenStruct,
    Model,
    ModelClass,
    OfClass,
]


def old(cls: type, count: int) -> list[holdall.Record]:
    """Objects as a program wrote them when the class had one field."""
    return [holdall.Record(f"{cls.__module__}.{cls.__qualname__}", x=1) for _ in range(count)]


def check(values: list[Any], cls: type) -> None:
    for value in values:
        assert type(value) is cls
        assert (value.x, value.y, value.z) == (1, 5, [])
    assert cls is not Inherited or values[0].w == "w"


@pytest.mark.parametrize("count", [1, 3, 300])
@pytest.mark.parametrize("cls", GROWN, ids=lambda cls: cls.__name__)
def test_new_fields_have_their_defaults_with_and_without_a_type(cls: Any, count: int) -> None:
    data = holdall.dumps(old(cls, count))
    check(holdall.loads(data, types=[cls]), cls)
    check(holdall.loads(data, list[cls]), cls)
    shared = holdall.dumps(old(cls, 1) * 2)
    first, second = holdall.loads(shared, types=[cls])
    check([first, second], cls)
    assert first is second


@pytest.mark.usefixtures("forgets_classes")
@pytest.mark.parametrize("cls", GROWN, ids=lambda cls: cls.__name__)
def test_new_fields_of_registered_classes_have_their_defaults(cls: Any) -> None:
    holdall.register(cls)
    check(holdall.loads(holdall.dumps(old(cls, 2))), cls)
    file = io.BytesIO()
    with holdall.Writer(file) as writer:
        for each in old(cls, 3):
            writer.write(each)
    file.seek(0)
    check([*holdall.Reader(file)], cls)


@pytest.mark.usefixtures("forgets_classes")
def test_new_fields_of_renamed_classes_have_their_defaults() -> None:
    for cls in (Plain, WithDict, OfItself):
        holdall.register(cls, rename={"x": "first"})
        name = f"{cls.__module__}.{cls.__qualname__}"
        check(holdall.loads(holdall.dumps([holdall.Record(name, first=1)])), cls)


@pytest.mark.parametrize("cls", [Plain, Slotted, WithDict, OfItself, Struct, Model])
def test_each_object_has_a_default_of_its_own(cls: Any) -> None:
    first, second = holdall.loads(holdall.dumps(old(cls, 2)), types=[cls])
    first.z.append(1)
    assert second.z == []


def test_defaults_that_depend_on_the_object_see_its_fields() -> None:
    name = f"{OfItself.__module__}.{OfItself.__qualname__}"
    values = [holdall.Record(name, x=at) for at in range(5)]
    back = holdall.loads(holdall.dumps(values), types=[OfItself])
    assert [each.y for each in back] == [4, 5, 6, 7, 8]
    kept = holdall.loads(holdall.dumps([OfItself(1, 2)]), types=[OfItself])
    assert kept == [OfItself(1, 2)]


@dataclasses.dataclass
class NoDefault:
    x: int
    y: int


class NamedNoDefault(typing.NamedTuple):
    x: int
    y: int


class StructNoDefault(msgspec.Struct):
    x: int
    y: int


def test_a_field_without_a_default_stays_unset_or_is_an_error_with_a_type() -> None:
    data = holdall.dumps(old(NoDefault, 1))
    (back,) = holdall.loads(data, types=[NoDefault])
    assert vars(back) == {"x": 1}
    with pytest.raises(holdall.SchemaError, match="give it a default") as caught:
        holdall.loads(data, list[NoDefault])
    assert caught.value.code == "missing_field"


@pytest.mark.parametrize("cls", [NamedNoDefault, StructNoDefault])
def test_objects_that_cannot_be_without_a_field_say_which(cls: Any) -> None:
    data = holdall.dumps(old(cls, 1))
    with pytest.raises(holdall.SchemaError, match='the field "y".*give it a default') as caught:
        holdall.loads(data, types=[cls])
    assert (caught.value.code, caught.value.path) == ("missing_field", "$[0]")
