"""Reading into types: what fits, what does not, and the texts of the errors."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import uuid
from collections.abc import Mapping, Sequence
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    TypedDict,
    TypeVar,
)

import attrs
import holdall
import msgspec
import numpy as np
import pydantic
import pytest
import typing_extensions
from samples import Colour

T = TypeVar("T")
UserId = NewType("UserId", int)


@dataclasses.dataclass
class User:
    id: int
    name: str
    tags: list[str] = dataclasses.field(default_factory=list)
    friend: User | None = None


@dataclasses.dataclass
class Box(Generic[T]):
    value: T
    more: list[T] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Checked:
    n: int

    def __post_init__(self) -> None:
        if self.n < 0:
            raise ValueError("negative")


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


class Film(typing_extensions.TypedDict, total=False):
    title: typing_extensions.Required[str]
    year: typing_extensions.ReadOnly[int]


class Pair(NamedTuple):
    left: int
    right: str = "d"


@dataclasses.dataclass
class Dog:
    name: str
    bark: int


@dataclasses.dataclass
class Cat:
    name: str
    meow: int


@attrs.define
class Attrs:
    x: int = attrs.field(validator=attrs.validators.gt(0))
    y: list[int] = attrs.Factory(list)
    z: str = attrs.field(default="5", converter=str)


class Struct(msgspec.Struct, rename="camel"):
    first_name: str
    size: int = 3


class Model(pydantic.BaseModel):
    a: int
    inside: list[Model] = []


def read(value: Any, tp: Any, **options: Any) -> Any:
    return holdall.loads(holdall.dumps(value), tp, **options)


FITS: list[tuple[Any, Any, Any]] = [
    *(
        (1, int, 1),
        (1, float, 1.0),
        (True, bool, True),
        (None, None, None),
        ("a", str, "a"),
        (b"a", bytes, b"a"),
        ([1], Any, [1]),
    ),
    *(
        ([1, None], list[int | None], [1, None]),
        ([1, "a"], list[int | str], [1, "a"]),
        ([1], Sequence[int], [1]),
    ),
    *(
        ((1, 2), list[int], [1, 2]),
        ([1, 2], tuple[int, ...], (1, 2)),
        ((1, "a"), tuple[int, str], (1, "a")),
        ([1, 2], tuple[int, float], (1, 2.0)),
        ((), tuple[()], ()),
    ),
    (tuple(range(20)), tuple[int, ...], tuple(range(20))),
    (tuple(range(20)), list[int], list(range(20))),
    *(
        ({1, 2}, set[int], {1, 2}),
        ([1, 2], set[int], {1, 2}),
        ({1}, frozenset[int], frozenset([1])),
        (frozenset([1]), set[int], {1}),
    ),
    *(
        ({"a": [1]}, dict[str, list[int]], {"a": [1]}),
        ({1: "a"}, dict[int, str], {1: "a"}),
        ({"a": 1}, Mapping[str, int], {"a": 1}),
    ),
    *(
        ("x", Literal["x", 2], "x"),
        (2, Literal["x", 2], 2),
        (Colour.RED, Colour, Colour.RED),
        ("g", Colour, Colour.GREEN),
    ),
    *(
        (1, Annotated[int, "meta"], 1),
        (1, UserId, 1),
        ([], list, []),
        ({}, dict, {}),
        ((1,), tuple, (1,)),
        ({"a"}, set, {"a"}),
    ),
    (datetime.datetime(2024, 1, 1), datetime.datetime, datetime.datetime(2024, 1, 1)),
    (decimal.Decimal("1.5"), decimal.Decimal | None, decimal.Decimal("1.5")),
    (collections.deque([1], 3), collections.deque[int], collections.deque([1], 3)),
    ([1], collections.deque[int], collections.deque([1])),
    (collections.Counter("aa"), collections.Counter[str], collections.Counter("aa")),
    (collections.OrderedDict(a=1), collections.OrderedDict[str, int], collections.OrderedDict(a=1)),
    ([{"id": 1, "name": "a"}], list[User], [User(1, "a")]),
    (User(1, "a", ["b"], User(2, "c")), User, User(1, "a", ["b"], User(2, "c"))),
    (holdall.Record("other.Name", id=1, name="a", extra=5), User, User(1, "a")),
    ({"value": 1, "more": [2]}, Box[int], Box(1, [2])),
    ({"value": {"value": "x"}}, Box[Box[str]], Box(Box("x"))),
    ({"title": "a"}, Movie, {"title": "a"}),
    ({"title": "a", "year": 1, "more": 2}, Movie, {"title": "a", "year": 1}),
    ({"title": "a"}, Film, {"title": "a"}),
    ({"title": "a", "year": 1, "more": 2}, Film, {"title": "a", "year": 1}),
    *(
        (Pair(1, "z"), Pair, Pair(1, "z")),
        ({"left": 1}, Pair, Pair(1)),
        ((1, "q"), Pair, Pair(1, "q")),
    ),
    ([Dog("a", 1), Cat("b", 2)], list[Dog | Cat], [Dog("a", 1), Cat("b", 2)]),
    (
        [{"name": "a", "meow": 1}, {"name": "a", "bark": 1}],
        list[Dog | Cat],
        [Cat("a", 1), Dog("a", 1)],
    ),
    (holdall.Variant("Dog", {"name": "a", "bark": 1}), Dog | Cat, Dog("a", 1)),
    (holdall.Variant("RED"), Colour, Colour.RED),
    *(({"x": 1, "z": 7}, Attrs, Attrs(1, z="7")), (Attrs(1, [2]), Attrs, Attrs(1, [2]))),
    *(
        (Struct("a"), Struct, Struct("a")),
        ({"firstName": "a"}, Struct, Struct("a")),
        ({"first_name": "a", "size": 4}, Struct, Struct("a", 4)),
    ),
    *(
        ({"a": 1, "inside": [{"a": 2}]}, Model, Model(a=1, inside=[Model(a=2)])),
        (Model(a=1), Model | None, Model(a=1)),
    ),
    (holdall.Extension("some.Thing", 5), int, 5),
    ([[1], [2]], list[tuple[int]], [(1,), (2,)]),
]


@pytest.mark.parametrize(("value", "tp", "expected"), FITS, ids=lambda each: str(each)[:40])
def test_values_that_fit_are_read(value: Any, tp: Any, expected: Any) -> None:
    back = read(value, tp)
    assert back == expected
    assert type(back) is type(expected)


MISFITS: list[tuple[Any, Any, str, str, str]] = [
    *(
        ("a", int, "unconvertible", "$", "expected int, got str 'a'"),
        (True, int, "unconvertible", "$", "expected int, got bool True"),
    ),
    (1.5, int, "unconvertible", "$", "expected int, got float 1.5"),
    (2**53 + 1, float, "unconvertible", "$", "expected float, got int"),
    (None, int, "unconvertible", "$", "expected int, got None"),
    ([1, "a"], list[int], "unconvertible", "$[1]", "expected int, got str 'a'"),
    ([5, 7], tuple[int, str], "unconvertible", "$[1]", "expected str, got int 7"),
    ([1.5, 2.5], tuple[float, str], "unconvertible", "$[1]", "expected str, got float 2.5"),
    (
        [{"tags": [5], "id": 1, "name": "a"}],
        list[User],
        "unconvertible",
        "$[0].tags[0]",
        "expected str, got int 5",
    ),
    ([{"id": 1}], list[User], "missing_field", "$[0]", '"name"'),
    (
        {"value": 1, "more": ["x"]},
        Box[int],
        "unconvertible",
        "$.more[0]",
        "expected int, got str 'x'",
    ),
    ((1, 2, 3), tuple[int, int], "unconvertible", "$", "expected tuple[int, int], got 3 items"),
    ({"a": "x"}, dict[str, int], "unconvertible", "$.a", "expected int, got str 'x'"),
    ({1: "x"}, dict[int, int], "unconvertible", "$[0]", "expected int, got str 'x'"),
    ({1: "x"}, dict[str, str], "unconvertible", "$[0].key", "expected str, got int 1"),
    ({"x"}, set[int], "unconvertible", "$[0]", "expected int, got str 'x'"),
    ("z", Literal["x"], "unconvertible", "$", "expected Literal['x'], got str 'z'"),
    ("zzz", Colour, "unconvertible", "$", "expected Colour, got str 'zzz'"),
    ([Dog("a", 1)], list[Cat], "missing_field", "$[0]", '"meow"'),
    ({"title": 5}, Movie, "unconvertible", "$.title", "expected str, got int 5"),
    ({"year": 5}, Movie, "missing_field", "$", '"title"'),
    ({"title": "a", "year": "x"}, Film, "unconvertible", "$.year", "expected int, got str 'x'"),
    ({"year": 5}, Film, "missing_field", "$", '"title"'),
    ("2024-01-01", datetime.date, "unconvertible", "$", "expected date, got str"),
    (
        collections.deque(["a"]),
        collections.deque[int],
        "unconvertible",
        # In data, a deque is a list and its maximum length.
        "$[0][0]",
        "expected int, got str 'a'",
    ),
    ([1], dict[str, int], "unconvertible", "$", "expected dict[str, int], got a list"),
    ({"a": 1}, list[int], "unconvertible", "$", "expected list[int], got a mapping"),
    (User(1, "a"), int, "unconvertible", "$", "expected int, got an object of"),
    (holdall.Variant("X", 1), int, "unconvertible", "$", "expected int, got the variant"),
]


@pytest.mark.parametrize(
    ("value", "tp", "code", "path", "text"), MISFITS, ids=lambda each: str(each)[:30]
)
def test_values_that_do_not_fit_give_a_reason_and_a_path(
    value: Any, tp: Any, code: str, path: str, text: str
) -> None:
    with pytest.raises(holdall.SchemaError) as caught:
        read(value, tp)
    assert (caught.value.code, caught.value.path) == (code, path)
    assert text in str(caught.value)


@pytest.mark.parametrize("tp", [set[int], frozenset[int]])
def test_lists_with_equal_items_are_no_sets(tp: Any) -> None:
    assert read([1, 3, 2], tp) == {1, 2, 3}
    with pytest.raises(holdall.DecodeError, match="that stay distinct in Python") as caught:
        read([1, 1, 2], tp)
    assert (caught.value.code, caught.value.path) == ("unrepresentable", "$")


def test_extra_fields_are_an_error_on_request() -> None:
    value = {"id": 1, "name": "a", "more": 1}
    assert read(value, User) == User(1, "a")
    with pytest.raises(holdall.SchemaError, match="more") as caught:
        read([value], list[User], extra="error")
    assert (caught.value.code, caught.value.path) == ("unknown_field", "$[0]")


def test_checks_of_classes_run_only_in_typed_reading() -> None:
    data = holdall.dumps(holdall.Record("any", n=-1))
    with pytest.raises(holdall.DecodeError, match="negative") as caught:
        holdall.loads(data, Checked)
    assert isinstance(caught.value.__cause__, ValueError)
    plain = holdall.loads(
        holdall.dumps(holdall.Record(f"{__name__}.Checked", n=-1)), types=[Checked]
    )
    assert plain.n == -1
    with pytest.raises(holdall.DecodeError, match="must be > 0"):
        read({"x": -1}, Attrs)
    with pytest.raises(holdall.DecodeError, match="valid integer"):
        read({"a": "x"}, Model)


def test_cycles_and_sharing_hold_in_typed_reading() -> None:
    user = User(1, "a")
    user.friend = user
    back = read([user, user], list[User])
    assert back[0] is back[1] is back[0].friend
    shared = [1]
    back = read({"a": shared, "b": shared}, dict[str, list[int]])
    assert back["a"] is back["b"]
    with pytest.raises(holdall.SchemaError, match=r"expected tuple\[int, ...\], got a list"):
        read([shared, shared], tuple[list[int], tuple[int, ...]])


def test_depth_has_no_limit_in_typed_reading() -> None:
    user: User | None = None
    for at in range(100_000):
        user = User(at, "n", [], user)
    back = read(user, User)
    depth = 0
    while back is not None:
        back, depth = back.friend, depth + 1
    assert depth == 100_000


LAX: list[tuple[Any, Any, Any]] = [
    *(("5", int, 5), (5.0, int, 5), ("1.5", float, 1.5), ("true", bool, True), (0, bool, False)),
    ("2024-01-02", datetime.date, datetime.date(2024, 1, 2)),
    (
        "2024-01-02T03:04:05Z",
        datetime.datetime,
        datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.UTC),
    ),
    (
        "12345678-1234-5678-1234-567812345678",
        uuid.UUID,
        uuid.UUID("12345678-1234-5678-1234-567812345678"),
    ),
    ("1.50", decimal.Decimal, decimal.Decimal("1.50")),
]


@pytest.mark.parametrize(("value", "tp", "expected"), LAX)
def test_text_is_converted_without_strict(value: Any, tp: Any, expected: Any) -> None:
    with pytest.raises(holdall.SchemaError):
        read(value, tp)
    assert read(value, tp, strict=False) == expected
    with pytest.raises(holdall.SchemaError):
        read("nonsense", tp, strict=False)


@pytest.mark.parametrize("tp", [int, float, decimal.Decimal])
@pytest.mark.parametrize("text", ["1_0", "\u0661\u0662"])
def test_text_that_only_python_takes_for_a_number_is_refused(text: str, tp: Any) -> None:
    with pytest.raises(holdall.SchemaError):
        read(text, tp, strict=False)


def test_tuples_with_an_open_part_are_refused() -> None:
    with pytest.raises(TypeError, match="any number of items"):
        read((1, "a"), tuple[int, *tuple[str, ...]])


def test_a_tuple_inside_another_one_gives_it_its_items() -> None:
    value = (1, "a", "b", 2.5)
    for tp in (
        tuple[int, *tuple[str, str], float],
        tuple[int, *tuple[str, *tuple[str, float]]],
        tuple[int, typing_extensions.Unpack[tuple[str, str]], float],  # noqa: UP044
    ):
        assert read(value, tp) == value
        with pytest.raises(holdall.SchemaError):
            read(value[:3], tp)
        with pytest.raises(holdall.SchemaError):
            read((1, "a", 3, 2.5), tp)


def test_a_tuple_without_items_inside_another_one_gives_it_none() -> None:
    for tp, value in (
        (tuple[*tuple[()]], ()),
        (tuple[int, *tuple[()]], (1,)),
        (tuple[*tuple[()], int, *tuple[*tuple[()]]], (1,)),
        (tuple[typing_extensions.Unpack[tuple[()]], int], (1,)),  # noqa: UP044
    ):
        assert read(value, tp) == value
        with pytest.raises(holdall.SchemaError):
            read((*value, 2), tp)
    with pytest.raises(TypeError, match="any number of items"):
        read((1,), tuple[int, typing_extensions.Unpack[tuple]])  # noqa: UP044


def test_a_typed_dict_whose_other_items_have_a_type_is_refused() -> None:
    class Open(typing_extensions.TypedDict, extra_items=int):  # type: ignore[call-arg]
        a: int

    class Closed(typing_extensions.TypedDict, closed=True):  # type: ignore[call-arg]
        a: int

    with pytest.raises(TypeError, match="extra_items"):
        read({"a": 1, "c": "x"}, Open)
    assert read({"a": 1}, Closed) == {"a": 1}


def test_dec_hook_creates_other_types() -> None:
    class Point:
        def __init__(self, x: int, y: int) -> None:
            self.x, self.y = x, y

    back = read([[1, 2]], list[Point], dec_hook=lambda tp, value: tp(*value))
    assert (type(back[0]), back[0].x) == (Point, 1)


def test_unknown_names_in_types_are_reported() -> None:
    @dataclasses.dataclass
    class Broken:
        a: Missing  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(TypeError, match="Missing"):
        read({}, Broken)
    with pytest.raises(TypeError, match="not a type"):
        read(1, 5)
    with pytest.raises(TypeError, match="not its name"):
        read(1, "int")


def test_numpy_scalars_become_requested_numbers() -> None:
    value = {"a": np.float64(1.5), "b": np.int8(3), "c": np.bool_(True), "d": np.str_("x")}
    back = read(value, dict[str, float | int | bool | str])
    assert back == {"a": 1.5, "b": 3, "c": True, "d": "x"}
    assert [type(each) for each in back.values()] == [float, int, bool, str]
    assert read([np.float32(0.5)], list[float | datetime.date]) == [0.5]
    with pytest.raises(holdall.SchemaError, match="expected int, got"):
        read([np.float64(1.5)], list[int])
    assert type(read([np.float64(1.5)], list[np.float64])[0]) is np.float64


def test_unset_fields_of_structs_are_not_packed() -> None:
    class Partial(msgspec.Struct):
        a: int | msgspec.UnsetType = msgspec.UNSET
        b: int = 1

    assert str(holdall.schema(holdall.dumps({"k": Partial()}))).endswith("{b: int}}")
    assert read(Partial(), Partial) == Partial()
    assert read([Partial(), Partial(5)], list[Partial]) == [Partial(), Partial(5)]


def test_values_in_place_of_types_are_reported() -> None:
    for wrong in ([User], {"a": int}, User(1, "a")):
        with pytest.raises(TypeError, match="is a value, not a type"):
            holdall.Decoder(wrong)
    with pytest.raises(TypeError, match="types must be a list of classes"):
        read(User(1, "a"), None, types=User)


def test_cyclic_collections_keep_identity_in_typed_reading() -> None:
    deque: Any = collections.deque([1], 5)
    deque.append(deque)
    back = read([deque], list[collections.deque[Any]])[0]
    assert back[1] is back
    assert (back[0], back.maxlen) == (1, 5)
    ordered: Any = collections.OrderedDict(a=1)
    ordered["b"] = {"c": [ordered]}
    back = read(ordered, collections.OrderedDict[str, Any])
    assert back["b"]["c"][0] is back
    chain: Any = collections.defaultdict(list, a=[])
    chain["a"].append(chain)
    back = read(chain, collections.defaultdict[str, list[Any]])
    assert back["a"][0] is back
    user: Any = {"id": 1, "name": "a", "tags": []}
    listed: Any = [user]
    user["more"] = listed
    back = read([listed], list[collections.deque[User] | list[Any]])
    assert back[0][0]["more"] is back[0]


def test_cyclic_values_cannot_be_converted() -> None:
    listed: Any = [1]
    listed.append(listed)
    with pytest.raises(holdall.SchemaError, match="contains itself") as caught:
        read([listed], list[collections.deque[Any]])
    assert caught.value.path == "$[0]"


def test_bytes_are_read_as_their_other_types() -> None:
    assert read([b"ab"], list[bytearray]) == [bytearray(b"ab")]
    back = read(memoryview(b"ab"), memoryview)
    assert (type(back), bytes(back)) == (memoryview, b"ab")


def test_enums_of_all_kinds() -> None:
    class Level(enum.IntEnum):
        LOW = 1

    assert read([Level.LOW, 1], list[Level]) == [Level.LOW, Level.LOW]
    assert type(read(1, Level)) is Level
