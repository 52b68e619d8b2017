"""Values of one kind, many at a time: subclasses of builtin classes, flags, sets, big ints, and references to many objects."""

from __future__ import annotations

import enum
import random
from typing import Any

import holdall
import pytest
from checks import check_message

#: With limits, no message counts as small.
GENERAL = holdall.Limits(output=1 << 30)


class Labelled(dict[Any, Any]):
    """None of its own methods is called when it is read."""

    label: str

    def __setitem__(self, key: Any, value: Any) -> None:
        raise AssertionError(key)

    def update(self, *args: Any, **kwargs: Any) -> None:
        raise AssertionError(args)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AssertionError(name)


class Described(dict[Any, Any]):
    """An attribute of it is a property, too."""

    @property
    def label(self) -> Any:
        return vars(self)["label"]

    @label.setter
    def label(self, value: Any) -> None:
        raise AssertionError(value)


class Money:
    def __init__(self, amount: int) -> None:
        self.amount = amount

    def __reduce__(self) -> Any:
        return Money, (self.amount,)


class Finished(dict[Any, Any]):
    """Counts the objects that were freed."""

    freed = 0

    def __del__(self) -> None:
        Finished.freed += 1


class Wide(enum.Flag):
    FIRST = 1
    SECOND = 2
    SEVENTH = 64
    THIRTEENTH = 1 << 12
    LAST = 1 << 62


CLASSES = [Labelled, Described, Money, Finished, Wide]


def read(value: Any) -> Any:
    data = holdall.dumps(value)
    check_message(data)
    return holdall.loads(data, types=CLASSES)


def labelled(cls: type[Any], entries: dict[Any, Any], label: Any) -> Any:
    made = dict.__new__(cls)
    dict.update(made, entries)
    vars(made)["label"] = label
    return made


@pytest.mark.parametrize("cls", [Labelled, Described])
@pytest.mark.parametrize("count", [1, 3, 200])
def test_a_subclass_of_dict_is_filled_without_its_own_methods(cls: type[Any], count: int) -> None:
    rng = random.Random(count)
    entries: list[dict[Any, Any]] = [
        {f"key{rng.randrange(30)}": rng.randrange(9) for _ in range(4)} for _ in range(count)
    ]
    same_keys = [{"a": n, "b": str(n)} for n in range(count)]
    by_numbers = [{n: "a", -n - 1: [n]} for n in range(count)]
    for contents in (entries, same_keys, by_numbers):
        values = [labelled(cls, content, n) for n, content in enumerate(contents)]
        for value, back in zip(values, read(values), strict=True):
            assert type(back) is cls
            assert list(dict.items(back)) == list(dict.items(value))
            assert vars(back) == vars(value)


def test_an_object_is_freed_as_often_as_it_is_read() -> None:
    # What code of the program makes is not built directly, and neither is what is around it.
    values = [Finished({"of": Money(n)}) for n in range(5)]
    data = holdall.dumps(values)
    del values
    Finished.freed = 0
    back = holdall.loads(data, types=CLASSES)
    assert [each["of"].amount for each in back] == list(range(5))
    assert Finished.freed == 0
    del back
    assert Finished.freed == 5


@pytest.mark.parametrize("count", [1, 2, 3, 5, 5000])
@pytest.mark.parametrize(
    "most", [Wide.SECOND, Wide.SEVENTH, Wide.THIRTEENTH, Wide.LAST], ids=lambda most: most.name
)
def test_flags_come_back_whether_they_exist_or_not(count: int, most: Wide) -> None:
    rng = random.Random(count)
    members = [each for each in Wide if each.value <= most.value]
    values = []
    for _ in range(count):
        value = Wide(0)
        for each in rng.sample(members, rng.randrange(len(members) + 1)):
            value |= each
        values.append(value)
    expected = [each.value for each in values]
    known: dict[Any, Any] = Wide._value2member_map_  # type: ignore[assignment]
    for limits in (None, GENERAL):
        data = holdall.Encoder(limits=limits).encode(values)
        check_message(data)
        for exist in (True, False):
            if not exist:
                for bits in {*expected} - {each.value for each in Wide}:
                    known.pop(bits, None)
            back = holdall.loads(data, types=CLASSES)
            assert [each.value for each in back] == expected
            assert {type(each) for each in back} == {Wide}


