"""Ints, F-29; scaled and bins have test_inner.py and test_bins.py.

Schemas are without D; bodies are bare, most of one list.
"""

from __future__ import annotations

import pytest

from tests.kinds import (
    I8,
    I16,
    I32,
    I64,
    I128,
    INT,
    NAMES,
    U8,
    U16,
    U32,
    U64,
    U128,
    ints,
    little,
    marked_big,
    signed,
    unsigned,
)
from tests.support import bare, case, rejects_bare

# Ints of fewer than 4 rows, F-29.


@pytest.mark.parametrize(
    ("kind", "text", "number"),
    [
        (U8, "FF", 255),
        (I8, "FF", -1),
        (I8, "80", -128),
        (U16, "FB FF 07", 65535),
        (I16, "FB FF 07", -32768),
        (U32, unsigned(2**32 - 1), 2**32 - 1),
        (I32, signed(-(2**31)), -(2**31)),
        (U64, "FF" * 9, 2**64 - 1),
        (I64, "FF" * 9, -(2**63)),
        (I64, "FF FE" + "FF" * 7, 2**63 - 1),
        (INT, "FF" * 9, -(2**63)),
        (INT, marked_big(2**63, 9), 2**63),
        (INT, marked_big(-(2**63) - 1, 9), -(2**63) - 1),
        (INT, marked_big(2**1000, 126), 2**1000),
        (U128, "FF" * 9, 2**64 - 1),
        (INT, marked_big(5, 1), 5),
        (U128, marked_big(2**64, 9), 2**64),
        (U128, marked_big(2**128 - 1, 17), 2**128 - 1),
        (I128, marked_big(2**127 - 1, 16), 2**127 - 1),
        (I128, marked_big(-(2**127), 16), -(2**127)),
    ],
)
def test_reads_single_ints(kind: str, text: str, number: int) -> None:
    assert bare(kind, text) == [NAMES[kind], str(number)]


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        case("rejects_u16_beyond", U16, "03 00 08", "int_out_of_range @ 0"),
        case("rejects_i16_beyond", I16, "03 00 08", "int_out_of_range @ 0"),
        case("rejects_i16_below", I16, signed(-32769), "int_out_of_range @ 0"),
        case("rejects_u32_beyond", U32, unsigned(2**32), "int_out_of_range @ 0"),
        case("rejects_i32_beyond", I32, signed(2**31), "int_out_of_range @ 0"),
        case("rejects_overlong_varint", INT, "05 00 00", "varint_overlong @ 0"),
        case("rejects_overlong_varint_of_9_bytes", INT, "FF 09" + "00" * 7, "varint_overlong @ 0"),
        case("rejects_marker_without_encoding", INT, "01 00", "truncated @ 2"),
        case("rejects_half_a_marker", INT, "01", "truncated @ 0"),
        case("rejects_big_behind_marker_in_u64", U64, marked_big(2**64, 9), "unknown_encoding @ 2"),
        case("rejects_encoding_of_text", INT, "01 00 60", "unknown_encoding @ 2"),
        case("rejects_marked_u16_beyond", U16, "01 00 80 03 00 08", "int_out_of_range @ 2"),
        case("rejects_big_without_payload", INT, "01 00 44 04 09", "truncated @ 5"),
        case("rejects_big_of_no_bytes", INT, "01 00 44 00", "int_not_shortest @ 3"),
        case("rejects_big_with_spare_byte", INT, marked_big(2**64, 10), "int_not_shortest @ 5"),
        case("rejects_negative_u128", U128, marked_big(-1, 1), "int_out_of_range @ 5"),
        case("rejects_u128_beyond", U128, marked_big(2**128, 17), "int_out_of_range @ 5"),
        case("rejects_i128_beyond", I128, marked_big(2**127, 17), "int_out_of_range @ 5"),
    ],
)
def test_single_ints(kind: str, text: str, fault: str) -> None:
    rejects_bare(kind, text, fault)


