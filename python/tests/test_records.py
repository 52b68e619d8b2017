"""Objects of classes that the reader does not have: a program can use them, and what it does not change keeps its bytes."""

from __future__ import annotations

import collections
import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple, TypedDict

import holdall
import pytest
from checks import check_message, differing
from hypothesis import given
from hypothesis import strategies as st

TEAM = holdall.Record("crm.Team", name="red", members=[1, 2])


def test_a_record_behaves_like_an_object_with_its_fields() -> None:
    record = holdall.loads(holdall.dumps(TEAM))
    assert (record.name, record["members"], record._asdict()) == ("red", [1, 2], TEAM.to_dict())
    assert record == TEAM
    assert hash(record) == hash(TEAM)
    assert repr(record) == "Record('crm.Team', name='red', members=[1, 2])"
    assert {"name", "members", "to_dict"} <= set(dir(record))
    record.name = "blue"
    record["size"] = 3
    del record.members
    assert record._asdict() == {"name": "blue", "size": 3}
    assert record != TEAM
    assert record.__holdall_name__ == "crm.Team"
    for again in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert again == record
        assert again is not record
    record._asdict()["size"] = 4
    assert record.size == 3


@pytest.mark.parametrize("use", [iter, list, len, lambda it: "name" in it, lambda it: [*it]])
def test_a_record_is_no_container(use: Callable[[Any], Any]) -> None:
    """An object of the class may be one, as the views of networkx are: its items are not the names of its fields."""
    record = holdall.loads(holdall.dumps(TEAM))
    with pytest.raises(TypeError) as caught:
        use(record)
    assert "a Record of 'crm.Team' is no container" in str(caught.value)
    assert 'its fields are "name", "members": to_dict() returns them' in str(caught.value)
    assert record


def test_a_field_does_not_hide_what_a_record_is() -> None:
    fields = {"_asdict": 1, "to_dict": 2, "__dict__": 3, "__class__": 4, "": 5, "a b": 6}
    record = holdall.loads(holdall.dumps(holdall.Record("m.Odd", fields)))
    assert holdall.Record._asdict(record) == fields
    assert type(record) is holdall.Record
    assert holdall.dumps(record) == holdall.dumps(holdall.Record("m.Odd", fields))


# ---- the writer's classes, which the reader does not have ----


class Plain:
    def __init__(self, *values: Any) -> None:
        for at, value in enumerate(values):
            setattr(self, f"f{at}", value)


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, *values: Any) -> None:
        self.a, self.b = len(values), values


@dataclasses.dataclass
class Data:
    inside: Any
    label: str = "x"


class Pair(NamedTuple):
    left: Any
    right: Any


class MyList(list[Any]):
    pass


class MyDict(dict[Any, Any]):
    pass


class Stateful:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __getstate__(self) -> Any:
        return {"kept": [self.value]}

    def __setstate__(self, state: Any) -> None:
        (self.value,) = state["kept"]


class Reduced:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> Any:
        return (Reduced, (self.value,))


class Trouble(Exception):
    pass


ALL: list[Any] = [Plain, Slots, Data, Pair, MyList, MyDict, Stateful, Reduced, Trouble]


def made(kind: int, inside: Any) -> Any:
    cls = ALL[kind % len(ALL)]
    if cls is Pair:
        return Pair(inside, kind)
    if cls is MyList:
        return MyList([inside])
    if cls is MyDict:
        return MyDict({"k": inside})
    return cls(inside)


PLACES: list[Any] = [
    lambda x: [x, x],
    lambda x: {"key": x},
    lambda x: {1: x, "b": 2},
    lambda x: (x, 1),
    lambda x: (x,) * 10,
    lambda x: collections.deque([x], 3),
    lambda x: collections.OrderedDict(a=x),
    lambda x: collections.defaultdict(list, a=[x]),
    lambda x: holdall.Variant("V", x),
    lambda x: holdall.Extension("e", [x]),
    lambda x: Plain(1, x, [x]),
    lambda x: Data(x),
]


def graph(choices: list[int]) -> Any:
    value: Any = 7
    for choice in choices:
        value = made(choice, value) if choice % 2 else PLACES[choice % len(PLACES)](value)
    root = {"changed": 0, "part": value, "again": [value]}
    if type(value) is Plain:
        value.root = root
    return root


CHOICES = st.lists(st.integers(0, 400), max_size=6)


