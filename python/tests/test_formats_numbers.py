"""Numbers that a format writes in one form, whatever their type is."""

from __future__ import annotations

import datetime
import decimal

import holdall
import pytest


@pytest.mark.parametrize("name", ["json", "ndjson"])
def test_digits_without_a_fraction_are_the_nearest_float(name: str) -> None:
    for digits, number in (
        ("123456789012345680000", 1.2345678901234568e20),
        ("9007199254740993", 9007199254740992.0),
        ("-9007199254740993", -9007199254740992.0),
        (str(1 << 1023), 2.0**1023),
        (str((1 << 1024) - (1 << 970) - 1), 1.7976931348623157e308),
    ):
        data = f"[{digits}]".encode() if name == "json" else digits.encode()
        (read,) = holdall.loads(data, list[float], format=name)
        assert (type(read), read) == (float, number)
        # An int stays the number that it is, where both are asked for.
        assert holdall.loads(data, list[int | float], format=name) == [int(digits)]
    for beyond in (str((1 << 1024) - (1 << 970)), "9" * 400):
        data = f"[{beyond}]".encode() if name == "json" else beyond.encode()
        with pytest.raises(holdall.SchemaError) as caught:
            holdall.loads(data, list[float], format=name)
        assert (caught.value.code, caught.value.path) == ("unconvertible", "$[0]")
    # Nor does a decimal lose digits, and which type a number has does not depend on its digits.
    durations = [
        holdall.loads(text, list[float | datetime.timedelta], format="ndjson")
        for text in (b"9007199254740992", b"9007199254740993")
    ]
    assert durations == [[9007199254740992.0]] * 2
    for tp in (list[decimal.Decimal | float], list[float | decimal.Decimal]):
        data = b"[9007199254740993]" if name == "json" else b"9007199254740993"
        assert holdall.loads(data, tp, format=name) == [decimal.Decimal(9007199254740993)]
    # Other formats say which numbers are floats.
    data = holdall.dumps([9007199254740993], format="cbor")
    with pytest.raises(holdall.SchemaError):
        holdall.loads(data, list[float], format="cbor")
