"""What the library learns from one value to speed up the next never changes a result."""

from __future__ import annotations

import dataclasses
import gc
import random
from typing import Any

import holdall
import pytest
from checks import roundtrip


@dataclasses.dataclass
class Row:
    number: int
    name: str
    more: Any = None


@dataclasses.dataclass(slots=True)
class Slots:
    number: int
    name: str
    more: Any = None


class Loose:
    """Objects with different attributes."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loose) and self.__dict__ == other.__dict__


for _class in (Row, Slots, Loose):
    holdall.register(_class)

SCALARS: list[Any] = [1, -(2**70), 2.5, "text", "\ud800", None, True, b"bytes", ""]


def rows(seed: int, kind: str) -> list[Any]:
    """Rows that are mostly alike, with scalars of any type, containers and other fields."""
    chance = random.Random(seed)

    def value() -> Any:
        return chance.choice(SCALARS) if chance.random() < 0.2 else chance.randrange(100)

    made: list[Any] = []
    for at in range(300):
        more = [value()] if chance.random() < 0.05 else value()
        fields = {"number": at, "name": f"name {at % 7}", "more": more}
        if kind == "dict":
            if chance.random() < 0.05:
                fields = {"name": "first", "number": at}
            made.append(fields)
        elif kind == "loose":
            if chance.random() < 0.05:
                del fields["more"]
            made.append(Loose(**fields))
        else:
            made.append({"row": Row, "slots": Slots}[kind](**fields))
        if made and chance.random() < 0.03:
            made.append(chance.choice(made))
    return made


@pytest.mark.parametrize("kind", ["dict", "row", "slots", "loose"])
def test_rows_keep_their_fields_and_identities(kind: str) -> None:
    for seed in range(20):
        value = rows(seed, kind)
        back = roundtrip(value)
        assert back == value
        for at, one in enumerate(value):
            first = next(number for number, other in enumerate(value) if other is one)
            assert back[at] is back[first]


@pytest.mark.parametrize("kind", ["dict", "row", "slots", "loose"])
def test_rows_have_the_same_bytes_together_and_alone(kind: str) -> None:
    for seed in range(10):
        value = rows(seed, kind)
        together = holdall.dumps(value)
        # Something else holds it too, so it could be shared: it is emitted as events.
        held = [*value]
        assert together == holdall.dumps(value) == holdall.dumps(held)


def test_a_decoder_sees_registrations_between_two_messages() -> None:
    @dataclasses.dataclass
    class Late:
        a: int

    decoder: holdall.Decoder[Any] = holdall.Decoder()
    message = holdall.dumps(Late(1))
    assert type(decoder.decode(message)) is holdall.Record
    holdall.register(Late)
    assert decoder.decode(message) == Late(1)


def test_reading_into_a_class_sees_later_registrations() -> None:
    @dataclasses.dataclass
    class Renamed:
        a: int

    assert holdall.loads(holdall.dumps({"a": 1}), Renamed) == Renamed(1)
    holdall.register(Renamed, rename={"a": "b"})
    assert holdall.loads(holdall.dumps({"b": 2}), Renamed) == Renamed(2)
    assert holdall.loads(holdall.dumps([{"b": 3}]), list[Renamed]) == [Renamed(3)]


def test_a_decoder_reads_messages_of_several_schemas_in_turn() -> None:
    decoder: holdall.Decoder[Any] = holdall.Decoder()
    values = [{"a": 1}, {"b": 1, "a": 2}, Row(1, "x"), [{"a": 1}, {"c": 2}], Slots(2, "y")]
    messages = [holdall.dumps(value) for value in values]
    for _ in range(3):
        assert [decoder.decode(message) for message in messages] == values


def test_missing_is_called_for_each_message() -> None:
    asked = []

    def missing(name: str, fields: tuple[str, ...]) -> None:
        asked.append((name, fields))

    class Unknown:
        def __init__(self) -> None:
            self.a = 1

    decoder: holdall.Decoder[Any] = holdall.Decoder(missing=missing)
    message = holdall.dumps(Unknown())
    decoder.decode(message)
    decoder.decode(message)
    assert len(asked) == 2


def test_a_property_of_the_name_of_a_field_does_not_run() -> None:
    class Guarded:
        def __init__(self) -> None:
            self.__dict__["a"] = 1

        @property
        def a(self) -> int:
            return 7

        @a.setter
        def a(self, value: int) -> None:
            raise AssertionError("data reached a setter")

    holdall.register(Guarded)
    back = holdall.loads(holdall.dumps(Guarded()))
    assert back.__dict__ == {"a": 1}


@pytest.mark.parametrize("was_on", [True, False])
def test_the_state_of_the_collector_is_restored(was_on: bool) -> None:
    message = holdall.dumps([{"a": at} for at in range(20_000)])
    before = gc.isenabled()
    try:
        (gc.enable if was_on else gc.disable)()
        holdall.loads(message)
        assert gc.isenabled() is was_on
        with pytest.raises(holdall.DecodeError):
            holdall.loads(message[:-1])
        assert gc.isenabled() is was_on
        with pytest.raises(holdall.DecodeError):
            holdall.loads(message, list[dict[str, str]])
        assert gc.isenabled() is was_on
    finally:
        (gc.enable if before else gc.disable)()


def test_frozen_objects_stay_frozen() -> None:
    message = holdall.dumps([{"a": at} for at in range(20_000)])
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        holdall.loads(message)
        assert gc.get_freeze_count() >= frozen > 0
    finally:
        gc.unfreeze()


def test_cycles_of_new_objects_are_collected() -> None:
    ring = [{"a": at} for at in range(20_000)]
    for one in ring:
        one["ring"] = ring  # type: ignore[assignment]
    message = holdall.dumps(ring)
    back = holdall.loads(message)
    count = len(gc.get_objects())
    del back
    gc.collect()
    assert len(gc.get_objects()) < count - 20_000


@dataclasses.dataclass
class Other:
    name: str
    more: Any = None
    late: Any = 1.5


def unlike(rng: random.Random, depth: int = 0) -> Any:
    """A value like a message of a web API: some keys in any order, some of them null, some objects of classes."""
    kind = rng.randrange(9 if depth < 3 else 5)
    if kind < 5:
        return [None, rng.randrange(300), "text" * rng.randrange(3), 0.5, True][kind]
    if kind == 5:
        return [unlike(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind == 6:
        rows = [Row(1, "a"), Slots(2, "b", [1]), Other("c", unlike(rng, depth + 1)), Loose(n=1)]
        return rng.choice(rows)
    keys = rng.sample(
        ["id", "name", "user", "entities", "geo", "2024-01-02", "urls"], rng.randrange(6)
    )
    return {key: unlike(rng, depth + 1) for key in keys}


@pytest.mark.parametrize("seed", range(20))
def test_unlike_messages_have_the_bytes_that_they_have_alone(seed: int) -> None:
    rng = random.Random(seed)
    values = [unlike(rng) for _ in range(12)]
    alone = [holdall.Encoder().encode(value) for value in values]
    encoder, decoder = holdall.Encoder(), holdall.Decoder(types=[Row, Slots, Other, Loose])
    for _ in range(100):
        at = rng.randrange(len(values))
        assert encoder.encode(values[at]) == alone[at]
        assert holdall.Encoder().encode(decoder.decode(alone[at])) == alone[at]
