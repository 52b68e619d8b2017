"""The writer, chapters 10 and 11: bytes by table, and round trips of random values."""

from __future__ import annotations

import pytest
from holdall_reference import Tagged, decode_message, equal, message_schema, schema_text
from holdall_reference.tagged import Json
from holdall_reference.writer import Profile, WriterError, encode_message
from holdall_reference.writer.numbers import big
from hypothesis import HealthCheck, given, settings

from tests.kinds import little, signed
from tests.support import EXHAUSTIVE, case, hx, no_collector
from tests.values import as_mapping, values
from tests.writing import PROFILES, column, ints, strings, writes

# Profile balanced, F-61.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        # 12 rows from 1,000 on. Frame: the base 2 bytes, 4 bits a row; delta: 2, 1, the base 1.
        case("delta", ints("u16", *range(1000, 1012)), "16 05 18 41 A1 0F 80 04"),
        # 6 rows: the frame takes 2 + 3 bytes, the delta 2 + 1 + 1 with differences of 1 bit.
        case("delta_shorter_by_one", ints("u16", *range(1000, 1006)), "16 05 0C 41 A1 0F 01 1F"),
        # 5 rows: the frame takes 2 + 2 bytes, the delta 2 + 1 + 1 as well.
        case("frame_on_a_tie", ints("u16", *range(1000, 1005)), "16 05 0A 83 A1 0F 88 46"),
        case("frame_of_equal_rows", ints("u16", *[1000] * 9), "16 05 12 80 A1 0F"),
        case(
            "frame_of_falling_rows",
            ints("u16", *range(1005, 999, -1)),
            "16 05 0C 83 A1 0F E5 14 00",
        ),
        # Zigzag of -1,000 is 1,999, of the difference 1 it is 2.
        case("delta_of_signed", ints("i32", *range(-1000, -988)), "16 0B 18 41 3D 1F 80 04"),
        # Rows of 32 bits; zigzag of the difference 1,000,000 is 2,000,000.
        case(
            "delta_of_ints",
            ints("int", *[10**6 * i for i in range(6)]),
            "16 03 0C 41 00 80" + signed(10**6),
        ),
    ],
)
def test_balanced_ints(value: Tagged, text: str) -> None:
    writes(value, "balanced", text)


def test_sorted_rows_may_differ_by_2_to_63_and_more() -> None:
    # The last difference is 2^64 - 1, that is -1: smaller than the frame of 64 bits.
    writes(
        ints("u64", 0, 0, 0, 2**64 - 1),
        "balanced",
        "16 07 08 41 00 81 02 03",
    )
    writes(
        ints("i64", -(2**63), -(2**63), 2**63 - 1, 2**63 - 1),
        "balanced",
        "16 0C 08 41" + "FF" * 9 + "81 02 05",
    )


def test_rows_beyond_64_bits_are_big_in_both_profiles() -> None:
    value = ints("int", 0, 1, 2, 2**64)
    assert column(value, "balanced") == column(value, "fast")
    assert column(value, "fast")[0] == 0x44


def test_lengths_are_ints_as_well() -> None:
    # Six lists of 10, 20, ... 60 nulls.
    value: Tagged = ["list", [["list", [["null"]] * (10 * i)] for i in range(1, 7)]]
    writes(value, "balanced", "16 16 01 0C 41 14 80 28")
    fields = sum(10 * i << 6 * (i - 1) for i in range(1, 7))
    writes(value, "fast", "16 16 01 0C 06" + little(fields, 5))


# Profile balanced, F-62.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        # Plain: a frame of 2 bytes, 12 bytes. Dictionary: d, 2, 3, and 1 + 1.
        case(
            "dictionary_of_one",
            strings("abc", "abc", "abc", "abc"),
            "16 12 08 61 02 02 03 61 62 63 00",
        ),
        # The entries are in the order of first appearance.
        case(
            "dictionary_in_order",
            strings("yes", "no", "no", "yes", "yes"),
            "16 12 0A 61 04 02 0B 79 65 73 6E 6F 01 06",
        ),
        case(
            "plain_of_two_repeats",
            strings("abc", "abc", "abc", "abd"),
            "16 12 08 60 02 FF 61 62 63 61 62 63 61 62 63 61 62 64",
        ),
        # Plain: 1 + 1 + 4 bytes; dictionary: 1 + 2 + 1 + 1: shorter by a byte.
        case(
            "dictionary_shorter_by_one", strings("a", "a", "a", "a"), "16 12 08 61 02 01 01 61 00"
        ),
        case("plain_of_empty_texts", strings("", "", "", ""), "16 12 08 60 00"),
        case(
            "three_rows_have_no_encoding",
            strings("abc", "abc", "abc"),
            "16 12 06 06 06 06" + "61 62 63" * 3,
        ),
    ],
)
def test_balanced_text(value: Tagged, text: str) -> None:
    writes(value, "balanced", text)


