"""The writer's arrays, tensors, logical values and extensions (F-45, F-47, F-54, F-69, F-74)."""

from __future__ import annotations

import pytest
from holdall_reference import Tagged, decode_message, equal, message_schema, schema_text
from holdall_reference.schema import LATER
from holdall_reference.writer import Profile, WriterError, encode_message
from holdall_reference.writer.schema_parser import parse_packable

from tests.support import EXHAUSTIVE, case, hx, no_collector
from tests.writing import PROFILES

NULL: Tagged = ["null"]
ONE: Tagged = ["int", "1"]
EMPTY: Tagged = ["list", []]


def lists(*items: Tagged) -> Tagged:
    return ["list", [*items]]


def logical(name: str, storage: Tagged, parameters: str = "") -> Tagged:
    return ["logical", name, parameters, storage]


def tensor(item: str, dimensions: str, elements: str, order: str = "row") -> Tagged:
    return ["tensor", item, [*dimensions.split()], order, elements]


def text_of(value: Tagged) -> str:
    return schema_text(message_schema(encode_message(value, "fast")))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        case("tuple_of_9_is_a_long_tuple", ["tuple", [NULL] * 9], "C1 10 22 0C 00 16 01 12"),
        # Tuples of 8, 9 and 10: the long ones share a type.
        case(
            "long_tuples_are_of_one_type",
            lists(["tuple", [NULL] * 8], ["tuple", [NULL] * 9], ["tuple", [NULL] * 10]),
            "C1 10 16 1C 08 18 10" + "01" * 8 + "22 0C 00 16 01 06 00 02 02 12 14",
        ),
        case(
            "a_long_tuple_comes_again",
            lists(["id", 0, ["tuple", [NULL] * 9]], ["ref", 0]),
            "C1 12 02 16 20 00 22 0C 00 16 01 02 04 00 02 12",
        ),
        case(
            "a_short_long_tuple_is_a_row_of_the_same_type",
            lists(["tuple", [NULL] * 9], logical("long_tuple", lists(NULL))),
            "C1 10 16 22 0C 00 16 01 04 12 02",
        ),
        case(
            "fixed_of_sizes_are_types",
            lists(["fixed", "00"], ["fixed", "0102"], ["fixed", "03"]),
            "C1 10 16 1C 08 14 02 14 04 06 00 02 00 00 03 01 02",
        ),
        case(
            "equal_texts_are_one_type",
            lists(tensor("tuple(u8, bool)", "", "0700"), tensor("tuple(u8, bool)", "1", "0801")),
            "C1 10 16 1D 18 04 04 02 04 00 02 02 00 07 00 08 01",
        ),
        case(
            "names_in_a_tensor_join_the_table",
            ["struct", "A", [["x", tensor("struct A {x: u8}", "", "07")]]],
            "C1 10 19 04 41 08 04 78 1D 19 02 08 06 04 00 00 07",
        ),
        case(
            "a_tensor_comes_again",
            lists(["id", 0, tensor("u8", "", "07")], ["ref", 0]),
            "C1 12 02 16 20 00 1D 04 02 04 00 02 00 00 07",
        ),
        case(
            "an_array_can_be_inside_itself",
            ["id", 0, ["array", [["ref", 0]]]],
            "C1 12 02 1F 00 17 02 20 00 02 02",
        ),
        case(
            "a_set_can_be_inside_itself",
            ["id", 0, logical("set", lists(["ref", 0]))],
            "C1 12 02 1F 00 22 0A 00 16 20 00 02 02 02",
        ),
        # The member is a row of the set's type: of one site more, so a definition.
        case(
            "what_is_equal_is_not_the_same",
            lists(logical("set", EMPTY), logical("set", EMPTY)),
            "C1 10 16 22 0A 00 16 00 04 00 00",
        ),
    ],
)
def test_writes(value: Tagged, text: str) -> None:
    message = encode_message(value, "fast")
    assert message.hex(" ").upper() == hx(text).hex(" ").upper()
    assert equal(decode_message(message), value)


