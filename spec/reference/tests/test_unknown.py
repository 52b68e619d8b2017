"""Types and encodings of later versions, F-73 and F-77. Schemas are without D; bodies are bare."""

from __future__ import annotations

import pytest
from holdall_reference import Tagged, decode_message

from tests.kinds import NAMES
from tests.support import bare, case, hx, rejects_bare, rejects_message

UNKNOWN: Tagged = ["unknown"]


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        case("bytes_are_skipped", "E0 00", "04 FF FF", UNKNOWN),
        case("there_may_be_none", "FF 02 2A", "00", UNKNOWN),
        case("rows_share_the_bytes", "16 E0 00", "06 02 FF", ["list", [UNKNOWN] * 3]),
        case("no_rows_have_no_bytes", "16 E0 00", "00", ["list", []]),
        case(
            "all_else_is_read",
            "18 06 04 E1 00 02",
            "07 02 FF 01",
            ["tuple", [["u8", "7"], UNKNOWN, ["bool", True]]],
        ),
        case("null_is_known", "15 E0 00", "00", ["null"]),
        case("storage_may_be_unknown", "22 E0 00 E0 00", "00", ["logical", "E0", "", UNKNOWN]),
        case("keys_are_not_compared", "1B E0 00 01", "04 00", ["map", [[UNKNOWN, ["null"]]] * 2]),
    ],
)
def test_unknown_types_are_skipped(schema: str, text: str, value: Tagged) -> None:
    assert bare(schema, text) == value


@pytest.mark.parametrize(
    ("schema", "text", "fault"),
    [
        case("rejects_missing_size", "E0 00", "", "truncated @ 0"),
        case("rejects_overlong_size", "E0 00", "01 00", "varint_overlong @ 0"),
        case("rejects_short_bytes", "E0 00", "04 FF", "truncated @ 1"),
        case("rejects_huge_size", "E0 00", "FF" * 9, "truncated @ 9"),
        case("rejects_bytes_after", "E0 00", "00 00", "trailing_bytes @ 1"),
    ],
)
def test_unknown_types(schema: str, text: str, fault: str) -> None:
    rejects_bare(schema, text, fault)


def test_rows_of_unknown_types_cost_8_each() -> None:
    assert bare("16 E0 00", "04 00", budget=24)
    rejects_bare("16 E0 00", "04 00", "limit_budget @ 1", budget=23)


@pytest.mark.parametrize("code", [*NAMES, "12", "13"])
@pytest.mark.parametrize("encoding", ["E0 00", "FF 06 01 02 03"])
def test_columns_of_values_are_skipped(code: str, encoding: str) -> None:
    assert bare("16" + code, "08" + encoding) == ["list", [UNKNOWN] * 4]


def test_columns_of_bools_are_skipped_from_9_rows_on() -> None:
    assert bare("16 02", "12 E0 02 FF") == ["list", [UNKNOWN] * 9]
    # Up to 8 rows there is no encoding.
    rejects_bare("16 02", "10 E0 02 FF", "trailing_bytes @ 2")


def test_columns_below_4_rows_have_no_encoding() -> None:
    assert bare("16 04", "06 E0 E1 E2") == ["list", [["u8", str(i)] for i in (224, 225, 226)]]


def test_skipped_columns_cost_no_more_than_their_rows() -> None:
    assert bare("16 12", "08 E0 04 FF FF", budget=40)
    rejects_bare("16 12", "08 E0 04 FF FF", "limit_budget @ 1", budget=39)


def test_skipped_keys_are_not_compared() -> None:
    keys = bare("1B 03 01", "08 E0 00")
    assert keys == ["map", [[UNKNOWN, ["null"]]] * 4]
    # Those of a union: 5 rows, of which 4 are ints; the two other keys are equal.
    union = "1B 1C 08 03 04 01"
    assert bare(union, "0A 01 10 E0 00 07")[0] == "map"
    rejects_bare(union, "0C 01 30 E0 00 07 07", "duplicate_key @ 1")


@pytest.mark.parametrize(
    ("schema", "text", "fault"),
    [
        case("rejects_missing_size", "16 03", "08 E0", "truncated @ 2"),
        case("rejects_overlong_size", "16 03", "08 E0 01 00", "varint_overlong @ 2"),
        case("rejects_short_bytes", "16 03", "08 E0 04 FF", "truncated @ 3"),
        case("rejects_inner_encoding", "16 03", "08 41 00 E0 00", "bad_inner_encoding @ 3"),
        case("rejects_df", "16 03", "08 DF 00", "unknown_encoding @ 1"),
        # Columns on which others depend.
        case("rejects_lengths", "16 16 01", "08 E0 00", "unsupported @ 1"),
        case("rejects_presence", "16 15 01", "12 E0 00", "unsupported @ 1"),
        case("rejects_numbers_of_entries", "16 1B 01 01", "08 FF 00", "unsupported @ 1"),
        case("rejects_variants", "16 1C 08 03 04", "08 E0 00", "unsupported @ 1"),
        case("rejects_shapes", "16 1A 0A 04 61 01 04 00 02 00", "08 E0 00", "unsupported @ 1"),
        case("rejects_counts_of_fields", "16 1A 0C 04 61 01", "08 E0 00", "unsupported @ 1"),
        case("rejects_fields", "16 1A 0C 04 61 01", "08 80 02 E0 00", "unsupported @ 3"),
        case("rejects_ranks", "16 1D 04", "08 E0 00", "unsupported @ 1"),
        case("rejects_dimensions", "1D 04", "08 E0 00", "unsupported @ 1"),
        case("rejects_orders", "16 1D 04", "12 00 E0 00", "unsupported @ 2"),
    ],
)
def test_later_encodings(schema: str, text: str, fault: str) -> None:
    rejects_bare(schema, text, fault)


def test_rejects_references_of_later_encodings() -> None:
    # list(shared(#0)) where #0 = list(null).
    rejects_message("C1 12 02 16 20 00 16 01 02 08 E0 00", "unsupported @ 10")


def test_values_of_definitions_may_be_skipped() -> None:
    # list(#0) where #0 = int.
    assert decode_message(hx("C1 12 02 16 1F 00 03 08 08 E0 00")) == ["list", [UNKNOWN] * 4]
