"""Packable types, F-70, and packed rows. Schemas are without D; bodies are bare."""

from __future__ import annotations

import pytest
from holdall_reference import Tagged, decode_bare, parse_schema, schema_text
from holdall_reference.writer.numbers import varint

from tests.kinds import NAMES, U8, U16
from tests.support import bare, case, hx, rejects_bare, rejects_schema

PAIR = "18 04 04 05"  # tuple(u8, u16)


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ("02", "01", ["bool", True]),
        ("02", "00", ["bool", False]),
        *[
            (kind, "FE" + "FF" * (int(name[1:]) // 8 - 1), ["int"])
            for kind, name in NAMES.items()
            if name[0] == "i" and name != "int"
        ],
        ("04", "FF", ["u8", "255"]),
        ("05", "01 02", ["u16", "513"]),
        ("06", "00 00 00 80", ["u32", "2147483648"]),
        ("07", "FF" * 8, ["u64", str(2**64 - 1)]),
        ("08", "00" * 15 + "80", ["u128", str(2**127)]),
        ("0E", "00 3C", ["f16", "3c00"]),
        ("0F", "80 3F", ["bf16", "3f80"]),
        ("10", "00 00 C0 3F", ["f32", "3fc00000"]),
        ("11", "01 00 00 00 00 00 F4 FF", ["f64", "fff4000000000001"]),
        ("14 04", "00 FF", ["fixed", "00ff"]),
        ("17 04 05", "01 00 02 00", ["array", [["u16", "1"], ["u16", "2"]]]),
        (PAIR, "01 02 03", ["tuple", [["u8", "1"], ["u16", "770"]]]),
        ("1A 08 04 61 04", "07", ["record", [["a", ["u8", "7"]]]]),
        ("19 04 41 08 04 61 04", "07", ["struct", "A", [["a", ["u8", "7"]]]]),
        ("22 09 00 06", "41 00 00 00", ["logical", "char", "", ["u32", "65"]]),
        ("22 E0 04 01 02 04", "07", ["logical", "E0", "0102", ["u8", "7"]]),
        ("23 04 61 04", "07", ["extension", "a", ["u8", "7"]]),
        (
            "17 04 18 04 02 17 04 04",
            "01 02 03 00 04 05",
            [
                "array",
                [
                    ["tuple", [["bool", True], ["array", [["u8", "2"], ["u8", "3"]]]]],
                    ["tuple", [["bool", False], ["array", [["u8", "4"], ["u8", "5"]]]]],
                ],
            ],
        ),
    ],
)
def test_reads_packed_values(schema: str, text: str, value: Tagged) -> None:
    if value == ["int"]:
        value = [NAMES[schema], "-2"]
    assert bare("1E" + schema, text) == value


def test_packed_rows_stand_one_after_the_other() -> None:
    pairs = [["tuple", [["u8", a], ["u16", b]]] for a, b in [("1", "2"), ("3", "4"), ("5", "6")]]
    assert bare("16 1E" + PAIR, "06 01 02 00 03 04 00 05 06 00") == ["list", pairs]
    # From 4 rows on too there is no encoding byte.
    assert bare("16 1E 04", "08 01 02 03 04") == ["list", [["u8", str(i)] for i in range(1, 5)]]
    assert bare("16 1E 04", "00") == ["list", []]


@pytest.mark.parametrize(
    ("schema", "text", "fault"),
    [
        case("rejects_short_payload", PAIR, "01 02", "truncated @ 0"),
        case("rejects_bool_2", "02", "02", "bad_bool @ 0"),
        case("rejects_bool_in_tuple", "18 04 05 02", "01 00 FF", "bad_bool @ 2"),
        case("rejects_bool_in_array", "17 06 02", "01 00 02", "bad_bool @ 2"),
        case(
            "rejects_bool_in_array_of_tuples",
            "17 04 18 04 04 17 04 02",
            "02 00 01 02 01 80",
            "bad_bool @ 5",
        ),
        case("reports_first_bool", "18 04 02 02", "03 02", "bad_bool @ 0"),
        case("checks_payload_before_bools", "17 06 02", "02 00", "truncated @ 0"),
    ],
)
def test_packed(schema: str, text: str, fault: str) -> None:
    rejects_bare("1E" + schema, text, fault)


def test_bools_are_checked_row_by_row() -> None:
    rejects_bare("16 1E 18 04 04 02", "04 05 01 06 02", "bad_bool @ 4")
    rejects_bare("16 1E 18 04 02 02", "04 00 02 02 00", "bad_bool @ 2")


