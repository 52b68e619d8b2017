"""Building directly gives what events would have given: dicts, objects, faults and changing classes."""

from __future__ import annotations

import copy
import datetime
import decimal
import gc
import pickle
import random
import resource
import uuid
from collections.abc import Iterator
from typing import Any

import holdall
import pytest
from checks import roundtrip
from direct_builds import CLASSES, DATE, LONG, Point


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """The garbage collector detects damage to an object's memory."""
    yield
    gc.collect()


@pytest.mark.parametrize("cls", CLASSES)
def test_objects_behave_like_any_others(cls: Any) -> None:
    value = [cls(number, [number]) for number in range(LONG)]
    for made in (
        holdall.loads(holdall.dumps(value)),
        holdall.loads(holdall.dumps(value), list[cls]),
    ):
        assert made == value
        for each in made:
            assert type(each) is cls
            assert copy.deepcopy(each) == each
            each.x = "another"
            each.y = None
            assert (each.x, each.y) == ("another", None)


def test_attributes_keep_their_order_and_more_can_be_added() -> None:
    value = [Point(number, str(number)) for number in range(LONG)]
    for number, made in enumerate(holdall.loads(holdall.dumps(value))):
        made.z = 1
        assert list(vars(made).items()) == [("x", number), ("y", str(number)), ("z", 1)]
        del made.x
        made.x = 2
        assert list(vars(made)) == ["y", "z", "x"]
        assert pickle.loads(pickle.dumps(made)) == made


def test_objects_with_fields_in_another_order_keep_it() -> None:
    class Free:
        pass

    holdall.register(Free, name="Free")
    value = []
    for number in range(LONG):
        free = Free()
        names = ("b", "a", "c") if number % 3 else ("a", "c")
        for name in names:
            setattr(free, name, number)
        value.append(free)
    made = holdall.loads(holdall.dumps(value))
    assert [list(vars(each).items()) for each in made] == [
        list(vars(each).items()) for each in value
    ]


def test_many_attributes_do_not_fit_in_the_space_for_few() -> None:
    class Wide:
        pass

    holdall.register(Wide, name="Wide")
    value = []
    for number in range(50):
        wide = Wide()
        for at in range(number):
            setattr(wide, f"a{at}", at)
        value.append(wide)
    made = holdall.loads(holdall.dumps(value + value[::-1], references=False))
    assert [vars(each) for each in made] == [vars(each) for each in value + value[::-1]]


def test_changes_of_a_class_are_noticed() -> None:
    class Changing:
        def __init__(self, x: int) -> None:
            self.x = x

    holdall.register(Changing, name="Changing")
    data = holdall.dumps([Changing(number) for number in range(LONG)])
    decoder = holdall.Decoder()
    assert [each.x for each in decoder.decode(data)] == list(range(LONG))
    given = []
    Changing.x = property(lambda _: 7, lambda _, value: given.append(value))  # type: ignore[assignment]
    assert [each.x for each in decoder.decode(data)] == [7] * LONG
    # Set by `object.__setattr__`, as before.
    assert given == list(range(LONG))
    holdall.register(Changing, name="Changing")
    assert [vars(each) for each in decoder.decode(data)] == [
        {"x": number} for number in range(LONG)
    ]
    assert given == list(range(LONG))


def test_requested_types_are_checked_at_every_place() -> None:
    value: list[Any] = [{"a": [(1, "x")]} for _ in range(LONG)]
    value[70]["a"].append((1, None))
    data = holdall.dumps(value)
    assert holdall.loads(data, list[dict[str, list[tuple[int, str | None]]]]) == value
    with pytest.raises(holdall.DecodeError) as fault:
        holdall.loads(data, list[dict[str, list[tuple[int, str]]]])
    assert fault.value.path == "$[70].a[1][1]"


NOW = datetime.datetime(2024, 5, 6, 7, 8, 9, 123456)


@pytest.mark.parametrize(
    ("one", "ty"),
    [
        (NOW, datetime.datetime),
        (NOW.replace(tzinfo=datetime.UTC), datetime.datetime),
        (NOW.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=2))), datetime.datetime),
        (datetime.datetime.min, datetime.datetime),
        (datetime.datetime.max, datetime.datetime),
        (NOW.date(), datetime.date),
        (datetime.date.min, datetime.date),
        (datetime.date.max, datetime.date),
        (NOW.time(), datetime.time),
        (datetime.timedelta(days=-3, microseconds=1), datetime.timedelta),
        (datetime.timedelta.min, datetime.timedelta),
        (datetime.timedelta.max, datetime.timedelta),
        (uuid.UUID(int=0), uuid.UUID),
        (uuid.UUID(int=2**128 - 1), uuid.UUID),
        (decimal.Decimal("-0.00"), decimal.Decimal),
        (decimal.Decimal("1E+100"), decimal.Decimal),
        (decimal.Decimal("18446744073709551615.5"), decimal.Decimal),
        (decimal.Decimal("-9223372036854775808"), decimal.Decimal),
        (decimal.Decimal("NaN"), decimal.Decimal),
        (decimal.Decimal("-Infinity"), decimal.Decimal),
        (1 + 2j, complex),
        (2**70, int),
        (b"bytes", bytes),
        (None, None),
    ],
)
def test_typed_and_untyped_reading_give_the_same_values(one: Any, ty: Any) -> None:
    value = [[one] for _ in range(LONG)]
    data = holdall.dumps(value, references=False)
    for made in (holdall.loads(data), holdall.loads(data, list[list[ty]])):
        assert repr(made) == repr(value)
        assert {type(each) for (each,) in made} == {type(one)}
    with pytest.raises(holdall.DecodeError) as fault:
        holdall.loads(data, list[list[range]])
    assert fault.value.path == "$[0][0]"


