"""Other formats, by `format=`: their bytes, the values that come back, and what is refused."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import fractions
import io
import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import holdall
import msgspec
import numpy
import pytest
from holdall._impl import _formats


@dataclasses.dataclass
class Point:
    x: int
    y: float
    tags: list[str]


VALUE = {"a": [1, 2.5, None, "x"], "b": {"c": True}}
POINTS = [Point(1, 2.0, ["a"]), Point(3, 4.5, [])]

#: The bytes of a value in each format that can hold it.
BYTES = [
    ("json", VALUE, b'{"a":[1,2.5,null,"x"],"b":{"c":true}}'),
    ("msgpack", VALUE, bytes.fromhex("82 a161 94 01 cb4004000000000000 c0 a178 a162 81 a163 c3")),
    ("cbor", VALUE, bytes.fromhex("a2 6161 84 01 fb4004000000000000 f6 6178 6162 a1 6163 f5")),
    (
        "bson",
        VALUE,
        bytes.fromhex(
            "37000000 046100 23000000 103000 01000000 013100 0000000000000440 0a3200 023300 02000000 7800 00"
            "036200 09000000 086300 01 00 00"
        ),
    ),
    ("ndjson", [{"n": 1}, {"n": 2}], b'{"n":1}\n{"n":2}\n'),
    ("csv", [{"n": "1", "m": "a"}, {"n": "2", "m": "b"}], b"n,m\n1,a\n2,b\n"),
    ("dlhn", [True, False], bytes.fromhex("14 02 02 01 00")),
]


@pytest.fixture(autouse=True)
def _own_formats() -> Iterator[None]:
    kept = dict(_formats._registered)
    yield
    _formats._registered.clear()
    _formats._registered.update(kept)


@pytest.mark.parametrize(("name", "value", "data"), BYTES)
def test_values_have_the_bytes_of_the_format(name: str, value: Any, data: bytes) -> None:
    assert holdall.dumps(value, format=name) == data
    assert holdall.loads(data, format=name) == value


def test_other_libraries_read_and_write_the_same() -> None:
    assert json.loads(holdall.dumps(VALUE, format="json")) == VALUE
    assert msgspec.msgpack.decode(holdall.dumps(VALUE, format="msgpack")) == VALUE
    assert holdall.loads(msgspec.msgpack.encode(VALUE), format="msgpack") == VALUE


@pytest.mark.parametrize("name", ["json", "ndjson", "msgpack", "cbor", "dlhn"])
def test_objects_come_back_as_their_type(name: str) -> None:
    data = holdall.dumps(POINTS, format=name)
    assert holdall.loads(data, list[Point], format=name) == POINTS


def test_files_have_formats(tmp_path: Path) -> None:
    holdall.dump(VALUE, tmp_path / "value.json", format="json")
    assert json.loads((tmp_path / "value.json").read_text()) == VALUE
    assert holdall.load(tmp_path / "value.json", format="json") == VALUE
    file = io.BytesIO()
    holdall.dump(VALUE, file, format="cbor")
    assert holdall.loads(file.getvalue(), format="cbor") == VALUE


def test_cells_of_csv_are_text_unless_numbers_are_asked_for() -> None:
    assert holdall.loads(b"n,m\n1,\n", format="csv") == [{"n": "1", "m": ""}]
    assert holdall.loads(b"n,m\n1,\n", format="csv", infer=True) == [{"n": 1, "m": None}]


def test_what_a_format_lacks_is_refused_or_written_as_its_storage() -> None:
    with pytest.raises(
        holdall.EncodeError, match=r"unrepresentable in \$\.a.*; storage=True writes what stores it"
    ) as caught:
        holdall.dumps({"a": {1, 2}}, format="json")
    assert caught.value.code == "unrepresentable"
    assert holdall.dumps({"a": {1, 2}}, format="json", storage=True) == b'{"a":[1,2]}'


def test_shared_objects_are_refused_or_copied_and_cycles_are_refused() -> None:
    shared = [1]
    with pytest.raises(
        holdall.EncodeError, match="from several places; copies=True writes it once for each place"
    ):
        holdall.dumps([shared, shared], format="json")
    assert holdall.dumps([shared, shared], format="json", copies=True) == b"[[1],[1]]"
    cycle: list[Any] = []
    cycle.append(cycle)
    for copies in (False, True):
        with pytest.raises(holdall.EncodeError):
            holdall.dumps(cycle, format="json", copies=copies)


@pytest.mark.parametrize(
    ("name", "data", "code", "offset"),
    [
        ("json", b"[1,", "bad_input", 3),
        ("msgpack", b"\x93\x01\x02", "bad_input", 0),
        ("cbor", b"\x82\x01", "bad_input", 0),
    ],
)
def test_faults_of_the_bytes_have_a_code_and_an_offset(
    name: str, data: bytes, code: str, offset: int
) -> None:
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.loads(data, format=name)
    assert (caught.value.code, caught.value.offset) == (code, offset)


def test_mistakes_say_what_there_is() -> None:
    known = "bson, cbor, csv, dlhn, holdall, json, msgpack, ndjson"
    with pytest.raises(ValueError, match=f"there is no format 'yaml'; there are {known}"):
        holdall.dumps(1, format="yaml")
    with pytest.raises(TypeError, match="checksum= is for messages of holdall, not for format"):
        holdall.dumps(1, format="json", checksum=True)
    with pytest.raises(TypeError, match="schema= is for messages of holdall, not for format"):
        holdall.loads(b"1", format="json", schema=None)
    with pytest.raises(TypeError, match="storage= and copies= are for other formats"):
        holdall.dumps(1, copies=True)
    with pytest.raises(TypeError, match="infer= is for format 'csv'"):
        holdall.loads(b"1", format="json", infer=True)
    with pytest.raises(TypeError, match="infer= is for format 'csv'"):
        holdall.loads(holdall.dumps(1), infer=True)


class Ratios:
    """Numbers the fractions of a message, to show that each message has actions of its own."""

    def __init__(self) -> None:
        self.seen = 0

    def encode(self, obj: Any) -> Any:
        self.seen += 1
        return holdall.Extension("msgpack.ext", (5, f"{self.seen} {obj}".encode()))

    def decode(self, value: holdall.Extension) -> Any:
        return fractions.Fraction(value.value[1].decode().partition(" ")[2])


def test_a_format_extends_another_with_state_for_each_message() -> None:
    holdall.register_format("ratios", extends="msgpack", actions=Ratios)
    value = {"a": [fractions.Fraction(1, 3), 5], "b": (fractions.Fraction(2, 7),)}
    data = holdall.dumps(value, format="ratios")
    assert data == holdall.dumps(value, format="ratios")
    assert b"1 1/3" in data
    assert b"2 2/7" in data
    assert holdall.loads(data, format="ratios") == {**value, "b": list(value["b"])}
    alone = holdall.dumps(value["b"], format="ratios")
    assert holdall.loads(alone, tuple[fractions.Fraction], format="ratios") == value["b"]
    assert "ratios" in holdall.formats()


def test_a_format_is_two_functions_and_has_one_name() -> None:
    holdall.register_format("repr", dumps=lambda obj: repr(obj).encode())
    assert holdall.dumps([1], format="repr") == b"[1]"
    with pytest.raises(ValueError, match="format 'repr' only writes"):
        holdall.loads(b"[1]", format="repr")
    holdall.register_format("repr", loads=len)
    assert holdall.loads(b"[1]", format="repr") == 3
    with pytest.raises(ValueError, match="format 'json' cannot be replaced"):
        holdall.register_format("json", loads=len)
    holdall.register_format("text", dumps=str)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="dumps of format 'text' must return bytes, not str"):
        holdall.dumps(1, format="text")
    with pytest.raises(TypeError, match="storage= and copies= are not for format 'text'"):
        holdall.dumps(1, format="text", storage=True)
    with pytest.raises(TypeError, match="actions must be a class or function, not 5"):
        holdall.register_format("x", extends="json", actions=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs extends= and actions=, or dumps= and loads="):
        holdall.register_format("nothing")


def test_actions_on_deep_values_end_with_an_error() -> None:
    holdall.register_format("ratios", extends="msgpack", actions=Ratios)
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps(deep, format="ratios")
    assert caught.value.code == "limit_depth"
    data = holdall.dumps(deep, format="msgpack")
    with pytest.raises(holdall.DecodeError) as refused:
        holdall.loads(data, format="ratios")
    assert refused.value.code == "limit_depth"


def test_schema_text_is_read_and_laid_out() -> None:
    schema = holdall.Schema.parse("list(record {id: int})  // of users")
    assert schema == holdall.schema(holdall.dumps([{"id": 7}]))
    laid_out = "record {\n    id: int, // never reused\n}\n"
    assert holdall.Schema.format("record{id:int, // never reused\n}") == laid_out
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.Schema.parse("list(integer)")
    assert (caught.value.code, caught.value.offset) == ("bad_input", 5)


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"


class Bits(enum.Flag):
    ONE = 1
    TWO = 2


@pytest.mark.parametrize("name", ["json", "ndjson", "msgpack", "cbor", "csv"])
def test_members_of_enums_are_stored_as_their_names_and_flags_as_numbers(name: str) -> None:
    rows = [{"colour": Colour.RED, "bits": Bits.TWO}, {"colour": Colour.BLUE, "bits": Bits.ONE}]
    with pytest.raises(holdall.EncodeError, match="storage=True writes what stores it"):
        holdall.dumps(rows, format=name)
    data = holdall.dumps(rows, format=name, storage=True)
    stored = [{"colour": "RED", "bits": 2}, {"colour": "BLUE", "bits": 1}]
    assert data == holdall.dumps(stored, format=name)


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (numpy.float64(1.5), "value.item()"),
        (numpy.datetime64("2020-01-01"), "value.item()"),
        (numpy.arange(3), "array.tolist()"),
        (numpy.array(["a"]), "array.tolist()"),
        (uuid.UUID(int=1), "str(value)"),
    ],
    ids=repr,
)
def test_advice_about_values_that_have_no_storage_in_json_works(value: Any, advice: str) -> None:
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps({"a": value}, format="json")
    assert advice in str(caught.value)
    assert "storage=True" not in str(caught.value)
    names: dict[str, Any] = {"value": value, "array": value}
    converted = eval(advice, {"str": str}, names)
    holdall.dumps({"a": converted}, format="json", storage=True)


def test_timestamps_of_cbor_are_whole_seconds() -> None:
    times = [datetime.datetime(year, 1, 1, tzinfo=datetime.UTC) for year in (1900, 1970, 2020)]
    data = holdall.dumps(times, format="cbor")
    assert holdall.loads(data, format="cbor") == times
    with pytest.raises(holdall.EncodeError, match="fraction of a second; storage=True") as caught:
        holdall.dumps([times[0].replace(microsecond=1)], format="cbor")
    assert caught.value.path == "$[0]"


@dataclasses.dataclass
class WithClassVariable:
    kind: ClassVar[int] = 3
    x: int
    given: dataclasses.InitVar[int] = 0
    y: float = 0.0


def test_names_of_dlhn_are_those_of_fields_alone() -> None:
    values = [WithClassVariable(1, 0, 2.0)]
    data = holdall.dumps(values, format="dlhn")
    assert holdall.loads(data, list[WithClassVariable], format="dlhn") == values
