"""Other formats, by `format=`: their bytes, the values that come back, and what is refused."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
import fractions
import io
import ipaddress
import json
import types
import uuid
from pathlib import Path
from typing import Any, NamedTuple

import holdall
import msgspec
import numpy
import pytest


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


pytestmark = pytest.mark.usefixtures("own_formats")


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


@dataclasses.dataclass
class Flat:
    n: int
    text: str
    half: float | None


@dataclasses.dataclass
class Track:
    name: str
    points: list[Point]
    start: datetime.datetime


def test_a_document_of_bson_comes_back_as_its_type() -> None:
    track = Track("a", POINTS, datetime.datetime(2024, 5, 6, 7, 8, 9, 10_000, datetime.UTC))
    data = holdall.dumps(track, format="bson")
    assert holdall.loads(data, Track, format="bson") == track
    assert holdall.loads(data, format="bson")["points"][1] == {"x": 3, "y": 4.5, "tags": []}


def test_files_have_formats(tmp_path: Path) -> None:
    holdall.dump(VALUE, tmp_path / "value.json", format="json")
    assert json.loads((tmp_path / "value.json").read_text()) == VALUE
    assert holdall.load(tmp_path / "value.json", format="json") == VALUE
    file = io.BytesIO()
    holdall.dump(VALUE, file, format="cbor")
    assert holdall.loads(file.getvalue(), format="cbor") == VALUE


def test_what_a_format_lacks_is_refused_or_written_as_its_storage() -> None:
    with pytest.raises(
        holdall.EncodeError, match=r"unrepresentable in \$\.a.*; storage=True writes what stores it"
    ) as caught:
        holdall.dumps({"a": {1, 2}}, format="json")
    assert caught.value.code == "unrepresentable"
    assert holdall.dumps({"a": {1, 2}}, format="json", storage=True) == b'{"a":[1,2]}'


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


@pytest.mark.parametrize(
    "name", ["json", "ndjson", "csv", "msgpack", "cbor", "bson", "dlhn", "own"]
)
@pytest.mark.parametrize("options", [{}, {"type": Any}], ids=str)
def test_classes_for_data_without_names_are_a_mistake(name: str, options: Any) -> None:
    holdall.register_format("own", extends="json", actions=Texts)
    data = holdall.dumps({"n": 1} if name == "bson" else [{"n": "1"}], format=name)
    with pytest.raises(TypeError, match=f"types= needs a type= .* of format '{name}' name none"):
        holdall.loads(data, format=name, types=[Flat], **options)
    assert holdall.loads(data, Any, format=name) == holdall.loads(data, format=name)


@pytest.mark.parametrize("tp", [int, dict, dict[str, Any], list[dict[str, int]], "own"], ids=str)
def test_classes_beside_a_type_without_any_are_a_mistake(tp: Any) -> None:
    name = "own" if tp == "own" else "json"
    holdall.register_format("own", extends="json", actions=Texts)
    with pytest.raises(TypeError, match="types= needs a type= that asks for classes"):
        holdall.loads(b"[]", dict if tp == "own" else tp, format=name, types=[Flat])


def test_classes_beside_a_type_are_no_mistake() -> None:
    data = holdall.dumps(POINTS, format="json")
    assert holdall.loads(data, list[Point], format="json", types=[Point]) == POINTS


class Ratios:
    """Numbers the fractions of a message, to show that each message has actions of its own."""

    def __init__(self) -> None:
        self.seen = 0

    def encode(self, obj: Any) -> Any:
        self.seen += 1
        return holdall.Extension("msgpack.ext", (5, f"{self.seen} {obj}".encode()))

    def decode(self, value: holdall.Extension) -> Any:
        return fractions.Fraction(value.value[1].decode().partition(" ")[2])


class Texts:
    """Writes fractions as text."""

    def encode(self, obj: Any) -> Any:
        return str(obj) if isinstance(obj, fractions.Fraction) else obj


class Same(Texts):
    """Leaves everything as it is."""

    def encode(self, obj: Any) -> Any:
        return obj


class Fields(Texts):
    """Writes objects with attributes as dicts."""

    def encode(self, obj: Any) -> Any:
        return dict(vars(obj)) if hasattr(obj, "__dict__") else obj


THIRD = fractions.Fraction(1, 3)


class Named(NamedTuple):
    a: Any
    b: Any


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
    with pytest.raises(
        ValueError, match="'holdall' cannot be extended: .* enc_hook= and dec_hook="
    ):
        holdall.register_format("own", extends="holdall", actions=Texts)


@pytest.mark.parametrize("below", ["json", "ndjson", "csv", "dlhn"])
def test_a_format_without_extensions_is_extended_by_encode_alone(below: str) -> None:
    words = f"format '{below}' has no extensions, so decode would never be called"
    holdall.register_format("texts", extends=below, actions=Texts)
    for extends in (below, "texts"):
        with pytest.raises(TypeError, match=words):
            holdall.register_format("ratios", extends=extends, actions=Ratios)
    data = holdall.dumps([{"a": THIRD}], format="texts")
    assert holdall.loads(data, format="texts") == [{"a": "1/3"}]
    assert holdall.loads(data, list[dict[str, str]], format="texts") == [{"a": "1/3"}]
    # What a function makes is known only then.
    holdall.register_format("made", extends=below, actions=lambda: Ratios())
    with pytest.raises(TypeError, match=words):
        holdall.dumps([{"a": "x"}], format="made")
    with pytest.raises(TypeError, match=words):
        holdall.loads(data, format="made")


def test_extensions_stay_where_actions_do_not_decode() -> None:
    holdall.register_format("texts", extends="msgpack", actions=Texts)
    value = [holdall.Extension("msgpack.ext", (5, b"x")), "1/3"]
    data = holdall.dumps([value[0], THIRD], format="texts")
    assert holdall.loads(data, format="texts") == value


@dataclasses.dataclass(frozen=True)
class Share:
    of: Any
    part: Any = None


class Bag(dict[str, Any]):
    """Has a form of its own, which is not looked into."""


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ([THIRD], ["1/3"]),
        ({"a": {THIRD: 1}}, {"a": {"1/3": 1}}),
        (Share("x", (THIRD,)), {"of": "x", "part": ["1/3"]}),
        (Share(Share(THIRD)), {"of": {"of": "1/3", "part": None}, "part": None}),
        (Named(1, [THIRD]), {"a": 1, "b": ["1/3"]}),
        (holdall.Record("x.Y", a=THIRD), {"a": "1/3"}),
        (collections.deque([1, THIRD], 3), [[1, "1/3"], 3]),
        ({THIRD}, ["1/3"]),
        (frozenset([THIRD]), ["1/3"]),
        (collections.OrderedDict(b=THIRD, a=1), {"b": "1/3", "a": 1}),
        (holdall.Extension("x.e", [THIRD]), ["1/3"]),
        (types.SimpleNamespace(a=THIRD), {"a": "1/3"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_actions_reach_values_inside_others(value: Any, plain: Any) -> None:
    holdall.register_format("texts", extends="json", actions=Texts)
    data = holdall.dumps(value, format="texts", storage=True)
    assert json.loads(data) == json.loads(holdall.dumps(plain, format="json", storage=True))


def test_what_actions_leave_alone_has_the_bytes_of_the_format_below() -> None:
    holdall.register_format("same", extends="json", actions=Same)
    for value in [
        *(Share([1], Named(1, 2)), {1, 2}, collections.deque([1], 3), Bag(a=1), POINTS),
        *(holdall.Record("x.Y", a=[1]), collections.OrderedDict(a=1), types.SimpleNamespace(a=1)),
    ]:
        expected = holdall.dumps(value, format="json", storage=True)
        assert holdall.dumps(value, format="same", storage=True) == expected


def test_what_encode_returns_is_looked_into() -> None:
    class Pairs:
        def encode(self, obj: Any) -> Any:
            if isinstance(obj, fractions.Fraction):
                return {"ratio": obj.as_integer_ratio()}
            return {"share": [obj.of, obj.part]} if isinstance(obj, Share) else obj

    holdall.register_format("pairs", extends="json", actions=Pairs)
    data = holdall.dumps(Share([Share(THIRD)], 5), format="pairs")
    assert data == b'{"share":[[{"share":[{"ratio":[1,3]},null]}],5]}'


def test_extensions_inside_others_are_decoded_before_them() -> None:
    class Tags(Same):
        def decode(self, value: holdall.Extension) -> Any:
            return Share(*value.value)

    holdall.register_format("tags", extends="cbor", actions=Tags)
    data = bytes.fromhex("81 d903e7 a1 6161 d903e7 01")
    assert holdall.loads(data, format="tags") == [Share(999, {"a": Share(999, 1)})]


def test_an_object_that_occurs_twice_is_replaced_in_each_place_and_others_stay_shared() -> None:
    holdall.register_format("texts", extends="json", actions=Texts)
    assert holdall.dumps([THIRD, THIRD], format="texts") == b'["1/3","1/3"]'
    shared = [THIRD]
    with pytest.raises(holdall.EncodeError, match="copies=True writes it once for each place"):
        holdall.dumps([shared, shared], format="texts")
    assert holdall.dumps([shared, shared], format="texts", copies=True) == b'[["1/3"],["1/3"]]'


def test_a_cycle_is_an_error_with_its_path() -> None:
    holdall.register_format("texts", extends="json", actions=Texts)
    holdall.register_format("fields", extends="json", actions=Fields)
    cycle: dict[str, Any] = {"a": [1]}
    cycle["a"].append(cycle)
    inside = Bag()
    inside.self = inside  # type: ignore[attr-defined]
    for name, value, path in [("texts", cycle, "$.a[1]"), ("fields", [inside], "$[0].self")]:
        with pytest.raises(holdall.EncodeError, match="that does not contain itself") as caught:
            holdall.dumps(value, format=name)
        assert (caught.value.code, caught.value.path) == ("unrepresentable", path)


def test_a_member_without_a_hash_is_an_error_with_its_path() -> None:
    holdall.register_format("fields", extends="json", actions=Fields)
    with pytest.raises(holdall.EncodeError, match=r"that has a hash.*unhashable") as caught:
        holdall.dumps({"a": {Share(1)}}, format="fields")
    assert (caught.value.code, caught.value.path) == ("unrepresentable", "$.a")


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
    ],
    ids=repr,
)
def test_advice_about_values_that_have_no_storage_in_json_works(value: Any, advice: str) -> None:
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps({"a": value}, format="json")
    assert advice in str(caught.value)
    assert "storage=True" not in str(caught.value)
    names: dict[str, Any] = {"value": value, "array": value}
    converted = eval(advice, {}, names)
    holdall.dumps({"a": converted}, format="json", storage=True)


@pytest.mark.parametrize("name", ["json", "ndjson", "csv"])
def test_uuids_and_addresses_are_text_in_formats_of_text(name: str) -> None:
    mapped = ipaddress.IPv6Address("::ffff:1.2.3.4")
    values = [
        *(uuid.UUID(int=171), ipaddress.IPv4Address("1.2.3.4"), ipaddress.IPv6Address(1), mapped),
        *(ipaddress.IPv4Network("10.0.0.0/8"), ipaddress.IPv6Network("::/64")),
        *(ipaddress.IPv4Interface("10.0.0.1/8"), ipaddress.IPv6Interface("::1/64")),
    ]
    for value in values:
        rows = [{"a": value}]
        with pytest.raises(holdall.EncodeError, match="storage=True writes what stores it"):
            holdall.dumps(rows, format=name)
        data = holdall.dumps(rows, format=name, storage=True)
        if value is not mapped:
            assert str(value).encode() in data
        assert holdall.loads(data, list[dict[str, type(value)]], format=name) == rows


def test_points_in_time_need_no_storage_in_cbor() -> None:
    times = [datetime.datetime(year, 1, 1, tzinfo=datetime.UTC) for year in (1, 1900, 1970, 9999)]
    times += [time.replace(microsecond=micros) for time in times for micros in (1, 999_999)]
    data = holdall.dumps(times, format="cbor")
    assert data == holdall.dumps(times, format="cbor", storage=True)
    assert holdall.loads(data, format="cbor") == times


def test_advice_does_not_depend_on_names_in_the_data() -> None:
    for name in ("of type uuid", "numpy.array", "in place of a tensor"):
        with pytest.raises(holdall.EncodeError) as caught:
            holdall.dumps({name: {1}}, format="json")
        assert str(caught.value).endswith("; storage=True writes what stores it")
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps({"referenced from several places": numpy.arange(3)}, format="dlhn")
    assert "array.tolist()" in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        "c1 61 61",
        "c0 61 61",
        "c4 81 01",
        "d8 1e 83 01 02 03",
        "db ff ff ff ff ff ff ff ff 00",
        "f3",
        "f8 ff",
    ],
)
def test_tags_and_simple_values_of_cbor_are_written_as_they_were_read(data: str) -> None:
    read = holdall.loads(bytes.fromhex(data), format="cbor")
    assert holdall.dumps(read, format="cbor").hex(" ") == data


@pytest.mark.parametrize("name", [5, None, b"own", ""])
def test_a_format_has_a_name_of_text(name: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="name must be text, and not empty, not"):
        holdall.register_format(name, dumps=bytes, loads=bytes)
    assert name not in holdall.formats()
