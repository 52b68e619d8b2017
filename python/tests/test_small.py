"""Small messages are written and read in one walk; that gives what the general path gives."""

from __future__ import annotations

import copy
import dataclasses
import functools
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import holdall
import pytest
from conftest import ALL_ROUNDS, SOAK
from holdall import _holdall
from hypothesis import given
from hypothesis import strategies as st

CONFORMANCE = Path(__file__).resolve().parents[2] / "conformance"
#: Messages that are mutated are no longer.
MAX_MUTATED_LEN = 2000
#: Of each message.
MUTATIONS = 20 * max(1, SOAK) if ALL_ROUNDS else 4

#: The number of messages of one kind: from the second on, a reader knows the schema.
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


def state(value: Any, known: dict[int, int] | None = None) -> Any:
    """A value as one that compares by types, contents and identities."""
    known = {} if known is None else known
    if isinstance(value, dict | list | tuple | Point | Slotted) and value != ():
        if id(value) in known:
            return known[id(value)]
        known[id(value)] = len(known)
    if isinstance(value, dict):
        return type(value), [(repr(key), state(each, known)) for key, each in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [state(each, known) for each in value]
    if isinstance(value, Point):
        return Point, state(value.__dict__, known)
    if isinstance(value, Slotted):
        return Slotted, state([getattr(value, name, ...) for name in ("x", "y")], known)
    return type(value), repr(value)


#: With limits, no message counts as small.
OUTPUT = holdall.Limits(output=1 << 30)
#: The default budget of a message of up to 67,108 bytes.
BUDGET = holdall.Limits(budget=1 << 26)


def check(values: Iterator[Any] | list[Any], **options: Any) -> None:
    """Values one after the other through one encoder and decoder; each must give what it gives alone, and in general."""
    encoder, decoder = holdall.Encoder(**options), holdall.Decoder[Any]()
    for value in values:
        general = holdall.Encoder(limits=OUTPUT, **options).encode(value)
        assert encoder.encode(value) == general == holdall.dumps(value, **options)
        expected = state(holdall.Decoder[Any](limits=BUDGET).decode(general))
        assert state(decoder.decode(general)) == expected == state(holdall.loads(general))


def outcome(decoder: holdall.Decoder[Any], message: bytes) -> Any:
    """What a message is read as, or its fault."""
    try:
        return state(decoder.decode(message))
    except holdall.Error as error:
        return type(error), error.code, error.offset, error.path, str(error)


def check_outcome(message: bytes) -> None:
    """A message is read, or refused, by a new decoder as in general, unless its value is very large."""
    try:
        holdall.Decoder[Any](limits=holdall.Limits(budget=1 << 18)).decode(message)
    except holdall.LimitError:
        return
    except holdall.Error:
        pass
    expected = outcome(holdall.Decoder(limits=BUDGET), message)
    assert outcome(holdall.Decoder(), message) == expected, message.hex()


SCALARS = [None, True, False, 0, 1, -1, 2**63 - 1, -(2**63), 0.0, -0.0, 2.5, float("inf")]
SCALARS += ["", "a", "Grüße", "x" * 300, b"", b"\xff\x00"]
LISTS = [[], [1], [1, 2, 3], ["a", "", "né"], [True, False, True], [0.5], [b"a", b""]]
SMALL_VALUES = [*SCALARS, *LISTS]


@pytest.mark.parametrize("value", SMALL_VALUES, ids=repr)
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


def test_objects_with_fewer_or_more_attributes_have_other_fields() -> None:
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
    {"header": "none"},
    {"header": "fingerprint"},
    {"checksum": True},
    {"metadata": {"k": "v"}},
    {"references": False},
    {"limits": holdall.Limits(output=10_000)},
]


@pytest.mark.parametrize("options", HEADERS, ids=repr)
def test_headers_of_small_messages_are_those_of_any_message(options: dict[str, Any]) -> None:
    values = [{"a": at, "b": "x" * at, "c": ["s"]} for at in range(TIMES)]
    encoder = holdall.Encoder(**options)
    schema = encoder.schema(values[0])
    store = holdall.SchemaStore()
    store.put(schema)
    bare = options.get("header") == "none"
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


def test_a_new_registration_replaces_what_was_learned_of_a_class() -> None:
    class Local:
        def __init__(self, x: int) -> None:
            self.x = x

    def packed() -> bytes:
        return [holdall.dumps(Local(1)) for _ in range(TIMES)][-1]

    holdall.register(Local, name="test_small.First")
    first = packed()
    read = [holdall.loads(first) for _ in range(TIMES)][-1]
    assert type(read) is Local
    holdall.register(Local, name="test_small.Second", rename={"x": "z"})
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


@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.sampled_from(SMALL_VALUES)), max_size=10)
)
def test_dicts_at_random(values: list[Any]) -> None:
    check([copy.deepcopy(each) for each in values * 2])


