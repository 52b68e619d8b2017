"""Bits, F-28. The bodies are bare, each of one list; its column follows the length."""

from __future__ import annotations

import pytest

from tests.support import bare, case, rejects_bare


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("02 01", "1"),
        ("06 05", "101"),
        ("10 FE", "01111111"),
        ("12 50", "000000000"),
        ("12 51", "111111111"),
        ("12 52 01 01", "100000001"),
        ("20 52 00 80", "0000000000000001"),
    ],
)
def test_reads_bits(text: str, bits: str) -> None:
    assert bare("16 02", text) == ["list", [["bool", bit == "1"] for bit in bits]]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_padding_of_one_byte", "06 08", "nonzero_padding @ 1"),
        case("rejects_padding_of_last_byte", "12 52 00 02", "nonzero_padding @ 3"),
        case("rejects_missing_byte", "02", "truncated @ 1"),
        case("rejects_missing_encoding", "12", "truncated @ 1"),
        case("rejects_short_payload", "12 52 00", "truncated @ 2"),
        case("rejects_unknown_encoding", "12 53", "unknown_encoding @ 1"),
        case("rejects_encoding_of_ints", "12 41", "unknown_encoding @ 1"),
        case("rejects_encoding_of_floats", "12 5A", "unknown_encoding @ 1"),
        case("rejects_encoding_of_text", "12 61", "unknown_encoding @ 1"),
        case("has_no_encoding_up_to_8_rows", "10 70 00", "trailing_bytes @ 2"),
    ],
)
def test_bits(text: str, fault: str) -> None:
    rejects_bare("16 02", text, fault)
