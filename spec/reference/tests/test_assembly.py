"""Chapter 7: walk and assembly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from holdall_reference import Tagged, decode_bare, decode_message, dumps, equal, parse_schema
from holdall_reference.writer.numbers import varint

from tests.support import EXHAUSTIVE, bare, case, hx, no_collector, rejects_bare, rejects_message

# Far beyond the depth of Python's recursion.
DEEP = 1_000_000 if EXHAUSTIVE else 100_000


@pytest.fixture
def _no_collector() -> Iterator[None]:
    with no_collector():
        yield


def all_but_last(count: int) -> bytes:
    """Raw bits: as many ones as there are rows, but for the last."""
    return ((1 << (count - 1)) - 1).to_bytes(-(-count // 8), "little")


def test_items_of_a_recursive_list_need_not_be_adjacent() -> None:
    # #0 where #0 = tuple(int, list(#0)); rows in the order of the walk.
    value = decode_message(hx("C1 12 02 1F 00 18 04 03 16 1F 00 0A 08 01 02 03 04 05 02 46 00"))

    def node(number: int, *inside: Tagged) -> Tagged:
        return ["tuple", [["int", str(number)], ["list", list(inside)]]]

    assert value == node(1, node(2, node(3)), node(4, node(5)))


@pytest.mark.usefixtures("_no_collector")
def test_lists_nest_without_recursion() -> None:
    # #0 where #0 = list(#0); all lengths are 1, but for the last.
    value = decode_message(
        hx("C1 12 02 1F 00 16 1F 00") + varint(DEEP) + b"\x01" + all_but_last(DEEP)
    )
    assert dumps(value) == '["list",[' * DEEP + "]]" * DEEP
    assert equal(value, value)


@pytest.mark.usefixtures("_no_collector")
def test_a_long_chain_of_records_is_valid() -> None:
    # #0 where #0 = record {v: int, next: option(#0)}; all v are 1.
    schema = parse_schema(hx("02 1F 00 1A 10 04 76 03 10 6E 65 78 74 15 1F 00"))
    body = varint(DEEP) + b"\x80\x04" + b"\x52" + all_but_last(DEEP)
    value = decode_bare(body, schema)
    for number in range(DEEP):
        fields = value[1]
        assert isinstance(fields, list)
        first, second = fields
        assert first == ["v", ["int", "1"]]
        assert isinstance(second, list)
        assert second[0] == "next"
        assert isinstance(second[1], list)
        value = second[1]
        assert value[0] == ("null" if number == DEEP - 1 else "record")


def test_options_through_a_definition_end() -> None:
    # #0 where #0 = option(#0): present, present, absent.
    assert decode_message(hx("C1 12 02 1F 00 15 1F 00 06 03")) == ["null"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        # list(#0) where #0 = bool.
        case("rejects_fewer_rows", "C1 12 02 16 1F 00 02 02 04 00", "definition_rows_mismatch @ 7"),
        case("rejects_more_rows", "C1 12 02 16 1F 00 02 04 02 00", "definition_rows_mismatch @ 7"),
        case(
            "rejects_rows_of_no_use",
            "C1 12 02 16 1F 00 02 02 00 00",
            "definition_rows_mismatch @ 7",
        ),
        # tuple(#0, #1) where #0 = bool, #1 = bool: both are wrong.
        case(
            "reports_first_definition",
            "C1 12 04 18 04 1F 00 1F 02 02 02 04 04 00 00",
            "definition_rows_mismatch @ 11",
        ),
        case(
            "reports_second_definition",
            "C1 12 04 18 04 1F 00 1F 02 02 02 02 04 00 00",
            "definition_rows_mismatch @ 12",
        ),
        # option(#0) where #0 = list(#0): a list in itself, that the root does not reach.
        case(
            "rejects_unreachable_rows",
            "C1 12 02 15 1F 00 16 1F 00 02 00 02",
            "unreachable_rows @ 9",
        ),
        # tuple(option(#0), option(#1)) where #0 = bool, #1 = list(#1).
        case(
            "reports_first_definition_with_rows_left",
            "C1 12 04 18 04 15 1F 00 15 1F 02 02 16 1F 02 02 02 01 00 00 02",
            "unreachable_rows @ 16",
        ),
    ],
)
def test_definitions(text: str, fault: str) -> None:
    rejects_message(text, fault)


@pytest.mark.parametrize(
    ("key", "text", "fault"),
    [
        case("rejects_null_twice", "01", "04 00", "duplicate_key @ 1"),
        case("rejects_bool_twice", "02", "04 03 00", "duplicate_key @ 1"),
        case("rejects_int_twice", "03", "04 04 04 00", "duplicate_key @ 1"),
        case("rejects_float_twice", "10", "04" + "00 00 C0 7F" * 2 + "00", "duplicate_key @ 1"),
        case("rejects_string_twice", "12", "04 02 02 61 61 00", "duplicate_key @ 1"),
        case("rejects_bytes_twice", "13", "04 02 02 61 61 00", "duplicate_key @ 1"),
        case("rejects_fixed_twice", "14 02", "04 61 61 00", "duplicate_key @ 1"),
        case("rejects_absent_twice", "15 03", "04 00 00", "duplicate_key @ 1"),
        case("rejects_present_twice", "15 03", "04 03 04 04 00", "duplicate_key @ 1"),
        case("rejects_absent_beside_null", "15 01", "04 01 00", "duplicate_key @ 1"),
        case("rejects_twice_in_union", "1C 08 03 04", "04 00 00 04 04 00", "duplicate_key @ 1"),
        case(
            "rejects_twice_in_optional_union",
            "15 1C 08 03 04",
            "04 03 00 00 04 04 00",
            "duplicate_key @ 1",
        ),
    ],
)
def test_keys(key: str, text: str, fault: str) -> None:
    rejects_bare(f"1B {key} 02", text, fault)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        case("floats_compare_by_bits", "10", "04 00 00 00 00 00 00 00 80 00"),
        case("types_of_a_union_differ", "1C 08 03 04", "04 00 02 04 02 00"),
        case("absent_differs_from_present", "15 03", "04 02 00 00"),
        case("lists_are_not_compared", "16 03", "04 00 00 00"),
        case("tuples_are_not_compared", "18 00", "04 00"),
        case("options_of_options_are_not_compared", "15 15 03", "04 00 00"),
        case("named_unions_are_not_compared", "1C 06 04 41 01", "04 00"),
        case("unions_with_a_row_type_are_not_compared", "1C 08 03 18 00", "04 00 00 04 04 00"),
    ],
)
def test_accepts_keys(key: str, text: str) -> None:
    assert bare(f"1B {key} 02", text)[0] == "map"


def test_keys_of_a_definition_are_not_compared() -> None:
    schema = parse_schema(hx("02 1B 1F 00 02 03"))
    entry: Tagged = [["int", "1"], ["bool", False]]
    assert decode_bare(hx("04 04 00 04 04"), schema) == ["map", [entry, entry]]


def test_rows_of_a_map_have_keys_of_their_own() -> None:
    assert bare("16 1B 03 02", "04 02 02 04 04 00")[0] == "list"
    # Three maps of 1, 2 and 0 entries; the second has a key twice.
    rejects_bare("16 1B 03 02", "06 02 04 00 04 06 06 00", "duplicate_key @ 4")


def test_inner_map_is_complete_before_the_outer() -> None:
    # map(int, map(int, bool)): two entries with the same key, the first with two entries.
    rejects_bare("1B 03 1B 03 02", "04 04 04 04 00 04 04 00", "duplicate_key @ 5")
    rejects_bare("1B 03 1B 03 02", "04 04 04 04 00 04 06 00", "duplicate_key @ 1")


def test_duplicate_key_comes_before_unreachable_rows() -> None:
    # tuple(map(null, null), option(#0)) where #0 = list(#0).
    head = "C1 12 02 18 04 1B 01 01 15 1F 00 16 1F 00 02"
    rejects_message(head + "04 00 02", "duplicate_key @ 16")
    rejects_message(head + "02 00 02", "unreachable_rows @ 14")


def test_maps_that_the_walk_does_not_reach_are_not_compared() -> None:
    # option(#0) where #0 = tuple(#0, map(null, null)).
    rejects_message("C1 12 02 15 1F 00 18 04 1F 00 1B 01 01 02 00 04", "unreachable_rows @ 13")


# list(shared(#0)) where #0 = list(null); the rows of #0 come next.
SHARED_LISTS = "C1 12 02 16 20 00 16 01"


@pytest.mark.parametrize(
    ("text", "items"),
    [
        case("again", "02 06 00 02 02 00", [["id", 0, ["list", []]], ["ref", 0], ["ref", 0]]),
        # A frame of 2 bits: 0, 0, 2, 1.
        case(
            "numbered_as_begun",
            "04 08 02 60 00 00",
            [["id", 0, ["list", []]], ["id", 1, ["list", []]], ["ref", 1], ["ref", 0]],
        ),
        # A frame of 2 bits: 0, 0, 0, 2.
        case(
            "only_what_comes_again_is_numbered",
            "06 08 02 80 00 00 00",
            [["list", []], ["id", 0, ["list", []]], ["list", []], ["ref", 0]],
        ),
    ],
)
def test_rows_are_shared(text: str, items: list[Tagged]) -> None:
    assert decode_message(hx(SHARED_LISTS + text)) == ["list", items]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_a_reference_at_the_first_row", "04 06 02 00 00 00 00", "bad_reference @ 10"),
        case("rejects_a_forward_reference", "04 06 00 04 00 00 00", "bad_reference @ 11"),
        # Frames of 2 bits: 0, 2, 1, 0 and 0, 0, 1, 3.
        case("rejects_a_forward_reference_in_a_frame", "04 08 02 18 00 00", "bad_reference @ 10"),
        case("rejects_a_row_that_there_is_not", "04 08 02 D0 00 00", "bad_reference @ 10"),
        case("rejects_the_greatest_row", "02 04 00 FF" + "FF" * 8 + "00", "bad_reference @ 11"),
        case("counts_zeros", "04 06 00 02 02 00 00", "definition_rows_mismatch @ 8"),
    ],
)
def test_references(text: str, fault: str) -> None:
    rejects_message(SHARED_LISTS + text, fault)


def test_one_value_can_be_a_row_of_two_definitions() -> None:
    # list(shared(#0)) where #0 = option(shared(#1)), #1 = list(null).
    value = decode_message(
        hx("C1 12 04 16 20 00 15 20 02 16 01 04 02 06 00 02 00 03 00 02 00"),
    )
    assert value == ["list", [["id", 0, ["id", 1, ["list", []]]], ["ref", 0], ["ref", 1]]]


def test_one_value_can_have_two_numbers() -> None:
    # list(shared(#0)) where #0 = option(shared(#1)), #1 = list(null): refs 0, 0, 2, and 0, 1.
    value = decode_message(
        hx("C1 12 04 16 20 00 15 20 02 16 01 04 02 06 00 00 04 03 00 02 00"),
    )
    assert value == ["list", [["id", 0, ["list", []]], ["id", 1, ["ref", 0]], ["ref", 1]]]


def test_scalars_are_shared() -> None:
    # list(shared(#0)) where #0 = option(int): 5, the same, null, the same.
    value = decode_message(hx("C1 12 02 16 20 00 15 03 04 08 02 84 01 14"))
    assert value == [
        "list",
        [["id", 0, ["int", "5"]], ["ref", 0], ["id", 1, ["null"]], ["ref", 1]],
    ]


def test_rejects_a_value_that_is_nothing_but_itself() -> None:
    # #0 where #0 = option(shared(#0)).
    rejects_message("C1 12 02 1F 00 15 20 00 02 01 02", "bad_reference @ 10")
    # #0 where #0 = union(shared(#1), bool), #1 = option(shared(#0)).
    head = "C1 12 04 1F 00 1C 08 20 02 02 15 20 00 02 02 00 00 01"
    rejects_message(head + "02", "bad_reference @ 18")


def test_rejects_a_ring_that_nothing_leads_to() -> None:
    # option(#0) where #0 = list(shared(#0)): one row, a list in itself.
    rejects_message("C1 12 02 15 1F 00 16 20 00 02 00 02 02", "definition_rows_mismatch @ 9")
    # Its one row is the new row in itself.
    rejects_message("C1 12 02 15 1F 00 16 20 00 02 00 02 00", "unreachable_rows @ 9")


@pytest.mark.usefixtures("_no_collector")
def test_a_long_ring_is_a_finite_tree() -> None:
    # #0 where #0 = list(shared(#0)): each holds the next, the last one the first.
    head = hx("C1 12 02 1F 00 16 20 00") + varint(DEEP)
    last = b"\x01" + (1 << (DEEP - 1)).to_bytes(-(-DEEP // 8), "little")
    value = decode_message(head + hx("80 02") + last)
    inside = '["list",[' * (DEEP - 1) + '["ref",0]' + "]]" * (DEEP - 1)
    assert dumps(value) == f'["id",0,["list",[{inside}]]]'
