"""Building directly gives what events would have given: deep values, faults, changing classes, hooks and signals."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import decimal
import gc
import pickle
import random
import resource
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from typing import Any

import attrs
import holdall
import msgspec
import pytest
from checks import roundtrip

LONG = 100
#: The kind of dates (F-72).
DATE = 0x01


@holdall.register
@dataclasses.dataclass
class Point:
    x: int
    y: Any


@holdall.register
@dataclasses.dataclass(slots=True)
class Slotted:
    x: int
    y: Any


@holdall.register
@attrs.define
class Defined:
    x: int
    y: Any


@holdall.register
class Struct(msgspec.Struct):
    x: int
    y: Any


CLASSES: list[Any] = [Point, Slotted, Defined, Struct]


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """The garbage collector detects damage to an object's memory."""
    yield
    gc.collect()


def nested(depth: int, wrap: Any, value: Any = 1) -> Any:
    for _ in range(depth):
        value = wrap(value)
    return value


@pytest.mark.parametrize("depth", [1, 20, 31, 32, 33, 47, 48, 49, 62, 63, 64, 65, 66, 128, 200])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda value: [value, value],
        lambda value: (value, "a"),
        lambda value: {"a": value, "b": 2.5},
        lambda value: {"next": [value]},
        lambda value: {1: value},
        lambda value: Point(1, value),
        lambda value: Slotted(1, [value]),
        lambda value: Struct(1, value),
    ],
)
def test_depth_does_not_change_the_result(depth: int, wrap: Any) -> None:
    depth = min(depth, 14) if wrap(1) == [1, 1] else depth
    value = [nested(depth, wrap) for _ in range(3)]
    data = holdall.dumps(value, references=False)
    assert holdall.loads(data) == value
    assert repr(holdall.loads(holdall.dumps(value))) == repr(value)


