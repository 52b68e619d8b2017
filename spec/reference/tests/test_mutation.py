"""Damaged vectors and samples through the reference alone: a value or a FormatError, and nothing else."""

from __future__ import annotations

import json
from collections import Counter

from tests.samples import samples
from tests.support import MUTATIONS, answer, mutations, readers_vectors

COUNT = min(20_000, MUTATIONS)
SEED = 20_240_901


def test_only_format_errors_escape() -> None:
    vectors = [vector.given for vector in readers_vectors()]
    assert vectors, "there are no vectors"
    # The samples, which have all encodings, are used as often as the vectors.
    inputs = vectors + samples() * (len(vectors) // len(samples()))
    met: Counter[str] = Counter()
    for given in mutations(inputs, COUNT, SEED):
        # Anything but a FormatError escapes from `answer` and fails the test.
        line = answer(given)
        assert answer(given) == line, f"not the same twice: {given.line()}"
        code = line.partition('{"code":"')[2].partition('"')[0]
        met[code or "value"] += 1
        offset = line.rpartition('"offset":')[2]
        if code:
            assert 0 <= int(offset.rstrip("}")) <= len(given.data), given.line()
    # The faults of encodings, of types and of the envelope are among them.
    assert met.keys() >= {
        "bad_scale",
        "bad_widths",
        "bad_bins",
        "bad_decimal",
        "bad_patches",
        "bad_dictionary",
        "bad_templates",
        "bad_zstd",
        "bad_inner_encoding",
        "bad_packed",
        "bad_bool",
        "unknown_kind",
        "bad_parameters",
        "bad_storage",
        "limit_rank",
        "bad_checksum",
    }, json.dumps(met)
    # Damage that is always detected immediately would test little.
    assert met["value"] > COUNT // 100, json.dumps(met)
    assert len(met) > 20, json.dumps(met)


def test_mutations_are_the_same_every_time() -> None:
    inputs = [vector.given for vector in readers_vectors()]
    first, second = (list(mutations(inputs, 1000, SEED)) for _ in range(2))
    assert first == second
