"""numpy's random generators from forged data: refused, or a generator that works."""

from __future__ import annotations

import copy
from typing import Any

import holdall
import numpy as np
import pytest

KINDS = ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"]
BIG = 1 << 200


def state_of(kind: str) -> dict[str, Any]:
    state: dict[str, Any] = copy.deepcopy(getattr(np.random, kind)(5).state)
    return state


def message(kind: Any, state: Any, seeds: Any = None) -> bytes:
    return holdall.dumps(holdall.Extension("numpy.bit_generator", (kind, state, seeds)))


def check(data: bytes) -> bool:
    """Whether it is read; then it must give numbers."""
    try:
        made = holdall.loads(data)
    except holdall.DecodeError as error:
        assert error.code in ("unrepresentable", "unconvertible")
        return False
    if isinstance(made, np.random.BitGenerator):
        made = np.random.Generator(made)
    if isinstance(made, np.random.Generator | np.random.RandomState):
        assert (
            (made.random(1000) if isinstance(made, np.random.Generator) else made.rand(1000)) < 1
        ).all()
        made.standard_normal(10)
        made.bytes(1001)
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_that_numpy_wrote_is_read(kind: str) -> None:
    assert check(message(kind, state_of(kind)))


def forged(kind: str) -> list[Any]:
    """States in which one part is wrong."""
    found: list[Any] = [None, 5, [], "x", {}, {"bit_generator": kind}]
    wrong: list[Any] = [
        *(None, -1, BIG, -BIG, 1.5, "x", b"x", [], {}, [1, 2], True, 1 << 64, 1 << 63),
        np.zeros(0, np.uint32),
        np.zeros(1, np.uint64),
        np.zeros(623, np.uint32),
        np.zeros((624, 2), np.uint32),
        np.zeros(625, np.uint64),
        np.zeros(10**6, np.uint8),
        np.array([None] * 624, dtype=object),
        np.array(["x"] * 4),
        np.full(4, np.nan),
    ]
    good = state_of(kind)
    for key in [*good, "extra"]:
        for each in wrong:
            found.append({**good, key: each})
        found.append({name: value for name, value in good.items() if name != key})
    inner = good["state"]
    for key in [*inner, "extra", "pos"]:
        for each in wrong:
            found.append({**good, "state": {**inner, key: each}})
        found.append(
            {**good, "state": {name: value for name, value in inner.items() if name != key}}
        )
    for at in (-1, 4, 5, 100, 624, 625, 10**9, 1 << 31, 1 << 32, (1 << 63) - 1):
        found.append({**good, "buffer_pos": at})
        found.append({**good, "state": {**inner, "pos": at}})
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_forged_state_is_refused_or_harmless(kind: str) -> None:
    states = forged(kind)
    read = [check(message(kind, state)) for state in states]
    assert not all(read)
    assert read.count(False) > len(states) // 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_position_beyond_the_buffer_is_refused(kind: str) -> None:
    good = state_of(kind)
    beyond = {"MT19937": 625, "Philox": 5}.get(kind, 1)
    for at in (-1, beyond, 1 << 20):
        of_inner = {**good, "state": {**good["state"], "pos": at}}
        state = of_inner if kind == "MT19937" else {**good, "buffer_pos": at}
        with pytest.raises(holdall.DecodeError, match="position beyond its buffer"):
            holdall.loads(message(kind, state))


@pytest.mark.parametrize(
    "kind",
    [
        "",
        "Generator",
        "RandomState",
        "BitGenerator",
        "seed",
        "mtrand",
        "__class__",
        5,
        None,
        "os.system",
    ],
)
def test_only_the_five_kinds_are_made(kind: Any) -> None:
    with pytest.raises(holdall.DecodeError):
        holdall.loads(message(kind, {**state_of("PCG64"), "bit_generator": kind}))


@pytest.mark.parametrize("name", ["numpy.generator", "numpy.random_state"])
@pytest.mark.parametrize(
    "bits", [None, 5, "PCG64", [], {"state": 1}, holdall.Record("x")], ids=repr
)
def test_a_generator_needs_bits(name: str, bits: Any) -> None:
    content = bits if name == "numpy.generator" else (bits, 0, 0.0)
    with pytest.raises(holdall.DecodeError):
        holdall.loads(holdall.dumps(holdall.Extension(name, content)))


@pytest.mark.parametrize("kind", KINDS)
def test_forged_parts_of_a_random_state_are_refused_or_harmless(kind: str) -> None:
    bits = getattr(np.random, kind)(5)
    for has, gauss in (
        (0, 0.0),
        (1, 5.0),
        (2, 1.0),
        (-1, 1.0),
        (BIG, 1.0),
        ("x", 1.0),
        (0, "x"),
        (None, None),
    ):
        check(holdall.dumps(holdall.Extension("numpy.random_state", (bits, has, gauss))))


def test_forged_seeds_are_refused_or_harmless() -> None:
    for entropy in (
        None,
        0,
        BIG,
        -1,
        "x",
        [1, 2],
        [-1],
        [BIG],
        b"x",
        1.5,
        [[1]],
        list(range(10_000)),
    ):
        for rest in (
            ((), 4, 0),
            ((1,), 4, 0),
            ((-1,), 4, 0),
            (("x",), 4, 0),
            ((), 0, 0),
            ((), -1, 0),
            ((), 1 << 40, 0),
        ):
            check(holdall.dumps(holdall.Extension("numpy.seed_sequence", (entropy, *rest))))
    for children in (-1, BIG, 1 << 64):
        check(holdall.dumps(holdall.Extension("numpy.seed_sequence", (5, (), 4, children))))
    for seeds in (5, "x", [], holdall.Record("x")):
        check(message("PCG64", state_of("PCG64"), seeds))
