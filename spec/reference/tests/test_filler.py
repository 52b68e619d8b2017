"""Fillers (F-95): the vectors, which are too large to be spelled out, and what the writer adds."""

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
    default_budget,
    equal,
    parse_schema,
)
from holdall_reference.writer import encode_message

from tests.support import CONFORMANCE, hx, known_schema, spec_rules

VECTORS: list[dict[str, Any]] = json.loads(
    (CONFORMANCE / "large" / "filler.json").read_text(encoding="utf-8")
)["vectors"]


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
    assert len({vector["name"] for vector in VECTORS}) == len(VECTORS)
    assert all(set(vector["rules"]) <= set(spec_rules()) for vector in VECTORS)


@pytest.mark.parametrize("count", [3_300, 3_400, 3_355, 5_000])
def test_the_budget_is_just_enough(count: int) -> None:
    value: Tagged = ["list", [["string", "b" * 20_000] for _ in range(count)]]
    data = encode_message(value, "balanced")
    assert equal(decode_message(data), value)
    units = 8 + count * 20_008
    if units <= default_budget(0):
        assert not data.endswith(bytes(16))
        return
    assert len(data) == -(-units // 1000)
    with pytest.raises(FormatError, match="limit_budget"):
        decode_message(data[:-1])


def test_a_schema_alone_has_no_filler() -> None:
    with pytest.raises(FormatError, match="trailing_bytes @ 2"):
        parse_schema(hx("00 01") + bytes(70_000))
