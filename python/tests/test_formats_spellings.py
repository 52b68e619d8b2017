"""What values of other formats spell for types that these lack, and what they do not."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import fractions
import ipaddress
import json
import pathlib
import random
import re
import sys
import uuid
import zoneinfo
from typing import Any, Literal

import holdall
import pydantic
import pytest
from type_values import BERLIN, DAY, EXACT, MOMENT, TWO_HOURS, UTC, Bits, Colour, Level

T, C = datetime.datetime, datetime.time
#: An offset that RFC 3339 lacks.
ODD = datetime.timezone(datetime.timedelta(seconds=1))
#: A type, a value, and what JSON has for it.
TEXTS: list[tuple[Any, Any, str]] = [
    *((Colour, Colour.RED, '"RED"'), (Colour, Colour.A, '"A"'), (Bits, Bits(3), "3")),
    (datetime.date, DAY, '"2020-01-02"'),
    (datetime.time, datetime.time(1, 2, 3, 4), '"01:02:03.000004"'),
    (datetime.time, datetime.time(1, tzinfo=BERLIN), '["01:00:00","Europe/Berlin",0]'),
    (datetime.timedelta, datetime.timedelta(0, 1, 5), "1000005"),
    (datetime.datetime, EXACT, '"2020-01-02T03:04:05.000006"'),
    (datetime.datetime, EXACT.replace(tzinfo=UTC), '"2020-01-02T03:04:05.000006Z"'),
    (datetime.datetime, EXACT.replace(tzinfo=TWO_HOURS), '"2020-01-02T03:04:05.000006+02:00"'),
    (datetime.datetime, EXACT.replace(tzinfo=ODD), "[1577934244000006,1]"),
    (datetime.datetime, EXACT.replace(tzinfo=BERLIN), '[1577930645000006,"Europe/Berlin"]'),
    (datetime.timezone, TWO_HOURS, "[7200000000,null]"),
    (decimal.Decimal, decimal.Decimal("-1.50"), "[1,150,-2]"),
    *((fractions.Fraction, fractions.Fraction(1, 3), "[1,3]"), (complex, 1 + 2j, "[1.0,2.0]")),
    *((pathlib.PurePosixPath, pathlib.PurePosixPath("/a"), '"/a"'), (range, range(3), "[0,3,1]")),
    (re.Pattern[str], re.compile("a", re.IGNORECASE), '["a","i"]'),
    (collections.deque[int], collections.deque([1], 3), "[[1],3]"),
    (collections.defaultdict[str, int], collections.defaultdict(int, a=1), '["int",{"a":1}]'),
]


@pytest.mark.parametrize(("tp", "value", "text"), TEXTS)
def test_json_spells_a_value_by_its_storage(tp: Any, value: Any, text: str) -> None:
    assert holdall.dumps([value], format="json", storage=True).decode() == f"[{text}]"
    back = holdall.loads(f"[{text}]".encode(), list[tp], format="json")
    assert (back, repr(back)) == ([value], repr([value]))


ZONED = [UTC, TWO_HOURS, ODD, BERLIN, None, datetime.timezone(datetime.timedelta(0, -60))]
#: What earlier versions wrote for dates and times.
NUMBERS: list[tuple[Any, Any, str]] = [
    (datetime.date, DAY, "18263"),
    (datetime.time, datetime.time(1, 2, 3, 4), "3723000004"),
    (datetime.time, datetime.time(1, tzinfo=BERLIN), '[3600000000,"Europe/Berlin",0]'),
    (datetime.datetime, EXACT.replace(tzinfo=TWO_HOURS), "[1577927045000006,7200]"),
]


@pytest.mark.parametrize(("tp", "value", "text"), NUMBERS)
def test_json_also_spells_a_date_or_time_by_its_number(tp: Any, value: Any, text: str) -> None:
    back = holdall.loads(f"[{text}]".encode(), list[tp], format="json")
    assert (back, repr(back)) == ([value], repr([value]))


def random_time(random_of: random.Random, tz: datetime.tzinfo | None) -> datetime.datetime:
    """A time in a zone, with any number of digits after the seconds."""
    digits = random_of.choice([1, 10**3, 10**6])
    since = datetime.timedelta(0, random_of.randrange(10**11), random_of.randrange(digits))
    time = datetime.datetime(1, 1, 3) + since
    return time if tz is None else time.replace(tzinfo=UTC).astimezone(tz)


@pytest.mark.parametrize("name", ["json", "ndjson", "csv"])
def test_times_come_back_from_formats_of_text_at_every_place(name: str) -> None:
    random_of = random.Random(7)
    edges = [tz_of(edge, tz) for edge in (T.min, T.max) for tz in (None, UTC, TWO_HOURS, ODD)]
    times = [*edges, *(random_time(random_of, tz) for tz in ZONED for _ in range(40))]
    cls: Any = dataclasses.make_dataclass("Times", [("one", T), ("maybe", T | None)])
    for time in times:
        row = cls(time, None if time.second % 2 else time)
        is_list = name == "csv" and time.tzinfo in (BERLIN, ODD)
        if is_list:
            with pytest.raises(holdall.EncodeError):
                holdall.dumps([row], format=name, storage=True, copies=True)
            continue
        data = holdall.dumps([row], format=name, storage=True, copies=True)
        back = holdall.loads(data, list[cls], format=name)
        assert (back, repr(back)) == ([row], repr([row]))
    if name == "csv":
        return
    keys = [time for time in times if time.tzinfo not in (BERLIN, ODD)]
    value = [{"many": times, "named": dict.fromkeys("ab", times[-1])}]
    for written, tp in [
        (value, list[dict[str, list[T] | dict[str, T]]]),
        ([dict(zip(keys, keys, strict=True))], list[dict[T, T]]),
        ([{time.date(): [time.time()] for time in keys}], list[dict[datetime.date, list[C]]]),
    ]:
        data = holdall.dumps(written, format=name, storage=True, copies=True)
        back = holdall.loads(data, tp, format=name)
        assert (back, repr(back)) == (written, repr(written))


def tz_of(time: datetime.datetime, tz: datetime.tzinfo | None) -> datetime.datetime:
    return time.replace(tzinfo=tz)


#: A format, a type, a value, and its bytes.
BYTES: list[tuple[str, Any, Any, str]] = [
    ("msgpack", Colour, Colour.RED, "91 a3 52 45 44"),
    ("msgpack", datetime.datetime, datetime.datetime(1970, 1, 1, 0, 0, 1), "91 ce 00 0f 42 40"),
    ("msgpack", datetime.datetime, datetime.datetime.fromtimestamp(1, UTC), "91 d6 ff 00 00 00 01"),
    ("msgpack", uuid.UUID, uuid.UUID(int=1), "91 c4 10" + " 00" * 15 + " 01"),
    ("cbor", datetime.date, DAY, "81 d8 64 19 47 57"),
    ("cbor", datetime.datetime, datetime.datetime(1970, 1, 1, 0, 0, 1), "81 1a 00 0f 42 40"),
    ("cbor", datetime.datetime, datetime.datetime.fromtimestamp(1, UTC), "81 c1 01"),
    (
        "cbor",
        datetime.datetime,
        datetime.datetime.fromtimestamp(0.5, UTC),
        "81 c0 76 " + b"1970-01-01T00:00:00.5Z".hex(" "),
    ),
    ("cbor", decimal.Decimal, decimal.Decimal("-1.50"), "81 c4 82 21 38 95"),
    ("cbor", fractions.Fraction, fractions.Fraction(1, 3), "81 d8 1e 82 01 03"),
    ("dlhn", Colour, Colour.RED, "14 12 01 03 52 45 44"),
    ("dlhn", datetime.date, DAY, "14 19 01 28 01"),
    ("dlhn", datetime.timedelta, datetime.timedelta(0, 0, 5), "14 10 01 01 05"),
    ("dlhn", complex, 0j, "14 15 02 0e 0e 01" + " 00" * 16),
]


@pytest.mark.parametrize(("name", "tp", "value", "data"), BYTES)
def test_formats_of_bytes_spell_a_value_by_its_storage_or_their_own_type(
    name: str, tp: Any, value: Any, data: str
) -> None:
    assert holdall.dumps([value], format=name, storage=True).hex(" ") == data
    back = holdall.loads(bytes.fromhex(data), list[tp], format=name)
    assert (back, repr(back)) == ([value], repr([value]))


#: A type, what other programs write for a value, and the value.
OTHERS: list[tuple[Any, Any, Any]] = [
    *((datetime.date, "2020-01-02", DAY), (datetime.time, "01:02:03", datetime.time(1, 2, 3))),
    (datetime.time, "01:02:03+02:00", datetime.time(1, 2, 3, tzinfo=TWO_HOURS)),
    (datetime.datetime, "2020-01-02T03:04:05", MOMENT),
    (datetime.datetime, "2020-01-02T03:04:05Z", MOMENT.replace(tzinfo=UTC)),
    (datetime.datetime, "2020-01-02 03:04:05.000006+02:00", EXACT.replace(tzinfo=TWO_HOURS)),
    (uuid.UUID, str(uuid.UUID(int=0xAB)), uuid.UUID(int=0xAB)),
    (uuid.UUID, str(uuid.UUID(int=0xAB)).upper(), uuid.UUID(int=0xAB)),
    *((decimal.Decimal, 7, decimal.Decimal(7)), (decimal.Decimal, 0.1, decimal.Decimal("0.1"))),
    (decimal.Decimal, -1e300, decimal.Decimal("-1e+300")),
    (decimal.Decimal, "9.50", decimal.Decimal("9.50")),
    (
        datetime.datetime,
        "2020-01-02T03:04:05.120000000",
        datetime.datetime(2020, 1, 2, 3, 4, 5, 120_000),
    ),
    (ipaddress.IPv4Address, "1.2.3.4", ipaddress.IPv4Address("1.2.3.4")),
    (ipaddress.IPv6Network, "::/8", ipaddress.IPv6Network("::/8")),
    *((Colour, "b", Colour.BLUE), (Colour, 1, Colour.RED), (Level, 2, Level.HIGH)),
    *((Literal[Colour.RED], 1, Colour.RED), (Literal[Level.HIGH, "x"], 2, Level.HIGH)),
    (Literal[Colour.RED, Colour.BLUE], "b", Colour.BLUE),
    # The name of one member, and the value of another.
    *((Literal[Colour.A], "A", Colour.A), (Literal[Colour.B], "A", Colour.B)),
    *(
        (str | Colour, "RED", "RED"),
        (int | datetime.date, 5, 5),
        (list[int] | complex, [1, 2], [1, 2]),
    ),
    (collections.deque[int], [1, 2], collections.deque([1, 2])),
    (collections.deque[list[int]], [[1], [2]], collections.deque([[1], [2]])),
    (float, 1, 1.0),
]


@pytest.mark.parametrize("name", ["json", "ndjson", "msgpack", "cbor", "bson", "dlhn"])
@pytest.mark.parametrize(("tp", "plain", "value"), OTHERS)
def test_what_other_programs_write_is_read_by_type(
    tp: Any, plain: Any, value: Any, name: str
) -> None:
    data, asked = of_field(name, tp, plain)
    back = holdall.loads(data, asked, format=name)
    made = (back[0] if name == "ndjson" else back).a
    assert (made, type(made)) == (value, type(value))


def of_field(name: str, tp: Any, plain: Any) -> tuple[bytes, Any]:
    """Data with a plain value in a field `a`, and a class that asks for a type there."""
    written = dataclasses.make_dataclass("Field", [("a", Any)])(plain)
    data = holdall.dumps([written] if name == "ndjson" else written, format=name)
    asked = dataclasses.make_dataclass("Field", [("a", tp)])
    return data, list[asked] if name == "ndjson" else asked  # type: ignore[valid-type]


ALL = "json ndjson msgpack cbor bson dlhn"
#: Formats, a type, and plain values that it does not take, with the path inside the field.
REFUSED: list[tuple[str, Any, list[Any], str]] = [
    (ALL, int, ["12", 1.0, True], ""),
    (ALL, str, [12, 1.5], ""),
    (ALL, float, ["1.5"], ""),
    (ALL, bool, [1, "true"], ""),
    (ALL, Colour, ["GREEN", 5, "red"], ""),
    (ALL, Level, [True, 1.0, "1"], ""),
    (ALL, Literal[Colour.RED], ["BLUE", "b", True], ""),
    (ALL, Literal[Level.LOW, "x"], ["HIGH", 2, True, 1.0], ""),
    (ALL, datetime.date, [1.5, True, "2020-13-01", "20200102", "x", "", 10**9], ""),
    (ALL, datetime.time, [86_400_000_000, -1, "030405", 1.5, (0, "No/Zone", 0), (0, None, 2)], ""),
    (ALL, datetime.timedelta, ["1", 1.5], ""),
    (ALL, datetime.datetime, [1.5, True, "20200102", "x", (1, "No/Zone"), [1, 86_400], [1]], ""),
    ("json ndjson", datetime.datetime, [0, 1_577_934_245], ""),
    ("msgpack cbor bson dlhn", datetime.datetime, [2**62], ""),
    (ALL, decimal.Decimal, ["+1.5", "1_5", True, [8, 1, 0], [0, -1, 0], [0, 1]], ""),
    # Digits that Python's times would cut off, a date, and more items than the maximum.
    (ALL, datetime.datetime, ["2020-01-02T03:04:05.1234567Z", "2020-01-02"], ""),
    (ALL, datetime.time, ["03:04:05.000000001"], ""),
    (ALL, collections.deque[int], [([1, 2], 1)], "[0]"),
    (ALL, fractions.Fraction, ["1/3", 1, [1, 0], (1, 1.0)], ""),
    (ALL, complex, [1.5, [1], ("1", 2)], ""),
    (ALL, uuid.UUID, [uuid.UUID(int=1).hex, f"{{{uuid.UUID(int=1)}}}", 1], ""),
    (ALL, ipaddress.IPv4Address, ["1.2.3", 1], ""),
    (ALL, pathlib.PurePosixPath, [1], ""),
    (ALL, range, [[1, 2], [0, 1, 0], (0, 1, 1.0)], ""),
    (ALL, re.Pattern[str], [["(", ""], ["a", "q"], "a"], ""),
    (ALL, zoneinfo.ZoneInfo, ["x", 1], ""),
    (ALL, collections.defaultdict[str, int], [("own", {"a": 1})], ""),
    (ALL, set[int], [["1"]], "[0]"),
    (ALL, list[datetime.date], [["x"]], "[0]"),
    ("json ndjson msgpack cbor bson", dict[str, Colour], [{"k": "GREEN"}], ".k"),
    (ALL, collections.deque[int], [(["1"], None)], "[0][0]"),
    # These formats have types of their own for what others store.
    ("cbor dlhn", datetime.date, [5], ""),
    ("cbor dlhn", decimal.Decimal, [[0, 1, 0]], ""),
    ("cbor", fractions.Fraction, [[1, 3]], ""),
    ("cbor bson", uuid.UUID, [bytes(16)], ""),
    ("cbor", ipaddress.IPv4Address, [bytes(4)], ""),
    ("msgpack dlhn", uuid.UUID, [bytes(15)], ""),
]


@pytest.mark.parametrize(("names", "tp", "values", "path"), REFUSED)
def test_what_a_format_does_not_spell_is_refused_at_its_path(
    names: str, tp: Any, values: list[Any], path: str
) -> None:
    for name in names.split():
        root = "$[0]" if name == "ndjson" else "$"
        for value in values:
            data, asked = of_field(name, tp, value)
            with pytest.raises(holdall.SchemaError, match="expected .*, got ") as caught:
                holdall.loads(data, asked, format=name)
            assert (caught.value.code, caught.value.path) == ("unconvertible", f"{root}.a{path}")


def test_the_error_about_a_number_in_place_of_a_datetime_says_what_to_write() -> None:
    with pytest.raises(holdall.SchemaError, match=r"got int 5; a number .*value\.isoformat\(\)$"):
        holdall.loads(b"[5]", list[datetime.datetime], format="json")


@pytest.mark.parametrize("tp", [decimal.Decimal, re.Pattern[str]])
def test_limits_of_messages_hold_for_what_a_value_spells(tp: Any) -> None:
    plain = 1 << 600_000 if tp is decimal.Decimal else ("a" * 70_000, "")
    with pytest.raises(holdall.LimitError) as caught:
        holdall.loads(holdall.dumps([plain], format="cbor"), list[tp], format="cbor")
    assert caught.value.code == "limit_budget"


@pytest.mark.parametrize(
    ("tp", "value"),
    [
        (datetime.timedelta | datetime.date, 18263),
        (datetime.time | datetime.timedelta, 1_000_000),
        (range | decimal.Decimal, [0, 15, -1]),
        (complex | fractions.Fraction, [1, 2]),
    ],
    ids=str,
)
def test_a_value_that_spells_two_types_of_a_union_is_refused(tp: Any, value: Any) -> None:
    with pytest.raises(holdall.SchemaError, match="expected .*, got ") as caught:
        holdall.loads(json.dumps([value]).encode(), list[tp], format="json")
    assert (caught.value.code, caught.value.path) == ("unconvertible", "$[0]")


def test_a_text_is_the_one_type_of_a_union_that_it_spells() -> None:
    tp = list[datetime.datetime | datetime.date | uuid.UUID]
    data = [DAY, datetime.datetime(2020, 1, 2, 3), uuid.UUID(int=1)]
    assert holdall.loads(json.dumps(data, default=str).encode(), tp, format="json") == data


@pytest.mark.parametrize(
    ("tp", "keys"),
    [
        (dict[Colour, int], ["BLUE", "b"]),
        (dict[datetime.date, int], ["2020-01-02", "2020-W01-4"]),
        (collections.OrderedDict[ipaddress.IPv6Address, int], ["::1", "0:0:0:0:0:0:0:1"]),
        (collections.defaultdict[pathlib.PurePosixPath, int], ["/a", "/a/"]),
    ],
    ids=str,
)
def test_keys_that_become_equal_are_refused(tp: Any, keys: list[str]) -> None:
    with pytest.raises(holdall.DecodeError, match="two keys are equal") as caught:
        holdall.loads(json.dumps([dict.fromkeys(keys, 1)]).encode(), list[tp], format="json")
    assert (caught.value.code, caught.value.path) == ("unrepresentable", "$[0]")


#: A format, data of a value that Python's type cannot hold, a type, and the path and text of the error.
BEYOND: list[tuple[str, str, Any, str, str]] = [
    ("cbor", "82 01 c4 82 1b 0d e0 b6 b3 a7 64 00 00 05", None, "$[1]", "decimal"),
    ("cbor", "81 c4 82 1b 0d e0 b6 b3 a7 64 00 00 05", list[decimal.Decimal], "$[0]", "decimal"),
    ("cbor", "81 c4 82 1b 0d e0 b6 b3 a7 63 ff ff 18 63", None, "$[0]", "decimal"),
    ("cbor", "81 c4 82 3b 1b c1 6d 67 4e c7 ff fd 05", None, "$[0]", "decimal"),
    ("cbor", "81 c4 82 3b 7f ff ff ff ff ff ff ff c2 49 01" + " 00" * 8, None, "$[0]", "decimal"),
    ("cbor", "81 d8 64 1a 7f ff ff ff", None, "$[0]", "date"),
    ("cbor", "a1 61 61 c1 1b 7f ff ff ff ff ff ff ff", None, "$.a", "timestamp"),
]


@pytest.mark.parametrize(("name", "data", "tp", "path", "what"), BEYOND)
def test_a_value_that_the_type_of_python_cannot_hold_is_an_error_with_its_path(
    name: str, data: str, tp: Any, path: str, what: str
) -> None:
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.loads(bytes.fromhex(data), tp, format=name)
    assert (caught.value.code, caught.value.path) == ("unrepresentable", path)
    assert str(caught.value) == (
        f"unrepresentable in {path}: the data has a {what} that Python's type cannot hold"
    )


def test_decimals_with_the_largest_exponents_of_python_are_read() -> None:
    for text, data in [
        ("5E+999999999999999999", "c4 82 1b 0d e0 b6 b3 a7 63 ff ff 05"),
        ("99E+999999999999999998", "c4 82 1b 0d e0 b6 b3 a7 63 ff fe 18 63"),
        ("5E-1999999999999999997", "c4 82 3b 1b c1 6d 67 4e c7 ff fc 05"),
    ]:
        back = holdall.loads(bytes.fromhex(data), format="cbor")
        assert (back, str(back)) == (decimal.Decimal(text), str(decimal.Decimal(text)))


#: A format, a type, a value that it stores by keys or members without a hash, and the path of the first.
UNHASHABLE: list[tuple[str, Any, str, str]] = [
    ("msgpack", None, "81 91 01 02", "$[0].key"),
    ("msgpack", dict[Any, int], "82 01 02 91 01 02", "$[1].key"),
    (
        "msgpack",
        collections.deque[dict[tuple[int, int], int]],
        "92 91 81 92 01 02 03 c0",
        "$[0][0][0].key",
    ),
    (
        "msgpack",
        collections.deque[dict[decimal.Decimal, int]],
        "92 91 81 93 00 0f ff 03 c0",
        "$[0][0][0].key",
    ),
    ("cbor", None, "81 a1 81 01 02", "$[0][0].key"),
    ("cbor", None, "d9 01 02 82 01 81 01", "$[1]"),
    ("cbor", None, "a1 61 61 d9 01 02 81 a0", "$.a[0]"),
]


@pytest.mark.parametrize(("name", "tp", "data", "path"), UNHASHABLE)
def test_a_key_without_a_hash_is_an_error_with_its_path(
    name: str, tp: Any, data: str, path: str
) -> None:
    with pytest.raises(
        holdall.DecodeError, match="that have a hash in Python, got one without: "
    ) as caught:
        holdall.loads(bytes.fromhex(data), tp, format=name)
    assert (caught.value.code, caught.value.path) == ("unrepresentable", path)


@pytest.mark.parametrize("text", ["1e999999999", "1e-999999999", "1" * 5000])
def test_fractions_of_many_digits_are_refused(text: str) -> None:
    tp = list[fractions.Fraction]
    with pytest.raises(holdall.SchemaError):
        holdall.loads(json.dumps([text]).encode(), tp, format="json", strict=False)


def test_messages_of_holdall_are_spelled_by_their_own_types_alone() -> None:
    for tp, plain in [
        (Colour, "RED"),
        (datetime.date, 5),
        (datetime.datetime, "2020-01-02T03:04:05"),
        (decimal.Decimal, 5),
        (uuid.UUID, str(uuid.UUID(int=1))),
        (complex, [1.0, 2.0]),
    ]:
        with pytest.raises(holdall.SchemaError):
            holdall.loads(holdall.dumps([plain]), list[tp])  # type: ignore[valid-type]


class Model(pydantic.BaseModel):
    colour: Colour
    day: datetime.date | None
    price: decimal.Decimal
    number: int
    tags: list[int]


def test_a_model_gets_what_a_field_spells_and_converts_the_rest_itself() -> None:
    model = Model(colour=Colour.A, day=DAY, price=decimal.Decimal("1.50"), number=7, tags=[1])
    for name in ("json", "msgpack", "cbor", "bson", "dlhn"):
        data = holdall.dumps(model, format=name, storage=True)
        assert holdall.loads(data, Model, format=name) == model
    text = b'{"colour":"RED","day":null,"price":"1.5","number":"7","tags":["1"]}'
    back = holdall.loads(text, Model, format="json")
    assert (back.price, back.number, back.tags) == (decimal.Decimal("1.5"), 7, [1])
    with pytest.raises(holdall.DecodeError, match="valid integer") as caught:
        holdall.loads(text.replace(b'"7"', b'"x"'), Model, format="json")
    assert caught.value.code == "custom"


class Unchanged:
    def encode(self, obj: Any) -> Any:
        return obj


@pytest.mark.usefixtures("own_formats")
def test_a_format_that_extends_another_spells_as_that_does() -> None:
    holdall.register_format("texts", extends="json", actions=Unchanged)
    holdall.register_format("tags", extends="cbor", actions=Unchanged)
    for name in ("texts", "tags"):
        data = holdall.dumps([Colour.A], format=name, storage=True)
        assert holdall.loads(data, list[Colour], format=name) == [Colour.A]
    assert holdall.loads(b"[18263]", list[datetime.date], format="texts") == [DAY]


def test_equal_points_in_time_are_one_key() -> None:
    texts = ("1970-01-01T01:00:00+01:00", "1970-01-01T00:00:00Z")
    keys = [b"\xc0\x78" + bytes([len(text)]) + text.encode() for text in texts]
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.loads(b"\xa2" + keys[0] + b"\x01" + keys[1] + b"\x02", format="cbor")
    assert caught.value.code == "duplicate_key"


@pytest.mark.parametrize("name", ["json", "ndjson", "cbor"])
def test_a_length_of_a_deque_that_none_can_have_is_an_item(name: str) -> None:
    deque = collections.deque
    for most in (1 << 70, 1 << 63):
        data = holdall.dumps([[], most], format=name)
        with pytest.raises(holdall.SchemaError) as caught:
            holdall.loads(data, deque[int], format=name)
        assert (caught.value.code, caught.value.path) == ("unconvertible", "$[0]")
        back = holdall.loads(data, deque[list[int] | int], format=name)
        assert back == deque([[], most])
    data = holdall.dumps([[], sys.maxsize], format=name)
    assert holdall.loads(data, deque[int], format=name).maxlen == sys.maxsize


@pytest.mark.parametrize("tp", [str, datetime.date, uuid.UUID, Colour, Literal["a"], list[int]])
def test_an_int_of_more_digits_than_python_writes_is_unconvertible(tp: Any) -> None:
    for number in (1 << 20_000, -(1 << 20_000), 1 << 200):
        for name in ("holdall", "json"):
            with pytest.raises(holdall.SchemaError) as caught:
                holdall.loads(holdall.dumps([number], format=name), list[tp], format=name)
            assert (caught.value.code, caught.value.path) == ("unconvertible", "$[0]")
            assert str(caught.value).endswith(", got int")
