"""What the tests share: hexadecimal, vectors, answers, mutations."""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import os
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from holdall_reference import (
    FormatError,
    Schema,
    Tagged,
    decode_bare,
    decode_message,
    dumps,
    fingerprint,
    parse_schema,
    schema_text,
)

ROOT = Path(__file__).resolve().parents[3]
SPEC = ROOT / "spec" / "format.md"
CONFORMANCE = ROOT / "conformance"

# Concerns writers; it has values in place of bytes.
WRITERS_FILE = "encode.json"

# The tests of mutations rarely use larger vectors, whose bytes are mostly payload.
LARGEST_MUTATED_LEN = 4096
# How many damaged inputs a test tries, at most; `make test-mutations` has more.
MUTATIONS = int(os.environ.get("HOLDALL_MUTATIONS", "5000"))
# Whether tests also try cases that take too long for `make test`.
EXHAUSTIVE = MUTATIONS >= 200_000


def hx(text: str) -> bytes:
    """Bytes from pairs of hexadecimal digits, with any spaces."""
    return bytes.fromhex(text)


@contextlib.contextmanager
def no_collector() -> Iterator[None]:
    """Switches the collector off: for millions of lists without cycles it takes half the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def case(law: str, *values: object) -> object:
    """A row of a table, named by its law."""
    return pytest.param(*values, id=law)


def check_fault(error: pytest.ExceptionInfo[FormatError], fault: str) -> None:
    """A fault is written as in the spec: `code @ offset`."""
    assert f"{error.value.code} @ {error.value.offset}" == fault


def rejects_schema(text: str, fault: str) -> None:
    """Asserts that standalone schema bytes are rejected with this fault."""
    with pytest.raises(FormatError) as error:
        parse_schema(hx(text))
    check_fault(error, fault)


def rejects_message(text: str, fault: str, **options: Any) -> None:
    """Asserts that a message is rejected with this fault."""
    with pytest.raises(FormatError) as error:
        decode_message(hx(text), **options)
    check_fault(error, fault)


def rejects_bare(schema: str, text: str, fault: str, budget: int | None = None) -> None:
    """Asserts that a bare body, for a schema without D, is rejected with this fault."""
    with pytest.raises(FormatError) as error:
        decode_bare(hx(text), parse_schema(hx("00" + schema)), budget)
    check_fault(error, fault)


def bare(schema: str, text: str, budget: int | None = None) -> Tagged:
    """The value of a bare body for a schema without D."""
    return decode_bare(hx(text), parse_schema(hx("00" + schema)), budget)


@dataclass(frozen=True)
class Input:
    """The input of a decoder."""

    form: str
    data: bytes
    schema_data: bytes | None = None
    budget: int | None = None

    def line(self) -> str:
        """The line that the program decode_lines reads."""
        budget = "-" if self.budget is None else str(self.budget)
        schema = "-" if self.schema_data is None else self.schema_data.hex()
        return f"{self.form} {budget} {schema or '-'} {self.data.hex() or '-'}"


@functools.cache
def known_schema(data: bytes) -> Schema:
    """A schema that reader and writer share."""
    return parse_schema(data)


def decode(given: Input) -> Tagged:
    """The value of a message or a bare body."""
    schema = None if given.schema_data is None else known_schema(given.schema_data)
    if given.form == "bare":
        assert schema is not None, "a bare body needs a schema"
        return decode_bare(given.data, schema, given.budget)
    assert given.form == "message"
    known = [] if schema is None else [schema]
    return decode_message(given.data, schemas=known, budget=given.budget)


def answer(given: Input) -> str:
    """The reference's result, as the line that decode_lines prints for it."""
    try:
        if given.form == "schema":
            schema = parse_schema(given.data)
            text = json.dumps(schema_text(schema), ensure_ascii=False)
            return f'{{"schema":{text},"fingerprint":"{fingerprint(schema.data):016x}"}}'
        return f'{{"value":{dumps(decode(given))}}}'
    except FormatError as error:
        return f'{{"code":"{error.code}","offset":{error.offset}}}'


@dataclass(frozen=True)
class Vector:
    """One record of a file of conformance vectors."""

    file: Path
    valid: bool
    record: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.record["name"])

    @property
    def rules(self) -> list[str]:
        return list(self.record["rules"])

    @property
    def given(self) -> Input:
        schema = self.record.get("schema_hex")
        return Input(
            self.record.get("form", "message"),
            hx(self.record["hex"]),
            None if schema is None else hx(schema),
            self.record.get("budget"),
        )


@functools.cache
def all_vectors() -> list[Vector]:
    """All vectors, including those for writers."""
    vectors = []
    for kind in ("valid", "invalid"):
        for file in sorted((CONFORMANCE / kind).glob("*.json")):
            records = json.loads(file.read_text(encoding="utf-8"))["vectors"]
            vectors += [Vector(file, kind == "valid", record) for record in records]
    return vectors


def readers_vectors() -> list[Vector]:
    """The vectors that concern readers."""
    return [vector for vector in all_vectors() if vector.file.name != WRITERS_FILE]


def spec_rules() -> list[str]:
    """The rules that the spec defines, in its order."""
    return re.findall(r"\*\*(F-\d+)\*\*", SPEC.read_text(encoding="utf-8"))


# Bytes with a meaning in some place: ends of ranges, heads, encodings, types, reserved codes.
SPECIAL_BYTES = hx(
    "00 01 02 03 04 06 07 08 0F 10 12 13 15 16 18 19 1A 1B 1C 1F 20 39 3A 40 41 44"
    "05 09 42 45 46 50 51 52 58 59 5B 5C 60 61 70 7F 80 88 B9 BA C0 C1 E0 FE FF"
    "0A 0C 0E 11 14 17 1D 1E 22 23 E1"
    "62 F8 F9 FA FB"
)


def mutations(inputs: Sequence[Input], count: int, seed: int) -> Iterator[Input]:
    """This many damaged inputs, the same for the same seed."""
    chance = random.Random(seed)
    small = [given for given in inputs if len(given.data) <= LARGEST_MUTATED_LEN]
    large = [given for given in inputs if len(given.data) > LARGEST_MUTATED_LEN]
    for number in range(count):
        given = chance.choice(large) if large and number % 500 == 0 else small[number % len(small)]
        data = given.data
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            data = mutate(chance, data, chance.choice(small).data)
        # Small budgets keep this fast, and put `limit_budget` among the faults.
        budget = chance.choice([1 << 20, 1 << 20, 1 << 14, 500, 60])
        yield replace(given, data=data, budget=budget)


def mutate(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """One flip, change, cut, insertion, deletion, duplication or splice."""
    at = chance.randrange(len(data) + 1)
    end = min(len(data), at + chance.choice([1, 1, 2, 3, 8]))
    byte = chance.choice([chance.randrange(256), chance.choice(SPECIAL_BYTES)])
    match chance.randrange(12):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + bytes([byte]) + data[at:]
        case 2:
            return data[:at] + data[end:]
        case 3:
            return data[:end] + data[at:end] + data[end:]
        case 4:
            return data[:at] + other[chance.randrange(len(other) + 1) :]
    if at == len(data):
        return data + bytes([byte])
    if chance.randrange(2):
        byte = data[at] ^ 1 << chance.randrange(8)
    return data[:at] + bytes([byte]) + data[at + 1 :]
