"""Logical types and extensions, F-72. Schemas are without D; bodies are bare."""

from __future__ import annotations

import pytest
from holdall_reference import Tagged, decode_message, dumps, parse_schema, schema_text
from holdall_reference.logical import KINDS
from holdall_reference.writer.numbers import varint

from tests.support import (
    bare,
    case,
    hx,
    no_collector,
    rejects_bare,
    rejects_message,
    rejects_schema,
)

INT_0: Tagged = ["int", "0"]
PAIR = "18 04 03 03"  # tuple(int, int)


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("01 00 03", "date(int)"),
        ("01 00 0C", "date(i64)"),
        ("02 02 00 03", "time[s](int)"),
        ("02 02 03 0C", "time[ns](i64)"),
        ("03 04 01 00 03", "timestamp[ms, local](int)"),
        ("03 04 02 01 0C", "timestamp[us, utc](i64)"),
        ("03 04 03 02 18 04 03 0B", "timestamp[ns, offset](tuple(int, i32))"),
        ("03 04 00 03 18 04 0C 12", "timestamp[s, zone](tuple(i64, string))"),
        ("04 02 02 03", "duration[us](int)"),
        ("05 00 18 06 04 03 03", "decimal(tuple(u8, int, int))"),
        ("06 00 18 04 03 03", "rational(tuple(int, int))"),
        ("07 02 04 18 04 10 10", "complex[4](tuple(f32, f32))"),
        ("07 02 08 18 04 11 11", "complex[8](tuple(f64, f64))"),
        ("08 00 14 20", "uuid(fixed(16))"),
        ("09 00 06", "char(u32)"),
        ("0A 00 16 12", "set(list(string))"),
        ("0B 00 16 00", "frozen_set(list(never))"),
        ("0C 00 16 15 16 03", "long_tuple(list(option(list(int))))"),
        ("0D 00 13", "byte_array(bytes)"),
        ("0E 00 1B 12 03", "ordered_map(map(string, int))"),
        ("0F 00 16 02", "bit_vector(list(bool))"),
        ("0F 00 16 00", "bit_vector(list(never))"),
        ("10 00 12", "symbol(string)"),
        ("11 04 00 00 12", "path[any, string](string)"),
        ("11 04 01 01 13", "path[posix, bytes](bytes)"),
        ("11 04 02 00 12", "path[windows, string](string)"),
        ("12 00 12", "url(string)"),
        ("13 02 04 14 08", "ip_address[4](fixed(4))"),
        ("13 02 06 14 20", "ip_address[6](fixed(16))"),
        ("14 02 04 18 04 14 08 04", "ip_network[4](tuple(fixed(4), u8))"),
        ("14 02 06 18 04 14 20 04", "ip_network[6](tuple(fixed(16), u8))"),
        ("15 00 18 04 12 12", "regular_expression(tuple(string, string))"),
        ("16 00 18 06 03 03 03", "range(tuple(int, int, int))"),
        ("17 00 13", "wtf8_string(bytes)"),
        # Of later versions.
        ("E0 00 03", "logical[E0](int)"),
        ("FF 04 0A B1 16 03", "logical[FF 0A B1](list(int))"),
        ("E0 00 22 E1 02 00 22 01 00 03", "logical[E0](logical[E1 00](date(int)))"),
    ],
)
def test_reads_kinds(text: str, schema: str) -> None:
    assert schema_text(parse_schema(hx("00 22" + text))) == schema


@pytest.mark.parametrize("kind", sorted(set(range(0xE0)) - set(KINDS)))
def test_rejects_kinds_without_meaning(kind: int) -> None:
    rejects_schema(f"00 22 {kind:02X}", "unknown_kind @ 2")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_missing_kind", "", "truncated @ 2"),
        case("rejects_missing_count", "01", "truncated @ 3"),
        case("rejects_overlong_count", "01 01 00", "varint_overlong @ 3"),
        case("rejects_parameter_of_date", "01 02 00 03", "bad_parameters @ 3"),
        case("rejects_time_without_unit", "02 00 03", "bad_parameters @ 3"),
        case("rejects_timestamp_without_zone", "03 02 00 03", "bad_parameters @ 3"),
        # A count that the kind does not have is noticed before the bytes.
        case("checks_count_before_bytes", "03 FE", "bad_parameters @ 3"),
        case("rejects_missing_parameters", "03 04 01", "truncated @ 4"),
        case("rejects_unit_4", "02 02 04 FF", "bad_parameters @ 4"),
        case("rejects_zone_4", "03 04 03 04 FF", "bad_parameters @ 5"),
        case("reports_first_parameter", "03 04 04 04", "bad_parameters @ 4"),
        case("rejects_complex_of_2", "07 02 02", "bad_parameters @ 4"),
        case("rejects_style_3", "11 04 03 00", "bad_parameters @ 4"),
        case("rejects_text_2", "11 04 00 02", "bad_parameters @ 5"),
        case("rejects_ip_5", "13 02 05", "bad_parameters @ 4"),
        case("rejects_network_of_5", "14 02 05", "bad_parameters @ 4"),
        case("rejects_missing_storage", "01 00", "truncated @ 4"),
        case("rejects_short_parameters_of_later_kind", "E0 04 00", "truncated @ 4"),
        case("rejects_later_kind_without_storage", "E0 02 00", "truncated @ 5"),
    ],
)
def test_parameters(text: str, fault: str) -> None:
    rejects_schema("00 22" + text, fault)