def test_packed_values_cost_8_each() -> None:
    # The list, and 2 rows of 5 values.
    assert bare("16 1E 17 08 04", "04" + "00" * 8, budget=88)
    rejects_bare("16 1E 17 08 04", "04" + "00" * 8, "limit_budget @ 1", budget=87)


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("1D 14 04", "tensor(fixed(2))"),
        ("1E 17 04 18 02 0D", "packed(array(2, tuple(i128)))"),
        ("1D 1A 08 04 61 0E", "tensor(record {a: f16})"),
        ("1E 22 08 00 14 20", "packed(uuid(fixed(16)))"),
        ("1D 23 04 61 0F", 'tensor(extension "a"(bf16))'),
        (
            "18 04 19 04 41 08 04 61 04 1E 19 02 08 06 04",
            "tuple(struct A {a: u8}, packed(struct A {a: u8}))",
        ),
        (
            "18 04 1E 19 04 41 08 04 61 04 19 02 08 06 04",
            "tuple(packed(struct A {a: u8}), struct A {a: u8})",
        ),
    ],
)
def test_packable_types(text: str, schema: str) -> None:
    assert schema_text(parse_schema(hx("00" + text))) == schema


@pytest.mark.parametrize("outer", ["1D", "1E"])
@pytest.mark.parametrize(
    "code", hx("00 01 03 12 13 15 16 1B 1C 1D 1E 1F 20 21 24 2A DF E0 FF"), ids="{:02X}".format
)
def test_rejects_types_that_are_not_packable(outer: str, code: int) -> None:
    rejects_schema(f"00 {outer} {code:02X}", "bad_packed @ 2")
    rejects_schema(f"00 {outer} 18 04 04 {code:02X}", "bad_packed @ 5")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_missing_type", "1E", "truncated @ 2"),
        case("rejects_in_array", "1E 17 04 12", "bad_packed @ 4"),
        case("rejects_in_record", "1E 1A 08 04 61 16", "bad_packed @ 6"),
        case("rejects_in_extension", "1E 23 04 61 03", "bad_packed @ 5"),
        case("rejects_in_storage", "1E 22 05 00 18 06 04 03 03", "bad_packed @ 8"),
        case("checks_storage", "1E 22 09 00 04", "bad_storage @ 5"),
        # Forms: before the count of fields is checked.
        case("rejects_several_shapes", "1E 1A 0A", "bad_packed @ 3"),
        case("rejects_sparse_struct", "1D 19 04 41 0C", "bad_packed @ 5"),
        case("checks_form_3_before", "1D 1A 0E", "bad_form @ 3"),
        # Widths.
        case("rejects_fixed_of_no_bytes", "1E 14 00", "bad_packed @ 2"),
        case("rejects_array_of_no_items", "1E 17 00 04", "bad_packed @ 2"),
        case("rejects_empty_tuple", "1D 18 00", "bad_packed @ 2"),
        case("rejects_empty_record", "1D 1A 00", "bad_packed @ 2"),
        case("rejects_empty_struct", "1E 19 04 41 00", "bad_packed @ 2"),
        case("rejects_nothing_inside", "1E 18 04 04 14 00", "bad_packed @ 5"),
        case("reports_the_type_that_is_complete_first", "1E 17 04 18 00", "bad_packed @ 4"),
    ],
)
def test_packable(text: str, fault: str) -> None:
    rejects_schema("00" + text, fault)


@pytest.mark.parametrize("outer", ["1D", "1E"])
def test_widths_are_limited(outer: str) -> None:
    most = 2**20

    def array(count: int, item: str) -> str:
        return "17" + varint(count).hex() + item

    for text in [
        "14" + varint(most).hex(),
        array(most, U8),
        array(most // 2, U16),
        array(2**10, array(2**10, U8)),
    ]:
        assert parse_schema(hx("00" + outer + text))
    for text in [
        "14" + varint(most + 1).hex(),
        array(most + 1, U8),
        array(most // 2 + 1, U16),
        array(2**63, U16),
        "18 04 04 14" + varint(most).hex(),
    ]:
        rejects_schema("00" + outer + text, "bad_packed @ 2")
    # The one inside is complete first.
    rejects_schema("00" + outer + array(2, array(2**63, U16)), "bad_packed @ 4")


def test_values_nest_in_packed_rows() -> None:
    # Extensions up to level 127, and a u8.
    schema = parse_schema(hx("00 1E 23 00" + "23 02" * 125 + "04"))
    value = decode_bare(hx("07"), schema)
    for _ in range(126):
        assert value[:2] == ["extension", ""]
        assert isinstance(value[2], list)
        value = value[2]
    assert value == ["u8", "7"]
