"""Containers of one kind in a union are alternatives, whose order decides nothing."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import itertools
import typing
from collections.abc import Callable
from typing import Annotated, Any, Generic, TypeVar, Union

import holdall
import msgspec
import pytest
from holdall._impl import _alternatives, _nodes, _types

T = TypeVar("T")


@dataclasses.dataclass
class A:
    x: int


@dataclasses.dataclass
class B:
    y: int


@dataclasses.dataclass
class Wide:
    x: int
    y: int = 0


@dataclasses.dataclass
class P:
    x: int


@dataclasses.dataclass
class Q:
    x: float


@dataclasses.dataclass
class Holder:
    items: list[int] | list[str]
    more: dict[str, A] | dict[str, list[int]] | None = None


@dataclasses.dataclass(frozen=True)
class Box(Generic[T]):
    item: T


@dataclasses.dataclass
class Tree:
    children: list[Tree] | list[int]


def union(*members: Any) -> Any:
    return Union[members]  # noqa: UP007


def read(value: Any, tp: Any, **options: Any) -> Any:
    return holdall.loads(holdall.dumps(value), tp, **options)


deque, counter = collections.deque, collections.Counter
ordered, chain = collections.OrderedDict, collections.ChainMap
#: Values, the members of a union, and what they become.
CHOSEN: list[tuple[Any, tuple[Any, ...], Any]] = [
    # What has the value as it stands.
    ([1], (list[int], list[float]), [1]),
    ([1.0], (list[int], list[float]), [1.0]),
    ([], (list[int], list[float]), []),
    (["a"], (list[int], list[str]), ["a"]),
    ([1, None], (list[int], list[int | None]), [1, None]),
    ((1,), (tuple[int], tuple[int, str]), (1,)),
    ((1, "a"), (tuple[int], tuple[int, str]), (1, "a")),
    ((1, 2, 3), (tuple[int], tuple[int, ...]), (1, 2, 3)),
    (tuple(range(20)), (tuple[str, ...], tuple[int, ...]), tuple(range(20))),
    ({"a"}, (set[int], set[str]), {"a"}),
    (frozenset({"a"}), (frozenset[int], frozenset[str]), frozenset({"a"})),
    ({"a": "b"}, (dict[str, int], dict[str, str]), {"a": "b"}),
    ({1: "b"}, (dict[str, str], dict[int, str]), {1: "b"}),
    (deque(["a"], 3), (deque[int], deque[str]), deque(["a"], 3)),
    (ordered(a="b"), (ordered[str, int], ordered[str, str]), ordered(a="b")),
    (counter("aab"), (counter[int], counter[str]), counter("aab")),
    (chain({"a": 1}), (chain[str, int], chain[int, int]), chain({"a": 1})),
    ([[1], ["a"]], (list[list[int] | list[str]], list[str]), [[1], ["a"]]),
    ([[[1]]], (list[list[list[str]]], list[list[list[int]]]), [[[1]]]),
    ([{"a": [1]}], (list[dict[str, list[str]]], list[dict[str, list[int]]]), [{"a": [1]}]),
    # Objects whose class the data name.
    ([A(1)], (list[A], list[dict[str, int]]), [A(1)]),
    ([A(1)], (list[A], list[B]), [A(1)]),
    ({"a": P(1)}, (dict[str, P], dict[str, Q]), {"a": P(1)}),
    ([Box(1)], (list[Box[int]], list[Box[str]]), [Box(1)]),
    # What only one of them can be converted to.
    ([1, 2.5], (list[int], list[float]), [1.0, 2.5]),
    ([{"x": 1}], (list[A], list[B]), [A(1)]),
    ([{"x": 1}], (list[A], list[dict[str, int]]), [{"x": 1}]),
    ({"a": {"y": 1}}, (dict[str, A], dict[str, B]), {"a": B(1)}),
    ([{"x": 1}], (list[A | dict[str, int]], list[str]), [A(1)]),
    # What leaves the fewest fields unread, and then the fewest to defaults.
    ([{"x": 1, "y": 2}], (list[A], list[Wide]), [Wide(1, 2)]),
    ([{"x": 1}], (list[A], list[Wide]), [A(1)]),
    # Another kind of container, where its own is not there.
    ([1], (tuple[int, ...], tuple[float, ...]), (1,)),
    ((1,), (list[str], list[int]), [1]),
    ({1}, (frozenset[str], frozenset[int]), frozenset({1})),
    ([1], (set[str], set[int]), {1}),
    ([1], (deque[str], deque[int]), deque([1])),
    (deque([1]), (list[str], list[int]), [1]),
    (ordered(a=1), (dict[str, int], dict[str, str]), {"a": 1}),
    ({"a": 1}, (ordered[str, int], ordered[str, str]), ordered(a=1)),
    (holdall.Record("other", a=1), (dict[str, int], dict[str, str]), {"a": 1}),
    # Members of other kinds.
    ([1], (list[int], list[str], tuple[int], int, None), [1]),
    ((1,), (list[int], list[str], tuple[int], int, None), (1,)),
    (None, (list[int], list[str], tuple[int], int, None), None),
    (3, (list[int], list[str], tuple[int], int, None), 3),
    ({"a": 1}, (list[int], list[str], dict[str, int]), {"a": 1}),
    (A(1), (dict[str, int], dict[str, str], A), A(1)),
    ({"x": 1}, (dict[str, int], dict[str, str], A), A(1)),
    ({"z": "a"}, (dict[str, int], dict[str, str], A), {"z": "a"}),
]


@pytest.mark.parametrize(("value", "members", "expected"), CHOSEN, ids=lambda each: str(each)[:40])
def test_the_order_of_alternatives_decides_nothing(
    value: Any, members: tuple[Any, ...], expected: Any
) -> None:
    for order in itertools.islice(itertools.permutations(members), 6):
        # Equal unions are compiled once.
        _types._compiled.cache_clear()
        tp = union(*order)
        for back in (
            read(value, tp),
            read([value, value], list[tp])[1],
            # The Python half reads it, because it is not a mapping of one shape.
            read([value], deque[tp])[0],
            read({1: value}, ordered[int, tp])[1],
            holdall.Decoder(tp).decode(holdall.dumps(value)),
        ):
            assert back == expected
            assert type(back) is type(expected)
            if isinstance(back, list | tuple):
                assert [type(each) for each in back] == [type(each) for each in expected]


def test_alternatives_are_chosen_in_fields_and_with_options() -> None:
    for value in (Holder([1]), Holder(["a"], {"b": A(1)}), Holder([], {"b": [1]})):
        assert read(value, Holder) == value
        assert read(dataclasses.asdict(value), Holder) == value
        assert read(value, Holder, strict=False) == value
    assert read(["1"], list[int] | list[str], strict=False) == ["1"]
    assert read(["1", None], list[int | None] | list[bool], strict=False) == [1, None]


@pytest.mark.parametrize("name", ["json", "msgpack", "cbor"])
def test_alternatives_are_chosen_in_other_formats(name: str) -> None:
    day = datetime.date(2020, 1, 2)
    for value, tp in (
        (["a"], list[int] | list[str]),
        ([day], list[bool] | list[datetime.date]),
        ((1, "a"), tuple[int] | tuple[int, str]),
        ((1, 2), tuple[int, ...] | tuple[float, ...]),
        ({"a"}, set[int] | set[str]),
        ([{"a": B(1)}], list[dict[str, A] | dict[str, B]]),
        (deque(["a"]), deque[int] | deque[str]),
        (Holder(["a"], {"b": A(1)}), Holder),
    ):
        data = holdall.dumps(value, format=name, storage=True)
        assert holdall.loads(data, tp, format=name) == value


def test_data_are_read_by_the_type_that_is_generated_for_them() -> None:
    rows: list[tuple[Any, ...]] = [(1,), (1, "a")]
    assert read(rows, list[tuple[int] | tuple[int, str]]) == rows
    objects = [{"a": [1]}, {"a": ["b"]}]
    assert read(objects, list[dict[str, list[int] | list[str]]]) == objects


def test_alternatives_keep_the_identity_of_what_they_hold() -> None:
    shared = ["a"]
    back = read([shared, shared], list[list[int] | list[str]])
    assert back[0] is back[1]
    tree = Tree([])
    tree.children = [tree, Tree([1])]
    back = read(tree, Tree)
    assert back.children[0] is back
    assert back.children[1].children == [1]


#: Values that several alternatives take, or none.
REFUSED: list[tuple[Any, Any, str]] = [
    (
        [{"x": 1}],
        list[P] | list[Q],
        r"in \$: expected list\[P\] \| list\[Q\], got a list that fits list\[P\] and list\[Q\] equally well",
    ),
    ({"a": [{"x": 1}]}, dict[str, list[P] | list[Q]], r"in \$\.a: expected .* equally well"),
    ([Box(1.5)], list[Box[int]] | list[Box[str]], "equally well"),
    ([1, "a"], list[int] | list[str], r"in \$: expected list\[int\] \| list\[str\], got a list"),
    ([[1], [1, "a"]], list[list[int] | list[str]], r"in \$\[1\]: expected list\[int\] \| list"),
    ((1, 2), tuple[int] | tuple[int, str], r"in \$: expected tuple\[int\] \| .*, got a tuple"),
    ({"a": None}, dict[str, int] | dict[str, str], "got a mapping"),
    (5, list[int] | list[str], "got int 5"),
    ({"x": "a"}, dict[str, int] | dict[str, float] | A, r"in \$\.x: expected int, got str 'a'"),
    # The only one of its kind says where it does not fit.
    ((1, "a"), list[int] | list[str] | tuple[int, int], r"in \$\[1\]: expected int, got str 'a'"),
]


@pytest.mark.parametrize(("value", "tp", "message"), REFUSED, ids=lambda each: str(each)[:40])
def test_a_value_that_fits_several_alternatives_or_none_is_an_error(
    value: Any, tp: Any, message: str
) -> None:
    with pytest.raises(holdall.SchemaError, match=message) as info:
        read(value, tp)
    assert info.value.code == "unconvertible"


def test_each_alternative_has_its_own_constraints() -> None:
    few, many = (
        Annotated[list[int], msgspec.Meta(max_length=2)],
        Annotated[list[int], msgspec.Meta(min_length=4)],
    )
    tp = union(few, many, list[str])
    for value in ([1], [1, 2, 3, 4], ["a", "b", "c"]):
        assert read(value, tp) == value
        assert read({1: value}, ordered[int, tp]) == {1: value}
    with pytest.raises(holdall.SchemaError, match="unconvertible"):
        read([1, 2, 3], tp)
    with pytest.raises(TypeError, match="applies to"):
        read([1], union(Annotated[list[int] | list[str], msgspec.Meta(max_length=2)], None))


def test_members_with_the_same_items_are_one_type() -> None:
    nodes = holdall.Decoder(list[int] | typing.Sequence[int] | None)._nodes
    assert nodes is not None
    assert nodes[1].alternatives == []
    assert nodes[1].list is not None


def test_dec_hook_is_asked_only_where_no_alternative_has_the_value() -> None:
    class Meters:
        def __init__(self, number: float) -> None:
            self.number = number

    asked = []

    def hook(cls: type, value: Any) -> Any:
        asked.append(value)
        if not isinstance(value, float):
            raise ValueError("no length")
        return cls(value)

    tp = list[Meters] | list[int]
    assert read([1, 2], tp, dec_hook=hook) == [1, 2]
    assert asked == []
    assert [each.number for each in read([1.5], tp, dec_hook=hook)] == [1.5]


def nested(levels: int) -> Any:
    """A type whose unions all have several lists."""
    tp = union(str, list[float])
    for _ in range(levels):
        tp = union(list[tp], list[tp | None], list[tp | bool])
    return tp


@pytest.mark.parametrize("innermost", [1, "a", 1.5])
def test_each_value_is_tried_once_for_each_alternative(
    innermost: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = collections.Counter[str]()

    def counted(work: Callable[..., Any]) -> Callable[..., Any]:
        def count(*given: Any) -> Any:
            calls[str(levels)] += 1
            return work(*given)

        return count

    for cls, name in ((_nodes.Node, "_fit"), (_alternatives, "_container_distance")):
        monkeypatch.setattr(cls, name, counted(getattr(cls, name)))
    for levels in (3, 6):
        value = innermost
        for _ in range(levels):
            # Only the last alternatives take it, or none.
            value = [True, value]
        message, decoder = holdall.dumps(value), holdall.Decoder(nested(levels))
        if innermost == "a":
            assert decoder.decode(message) == value
        else:
            with pytest.raises(holdall.SchemaError, match="unconvertible"):
                decoder.decode(message)
    # Tried one inside the other, there would be 27 times as many.
    assert calls["6"] <= 3 * calls["3"]


def test_deep_objects_are_read_and_deep_dicts_refused() -> None:
    tree = Tree([1])
    for _ in range(5_000):
        tree = Tree([tree])
    back = read(tree, Tree)
    for _ in range(5_000):
        (back,) = back.children
    assert back.children == [1]
    few: Any = {"children": [1]}
    for _ in range(20):
        few = {"children": [few]}
    assert isinstance(read(few, Tree).children[0], Tree)
    many = few
    for _ in range(20_000):
        many = {"children": [many]}
    with pytest.raises(holdall.Error):
        read(many, Tree)


@dataclasses.dataclass
class Pair(Generic[T]):
    item: T
    left: Pair[T] | None = None
    right: Pair[T] | None = None


def test_shared_objects_of_generic_classes_are_compared_once() -> None:
    pair = Pair("a")
    # Without that, the time doubles with each.
    for _ in range(60):
        pair = Pair("a", pair, pair)
    read = holdall.loads(holdall.dumps([pair]), list[Pair[int]] | list[Pair[str]])
    assert read[0].left is read[0].right


def test_objects_of_generic_classes_can_contain_themselves() -> None:
    pair = Pair("a")
    pair.left = pair
    read = holdall.loads(holdall.dumps([pair]), list[Pair[int]] | list[Pair[str]])
    assert read[0].left is read[0]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ([A(1)], list[dict[str, int]] | list[int], [{"x": 1}]),
        ([A(1)], list[dict[str, int]] | list[dict[str, str]], [{"x": 1}]),
        ({"a": A(1)}, dict[str, dict[str, int]] | dict[str, int], {"a": {"x": 1}}),
        ([holdall.Record("q", a=1)], list[dict[str, int]] | list[int], [{"a": 1}]),
    ],
)
def test_objects_inside_alternatives_become_dicts_as_elsewhere(
    value: Any, kind: Any, expected: Any
) -> None:
    assert holdall.loads(holdall.dumps(value), kind) == expected