def test_a_uuid_has_all_its_attributes() -> None:
    value = [uuid.uuid4() for _ in range(LONG)]
    for made, own in zip(holdall.loads(holdall.dumps(value)), value, strict=True):
        assert (made.is_safe, hash(made), str(made)) == (own.is_safe, hash(own), str(own))
        assert pickle.loads(pickle.dumps(made)) == own


def test_keys_that_are_equal_in_python_are_an_error_in_direct_builds() -> None:
    value = [{1: "a", 2: "b"} for _ in range(LONG)]
    assert holdall.loads(holdall.dumps(value, references=False)) == value
    mixed = [{1: "a", "1": "b", b"1": "c"} for _ in range(LONG)]
    assert holdall.loads(holdall.dumps(mixed, references=False)) == mixed


def test_shared_objects_stay_shared_next_to_direct_builds() -> None:
    shared = Point(1, [2])
    value = [{"own": [number, {"x": number}], "shared": shared} for number in range(LONG)]
    value.append({"own": [0, {"x": 0}], "shared": value})  # type: ignore[dict-item]
    made = holdall.loads(holdall.dumps(value))
    assert made[-1]["shared"] is made
    assert all(each["shared"] is made[0]["shared"] for each in made[:-1])
    assert [each["own"] for each in made] == [each["own"] for each in value]


def test_field_names_are_not_cached_for_ever() -> None:
    names = [f"a_field_with_a_long_name_{number}" for number in range(1000)]
    decoder = holdall.Decoder()
    data = holdall.dumps({**dict.fromkeys(names, 1), "other": holdall.Extension("other", 1)})

    def grown() -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(150):
            decoder.decode(data)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    grown()
    assert grown() < 8_000


def test_an_attribute_is_learned_by_its_name() -> None:
    class Named:
        def __init__(self) -> None:
            self.x = 1

    holdall.register(Named, name="Named")
    decoder = holdall.Decoder()
    named = holdall.Record("Named", x=1)
    with pytest.raises(holdall.DecodeError):
        decoder.decode(holdall.dumps([named, holdall.Logical(DATE, b"", 10**8)]))
    Named.x = property(None, lambda self, value: vars(self).update(_x=100 * value))  # type: ignore[assignment]
    value = [holdall.Record("Named", x=number) for number in range(5)]
    data = holdall.dumps([*value, holdall.Logical(DATE, b"", 1)])
    made = decoder.decode(data)[:-1]
    assert [vars(each) for each in made] == [{"_x": 100 * number} for number in range(5)]


UTC = datetime.UTC
PLUS_TWO = datetime.timezone(datetime.timedelta(hours=2))
#: The rows of long lists that are read in one piece, and those that interrupt it.
ALIKE: list[Any] = [
    lambda n: f"text {n % 50}",
    lambda n: f"é {n}",
    lambda _: "\ud800",
    lambda n: n,
    lambda n: n / 7,
    lambda _: None,
    lambda n: datetime.datetime(1 + n % 9999, 1 + n % 12, 1 + n % 28, n % 24, n % 60, tzinfo=UTC),
    lambda n: datetime.datetime(2000, 1, 1 + n % 28, microsecond=n),
    lambda n: datetime.datetime(2000, 1, 1 + n % 28, tzinfo=PLUS_TWO),
    lambda n: datetime.datetime(2000, 1, 1 + n % 28, fold=1),
    lambda n: datetime.date(1 + n % 9999, 1, 1),
    lambda n: datetime.time(n % 24, microsecond=n),
    lambda n: datetime.timedelta(n, microseconds=n),
    lambda _: datetime.timedelta.max,
    lambda n: decimal.Decimal(n - 3).scaleb(-(n % 5)),
    lambda n: decimal.Decimal(10**19 + n),
    lambda n: decimal.Decimal(["NaN", "-sNaN7", "-Infinity", "-0", "0E+5"][n % 5]),
    lambda n: [n, "in a list"],
]


@pytest.mark.parametrize("seed", range(40))
def test_runs_of_items_equal_single_items(seed: int) -> None:
    chance = random.Random(seed)
    shared = datetime.datetime(2020, 2, 2, tzinfo=UTC)
    makers = [*chance.sample(ALIKE, chance.randrange(1, 5)), lambda _: shared]
    items: list[Any] = []
    while len(items) < 1500:
        make = chance.choice(makers)
        items += [make(n) for n in range(chance.choice([1, 2, 40, 700]))]
    for value in (items, [items, {"again": items[:1200]}, items[3]]):
        roundtrip(value)