@given(CHOICES)
def test_unknown_classes_are_written_to_the_same_bytes(choices: list[int]) -> None:
    data = holdall.dumps(graph(choices))
    check_message(data)
    back = holdall.loads(data)
    assert holdall.dumps(back) == data
    assert holdall.dumps(holdall.loads(holdall.dumps(back))) == data


@given(CHOICES, st.integers(0, 3))
def test_changes_elsewhere_leave_unknown_objects_as_they_were(choices: list[int], how: int) -> None:
    def change(root: dict[str, Any]) -> Any:
        if how == 0:
            root["changed"] = "text"
        elif how == 1:
            root["added"] = [{"new": 1.5}, made(1, 2)]
        elif how == 2:
            root["again"].append(root["part"])
        else:
            return [root, root["part"]]
        return root

    value = graph(choices)
    back = holdall.loads(holdall.dumps(value))
    # A tool that has no class changes what it read; the writer changes its own objects.
    changed = holdall.dumps(change(back))
    assert changed == holdall.dumps(change(value))
    differences = list(
        differing(value if how < 3 else change(value), holdall.loads(changed, types=ALL))
    )
    assert not differences, differences[0]


@pytest.mark.parametrize("profile", ["fast", "balanced", "small"])
def test_every_profile_keeps_the_bytes(profile: Any) -> None:
    value = [made(kind, [kind]) for kind in range(40)]
    data = holdall.dumps(value, profile=profile)
    assert holdall.dumps(holdall.loads(data), profile=profile) == data


def test_a_set_of_records_keeps_its_bytes_in_canonical_order() -> None:
    class Unknown:
        def __init__(self, number: int) -> None:
            self.number = number

    value = {"set": {Unknown(number) for number in range(50)}, "after": [Unknown(7)]}
    data = holdall.dumps(value, canonical=True)
    back = holdall.loads(data)
    assert {type(each) for each in back["set"]} == {holdall.Record}
    assert holdall.dumps(back, canonical=True) == data


class Point:
    def __init__(self, x: int) -> None:
        self.x = x


@pytest.mark.parametrize("kind", [set, frozenset])
def test_sets_of_records_keep_their_order_in_each_set(kind: Any) -> None:
    points = [Point(x) for x in range(9)]
    value = {"all": kind(points), "some": [kind(points[2:5]), kind(points[4:])], "one": points[3]}
    data = holdall.dumps(value)
    back = holdall.loads(data)
    assert holdall.dumps(back) == data
    # A change elsewhere, and one of a set, leave the order of the others.
    back["one"].x = 100
    back["one"].x = 3
    back["all"] = kind([*back["all"], holdall.Record("later")])
    back["all"] = kind(back["all"] - {holdall.Record("later")})
    assert holdall.dumps(back["some"]) == holdall.dumps(holdall.loads(data)["some"])


def test_objects_that_are_equal_as_records_cannot_be_in_one_set() -> None:
    data = holdall.dumps({Point(1), Point(1)})
    assert len(holdall.loads(data, types=[Point])) == 2
    with pytest.raises(holdall.DecodeError, match="members that stay distinct in Python"):
        holdall.loads(data)


class Entries(TypedDict):
    a: int


class Listed(list[int]):
    pass


class Mapped(dict[str, int]):
    pass


@pytest.mark.parametrize(
    "cls",
    [dict, list, bool, type(None), str, int, collections.OrderedDict, collections.deque, Entries],
)
def test_a_class_without_fields_does_not_take_those_of_data(cls: type) -> None:
    data = holdall.dumps([holdall.Record("old.Name", a=1)])
    text = f"{cls.__name__} has no place for the fields of 'old.Name'"
    for options in ({"renames": {"old.Name": cls}}, {"missing": lambda name, fields: cls}):
        with pytest.raises(holdall.DecodeError, match=text) as caught:
            holdall.loads(data, **options)
        assert (caught.value.code, caught.value.path) == ("custom", "$[0]")


def test_a_builtin_class_takes_what_its_subclasses_hold() -> None:
    names = [f"{__name__}.{cls.__name__}" for cls in (Listed, Mapped)]
    data = holdall.dumps([Listed([1]), Mapped(a=1)])
    assert holdall.loads(data, renames=dict(zip(names, (list, dict), strict=True))) == [
        [1],
        {"a": 1},
    ]
    record = holdall.dumps(holdall.Record("old.Name", a=1))
    assert holdall.loads(record, Entries, renames={"old.Name": Entries}) == {"a": 1}