def test_bytes_of_u8_are_one_payload() -> None:
    assert bare("16 04", "06 00 01 FF") == ints(U8, 0, 1, 255)
    assert bare("16 09", "06 00 01 FF") == ints(I8, 0, 1, -1)
    rejects_bare("16 04", "06 01 02", "truncated @ 1")


def test_each_varint_is_checked_before_the_next() -> None:
    rejects_bare("16 05", "04 03 00 08", "int_out_of_range @ 1")
    rejects_bare("16 05", "04 02", "truncated @ 2")


def test_marked_big_is_charged_at_its_payload() -> None:
    assert bare(INT, marked_big(2**64, 9), budget=17)
    rejects_bare(INT, marked_big(2**64, 9), "limit_budget @ 5", budget=16)
    # The charge comes before the checks of the number.
    rejects_bare(INT, marked_big(0, 9), "limit_budget @ 5", budget=16)


def test_a_marker_stands_before_any_encoding_of_fewer_rows() -> None:
    assert bare("16 03", "06 01 00 04 20 06") == ints(INT, 0, 2, 6)
    assert bare("16 03", "06 01 00 41 21 03 02 05") == ints(INT, 100, 101, 102)
    # Of one row there are no differences.
    assert bare(INT, "01 00 41 14") == ["int", "5"]
    assert bare(INT, "01 00 45 04 0B D0 03") == ["int", "1000"]
    # A marker is not followed by another: 01 is a frame of 1 bit.
    assert bare("16 03", "06 01 00 01 05") == ints(INT, 1, 0, 1)
    # Kinds of 8 bits have none.
    assert bare("16 04", "04 01 00") == ints(U8, 1, 0)
    assert bare("16 09", "04 01 00") == ints(I8, 1, 0)


# Frames, F-29. The length 4 is the byte 08, the encoding is at offset 1.


@pytest.mark.parametrize(
    ("kind", "text", "numbers"),
    [
        (INT, "08 00", [0, 0, 0, 0]),
        (INT, "08 80 0A", [-3, -3, -3, -3]),
        (U16, "08 80 0A", [5, 5, 5, 5]),
        (INT, "08 01 05", [1, 0, 1, 0]),
        (INT, "08 81 14 03", [6, 6, 5, 5]),
        (U8, "08 03 88 0E", [0, 1, 2, 7]),
        (U8, "0A 08 01 02 03 04 FF", [1, 2, 3, 4, 255]),
        (INT, "08 39" + little(1 << 171 | (2**57 - 1) << 57, 29), [0, 2**57 - 1, 0, 1]),
        (U64, "08 40" + "FF" * 8 + "00" * 24, [2**64 - 1, 0, 0, 0]),
        (INT, "08 40" + "FF" * 8 + "00" * 24, [-1, 0, 0, 0]),
        (I8, "08 40" + "80" + "FF" * 7 + "00" * 24, [-128, 0, 0, 0]),
        # The sum is modulo 2^64; a base need not be in the kind's range.
        (U64, "08 81" + "FF" * 9 + "02", [2**64 - 1, 0, 2**64 - 1, 2**64 - 1]),
        (U8, "08 81" + "FF" * 9 + "0F", [0, 0, 0, 0]),
        (I64, "08 81" + signed(2**63 - 1) + "02", [2**63 - 1, -(2**63), 2**63 - 1, 2**63 - 1]),
    ],
)
def test_reads_frames(kind: str, text: str, numbers: list[int]) -> None:
    assert bare("16" + kind, text) == ints(kind, *numbers)


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        case("rejects_missing_encoding", INT, "08", "truncated @ 1"),
        case("rejects_missing_base", INT, "08 80", "truncated @ 2"),
        case("rejects_overlong_base", INT, "08 80 01 00", "varint_overlong @ 2"),
        case("rejects_overlong_base", INT, "08 80 FF 09" + "00" * 7, "varint_overlong @ 2"),
        case("rejects_short_payload", INT, "08 10" + "00" * 7, "truncated @ 2"),
        case("rejects_short_payload_after_base", INT, "08 90 02" + "00" * 7, "truncated @ 3"),
        case("rejects_padding", INT, "08 01 10", "nonzero_padding @ 2"),
        case("rejects_u8_beyond", U8, "08 80 01 04", "int_out_of_range @ 1"),
        case(
            "checks_padding_before_range", U8, "08 81" + unsigned(300) + "10", "nonzero_padding @ 4"
        ),
        case("rejects_base_out_of_range", U8, "08 81 01 04 00", "int_out_of_range @ 1"),
        case("rejects_i8_beyond", I8, "08 08 80 00 00 00", "int_out_of_range @ 1"),
        case("rejects_width_58", INT, "08 3A", "unknown_encoding @ 1"),
        case("rejects_width_63", INT, "08 3F", "unknown_encoding @ 1"),
        case("rejects_width_58_with_base", INT, "08 BA", "unknown_encoding @ 1"),
        case("rejects_c1", INT, "08 C1", "unknown_encoding @ 1"),
        case("rejects_encoding_of_bits", INT, "08 50", "unknown_encoding @ 1"),
        case("rejects_encoding_of_text", INT, "08 61", "unknown_encoding @ 1"),
        case("rejects_43", INT, "08 43", "unknown_encoding @ 1"),
        case("rejects_47", INT, "08 47", "unknown_encoding @ 1"),
        case("rejects_big_of_i64", I64, "08 44 80 02 00 00 00 00", "unknown_encoding @ 1"),
        case("rejects_big_of_u8", U8, "08 44 80 02 00 00 00 00", "unknown_encoding @ 1"),
    ],
)
def test_frames(kind: str, text: str, fault: str) -> None:
    rejects_bare("16" + kind, text, fault)


