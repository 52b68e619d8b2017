"""Walking values directly, as long as that runs no Python code, gives the same result as packing them one by one."""

from __future__ import annotations

import json
import random
import struct
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import holdall
import pytest
from holdall import _holdall
from hypothesis import given
from hypothesis import strategies as st


@holdall.register
@dataclass
class Place:
    city: str
    spot: list[float] | None


@holdall.register
@dataclass(slots=True)
class Visit:
    place: Place | None
    notes: list[str]
    count: int


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
)
texts = st.sampled_from(["", "a", "Essen", "Zürich", "\ud800", "long " * 50])
records = st.fixed_dictionaries(
    {
        "id": st.integers(-5, 300),
        "name": texts | st.none(),
        "inner": st.none()
        | st.fixed_dictionaries({"x": scalars, "tags": st.lists(texts, max_size=3)})
        | st.fixed_dictionaries({"x": st.just(1)}),
        "lists": st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=3) | st.just(7),
    }
)
visits = st.builds(
    Visit,
    st.none() | st.builds(Place, texts, st.none() | st.lists(st.floats(0, 1), max_size=2)),
    st.lists(texts, max_size=2),
    st.integers(0, 2**70),
)


def same_bytes(values: list[Any]) -> bytes:
    """The bytes, compared with those that the library writes for the same value as events."""
    for profile in ("fast", "balanced"):
        data = holdall.dumps(values, profile=profile)
        assert _holdall.through_value(data, profile) == data
    return holdall.dumps(values)


def copied(value: Any) -> Any:
    """A copy in which no container occurs twice."""
    if isinstance(value, list):
        return [copied(each) for each in value]
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    if isinstance(value, Visit):
        return Visit(copied(value.place), copied(value.notes), value.count)
    if isinstance(value, Place):
        return Place(value.city, copied(value.spot))
    return value


@given(st.lists(records | visits, max_size=6), st.integers(1, 12), st.randoms())
def test_direct_walks_emit_the_same_events(
    some: list[Any], times: int, order: random.Random
) -> None:
    values = [copied(each) for each in some * times]
    order.shuffle(values)
    assert holdall.loads(same_bytes(values)) == values


@given(st.lists(records, min_size=2, max_size=4), st.randoms())
def test_shared_objects_in_direct_walks_stay_shared(some: list[Any], order: random.Random) -> None:
    values = [copied(each) for each in some * 10]
    twice: dict[str, Any] = {"x": None, "tags": ["t"]}
    for at in order.sample(range(len(values)), 2):
        values[at]["inner"] = twice
    found = holdall.loads(holdall.dumps(values))
    assert found == values
    ours = [each["inner"] for each, own in zip(found, values, strict=True) if own["inner"] is twice]
    assert ours[0] is ours[1]


def test_keys_need_not_be_the_same_strings() -> None:
    """A parser creates new strings for the keys of each text."""
    values = [
        json.loads(json.dumps({"first key": n, "second key": {"key": "ü" * n}})) for n in range(50)
    ]
    assert holdall.loads(same_bytes(values)) == values
    others = [{"first key": n, "second kex": n} for n in range(50)]
    assert holdall.loads(same_bytes(values + others)) == values + others


@given(st.lists(records | visits | scalars, min_size=1, max_size=6), st.integers(1, 12))
def test_earlier_values_do_not_change_later_ones_in_a_stream(
    tmp_path_factory: pytest.TempPathFactory, some: list[Any], times: int
) -> None:
    path = tmp_path_factory.mktemp("alike") / "stream.hold"
    values = [copied(each) for each in some * times]
    with holdall.Writer(path, block_rows=7) as writer:
        for at, value in enumerate(values):
            writer.write(value)
            if at % 5 == 0:
                with pytest.raises(holdall.EncodeError):
                    writer.write({"id": at, "name": lambda: None})
    with holdall.Reader(path) as reader:
        assert list(reader) == values


class Hooked(types.ModuleType):
    """An object that only a hook can pack."""

    def __init__(self, inside: Any, before: Callable[[], None] | None = None) -> None:
        super().__init__("hooked")
        self.inside, self.before = inside, before


def converted_by_hook(value: Any) -> Any:
    if not isinstance(value, Hooked):
        raise TypeError(value)
    if value.before:
        value.before()
    return value.inside


