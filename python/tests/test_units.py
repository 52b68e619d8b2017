"""The memory and the time that objects take for each unit of the budget, kind by kind."""

from __future__ import annotations

import collections
import dataclasses
import re
import subprocess
import sys
from typing import Any, NamedTuple

import attrs
import holdall
import msgspec
import pydantic
import pytest
from conftest import ALL_ROUNDS
from holdall import Limits
from sample_values import EVERY, named
from samples import Reduced
from units import FACTOR, ROWS, TIME, check_units, is_enough

#: With what classes and types make beyond the rows, which has a budget of the same size.
WITH_BEYOND = 2 * FACTOR

#: The smallest rows of kinds that are not among the samples.
SMALLEST_ROWS: list[Any] = [
    {},
    (None,),
    [None],
    {"a": None},
    holdall.Record("x.Y"),
    holdall.Record("x.Y", a=None),
    holdall.Variant("V"),
    holdall.Extension("x.z"),
    holdall.Logical(0xE5),
]


#: Bytes that code of a sample's class makes for each object, for which no unit pays (SECURITY.md): a list in `__init__`.
BY_OWN_CODE = {Reduced: 56}


@pytest.mark.parametrize("value", named([*EVERY, *SMALLEST_ROWS])[:: 1 if ALL_ROUNDS else 3])
def test_memory_and_time_for_each_unit_are_bounded(value: Any) -> None:
    check_units(
        holdall.dumps([value] * ROWS, references=False), own=BY_OWN_CODE.get(type(value), 0)
    )


def hundred() -> list[int]:
    return [0] * 100


@dataclasses.dataclass
class Plain:
    a: list[int] = dataclasses.field(default_factory=list)
    b: list[int] = dataclasses.field(default_factory=hundred)


@dataclasses.dataclass(slots=True)
class Slots:
    a: int = 0
    b: list[int] = dataclasses.field(default_factory=hundred)


@dataclasses.dataclass
class Later:
    a: list[int] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.b = hundred()


@attrs.define
class Attrs:
    a: list[int] = attrs.field(factory=list)
    b: list[int] = attrs.field(default=attrs.Factory(lambda _: hundred(), takes_self=True))


class Struct(msgspec.Struct):
    a: list[int] = msgspec.field(default_factory=hundred)
    b: list[int] = []


class Model(pydantic.BaseModel):
    a: list[int] = []
    b: list[int] = pydantic.Field(default_factory=hundred)
    _c: list[int] = pydantic.PrivateAttr(default_factory=hundred)


class Pair(NamedTuple):
    a: int = 0
    b: int = 0


class One(msgspec.Struct, tag="one"):
    a: list[int] = msgspec.field(default_factory=hundred)


class Two(msgspec.Struct, tag="two"):
    pass


def wide(name: str, kind: Any, default: Any, slots: bool) -> Any:
    fields = [(f"f{at}", kind, default) for at in range(200)]
    made = dataclasses.make_dataclass(name, fields, slots=slots)
    made.__module__ = __name__
    return made


Row = collections.namedtuple("Row", [f"f{at}" for at in range(200)], defaults=[None] * 200)  # type: ignore[misc]

#: Objects of which the data have no field.
LACKING: list[Any] = [
    *(Plain, Slots, Later, Attrs, Struct, Model, Pair, Row),
    wide("Wide", Any, None, slots=False),
    wide("WideSlots", Any, None, slots=True),
    wide("Lists", list[int], dataclasses.field(default_factory=list), slots=False),
    wide("ListsInSlots", list[int], dataclasses.field(default_factory=list), slots=True),
]


@pytest.mark.parametrize("kind", LACKING, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("is_shared", [False, True], ids=["by_rows", "by_events"])
@pytest.mark.parametrize("is_named", [False, True], ids=["typed", "named"])
def test_fields_that_data_lack_are_charged(kind: Any, is_named: bool, is_shared: bool) -> None:
    name = f"{kind.__module__}.{kind.__qualname__}"
    rows = [holdall.Record(name) if is_named else {} for _ in range(ROWS)]

    def load(data: bytes, **options: Any) -> Any:
        if is_named:
            back = holdall.loads(data, types=[kind], **options)
        else:
            back = holdall.loads(data, dict[str, list[kind]], **options)
        assert type(back["rows"][0]) is kind
        return back["rows"]

    # Shared values are built from events.
    value = {"rows": rows, "again": rows} if is_shared else {"rows": rows}
    check_units(holdall.dumps(value, references=is_shared), load, factor=WITH_BEYOND)


#: What other rows become by a type.
TYPED: list[tuple[Any, Any]] = [
    *((value, collections.deque[Any]) for value in ([], [1], [[], []], collections.deque())),
    ([[], []], collections.deque[collections.deque[Any]]),
    *((value, set[int]) for value in ([], [1])),
    *((value, collections.OrderedDict[Any, Any]) for value in ({}, {"a": 1}, {1: 2})),
    *((value, collections.Counter[Any]) for value in ({}, {"a": 1}, {1: 2})),
    *((value, collections.defaultdict[Any, Any]) for value in ({}, {"a": 1}, {1: 2})),
    *((value, dict[Any, Any]) for value in (collections.OrderedDict(), collections.Counter())),
    (b"", memoryview),
    (b"", bytearray),
    ({1: {}, 2: {}}, dict[int, Model]),
    ({"type": "one"}, One | Two),
]


@pytest.mark.parametrize(("value", "kind"), TYPED, ids=repr)
def test_what_types_make_of_rows_is_charged(value: Any, kind: Any) -> None:
    def load(data: bytes, **options: Any) -> Any:
        return holdall.loads(data, list[kind], **options)

    check_units(holdall.dumps([value] * ROWS, references=False), load, factor=WITH_BEYOND)


def of_rows(data: bytes) -> int:
    """The least budget for the rows of a message."""
    low, high = 0, 1 << 20
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(data, middle, holdall.loads) else (middle, high)
    return high


@pytest.mark.parametrize(
    ("value", "kind"),
    [([], collections.deque[int]), ({}, Plain), ({}, Later), ({"type": "one"}, One | Two)],
    ids=repr,
)
def test_what_is_made_of_rows_beyond_the_budget_is_refused_with_its_path(
    value: Any, kind: Any
) -> None:
    data = holdall.dumps([value] * ROWS, references=False)
    budget = of_rows(data)
    with pytest.raises(holdall.LimitError) as caught:
        holdall.loads(data, list[kind], limits=Limits(budget=budget))
    fault = caught.value
    assert (fault.code, fault.offset) == ("limit_budget", None)
    assert re.fullmatch(r"\$\[\d+\]", fault.path or "")
    assert "are left of the budget" in str(fault)
    assert str(fault).count("limit_budget") == 1
    assert len(holdall.loads(data, list[kind], limits=Limits(budget=20 * budget))) == ROWS


class Point(pydantic.BaseModel):
    a: int = 0
    b: int = 0


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"a": 1}, Point),
        ({"a": 1}, collections.OrderedDict[str, int]),
        ({}, collections.Counter[str]),
        (b"", memoryview),
    ],
    ids=repr,
)
def test_rows_that_fill_the_budget_are_read_as_types_that_make_twice_as_much(
    value: Any, kind: Any
) -> None:
    data = holdall.dumps([value] * ROWS, references=False)
    back = holdall.loads(data, list[kind], limits=Limits(budget=of_rows(data)))
    assert len(back) == ROWS


