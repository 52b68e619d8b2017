"""Inner columns, F-59, and scaled, F-29. Schemas are without D; bodies are bare, each of one list."""

from __future__ import annotations

import pytest
from holdall_reference import FormatError, decode_bare, parse_schema

from tests.kinds import (
    I8,
    I16,
    I32,
    I64,
    I128,
    INT,
    U8,
    U16,
    U32,
    U64,
    U128,
    ints,
    little,
    signed,
    unsigned,
)
from tests.rans import Bin, write_bins
from tests.support import bare, case, check_fault, hx, rejects_bare

# Scaled, F-29. The encoding is at offset 1, the base at 2, mostly g at 3, the quotients at 4.


@pytest.mark.parametrize(
    ("kind", "text", "numbers"),
    [
        (U8, "08 42 0A 14 02 E4", [5, 15, 25, 35]),
        (INT, "08 42 41 1F 03 53 07 03 50 0A", [1000, 121000, 61000, 301000]),
        (U16, "08 42 00 04 02 E4", [0, 2, 4, 6]),
        (I8, "08 42" + signed(-128) + unsigned(100) + "02 24", [-128, -28, 72, -128]),
        # The sum is modulo 2^64; the base need not be in the kind's range, nor the least row.
        (U8, "08 42" + unsigned(2**64 - 4) + "14 82 02 E4", [6, 16, 26, 36]),
        (U64, "08 42" + unsigned(100) + unsigned(2**64 - 10) + "02 E4", [100, 90, 80, 70]),
        (
            I64,
            "08 42" + signed(-(2**63)) + unsigned(2**64 - 1) + "01 06",
            [-(2**63), 2**63 - 1, 2**63 - 1, -(2**63)],
        ),
        (U128, "08 42" + unsigned(2**64 - 5) + "14 02 E4", [2**64 - 5, 5, 15, 25]),
        (
            I128,
            "08 42" + signed(2**63 - 1) + "04 02 E4",
            [2**63 - 1, *[2 * i - 2**63 - 1 for i in (1, 2, 3)]],
        ),
        # All rows equal: every g divides their differences.
        (U8, "08 42 12 04 00", [9] * 4),
        # Quotients in delta, in widths, in bins; in delta in these.
        (INT, "0A 42" + signed(-50) + "14 41 00 82 04 E4", [-50, -40, -20, 10, 50]),
        (U32, "0C 42 00 14 45 02 A4 00 00", [0, 10, 20, 20, 0, 0]),
        (
            U32,
            "08 42 0A 14 46 04 01 02 08 00 80 02 00" + "00 00 02 00 01 00 02 00" * 2,
            [5, 25, 5, 25],
        ),
        (U16, "0A 42 00 06 41 00 45 04 12 0B A0 07", [0, 3, 0, 3000, 3000]),
        (
            INT,
            "08 42 0E 14 41 00"
            + write_bins(
                1, [Bin(-1, 0, 1), Bin(1, 0, 1)], [(1, 0), (0, 0), (1, 0)], signed=True
            ).hex(),
            [-4, 6, -4, 6],
        ),
    ],
)
def test_reads_scaled(kind: str, text: str, numbers: list[int]) -> None:
    assert bare("16" + kind, text) == ints(kind, *numbers)


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        case("rejects_missing_base", INT, "08 42", "truncated @ 2"),
        case("rejects_overlong_base", INT, "08 42 01 00", "varint_overlong @ 2"),
        case("rejects_missing_g", INT, "08 42 02", "truncated @ 3"),
        case("rejects_overlong_g", INT, "08 42 02 09 00", "varint_overlong @ 3"),
        case("rejects_g_of_0", INT, "08 42 02 00 00", "bad_scale @ 3"),
        case("rejects_g_of_1", INT, "08 42 02 02 00", "bad_scale @ 3"),
        case("checks_g_before_quotients", INT, "08 42 02 02", "bad_scale @ 3"),
        case("rejects_missing_quotients", INT, "08 42 02 04", "truncated @ 4"),
        case("rejects_padding_of_quotients", INT, "08 42 02 04 01 10", "nonzero_padding @ 5"),
        case("rejects_u8_beyond", U8, "08 42 00 01 04 01 04", "int_out_of_range @ 1"),
        case(
            "rejects_u8_below",
            U8,
            "08 42" + unsigned(2**64 - 1) + "04 02 E4",
            "int_out_of_range @ 1",
        ),
        case("rejects_i8_beyond", I8, "08 42 00" + unsigned(128) + "01 02", "int_out_of_range @ 1"),
        case(
            "rejects_i16_beyond_in_delta",
            I16,
            "08 42 00" + unsigned(2**14) + "41 00 01 03",
            "int_out_of_range @ 1",
        ),
        case(
            "rejects_base_beyond_as_a_row",
            I32,
            "08 42" + signed(2**31) + "04 01 07",
            "int_out_of_range @ 1",
        ),
        case("checks_padding_before_range", U8, "08 42 00 01 04 01 14", "nonzero_padding @ 6"),
    ],
)
def test_scaled(kind: str, text: str, fault: str) -> None:
    rejects_bare("16" + kind, text, fault)