def test_a_chain_of_a_million_options_is_one_value() -> None:
    count = 1_000_000
    # list(#0) where #0 = option(#0); this many rows of #0; a list of one; which rows are present: all but the last.
    head = bytes.fromhex("c1 12 02 16 1f 00 15 1f 00") + (count << 3 | 0b011).to_bytes(3, "little")
    there = (1 << count - 1) - 1
    data = head + b"\x02\x52" + there.to_bytes(count // 8, "little")
    assert holdall.loads(data) == [None]


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


def test_a_fault_deep_inside_has_its_path() -> None:
    value: list[Any] = [{"a": [datetime.date(2024, 1, 1)] * 3} for _ in range(LONG)]
    value[70]["a"][1] = holdall.Logical(DATE, b"", 10**8)
    with pytest.raises(holdall.DecodeError) as fault:
        holdall.loads(holdall.dumps(value))
    assert fault.value.path == "$[70].a[1]"


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


def posted(name: str) -> tuple[Any, list[int]]:
    """A class that adds each new object to a list."""
    made: list[int] = []

    @holdall.register(name=name)
    class Posted(msgspec.Struct):
        x: int

        def __post_init__(self) -> None:
            made.append(self.x)

    return Posted, made


def test_code_of_a_class_runs_once_for_each_object() -> None:
    Posted, made = posted("Posted")  # noqa: N806 (a class)
    value = [{"many": list(range(5)), "one": Posted(number)} for number in range(LONG)]
    data = holdall.dumps(value)
    made.clear()
    assert holdall.loads(data) == value
    assert made == list(range(LONG))
    made.clear()
    wrong = holdall.dumps([*value, {"many": ["a"], "one": None}])
    with pytest.raises(holdall.DecodeError):
        holdall.loads(wrong, list[dict[str, list[int] | Posted]])
    assert made == list(range(LONG))


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


def test_a_signal_ends_a_long_call() -> None:
    value = [[number, str(number), float(number)] for number in range(2_000_000)]
    data = holdall.dumps(value, references=False)
    del value

    def late(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        start = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            for _ in range(1000):
                holdall.loads(data)
        assert time.perf_counter() - start < 30
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def varint(number: int) -> bytes:
    """F-3, of less than 56 bits."""
    extra = next(k for k in range(8) if number < 1 << 7 * (k + 1))
    return (number << extra + 1 | (1 << extra) - 1).to_bytes(extra + 1, "little")


def chain(count: int, depth: int) -> bytes:
    """A record with one of these fields; each definition is nested lists of the previous one."""
    names = [f"f{number:x}".encode() for number in range(count)]
    fields = b"".join(
        varint(2 * len(name)) + name + b"\x1f" + varint(number) for number, name in enumerate(names)
    )
    head = b"\xc1\x12" + varint(count) + b"\x1a" + varint(4 * count + 1) + fields
    shapes = varint(2) + varint(1) + varint(count - 1) + varint(1) + varint(0)
    bodies = [
        b"\x16" * depth + (b"\x1f" + varint(number - 1) if number else b"\x03")
        for number in range(count)
    ]
    return head + shapes + b"".join(bodies) + varint(0) * (count - 1) + varint(1) + bytes(2)


def test_mutually_recursive_definitions_need_no_deep_stack() -> None:
    code = (
        "import sys, threading, holdall\n"
        "data = bytes.fromhex(sys.stdin.read())\n"
        "threading.stack_size(256 << 10)\n"
        "thread = threading.Thread(target=lambda: print(holdall.loads(data)))\n"
        "thread.start()\n"
        "thread.join()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=chain(1500, 40).hex(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("{'f5db': []}\n", 0), done.stderr


def test_deep_values_are_read_on_a_small_stack() -> None:
    code = (
        "import threading, holdall\n"
        "def nested(wrap, depth):\n"
        "    value = 1\n"
        "    for _ in range(depth):\n"
        "        value = wrap(value)\n"
        "    return value\n"
        "wraps = [lambda v: [v], lambda v: (v, 1), lambda v: {'a': v, 'b': 2}, lambda v: {1: v}, lambda v: {'c': [v]}]\n"
        "values = [[nested(wrap, depth)] * 2 for wrap in wraps for depth in (62, 63, 64, 90, 300)]\n"
        "data = [holdall.dumps(value, references=False) for value in values]\n"
        "made = []\n"
        "threading.stack_size(512 << 10)\n"
        "thread = threading.Thread(target=lambda: made.extend(map(holdall.loads, data)))\n"
        "thread.start()\n"
        "thread.join()\n"
        "print(made == values)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


def test_many_lists_of_a_wide_type_cost_only_their_contents() -> None:
    lists, width = 20_000, 20_000
    # tuple(list(#0), ..., extension "zz"(int)) where #0 = tuple(int, ...), without a row.
    head = b"\xc1\x12" + varint(1) + b"\x18" + varint(lists + 1)
    types = b"\x16\x1f\x00" * lists + b"\x23\x08zz\x03" + b"\x18" + varint(width) + b"\x03" * width
    start = time.perf_counter()
    made = holdall.loads(head + types + bytes(lists + 2))
    assert made[:-1] == ([],) * lists
    # It used to take 14 seconds and 3 GB.
    assert time.perf_counter() - start < 5


def test_a_failed_direct_build_is_tried_once() -> None:
    value = nested(43, lambda value: (value,), ([True] * 2_000_000, {1.5: 1}))
    data = holdall.dumps(value, references=False)
    start = time.perf_counter()
    assert holdall.loads(data) == value
    # It used to try each tuple again, which took more than a second.
    assert time.perf_counter() - start < 5


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


def test_a_default_is_made_once_for_each_object() -> None:
    made: list[int] = []

    @dataclasses.dataclass
    class Defaulted:
        x: int
        y: list[int] = dataclasses.field(default_factory=lambda: made.append(1) or [])  # type: ignore[func-returns-value]

    holdall.register(Defaulted, name="Defaulted")
    older = [holdall.Record("Defaulted", x=number) for number in range(10)]
    # The last one must be emitted as events, because its keys are floats.
    for value in ([(each, {1.5: 2}) for each in older], [*older, {1.5: 2}]):
        data = holdall.dumps(value, references=False)
        made.clear()
        holdall.loads(data)
        assert len(made) == 10


def test_finalizers_run_only_for_complete_objects() -> None:
    ended: list[int] = []

    class Held:
        def __init__(self, number: int) -> None:
            self.number = number

        def __del__(self) -> None:
            ended.append(self.number)

    holdall.register(Held, name="Held")
    value = [(Held(number), {1.5: 2}) for number in range(3)]
    data = holdall.dumps(value, references=False)
    ended.clear()
    made = holdall.loads(data)
    assert not ended
    assert len(made) == 3


def test_code_runs_once_also_deep_inside() -> None:
    Deep, made = posted("Deep")  # noqa: N806 (a class)
    value = [nested(60, lambda value: [value], Deep(1)), Deep(2)]
    data = holdall.dumps(value, references=False)
    made.clear()
    assert holdall.loads(data) == value
    assert made == [1, 2]


@pytest.mark.parametrize("raised", [KeyboardInterrupt, ValueError])
def test_an_exception_raised_only_once_is_not_lost(raised: type[BaseException]) -> None:
    asked: list[str] = []

    def missing(name: str, _: Any) -> Any:
        asked.append(name)
        if len(asked) == 1:
            raise raised("once")
        return type(name, (), {})

    data = holdall.dumps([holdall.Record("Unknown", x=1)] * 3, references=False)
    with pytest.raises((raised, holdall.DecodeError)):
        holdall.loads(data, missing=missing)


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
