"""Tables by Arrow's interface, read here by its C structs alone: no other package is needed."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import holdall
import pytest


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


P, I = ctypes.c_void_p, ctypes.c_int64  # noqa: E741
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", P),
    ("flags", I),
    ("n_children", I),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", P),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ("private_data", P),
]
Array._fields_ = [
    ("length", I),
    ("null_count", I),
    ("offset", I),
    ("n_buffers", I),
    ("n_children", I),
    ("buffers", ctypes.POINTER(P)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", P),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
    ("private_data", P),
]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
    ("private_data", P),
]

pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = P, [ctypes.py_object, ctypes.c_char_p]


def columns_of(capsule: Any) -> list[tuple[str, str]]:
    schema = Schema.from_address(pointer(capsule, b"arrow_schema"))
    children = [schema.children[at].contents for at in range(schema.n_children)]
    return [(child.name.decode(), child.format.decode()) for child in children]


def batches(table: Any) -> list[list[list[Any]]]:
    """The columns of each batch, which are of 64-bit integers or floats."""
    capsule = table.__arrow_c_stream__()
    stream = Stream.from_address(pointer(capsule, b"arrow_array_stream"))
    formats = [code for _, code in columns_of(table.__arrow_c_schema__())]
    found = []
    while True:
        array = Array()
        assert stream.get_next(stream, array) == 0, stream.get_last_error(stream)
        if not array.release:
            return found
        own = [array.children[at].contents for at in range(array.n_children)]
        found.append([values(*each) for each in zip(own, formats, strict=True)])
        array.release(array)


def values(array: Array, code: str) -> list[Any]:
    number_type = {"l": ctypes.c_int64, "g": ctypes.c_double}[code]
    end = array.offset + array.length
    numbers = (number_type * end).from_address(array.buffers[1])[array.offset :] if end else []
    valid = array.buffers[0]
    if not valid:
        return list(numbers)
    bits = (ctypes.c_uint8 * (end // 8 + 1)).from_address(valid)
    rows = range(array.offset, end)
    here = [bits[row // 8] >> row % 8 & 1 for row in rows]
    return [number if bit else None for number, bit in zip(numbers, here, strict=True)]


ROWS = [{"id": number, "half": None if number % 3 == 0 else number / 2} for number in range(1000)]


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    path = tmp_path / "rows.hold"
    with holdall.Writer(path, block_rows=300) as writer:
        for row in ROWS:
            writer.write(row)
    return path


def test_a_message_is_one_batch() -> None:
    scan = holdall.scan(holdall.dumps(ROWS))
    assert columns_of(scan.__arrow_c_schema__()) == [("id", "l"), ("half", "g")]
    table = [[row["id"] for row in ROWS], [row["half"] for row in ROWS]]
    # A table can be read more than once.
    assert batches(scan) == batches(scan) == [table]


def test_each_block_of_a_stream_is_a_batch(stream: Path) -> None:
    found = batches(holdall.scan(stream, columns=["half"]))
    assert [len(batch[0]) for batch in found] == [300, 300, 300, 100]
    assert [value for batch in found for value in batch[0]] == [row["half"] for row in ROWS]


@pytest.mark.parametrize(
    "rows", [slice(0, 0), slice(250, 650), slice(-5, None), slice(2000, None), slice(None)]
)
def test_only_the_rows_of_a_slice_are_read(stream: Path, rows: slice) -> None:
    for source in (stream, holdall.dumps(ROWS)):
        found = batches(holdall.scan(source, columns=["id"], rows=rows))
        assert [value for batch in found for value in batch[0]] == [row["id"] for row in ROWS[rows]]


def test_a_view_is_a_table() -> None:
    view = holdall.view(holdall.dumps({"n": 1, "users": ROWS}))
    assert batches(view["users"])[0][0] == [row["id"] for row in ROWS]
    assert columns_of(view["users"].__arrow_c_schema__()) == [("id", "l"), ("half", "g")]


def test_a_column_of_a_view_is_an_array() -> None:
    view = holdall.view(holdall.dumps(ROWS))
    schema, array = view["half"].__arrow_c_array__()
    code = Schema.from_address(pointer(schema, b"arrow_schema")).format.decode()
    own = Array.from_address(pointer(array, b"arrow_array"))
    assert values(own, code) == [row["half"] for row in ROWS]


@pytest.mark.parametrize("rows", [[{"a": None}, {"a": [5, 6]}], [{}, {"a": [5, 6]}], [{"a": [5]}]])
def test_a_list_inside_another_is_one_row_of_an_array(rows: list[Any]) -> None:
    place = holdall.view(holdall.dumps(rows))["a"]
    assert columns_of(place.__arrow_c_schema__()) == [("a", "+L")]
    _, array = place.__arrow_c_array__()
    own = Array.from_address(pointer(array, b"arrow_array"))
    assert (own.length, own.null_count) == (len(rows), len(rows) - 1)


def test_mistakes_are_named() -> None:
    data = holdall.dumps([{"x": 1}, {"x": "a"}])
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.scan(data).__arrow_c_schema__()
    assert (caught.value.code, caught.value.path) == ("unsupported", "$[].x")
    assert columns_of(holdall.scan(data, on_unmappable="drop").__arrow_c_schema__()) == []
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.scan(data, columns=["y"]).__arrow_c_schema__()
    assert caught.value.code == "missing_field"
    with pytest.raises(TypeError, match="columns is a list of names"):
        holdall.scan(data, columns="x")
    with pytest.raises(ValueError, match="a slice without a step"):
        holdall.scan(data, rows=slice(0, 10, 2))
    with pytest.raises(ValueError, match="on_unmappable"):
        holdall.scan(data, on_unmappable="ignore")  # type: ignore[arg-type]


def test_faults_in_a_column_are_those_of_a_view() -> None:
    data = bytearray(
        holdall.dumps([{"x": f"text {number}é"} for number in range(50)], profile="fast")
    )
    data[-1] = 0xFF
    with pytest.raises(holdall.DecodeError) as view:
        holdall.view(bytes(data))["x"].column()
    capsule = holdall.scan(bytes(data)).__arrow_c_stream__()
    stream = Stream.from_address(pointer(capsule, b"arrow_array_stream"))
    assert stream.get_next(stream, Array()) != 0
    assert view.value.code.encode() in stream.get_last_error(stream)
