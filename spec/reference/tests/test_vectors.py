"""The conformance vectors, and what they must cover."""

from __future__ import annotations

import json
from collections import Counter
from typing import get_args

import pytest
from holdall_reference import (
    CODES,
    Schema,
    decode_message,
    dumps,
    equal,
    fingerprint,
    message_metadata,
    message_schema,
    parse_schema,
    schema_text,
)
from holdall_reference.writer import Profile, WriterError, encode_message

from tests.support import (
    CONFORMANCE,
    WRITERS_FILE,
    Vector,
    all_vectors,
    answer,
    decode,
    known_schema,
    readers_vectors,
    spec_rules,
)

PROFILES: tuple[Profile, ...] = get_args(Profile)
WRITERS = [vector for vector in all_vectors() if vector.file.name == WRITERS_FILE]
VALID = [vector for vector in readers_vectors() if vector.valid]
INVALID = [vector for vector in readers_vectors() if not vector.valid]
CANONICAL = [vector for vector in VALID if vector.record["canonical"]]


def schema_of(vector: Vector) -> Schema:
    """The schema of a valid vector, wherever it is stored."""
    given = vector.given
    if given.form == "schema":
        return parse_schema(given.data)
    if given.form == "bare":
        assert given.schema_data is not None
        return known_schema(given.schema_data)
    known = [] if given.schema_data is None else [known_schema(given.schema_data)]
    return message_schema(given.data, schemas=known)


@pytest.mark.parametrize("vector", VALID, ids=lambda vector: vector.name)
def test_valid(vector: Vector) -> None:
    schema = schema_of(vector)
    assert schema_text(schema) == vector.record["schema"]
    if "fingerprint" in vector.record:
        assert f"{fingerprint(schema.data):016x}" == vector.record["fingerprint"]
    if vector.given.form == "schema":
        assert "value" not in vector.record
    else:
        if vector.given.form == "message":
            metadata = message_metadata(vector.given.data)
            pairs = None if metadata is None else [list(pair) for pair in metadata.items()]
            assert pairs == vector.record.get("metadata")
        value = decode(vector.given)
        assert equal(value, vector.record["value"]), dumps(value)


@pytest.mark.parametrize("vector", INVALID, ids=lambda vector: vector.name)
def test_invalid(vector: Vector) -> None:
    code, offset = vector.record["code"], vector.record["offset"]
    assert answer(vector.given) == f'{{"code":"{code}","offset":{offset}}}'


@pytest.mark.parametrize("vector", CANONICAL, ids=lambda vector: vector.name)
def test_canonical(vector: Vector) -> None:
    message = encode_message(vector.record["value"], vector.record["profile"])
    assert message.hex(" ").upper() == vector.given.data.hex(" ").upper()


@pytest.mark.parametrize("vector", WRITERS, ids=lambda vector: vector.name)
def test_encode(vector: Vector) -> None:
    # How long a message is depends on the profile.
    profile = vector.record.get("profile", "fast")
    with pytest.raises(WriterError) as error:
        encode_message(vector.record["value"], profile, vector.record.get("limit_output"))
    assert error.value.code == vector.record["code"]


@pytest.mark.parametrize("vector", CANONICAL, ids=lambda vector: vector.name)
def test_canonical_order(vector: Vector) -> None:
    profile = vector.record["profile"]
    given = vector.record.get("any_order", [])
    for value in [vector.record["value"], *given]:
        assert encode_message(value, profile, canonical=True) == vector.given.data
    # Each is in another order.
    for value in given:
        assert encode_message(value, profile) != vector.given.data


def test_canonical_values_go_round_in_every_profile() -> None:
    for vector in CANONICAL:
        for profile in PROFILES:
            message = encode_message(vector.record["value"], profile)
            known = decode_message(message)
            assert equal(known, vector.record["value"]), vector.name
            assert encode_message(known, profile) == message, vector.name


def test_canonical_vectors_have_all_profiles() -> None:
    assert {vector.record["profile"] for vector in CANONICAL} == set(PROFILES)


def test_vectors_are_many() -> None:
    assert len(all_vectors()) >= 2400


def test_vectors_have_names_of_their_own() -> None:
    counts = Counter(vector.name for vector in all_vectors())
    assert [name for name, count in counts.items() if count > 1] == []


def test_vectors_have_inputs_of_their_own() -> None:
    # The same bytes may meet another schema or another budget.
    counts = Counter(vector.given for vector in readers_vectors())
    assert [given.line() for given, count in counts.items() if count > 1] == []


def test_vectors_cite_rules_that_exist() -> None:
    rules = set(spec_rules())
    assert [vector.name for vector in all_vectors() if not set(vector.rules) <= rules] == []
    assert [vector.name for vector in all_vectors() if not vector.rules] == []


def test_every_rule_is_cited() -> None:
    # Those of chapter 13 are in evolution/, which test_resolution.py runs, those of 14 in streams/,
    # which test_streams.py runs, F-95 in large/, which test_large.py runs, F-99 in text/, which
    # test_schema_text.py runs, F-101 in dictionaries/, which test_dictionaries.py runs.
    cited = {rule for vector in all_vectors() for rule in vector.rules}
    for file in [
        file
        for kind in ("evolution", "streams", "large", "text", "dictionaries")
        for file in CONFORMANCE.glob(f"{kind}/*.json")
    ]:
        records = json.loads(file.read_text(encoding="utf-8"))["vectors"]
        cited |= {rule for record in records for rule in record["rules"]}
    assert [rule for rule in spec_rules() if rule not in cited] == []


def test_every_code_of_readers_has_a_vector() -> None:
    met = {vector.record["code"] for vector in INVALID}
    for kind in ("streams", "large", "dictionaries"):
        for file in (CONFORMANCE / kind).glob("*.json"):
            records = json.loads(file.read_text(encoding="utf-8"))["vectors"]
            met |= {record["code"] for record in records if "code" in record}
    assert CODES - met == set()


def test_prefixes_of_valid_vectors_are_truncated() -> None:
    for vector in VALID:
        given = vector.given
        # A reader never reads ahead, so it meets each end in order.
        for length in range(min(len(given.data), 300)):
            cut = type(given)(given.form, given.data[:length], given.schema_data, given.budget)
            assert answer(cut).startswith('{"code":"truncated",'), (vector.name, length)


def test_valid_vectors_end_where_they_end() -> None:
    for vector in VALID:
        given = vector.given
        longer = type(given)(given.form, given.data + b"\0", given.schema_data, given.budget)
        expected = f'{{"code":"trailing_bytes","offset":{len(given.data)}}}'
        assert answer(longer) == expected, vector.name
