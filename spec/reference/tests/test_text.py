"""Text, F-32. Schemas are without D; bodies are bare, each of one list."""

from __future__ import annotations

import pytest

from tests.kinds import BYTES, STRING, texts, unsigned
from tests.support import bare, case, rejects_bare


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        (STRING, "02 00", [""]),
        (STRING, "02 04 C3 A4", ["ä"]),
        (STRING, "02 08 F0 9F 92 BC", ["💼"]),
        (STRING, "04 02 04 61 C3 A4", ["a", "ä"]),
        (STRING, "08 60 00", ["", "", "", ""]),
        (STRING, "08 60 80 02 61 62 63 64", ["a", "b", "c", "d"]),
        (STRING, "08 60 02 E4 61 62 62 63 63 63", ["", "a", "bb", "ccc"]),
        (BYTES, "04 02 02 C3 A4", ["c3", "a4"]),
        (STRING, "08 60 41 02 00 61 62 63 64", ["a", "b", "c", "d"]),
        (STRING, "08 60 42 00 04 01 05 61 61 62 62", ["aa", "", "bb", ""]),
    ],
)
def test_reads_text(schema: str, text: str, value: list[str]) -> None:
    assert bare("16" + schema, text) == texts(schema, *value)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_missing_length", "04 00", "truncated @ 2"),
        case("rejects_short_payload", "04 02 04 61 62", "truncated @ 3"),
        case("rejects_lengths_beyond_2_to_64", "04" + "FF" * 18 + "61", "truncated @ 19"),
        case("rejects_character_over_two_rows", "04 02 02 C3 A4", "invalid_utf8 @ 3"),
        case("reports_first_byte_of_row", "04 02 06 61 62 63 80", "invalid_utf8 @ 4"),
        case("rejects_surrogate", "02 06 ED A0 80", "invalid_utf8 @ 2"),
        case("rejects_overlong_utf8", "02 04 C0 80", "invalid_utf8 @ 2"),
        case("rejects_above_10ffff", "02 08 F4 90 80 80", "invalid_utf8 @ 2"),
        case("rejects_unknown_encoding", "08 63", "unknown_encoding @ 1"),
        case("rejects_missing_inner_encoding", "08 60", "truncated @ 2"),
        case("rejects_big_in_text", "08 60 44", "bad_inner_encoding @ 2"),
        case("rejects_43_in_text", "08 60 43", "bad_inner_encoding @ 2"),
        case("rejects_text_in_text", "08 60 60", "bad_inner_encoding @ 2"),
        case("rejects_zstd_in_text", "08 60 70", "bad_inner_encoding @ 2"),
        case("rejects_padding_of_lengths", "08 60 01 10", "nonzero_padding @ 3"),
        case("rejects_short_plain", "08 60 80 02 61 62 63", "truncated @ 4"),
        case("reports_row_of_plain", "08 60 80 02 61 62 FF FF", "invalid_utf8 @ 6"),
    ],
)
def test_text(text: str, fault: str) -> None:
    rejects_bare("16 12", text, fault)


def test_text_is_charged_at_its_payload() -> None:
    # 8 for the list, 16 for the strings, 2 for the payload; the charge precedes UTF-8.
    assert bare("16 12", "04 02 02 61 62", budget=26)
    rejects_bare("16 12", "04 02 02 61 FF", "limit_budget @ 3", budget=25)
    rejects_bare("16 12", "04 02 02 61", "truncated @ 3", budget=25)


# Dictionary. The encoding is at offset 1, d at 2, the lengths at 3.


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        (STRING, "08 61 04 80 02 61 62 01 06", ["a", "b", "b", "a"]),
        (STRING, "08 61 04 82 02 08 61 C3 A4 62 01 0A", ["a", "äb", "a", "äb"]),
        (STRING, "08 61 02 00 00", ["", "", "", ""]),
        (STRING, "08 61 02 80 02 61 00", ["a", "a", "a", "a"]),
        # One length by delta has no differences.
        (STRING, "08 61 02 41 06 61 62 63 00", ["abc"] * 4),
        # As many entries as rows; entries that are equal, and one that no row has.
        (STRING, "08 61 08 80 02 61 62 61 64 02 50", ["a", "a", "b", "b"]),
        (BYTES, "08 61 04 80 02 C3 A4 01 05", ["a4", "c3", "a4", "c3"]),
    ],
)
def test_reads_dictionaries(schema: str, text: str, value: list[str]) -> None:
    assert bare("16" + schema, text) == texts(schema, *value)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_missing_d", "08 61", "truncated @ 2"),
        case("rejects_overlong_d", "08 61 01 00", "varint_overlong @ 2"),
        case("rejects_no_entries", "08 61 00", "bad_dictionary @ 2"),
        case("rejects_more_entries_than_rows", "08 61 0A", "bad_dictionary @ 2"),
        case("rejects_2_to_64_entries", "08 61" + "FF" * 9, "bad_dictionary @ 2"),
        case("rejects_missing_lengths", "08 61 04", "truncated @ 3"),
        case("rejects_padding_of_lengths", "08 61 04 01 04", "nonzero_padding @ 4"),
        case("rejects_short_payload", "08 61 04 80 02 61", "truncated @ 5"),
        case(
            "rejects_lengths_beyond_2_to_64", "08 61 04 C0" + "FF" * 9 + "00" * 16, "truncated @ 29"
        ),
        case("rejects_entry_that_is_not_utf8", "08 61 04 80 02 61 80", "invalid_utf8 @ 6"),
        case("rejects_character_over_two_entries", "08 61 04 80 02 C3 A4", "invalid_utf8 @ 5"),
        case("rejects_missing_indices", "08 61 04 80 02 61 62", "truncated @ 7"),
        case("rejects_43_of_indices", "08 61 04 80 02 61 62 43", "bad_inner_encoding @ 7"),
        case("rejects_zstd_of_indices", "08 61 04 80 02 61 62 70", "bad_inner_encoding @ 7"),
        case("rejects_padding_of_indices", "08 61 04 80 02 61 62 01 16", "nonzero_padding @ 8"),
        case("rejects_no_such_entry", "08 61 04 80 02 61 62 02 08", "index_out_of_range @ 7"),
        case("rejects_entry_d", "08 61 02 80 02 61 01 04", "index_out_of_range @ 6"),
    ],
)
def test_dictionaries(text: str, fault: str) -> None:
    rejects_bare("16 12", text, fault)


def test_rows_of_a_dictionary_are_charged_at_the_column() -> None:
    # 8 for the list, 32 for the strings, 2·1 and 2·3 for the rows; nothing for the entries.
    text = "08 61 04 82 02 08 61 C3 A4 62 01 0A"
    assert bare("16 12", text, budget=48)
    rejects_bare("16 12", text, "limit_budget @ 1", budget=47)
    # The charge comes last.
    rejects_bare("16 12", text[:-2] + "1A", "nonzero_padding @ 11", budget=47)
    rejects_bare("16 12", "08 61 02 80 02 61 01 04", "index_out_of_range @ 6", budget=40)


def test_a_long_entry_costs_as_often_as_it_is_used() -> None:
    # 2^20 rows of one entry with 4,096 bytes.
    text = unsigned(2**20) + "61 02 80" + unsigned(4096) + "61" * 4096 + "00"
    rejects_bare("16 12", text, "limit_budget @ 3", budget=2**32)
