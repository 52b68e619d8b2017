"""Damaged and hostile bytes cause an exception, never a crash, an import or unbounded memory."""

from __future__ import annotations

import random
import resource
import sys
import time
from typing import Any

import holdall
import pytest
from conftest import SOAK
from sample_values import EVERY, named

CHANGES = 1000 * SOAK or 60
# Damaged data can create large objects, within the budget.
SMALL_BUDGET = holdall.Limits(budget=1 << 20)


def survive(data: bytes, tp: Any = None) -> None:
    try:
        back = holdall.loads(data, tp, limits=SMALL_BUDGET)
    except (holdall.DecodeError, RecursionError):
        return
    except ValueError as error:
        assert "maximum recursion" in str(error), error
        return
    try:
        holdall.dumps(back)
    except holdall.EncodeError:
        return


@pytest.mark.parametrize("value", named(EVERY))
def test_damaged_messages_are_errors_or_other_values(value: Any) -> None:
    data = holdall.dumps({"k": [value, value]})
    for length in range(len(data)):
        with pytest.raises(holdall.DecodeError):
            holdall.loads(data[:length], limits=SMALL_BUDGET)
    chance = random.Random(repr(value))
    modules = set(sys.modules)
    for _ in range(CHANGES):
        broken = bytearray(data)
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            broken[chance.randrange(2, len(broken))] = chance.randrange(256)
        survive(bytes(broken))
    assert not {
        each
        for each in set(sys.modules) - modules
        if not each.startswith(("encodings", "_pydecimal", "numpy", "tzdata", "importlib"))
    }


