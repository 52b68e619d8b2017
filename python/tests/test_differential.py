"""Damaged messages: Python and Rust's `Value` return the same value, or refuse with the same code, offset and path.

The reference reads every second message, because it is slow. It must read what they read, and refuse with the same code
and offset. Its values are compared with Rust's in its own tests: `Value` keeps no widths of ints, and no order of elements.
"""

from __future__ import annotations

import collections
import json
import random

import holdall
import pytest
from checks import differing
from holdall import _holdall
from test_view_laws import MESSAGES
from tests.support import EXHAUSTIVE, MUTATIONS, Input, answer, mutate

#: Many mutations are shared among processes; few are not, so that each share meets most errors.
SHARES = 8 if EXHAUSTIVE else 1

#: What only Python refuses: values that it has no object for, or could not free. It does so before faults that follow.
PYTHON_ALONE = {"unrepresentable", "custom", "limit_depth"}


def outcome(data: bytes) -> str:
    """What happened; fails if both differ."""
    try:
        again = _holdall.through_value(data, "balanced")
    except holdall.DecodeError as error:
        if error.code == "unsupported_value":
            # Rust reads types that are nested more deeply than any that it writes.
            return error.code
        refused = (error.code, error.offset, error.path)
    else:
        refused = None
    try:
        value = holdall.loads(data)
    except holdall.DecodeError as error:
        if error.code in PYTHON_ALONE:
            return error.code
        assert (error.code, error.offset, error.path) == refused, data.hex()
        return error.code
    assert refused is None, (data.hex(), refused)
    difference = next(differing(value, holdall.loads(again)), None)
    assert difference is None, (data.hex(), difference)
    return "value"


def check_reference(data: bytes) -> None:
    """The reference reads what Rust reads, and refuses what Rust refuses."""
    ours = answer(Input("message", data))
    try:
        _holdall.through_value(data, "balanced")
    except holdall.DecodeError as error:
        # An error without an offset is one of writing: a reader does not see that two keys are equal if one is a reference.
        if error.offset is not None:
            assert json.loads(ours) == {"code": error.code, "offset": error.offset}, data.hex()
        return
    assert ours.startswith('{"value":'), data.hex()


@pytest.mark.parametrize("share", range(SHARES))
def test_damaged_messages_are_the_same_in_rust_and_python(share: int) -> None:
    chance = random.Random(17 + share)
    met = collections.Counter[str]()
    count = MUTATIONS * 2 // SHARES
    for number in range(count):
        data = MESSAGES[number % len(MESSAGES)]
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            data = mutate(chance, data, chance.choice(MESSAGES))
        met[outcome(data)] += 1
        if number % 2:
            check_reference(data)
    assert met["value"] > count // 20, met
    assert len(met) > 30, met
