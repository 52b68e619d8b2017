"""Chapter 12: schema text. Types are in test_schema.py."""

from __future__ import annotations

import json
from typing import Any

import pytest
from holdall_reference import parse_schema, schema_text
from holdall_reference.writer import SchemaTextError, parse_schema_text
from holdall_reference.writer.numbers import varint

from tests.support import CONFORMANCE, hx, readers_vectors

TEXTS = json.loads((CONFORMANCE / "text" / "schema.json").read_text(encoding="utf-8"))["vectors"]


def struct_text(name: str) -> str:
    data = name.encode()
    return schema_text(parse_schema(hx("00 19") + varint(2 * len(data)) + data + b"\x00"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("User", "User"),
        ("_", "_"),
        ("a9_Z", "a9_Z"),
        ("", '""'),
        ("9a", '"9a"'),
        ("a b", '"a b"'),
        ("ä", '"ä"'),
        ("a\n", '"a\\u000a"'),
        ('"\\', '"\\"\\\\"'),
        ("/\x1f\x7f\u2028", '"/\\u001f\x7f\u2028"'),
        # A digit for Unicode, but none of 0 to 9.
        ("a\u0661", '"a\u0661"'),
    ],
)
def test_names_are_bare_or_escaped(name: str, text: str) -> None:
    assert struct_text(name) == f"struct {text} {{}}"


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("00 1A 12 04 61 03 04 62 02 04 04 00 02 02 02", "record {a: int, b: bool} [0 1, 1]"),
        ("00 1A 0A 04 61 03 06 00 02 00 00", "record {a: int} [-, 0, -]"),
        ("00 1A 0C 04 61 03", "record {a: int} sparse"),
        ("00 19 04 41 04", "struct A {} sparse"),
        ("00 1A 02 04 00 00", "record {} [-, -]"),
        ("00 16 1A 0C 04 61 03", "list(record {a: int} sparse)"),
    ],
)
def test_shapes_stand_after_the_brace(text: str, schema: str) -> None:
    assert schema_text(parse_schema(hx(text))) == schema


@pytest.mark.parametrize("vector", TEXTS, ids=lambda vector: vector["name"])
def test_text_is_read(vector: dict[str, Any]) -> None:
    if "schema" in vector:
        assert schema_text(parse_schema_text(vector["text"])) == vector["schema"]
        return
    with pytest.raises(SchemaTextError) as error:
        parse_schema_text(vector["text"])
    assert (error.value.code, error.value.offset) == (vector["code"], vector["offset"])


def test_the_text_of_every_valid_vector_is_read_as_its_text() -> None:
    for vector in readers_vectors():
        if vector.valid:
            text = vector.record["schema"]
            assert schema_text(parse_schema_text(text)) == text, vector.name


def test_a_fault_has_its_line_and_column() -> None:
    with pytest.raises(SchemaTextError) as error:
        parse_schema_text('record {\n  "é": integer}')
    assert (error.value.offset, error.value.line, error.value.column) == (17, 2, 8)
    assert str(error.value) == "bad_input at offset 17, in line 2, column 8"