# Big, F-29. The encoding is at offset 1, that of the lengths at 2.


@pytest.mark.parametrize(
    ("kind", "text", "numbers"),
    [
        (INT, "08 44 80 02 00 01 FF 7F", [0, 1, -1, 127]),
        (I128, "08 44 80 02 00 01 FF 7F", [0, 1, -1, 127]),
        (U128, "08 44 80 04 80 00 00 01 FF 00 01 01", [128, 256, 255, 257]),
        (INT, "08 44 08 01 09 01 01 07" + little(2**64, 9) + "08 09", [7, 2**64, 8, 9]),
    ],
)
def test_reads_bigs(kind: str, text: str, numbers: list[int]) -> None:
    assert bare("16" + kind, text) == ints(kind, *numbers)


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        case("rejects_missing_inner_encoding", INT, "08 44", "truncated @ 2"),
        case("rejects_big_in_big", INT, "08 44 44", "bad_inner_encoding @ 2"),
        case("rejects_zstd_in_big", INT, "08 44 70", "bad_inner_encoding @ 2"),
        case("rejects_unknown_in_big", INT, "08 44 3A", "bad_inner_encoding @ 2"),
        case("rejects_later_in_big", INT, "08 44 E0", "bad_inner_encoding @ 2"),
        case("rejects_length_0", INT, "08 44 00", "int_not_shortest @ 2"),
        case("rejects_one_length_0", INT, "08 44 01 07", "int_not_shortest @ 2"),
        case("rejects_short_payload", INT, "08 44 80 02 00 00 00", "truncated @ 4"),
        case("rejects_spare_byte", INT, "08 44 80 04 00 01 00 00", "truncated @ 4"),
        case(
            "rejects_big_not_shortest",
            INT,
            "08 44 80 04 00 01 00 00 00 01 00 01",
            "int_not_shortest @ 6",
        ),
        case("rejects_negative_u128", U128, "08 44 80 02 00 00 FF 00", "int_out_of_range @ 6"),
        case(
            "checks_row_by_row",
            U128,
            "08 44 80 04 00 FF 00 00 00 01 00 01",
            "int_out_of_range @ 4",
        ),
    ],
)
def test_bigs(kind: str, text: str, fault: str) -> None:
    rejects_bare("16" + kind, text, fault)


def test_bigs_are_charged_at_their_payload() -> None:
    # 8 for the list, 32 for the ints, 4 for the payload.
    text = "08 44 80 02 00 01 FF 7F"
    assert bare("16 03", text, budget=44)
    rejects_bare("16 03", text, "limit_budget @ 4", budget=43)
    rejects_bare("16 03", text[:-3], "truncated @ 4", budget=43)


