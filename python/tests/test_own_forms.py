"""Objects that are not packed by their attributes alone: methods for pickle, subclasses of builtin classes, enums, exceptions."""

from __future__ import annotations

import collections
import copyreg
import enum
import pickle
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

import holdall
import pytest
from checks import check_message, roundtrip


class Colour(enum.Enum):
    RED = 1
    BLUE = "blue"


class Rights(enum.Flag):
    READ = 1
    WRITE = 2
    WIDE = 1 << 70


class Pair(typing.NamedTuple):
    first: Any
    second: Any = None


class Fixed:
    """Its arguments differ from object to object: some have none."""

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments

    def __reduce__(self) -> Any:
        return (Fixed, self.arguments)


class Stated:
    """Its arguments, and a state."""

    def __init__(self, first: Any) -> None:
        self.first = first
        self.more = [first]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (Stated, (self.first,), {"more": [self.first]})


class Filled:
    """Items and entries that come after the object."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.entries: dict[Any, Any] = {}

    def extend(self, items: list[Any]) -> None:
        self.items.extend(items)

    append = extend

    def __setitem__(self, key: Any, value: Any) -> None:
        self.entries[key] = value

    def __reduce__(self) -> Any:
        return (Filled, (), None, iter(self.items), iter(self.entries.items()))


class New:
    def __new__(cls, *arguments: Any, **keywords: Any) -> New:
        made = object.__new__(cls)
        made.arguments, made.keywords = arguments, keywords  # type: ignore[attr-defined]
        return made

    def __getnewargs_ex__(self) -> Any:
        return self.arguments, self.keywords  # type: ignore[attr-defined]


class State:
    def __init__(self, state: Any) -> None:
        self.state = state

    def __getstate__(self) -> Any:
        return self.state

    def __setstate__(self, state: Any) -> None:
        self.state = state


class Registered:
    def __init__(self, value: Any) -> None:
        self.value = value


class Items(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        raise AssertionError("a method of the class")


class Mapping(dict):  # type: ignore[type-arg]
    def __getitem__(self, key: Any) -> Any:
        raise AssertionError("a method of the class")


class Members(set):  # type: ignore[type-arg]
    pass


class Text(str):
    __slots__ = ("mark",)
    mark: Any


class Number(int):
    pass


class Fault(Exception):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.code = len(arguments)


def reduced(value: Registered) -> Any:
    return (Registered, (value.value,))


def marked(text: str, mark: Any) -> Text:
    made = Text(text)
    made.mark = mark
    return made


def filled(items: list[Any], entries: dict[Any, Any]) -> Filled:
    made = Filled()
    made.items, made.entries = items, entries
    return made


def with_attribute(value: Any) -> Any:
    value.attribute = [len(value)]
    return value


#: Makes the object with a number. The first object of a class, and of each shape, takes a different path than later ones.
SEEDS: dict[str, Callable[[int], Any]] = {
    "enum": lambda n: list(Colour)[n % 2],
    "flags": lambda n: (Rights.READ, Rights.READ | Rights.WRITE, Rights.WIDE)[n % 3],
    "named tuple": lambda n: Pair(n, [n] if n % 2 else None),
    "reduce with as many arguments": lambda n: Fixed(*range(n % 3)),
    "reduce with a state": Stated,
    "reduce with items": lambda n: filled([n] * (n % 3), {n: n} if n % 2 else {}),
    "new": lambda n: New(n, key=[n]) if n % 2 else New(),
    "a dict as state": lambda n: State({"a": n, "b": [n]} if n % 2 else {"c": n}),
    "another state": lambda n: State([0, n, (n, [n]), {}, {"<a>": n}, {1: n}][n % 6]),
    "copyreg": Registered,
    "list": lambda n: with_attribute(Items([n, [n]])),
    "dict": lambda n: with_attribute(Mapping({"a": n, n: "b"})) if n % 2 else Mapping(a=n),
    "set": lambda n: with_attribute(Members({n, n + 1})),
    "str": lambda n: marked(f"text {n}", n),
    "int": lambda n: Number(n) if n % 2 else Number(1 << 80),
    "exception": lambda n: Fault(n) if n % 2 else ValueError("wrong", n),
    "exception with more": lambda n: (
        OSError(n + 1, "no", f"file {n}") if n % 2 else ImportError("no", name="n")
    ),
    "deque": lambda n: collections.deque([n, [n]], 5 if n % 2 else None),
    "defaultdict": lambda n: collections.defaultdict(list if n % 2 else None, a=[n]),
    "counter": lambda n: collections.Counter("abca" * n),
    "big int": lambda n: (-1) ** n << (62 + n),
    "bigger int": lambda n: (-3) ** (100 * n) + n,
    "sets": lambda n: [
        {n, 1 << 40, -n},
        {str(n), "b", "\N{SNOWMAN}"},
        {n, str(n)},
        {1 << 90, n},
        set(),
    ][n % 5],
}

CLASSES = [
    *(Colour, Rights, Pair, Fixed, Stated, Filled, New, State, Registered, Items, Mapping, Members),
    *(Text, Number, Fault, ValueError, OSError, FileNotFoundError, PermissionError, ImportError),
]


@pytest.fixture(autouse=True)
def _of_copyreg() -> Any:
    copyreg.pickle(Registered, reduced)
    yield
    del copyreg.dispatch_table[Registered]


def shown(value: Any) -> Any:
    """What an object holds, to be compared."""
    if isinstance(value, enum.Enum):
        return value
    own = getattr(value, "__dict__", None)
    parts: list[Any] = [type(value), {} if own is None else {k: shown(v) for k, v in own.items()}]
    if isinstance(value, BaseException):
        parts.append([value.args, str(value)])
    elif isinstance(value, dict):
        parts.append([(shown(k), shown(v)) for k, v in dict.items(value)])
    elif isinstance(value, list):
        parts.append([shown(value[at]) for at in range(len(value))])
    elif isinstance(value, tuple):
        parts.append([shown(each) for each in value])
    elif isinstance(value, Text):
        parts.append([str(value), value.mark])
    elif type(value).__module__ != __name__ or isinstance(value, int | set):
        parts.append(value)
    return parts


def same(left: Any, right: Any) -> None:
    assert shown(left) == shown(right)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("references", [True, False])
def test_many_of_a_class_come_back(seed: str, references: bool) -> None:
    objects = [SEEDS[seed](n) for n in range(12)]
    for value in (
        objects,
        [{"id": n, "of": each} for n, each in enumerate(objects)],
        (objects, {1: objects[3]}),
    ):
        data = holdall.dumps(value, references=references)
        check_message(data)
        for _ in range(2):
            same(holdall.loads(data, types=CLASSES), value)
        # One by one, and in any order: what was learned of one object must not show in the next.
        same(holdall.loads(holdall.dumps(objects[::-1]), types=CLASSES), objects[::-1])


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_packed_before_does_not_show(seed: str) -> None:
    encoder = holdall.Encoder()
    for n in (0, 1, 2, 1, 0, 5, 4):
        objects = [SEEDS[seed](each) for each in range(n, n + 3)]
        assert encoder.encode(objects) == holdall.dumps(objects)


@pytest.mark.parametrize("seed", ["new", "a dict as state", "reduce with a state", "list"])
def test_what_pickle_restores_is_restored(seed: str) -> None:
    objects = [SEEDS[seed](n) for n in range(4)]
    if seed != "list":
        same(
            holdall.loads(holdall.dumps(objects), types=CLASSES),
            pickle.loads(pickle.dumps(objects)),
        )


def test_what_methods_answer_keeps_its_identity() -> None:
    shared = [1]
    objects = [
        State({"a": shared}),
        State(shared),
        Fixed(shared),
        New(shared),
        Pair(shared),
        Fault(shared),
    ]
    back = holdall.loads(holdall.dumps([*objects, shared]), types=CLASSES)
    own = back[-1]
    assert back[0].state["a"] is own
    assert back[1].state is own
    assert back[2].arguments[0] is own
    assert back[3].arguments[0] is own
    assert back[4].first is own
    assert back[5].args[0] is own


def test_answers_that_others_hold_keep_their_identity() -> None:
    arguments = ([1], 2)
    one, other = New(), New()
    one.arguments = other.arguments = arguments  # type: ignore[attr-defined]
    back = holdall.loads(holdall.dumps([one, other]), types=CLASSES)
    assert back[0].arguments[0] is back[1].arguments[0]


def test_a_member_that_the_enum_lacks_is_refused_at_its_place() -> None:
    data = holdall.dumps([{"of": Colour.RED}, {"of": Colour.BLUE}])

    class Less(enum.Enum):
        RED = 1

    name = f"{__name__}.Colour"
    with pytest.raises(holdall.SchemaError, match="expected a member of") as caught:
        holdall.loads(data, renames={name: Less})
    assert caught.value.path == "$[1].of"
    assert holdall.loads(data[:0] + holdall.dumps([Colour.RED]), renames={name: Less}) == [Less.RED]


@holdall.register
class Appended:
    """Takes items one by one, as pickle accepts, too."""

    def __init__(self) -> None:
        self.items: list[int] = []

    def append(self, item: int) -> None:
        self.items.append(item)

    def __reduce__(self) -> Any:
        return (Appended, (), None, iter(self.items))


def test_items_are_appended_if_the_class_has_no_extend() -> None:
    value = Appended()
    value.items = [1, 2, 3]
    assert holdall.loads(holdall.dumps(value)).items == [1, 2, 3]


@holdall.register
class OwnList(list[int]):
    pass


def test_a_record_with_other_content_than_the_class_needs_is_a_schema_error() -> None:
    record = holdall.Record("x.List", {"<list>": 5})
    with pytest.raises(holdall.SchemaError, match="expected list, got int"):
        record.into(OwnList)


class Point(NamedTuple):
    x: int
    y: int


class OwnPoint(Point):
    """Has attributes beside its fields."""


@pytest.mark.parametrize("items", [(), (1,), (1, 2, 3)])
def test_a_named_tuple_of_a_subclass_has_an_item_for_each_field(items: tuple[int, ...]) -> None:
    name = f"{OwnPoint.__module__}.OwnPoint"
    data = holdall.dumps(holdall.Record(name, {"<tuple>": items}))
    with pytest.raises(holdall.SchemaError) as caught:
        holdall.loads(data, types=[OwnPoint])
    assert (caught.value.code, caught.value.path) == ("unconvertible", "$")
    assert f"expected 2 items for the fields of OwnPoint, got {len(items)}" in str(caught.value)
    assert holdall.loads(holdall.dumps(OwnPoint(1, 2)), types=[OwnPoint]) == (1, 2)


class Based:
    """Extends the answer of its base class, as pickle's users do."""

    def __init__(self, more: Any = None) -> None:
        self.more = more

    def __reduce__(self) -> Any:
        return super().__reduce__()


