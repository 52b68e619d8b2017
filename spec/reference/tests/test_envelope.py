"""Chapter 3: envelope."""

from __future__ import annotations

import pytest
from holdall_reference import (
    decode_bare,
    decode_message,
    fingerprint,
    message_schema,
    parse_schema,
    schema_text,
)

from tests.support import case, hx, rejects_bare, rejects_message

BOOL_SCHEMA = parse_schema(hx("00 02"))
BY_FINGERPRINT = b"\xc1\x11" + fingerprint(BOOL_SCHEMA.data).to_bytes(8, "little") + b"\x01"


def test_reads_the_worked_message() -> None:
    value = decode_message(hx("C1 10 1A 08 04 61 03 04"))
    assert value == ["record", [["a", ["int", "1"]]]]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_empty_message", "", "truncated @ 0"),
        case("rejects_other_magic", "C0", "bad_magic @ 0"),
        case("rejects_message_of_magic_alone", "C1", "truncated @ 1"),
        case("rejects_version_0", "C1 00 02 01", "bad_version @ 1"),
        case("rejects_version_2", "C1 20 02 01", "bad_version @ 1"),
        case("rejects_stream", "C1 F1", "unsupported @ 1"),
        case("checks_version_before_flags", "C1 2F", "bad_version @ 1"),
        case("rejects_aligned", "C1 14 02 01", "unsupported @ 1"),
        case("rejects_extended", "C1 18 00 02 01", "unsupported @ 1"),
        case("checks_reserved_flags_before_bad_flags", "C1 1F", "unsupported @ 1"),
        case("rejects_fingerprint_with_definitions", "C1 13", "bad_flags @ 1"),
        case("rejects_missing_schema", "C1 10", "truncated @ 2"),
        case("rejects_missing_block", "C1 10 02", "truncated @ 3"),
        case("rejects_trailing_bytes", "C1 10 02 01 00", "trailing_bytes @ 4"),
        case("rejects_short_fingerprint", "C1 11 00 00 00 00 00 00 00", "truncated @ 2"),
        case("rejects_fingerprint", "C1 11 00 00 00 00 00 00 00 00", "unknown_fingerprint @ 2"),
        case("rejects_no_definitions", "C1 12 00 02 01", "bad_definition_count @ 2"),
    ],
)
def test_envelope(text: str, fault: str) -> None:
    rejects_message(text, fault)


def test_finds_schema_by_fingerprint() -> None:
    known = {fingerprint(BOOL_SCHEMA.data): BOOL_SCHEMA}
    assert decode_message(BY_FINGERPRINT, schemas=known) == ["bool", True]
    assert decode_message(BY_FINGERPRINT, schemas=[BOOL_SCHEMA]) == ["bool", True]
    assert schema_text(message_schema(BY_FINGERPRINT, schemas=known)) == "bool"


def test_schema_by_fingerprint_may_have_definitions() -> None:
    schema = parse_schema(hx("02 1F 00 02"))
    message = b"\xc1\x11" + fingerprint(schema.data).to_bytes(8, "little") + hx("02 01")
    assert decode_message(message, schemas=[schema]) == ["bool", True]


def test_message_schema_has_d_written() -> None:
    assert message_schema(hx("C1 10 02 01")).data == hx("00 02")
    assert message_schema(hx("C1 12 02 1F 00 02")).data == hx("02 1F 00 02")


def test_trailing_bytes_come_before_assembly() -> None:
    # One row of definition 0 is written, two are used.
    rejects_message("C1 12 02 18 04 1F 00 1F 00 02 02 00", "definition_rows_mismatch @ 10")
    rejects_message("C1 12 02 18 04 1F 00 1F 00 02 02 00 00", "trailing_bytes @ 12")


def test_bare_body_is_the_block_alone() -> None:
    assert decode_bare(hx("01"), BOOL_SCHEMA) == ["bool", True]
    assert decode_bare(b"", parse_schema(hx("00 01"))) == ["null"]
    assert decode_bare(b"", parse_schema(hx("00 1A 00"))) == ["record", []]
    rejects_bare("02", "", "truncated @ 0")
    rejects_bare("02", "01 01", "trailing_bytes @ 1")
    rejects_bare("01", "00", "trailing_bytes @ 0")
