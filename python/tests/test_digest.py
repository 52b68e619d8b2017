"""Hashes of values: those of the package and of the command are the same."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import holdall
import pytest

VALID = Path(__file__).resolve().parents[2] / "conformance" / "valid"


def values() -> dict[str, Any]:
    """The values of the vectors that are messages by themselves, by the names of the vectors."""
    read = {}
    for path in sorted(VALID.glob("*.json")):
        for vector in json.loads(path.read_text("utf-8"))["vectors"]:
            if "hex" not in vector or "form" in vector:
                continue
            try:
                read[vector["name"]] = holdall.loads(bytes.fromhex(vector["hex"]))
            except holdall.DecodeError:
                # Without its schema or dictionary, or with values that Python does not hold.
                continue
    return read


def test_digest_is_the_hash_that_the_command_prints(tmp_path: Path) -> None:
    expected = {}
    for at, (name, value) in enumerate(values().items()):
        try:
            data = holdall.dumps(value, profile=("fast", "small")[at % 2], checksum=at % 3 == 0)
        except holdall.EncodeError:
            # Values of later versions cannot be packed.
            continue
        path = tmp_path / name
        path.write_bytes(data)
        expected[str(path)] = holdall.digest(value).hex()
    assert len(expected) > 1_000
    done = subprocess.run(
        [sys.executable, "-m", "holdall", "hash", *expected],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    hashes = dict(line.split("  ", 1)[::-1] for line in done.stdout.splitlines())
    assert hashes == expected


@pytest.mark.parametrize("algorithm", ["sha256", "sha512", "blake2b", "md5"])
def test_digest_is_that_of_the_canonical_bytes_by_any_algorithm(algorithm: str) -> None:
    value = [{"b", "a"}, 1.5]
    data = holdall.dumps([{"a", "b"}, 1.5], canonical=True)
    assert holdall.digest(value, algorithm=algorithm) == hashlib.new(algorithm, data).digest()


def test_an_algorithm_that_hashlib_lacks_is_an_error() -> None:
    with pytest.raises(ValueError, match="crc"):
        holdall.digest(1, algorithm="crc")


@pytest.mark.parametrize("algorithm", ["shake_128", "shake_256", "crc"])
def test_an_algorithm_without_a_length_of_its_own_is_an_error_with_those_that_have_one(
    algorithm: str,
) -> None:
    with pytest.raises(ValueError, match=f"blake2b, .*sha256, .* not {algorithm!r}"):
        holdall.digest(1, algorithm=algorithm)
    with pytest.raises(TypeError, match="algorithm must be one of hashlib's"):
        holdall.digest(1, algorithm=5)  # type: ignore[arg-type]
