"""Tensors, F-76. Schemas are without D; bodies are bare."""

from __future__ import annotations

import pytest
from holdall_reference import Tagged
from holdall_reference.writer.numbers import varint

from tests.support import bare, case, rejects_bare

GREATEST_VARINT = "FF" * 9  # 2^64 - 1


def tensor(kind: str, dimensions: str, elements: str, order: str = "row") -> Tagged:
    return ["tensor", kind, [*dimensions.split()], order, elements]


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        case("rank_0_has_one_element", "05", "00 00 07 00", tensor("u16", "", "0700")),
        case("rank_1", "05", "02 04 00 01 00 02 00", tensor("u16", "2", "01000200")),
        case(
            "elements_in_stored_order",
            "04",
            "04 04 06 01 01 02 03 04 05 06",
            tensor("u8", "2 3", "010203040506", "column"),
        ),
        case("no_elements", "05", "02 00 00", tensor("u16", "0", "")),
        case(
            "product_of_0_and_the_greatest",
            "05",
            f"06 {GREATEST_VARINT} {GREATEST_VARINT} 00 01",
            tensor("u16", f"{2**64 - 1} {2**64 - 1} 0", "", "column"),
        ),
        # That of rank 0 or 1 ought to be 0, and is not checked.
        case("order_of_rank_0", "04", "00 01 07", tensor("u8", "", "07", "column")),
        # 32 dimensions: a frame of no bits with base 1.
        case("rank_32", "04", "40 80 02 00 07", tensor("u8", " ".join("1" * 32), "07")),
        case("bools", "02", "02 06 00 01 00 01", tensor("bool", "3", "010001")),
        case(
            "elements_of_several_parts",
            "19 04 50 10 04 78 04 04 79 0E",
            "02 04 00 01 00 3C 02 00 40",
            tensor("struct P {x: u8, y: f16}", "2", "01003c020040"),
        ),
        case(
            "logical_elements",
            "22 09 00 06",
            "00 00 41 00 00 00",
            tensor("char(u32)", "", "41000000"),
        ),
    ],
)
def test_reads_tensors(schema: str, text: str, value: Tagged) -> None:
    assert bare("1D" + schema, text) == value


@pytest.mark.parametrize(
    ("text", "tensors"),
    [
        case("no_rows", "00", []),
        case("ranks_0", "04 00 00 00 07 08", [tensor("u8", "", "07"), tensor("u8", "", "08")]),
        case(
            "rows_share_columns",
            "06 02 00 04 04 02 06 04 01 02 07 03 04 05",
            [
                tensor("u8", "2", "0102"),
                tensor("u8", "", "07"),
                tensor("u8", "1 3", "030405", "column"),
            ],
        ),
        # 4 rows of rank 1: frames of no bits with base 1 and 2.
        case(
            "columns_have_encodings",
            "08 80 02 80 04 00 01 02 03 04 05 06 07 08",
            [tensor("u8", "2", each) for each in ("0102", "0304", "0506", "0708")],
        ),
        # 9 rows of rank 0: all have order 1.
        case(
            "orders_have_encodings", "12 00 51" + "07" * 9, [tensor("u8", "", "07", "column")] * 9
        ),
    ],
)
def test_reads_rows_of_tensors(text: str, tensors: list[Tagged]) -> None:
    assert bare("16 1D 04", text) == ["list", tensors]


@pytest.mark.parametrize(
    ("schema", "text", "fault"),
    [
        case("rejects_missing_rank", "04", "", "truncated @ 0"),
        case("rejects_rank_33", "04", "42", "limit_rank @ 0"),
        case("rejects_greatest_rank", "04", GREATEST_VARINT, "limit_rank @ 0"),
        case("rejects_missing_dimension", "04", "04 02", "truncated @ 2"),
        case("rejects_missing_order", "04", "02 04", "truncated @ 2"),
        case("rejects_padding_of_orders", "04", "02 04 02 01 02", "nonzero_padding @ 2"),
        case("rejects_short_elements", "05", "02 04 00 01 00 02", "truncated @ 3"),
        case(
            "rejects_product_of_2_to_126",
            "04",
            "04" + varint(2**63).hex() * 2 + "00",
            "truncated @ 20",
        ),
        # 2^64 elements: a product that wraps would be 0.
        case(
            "rejects_product_of_2_to_64",
            "04",
            "04" + varint(2**32).hex() * 2 + "00",
            "truncated @ 12",
        ),
        case(
            "rejects_size_of_2_to_64",
            "05",
            "04" + varint(2**32).hex() + varint(2**31).hex() + "00",
            "truncated @ 12",
        ),
        case("rejects_bool_2", "02", "02 04 00 01 02", "bad_bool @ 4"),
        case("rejects_bool_in_tuple", "18 04 04 02", "02 04 00 02 01 02 80", "bad_bool @ 6"),
        case("checks_elements_before_bools", "02", "02 06 00 02 02", "truncated @ 3"),
    ],
)
def test_tensors(schema: str, text: str, fault: str) -> None:
    rejects_bare("1D" + schema, text, fault)


def test_ranks_are_checked_in_row_order_when_all_are_read() -> None:
    rejects_bare("16 1D 04", "04 00 42", "limit_rank @ 2")
    rejects_bare("16 1D 04", "04 42", "truncated @ 2")
    # A frame of 8 bits: @ the column's first byte.
    rejects_bare("16 1D 04", "08 08 00 00 21 00", "limit_rank @ 1")


def test_elements_of_all_rows_are_one_column() -> None:
    # Two rows of 2 bools; the second row is missing.
    rejects_bare("16 1D 02", "04 02 02 04 04 00 02 00", "truncated @ 6")
    rejects_bare("16 1D 02", "04 02 02 04 04 00 01 00 00 02", "bad_bool @ 9")
    # Two rows of 32 bytes, in planes.
    value = bare("16 1D 05", "04 02 02 20 20 00 49 01 07 01 00")
    assert value == ["list", [["tensor", "u16", ["16"], "row", "0700" * 16]] * 2]


def test_elements_are_charged_if_they_are_not_raw() -> None:
    assert bare("1D 05", "02 40 00 49 01 07 01 00", budget=80)
    rejects_bare("1D 05", "02 40 00 49 01 07 01 00", "limit_budget @ 3", budget=79)
    assert bare("1D 05", "02 40 00 80 0E", budget=80)
    rejects_bare("1D 05", "02 40 00 80 0E", "limit_budget @ 3", budget=79)
    assert bare("1D 05", "02 40 00 48" + "07 00" * 32, budget=16)


def test_dimensions_cost_8_each() -> None:
    assert bare("1D 04", "04 02 02 00 07", budget=24)
    rejects_bare("1D 04", "04 02 02 00 07", "limit_budget @ 1", budget=23)
    # Before the column is read; after the ranks have been checked.
    rejects_bare("1D 04", "04", "limit_budget @ 1", budget=23)
    rejects_bare("1D 04", "42", "limit_rank @ 0", budget=8)
