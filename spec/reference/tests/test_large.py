"""The vectors that are too large to store as text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from holdall_reference import (
    FormatError,
    Tagged,
    decode_bare,
    decode_message,
    decode_stream,
    equal,
)
from holdall_reference.writer import encode_message

from tests.support import CONFORMANCE, all_vectors, hx, known_schema, spec_rules

VECTORS: list[dict[str, Any]] = [
    vector
    for file in sorted((CONFORMANCE / "large").glob("*.json"))
    for vector in json.loads(file.read_text(encoding="utf-8"))["vectors"]
]


def given(vector: dict[str, Any]) -> bytes:
    return b"".join(hx(text) * times for text, times in vector["parts"])


def read(vector: dict[str, Any], data: bytes) -> Tagged:
    match vector.get("form", "message"):
        case "bare":
            return decode_bare(data, known_schema(hx(vector["schema_hex"])))
        case "stream":
            stream = decode_stream(data)
            if stream.error is not None:
                raise stream.error
            (value,) = stream.values
            return value
    return decode_message(data)


def expected(vector: dict[str, Any]) -> Tagged:
    if "value" in vector:
        value: Tagged = vector["value"]
        return value
    count, text, times = vector["strings"]
    return ["list", [["string", text * times] for _ in range(count)]]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_vectors(vector: dict[str, Any]) -> None:
    data = given(vector)
    if "code" in vector:
        with pytest.raises(FormatError) as error:
            read(vector, data)
        assert (error.value.code, error.value.offset) == (vector["code"], vector["offset"])
        return
    value = expected(vector)
    assert equal(read(vector, data), value)
    if "canonical" in vector:
        assert encode_message(value, vector["canonical"]) == data


def test_vectors_have_names_of_their_own_and_cite_rules() -> None:
    names = [vector["name"] for vector in VECTORS] + [vector.name for vector in all_vectors()]
    assert len(set(names)) == len(names)
    assert all(set(vector["rules"]) <= set(spec_rules()) for vector in VECTORS)
