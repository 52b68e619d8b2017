"""Streams: values come back in order, by number, typed and in pieces; they agree with the spec's vectors and the
reference.
"""

from __future__ import annotations

import dataclasses
import io
import json
import struct
from pathlib import Path
from typing import Any

import holdall
import pytest
from checks import differing
from holdall_reference import decode_stream
from hypothesis import given
from hypothesis import strategies as st
from sample_values import EVERY, LOCK
from samples import Plain
from test_graphs import cyclic

SYNC = bytes.fromhex("A1B2C3D4E5F60718")
VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "conformance" / "streams" / "streams.json").read_text("utf-8")
)["vectors"]


def written(values: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    with holdall.Writer(file, **options) as writer:
        for value in values:
            writer.write(value)
    return file.getvalue()


def reader(data: bytes, *arguments: Any, **options: Any) -> holdall.Reader[Any]:
    return holdall.Reader(io.BytesIO(data), *arguments, **options)


def plain(tagged: list[Any]) -> Any:
    """A value of a vector, as Python represents it."""
    kind, *rest = tagged
    match kind:
        case "null":
            return None
        case "u8" | "int":
            return int(rest[0])
        case "f64":
            return struct.unpack(">d", bytes.fromhex(rest[0]))[0]
        case "bool" | "string":
            return rest[0]
        case "list" | "tuple":
            items = [plain(item) for item in rest[0]]
            return items if kind == "list" else tuple(items)
        case "record":
            return {key: plain(value) for key, value in rest[0]}
    raise KeyError(kind)


# ---- the spec ----


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_vectors_give_their_values_and_errors(vector: dict[str, Any], tmp_path: Path) -> None:
    data = bytes.fromhex(vector["hex"])
    known = [holdall.Schema(bytes.fromhex(vector["schema_hex"]))] if "schema_hex" in vector else []
    path = tmp_path / "vector.hold"
    path.write_bytes(data)

    def check(values: list[Any], expected: list[Any]) -> None:
        assert len(values) == len(expected)
        for value, tagged in zip(values, expected, strict=True):
            try:
                assert value == plain(tagged)
            except KeyError:
                assert tagged[0] in ("id", "tuple"), tagged
                assert isinstance(value, list | tuple)

    got: list[Any] = []
    fault = None
    stream = holdall.Reader(path, schemas=known)
    try:
        got.extend(stream)
    except holdall.DecodeError as error:
        fault = (error.code, error.offset)
    assert fault == ((vector["code"], vector["offset"]) if "code" in vector else None)
    check(got, vector["values"])

    stream = holdall.Reader(path, schemas=known, on_damage="skip")
    if "going_on" not in vector and "code" in vector:
        with pytest.raises(holdall.DecodeError) as error_of_preamble:
            list(stream)
        assert error_of_preamble.value.code == vector["code"]
        return
    going_on = vector.get("going_on", {"values": vector["values"], "faults": []})
    check(list(stream), going_on["values"])
    # The reference reports faults in their order, a reader some at the end of their block.
    assert sorted((each.at, each.code) for each in stream.damage) == sorted(
        (offset, code) for code, offset in going_on["faults"]
    )
    assert stream.metadata == dict(vector.get("metadata", []))


def test_the_bytes_of_a_stream_are_those_of_the_worked_example() -> None:
    data = written([5, 6], sync=SYNC)
    assert data == written([5, 6], sync=SYNC)
    assert data != written([5, 6])
    # As in chapter 14, but for the type (Python integers have no fixed width) and the alignment of blocks.
    assert data[:16] == b"\xc1\xf1hold\r\n" + SYNC
    assert data[16:44] == SYNC + bytes.fromhex("53 020000000000 0000000000 35C3239D9E63D09F")
    assert data[48:52] == bytes.fromhex("0003 0000")
    assert data[56:84] == SYNC + bytes.fromhex("42 0A0000000000 0100000000 35C3239D9E63D09F")
    assert data[88:98] == bytes.fromhex("12 00000000000000 1418")
    assert data[104:124] == SYNC + bytes.fromhex("45 140000000000 0200000000")
    assert data[136:156] == bytes.fromhex("04 0A00 0C04 00000000000000 6800000000000000")
    stream = decode_stream(data)
    assert (stream.values, stream.faults) == ([["int", "5"], ["int", "6"]], [])


@pytest.mark.parametrize("profile", ["fast", "balanced", "small"])
def test_the_reference_reads_every_stream(profile: Any) -> None:
    values = [{"id": at, "name": f"n{at % 7}", "tags": ["a"] * (at % 3)} for at in range(200)]
    for block_rows in (1, 7, 1000):
        data = written(values, profile=profile, block_rows=block_rows, metadata={"a": "b"})
        stream = decode_stream(data)
        assert (len(stream.values), stream.error, stream.faults) == (200, None, [])
        assert dict(stream.metadata or {}) == {"a": "b"}
        assert [plain(value) for value in stream.values] == values
        assert list(reader(data)) == values


# ---- values ----


def test_every_type_survives_a_stream() -> None:
    for value, got in zip(EVERY, reader(written(EVERY)), strict=True):
        differences = list(differing(value, got))
        assert not differences, differences[0]


def test_identity_and_cycles_stay_within_one_value() -> None:
    shared = [1]
    back = list(reader(written([[shared, shared], [shared], *cyclic().values()])))
    assert back[0][0] is back[0][1]
    assert back[1][0] is not back[0][0]
    for value, got in zip(cyclic().values(), back[2:], strict=True):
        differences = list(differing(value, got))
        assert not differences, differences[0]


def test_an_object_written_twice_becomes_two() -> None:
    node: dict[str, Any] = {}
    node["self"] = node
    one, two = reader(written([node, node]))
    assert one["self"] is one
    assert two["self"] is two
    assert one is not two


def test_schemas_that_grow() -> None:
    values: list[Any] = [1, "a", {"a": 1}, {"a": None, "b": [1.5]}, Plain(1), b"x", 2**200, None]
    data = written(values * 3, block_rows=1)
    for value, got in zip(values * 3, reader(data), strict=True):
        assert not list(differing(value, got))
    # A schema that has grown stays: it does not alternate from block to block.
    stream = decode_stream(data)
    assert len(stream.schemas) < 9
    assert stream.error is None


@given(
    st.lists(
        st.recursive(
            st.none() | st.integers() | st.text() | st.floats(allow_nan=False) | st.binary(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=6,
        )
    ),
    st.integers(1, 9),
)
def test_any_values_in_any_blocks(values: list[Any], block_rows: int) -> None:
    data = written(values, block_rows=block_rows)
    assert not list(differing(values, list(reader(data))))
    stream = reader(data)
    assert len(stream) == len(values)
    assert not list(differing(values[1::2], stream[1::2]))
    decoder: holdall.StreamDecoder[Any] = holdall.StreamDecoder()
    got = [value for at in range(0, len(data), 50) for value in decoder.feed(data[at : at + 50])]
    assert not list(differing(values, got))
    assert decoder.eof


@dataclasses.dataclass
class Row:
    id: int
    name: str = ""


def test_reading_into_types() -> None:
    data = written([{"id": at, "name": str(at)} for at in range(10)], block_rows=4)
    assert list(reader(data, Row)) == [Row(at, str(at)) for at in range(10)]
    assert reader(data, Row)[-1] == Row(9, "9")
    assert list(reader(data, dict[str, Any]))[3] == {"id": 3, "name": "3"}
    with pytest.raises(holdall.SchemaError) as failed:
        next(reader(data, list[int]))
    assert failed.value.code == "unconvertible"
    assert failed.value.__notes__ == ["value 0 of the stream"]


def test_a_value_of_another_type_is_a_single_error() -> None:
    values: list[Any] = [{"id": at} for at in range(9)]
    values[3] = {"id": "three"}
    values[4] = {"no": 4}
    values[8] = []
    for block_rows in (2, 100):
        stream = reader(written(values, block_rows=block_rows), Row)
        got: list[Any] = []
        while True:
            try:
                got.append(next(stream))
            except StopIteration:
                break
            except holdall.SchemaError as error:
                got.append((stream.position - 1, error.code, error.path, error.__notes__[0]))
        assert [each if isinstance(each, Row) else each[:3] for each in got] == [
            Row(0), Row(1), Row(2), (3, "unconvertible", "$.id"), (4, "missing_field", "$"), Row(5), Row(6), Row(7),
            (8, "unconvertible", "$"),
        ]  # fmt: skip
        assert got[3][3] == "value 3 of the stream"


def test_classes_are_read_as_by_loads() -> None:
    class Local:
        def __init__(self, a: int) -> None:
            self.a = a

    data = written([Local(1), Local(2)])
    assert [type(value) for value in reader(data)] == [holdall.Record] * 2
    assert [type(value) for value in reader(data, missing="dict")] == [dict] * 2
    assert [value.a for value in reader(data, types=[Local])] == [1, 2]
    assert [value.a for value in reader(data, Local)] == [1, 2]
    with pytest.raises(holdall.DecodeError, match="which this program does not allow"):
        list(reader(data, missing="error"))
    asked = []

    def missing(name: str, fields: tuple[str, ...]) -> Any:
        asked.append((name, fields))
        return Local

    assert [value.a for value in reader(data, missing=missing)] == [1, 2]
    assert asked[0][1] == ("a",)


def test_hooks() -> None:
    data = written([LOCK, [LOCK]], enc_hook=lambda _: "a lock")
    assert list(reader(data)) == ["a lock", ["a lock"]]

    class Meters:
        def __init__(self, value: float) -> None:
            self.value = value

    def made(kind: type, value: Any) -> Any:
        return kind(value)

    assert [each.value for each in reader(written([1.5, 2.5]), Meters, dec_hook=made)] == [1.5, 2.5]


def test_without_references_nothing_is_shared() -> None:
    shared = [1]
    one = next(reader(written([[shared, shared]], references=False)))
    assert one[0] == one[1]
    assert one[0] is not one[1]
    ring: list[Any] = []
    ring.append(ring)
    with pytest.raises(holdall.EncodeError):
        written([ring], references=False)


def test_what_is_not_whole_yet_is_no_error_in_an_unfinished_stream() -> None:
    data = written(list(range(30)), block_rows=10)
    seen = set()
    for cut in range(len(data) + 1):
        values = list(reader(data[:cut], unfinished=True))
        assert values == list(range(len(values)))
        seen.add(len(values))
    assert seen == {0, 10, 20, 30}


# ---- by number ----


def test_values_by_number() -> None:
    values = [{"id": at} for at in range(103)]
    for data in (written(values, block_rows=10), written(values, block_rows=10)[:-12]):
        stream = reader(data, unfinished=True)
        assert len(stream) == len(values)
        for at in (0, 9, 10, 55, 102, -1, -103):
            assert stream[at] == values[at]
        for at in (103, -104):
            with pytest.raises(IndexError):
                stream[at]
        for each in (
            slice(None), slice(5, 5), slice(8, 23), slice(-3, None), slice(200, None), slice(None, None, 7),
            slice(None, None, -1), slice(90, 4, -13), slice(None, -100),
        ):  # fmt: skip
            assert stream[each] == values[each]
        with pytest.raises(TypeError):
            stream["a"]  # type: ignore[call-overload]


def test_looking_up_values_does_not_move_the_iteration() -> None:
    values = list(range(100))
    stream = reader(written(values, block_rows=7))
    got = []
    for value in stream:
        got.append(value)
        assert stream[99 - value] == 99 - value
        assert stream.position == value + 1
    assert got == values
    assert stream.finished
    assert next(stream, "none") == "none"


def test_one_value_reads_one_block() -> None:
    class Counting(io.BytesIO):
        got = 0

        def read(self, size: int | None = -1) -> bytes:
            data = super().read(size)
            self.got += len(data)
            return data

    data = written(({"id": at, "text": str(at) * 20} for at in range(10_000)), block_rows=100)
    file = Counting(data)
    stream = holdall.Reader(file)
    assert stream[5000]["id"] == 5000
    assert file.got < len(data) / 20


# ---- schema and metadata ----


def test_schema_and_metadata_without_the_values() -> None:
    data = written([{"a": 1}, {"a": 2}], metadata={"host": "one", "": "ü"})
    stream = reader(data)
    assert stream.metadata == {"host": "one", "": "ü"}
    assert str(stream.schema) == "record {a: int}"
    assert stream.position == 0
    assert list(stream) == [{"a": 1}, {"a": 2}]
    assert stream.metadata == {"host": "one", "": "ü"}
    empty = reader(written([]))
    assert (empty.metadata, empty.schema, list(empty), len(empty)) == ({}, None, [], 0)
    assert bool(empty)


def test_an_iterator_outlives_its_reader() -> None:
    values = iter(reader(written(range(1000), block_rows=10)))
    assert list(values) == list(range(1000))


# ---- in pieces ----


def test_a_stream_in_pieces_of_any_size() -> None:
    values = [{"id": at} for at in range(50)]
    data = written(values, block_rows=8, metadata={"a": "b"})
    for size in (1, 3, 64, 5000):
        decoder = holdall.StreamDecoder(Row)
        got: list[Row] = []
        stream = data + b"what follows"
        for at in range(0, len(stream), size):
            got += decoder.feed(memoryview(stream)[at : at + size])
        assert got == [Row(at) for at in range(50)]
        assert (decoder.eof, decoder.unused_data) == (True, b"what follows")
        assert decoder.feed(b"!") == []
        assert decoder.unused_data == b"what follows!"
        decoder.close()


def test_all_values_before_a_fault_are_returned() -> None:
    data = bytearray(written(range(30), block_rows=10))
    first = data.index(data[8:16] + b"B")
    second = data.index(data[8:16] + b"B", first + 1)
    data[second + 40] ^= 1
    decoder: holdall.StreamDecoder[int] = holdall.StreamDecoder()
    assert decoder.feed(data) == list(range(10))
    for _ in range(2):
        with pytest.raises(holdall.DecodeError) as failed:
            decoder.feed(b"")
        assert failed.value.code == "bad_checksum"
    decoder = holdall.StreamDecoder(int)
    assert decoder.feed(written([1, "two", 3])) == [1]
    with pytest.raises(holdall.SchemaError):
        decoder.feed(b"")
    assert decoder.feed(b"") == [3]
    assert decoder.eof


def test_close_reports_an_incomplete_stream() -> None:
    data = written([1])
    for end in range(len(data)):
        decoder: holdall.StreamDecoder[Any] = holdall.StreamDecoder()
        decoder.feed(data[:end])
        assert not decoder.eof
        with pytest.raises(holdall.DecodeError) as failed:
            decoder.close()
        assert failed.value.code == "truncated"


def test_messages_and_streams_are_distinguished() -> None:
    decoder: holdall.StreamDecoder[Any] = holdall.StreamDecoder()
    with pytest.raises(holdall.DecodeError) as failed:
        decoder.feed(holdall.dumps(1, checksum=True))
    assert (failed.value.code, failed.value.offset) == ("bad_version", 1)
    with pytest.raises(holdall.DecodeError):
        holdall.loads(written([1]))


def test_messages_in_pieces_lose_no_byte() -> None:
    one, two = holdall.dumps([1], checksum=True), holdall.dumps("two", checksum=True)
    decoder: holdall.Decoder[Any] = holdall.Decoder()
    assert decoder.feed(one + two + b"GET / HTTP") == [[1], "two"]
    assert decoder.unused_data == b"GET / HTTP"
    for _ in range(2):
        with pytest.raises(holdall.DecodeError):
            decoder.feed(b"")
    assert decoder.unused_data == b"GET / HTTP"
    # An unreadable one is an error, and those after it are returned.
    typed = holdall.Decoder(list[int])
    assert typed.feed(one + two + one) == [[1]]
    with pytest.raises(holdall.SchemaError):
        typed.feed(b"")
    assert typed.feed(b"") == [[1]]
    assert typed.unused_data == b""
