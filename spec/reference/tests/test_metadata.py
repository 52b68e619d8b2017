"""Metadata, F-68. Messages of null, without length and checksum."""

from __future__ import annotations

import pytest
from holdall_reference import decode_message, message_metadata

from tests.support import case, hx, rejects_message


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        case("none", "00", {}),
        case("one", "02 02 61 04 C3 A4", {"a": "ä"}),
        case("in_the_order_written", "04 02 62 00 02 61 02 62", {"b": "", "a": "b"}),
        case("nothing_has_no_bytes", "02 00 00", {"": ""}),
        case("equal_values", "04 02 61 02 63 02 62 02 63", {"a": "c", "b": "c"}),
    ],
)
def test_reads_metadata(text: str, pairs: dict[str, str]) -> None:
    message = hx("C1 18 01" + text + "01")
    metadata = message_metadata(message)
    assert metadata is not None
    assert list(metadata.items()) == list(pairs.items())
    assert decode_message(message) == ["null"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_missing_count", "", "truncated @ 3"),
        case("rejects_overlong_count", "01 00", "varint_overlong @ 3"),
        case("checks_count_against_remaining_bytes", "06 00 00", "truncated @ 3"),
        case("rejects_missing_key", "02 04 61", "truncated @ 5"),
        case("rejects_missing_value", "02 02 61", "truncated @ 6"),
        case("rejects_short_value", "02 02 61 04 61", "truncated @ 7"),
        case("rejects_key_not_utf8", "02 04 61 FF 00", "invalid_utf8 @ 5"),
        case("rejects_value_not_utf8", "02 02 61 04 61 FF", "invalid_utf8 @ 7"),
        case("rejects_surrogate", "02 00 06 ED A0 80", "invalid_utf8 @ 6"),
        # The value is never read.
        case("rejects_key_twice", "04 02 61 00 02 61 FF", "duplicate_name @ 7"),
        case("rejects_empty_key_twice", "04 00 00 00 00", "duplicate_name @ 6"),
    ],
)
def test_metadata(text: str, fault: str) -> None:
    rejects_message("C1 18 01" + text, fault)


def test_metadata_are_readable_alone() -> None:
    # Readers that lack the fingerprint, or cannot read the schema or the block.
    for flags, rest in [("19", "00" * 8), ("18", "2A"), ("18", "04"), ("1A", "")]:
        assert message_metadata(hx(f"C1 {flags} 01 02 02 61 00 {rest}")) == {"a": ""}
    rejects_message("C1 19 01 02 02 61 00" + "00" * 8, "unknown_fingerprint @ 7")


def test_metadata_are_readable_when_the_rest_has_not_come() -> None:
    # Length and checksum are not checked: that needs the whole message.
    assert message_metadata(hx("C1 18 07 26 02 02 61 00")) == {"a": ""}
    rejects_message("C1 18 07 26 02 02 61 00", "truncated @ 4")


def test_messages_without_metadata_have_none() -> None:
    assert message_metadata(hx("C1 10 01")) is None
    assert message_metadata(hx("C1 18 04 0A 01")) is None
