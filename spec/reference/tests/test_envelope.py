"""Chapter 3: envelope."""

from __future__ import annotations

import pytest
from holdall_reference import (
    FormatError,
    decode_bare,
    decode_message,
    fingerprint,
    message_metadata,
    message_schema,
    parse_schema,
    schema_text,
)
from holdall_reference.checksum import crc32c

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
        case("rejects_fingerprint_with_definitions", "C1 13", "bad_flags @ 1"),
        case("checks_flags_before_extended_flags", "C1 1B", "bad_flags @ 1"),
        case("rejects_missing_extended_flags", "C1 18", "truncated @ 2"),
        case("rejects_no_extended_flags", "C1 18 00 01", "bad_flags @ 2"),
        case("rejects_checksum_without_length", "C1 18 02 01", "bad_flags @ 2"),
        case("rejects_metadata_and_checksum_alone", "C1 18 03 00 01", "bad_flags @ 2"),
        case("rejects_reserved_extended_flag", "C1 18 10 01", "unsupported @ 2"),
        case("rejects_last_extended_flag", "C1 18 84 02 01", "unsupported @ 2"),
        case("checks_reserved_before_bad_extended_flags", "C1 18 12 01", "unsupported @ 2"),
        # The length, F-67.
        case("rejects_missing_length", "C1 18 04", "truncated @ 3"),
        case("rejects_overlong_length", "C1 18 04 01 00", "varint_overlong @ 3"),
        case("rejects_fewer_bytes_than_the_length", "C1 18 04 0E 04 07", "truncated @ 4"),
        case("rejects_more_bytes_than_the_length", "C1 18 04 0A 04 07", "trailing_bytes @ 5"),
        case("rejects_length_of_less_than_the_head", "C1 18 04 06", "truncated @ 4"),
        case("rejects_length_of_0", "C1 18 04 00 04 07", "truncated @ 4"),
        case("rejects_length_of_no_schema", "C1 18 04 08", "truncated @ 4"),
        case("rejects_block_beyond_the_length", "C1 18 04 0A 04", "truncated @ 5"),
        case("rejects_length_after_the_block", "C1 18 04 0E 04 07 00", "trailing_bytes @ 6"),
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


# The worked message of F-69: metadata, checksum, length.
CHECKED = hx("C1 18 07 26 02 06 66 6F 6F 06 62 61 72 04 07 5B 18 D0 48")


def checked(text: str) -> str:
    """Bytes with their checksum after them."""
    return text + crc32c(hx(text)).to_bytes(4, "little").hex()


def test_reads_length() -> None:
    assert decode_message(hx("C1 18 04 0C 04 07")) == ["u8", "7"]
    assert decode_message(hx("C1 1A 04 14 02 1F 00 04 02 07")) == ["u8", "7"]


def test_reads_metadata_and_checksum() -> None:
    assert decode_message(CHECKED) == ["u8", "7"]
    assert message_metadata(CHECKED) == {"foo": "bar"}
    assert schema_text(message_schema(CHECKED)) == "u8"


def test_notices_every_flipped_bit() -> None:
    for bit in range(8 * len(CHECKED)):
        damaged = bytearray(CHECKED)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(FormatError):
            decode_message(bytes(damaged))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_other_checksum", CHECKED[:-1].hex() + "49", "bad_checksum @ 15"),
        case("checks_length_before_checksum", CHECKED[:-1].hex(), "truncated @ 4"),
        case("rejects_bytes_after_checksum", CHECKED.hex() + "00", "trailing_bytes @ 19"),
        case("rejects_length_without_room", "C1 18 06 0E 01 02 03", "truncated @ 4"),
        case("rejects_checksum_of_no_schema", checked("C1 18 06 10"), "truncated @ 4"),
        # A schema, and its block in the checksum.
        case("rejects_block_in_the_checksum", checked("C1 18 06 12 04"), "truncated @ 5"),
        case(
            "rejects_bytes_before_the_checksum",
            checked("C1 18 06 16 04 07 00"),
            "trailing_bytes @ 6",
        ),
        # Before anything else is read: the type 2A has no meaning.
        case("checks_checksum_first", "C1 18 06 12 2A 00 00 00 00", "bad_checksum @ 5"),
    ],
)
def test_checksums(text: str, fault: str) -> None:
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
