"""The vectors and samples, whole and damaged, through the Rust decoder: it must agree with the reference."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from tests.samples import samples
from tests.support import ROOT, Input, answer, mutations, readers_vectors

SEED = 20_240_902
DECODE_LINES = Path(
    os.environ.get(
        "HOLDALL_DECODE_LINES", ROOT / "target" / "release" / "examples" / "decode_lines"
    )
)
MUTATIONS = int(os.environ.get("HOLDALL_MUTATIONS", "200000"))
SHOWN = 20


def same(expected: str, got: str) -> bool:
    """The same JSON; only its spelling may differ."""
    if expected == got:
        return True
    try:
        return bool(json.loads(expected) == json.loads(got))
    except (ValueError, RecursionError):
        return False


def cuts(inputs: list[Input]) -> Iterator[Input]:
    """Every truncation of every input, each once."""
    for each in dict.fromkeys(inputs):
        for length in range(len(each.data)):
            yield replace(each, data=each.data[:length])


def test_rust_decoder_agrees(tmp_path: Path) -> None:
    assert DECODE_LINES.is_file(), (
        f"{DECODE_LINES} is missing; build it with "
        "`cargo build --release --example decode_lines`, or name it in HOLDALL_DECODE_LINES"
    )
    inputs = [vector.given for vector in readers_vectors()]
    assert inputs, "there are no vectors"
    inputs += samples() * (len(inputs) // len(samples()))
    given = list(chain(inputs, cuts(inputs), mutations(inputs, MUTATIONS, SEED)))

    # Files on both sides, so that no pipe can fill up.
    lines, answers, errors = (tmp_path / name for name in ("lines", "answers", "errors"))
    lines.write_text("".join(each.line() + "\n" for each in given), encoding="utf-8")
    with lines.open("rb") as stdin, answers.open("wb") as stdout, errors.open("wb") as stderr:
        done = subprocess.run(
            [DECODE_LINES], stdin=stdin, stdout=stdout, stderr=stderr, timeout=300, check=False
        )
    assert done.returncode == 0, errors.read_text(encoding="utf-8", errors="replace")[-2000:]
    got = answers.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert len(got) == len(given), "decode_lines must print one line for each it reads"

    disagreements = []
    for each, theirs in zip(given, got, strict=True):
        ours = answer(each)
        if not same(ours, theirs):
            disagreements.append(
                f"input {each.line()[:400]}\n  reference {ours[:400]}\n  rust      {theirs[:400]}"
            )
    shown = "\n".join(disagreements[:SHOWN])
    assert not disagreements, f"{len(disagreements)} of {len(given)} differ:\n{shown}"