def test_tensors_of_rank_0_and_1_are_row_major() -> None:
    for dimensions, elements in [("", "07"), ("2", "0708")]:
        written = encode_message(tensor("u8", dimensions, elements, "column"), "fast")
        assert written == encode_message(tensor("u8", dimensions, elements), "fast")


def test_whole_numbers_are_written_as_int() -> None:
    wide: Tagged = ["i64", "5"]
    for name, parameters in [
        ("date", ""),
        ("time", "00"),
        ("timestamp", "0001"),
        ("duration", "03"),
    ]:
        written = encode_message(logical(name, wide, parameters), "fast")
        assert written == encode_message(logical(name, ["int", "5"], parameters), "fast")
    with_zone: Tagged = logical("timestamp", ["tuple", [wide, ["string", "UTC"]]], "0003")
    assert text_of(with_zone) == "timestamp[s, zone](tuple(int, string))"
    # Both at one site are one type.
    assert text_of(lists(logical("date", wide), logical("date", ONE))) == "list(date(int))"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        case("unknown", ["unknown"], "unsupported_value"),
        case("tensor_of_strings", tensor("string", "", ""), "unsupported_value"),
        case("tensor_of_int", tensor("int", "", ""), "unsupported_value"),
        case("tensor_of_nothing", tensor("tuple()", "", ""), "unsupported_value"),
        case("tensor_of_no_type", tensor("u7", "", ""), "unsupported_value"),
        case("tensor_of_half_a_type", tensor("tuple(u8", "", "00"), "unsupported_value"),
        case("tensor_of_two_types", tensor("u8 u8", "", "00"), "unsupported_value"),
        case(
            "tensor_of_bad_storage", tensor("uuid(fixed(15))", "", "00" * 15), "unsupported_value"
        ),
        case("tensor_of_rank_33", tensor("u8", "1 " * 33, "00"), "unsupported_value"),
        case("kind_of_no_name", logical("dat", ONE), "unsupported_value"),
        case("kind_30", logical("30", ONE), "unsupported_value"),
        case("kind_in_lower_case", logical("e0", ONE), "unsupported_value"),
        case("kind_of_known_number", logical("01", ONE), "unsupported_value"),
        case("date_with_parameter", logical("date", ONE, "00"), "unsupported_value"),
        case("time_without_unit", logical("time", ONE), "unsupported_value"),
        case("unit_4", logical("time", ONE, "04"), "unsupported_value"),
        case("date_of_string", logical("date", ["string", ""]), "unsupported_value"),
        case("date_of_null", logical("date", NULL), "unsupported_value"),
        case("set_of_tuple", logical("set", ["tuple", []]), "unsupported_value"),
        case(
            "bit_vector_of_ints",
            logical("bit_vector", lists(["bool", True], ONE)),
            "unsupported_value",
        ),
        case(
            "rational_of_pair_in_pair",
            logical("rational", ["tuple", [ONE, ["tuple", [ONE, ONE]]]]),
            "unsupported_value",
        ),
        case("uuid_of_4_bytes", logical("uuid", ["fixed", "00000000"]), "unsupported_value"),
        case(
            "ip_6_of_4_bytes",
            logical("ip_address", ["fixed", "00000000"], "06"),
            "unsupported_value",
        ),
        case("date_in_a_date", logical("date", logical("date", ONE)), "unsupported_value"),
        case(
            "extension_of_itself",
            ["id", 0, ["extension", "a", ["ref", 0]]],
            "unsupported_value",
        ),
        case(
            "extensions_of_each_other",
            lists(["id", 0, ["extension", "a", ["id", 1, ["extension", "b", ["ref", 0]]]]]),
            "unsupported_value",
        ),
        case(
            "storage_that_comes_again",
            lists(logical("set", ["id", 0, EMPTY]), ["ref", 0]),
            "unsupported_value",
        ),
        case(
            "storage_that_came_before",
            lists(["id", 0, EMPTY], logical("set", ["ref", 0])),
            "unsupported_value",
        ),
        case(
            "storage_of_two",
            lists(logical("set", ["id", 0, EMPTY]), logical("frozen_set", ["ref", 0])),
            "unsupported_value",
        ),
        case(
            "key_of_an_ordered_map_twice",
            logical("ordered_map", ["map", [[["string", "a"], NULL], [["string", "a"], ONE]]]),
            "duplicate_key",
        ),
        case(
            "fixed_key_twice",
            ["map", [[["fixed", "00"], NULL], [["fixed", "00"], ONE]]],
            "duplicate_key",
        ),
    ],
)
def test_refuses(value: Tagged, code: str) -> None:
    with pytest.raises(WriterError) as error:
        encode_message(value, "fast")
    assert error.value.code == code