leaves = scalars | texts | st.decimals(allow_nan=False) | st.dates() | st.uuids() | st.datetimes()
keys = st.sampled_from(["a", "b", "c", "2024-01-01", "2024-01-02", "\ud800", "ü"])
nested = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(keys, inner, max_size=4)
        | st.dictionaries(st.integers(0, 3) | keys, inner, max_size=3)
        | st.builds(Visit, st.none(), st.lists(texts, max_size=2), inner)
    ),
    max_leaves=30,
)


@given(nested, st.integers(0, 120), st.randoms())
def test_hooks_work_at_any_place(value: Any, depth: int, order: random.Random) -> None:
    for _ in range(depth):
        wraps = [[value], [1, value, 2], {"a": value}, {"a": 1, "b": value}, (value, 1), {1: value}]
        value = order.choice(wraps)
    hooked, plain = Hooked(value), value
    for _ in range(depth // 4):
        at = order.randrange(3)
        hooked = Hooked(
            [0, hooked, {"h": 1}] if at == 0 else {"k": 2, "l": hooked} if at == 1 else (hooked,)
        )
        plain = [0, plain, {"h": 1}] if at == 0 else {"k": 2, "l": plain} if at == 1 else (plain,)
    for references in (False, True):
        packed = holdall.dumps([hooked, 1], enc_hook=converted_by_hook, references=references)
        assert packed == holdall.dumps([plain, 1], references=references)
    assert holdall.loads(packed) == [plain, 1]


@pytest.mark.parametrize("change", ["clear", "grow"])
def test_a_hook_may_change_the_containers_around_it(change: str) -> None:
    inner: dict[str, Any] = {"x": [1, 2], "y": None}
    outer: list[Any] = [
        {"a": 1, "in": inner, "b": ["c"] * 3},
        {"a": 2, "in": {"x": [], "y": 3}, "b": []},
    ]

    def before() -> None:
        for each in (inner, outer[0], outer[0]["b"]) if outer else ():
            each.clear() if change == "clear" else each.__init__(
                [*each, *each] * 9 if isinstance(each, list) else {**each, "new": [0] * 99}
            )
        outer.clear() if change == "clear" else outer.extend([{"late": 1}] * 99)

    inner["y"] = Hooked("given", before)
    found = holdall.loads(holdall.dumps(outer, enc_hook=converted_by_hook))
    assert found[0]["in"] == {"x": [1, 2], "y": "given"}
    assert found[0]["a"] == 1
    assert len(found) == (1 if change == "clear" else 101)


def test_attributes_named_like_other_fields_stay_attributes() -> None:
    @dataclass
    class Swapped:
        first: int
        second: int

    holdall.register(Swapped, name="Swapped", rename={"first": "second", "second": "first"})
    values = [Swapped(at, -at) for at in range(6)]
    for value in values[3:]:
        # The same attributes in another order.
        value.__dict__ = {"second": value.second, "first": value.first}
    assert holdall.loads(holdall.dumps(values)) == values


def test_classes_that_define_attribute_access_are_called() -> None:
    class Saying:
        def __init__(self, size: int) -> None:
            self.size = size

        def __getattribute__(self, name: str) -> Any:
            return {"said": 1} if name == "__dict__" else object.__getattribute__(self, name)

    found = holdall.loads(holdall.dumps([Saying(size) for size in range(5)]))
    assert [each.to_dict() for each in found] == [{"said": 1}] * 5


def test_lists_that_contain_themselves_at_any_depth_keep_identity() -> None:
    ring: list[Any] = [1]
    inner: Any = ring
    for _ in range(100):
        inner = {"in": [inner]}
    ring.append(inner)
    found = holdall.loads(holdall.dumps(ring))
    for _ in range(100):
        found_in = found[1] if found[0] == 1 and len(found) == 2 else found[0]
        found = found_in["in"]
    assert found[0][0] == 1
    with pytest.raises(holdall.EncodeError, match="do not contain themselves"):
        holdall.dumps(ring, references=False)


def test_keys_that_are_equal_in_data_are_rejected_before_writing() -> None:
    nan, other = float("nan"), float("nan")
    for value, path in [
        ({nan: 1, other: 2}, "$"),
        ([0, {"a": {1: {nan: 1, other: 2}}}], "$[1].a[0]"),
    ]:
        with pytest.raises(holdall.EncodeError) as caught:
            holdall.dumps(value)
        assert (caught.value.code, caught.value.path) == ("duplicate_key", path)
    negative = struct.unpack("<d", struct.pack("<Q", 0xFFF8000000000000))[0]
    found = holdall.loads(holdall.dumps([{nan: 1, negative: 2}, {nan: 3}]))
    assert [list(each.values()) for each in found] == [[1, 2], [3]]


@pytest.mark.parametrize("first", [[10**30], {"a": {"b": 10**40}}, [{1, (1, 2)}], 1])
def test_hooks_that_return_their_own_object_recurse_without_references(first: Any) -> None:
    asked = 0

    def hook(value: Any) -> Any:
        nonlocal asked
        asked += 1
        assert asked < 9
        return [first, value]

    with pytest.raises(holdall.EncodeError, match="do not contain themselves"):
        holdall.dumps(Hooked(0), references=False, enc_hook=hook)
    assert asked == 1


def test_temporary_objects_are_not_mistaken_for_freed_ones() -> None:
    class Around:
        def __init__(self, field: Any) -> None:
            self.field = field

    holdall.register(Around, name="Around", encode={"field": lambda value: {"k": value, "z": 1}})
    value: Any = {1, (2,)}
    for _ in range(30):
        value = Around(value)
    found = holdall.loads(holdall.dumps(value, references=False))
    for _ in range(30):
        found = found.field["k"]
    assert found == {1, (2,)}


def test_deeply_nested_containers_are_packed_on_a_small_stack() -> None:
    value: Any = 1
    for at in range(300):
        value = Place("deep", value) if at % 3 == 0 else [value] if at % 3 == 1 else {"in": value}
    packed: list[bytes] = []
    before = threading.stack_size(64 << 10)
    try:
        thread = threading.Thread(target=lambda: packed.append(holdall.dumps([value, value])))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert packed == [holdall.dumps([value, value])]


def test_values_after_a_failed_one_are_intact(tmp_path: Path) -> None:
    again: list[Any] = [None]
    values: list[Any] = [[], {"00000000": again, "00000001": again}, Place("a", None)]
    path = tmp_path / "stream.hold"
    with holdall.Writer(path) as writer:
        writer.write(values[0])
        with pytest.raises(holdall.EncodeError):
            writer.write({"k1": Hooked(1)})
        writer.write(values[1])
        wide = Place("wide", None)
        for at in range(300):
            setattr(wide, f"field{at}", at)
        with pytest.raises(holdall.EncodeError, match="256 fields"):
            writer.write(wide)
        writer.write(values[2])
    found = [*holdall.Reader(path)]
    assert found == values
    assert found[1]["00000000"] is found[1]["00000001"]


def test_empty_dicts_come_one_after_the_other(tmp_path: Path) -> None:
    values: list[Any] = [{}, {}, {"a": {}}, {"a": {}}, {"a": {}}, {}, [{}] * 3]
    assert holdall.loads(same_bytes(values)) == values
    path = tmp_path / "stream.hold"
    with holdall.Writer(path) as writer:
        for value in values * 3:
            writer.write(value)
    assert [*holdall.Reader(path)] == values * 3


def test_a_stream_sees_new_registrations_between_two_values(tmp_path: Path) -> None:
    class Thing:
        def __init__(self, size: int) -> None:
            self.size = size

    path = tmp_path / "stream.hold"
    with holdall.Writer(path) as writer:
        for size in range(5):
            writer.write(Thing(size))
        holdall.register(Thing, name="other.Thing")
        for size in range(5):
            writer.write(Thing(size))
    names = [type(each).__name__ for each in holdall.Reader(path)]
    assert names == ["Record"] * 5 + ["Thing"] * 5


def test_values_that_a_stream_has_written_are_not_kept_alive(tmp_path: Path) -> None:
    import weakref

    class Thing:
        def __init__(self, size: int) -> None:
            self.size = {"size": size}

    with holdall.Writer(tmp_path / "stream.hold") as writer:
        gone = []
        for size in range(20):
            thing = Thing(size)
            gone.append(weakref.ref(thing))
            writer.write(thing)
            del thing
        assert [each() for each in gone] == [None] * 20