@holdall.register
@dataclasses.dataclass
class Grid:
    size: int

    def __post_init__(self) -> None:
        self.cells = bytearray(self.size * self.size)


def test_objects_are_charged_by_the_small_ones_among_them_and_not_by_those_of_other_messages() -> (
    None
):
    large = [{"size": 3_000} for _ in range(16)]
    small = [{"size": n % 7} for n in range(300)]
    for rows in (large, small, small[:8] + large + small):
        data = holdall.dumps(rows)
        assert [grid.size for grid in holdall.loads(data, list[Grid])] == [
            row["size"] for row in rows
        ]


class Proxy:
    @property
    def __class__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no object yet")

    def __sizeof__(self) -> int:
        raise RuntimeError("no size")


@dataclasses.dataclass
class Holder:
    value: Any = dataclasses.field(default_factory=Proxy)


def test_measuring_runs_no_code_of_classes() -> None:
    data = holdall.dumps([{}] * 40, references=False)
    assert len(holdall.loads(data, list[Holder])) == 40
    assert len(holdall.loads(data, list[Holder | None])) == 40


#: What becomes the largest, of few bytes under the default budget: the message, and the objects in it.
LARGEST = {
    "empty sets in 13 bytes": ("C1 10 16 22 0A 00 16 00 F7 FF FF 03 00", 2**22 - 1),
    "records in 11 bytes": ("C1 10 16 19 04 61 00 F7 FF FF 07", 2**23 - 1),
    "deques in 22 bytes": (
        "C1 10 16 23 20 70 79 2E 64 65 71 75 65 18 04 16 00 01 FB FF FF 00",
        2**21 - 1,
    ),
}
#: What its rows do not pay for: refused after it has taken as much as they do.
BEYOND_ROWS = {
    "weak sets in 23 bytes": "C1 10 16 23 2C 70 79 2E 77 65 61 6B 5F 73 65 74 16 00 87 FF FF 03 00",
}
#: As many bytes, with one object more.
ONE_MORE = {
    "empty sets in 13 bytes": "C1 10 16 22 0A 00 16 00 07 00 00 04 00",
    "records in 11 bytes": "C1 10 16 19 04 61 00 07 00 00 08",
}
LOAD = """
import os, resource, sys, time
import holdall
data = bytes.fromhex(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
try:
    made = holdall.loads(data)
    count = len(made)
except holdall.LimitError as error:
    count = error.code
seconds = time.process_time() - start
taken = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
print(count, taken, seconds, flush=True)
# Freeing them takes as long again.
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the memory has other units")
@pytest.mark.skipif(not ALL_ROUNDS, reason="takes a GB or two of memory, and many seconds")
@pytest.mark.parametrize("name", [*LARGEST, *BEYOND_ROWS])
def test_a_few_bytes_become_the_memory_that_the_default_budget_allows(name: str) -> None:
    text, count = LARGEST[name] if name in LARGEST else (BEYOND_ROWS[name], "limit_budget")
    done = subprocess.run(
        [sys.executable, "-c", LOAD, text], capture_output=True, text=True, check=True
    )
    made, taken, seconds = done.stdout.split()
    assert made == str(count)
    assert int(taken) < FACTOR << 26
    assert float(seconds) < TIME * (1 << 26)


@pytest.mark.parametrize("name", ONE_MORE)
def test_more_objects_are_beyond_the_default_budget(name: str) -> None:
    data = bytes.fromhex(ONE_MORE[name])
    assert len(data) == len(bytes.fromhex(LARGEST[name][0]))
    with pytest.raises(holdall.LimitError) as caught:
        holdall.loads(data)
    assert caught.value.code == "limit_budget"