def test_a_storage_with_a_number_of_no_use_is_written() -> None:
    value = logical("set", ["id", 0, EMPTY])
    assert encode_message(value, "fast") == encode_message(logical("set", EMPTY), "fast")


def test_kinds_of_later_versions_have_any_storage() -> None:
    for kind in LATER:
        name = f"{kind:02X}"
        assert text_of(logical(name, ["i64", "5"], "07")) == f"logical[{name} 07](i64)"
    # It is a site like that of an extension's value: of several types, null or not, shared or not.
    assert text_of(lists(logical("E0", NULL), logical("E0", ONE), logical("E0", EMPTY))) == (
        "list(logical[E0](option(union(int, list(never)))))"
    )
    assert text_of(lists(logical("E0", ["id", 0, EMPTY]), ["ref", 0])) == (
        "list(union(logical[E0](#0), shared(#0))) where #0 = list(never)"
    )


def test_an_ordered_map_is_never_a_record() -> None:
    entries: Tagged = ["map", [[["string", "a"], ONE]]]
    fields: Tagged = ["record", [["a", ONE]]]
    assert text_of(logical("ordered_map", entries)) == "ordered_map(map(string, int))"
    assert text_of(logical("ordered_map", fields)) == "ordered_map(map(string, int))"
    # Nor is it folded into the record that contains it.
    value: Tagged = ["record", [["a", logical("ordered_map", entries)]]]
    assert text_of(value) == "record {a: ordered_map(map(string, int))}"
    empty: Tagged = logical("ordered_map", ["map", []])
    assert text_of(empty) == "ordered_map(map(never, never))"


def test_mappings_inside_are_folded_through_logical_values() -> None:
    leaf: Tagged = ["record", [["next", logical("set", EMPTY)]]]
    value: Tagged = ["record", [["next", logical("set", lists(leaf))]]]
    assert text_of(value) == "#0 where #0 = record {next: set(list(#0))}"
    leaf = ["record", [["next", ["extension", "a", NULL]]]]
    value = ["record", [["next", ["extension", "a", leaf]]]]
    assert text_of(value) == '#0 where #0 = record {next: extension "a"(option(#0))}'


def nested(wrap: str, depth: int) -> Tagged:
    value: Tagged = EMPTY
    for _ in range(depth):
        if wrap in ("set", "long_tuple"):
            value = logical(wrap, lists(value))
        elif wrap == "E0":
            value = logical(wrap, value)
        elif wrap == "extension":
            value = [wrap, "a", value]
        elif wrap == "tuple":
            value = [wrap, [value, *[NULL] * 8]]
        elif wrap == "ordered_map":
            value = logical(wrap, ["map", [[NULL, value]]])
        else:
            value = [wrap, [value]]
    return value


WRAPS = ["set", "long_tuple", "E0", "extension", "tuple", "ordered_map", "array"]


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("profile", PROFILES)
def test_values_nest_deeply(wrap: str, profile: Profile) -> None:
    with no_collector():
        for depth in (30, 31, 32, 33, 60, 20_000):
            value = nested(wrap, depth)
            assert equal(decode_message(encode_message(value, profile)), value)