def sampled(different: int, repeats: int, after: int = 0) -> Tagged:
    """This many different texts. The first one also precedes all, and is repeated at the end."""
    items = [f"{i:064}" for i in range(different)]
    return strings(items[0], *items, *items[:1] * (repeats - 1), *[items[0]] * after)


def repeated(different: int) -> Tagged:
    """This many different texts, as a whole 7 times."""
    return strings(*[f"{i:064}" for i in range(different)] * 7)


@pytest.mark.parametrize(
    ("value", "encoding"),
    [
        case("plain_below_3_repeats", sampled(20, 2), 0x60),
        case("dictionary_from_3_repeats", sampled(20, 3), 0x61),
        case("plain_when_repeats_come_later", sampled(1022, 2, after=2000), 0x60),
        case("only_the_sample_counts", sampled(819, 205, after=2000), 0x61),
        case("plain_above_819_of_1024", sampled(820, 204, after=2000), 0x60),
        case("the_share_counts_from_1024_rows_on", sampled(820, 203), 0x61),
        case("the_share_counts_at_1024_rows", sampled(820, 204), 0x60),
        case("819_of_1024_are_tried", sampled(819, 205), 0x61),
        case("plain_when_the_first_128_differ", repeated(128), 0x60),
        case("dictionary_when_one_of_the_first_128_repeats", repeated(127), 0x61),
    ],
)
def test_dictionaries_are_tried_by_a_sample(value: Tagged, encoding: int) -> None:
    assert column(value, "balanced")[0] == encoding
    assert column(value, "fast")[0] == 0x60


@pytest.mark.parametrize(
    "value",
    [
        ["list", [["bool", True]] * 20],
        ["list", [["f64", "3ff0000000000000"]] * 20],
        ["list", [["f32", f"{i:08x}"] for i in range(20)]],
        ints("int", 5, 4, 3, 2, 1),
        strings("a", "b", "c", "d"),
    ],
)
def test_profiles_differ_in_nothing_else(value: Tagged) -> None:
    assert encode_message(value, "fast") == encode_message(value, "balanced")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "00"),
        (-1, "FF"),
        (127, "7F"),
        (128, "80 00"),
        (-128, "80"),
        (-129, "7F FF"),
        (2**64, "00" * 8 + "01"),
    ],
)
def test_bigs_are_as_short_as_can_be(number: int, text: str) -> None:
    assert big(number) == hx(text)


# Chapter 11, where the vectors say less.


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        case("three_digits_are_a_name", "123", "record"),
        case("four_digits_are_data", "1234", "map"),
        case("date", "2024-01-01", "map"),
        case("address", "10.0.0.1", "map"),
        case("time", "12:30", "map"),
        case("no_digit", "-.:-", "record"),
        case("seven_hexadecimal_digits_are_a_name", "12abcde", "record"),
        case("eight_hexadecimal_digits_are_data", "12abcdeF", "map"),
        case("uuid", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "map"),
        case("hexadecimal_digits_without_a_decimal_one", "deadbeef", "record"),
        case("other_letters", "12345678g", "record"),
        case("other_digits", "\u0661\u0661\u0661\u0661", "record"),
        case("space", "2024 01", "record"),
    ],
)
def test_keys_that_are_data_make_a_map(key: str, kind: str) -> None:
    value: Tagged = ["record", [[key, ["null"]]]]
    assert schema_text(message_schema(encode_message(value, "fast"))).startswith(kind)


def test_one_name_among_data_makes_a_record() -> None:
    value: Tagged = ["record", [["2024", ["null"]], ["name", ["null"]]]]
    assert schema_text(message_schema(encode_message(value, "fast"))).startswith("record")


