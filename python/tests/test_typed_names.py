"""Which value of the data a field of a requested class gets, and which type its annotation is."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Annotated, Any, ClassVar, Generic, TypedDict, TypeVar, TypeVarTuple

import holdall
import msgspec
import pydantic
import pytest
from holdall import Record, SchemaError, dumps, loads

FORMATS = ["holdall", "json", "msgpack", "cbor"]


@dataclasses.dataclass
class Aliased:
    new: Annotated[int, holdall.Field("new", aliases=["old", "older"])]


@dataclasses.dataclass
class Renamed:
    attribute: Annotated[int, holdall.Field("name", aliases=["old"])] = 0


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("names", list(itertools.permutations(["new", "old", "older"])))
def test_the_name_of_a_field_counts_before_its_aliases(names: tuple[str, ...], form: str) -> None:
    numbers = {"new": 1, "old": 2, "older": 3}
    for kept in (names, names[:2], names[:1]):
        fields = {name: numbers[name] for name in kept}
        expected = Aliased(min(fields.values()))
        packed = dumps(fields, format=form)
        assert loads(packed, Aliased, format=form) == expected
        assert loads(packed, Aliased, format=form, extra="error") == expected
        rows = dumps([fields, dict(fields), {"old": 9}], format=form)
        assert loads(rows, list[Aliased], format=form) == [expected, expected, Aliased(9)]
        # In a union, and where Python code makes the object.
        assert loads(packed, Aliased | list[int], format=form) == expected


@pytest.mark.parametrize("names", list(itertools.permutations(["name", "old"])))
def test_objects_that_data_name_are_read_by_the_same_rule(names: tuple[str, ...]) -> None:
    record = Record("Renamed", **{each: at for at, each in enumerate(names)})
    expected = Renamed(names.index("name"))
    assert loads(dumps(record), renames={"Renamed": Renamed}) == expected
    assert loads(dumps(record), Renamed, renames={"Renamed": Renamed}) == expected


def test_the_value_that_counts_is_checked() -> None:
    for fields in ({"old": 1, "new": "bad"}, {"new": "bad", "old": 1}):
        with pytest.raises(SchemaError) as caught:
            loads(dumps(fields), Aliased)
        assert (caught.value.code, caught.value.path) == ("unconvertible", "$.new")
    with pytest.raises(SchemaError, match='got "z"') as caught:
        loads(dumps({"old": 1, "new": 2, "z": 3}), Aliased, extra="error")
    assert caught.value.code == "unknown_field"


class Swapped(msgspec.Struct):
    id: int = msgspec.field(name="n", default=0)
    n: int = msgspec.field(name="id", default=0)


class Chained(msgspec.Struct, rename={"a": "b", "b": "c"}):
    a: int = 0
    b: str = ""


@dataclasses.dataclass
class AliasOfOther:
    a: Annotated[int, holdall.Field("a", aliases=["b", "c"])] = 0
    b: int = 0


def test_the_name_of_a_field_is_no_alias_of_another() -> None:
    value = AliasOfOther(1, 2)
    assert loads(dumps(value), AliasOfOther) == value
    assert loads(dumps(value), types=[AliasOfOther]) == value
    assert loads(dumps({"c": 5}), AliasOfOther) == AliasOfOther(5, 0)
    assert loads(dumps(Record("Old", c=5)), renames={"Old": AliasOfOther}) == AliasOfOther(5, 0)


@dataclasses.dataclass
class Counted:
    x: Annotated[int, holdall.Field("x", aliases=["old"])] = 0
    old: dataclasses.InitVar[int | None] = None
    older: ClassVar[int] = 9

    def __post_init__(self, old: int | None) -> None:
        if old is not None:
            self.x = old


def test_an_alias_that_is_no_field_in_data_is_an_alias() -> None:
    for kind in (Counted, None):
        record = dumps(Record("Old", old=5))
        assert loads(record, kind, renames={"Old": Counted}).x == 5


@pytest.mark.usefixtures("forgets_classes")
def test_what_an_upgrade_returns_counts_by_the_name_of_the_attribute_too() -> None:
    def upgrade(fields: dict[str, Any], _: int) -> dict[str, Any]:
        return {**fields, "price": fields["p"] * 100}

    @holdall.register(name="shop.Priced", version=2, rename={"price": "p"}, upgrade=upgrade)
    @dataclasses.dataclass
    class Priced:
        price: int = 0

    assert loads(dumps(Record("shop.Priced", p=3))) == Priced(300)
    assert loads(dumps(Priced(4))) == Priced(4)


class WithAlias(pydantic.BaseModel):
    a: int = pydantic.Field(0, alias="b")


class ChainedModel(pydantic.BaseModel):
    model_config = {"populate_by_name": True}
    a: int = pydantic.Field(0, alias="b")
    b: int = pydantic.Field(0, alias="c")


class NamedAsOther(pydantic.BaseModel):
    model_config = {"populate_by_name": True}
    a: int = pydantic.Field(0, alias="b")
    b: int = 0
    c: int = pydantic.Field(3, validation_alias=pydantic.AliasChoices("c2", "c3"))


def test_a_model_whose_alias_is_the_name_of_another_field_comes_back() -> None:
    value = NamedAsOther()
    value.a, value.b, value.c = 1, 2, 4
    assert loads(dumps(value), NamedAsOther) == value
    assert loads(dumps({"a": 1, "b": 2, "c3": 4}), NamedAsOther) == value


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ({"a": 1, "b": 2}, WithAlias(b=1)),
        ({"b": 2}, WithAlias(b=2)),
        ({"b": 1, "c": 2}, ChainedModel(c=1)),
        ({"c": 2}, ChainedModel(c=2)),
        ({"a": 1, "c": 2}, ChainedModel(b=1, c=2)),
    ],
)
def test_models_follow_the_same_rule(fields: dict[str, int], value: pydantic.BaseModel) -> None:
    for each in (fields, dict(reversed(fields.items()))):
        assert loads(dumps(each), type(value)) == value


class Model(pydantic.BaseModel):
    model_config = {"populate_by_name": True}
    a: int = pydantic.Field(0, alias="b")
    b: int = pydantic.Field(0, alias="a")


@pytest.mark.parametrize("value", [Swapped(1, 2), Chained(1, "x"), Model(b=1, a=2)])
def test_fields_whose_names_in_data_are_those_of_others_are_not_swapped(value: Any) -> None:
    kind = type(value)
    assert loads(dumps(value), kind) == value
    assert loads(dumps([value, value]), list[kind]) == [value, value]
    assert loads(dumps(value), types=[kind]) == value
    for form in FORMATS[1:]:
        with pytest.raises(TypeError, match="another field's name in data"):
            loads(dumps(value, format=form), kind, format=form)


T = TypeVar("T")
K = TypeVar("K")
N = TypeVar("N", bound=int)
Ts = TypeVarTuple("Ts")


@dataclasses.dataclass
class Item:
    x: int


@dataclasses.dataclass
class Box(Generic[T]):
    v: T


@dataclasses.dataclass
class OfItems(Box[Item]):
    pass


@dataclasses.dataclass
class More(OfItems):
    w: int = 0


@dataclasses.dataclass
class OfLists(Box[list[K]], Generic[K]):
    k: K | None = None


@dataclasses.dataclass
class Other(Generic[T]):
    o: T


@dataclasses.dataclass
class Both(Box[Item], Other[str]):
    pass


@dataclasses.dataclass
class Open(Box[T]):
    w: int = 0


@dataclasses.dataclass
class OpenLists(Box[list[T]], Generic[T]):
    w: int = 0


@dataclasses.dataclass
class OpenNumbers(Box[N]):
    w: int = 0


@dataclasses.dataclass
class Tree(Generic[T]):
    kids: list[T]


@dataclasses.dataclass
class Named(Tree["Named"]):
    n: int = 0


@dataclasses.dataclass
class OfLater(Box[list["Later"]]):
    pass


@dataclasses.dataclass
class Later:
    x: int


@dataclasses.dataclass
class Several(Generic[*Ts, T]):
    v: T


@dataclasses.dataclass
class OfSeveral(Several[str, float, int]):
    pass


class Struct(msgspec.Struct, Generic[T]):
    v: T


class StructOfItems(Struct[Item]):
    pass


class Entries(TypedDict, Generic[T]):
    v: T


class EntriesOfItems(Entries[Item]):
    w: int


class Again(Entries[int], Generic[K]):
    v: K  # type: ignore[misc]


X = {"x": 1}


@pytest.mark.parametrize("form", ["holdall", "json"])
@pytest.mark.parametrize(
    ("kind", "data", "value"),
    [
        (OfItems, {"v": X}, OfItems(Item(1))),
        (More, {"v": X, "w": 2}, More(Item(1), 2)),
        (OfLists[Item], {"v": [X], "k": {"x": 1}}, OfLists([Item(1)], Item(1))),
        (Both, {"v": X, "o": "x"}, Both(v=Item(1), o="x")),
        (StructOfItems, {"v": X}, StructOfItems(Item(1))),
        (EntriesOfItems, {"v": X, "w": 2}, {"v": Item(1), "w": 2}),
        (Box[Item], {"v": X}, Box(Item(1))),
    ],
)
def test_type_variables_are_what_the_classes_under_a_base_say(
    kind: Any, data: Any, value: Any, form: str
) -> None:
    assert loads(dumps(data, format=form), kind, format=form) == value
    for wrong in ("text", 5):
        with pytest.raises(SchemaError) as caught:
            loads(dumps({**data, "v": wrong}, format=form), kind, format=form)
        assert caught.value.path == "$.v"


def test_type_variables_that_nothing_says_are_of_any_type_or_of_their_bound() -> None:
    for value in (1, "text", [None]):
        assert loads(dumps({"v": value}), Open) == Open(value)
        assert loads(dumps({"v": [value]}), OpenLists) == OpenLists([value])
        # Of several variables in one place, none is known.
        assert loads(dumps({"v": value}), OfSeveral) == OfSeveral(value)  # type: ignore[arg-type]
    assert loads(dumps({"v": 1}), OpenNumbers) == OpenNumbers(1)
    for kind, data in [
        (OpenNumbers, {"v": "x"}),
        (Open[int], {"v": "x"}),
        (OpenLists[int], {"v": ["x"]}),
    ]:
        with pytest.raises(SchemaError, match="expected int, got str 'x'"):
            loads(dumps(data), kind)
    # Subclasses that data name.
    assert loads(dumps(Open(1)), Box[int], types=[Open]) == Open(1)
    assert loads(dumps(OpenLists([1])), Box[list[int]], types=[OpenLists]) == OpenLists([1])


def test_names_in_the_bases_of_a_class_are_resolved() -> None:
    tree = Named([Named([], 2)], 1)
    assert loads(dumps({"kids": [{"kids": [], "n": 2}], "n": 1}), Named) == tree
    assert loads(dumps({"v": [{"x": 1}]}), OfLater) == OfLater([Later(1)])


def test_a_typed_dict_that_declares_a_field_again_says_its_type() -> None:
    assert loads(dumps({"v": "x"}), Again[str]) == {"v": "x"}
    with pytest.raises(SchemaError, match="expected str, got int 1"):
        loads(dumps({"v": 1}), Again[str])