@pytest.mark.parametrize(
    ("text", "storage"),
    [
        case("rejects_date_of_i32", "01 00", "0B"),
        case("rejects_date_of_option", "01 00", "15 03"),
        case("rejects_time_of_pair", "02 02 00", PAIR),
        case("rejects_utc_with_offset", "03 04 00 01", "18 04 03 0B"),
        case("rejects_offset_alone", "03 04 00 02", "03"),
        case("rejects_offset_of_int", "03 04 00 02", PAIR),
        case("rejects_zone_of_offset", "03 04 00 03", "18 04 03 0B"),
        case("rejects_offset_of_zone", "03 04 00 02", "18 04 03 12"),
        case("rejects_decimal_of_i64", "05 00", "18 06 04 0C 03"),
        case("rejects_decimal_of_two", "05 00", "18 04 04 03"),
        case("rejects_rational_of_three", "06 00", "18 06 03 03 03"),
        case("rejects_complex_4_of_f64", "07 02 04", "18 04 11 11"),
        case("rejects_complex_8_of_f32", "07 02 08", "18 04 10 10"),
        case("rejects_uuid_of_bytes", "08 00", "13"),
        case("rejects_uuid_of_15", "08 00", "14 1E"),
        case("rejects_char_of_string", "09 00", "12"),
        case("rejects_set_of_array", "0A 00", "17 02 03"),
        case("rejects_frozen_set_of_map", "0B 00", "1B 03 03"),
        case("rejects_long_tuple_of_tuple", "0C 00", PAIR),
        case("rejects_byte_array_of_string", "0D 00", "12"),
        case("rejects_ordered_map_of_record", "0E 00", "1A 00"),
        case("rejects_bit_vector_of_u8", "0F 00", "16 04"),
        case("rejects_symbol_of_bytes", "10 00", "13"),
        case("rejects_path_of_other_text", "11 04 00 01", "12"),
        case("rejects_url_of_int", "12 00", "03"),
        case("rejects_ip_4_of_16", "13 02 04", "14 20"),
        case("rejects_ip_6_of_4", "13 02 06", "14 08"),
        case("rejects_network_of_address", "14 02 04", "14 08"),
        case("rejects_network_of_i8", "14 02 04", "18 04 14 08 09"),
        case("rejects_expression_without_flags", "15 00", "12"),
        case("rejects_range_of_two", "16 00", PAIR),
        case("rejects_wtf8_of_string", "17 00", "12"),
        case("rejects_logical_inside", "01 00", "22 E0 00 03"),
        case("rejects_extension_inside", "01 00", "23 04 61 03"),
        case("rejects_unknown_inside", "01 00", "E0 00"),
    ],
)
def test_rejects_other_storage(text: str, storage: str) -> None:
    rejects_schema(f"00 22 {text} {storage}", f"bad_storage @ {2 + len(hx(text))}")


def test_storage_is_looked_at_when_it_is_complete() -> None:
    rejects_schema("00 22 01 00 15", "truncated @ 5")
    rejects_schema("00 22 01 00 15 2A", "unknown_type @ 5")


