"""The vectors and samples, whole and damaged, through the Rust decoder, and schemas through its resolver.

Both must agree with the reference.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from holdall_reference import FormatError, Schema, message_schema, parse_schema, schema_text
from holdall_reference.resolution import resolve
from holdall_reference.resolution_types import ResolutionError

from tests.samples import samples
from tests.support import MUTATIONS, ROOT, Input, answer, mutate, mutations, readers_vectors

SEED = 20_240_902
DECODE_LINES = Path(
    os.environ.get("HOLDALL_DECODE_LINES", ROOT / "target" / "debug" / "examples" / "decode_lines")
)
# The slowest work is split, so that all cores share it.
PARTS = 4
RESOLUTIONS = min(20_000, MUTATIONS)
SHOWN = 20


def same(expected: str, got: str) -> bool:
    """The same JSON; only its spelling may differ."""
    if expected == got:
        return True
    try:
        return bool(json.loads(expected) == json.loads(got))
    except (ValueError, RecursionError):
        return False


def cuts(inputs: list[Input], count: int, seed: int) -> Iterator[Input]:
    """This many truncations of inputs, or all if there are fewer, each once."""
    every = [(each, length) for each in dict.fromkeys(inputs) for length in range(len(each.data))]
    for each, length in random.Random(seed).sample(every, min(count, len(every))):
        yield replace(each, data=each.data[:length])


def rust_answers(lines: list[str], tmp_path: Path) -> list[str]:
    """The Rust decoder's reply to each line."""
    assert DECODE_LINES.is_file(), (
        f"{DECODE_LINES} is missing; build it with "
        "`make decode-lines`, or name it in HOLDALL_DECODE_LINES"
    )
    # Input and output are files, so that no pipe can fill up.
    given, answers, errors = (tmp_path / name for name in ("lines", "answers", "errors"))
    given.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    with given.open("rb") as stdin, answers.open("wb") as stdout, errors.open("wb") as stderr:
        done = subprocess.run(
            [DECODE_LINES], stdin=stdin, stdout=stdout, stderr=stderr, timeout=300, check=False
        )
    assert done.returncode == 0, errors.read_text(encoding="utf-8", errors="replace")[-2000:]
    got = answers.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert len(got) == len(lines), "decode_lines must print one line for each it reads"
    return got


@pytest.mark.parametrize("part", range(PARTS))
def test_rust_decoder_agrees(part: int, tmp_path: Path) -> None:
    inputs = [vector.given for vector in readers_vectors()]
    assert inputs, "there are no vectors"
    inputs += samples() * (len(inputs) // len(samples()))
    mine = inputs[part::PARTS]
    damaged = mutations(inputs, MUTATIONS // PARTS, SEED + part)
    given = list(chain(mine, cuts(mine, 2 * MUTATIONS // PARTS, SEED + part), damaged))
    got = rust_answers([each.line() for each in given], tmp_path)

    disagreements = []
    for each, theirs in zip(given, got, strict=True):
        ours = answer(each)
        if not same(ours, theirs):
            disagreements.append(
                f"input {each.line()[:400]}\n  reference {ours[:400]}\n  rust      {theirs[:400]}"
            )
    shown = "\n".join(disagreements[:SHOWN])
    assert not disagreements, f"{len(disagreements)} of {len(given)} differ:\n{shown}"


def schemas() -> list[bytes]:
    """Those of the vectors, stand-alone, each once."""
    known: set[bytes] = set()
    for file in (ROOT / "conformance" / "evolution").glob("*.json"):
        for vector in json.loads(file.read_text(encoding="utf-8"))["vectors"]:
            known.add(bytes.fromhex(vector["reader_schema_hex"]))
            known.add(message_schema(bytes.fromhex(vector["hex"])).data)
    for given in (vector.given for vector in readers_vectors() if vector.valid):
        if given.form == "schema":
            known.add(given.data)
    return sorted(known)


def relatives(
    known: list[bytes], count: int, chance: random.Random
) -> Iterator[tuple[bytes, bytes]]:
    """Schemas, and damaged ones that are still schemas. Most fail only inside the types."""
    while count:
        schema = chance.choice(known)
        damaged = mutate(chance, schema, chance.choice(known))
        try:
            parse_schema(damaged)
        except FormatError:
            continue
        count -= 1
        yield schema, damaged


def resolved(writer: Schema, reader: Schema) -> str:
    """The result of resolving two schemas: nothing, or the error."""
    try:
        resolve(writer, reader)
    except ResolutionError as error:
        return json.dumps({"code": error.code, "path": error.path, "rule": error.rule})
    return "{}"


def test_rust_resolver_agrees(tmp_path: Path) -> None:
    known = schemas()
    chance = random.Random(SEED)
    pairs = [(chance.choice(known), chance.choice(known)) for _ in range(RESOLUTIONS)]
    pairs += relatives(known, RESOLUTIONS, chance)
    got = rust_answers([f"resolve - {r.hex()} {w.hex()}" for w, r in pairs], tmp_path)
    parsed = {data: parse_schema(data) for pair in pairs for data in pair}
    disagreements, rules = [], Counter[str]()
    for (w, r), theirs in zip(pairs, got, strict=True):
        ours = resolved(parsed[w], parsed[r])
        rules[json.loads(ours).get("rule", "")] += 1
        if not same(ours, theirs):
            texts = schema_text(parsed[w]), schema_text(parsed[r])
            disagreements.append(f"{texts}\n  reference {ours}\n  rust      {theirs}")
    shown = "\n".join(disagreements[:SHOWN])
    assert not disagreements, f"{len(disagreements)} of {len(pairs)} differ:\n{shown}"
    assert rules.keys() >= {"", "F-78", "F-79", "F-78 line 6", "F-78 line 7", "F-78 line 22"}, rules