# Delta, F-29. The encoding is at offset 1, the first row at 2.

# Inner frames of width 0: all differences are 1, or all -1.
ONES = "80 04"
MINUS_ONES = "80 02"


@pytest.mark.parametrize(
    ("kind", "text", "numbers"),
    [
        (INT, "08 41 04" + ONES, [1, 2, 3, 4]),
        (U16, "08 41 02" + ONES, [1, 2, 3, 4]),
        (INT, "08 41 00 00", [0, 0, 0, 0]),
        # Differences -2, 0 and 7 from the base -2.
        (INT, "08 41 14 84 06 20 09", [5, 3, 3, 10]),
        (U64, "08 41 0A 84 06 20 09", [5, 3, 3, 10]),
        (I8, "08 41" + signed(-128) + ONES, [-128, -127, -126, -125]),
        # Modulo 2^64, over the end of the range and back.
        (U64, "08 41" + "FF" * 9 + ONES, [2**64 - 1, 0, 1, 2]),
        (U64, "08 41 02" + MINUS_ONES, [1, 0, 2**64 - 1, 2**64 - 2]),
        (I64, "08 41" + signed(2**63 - 1) + ONES, [2**63 - 1, -(2**63), 1 - 2**63, 2 - 2**63]),
        (U128, "08 41 02" + MINUS_ONES, [1, 0, 2**64 - 1, 2**64 - 2]),
        (I128, "08 41" + signed(2**63 - 2) + "01 05", [2**63 - 2, 2**63 - 1, 2**63 - 1, -(2**63)]),
        # One difference as large as they come.
        (INT, "08 41 00 40" + little(-(2**63), 8) + "00" * 16, [0, *[-(2**63)] * 3]),
    ],
)
def test_reads_deltas(kind: str, text: str, numbers: list[int]) -> None:
    assert bare("16" + kind, text) == ints(kind, *numbers)


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        case("rejects_missing_first_row", INT, "08 41", "truncated @ 2"),
        case("rejects_overlong_first_row", INT, "08 41 01 00", "varint_overlong @ 2"),
        case("rejects_overlong_first_row", INT, "08 41 FF 09" + "00" * 7, "varint_overlong @ 2"),
        case("rejects_missing_inner_encoding", INT, "08 41 02", "truncated @ 3"),
        case("rejects_delta_in_delta", INT, "08 41 02 41", "bad_inner_encoding @ 3"),
        case("rejects_big_in_delta", INT, "08 41 02 44", "bad_inner_encoding @ 3"),
        case("rejects_zstd_in_delta", INT, "08 41 02 70", "bad_inner_encoding @ 3"),
        case("rejects_unknown_in_delta", INT, "08 41 02 3A", "bad_inner_encoding @ 3"),
        case("rejects_later_in_delta", INT, "08 41 02 E0", "bad_inner_encoding @ 3"),
        case("rejects_missing_base", INT, "08 41 02 80", "truncated @ 4"),
        case("rejects_short_payload", INT, "08 41 02 08 01 01", "truncated @ 4"),
        # Three differences, not four.
        case("rejects_padding", INT, "08 41 02 01 08", "nonzero_padding @ 4"),
        case("rejects_first_row_beyond", U8, "08 41 01 04 00", "int_out_of_range @ 1"),
        case("rejects_last_row_beyond", U8, "08 41 F5 03" + ONES, "int_out_of_range @ 1"),
        case("rejects_row_below", U8, "08 41 04" + MINUS_ONES, "int_out_of_range @ 1"),
        # 1, 0, -1, 0: differences 0, 0 and 2 from the base -1.
        case("rejects_row_between", U8, "08 41 02 82 02 20", "int_out_of_range @ 1"),
        case("rejects_i8_below", I8, "08 41" + signed(-126) + MINUS_ONES, "int_out_of_range @ 1"),
        case("checks_padding_before_range", U8, "08 41 01 04 01 08", "nonzero_padding @ 5"),
    ],
)
def test_deltas(kind: str, text: str, fault: str) -> None:
    rejects_bare("16" + kind, text, fault)


