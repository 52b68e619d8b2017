"""Streams: the vectors, the spec's examples, damage, and the Rust reader."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from holdall_reference import decode_stream, dumps, parse_schema, schema_text
from holdall_reference.stream import Stream

from tests.streams import SYNC, Maker, frame, frames, varint
from tests.support import CONFORMANCE, EXHAUSTIVE, MUTATIONS, SPEC, hx, mutate
from tests.test_differential import rust_answers, same

SEED = 20_261_122
DAMAGED = min(20_000, MUTATIONS)
VECTORS: list[dict[str, Any]] = json.loads(
    (CONFORMANCE / "streams" / "streams.json").read_text(encoding="utf-8")
)["vectors"]
U8, INT = hx("00 04"), hx("00 03")


def read(data: bytes, schema: bytes | None = None, *, goes_on: bool = False) -> Stream:
    schemas = [] if schema is None else [parse_schema(schema)]
    return decode_stream(data, schemas=schemas, goes_on=goes_on)


def given(vector: dict[str, Any]) -> tuple[bytes, bytes | None]:
    schema = vector.get("schema_hex")
    return hx(vector["hex"]), None if schema is None else hx(schema)


def faults(stream: Stream) -> list[list[Any]]:
    return [[fault.code, fault.offset] for fault in stream.faults]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_vectors(vector: dict[str, Any]) -> None:
    stream = read(*given(vector))
    assert stream.values == vector["values"]
    assert stream.statistics == vector.get("statistics", [])
    assert [schema_text(schema) for schema in stream.schemas] == vector["schemas"]
    fault = None if stream.error is None else (stream.error.code, stream.error.offset)
    assert fault == ((vector["code"], vector["offset"]) if "code" in vector else None)
    going_on = read(*given(vector), goes_on=True)
    pairs = (
        None if going_on.metadata is None else [list(each) for each in going_on.metadata.items()]
    )
    assert pairs == vector.get("metadata")
    if "going_on" in vector:
        assert going_on.error is None
        assert {"values": going_on.values, "faults": faults(going_on)} == vector["going_on"]
    else:
        error = None if going_on.error is None else (going_on.error.code, going_on.error.offset)
        assert (going_on.values, faults(going_on), error) == (stream.values, [], fault)


def test_vectors_have_names_and_inputs_of_their_own() -> None:
    for key in (lambda each: each["name"], lambda each: (each["hex"], each.get("schema_hex"))):
        assert max(Counter(map(key, VECTORS)).values()) == 1


def examples() -> list[tuple[int, bytes, str]]:
    """The worked streams of the spec: line, bytes, outcome."""
    text = SPEC.read_text(encoding="utf-8")
    found = []
    for block in re.finditer(r"^```hold-stream\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        *lines, outcome = block[1].splitlines()
        pairs = [re.match(r"(?:[0-9A-F]{2} ?)*(?=  |$)", each + "  ") for each in lines]
        data = bytes.fromhex("".join(each[0] for each in pairs if each))
        found.append((text.count("\n", 0, block.start()) + 1, data, outcome))
    return found


@pytest.mark.parametrize("example", examples(), ids=lambda example: f"line_{example[0]}")
def test_examples_of_the_spec_hold(example: tuple[int, bytes, str]) -> None:
    _, data, outcome = example
    stream = decode_stream(data)
    if outcome.startswith("values "):
        assert stream.error is None
        assert stream.values == json.loads(outcome.removeprefix("values "))
    else:
        assert stream.error is not None
        assert f"error {stream.error.code} {stream.error.offset}" == outcome


def test_the_spec_has_examples_of_streams() -> None:
    outcomes = [outcome.split(" ")[0] for _, _, outcome in examples()]
    assert set(outcomes) == {"values", "error"}


def sample() -> bytes:
    """Frames of each kind, two schemas, directories, an aligned block."""
    record = hx("00 1A 10 04 61 04 04 62 12")
    stream = Maker().meta(hx("02 02 61 02 62")).types(U8).block(2, hx("05 06")).block(1, hx("07"))
    stream.types(record).payload(
        3, varint(14) + varint(3) + varint(6) + hx("01 02 03 02 04 00") + b"xyz"
    )
    stream.payload(1, varint(5) + bytes(7) + hx("09 02") + b"w")
    stream.add(frame("\xe1", len(stream.frames), b"of a later version"))
    return stream.types(INT).block(3, hx("02 04 06")).end()


def test_the_sample_is_whole() -> None:
    stream = decode_stream(sample())
    assert (stream.error, len(stream.values), len(stream.schemas)) == (None, 10, 3)


def test_prefixes_are_truncated_and_keep_their_whole_blocks() -> None:
    data = sample()
    starts = list(frames(data))
    blocks = {start: decode_stream(data[:start]).values for start in starts}
    for length in range(len(data)):
        stream = decode_stream(data[:length])
        assert stream.error is not None
        assert stream.error.code == "truncated"
        whole = [start for start in starts if start <= length]
        assert stream.values == (blocks[whole[-1]] if whole else [])


def damaged(chance: random.Random, data: bytes) -> bytes:
    """A stream with frames or regions cut out, duplicated, swapped or overwritten, or with changed bytes."""
    starts = list(frames(data))
    parts = [data[: starts[0]]] + [data[a:b] for a, b in pairwise(starts)]
    place = chance.randrange(1, len(parts))
    match chance.randrange(7):
        case 0:
            del parts[place]
        case 1:
            parts.insert(chance.randrange(1, len(parts) + 1), parts[place])
        case 2:
            other = chance.randrange(1, len(parts))
            parts[place], parts[other] = parts[other], parts[place]
        case 3:
            parts.insert(place, chance.choice([SYNC, SYNC[:5], b"other", data[:20]]))
        case 4:
            # A fault inside an intact frame.
            own = parts[place]
            length = int.from_bytes(own[9:15], "little")
            payload = mutate(chance, own[32 : 32 + length], data)
            schema = int.from_bytes(own[20:28], "little")
            sequence = int.from_bytes(own[15:20], "little")
            parts[place] = frame(chr(own[8]), sequence, payload, schema)
        case 5:
            start, end = sorted(chance.randrange(len(data)) for _ in range(2))
            return data[:start] + data[end:]
    joined = b"".join(parts)
    return mutate(chance, joined, data) if chance.randrange(2) else joined


def answer(data: bytes, schema: bytes | None, *, goes_on: bool) -> str:
    """The line that decode_lines prints for it."""
    stream = read(data, schema, goes_on=goes_on)
    faults = [*stream.faults, *([] if stream.error is None else [stream.error])]
    # A block's columns are read on request.
    faults.sort(key=lambda each: each.offset)
    texts = ",".join(f'["{each.code}",{each.offset}]' for each in faults)
    return f'{{"values":{dumps([*stream.values])},"faults":[{texts}]}}'


def cases() -> Iterator[tuple[bytes, bytes | None]]:
    chance = random.Random(SEED)
    known = [given(vector) for vector in VECTORS] + [(sample(), None)]
    for data, schema in known:
        yield data, schema
        step = 1 if EXHAUSTIVE else 8
        lengths = range(chance.randrange(step), len(data), step)
        yield from ((data[:length], schema) for length in lengths)
    whole = [each for each, schema in known if schema is None and read(each).error is None]
    for number in range(DAMAGED):
        yield damaged(chance, sample() if number % 2 else chance.choice(whole)), None


def test_rust_reader_agrees(tmp_path: Path) -> None:
    lines, ours = [], []
    for data, schema in cases():
        for goes_on in (False, True):
            form = "stream-going-on" if goes_on else "stream"
            known = "-" if schema is None else schema.hex()
            lines.append(f"{form} - {known} {data.hex() or '-'}")
            ours.append(answer(data, schema, goes_on=goes_on))
    got = rust_answers(lines, tmp_path)
    differ = [
        f"{line[:600]}\n  reference {mine[:400]}\n  rust      {theirs[:400]}"
        for line, mine, theirs in zip(lines, ours, got, strict=True)
        if not same(mine, theirs)
    ]
    assert not differ, f"{len(differ)} of {len(lines)} differ:\n" + "\n".join(differ[:10])
    codes = Counter(code for each in ours for code, _ in json.loads(each)["faults"])
    assert len(codes) > 12, codes
