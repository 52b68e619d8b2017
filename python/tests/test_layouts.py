"""The private layouts of objects are used where they are known; an environment variable switches them off."""

from __future__ import annotations

import datetime
import decimal
import os
import subprocess
import sys
import sysconfig

import holdall
from holdall import _holdall

SCRIPT = """
import dataclasses, holdall
from holdall import _holdall

@holdall.register
@dataclasses.dataclass(slots=True)
class Slotted:
    text: str
    items: list

@holdall.register
@dataclasses.dataclass
class Plain:
    text: str
    items: list

near = [sign * ((1 << power) + more) for power in range(300) for more in (-1, 0, 1) for sign in (1, -1)]
values = [kind("t" * n, [n, None]) for n in range(100) for kind in (Slotted, Plain)] + near
data = holdall.dumps(values)
assert holdall.loads(data) == values
print(",".join(_holdall.used_layouts()) or "none", data.hex())
"""


def run(**environment: str) -> list[str]:
    known = {key: value for key, value in os.environ.items() if key != "HOLDALL_PUBLIC_API"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=known | environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


#: The versions of CPython whose private layouts are known.
IS_KNOWN = (
    sys.implementation.name == "cpython"
    and (3, 11) <= sys.version_info < (3, 14)
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)


def test_known_layouts_are_used_unless_the_environment_forbids_it() -> None:
    known = ["slots", "entries", "attributes", "ints", "decimals"] if IS_KNOWN else ["slots"]
    assert _holdall.used_layouts() == ([] if os.environ.get("HOLDALL_PUBLIC_API") else known)
    used, data = run()
    assert used == ",".join(known)
    assert run(HOLDALL_PUBLIC_API="1") == ["none", data]


def test_ints_near_powers_of_two_are_read_as_they_were_written() -> None:
    powers = [*range(600), 1 << 14, (1 << 17) + 5]
    for power in powers:
        for value in (sign * ((1 << power) + more) for more in (-1, 0, 1) for sign in (1, -1)):
            read = holdall.loads(holdall.dumps(value))
            # CPython compares digits; a result with digits too many would print and hash otherwise.
            assert (read, hash(read), read.bit_length()) == (value, hash(value), value.bit_length())
            assert read - value == 0
            length = power // 8 + 2
            assert read.to_bytes(length, "little", signed=True) == value.to_bytes(
                length, "little", signed=True
            )


def test_decimals_are_those_of_their_text() -> None:
    coefficients = [0, 1, 9, 10, 12345, 10**18, 10**19 - 1, 10**19, 10**40]
    texts = [
        f"{sign}{coefficient}E{exponent}"
        for sign in ("", "-")
        for coefficient in coefficients
        for exponent in (-400, -3, 0, 7, 10**5)
    ]
    values = [decimal.Decimal(text) for text in texts]
    read = holdall.loads(holdall.dumps(values))
    for made, value in zip(read, values, strict=True):
        assert made.as_tuple() == value.as_tuple()
        # Arithmetic counts digits, and hashing asks for all of them.
        assert (made * 7 + 1, hash(made), str(made)) == (value * 7 + 1, hash(value), str(value))


def test_dates_of_all_years_are_read_as_they_were_written() -> None:
    last = datetime.date.max.toordinal()
    ordinals = [*range(1, 800), *range(800, last, 97), *range(last - 800, last + 1)]
    dates = [datetime.date.fromordinal(ordinal) for ordinal in ordinals]
    times = [datetime.datetime.combine(date, datetime.time(23, 59, 59, 999_999)) for date in dates]
    assert holdall.loads(holdall.dumps(dates)) == dates
    assert holdall.loads(holdall.dumps(times)) == times
