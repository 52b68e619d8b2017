"""Collections and subclasses of builtin classes where a list, a dict or a collection is requested: their content, never the fields that store it."""

from __future__ import annotations

import collections
import dataclasses
import enum
import types
import weakref
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import holdall
import msgspec
import pytest


class Tags(list[Any]):
    note = ""


class Scores(dict[Any, Any]):
    note = ""


class Window(collections.deque[Any]):
    pass


class Groups(collections.defaultdict[Any, Any]):
    pass


class Count(collections.Counter[Any]):
    pass


class Ordered(collections.OrderedDict[Any, Any]):
    pass


class Text(str):
    pass


class Rebuilt(dict[Any, Any]):
    def __reduce__(self) -> Any:
        return (Rebuilt, (), None, None, iter(self.items()))


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Point:
    x: int


def noted(value: Any) -> Any:
    value.note = "n"
    return value


CLASSES = [Tags, Scores, Window, Groups, Count, Ordered, Text, Rebuilt]
LISTS: list[Any] = [
    [1, 2],
    (1, 2),
    collections.deque([1, 2]),
    collections.deque([1, 2], 5),
    noted(Tags([1, 2])),
    Window([1, 2], 5),
]
DICTS: list[Any] = [
    {"a": 1},
    collections.OrderedDict(a=1),
    collections.defaultdict(int, a=1),
    collections.Counter(a=1),
    collections.ChainMap({"a": 1}, {}),
    types.SimpleNamespace(a=1),
    noted(Scores(a=1)),
    Groups(int, a=1),
    Count(a=1),
    Ordered(a=1),
    Rebuilt(a=1),
]


@pytest.mark.parametrize("value", LISTS, ids=repr)
@pytest.mark.parametrize("asked", [list, list[int], Sequence[int], list[int] | None])
def test_a_list_has_the_items_of_what_is_one(value: Any, asked: Any) -> None:
    for data, of in ((holdall.dumps(value), asked), (holdall.dumps([value] * 3), list[asked])):
        back = holdall.loads(data, of, types=CLASSES)
        for each in back if of is not asked else [back]:
            assert type(each) is list
            assert each == [1, 2]


@pytest.mark.parametrize("value", DICTS, ids=repr)
@pytest.mark.parametrize("asked", [dict, dict[str, int], Mapping[str, int], dict[Any, int] | None])
def test_a_dict_has_the_entries_of_what_is_one(value: Any, asked: Any) -> None:
    for data, of in ((holdall.dumps(value), asked), (holdall.dumps([value] * 3), list[asked])):
        back = holdall.loads(data, of, types=CLASSES)
        for each in back if of is not asked else [back]:
            assert type(each) is dict
            assert each == {"a": 1}


def test_a_weak_dict_is_a_dict_of_what_is_held() -> None:
    held = Point(1)
    value = {"held": held, "weak": weakref.WeakValueDictionary(a=held)}
    back = holdall.loads(holdall.dumps(value), dict[str, Point | dict[str, Point]])
    assert back == {"held": held, "weak": {"a": held}}
    assert back["weak"]["a"] is back["held"]  # type: ignore[index]


def test_contents_are_of_the_requested_types() -> None:
    points = {"x": 1}
    for value in (collections.deque([points]), Tags([points]), Window([points])):
        assert holdall.loads(holdall.dumps(value), list[Point], types=CLASSES) == [Point(1)]
    for value in (collections.OrderedDict(a=points), Scores(a=points), Ordered(a=points)):
        back = holdall.loads(holdall.dumps(value), dict[str, Point], types=CLASSES)
        assert back == {"a": Point(1)}
    wrong = holdall.dumps([collections.deque(["1"])])
    with pytest.raises(holdall.SchemaError, match=r"in \$\[0\]\[0\]: expected int, got str '1'"):
        holdall.loads(wrong, list[list[int]])
    wrong = holdall.dumps([Scores(a="1")])
    with pytest.raises(holdall.SchemaError, match=r"in \$\[0\].a: expected int, got str '1'"):
        holdall.loads(wrong, list[dict[str, int]], types=[Scores])


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        (list, {"a": 1}),
        (list, collections.OrderedDict(a=1)),
        (list[int], Scores(a=1)),
        (dict, [1]),
        (dict, collections.deque([1])),
        (dict[str, int], Tags([1])),
        (dict, Window([1])),
        (dict, Text("a")),
        (tuple, collections.deque([1])),
        (tuple, collections.defaultdict(int, a=1)),
        (tuple[Any, Any], collections.deque([1])),
        (tuple[Any, ...], collections.defaultdict(int)),
    ],
    ids=repr,
)
def test_what_is_neither_is_an_error_that_says_what_was_there(asked: Any, value: Any) -> None:
    with pytest.raises(holdall.SchemaError) as failed:
        holdall.loads(holdall.dumps([value]), list[asked], types=CLASSES)
    assert failed.value.code == "unconvertible"
    assert failed.value.path == "$[0]"
    there = {dict: "a mapping", list: "a list", collections.OrderedDict: "ordered_map"}
    assert there.get(type(value), type(value).__name__) in str(failed.value)


