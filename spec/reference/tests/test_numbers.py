"""Chapter 2: numbers."""

from __future__ import annotations

import pytest
from holdall_reference.errors import FormatError
from holdall_reference.numbers import Reader, from_big, from_zigzag
from holdall_reference.writer.numbers import varint, zigzag

from tests.support import check_fault, hx


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("00", 0),
        ("02", 1),
        ("FE", 127),
        ("01 02", 128),
        ("B1 04", 300),
        ("FD FF", 2**14 - 1),
        ("03 00 02", 2**14),
        ("FB FF FF", 2**21 - 1),
        ("07 00 00 02", 2**21),
        ("F7 FF FF FF", 2**28 - 1),
        ("0F 00 00 00 02", 2**28),
        ("EF FF FF FF FF", 2**35 - 1),
        ("1F 00 00 00 00 02", 2**35),
        ("DF FF FF FF FF FF", 2**42 - 1),
        ("3F 00 00 00 00 00 02", 2**42),
        ("BF FF FF FF FF FF FF", 2**49 - 1),
        ("7F 00 00 00 00 00 00 02", 2**49),
        ("7F FF FF FF FF FF FF FF", 2**56 - 1),
        ("FF 00 00 00 00 00 00 00 01", 2**56),
        ("FF FF FF FF FF FF FF FF FF", 2**64 - 1),
    ],
)
def test_reads_varints(text: str, value: int) -> None:
    reader = Reader(hx(text))
    assert reader.varint() == value
    assert reader.remaining == 0
    assert varint(value) == hx(text)


@pytest.mark.parametrize(
    "text",
    [
        "01 00",
        "FD 01",
        "FB FF 01",
        "F7 FF FF 01",
        "EF FF FF FF 01",
        "DF FF FF FF FF 01",
        "BF FF FF FF FF FF 01",
        "7F FF FF FF FF FF FF 01",
        "FF FF FF FF FF FF FF FF 00",
    ],
)
def test_rejects_overlong_varint(text: str) -> None:
    with pytest.raises(FormatError) as error:
        Reader(hx(text)).varint()
    check_fault(error, "varint_overlong @ 0")


@pytest.mark.parametrize("text", ["", "01", "03 00", "7F 00 00 00 00 00 00", "FF 00 00 00"])
def test_rejects_truncated_varint_at_its_first_byte(text: str) -> None:
    reader = Reader(hx("AA" + text))
    reader.byte()
    with pytest.raises(FormatError) as error:
        reader.varint()
    check_fault(error, "truncated @ 1")


@pytest.mark.parametrize(
    ("number", "signed"),
    [
        (0, 0),
        (1, -1),
        (2, 1),
        (3, -2),
        (2**64 - 2, 2**63 - 1),
        (2**64 - 1, -(2**63)),
    ],
)
def test_zigzag_goes_both_ways(number: int, signed: int) -> None:
    assert from_zigzag(number) == signed
    assert zigzag(signed) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("00", 0),
        ("FF", -1),
        ("7F", 127),
        ("80", -128),
        ("80 00", 128),
        ("7F FF", -129),
        ("00 01", 256),
        ("00 00 00 00 00 00 00 00 01", 2**64),
    ],
)
def test_reads_bigs(text: str, number: int) -> None:
    assert from_big(hx(text)) == number


@pytest.mark.parametrize("text", ["", "00 00", "7F 00", "FF FF", "80 FF", "00 01 00", "00 80 FF"])
def test_rejects_big_not_shortest(text: str) -> None:
    assert from_big(hx(text)) is None