def test_damaged_messages_read_into_types() -> None:
    from test_typed import FITS

    chance = random.Random(5)
    for value, tp, _ in FITS:
        data = holdall.dumps(value)
        for _ in range(max(CHANGES // 20, 50)):
            broken = bytearray(data)
            broken[chance.randrange(2, len(broken))] = chance.randrange(256)
            survive(bytes(broken), tp)


def test_random_bytes_are_errors() -> None:
    chance = random.Random(7)
    for _ in range(CHANGES):
        survive(
            b"\xc1"
            + bytes([chance.choice((0x10, 0x12, 0x14, 0x18))])
            + chance.randbytes(chance.randrange(40))
        )


def test_claimed_sizes_do_not_allocate() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    claims = [
        "c1101601 0f00000002",  # 2^28 nulls
        "c1101611 ffffffffffffffff1f",  # 2^61 floats
        "c11016 1613 ffffffffffffffff1f",
        "c1101d11 02 ffffffffffffffff1f 00",
    ]
    for text in claims:
        with pytest.raises(holdall.DecodeError):
            holdall.loads(bytes.fromhex(text))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


def test_large_numbers_do_not_take_long() -> None:
    huge = 7 ** (1 << 20)
    for forged in (
        holdall.Logical(5, b"", (0, huge, 0)),
        holdall.Logical(6, b"", (huge, huge + 2)),
        holdall.Logical(4, b"\x02", huge),
        holdall.Logical(1, b"", huge),
        holdall.Extension("py.deque", ([], huge)),
        holdall.Extension("py.timezone", (huge, None)),
        holdall.Extension("py.array", ("d", huge)),
        holdall.Extension("numpy.array", ("V99999999", (huge,), False, b"")),
        holdall.Extension("numpy.array", ("S0", (huge, huge), False, b"")),
    ):
        try:
            data = holdall.dumps(forged)
        except holdall.EncodeError:
            continue
        survive(data)


@pytest.mark.parametrize(
    "days", [2**31 - 1, -(2**31), 213_503_982, 106_751_992, 2**63 - 1, -(2**63)]
)
def test_dates_that_python_lacks_are_an_error_and_no_other_date(days: int) -> None:
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.loads(holdall.dumps([holdall.Logical(1, b"", days)]))
    assert caught.value.path == "$[0]"


@pytest.mark.parametrize(
    "forged",
    [
        *(
            holdall.Extension(f"py.{name}", payload)
            for name in (
                "slice",
                "deque",
                "defaultdict",
                "counter",
                "datetime",
                "array",
                "zone",
                "uuid",
                "pattern",
                "timezone",
                "namespace",
                "chain_map",
                "ip_interface",
                "ipv6_scoped",
                "pure_path",
                "time",
                "nothing",
            )
            for payload in (None, 5, [1], (1, 2), ("x", None, 3, 4), {"a": 1}, {"__class__": 1})
        ),
        *(
            holdall.Extension(f"numpy.{name}", payload)
            for name in ("array", "objects", "scalar", "dtype")
            for payload in (
                None,
                "O",
                ("O", (1,), False, b"12345678"),
                ((2, 3), "C", [1, 2]),
                ((2**40, 2**24), "C", [1]),
                ((0, 2**62, 2**62), "F", []),
                ((-1,), "F", [1]),
                ((1,) * 60, "C", [1]),
                ((2,), "C", [1]),
                ({"names": ["a"], "formats": ["O"]}, (1,), False, b""),
            )
        ),
        *(
            holdall.Logical(6, b"", (1, 0)),
            holdall.Logical(0x15, b"", ("(", "i")),
            holdall.Logical(0x15, b"", ("x", "q")),
            holdall.Logical(0x16, b"", (1, 2, 0)),
        ),
        holdall.Logical(0x11, b"\x01\x00", "nul\x00"),
        holdall.Logical(3, b"\x02\x03", (5, "../../etc/passwd")),
    ],
    ids=repr,
)
def test_forged_values_are_errors_or_values(forged: Any) -> None:
    data = holdall.dumps([forged])
    try:
        holdall.loads(data)
    except holdall.DecodeError as error:
        assert error.path is not None
        assert error.path.startswith("$[0]")


ENDLESS = range(10**15)


@pytest.mark.parametrize(
    "forged",
    [
        holdall.Extension("py.slice", ENDLESS),
        holdall.Extension("py.deque", (ENDLESS, None)),
        holdall.Extension("py.counter", ENDLESS),
        holdall.Extension("py.defaultdict", (None, ENDLESS)),
        holdall.Extension("py.chain_map", ENDLESS),
        holdall.Extension("numpy.objects", ((10,), "C", ENDLESS)),
        *(
            holdall.Record(f"samples.{name}", {f"<{field}>": payload})
            for name, field in (
                ("MyList", "list"),
                ("MySet", "set"),
                ("MyTuple", "tuple"),
                ("MyFrozenSet", "frozenset"),
                ("MyOrdered", "OrderedDict"),
                ("MyDefault", "defaultdict"),
                ("MyDict", "dict"),
                ("MyBytes", "bytes"),
                ("Reduced", "args"),
                ("NewArguments", "newargs"),
            )
            for payload in (ENDLESS, 10**12)
        ),
        holdall.Record("builtins.ValueError", {"<args>": ENDLESS}),
        holdall.Record("samples.Reduced", {"<args>": (1,), "<items>": ENDLESS}),
        holdall.Record("samples.Model", {"a": 1, "<set>": ENDLESS}),
    ],
    ids=repr,
)
def test_endless_ranges_are_not_taken_for_lists(forged: Any) -> None:
    with pytest.raises(holdall.DecodeError):
        holdall.loads(holdall.dumps(forged))


def test_colliding_keys_take_the_time_of_a_dict() -> None:
    # All have the hash 0. CPython compares each key with those before it.
    keys = [at * (2**61 - 1) for at in range(4_000)]
    data = holdall.dumps(dict.fromkeys(keys))
    start = time.process_time()
    made = dict.fromkeys(keys)
    of_dict = time.process_time() - start
    start = time.process_time()
    assert holdall.loads(data) == made
    # Comparing takes the same again.
    assert time.process_time() - start < 6 * of_dict + 0.5


def test_members_that_are_equal_in_python_are_an_error() -> None:
    for text in ("list", "set"):
        members = [1, 1.0, True]
        forged = holdall.dumps(holdall.Logical(0x0A, b"", members))
        with pytest.raises(holdall.DecodeError, match="stay distinct in Python"):
            holdall.loads(forged)
        assert text