@pytest.mark.parametrize(
    "value", [Scores(a=1), Ordered(a=1), Count(a=1), Groups(int, a=1), Tags([1])], ids=repr
)
def test_the_content_of_an_unknown_class_is_no_field(value: Any) -> None:
    for asked in (dict, dict[str, Any]):
        with pytest.raises(holdall.SchemaError, match="a subclass of") as failed:
            holdall.loads(holdall.dumps([value]), list[asked])
        assert (failed.value.code, failed.value.path) == ("unconvertible", "$[0]")


def test_a_plain_dict_keeps_the_keys_that_such_fields_have() -> None:
    for value in ({"<dict>": 1, "b": 2}, {"<str>": "text"}, {"<list>": 5}, {"<OrderedDict>": None}):
        assert holdall.loads(holdall.dumps([value]), list[dict[str, Any]]) == [value]
        assert holdall.loads(holdall.dumps(value), dict) == value
    assert holdall.loads(holdall.dumps({"<dict>": {"a": 1}})) == {"<dict>": {"a": 1}}


@dataclasses.dataclass
class Holder:
    ordered: collections.OrderedDict[str, int]
    level: Level
    items: collections.deque[int]
    groups: collections.defaultdict[str, list[int]]
    count: collections.Counter[str]
    plain: collections.OrderedDict  # type: ignore[type-arg]
    tags: Tags
    scores: Scores


def holder() -> Holder:
    return Holder(
        collections.OrderedDict(b=1, a=2),
        Level.HIGH,
        collections.deque([1], 3),
        collections.defaultdict(list, a=[1]),
        collections.Counter("aab"),
        collections.OrderedDict([(1, 2)]),
        noted(Tags([1])),
        noted(Scores(a=1)),
    )


def test_constraints_apply_to_contents() -> None:
    few = Annotated[dict[str, Any], msgspec.Meta(max_length=1)]
    none = Annotated[list[int], msgspec.Meta(max_length=0)]
    for asked, value in (
        (few, {"<dict>": 1, "b": 2}),
        (few, Scores(a=1, b=2)),
        (few, collections.OrderedDict(a=1, b=2)),
        (none, collections.deque([1])),
        (none, Tags([1])),
    ):
        with pytest.raises(holdall.SchemaError, match="length <= [01]") as failed:
            holdall.loads(holdall.dumps([value]), list[asked], types=CLASSES)  # type: ignore[valid-type]
        assert (failed.value.code, failed.value.path) == ("unconvertible", "$[0]")


def test_fields_of_collections_have_the_very_classes() -> None:
    for asked, data in (
        (Holder, holdall.dumps(holder())),
        (list[Holder], holdall.dumps([holder()])),
        (list[Holder], holdall.dumps([holder() for _ in range(300)])),
    ):
        back = holdall.loads(data, asked)
        first = back if asked is Holder else back[0]
        assert first == holder()
        assert {name: type(each) for name, each in vars(first).items()} == {
            name: type(each) for name, each in vars(holder()).items()
        }
        assert first.items.maxlen == 3
        assert first.groups.default_factory is list
        assert first.tags.note == first.scores.note == "n"


def test_objects_of_subclasses_are_what_a_collection_is_asked_for() -> None:
    for asked, value in (
        (collections.deque, Window([1])),
        (collections.deque[int], Window([1], 2)),
        (collections.OrderedDict[str, int], Ordered(a=1)),
        (collections.defaultdict[str, int], Groups(int, a=1)),
        (collections.Counter[str], Count(a=1)),
    ):
        (back,) = holdall.loads(holdall.dumps([value]), list[asked], types=CLASSES)  # type: ignore[valid-type]
        assert (type(back), back) == (type(value), value)
    for asked in (list[int] | collections.deque[int], collections.deque[int] | list[int]):
        back = holdall.loads(holdall.dumps([[1], collections.deque([2])]), list[asked])
        assert back == [[1], collections.deque([2])]
    both = holdall.loads(holdall.dumps([{"a": 1}, Scores(a=1)]), list[Scores | dict[str, int]])
    assert [type(each) for each in both] == [dict, Scores]


class Members(set[Any]):
    note = ""


class Fixed(frozenset[Any]):
    note = ""


class Pair(tuple[Any, ...]):
    note = ""


@pytest.mark.parametrize(
    ("value", "asked", "expected"),
    [
        (Members([1, 2]), set[int], {1, 2}),
        (Fixed([1, 2]), frozenset[int], frozenset([1, 2])),
        (Pair((1, "a")), tuple[int, str], (1, "a")),
        (Pair((1, 2)), tuple[int, ...], (1, 2)),
    ],
)
def test_sets_and_tuples_of_subclasses_give_their_content(
    value: Any, asked: Any, expected: Any
) -> None:
    value.note = "left out"
    allowed = [Members, Fixed, Pair]
    back = holdall.loads(holdall.dumps([value]), list[asked], types=allowed)
    assert back == [expected]
    assert back[0].__class__ is expected.__class__
    with pytest.raises(holdall.SchemaError, match=r"in \$\[0\]"):
        holdall.loads(holdall.dumps([value]), list[asked])


def test_contents_of_subclasses_have_the_requested_types() -> None:
    for value, asked in ((Members(["x"]), set[int]), (Pair((1, 2, 3)), tuple[int, int])):
        with pytest.raises(holdall.SchemaError) as caught:
            holdall.loads(holdall.dumps(value), asked, types=[Members, Pair])
        assert caught.value.code == "unconvertible"
