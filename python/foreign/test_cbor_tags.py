"""Tags of CBOR as cbor2 reads and writes them: times, decimals, fractions, UUIDs, addresses and large integers."""

from __future__ import annotations

import datetime
import fractions
import ipaddress
import random
import uuid
from decimal import Decimal
from typing import Any

import cbor2
import holdall
import pytest

UTC = datetime.UTC
TWO_HOURS = datetime.timezone(datetime.timedelta(hours=2))


def values(seed: int) -> list[Any]:
    of = random.Random(seed)
    moment = datetime.datetime(1970, 1, 1, tzinfo=UTC) + datetime.timedelta(
        seconds=of.randrange(-(10**10), 10**11), microseconds=of.choice([0, 5, 120_000, 999_999])
    )
    return [
        *(moment, moment.astimezone(TWO_HOURS), moment.replace(microsecond=0)),
        datetime.date.fromordinal(of.randrange(1, 3_652_060)),
        Decimal(of.randrange(-(10**40), 10**40)).scaleb(of.randrange(-60, 60)),
        fractions.Fraction(of.randrange(-99, 99), of.randrange(1, 99)),
        *(of.randrange(-(2**80), 2**80), uuid.UUID(int=of.randrange(2**128))),
        *(ipaddress.IPv4Address(of.randrange(2**32)), ipaddress.IPv6Address(of.randrange(2**128))),
    ]


@pytest.mark.parametrize("seed", range(200))
def test_what_cbor2_writes_is_read_and_the_reverse(seed: int) -> None:
    written = values(seed)
    for as_number in (False, True):
        data = cbor2.dumps(written, datetime_as_timestamp=as_number)
        # Floats of seconds lose microseconds far from 1970.
        assert holdall.loads(data, format="cbor") == cbor2.loads(data)
    # Without another zone, which is no value of CBOR here.
    plain = [value for value in written if getattr(value, "tzinfo", None) is not TWO_HOURS]
    assert cbor2.loads(holdall.dumps(plain, format="cbor")) == plain


@pytest.mark.parametrize(
    ("tag", "value"),
    [
        *((0, f"2013-03-21T20:04:00{zone}") for zone in (".5Z", "Z", "-05:30")),
        *((1, seconds) for seconds in (1.5, -1, 0.1)),
        *((4, [-2, 27315]), (4, [2, -(2**70)])),
        *((5, [-1, 3]), (5, [-3, -5]), (5, [10, 7])),
        *((2, b"\1" * 9), (3, b"\1" * 9), (30, [1, 3]), (37, bytes(16)), (1004, "2020-01-02")),
    ],
)
def test_a_tag_has_the_value_that_cbor2_gives_it(tag: int, value: Any) -> None:
    data = cbor2.dumps(cbor2.CBORTag(tag, value))
    assert holdall.loads(data, format="cbor") == cbor2.loads(data)
