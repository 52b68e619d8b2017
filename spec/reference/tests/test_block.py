"""Chapter 5: block, and F-31. Schemas here are without D; bodies are bare."""

from __future__ import annotations

import pytest
from holdall_reference import Tagged, decode_bare, decode_message, parse_schema

from tests.support import bare, case, hx, rejects_bare, rejects_message

ONE: Tagged = ["int", "1"]
TWO: Tagged = ["int", "2"]
TRUE: Tagged = ["bool", True]

UNION = "1C 08 02 03"  # union(bool, int)
SHAPED = "1A 12 04 61 03 04 62 02 04 02 00 04 02 00"  # record {a: int, b: bool} [0, 1 0]
SPARSE = "1A 14 04 61 03 04 62 02"  # record {a: int, b: bool} sparse


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        case("null_has_no_columns", "01", "", ["null"]),
        case("bool_has_bits", "02", "01", TRUE),
        case("absent_option_has_no_row_inside", "15 03", "00", ["null"]),
        case("present_option_has_a_row_inside", "15 03", "01 04", ONE),
        case("options_nest", "15 15 01", "01 00", ["null"]),
        case("list_of_never_is_empty", "16 00", "00", ["list", []]),
        case("list_has_lengths", "16 03", "04 04 08", ["list", [ONE, TWO]]),
        case("fixed_have_no_lengths", "14 04", "00 FF", ["fixed", "00ff"]),
        case("fixed_of_no_bytes", "14 00", "", ["fixed", ""]),
        case(
            "fixed_stand_one_after_the_other",
            "16 14 02",
            "0A 01 02 03 04 05",
            ["list", [["fixed", f"0{i}"] for i in range(1, 6)]],
        ),
        case("array_has_no_lengths", "17 04 03", "04 08", ["array", [ONE, TWO]]),
        case("array_of_no_items", "17 00 00", "", ["array", []]),
        case(
            "rows_of_an_array_share_a_column",
            "16 17 04 03",
            "04 80 04",
            ["list", [["array", [ONE, ONE]]] * 2],
        ),
        case(
            "arrays_nest",
            "17 04 17 02 03",
            "04 08",
            ["array", [["array", [ONE]], ["array", [TWO]]]],
        ),
        case("tuple_may_be_empty", "18 00", "", ["tuple", []]),
        case("tuple_members_have_rows_each", "18 04 03 02", "04 01", ["tuple", [ONE, TRUE]]),
        case("record_may_be_empty", "1A 00", "", ["record", []]),
        case("struct_is_named", "19 04 41 08 04 61 03", "04", ["struct", "A", [["a", ONE]]]),
        case("map_may_be_empty", "1B 12 03", "00", ["map", []]),
        case(
            "keys_stand_before_values",
            "1B 12 03",
            "04 02 02 61 62 04 08",
            ["map", [[["string", "a"], ONE], [["string", "b"], TWO]]],
        ),
        case("unnamed_union_is_its_inner_value", UNION, "02 04", ONE),
        case("union_of_one_has_no_column", "1C 06 04 41 01", "", ["variant", "A", ["null"]]),
        case("named_union_has_names", "1C 0A 04 41 01 04 42 03", "02 04", ["variant", "B", ONE]),
        case(
            "variants_have_columns_of_their_own",
            "16" + UNION,
            "06 02 00 02 01 04 08",
            ["list", [ONE, TRUE, TWO]],
        ),
        case(
            "rows_have_shapes",
            "16" + SHAPED,
            "04 00 02 04 08 01",
            ["list", [["record", [["a", ONE]]], ["record", [["b", TRUE], ["a", TWO]]]]],
        ),
        case(
            "sparse_rows_store_their_shapes",
            "16" + SPARSE,
            "06 00 02 04 00 02 00 04 08 01",
            [
                "list",
                [
                    ["record", []],
                    ["record", [["a", ONE]]],
                    ["record", [["b", TRUE], ["a", TWO]]],
                ],
            ],
        ),
        case("sparse_row_of_no_fields_has_no_second_column", SPARSE, "00", ["record", []]),
    ],
)
def test_reads(schema: str, text: str, value: Tagged) -> None:
    assert bare(schema, text) == value


@pytest.mark.parametrize(
    ("schema", "text", "fault"),
    [
        case("rejects_never_at_root", "00", "", "never_has_rows @ 0"),
        case("rejects_union_of_none_at_root", "1C 02", "", "never_has_rows @ 0"),
        case("rejects_rows_of_never", "16 00", "02", "never_has_rows @ 1"),
        case("rejects_presence_of_never", "15 00", "01", "never_has_rows @ 1"),
        case("rejects_items_of_never", "17 02 00", "", "never_has_rows @ 0"),
        case("rejects_short_fixed", "14 06", "01 02", "truncated @ 0"),
        case("rejects_huge_fixed", "16 14" + "FF" * 9, "04", "truncated @ 1"),
        case("rejects_huge_array", "17" + "FF" * 9 + "01", "", "limit_budget @ 0"),
        case("rejects_huge_array_of_arrays", "17" + "FF" * 9 + "17 FE 00", "", "limit_budget @ 0"),
        case("rejects_no_such_variant", UNION, "04", "index_out_of_range @ 0"),
        case("reports_first_varint", "16" + UNION, "06 00 04 06", "index_out_of_range @ 2"),
        case("checks_bounds_after_the_column", "16" + UNION, "06 00 04", "truncated @ 3"),
        case("reports_column_from_4_rows", "16" + UNION, "08 02 E4", "index_out_of_range @ 1"),
        case("rejects_no_such_shape", SHAPED, "04", "index_out_of_range @ 0"),
        case("rejects_more_fields_than_there_are", SPARSE, "06", "index_out_of_range @ 0"),
        case("rejects_no_such_field", SPARSE, "02 04", "index_out_of_range @ 1"),
        case("rejects_field_twice_in_row", SPARSE, "04 00 00", "bad_shape @ 1"),
        case(
            "checks_bounds_before_fields_twice",
            "16" + SPARSE,
            "04 04 02 00 00 04",
            "index_out_of_range @ 5",
        ),
        case(
            "reports_fields_twice_at_second_column",
            "16" + SPARSE,
            "04 04 04 01 0E",
            "bad_shape @ 3",
        ),
    ],
)
def test_block(schema: str, text: str, fault: str) -> None:
    rejects_bare(schema, text, fault)


def test_sums_do_not_wrap() -> None:
    # Two lists of 2^64-1 items and 1: 2^64 rows, and not none.
    text = "04" + "FF" * 9 + "02"
    rejects_bare("16 16 01", text, "limit_budget @ 11")
    rejects_bare("16 16 00", text, "never_has_rows @ 11")


def test_row_counts_of_definitions_stand_first() -> None:
    schema = parse_schema(hx("04 18 04 1F 00 1F 02 03 02"))
    assert decode_bare(hx("02 02 04 01"), schema) == ["tuple", [ONE, TRUE]]


def test_definition_without_rows_has_no_columns() -> None:
    assert decode_message(hx("C1 12 02 15 1F 00 03 00 00")) == ["null"]
    assert decode_message(hx("C1 12 02 15 1F 00 00 00 00")) == ["null"]


def test_never_in_definition_has_no_rows() -> None:
    rejects_message("C1 12 02 15 1F 00 00 02 01", "never_has_rows @ 9")