# Inner columns, F-59: which encodings are allowed where. Of the bodies all is there up to the inner
# encoding byte.

DELTA, SCALED, WIDTHS, BINS = "41", "42", "45", "46"
ALL = {SCALED, DELTA, WIDTHS, BINS}
# Frames of 57 bits, and of none with a base.
FRAMES = {"39", "80"}
# Big, encodings without a meaning, of other kinds of columns, zstd, of later versions.
NEVER = {"44", "43", "47", "3A", "50", "58", "60", "62", "70", "E0"}

PLACES = [
    case("bigs", INT, "08 44", ALL),
    case("scaled", INT, "08 42 00 04", {DELTA, WIDTHS, BINS}),
    case("delta", INT, "08 41 00", {WIDTHS, BINS}),
    case("delta_in_scaled", INT, "08 42 00 04 41 00", {WIDTHS, BINS}),
    case("widths", INT, "08 45", set[str]()),
    case("lowers_of_bins", INT, "08 46 02 00", set[str]()),
    case("widths_of_bins", INT, "08 46 02 00 00", set[str]()),
    case("weights_of_bins", INT, "08 46 02 00 00 00", set[str]()),
    case("lowers_of_bins_in_scaled", INT, "08 42 00 04 46 02 00", set[str]()),
    case("digits", "11", "08 5B 00", ALL),
    case("positions", "11", "08 5B 00 00 02", ALL),
    case("patterns", "11", "08 5C", ALL),
    case("lengths_of_text", "12", "08 60", ALL),
    case("lengths_of_entries", "12", "08 61 02", ALL),
    case("indices", "12", "08 61 02 00", ALL),
    case("lengths_of_templates", "12", "08 62 60", ALL),
    case("numbers_of_slots", "12", "08 62 61 02 80 02 F8 00 02 08", ALL),
]


@pytest.mark.parametrize(("kind", "text", "allowed"), PLACES)
def test_what_stands_inside(kind: str, text: str, allowed: set[str]) -> None:
    place = len(hx(text))
    for encoding in (ALL | NEVER) - allowed:
        rejects_bare("16" + kind, text + encoding, f"bad_inner_encoding @ {place}")
    for encoding in FRAMES | allowed:
        # It is read on, and the input ends.
        with pytest.raises(FormatError) as error:
            decode_bare(hx(text + encoding), parse_schema(hx("0016" + kind)))
        check_fault(error, f"truncated @ {place + 1}")


@pytest.mark.parametrize(
    "text", ["41 06", "42 06 04 41 00", "42 02 04 80 02", "45 02 02 01", "03 03"]
)
def test_inner_columns_may_have_one_row(text: str) -> None:
    # The one length, of 3 bytes; delta of one row has no differences.
    assert bare("16 12", "08 61 02" + text + "61 62 63 00") == ["list", [["string", "abc"]] * 4]


def test_inner_columns_of_text_are_unsigned() -> None:
    # The base of lengths is not zigzagged, that of differences is: 5 4 3 2.
    assert bare("16 13", "08 60 41 0A 80 02" + "FF" * 14) == [
        "list",
        [["bytes", "ff" * size] for size in (5, 4, 3, 2)],
    ]


def test_rules_of_rows_hold_where_the_inner_column_ends() -> None:
    # 2^62 + 2^62 + ... bytes of text; indices 0 1 2 3 of 2 entries; positions 1 0.
    rejects_bare("16 12", "08 60 41" + unsigned(2**62) + "00 61", "truncated @ 13")
    rejects_bare("16 12", "08 61 04 00 41 00 80 04", "index_out_of_range @ 4")
    rejects_bare("16 11", "08 5B 00 00 04 41 02 80 02", "bad_patches @ 5")


def test_inner_columns_are_not_charged() -> None:
    # 8 for the list, 32 for the ints.
    texts = [
        "08 41 04 80 04",
        "08 42 04 04 41 02 00",
        "08 46 02 00 00 00 80 02 00" + "00 00 01 00" * 4,
    ]
    for text in texts:
        assert bare("16 03", text, budget=40)
        rejects_bare("16 03", text, "limit_budget @ 1", budget=39)


def test_faults_inside_are_reported_at_their_own_offset() -> None:
    with pytest.raises(FormatError) as error:
        decode_bare(hx("08 42 00 04 41 00 45 80 82"), parse_schema(hx("00 16 03")))
    check_fault(error, "bad_widths @ 7")


def test_largest_quotients_wrap() -> None:
    rows = [0, 2**64 - 3]
    text = "08 42 00 06 40" + (little(0, 8) + little(2**64 - 1, 8)) * 2
    assert bare("16 07", text) == ints(U64, *rows * 2)
