"""Fillers (F-95): what the writer adds. Their vectors are in conformance/large."""

from __future__ import annotations

import pytest
from holdall_reference import (
    FormatError,
    Tagged,
    decode_message,
    default_budget,
    equal,
    parse_schema,
)
from holdall_reference.writer import encode_message

from tests.support import hx


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
