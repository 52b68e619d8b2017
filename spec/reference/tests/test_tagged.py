"""The notation of values."""

from __future__ import annotations

import json

import pytest
from holdall_reference import Tagged, dumps, equal

VALUES: list[Tagged] = [
    ["null"],
    ["bool", True],
    ["int", "-5"],
    ["string", 'quote " slash \\ line \n umlaut ä case 💼 \x00'],
    ["list", []],
    ["list", [["null"], ["list", [["tuple", []]]]]],
    ["record", [["a", ["null"]], ["b", ["map", [[["int", "1"], ["null"]]]]]]],
    ["variant", "A", ["struct", "B", []]],
    ["array", [["f16", "3c00"], ["bf16", "3f80"], ["fixed", "00ff"]]],
    ["tensor", "u16", ["2", "0"], "column", ""],
    ["logical", "date", "", ["extension", "a.b", ["unknown"]]],
    ["id", 0, ["list", [["ref", 0]]]],
]


@pytest.mark.parametrize("value", VALUES)
def test_dumps_is_compact_json(value: Tagged) -> None:
    assert dumps(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("left", VALUES)
@pytest.mark.parametrize("right", VALUES)
def test_equal_is_equality(left: Tagged, right: Tagged) -> None:
    assert equal(left, json.loads(json.dumps(right))) == (left == right)


def test_equal_distinguishes_types() -> None:
    assert not equal(["bool", True], ["bool", "True"])
    assert not equal(["list", []], ["list", ""])
    assert not equal(["list", []], ["list", [["null"]]])