# Widths, F-29. The encoding is at offset 1, that of the widths at 2.


@pytest.mark.parametrize(
    ("kind", "text", "numbers"),
    [
        (INT, "0C 45 05 0B 90 00 00 D0 0B", [1000, 0, 5, -1, 0, 0]),
        # Widths 0 and 1 take no bits, in frames of each kind.
        (U8, "08 45 00", [0] * 4),
        (I8, "08 45 80 02", [-1] * 4),
        (U64, "08 45 01 05", [1, 0, 1, 0]),
        # Widths 64, 0, 1, 2 in a frame of 7 bits: 63 bits of one row, and one of the last.
        (U64, "08 45 07 40 40 40 00" + "FF" * 8, [2**64 - 1, 0, 1, 3]),
        (I64, "08 45 07 40 40 40 00" + "FF" * 8, [-(2**63), 0, -1, -2]),
        (INT, "08 45 07 40 40 40 00" + "FE" + "FF" * 7, [2**63 - 1, 0, -1, -2]),
        # Widths 8, 58, 59, 1: fields that reach into a ninth byte.
        (
            U128,
            "08 45 07 08 DD 2E 00" + little(127 | (2**57 - 1) << 7 | 2**57 << 64, 16),
            [255, 2**58 - 1, 2**58 + 2**57, 1],
        ),
        # The widest of a kind.
        (U16, "08 45 80 20" + "FF" * 7 + "0F", [65535] * 4),
        (I16, "08 45 80 20" + "FF" * 7 + "0F", [-32768] * 4),
    ],
)
def test_reads_widths(kind: str, text: str, numbers: list[int]) -> None:
    assert bare("16" + kind, text) == ints(kind, *numbers)


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        case("rejects_missing_widths", U8, "08 45", "truncated @ 2"),
        case("rejects_delta_of_widths", U8, "08 45 41", "bad_inner_encoding @ 2"),
        case("rejects_widths_of_widths", U8, "08 45 45", "bad_inner_encoding @ 2"),
        case("rejects_short_widths", U8, "08 45 04 11", "truncated @ 3"),
        case("rejects_padding_of_widths", U8, "08 45 01 1F", "nonzero_padding @ 3"),
        case("rejects_width_65", U64, "08 45 80 82" + "00" * 99, "bad_widths @ 2"),
        case(
            "rejects_width_2_to_64",
            U64,
            "08 45 40" + "FF" * 8 + "00" * 24,
            "bad_widths @ 2",
        ),
        case("checks_widths_before_bits", U8, "08 45 80 82", "bad_widths @ 2"),
        case("rejects_missing_bits", U8, "08 45 80 0A", "truncated @ 4"),
        case("rejects_short_bits", U8, "08 45 80 0A 00", "truncated @ 4"),
        case("rejects_unused_bits", U8, "08 45 80 04 10", "nonzero_padding @ 4"),
        case("rejects_a_row_beyond", U8, "08 45 80 12 00 00 00 00", "int_out_of_range @ 1"),
        case("rejects_a_row_below", I8, "08 45 80 12 FF FF FF FF", "int_out_of_range @ 1"),
        case(
            "checks_unused_bits_before_range",
            U8,
            "08 45 80 14" + "00" * 4 + "10",
            "nonzero_padding @ 8",
        ),
    ],
)
def test_widths(kind: str, text: str, fault: str) -> None:
    rejects_bare("16" + kind, text, fault)


def test_numbers_out_of_bounds_are_reported_at_the_column() -> None:
    # Four lists of 1, 2, 3 and 4 nulls by delta; a union's numbers 0, 1, 2, 3, of which 2 exist.
    assert bare("16 16 01", "08 41 02" + ONES) == [
        "list",
        [["list", [["null"]] * length] for length in (1, 2, 3, 4)],
    ]
    rejects_bare("16 1C 08 02 03", "08 41 00" + ONES, "index_out_of_range @ 1")
