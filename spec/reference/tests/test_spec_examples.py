"""The worked examples of the spec: every block fenced as `hold`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import pytest
from holdall_reference import (
    FormatError,
    Tagged,
    decode_message,
    equal,
    message_schema,
    schema_text,
)
from holdall_reference.writer import Profile, WriterError, encode_message

from tests.support import SPEC

# The profiles in which a marked value's bytes are canonical. Where only `balanced` is, the bytes
# of fast differ; an unmarked one has no column for which balanced has another encoding.
CANONICAL = {
    "value": {"fast", "balanced"},
    "balanced value": {"balanced"},
    "other value": set[str](),
}


@dataclass(frozen=True)
class Example:
    line: int
    data: bytes
    # What the last line says: a key of CANONICAL, or `error`; then a tagged value, or a code and
    # an offset.
    mark: str
    outcome: str
    # What the line `schema` before it says, if there is one.
    schema: str | None

    @property
    def value(self) -> Tagged:
        value: Tagged = json.loads(self.outcome)
        return value


def examples() -> list[Example]:
    """Lines of hexadecimal pairs up to two spaces, perhaps one with the schema's text, and a last
    line with the outcome."""
    text = SPEC.read_text(encoding="utf-8")
    found = []
    for block in re.finditer(r"^```hold\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        # A line that begins with two spaces continues with the one before it.
        *lines, last = block[1].replace("\n  ", "").splitlines()
        line = text.count("\n", 0, block.start()) + 1
        outcome = re.fullmatch(r"((?:(?:balanced |other )?value)|error) (.*)", last)
        assert outcome is not None, f"line {line}: {last}"
        schema = None
        if lines[-1].startswith("schema "):
            schema = lines.pop().removeprefix("schema ")
        # A line that does not begin with pairs continues with the comment above it.
        pairs = [re.match(r"(?:[0-9A-F]{2} ?)*(?=  |$)", each + "  ") for each in lines]
        data = bytes.fromhex("".join(each[0] for each in pairs if each))
        found.append(Example(line, data, outcome[1], outcome[2], schema))
    return found


def valid_examples() -> list[Example]:
    return [each for each in examples() if each.mark in CANONICAL]


def name(example: Example) -> str:
    return f"line_{example.line}"


@pytest.mark.parametrize("example", examples(), ids=name)
def test_examples_of_the_spec_hold(example: Example) -> None:
    if example.mark == "error":
        with pytest.raises(FormatError) as fault:
            decode_message(example.data)
        assert f"{fault.value.code} {fault.value.offset}" == example.outcome
    else:
        assert equal(decode_message(example.data), example.value)


@pytest.mark.parametrize("example", valid_examples(), ids=name)
@pytest.mark.parametrize("profile", ["fast", "balanced"])
def test_examples_of_the_spec_are_canonical_as_marked(example: Example, profile: Profile) -> None:
    data = example.data.hex(" ").upper()
    if profile in CANONICAL[example.mark]:
        assert encode_message(example.value, profile).hex(" ").upper() == data
        return
    try:
        written = encode_message(example.value, profile)
    except WriterError:
        # Unknown values are not written at all.
        assert '["unknown"]' in example.outcome
    else:
        assert written.hex(" ").upper() != data


@pytest.mark.parametrize("example", [each for each in examples() if each.schema], ids=name)
def test_schema_texts_of_the_spec_hold(example: Example) -> None:
    assert schema_text(message_schema(example.data)) == example.schema


def test_spec_has_examples_of_every_kind() -> None:
    found = examples()
    assert len(found) >= 23
    assert {each.mark for each in found} == {*CANONICAL, "error"}
    assert sum(each.schema is not None for each in found) >= 3
