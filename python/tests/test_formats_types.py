"""Types that a format lacks are read back by the type."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import fractions
import pathlib
import random
from typing import Any

import holdall
import pytest
from conftest import ALL_ROUNDS
from type_values import TWO_HOURS, TYPES, UTC, Bits, Colour

#: The types that a format has no values for, even with `storage=True`; of some, only large values.
OF_BYTES = {"`bytes`", "`bytearray`"}
IN_PARTS = {
    *("`time` with a zone", "`datetime` with another zone", "`timezone`", "`Decimal`"),
    *("`Decimal` of -0, infinity or NaN", "`Fraction`", "`complex`", "`set`", "`frozenset`"),
    *("`tuple`", "`OrderedDict`", "`Counter`", "`range`", "`slice`", "`Pattern`", "`deque`"),
    *("`defaultdict`", "`ChainMap`", "IP addresses of version 6"),
}
UNWRITTEN = {
    "json": OF_BYTES,
    "ndjson": OF_BYTES,
    "csv": OF_BYTES | IN_PARTS,
    "msgpack": {"`int` beyond 64 bits", "`timedelta`"},
    "cbor": {"`Decimal` of -0, infinity or NaN"},
    "bson": {"`int` beyond 64 bits", "`timedelta`", "`datetime` in UTC with microseconds"},
    "dlhn": {"`Decimal` of -0, infinity or NaN"},
}


def box(tp: Any) -> Any:
    """A class with a field of a type, and fields of containers and options of it."""
    fields = [("one", tp), ("many", list[tp]), ("named", dict[str, tp]), ("maybe", tp | None)]
    return dataclasses.make_dataclass("Box", [*fields, ("none", tp | None)])


def flat(tp: Any) -> Any:
    return dataclasses.make_dataclass("Flat", [("one", tp), ("maybe", tp | None)])


def boxed(name: str, tp: Any, values: list[Any]) -> tuple[Any, list[Any]]:
    """The type and values for a format: rows of cells for CSV, documents for BSON."""
    if name == "csv":
        cls = flat(tp)
        return list[cls], [[cls(value, None), cls(value, value)] for value in values]
    cls = box(tp)
    boxes = [cls(value, [value, value], {"a": value}, value, None) for value in values]
    return (list[cls], [[each] for each in boxes]) if name == "ndjson" else (cls, boxes)


def outcome(name: str, label: str) -> str:
    """The result for the values of a type: "read" or "unwritten"."""
    tp, values = TYPES[label]
    asked, objects = boxed(name, tp, values)
    found = set()
    for value in objects:
        try:
            data = holdall.dumps(value, format=name, storage=True, copies=True)
        except holdall.EncodeError as error:
            assert error.code == "unrepresentable"
            found.add("unwritten")
            continue
        back = holdall.loads(data, asked, format=name)
        assert (back, repr(back)) == (value, repr(value))
        found.add("read")
    return " ".join(sorted(found))


@pytest.mark.parametrize("name", UNWRITTEN)
@pytest.mark.parametrize("label", TYPES)
def test_what_dumps_wrote_is_read_by_type(label: str, name: str) -> None:
    found = outcome(name, label)
    if label in UNWRITTEN[name]:
        assert "unwritten" in found
    else:
        assert found == "read"


def test_types_that_formats_have_no_values_for_are_those_of_the_table() -> None:
    assert set().union(*UNWRITTEN.values()) <= set(TYPES)


#: A type, and a function that makes a random value of it.
RANDOM: list[tuple[Any, Any]] = [
    (Colour, lambda r: r.choice(list(Colour))),
    (Bits, lambda r: Bits(r.randrange(4))),
    (datetime.date, lambda r: datetime.date.fromordinal(r.randrange(1, 3_652_060))),
    (
        datetime.time,
        lambda r: datetime.time(
            *(r.randrange(24), r.randrange(60), r.randrange(60)), r.randrange(10**6)
        ),
    ),
    (datetime.timedelta, lambda r: datetime.timedelta(0, 0, r.randrange(-(10**17), 10**17))),
    (
        datetime.datetime,
        lambda r: (
            datetime.datetime(1970, 1, 1, tzinfo=UTC)
            + datetime.timedelta(0, 0, r.randrange(-(10**16), 10**16))
        ).astimezone(TWO_HOURS),
    ),
    (
        decimal.Decimal,
        lambda r: decimal.Decimal(r.randrange(-(10**17), 10**17)).scaleb(r.randrange(-99, 99)),
    ),
    (fractions.Fraction, lambda r: fractions.Fraction(r.randrange(-99, 99), r.randrange(1, 99))),
    (complex, lambda r: complex(r.gauss(), r.gauss())),
    (pathlib.PurePosixPath, lambda r: pathlib.PurePosixPath("/", *r.choices("abc.7", k=3))),
    (range, lambda r: range(r.randrange(99), r.randrange(99), r.choice([-2, -1, 1, 3]))),
    (
        collections.deque[int],
        lambda r: collections.deque(r.choices(range(9), k=3), r.choice([None, 5])),
    ),
    (
        set[datetime.date],
        lambda r: {datetime.date.fromordinal(r.randrange(1, 99)) for _ in range(3)},
    ),
    (tuple[Colour, float], lambda r: (r.choice(list(Colour)), r.gauss())),
]


@pytest.mark.parametrize("name", ["json", "ndjson", "msgpack", "cbor", "bson", "dlhn"])
def test_random_objects_come_back_by_their_class(name: str) -> None:
    random_of = random.Random(7)
    for _ in range(1000 if ALL_ROUNDS else 50):
        chosen = random_of.choices(RANDOM, k=5)
        fields: list[Any] = []
        values: list[Any] = []
        for number, (tp, make) in enumerate(chosen):
            fields.append((f"f{number}", random_of.choice([tp, tp | None])))
            values.append(make(random_of))
            fields.append((f"l{number}", list[tp]))
            values.append([make(random_of) for _ in range(random_of.randrange(4))])
        value: Any = dataclasses.make_dataclass("Random", fields)(*values)
        asked: Any = type(value)
        if name == "ndjson":
            value, asked = [value], list[asked]
        data = holdall.dumps(value, format=name, storage=True, copies=True)
        assert holdall.loads(data, asked, format=name) == value
