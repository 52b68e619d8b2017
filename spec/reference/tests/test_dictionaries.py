"""Messages with a dictionary, F-101."""

from __future__ import annotations

import contextlib
import json
import random
from typing import Any

import pytest
from holdall_reference import (
    FormatError,
    Schema,
    decode_message,
    dumps,
    equal,
    message_metadata,
    message_schema,
    parse_schema,
    schema_text,
)
from holdall_reference.dictionary import dictionary_hash

from tests.support import CONFORMANCE, hx, mutate

FILE = json.loads((CONFORMANCE / "dictionaries" / "messages.json").read_text(encoding="utf-8"))
DICTIONARY = hx(FILE["dictionaries"]["events"])
VECTORS: list[dict[str, Any]] = FILE["vectors"]
VALID = [vector for vector in VECTORS if "code" not in vector]
INVALID = [vector for vector in VECTORS if "code" in vector]


def known(vector: dict[str, Any]) -> list[Schema]:
    return [parse_schema(hx(vector["schema_hex"]))] if "schema_hex" in vector else []


@pytest.mark.parametrize("vector", VALID, ids=lambda vector: str(vector["name"]))
def test_valid(vector: dict[str, Any]) -> None:
    data, budget = hx(vector["hex"]), vector.get("budget")
    options: dict[str, Any] = {"schemas": known(vector), "dictionaries": [DICTIONARY]}
    value = decode_message(data, budget=budget, **options)
    assert equal(value, vector["value"]), dumps(value)
    assert schema_text(message_schema(data, **options)) == vector["schema"]
    metadata = message_metadata(data)
    pairs = None if metadata is None else [list(pair) for pair in metadata.items()]
    assert pairs == vector.get("metadata")
    for end in range(len(data)):
        with pytest.raises(FormatError) as error:
            decode_message(data[:end], budget=budget, **options)
        assert error.value.code in ("truncated", "bad_zstd")


@pytest.mark.parametrize("vector", INVALID, ids=lambda vector: str(vector["name"]))
def test_invalid(vector: dict[str, Any]) -> None:
    with pytest.raises(FormatError) as error:
        decode_message(hx(vector["hex"]), dictionaries=[DICTIONARY], budget=vector.get("budget"))
    assert (error.value.code, error.value.offset) == (vector["code"], vector["offset"])


def test_vectors_have_names_and_inputs_of_their_own() -> None:
    for key in ("name", "hex"):
        count = {
            (vector[key], vector.get("budget"), key == "hex" and "schema_hex" in vector)
            for vector in VECTORS
        }
        assert len(count) == len(VECTORS)


def test_the_dictionary_is_formatted_and_has_offsets_of_its_own() -> None:
    assert DICTIONARY.startswith(hx("37 A4 30 EC"))
    # Those that a decoder without the dictionary's tables begins with.
    assert hx("01 00 00 00 04 00 00 00 08 00 00 00") not in DICTIONARY
    assert hx(VALID[0]["hex"])[3:11] == dictionary_hash(DICTIONARY).to_bytes(8, "little")


def test_damaged_messages_are_read_or_refused() -> None:
    chance = random.Random(1)
    messages = [hx(vector["hex"]) for vector in VALID]
    for _ in range(2000):
        data = mutate(chance, chance.choice(messages), chance.choice(messages))
        with contextlib.suppress(FormatError):
            decode_message(data, dictionaries=[DICTIONARY], budget=1 << 20)