def test_rejects_definitions_as_storage() -> None:
    # date(#0) where #0 = int, set(shared(#0)) where #0 = list(int); a kind from E0 on has any.
    rejects_schema("02 22 01 00 1F 00 03", "bad_storage @ 4")
    rejects_schema("02 22 0A 00 20 00 16 03", "bad_storage @ 4")
    assert parse_schema(hx("02 22 E0 00 20 00 16 03"))


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        case("date", "22 01 00 03", "00", ["logical", "date", "", INT_0]),
        case("timestamp", "22 03 04 02 01 03", "00", ["logical", "timestamp", "0201", INT_0]),
        case("later_kind", "22 EA 02 FF 02", "01", ["logical", "EA", "ff", ["bool", True]]),
        case(
            "set",
            "22 0A 00 16 04",
            "04 02 01",
            ["logical", "set", "", ["list", [["u8", "2"], ["u8", "1"]]]],
        ),
        # What the storage holds is not checked: a member twice, a NaN of form 9.
        case(
            "members_are_not_compared",
            "22 0A 00 16 04",
            "04 01 01",
            ["logical", "set", "", ["list", [["u8", "1"], ["u8", "1"]]]],
        ),
        case(
            "decimal",
            "22 05 00 18 06 04 03 03",
            "09 00 00",
            ["logical", "decimal", "", ["tuple", [["u8", "9"], INT_0, INT_0]]],
        ),
        case("extension", "23 04 61 03", "00", ["extension", "a", INT_0]),
        case("extension_of_nothing", "23 04 61 15 03", "00", ["extension", "a", ["null"]]),
        case(
            "extensions_nest",
            "23 04 61 23 02 01",
            "",
            ["extension", "a", ["extension", "a", ["null"]]],
        ),
        case("optional_date", "15 22 01 00 03", "00", ["null"]),
        case("date_in_union", "1C 08 03 22 01 00 03", "02 00", ["logical", "date", "", INT_0]),
        case("extension_in_union", "1C 08 03 23 04 61 03", "02 00", ["extension", "a", INT_0]),
        case("rows", "16 22 01 00 03", "04 00 00", ["list", [["logical", "date", "", INT_0]] * 2]),
    ],
)
def test_reads_values(schema: str, text: str, value: Tagged) -> None:
    assert bare(schema, text) == value


@pytest.mark.parametrize("count", [0, 8])
def test_short_long_tuples_stay_logical(count: int) -> None:
    items: list[Tagged] = [["null"]] * count
    value = bare("22 0C 00 16 01", varint(count).hex())
    assert value == ["logical", "long_tuple", "", ["list", items]]


def test_long_tuples_are_tuples() -> None:
    assert bare("22 0C 00 16 01", "12") == ["tuple", [["null"]] * 9]
    # Rows of 9 bools and of none.
    rows = bare("16 22 0C 00 16 02", "04 12 00 50")
    assert rows == [
        "list",
        [["tuple", [["bool", False]] * 9], ["logical", "long_tuple", "", ["list", []]]],
    ]


def test_every_type_costs_8_a_row() -> None:
    assert bare("22 01 00 03", "00", budget=16)
    rejects_bare("22 01 00 03", "00", "limit_budget @ 0", budget=15)
    assert bare("23 04 61 22 01 00 03", "00", budget=24)


def test_keys_that_are_logical_are_not_compared() -> None:
    assert bare("1B 22 01 00 03 01", "04 00 00")[0] == "map"
    assert bare("1B 23 04 61 03 01", "04 00 00")[0] == "map"


# References.


def test_logical_values_are_shared() -> None:
    # list(shared(#0)) where #0 = set(list(null)); the second row is the first.
    value = decode_message(hx("C1 12 02 16 20 00 22 0A 00 16 01 02 04 00 02 00"))
    inner: Tagged = ["logical", "set", "", ["list", []]]
    assert value == ["list", [["id", 0, inner], ["ref", 0]]]


def test_long_tuples_are_shared() -> None:
    value = decode_message(hx("C1 12 02 16 20 00 22 0C 00 16 01 02 04 00 02 12"))
    assert value == ["list", [["id", 0, ["tuple", [["null"]] * 9]], ["ref", 0]]]


def test_values_can_be_inside_themselves() -> None:
    # #0 where #0 = extension "a"(list(shared(#0))): one row, one item, itself.
    value = decode_message(hx("C1 12 02 1F 00 23 04 61 16 20 00 02 02 02"))
    assert value == ["id", 0, ["extension", "a", ["list", [["ref", 0]]]]]
    # #0 where #0 = set(list(shared(#0))).
    value = decode_message(hx("C1 12 02 1F 00 22 0A 00 16 20 00 02 02 02"))
    assert value == ["id", 0, ["logical", "set", "", ["list", [["ref", 0]]]]]


def test_rejects_extensions_of_nothing_but_themselves() -> None:
    # #0 where #0 = extension "a"(shared(#0)).
    rejects_message("C1 12 02 1F 00 23 04 61 20 00 02 02", "bad_reference @ 11")


@pytest.mark.parametrize(
    ("definition", "start"),
    [
        ("23 04 61", '["extension","a",'),
        ("22 E0 00", '["logical","E0","",'),
    ],
)
def test_values_nest_a_hundred_thousand_deep(definition: str, start: str) -> None:
    # #0 where #0 = extension "a"(option(#0)), or logical[E0](...): all present but the last.
    many = 100_000
    present = ((1 << (many - 1)) - 1).to_bytes(-(-many // 8), "little")
    head = hx(f"C1 12 02 1F 00 {definition} 15 1F 00")
    with no_collector():
        value = decode_message(head + varint(many) + b"\x52" + present)
        assert dumps(value) == start * many + '["null"]' + "]" * many
