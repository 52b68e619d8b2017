"""The worked examples of the spec: every block fenced as `hold`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import pytest
from holdall_reference import FormatError, Tagged, decode_message, equal
from holdall_reference.writer import encode_message

from tests.support import SPEC


@dataclass(frozen=True)
class Example:
    line: int
    data: bytes
    # What the last line says: `value` and a tagged value, or `error`, a code and an offset.
    outcome: str


def examples() -> list[Example]:
    """Lines of hexadecimal pairs up to two spaces, and a last line with the outcome."""
    text = SPEC.read_text(encoding="utf-8")
    found = []
    for block in re.finditer(r"^```hold\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        *lines, last = block[1].splitlines()
        # A line that does not begin with pairs goes on with the comment above it.
        pairs = [re.match(r"(?:[0-9A-F]{2} ?)*(?=  |$)", line + "  ") for line in lines]
        data = bytes.fromhex("".join(each[0] for each in pairs if each))
        found.append(Example(text.count("\n", 0, block.start()) + 1, data, last))
    return found


@pytest.mark.parametrize("example", examples(), ids=lambda each: f"line_{each.line}")
def test_examples_of_the_spec_hold(example: Example) -> None:
    word, rest = example.outcome.split(" ", 1)
    if word == "error":
        with pytest.raises(FormatError) as fault:
            decode_message(example.data)
        assert f"{fault.value.code} {fault.value.offset}" == rest
    else:
        assert word == "value"
        value: Tagged = json.loads(rest)
        assert equal(decode_message(example.data), value)


@pytest.mark.parametrize(
    "example",
    [each for each in examples() if each.outcome.startswith("value ")],
    ids=lambda each: f"line_{each.line}",
)
def test_examples_of_the_spec_are_canonical(example: Example) -> None:
    value: Tagged = json.loads(example.outcome.removeprefix("value "))
    assert encode_message(value, "fast").hex(" ").upper() == example.data.hex(" ").upper()
    # None of them has a column for which profile balanced has another encoding.
    assert encode_message(value, "balanced") == example.data


def test_spec_has_examples() -> None:
    assert len(examples()) >= 12