KEYS = ["a", "b", "id", "name", "url", "é", "", "2024-01-01", "1234", "deadbeef00", "items"]
scalars = st.sampled_from(SCALARS) | st.integers(-(2**66), 2**66) | st.floats() | st.text()
values = st.recursive(
    scalars,
    lambda inside: (
        st.lists(inside, max_size=9)
        | st.dictionaries(st.sampled_from(KEYS), inside, max_size=6)
        | st.lists(st.dictionaries(st.sampled_from(KEYS[:4]), inside, max_size=4), max_size=6)
        | st.lists(inside, max_size=10).map(tuple)
        | st.builds(Point, inside, inside)
        | st.builds(Slotted, inside, inside)
        | st.builds(lambda value: [value, [value]], inside)
        | st.builds(lambda value: {"a": value, "b": {"a": value}}, inside)
    ),
    max_leaves=25,
)
OPTIONS: list[dict[str, Any]] = [
    {},
    {"profile": "fast"},
    {"references": False},
    {"canonical": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
@given(st.lists(values, max_size=6))
def test_unlike_values_have_the_bytes_of_new_encoders(
    options: dict[str, Any], values: list[Any]
) -> None:
    check(values, **options)


@pytest.mark.parametrize("profile", ["fast", "balanced"])
@given(values)
def test_small_messages_have_the_bytes_of_the_library(profile: str, value: Any) -> None:
    data = holdall.dumps(value, profile=profile)
    assert _holdall.through_value(data, profile) == data


def shape(at: int) -> dict[str, int]:
    return {f"k{key}": key for key in range(at % 20)}


#: At and around each bound of what counts as small.
BOUNDS: dict[str, Any] = {
    "depth 16": functools.reduce(lambda inside, _: [inside], range(16), 1),
    "depth 17": functools.reduce(lambda inside, _: {"a": inside, "b": 1}, range(17), 1),
    "4,096 values": [0] * 4095,
    "4,098 values": [0] * 4097,
    "256 fields": {f"k{key}": key for key in range(256)},
    "257 fields": {f"k{key}": key for key in range(257)},
    "16 shapes": [shape(at) for at in range(1, 17)],
    "17 shapes": [shape(at) for at in range(1, 18)],
    "8 types": [1, "a", 0.5, True, b"", [], {}, (), None],
    "9 types": [1, "a", 0.5, True, b"", [], {}, (), (1,), None],
    "512 names": [{f"k{at * 16 + key}": 1 for key in range(16)} for at in range(32)],
    "513 names": [{f"k{at * 16 + key}": [{f"j{at}": 1}] for key in range(16)} for at in range(32)],
    "much text": ["x" * (1 << 24), "y"],
    "repeated text": ["x" * 1000] * 1100,
    "9 items": tuple(range(9)),
    "a map": {"2024-01-01": 1, "2024-01-02": 2},
    "a map and an empty dict": [{}, {"2024-01-01": 1}],
    "a record with dates": [{"a": 1}, {"2024-01-01": 1}],
    "recursive": {"v": 1, "next": {"v": 2, "next": None}},
    "recursive by an earlier row": [{"a": 1}, {"a": {"b": [{"a": 1}]}, "b": 1}, {"a": 1, "b": 2}],
    "recursive by a later row": [{"a": {"c": 1}}, {"c": 1}],
    "an empty dict first": [{}, {"a": {"a": 1}}],
    "one struct at two places": [Point(1, 2), [Point(3, 4)]],
    "a struct in itself": Point(Point(1, 2), 3),
    "a dict as around a struct": {"x": 1, "y": Point(1, {"x": 1, "y": 2})},
}


@pytest.mark.parametrize("value", BOUNDS.values(), ids=BOUNDS)
@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_bounds_of_small_messages_do_not_show(options: dict[str, Any], value: Any) -> None:
    check([value, {"a": 1}, value], **options)


def test_containers_in_themselves_are_not_small() -> None:
    inside: list[Any] = [1]
    inside.append(inside)
    back = holdall.loads(holdall.dumps(inside))
    assert back[1] is back
    with pytest.raises(holdall.EncodeError):
        holdall.dumps(inside, references=False)


def test_rows_of_a_dictionary_are_read_with_their_text() -> None:
    check([[{"a": "left" * 9}, {"a": "right" * 9}] * 9, ["no", "yes", "no", "no", "yes"] * 5])


def messages() -> list[bytes]:
    """Messages of the spec's vectors, valid or not, and of small values."""
    found = [holdall.dumps(value) for value in [*SMALL_VALUES, *LIKE, *BOUNDS.values()]]
    for kind in ("valid", "invalid"):
        for file in sorted((CONFORMANCE / kind).glob("*.json")):
            vectors = json.loads(file.read_text("utf-8"))["vectors"]
            found += [bytes.fromhex(each["hex"]) for each in vectors if "hex" in each]
    return [message for message in found if len(message) < MAX_MUTATED_LEN]


def test_messages_of_vectors_are_read_as_in_general() -> None:
    for message in messages():
        check_outcome(message)


def test_mutated_messages_are_read_as_in_general() -> None:
    chance = random.Random(11)
    kinds = bytes.fromhex("000102031112131516181A19 1C")
    for message in messages():
        for _ in range(MUTATIONS):
            broken = bytearray(message)
            for _ in range(chance.choice((1, 1, 2))):
                at = chance.randrange(2, max(len(broken), 3))
                if at >= len(broken):
                    continue
                match chance.randrange(4):
                    case 0:
                        broken[at] = chance.randrange(256)
                    case 1:
                        broken[at] = chance.choice(kinds)
                    case 2:
                        del broken[at]
                    case _:
                        broken.insert(at, chance.choice(kinds))
            check_outcome(bytes(broken))


def test_options_of_dumps_and_loads_are_those_of_encoder_and_decoder() -> None:
    assert holdall.dumps({"a": 1}, header="none") == holdall.Encoder(header="none").encode({"a": 1})
    assert holdall.dumps(obj=1) == holdall.dumps(1)
    assert holdall.loads(data=holdall.dumps(1), type=int) == 1
    with pytest.raises(TypeError, match="unknown"):
        holdall.dumps(1, unknown=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unknown"):
        holdall.loads(holdall.dumps(1), unknown=1)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        holdall.dumps()  # type: ignore[call-arg]
