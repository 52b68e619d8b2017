"""Plans learned from small messages speed up the next ones, and never change a result."""

from __future__ import annotations

import copy
import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import holdall
import pytest
from hypothesis import given
from hypothesis import strategies as st

#: The number of messages that learn and use plans.
TIMES = 12


@holdall.register
class Point:
    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y


@holdall.register
@dataclasses.dataclass(slots=True)
class Slotted:
    x: Any
    y: Any


@holdall.register
@dataclasses.dataclass
class Typed:
    name: str
    age: int
    tags: list[str]


class Text(str):
    __slots__ = ()


def state(value: Any) -> Any:
    """A value as one that compares by types and contents."""
    if isinstance(value, dict):
        return type(value), [(key, state(each)) for key, each in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [state(each) for each in value]
    if isinstance(value, Point):
        return Point, state(value.__dict__)
    if isinstance(value, Slotted):
        return Slotted, state([value.x, value.y])
    return type(value), repr(value)


def check(values: Iterator[Any] | list[Any]) -> None:
    """Values one after the other through one encoder and decoder; each must give what it gives alone."""
    encoder, decoder = holdall.Encoder(), holdall.Decoder[Any]()
    for value in values:
        alone = holdall.Encoder().encode(value)
        assert encoder.encode(value) == alone == holdall.dumps(value)
        expected = state(holdall.Decoder[Any]().decode(alone))
        assert state(decoder.decode(alone)) == expected == state(holdall.loads(alone))


SCALARS = [None, True, False, 0, 1, -1, 2**63 - 1, -(2**63), 0.0, -0.0, 2.5, float("inf")]
SCALARS += ["", "a", "Grüße", "x" * 300, b"", b"\xff\x00"]
LISTS = [[], [1], [1, 2, 3], ["a", "", "né"], [True, False, True], [0.5], [b"a", b""]]
SMALL = [*SCALARS, *LISTS]


@pytest.mark.parametrize("value", SMALL, ids=repr)
def test_a_small_value_has_the_same_bytes_each_time(value: Any) -> None:
    check([copy.deepcopy(value) for _ in range(TIMES)])
    check([{"a": 1, "b": copy.deepcopy(value)} for _ in range(TIMES)])
    check([{"a": {"b": copy.deepcopy(value)}, "c": [1]} for _ in range(TIMES)])
    check([Point(copy.deepcopy(value), Slotted(1, "z")) for _ in range(TIMES)])


#: Values that differ slightly from {"a": 1, "b": "x", "c": ["s"]}.
LIKE: list[Any] = [
    {"a": 1, "b": "x", "c": ["s"]},
    {"a": 1, "b": "x", "c": []},
    {"a": 1, "b": "x", "c": ["s", "t"]},
    {"a": 1, "b": "x", "c": ["s", "t", "u", "v", "w"]},
    {"a": 1, "b": "x", "c": ["s", 1]},
    {"a": 1, "b": "x", "c": [None]},
    {"a": 1, "b": "x", "c": ("s",)},
    {"a": True, "b": "x", "c": ["s"]},
    {"a": 1.0, "b": "x", "c": ["s"]},
    {"a": None, "b": "x", "c": ["s"]},
    {"a": 2**64, "b": "x", "c": ["s"]},
    {"a": -(2**63) - 1, "b": "x", "c": ["s"]},
    {"a": 1, "b": b"x", "c": ["s"]},
    {"a": 1, "b": "\ud800", "c": ["s"]},
    {"a": 1, "b": Text("x"), "c": ["s"]},
    {"a": 1, "b": "x", "c": ["\ud800"]},
    {"b": "x", "a": 1, "c": ["s"]},
    {"a": 1, "b": "x"},
    {"a": 1, "b": "x", "c": ["s"], "d": 1},
    {"a": 1, "b": "x", "e": ["s"]},
    {"a": 1, "b": "x", 3: ["s"]},
    {"a": 1, "b": "x", "c": {"s": 1}},
    Point(1, "x"),
    Slotted(1, "x"),
]


def test_slightly_different_values_in_any_order() -> None:
    for first, second in itertools.permutations(LIKE, 2):
        check([copy.deepcopy(each) for each in [first] * 3 + [second] * 3 + [first, second]])
    check(copy.deepcopy(LIKE) * TIMES)


def test_objects_with_fewer_or_more_attributes_need_another_plan() -> None:
    more, less, empty = Point(1, 2), Point(1, 2), Slotted(1, 2)
    more.z = 3  # type: ignore[attr-defined]
    del less.y
    del empty.y
    check([*[Point(1, 2)] * 5, more, less])
    encoder = holdall.Encoder()
    for _ in range(5):
        encoder.encode(Slotted(1, 2))
    assert encoder.encode(empty) == holdall.dumps(empty)


def test_shared_values_keep_their_identity() -> None:
    encoder, decoder = holdall.Encoder(), holdall.Decoder[Any]()
    for _ in range(TIMES):
        decoder.decode(encoder.encode({"a": ["s"], "b": ["s"]}))
    shared = ["s"]
    back = decoder.decode(encoder.encode({"a": shared, "b": shared}))
    assert back["a"] is back["b"]
    other = Point(1, None)
    for _ in range(TIMES):
        decoder.decode(encoder.encode(Point(1, None)))
    other.y = other
    back = decoder.decode(encoder.encode(other))
    assert back.y is back


def test_each_message_has_lists_and_objects_of_its_own() -> None:
    message = holdall.dumps({"a": ["s"], "b": Point(1, 2)})
    read = [holdall.loads(message) for _ in range(TIMES)]
    for one, other in itertools.combinations(read, 2):
        assert one is not other
        assert one["a"] is not other["a"]
        assert one["b"] is not other["b"]


HEADERS: list[dict[str, Any]] = [
    {},
    {"profile": "fast"},
    {"profile": "small"},
    {"schema": "none"},
    {"schema": "fingerprint"},
    {"checksum": True},
    {"metadata": {"k": "v"}},
    {"references": False},
    {"limits": holdall.Limits(output=10_000)},
]


@pytest.mark.parametrize("options", HEADERS, ids=repr)
def test_headers_do_not_change_with_reused_plans(options: dict[str, Any]) -> None:
    values = [{"a": at, "b": "x" * at, "c": ["s"]} for at in range(TIMES)]
    encoder = holdall.Encoder(**options)
    schema = encoder.schema(values[0])
    store = holdall.SchemaStore()
    store.put(schema)
    bare = options.get("schema") == "none"
    decoder: holdall.Decoder[Any]
    decoder = holdall.Decoder(schema=schema) if bare else holdall.Decoder(store=store)
    for value in values:
        message = encoder.encode(value)
        assert message == holdall.Encoder(**options).encode(value)
        assert decoder.decode(message) == value


def test_a_limit_holds_for_small_messages_too() -> None:
    encoder = holdall.Encoder(limits=holdall.Limits(output=20))
    decoder = holdall.Decoder[Any](limits=holdall.Limits(budget=100))
    for _ in range(TIMES):
        decoder.decode(encoder.encode({"a": "b"}))
    with pytest.raises(holdall.EncodeError, match="limit_output"):
        encoder.encode({"a": "b" * 100})
    with pytest.raises(holdall.LimitError):
        decoder.decode(holdall.dumps({"a": "b" * 200}))


@pytest.mark.parametrize(
    "value",
    [{"a": -300, "b": "né", "c": ["s", "t"], "d": True, "e": 0.5, "f": [True]}, Point(1, "x"), 7],
    ids=["dict", "object", "int"],
)
def test_damage_is_reported_as_in_a_first_message(value: Any) -> None:
    message = holdall.dumps(value)
    learned = holdall.Decoder[Any]()
    for _ in range(TIMES):
        learned.decode(message)
    damaged = [message[:end] for end in range(len(message))] + [message + b"\0"]
    for at, byte in itertools.product(range(len(message)), (0x00, 0x01, 0x7F, 0x80, 0xFF)):
        damaged.append(message[:at] + bytes([message[at] ^ byte]) + message[at + 1 :])
    for each in damaged:
        try:
            expected = state(holdall.Decoder[Any]().decode(each))
        except holdall.Error as error:
            with pytest.raises(type(error)) as raised:
                learned.decode(each)
            found = raised.value
            assert (found.code, found.offset, str(found)) == (error.code, error.offset, str(error))
        else:
            assert state(learned.decode(each)) == expected


def test_a_new_registration_replaces_plans() -> None:
    class Local:
        def __init__(self, x: int) -> None:
            self.x = x

    def packed() -> bytes:
        return [holdall.dumps(Local(1)) for _ in range(TIMES)][-1]

    holdall.register(Local, name="test_single.First")
    first = packed()
    read = [holdall.loads(first) for _ in range(TIMES)][-1]
    assert type(read) is Local
    holdall.register(Local, name="test_single.Second", rename={"x": "z"})
    second = packed()
    assert b"Second" in second
    assert b"First" not in second
    assert type(holdall.loads(first)) is holdall.Record
    assert [holdall.loads(second).x for _ in range(TIMES)] == [1] * TIMES


def test_a_requested_type_is_checked_in_every_message() -> None:
    decoder = holdall.Decoder(Typed)
    good = holdall.dumps(Typed("a", 1, ["t"]))
    as_dict = holdall.dumps({"name": "a", "age": 1, "tags": ["t"]})
    wrong = holdall.dumps({"name": "a", "age": "1", "tags": ["t"]})
    for _ in range(TIMES):
        assert decoder.decode(good) == decoder.decode(as_dict) == Typed("a", 1, ["t"])
        with pytest.raises(holdall.DecodeError) as raised:
            decoder.decode(wrong)
        assert raised.value.path == "$.age"


def test_post_init_and_defaults_are_for_each_message() -> None:
    made: list[int] = []

    @dataclasses.dataclass
    class Counted:
        a: int
        b: list[int] = dataclasses.field(default_factory=lambda: made.append(1) or [])  # type: ignore[func-returns-value]

    decoder = holdall.Decoder(Counted)
    message = holdall.dumps({"a": 1})
    read = [decoder.decode(message) for _ in range(TIMES)]
    assert len(made) == TIMES
    assert read[0].b is not read[1].b


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.sampled_from(SMALL)), max_size=10))
def test_dicts_at_random(values: list[Any]) -> None:
    check([copy.deepcopy(each) for each in values * 2])


def test_options_of_dumps_and_loads_are_those_of_encoder_and_decoder() -> None:
    assert holdall.dumps({"a": 1}, schema="none") == holdall.Encoder(schema="none").encode({"a": 1})
    assert holdall.dumps(obj=1) == holdall.dumps(1)
    assert holdall.loads(data=holdall.dumps(1), type=int) == 1
    with pytest.raises(TypeError, match="unknown"):
        holdall.dumps(1, unknown=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unknown"):
        holdall.loads(holdall.dumps(1), unknown=1)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        holdall.dumps()  # type: ignore[call-arg]