def test_storage_is_neither_gathered_nor_a_definition() -> None:
    # The set of depth 32 is gathered; its list is part of it.
    text = text_of(nested("set", 40))
    assert text == (
        "set(list(" * 32 + "#0" + "))" * 32 + " where #0 = set(list(union(#0, list(never))))"
    )


@pytest.mark.parametrize(
    ("item", "width"),
    [
        ("bool", 1),
        ("fixed(3)", 3),
        ("array(3, u16)", 6),
        ("tuple(u8, i128)", 17),
        ('record {a: f16, "b c": bf16}', 4),
        ("struct P {x: i8}", 1),
        ('struct "a\\u000a\\"\\\\" {x: i8}', 1),
        ("timestamp[ns, utc](i64)", 8),
        ("timestamp[s, offset](tuple(i64, i32))", 12),
        ("complex[4](tuple(f32, f32))", 8),
        ("ip_address[6](fixed(16))", 16),
        ("char(u32)", 4),
        ("logical[E0](u8)", 1),
        ("logical[FF 0A E1](u8)", 1),
        ('extension "py.deque"(u8)', 1),
    ],
)
def test_types_of_tensors_are_read_from_their_text(item: str, width: int) -> None:
    value = tensor(item, "2", "00" * 2 * width)
    assert text_of(value) == f"tensor({item})"
    assert equal(decode_message(encode_message(value, "fast")), value)


def test_types_of_tensors_nest_up_to_32() -> None:
    def item(depth: int) -> str:
        return "tuple(" * (depth - 1) + "u8" + ")" * (depth - 1)

    assert parse_packable(item(32))
    with pytest.raises(WriterError, match="unsupported_value"):
        parse_packable(item(33))
    # Even for a tensor as deep as possible, since struct fields have no depth.
    value: Tagged = tensor(item(32), "", "07")
    for i in range(200):
        value = ["struct", f"S{i}", [["x", lists(NULL, ONE, value)]]]
        if EXHAUSTIVE or i in (0, 31, 199):
            assert equal(decode_message(encode_message(value, "fast")), value)


# Alignment, F-69.


def test_messages_are_aligned_for_elements_of_4096_bytes() -> None:
    assert encode_message(tensor("u8", "4095", "00" * 4095), "fast")[1] == 0x10
    assert encode_message(tensor("u8", "4096", "00" * 4096), "fast")[1] == 0x14
    both: Tagged = ["list", [tensor("u8", "2048", "00" * 2048)] * 2]
    assert encode_message(both, "fast")[1] == 0x14
    # Nothing else asks for it.
    floats: Tagged = ["list", [["f64", f"{i:016x}"] for i in range(600)]]
    assert encode_message(floats, "fast")[1] == 0x10
    assert encode_message(["fixed", "00" * 5000], "fast")[1] == 0x10


@pytest.mark.parametrize("profile", PROFILES)
def test_all_else_in_an_aligned_message_is_padded_too(profile: Profile) -> None:
    rows: list[Tagged] = [
        ["list", [["f64", f"{i:016x}"] for i in range(600)]],
        ["list", [["int", str(i * (-1) ** i * 2**61)] for i in range(4)]],
        ["list", [["u64", str(i * 1009 % 65536)] for i in range(99)]],
        ["list", [["list", [NULL] * (i * 37 % 300)] for i in range(99)]],
        tensor("f32", "3 7", "01" * 84, "column"),
        tensor("u8", "", "07"),
        tensor("u8", "5000", "02" * 5000),
        ["id", 0, ["list", [["f32", f"{i:08x}"] for i in range(99)]]],
        ["ref", 0],
    ]
    # In turn, so that their places differ; but no reference before its value.
    for start in range(len(rows) - 1):
        value: Tagged = ["array", [*rows[start:], *rows[:start]]]
        message = encode_message(value, profile)
        assert message[1] & 0x04
        assert equal(decode_message(message), value)