class BasedList(Based, list): ...  # type: ignore[type-arg]


class BasedDict(Based, dict): ...  # type: ignore[type-arg]


class BasedInt(int):
    def __reduce__(self) -> Any:
        return super().__reduce__()


class BasedTuple(tuple):  # type: ignore[type-arg]
    def __reduce__(self) -> Any:
        return super().__reduce__()


class BasedSet(set):  # type: ignore[type-arg]
    def __reduce__(self) -> Any:
        return copyreg._reduce_ex(self, 0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("state", [None, 5, []])
def test_what_object_reduces_to_is_packed(state: Any) -> None:
    objects: list[Any] = [Based(), BasedList(), BasedDict(), BasedInt(7), BasedTuple([1, "x"])]
    for each in objects:
        holdall.register(type(each))
        each.more = state
    objects[1] += [1, "x", objects[1]]
    objects[2].update({1: objects[2], "b": 2})
    back = roundtrip(objects)
    assert back[1][2] is back[1]
    assert back[2][1] is back[2]


def test_a_base_class_that_must_be_filled_in_another_way_needs_the_function() -> None:
    data = holdall.dumps(BasedSet([1]))
    function = copyreg._reconstructor  # type: ignore[attr-defined]
    with pytest.raises(
        holdall.DecodeError, match="'copyreg._reconstructor', which is not registered"
    ):
        holdall.loads(data, types=[BasedSet])
    back = holdall.loads(data, types=[BasedSet, function])
    assert (type(back), back) == (BasedSet, {1})