@pytest.mark.parametrize("size", [0, 1, 2, 3, 15, 16, 17, 40])
def test_a_set_has_the_same_bytes_in_any_order(size: int) -> None:
    rng = random.Random(size)
    kinds: list[list[Any]] = [
        [rng.randrange(-(1 << 63), 1 << 63) for _ in range(size)],
        [rng.randrange(-9, 99) for _ in range(size)],
        [f"{rng.randrange(10**6)}é" for _ in range(size)],
        [rng.randrange(-(1 << 70), 1 << 70) for _ in range(size)],
        [rng.choice([n, str(n), float(n) + 0.5, b"%d" % n]) for n in range(size)],
    ]
    for members in kinds:
        found = set()
        for _ in range(3):
            rng.shuffle(members)
            made: set[Any] = set()
            made.update(members)
            value = [made, frozenset(members), {"in": made.copy()}]
            data = holdall.dumps(value)
            assert data == holdall.Encoder(limits=GENERAL).encode(value)
            assert holdall.loads(data) == value
            found.add(data)
        check_message(data)
        assert len(found) == 1


def test_ints_of_every_size_come_back() -> None:
    for bits in range(60, 330):
        values = [
            sign * (1 << bits) + more
            for sign in (-1, 1)
            for more in (-1, 0, 1, 0x5555_5555 << (bits - 40))
        ]
        assert holdall.loads(holdall.dumps(values)) == values
        assert holdall.loads(holdall.dumps({"a": values[0], "b": [values[5]]})) == {
            "a": values[0],
            "b": [values[5]],
        }
    check_message(holdall.dumps([1 << 4000, -(1 << 4001), 1 << 64]))


def test_references_lead_to_their_objects_however_many_there_are() -> None:
    rng = random.Random(1)
    lists: list[Any] = [[n] for n in range(300)]
    dicts: list[Any] = [{"id": n} for n in range(300)]
    places = [rng.randrange(300) for _ in range(2000)]
    value = [[rng.choice((lists, dicts))[at] for at in places], lists[::-1], {"last": dicts[7]}]
    back = read(value)
    assert back == value
    by_id: dict[int, Any] = {}
    for before, after in zip(value[0], back[0], strict=True):
        assert by_id.setdefault(id(before), after) is after
    assert all(
        by_id.get(id(own), after) is after for own, after in zip(value[1], back[1], strict=True)
    )


def test_a_class_that_got_a_descriptor_or_a_finalizer_since_runs_no_code() -> None:
    class Changing(dict[Any, Any]):
        pass

    def made(number: int) -> Changing:
        value = Changing({"entry": number})
        vars(value)["label"] = number
        return value

    def check(read: list[Changing]) -> None:
        assert read == [{"entry": number} for number in range(100)]
        assert [vars(value) for value in read] == [{"label": number} for number in range(100)]

    holdall.register(Changing, name="many_alike.Changing")
    data = holdall.dumps([made(number) for number in range(100)])
    decoder: holdall.Decoder[Any] = holdall.Decoder(limits=holdall.Limits(budget=1 << 26))
    check(decoder.decode(data))

    def setter(self: Changing, value: Any) -> None:
        raise AssertionError(value)

    Changing.label = property(lambda self: 0, setter)  # type: ignore[attr-defined]
    check(decoder.decode(data))
    del Changing.label  # type: ignore[attr-defined]

    met = []
    Changing.__del__ = lambda self: met.append(dict(self))  # type: ignore[attr-defined]
    read = decoder.decode(data)
    check(read)
    del read
    assert all(len(entries) == 1 for entries in met)


def test_flags_of_many_bits_are_those_of_few() -> None:
    class Wide(enum.IntFlag):
        FIRST = 1

    holdall.register(Wide, name="many_alike.Wide")
    members = [Wide(bits) for bits in (1, 4095, 4096, 8191, 64, 2049)]
    for value in ([[member] for member in members * 50], members * 50, members):
        for limits in (None, GENERAL):
            data = holdall.dumps(value, limits=limits)
            assert holdall.loads(data) == value
            assert holdall.loads(data, limits=holdall.Limits(budget=1 << 26)) == value