@pytest.mark.parametrize(
    ("value", "code"),
    [
        case(
            "record_with_a_key_twice",
            ["record", [["a", ["null"]], ["a", ["null"]]]],
            "duplicate_key",
        ),
        case(
            "struct_with_a_field_twice",
            ["struct", "S", [["a", ["null"]], ["a", ["null"]]]],
            "duplicate_key",
        ),
        case(
            "map_of_strings_with_a_key_twice",
            ["map", [[["string", "a"], ["null"]], [["string", "a"], ["null"]]]],
            "duplicate_key",
        ),
        case(
            "map_with_an_int_twice",
            [
                "map",
                [[["int", "1"], ["null"]], [["string", "a"], ["null"]], [["int", "1"], ["null"]]],
            ],
            "duplicate_key",
        ),
        case(
            "map_with_null_twice",
            ["map", [[["null"], ["null"]], [["null"], ["null"]]]],
            "duplicate_key",
        ),
        case(
            "struct_of_257_fields_in_two_rows",
            [
                "list",
                [
                    ["struct", "S", [[f"a{i}", ["null"]] for i in range(200)]],
                    ["struct", "S", [[f"b{i}", ["null"]] for i in range(57)]],
                ],
            ],
            "unsupported_value",
        ),
    ],
)
def test_refuses(value: Tagged, code: str) -> None:
    with pytest.raises(WriterError) as error:
        encode_message(value, "fast")
    assert error.value.code == code


def test_scalar_keys_of_a_map_are_compared_beside_others() -> None:
    # The reader, which sees a key that is a list, compares none of them.
    entry: list[Tagged] = [
        [["int", "1"], ["null"]],
        [["list", []], ["null"]],
        [["int", "1"], ["null"]],
    ]
    with pytest.raises(WriterError, match="duplicate_key"):
        encode_message(["map", [*entry]], "fast")


def test_limit_of_output() -> None:
    assert len(encode_message(["null"], "fast", limit_output=3)) == 3
    with pytest.raises(WriterError, match="limit_output"):
        encode_message(["null"], "fast", limit_output=2)


def test_types_are_limited() -> None:
    # A list of 1,020 structs in a union, with 256 fields each: 2 + 1,020·257 types are 262,142.
    def structs(count: int, *more: Tagged) -> Tagged:
        fields: list[Json] = [[f"{i}", ["null"]] for i in range(256)]
        rows: list[Json] = [["struct", f"S{i}", fields] for i in range(count)]
        return ["list", [*rows, *more]]

    assert encode_message(structs(1020, ["bool", True], ["int", "1"]), "fast")
    with pytest.raises(WriterError, match="limit_sites"):
        encode_message(structs(1020, ["bool", True], ["int", "1"], ["u8", "1"]), "fast")


def test_near_the_limit_of_sites_mappings_become_maps() -> None:
    # The root, 66 fields of a struct, and 250 fields for each of the first 65 mappings.
    def mapping(i: int) -> Tagged:
        return ["record", [[f"k{i}x{j}", ["null"]] for j in range(250)]]

    struct: Tagged = ["struct", "A", [[f"f{i}", mapping(i)] for i in range(66)]]
    text = schema_text(message_schema(encode_message(struct, "fast")))
    assert text.count("record") == 65
    assert text.endswith("f65: map(string, null)}")


@pytest.mark.parametrize("profile", PROFILES)
def test_values_nest_deeply(profile: Profile) -> None:
    lists: Tagged = ["list", []]
    chain: Tagged = ["null"]
    for i in range(30_000):
        lists = ["list", [lists]]
        chain = ["record", [["v", ["int", str(i % 7)]], ["next", chain]]]
    with no_collector():
        for value in (lists, chain):
            assert equal(decode_message(encode_message(value, profile)), value)


# Random values.


@pytest.mark.parametrize("profile", PROFILES)
@settings(
    max_examples=300 if EXHAUSTIVE else 60,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(value=values())
def test_random_values_go_round(profile: Profile, value: Tagged) -> None:
    message = encode_message(value, profile)
    decoded = decode_message(message)
    assert as_mapping(decoded) == as_mapping(value)
    # The decoded value is the same dynamic value, so its bytes are the same.
    assert encode_message(decoded, profile) == message
