"""Floats, F-30. Schemas are without D; bodies are bare, each of one list."""

from __future__ import annotations

import pytest

from tests.kinds import BF16, F16, F32, F64, floats, little, signed, unsigned
from tests.support import bare, case, rejects_bare


@pytest.mark.parametrize(
    ("schema", "text", "digits"),
    [
        (F32, "02 00 00 C0 3F", ["3fc00000"]),
        (F64, "02 00 00 00 00 00 00 F8 3F", ["3ff8000000000000"]),
        (F64, "02 01 00 00 00 00 00 F4 FF", ["fff4000000000001"]),
        (F16, "02 00 3C", ["3c00"]),
        (BF16, "06 80 3F 01 7F 00 80", ["3f80", "7f01", "8000"]),
        (F16, "08 58 01 02 03 04 05 06 07 08", ["0201", "0403", "0605", "0807"]),
        (BF16, "08 59 C0 7F", ["7fc0"] * 4),
        (F32, "08 59 00 00 00 80", ["80000000"] * 4),
        (F32, "08 58" + "00 00 C0 3F" * 3 + "01 02 03 04", ["3fc00000"] * 3 + ["04030201"]),
    ],
)
def test_reads_floats(schema: str, text: str, digits: list[str]) -> None:
    assert bare("16" + schema, text) == floats(schema, *digits)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_short_payload", "04" + "00" * 15, "truncated @ 1"),
        case("rejects_short_raw", "08 58" + "00" * 31, "truncated @ 2"),
        case("rejects_short_constant", "08 59" + "00" * 7, "truncated @ 2"),
        case("rejects_unknown_encoding", "08 57", "unknown_encoding @ 1"),
        case("rejects_encoding_of_ints", "08 00", "unknown_encoding @ 1"),
        case("rejects_5d", "08 5D", "unknown_encoding @ 1"),
    ],
)
def test_floats(text: str, fault: str) -> None:
    rejects_bare("16 11", text, fault)


# Decimal. The encoding is at offset 1, e at 2, the digits at 3.


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        # 15, -15, 0 and 3 from the base -15, in tenths.
        (
            "08 5B 01 85 3A" + little(30 | 15 << 10 | 18 << 15, 3) + "00",
            ["3ff8000000000000", "bff8000000000000", "0000000000000000", "3fd3333333333333"],
        ),
        ("08 5B 00 80 04 00", ["3ff0000000000000"] * 4),
        # 1 / 10^22 and 123 / 10^22, correctly rounded.
        ("08 5B 16 80 04 00", ["3b5e392010175ee6"] * 4),
        ("08 5B 16 80" + signed(123) + "00", ["3bcd0ae4cf767531"] * 4),
        # Both steps round to nearest, ties to even: 2^53 + 1, 2^53 + 3, 2^63 - 1, -2^63.
        (
            "08 5B 00 40"
            + "".join(little(each, 8) for each in (2**53 + 1, 2**53 + 3, 2**63 - 1, -(2**63)))
            + "00",
            ["4340000000000000", "4340000000000002", "43e0000000000000", "c3e0000000000000"],
        ),
        # (2^53 + 1) / 100 is rounded twice; once would give ...7c.
        ("08 5B 02 80" + signed(2**53 + 1) + "00", ["42d47ae147ae147b"] * 4),
        # Patches: row 1 is -0, row 3 a NaN.
        (
            "08 5B 01 00 04 02 0D" + little(1 << 63, 8) + little(0x7FF0000000000001, 8),
            ["0000000000000000", "8000000000000000", "0000000000000000", "7ff0000000000001"],
        ),
        # All rows are patches.
        ("08 5B 16 00 08 02 E4" + "00 00 00 00 00 00 F8 3F" * 4, ["3ff8000000000000"] * 4),
    ],
)
def test_reads_decimals(text: str, digits: list[str]) -> None:
    assert bare("16 11", text) == floats(F64, *digits)


# Patterns. Their encoding is at offset 2.


@pytest.mark.parametrize(
    ("schema", "text", "digits"),
    [
        # -1, 1 and 3 more, 1 and 2 more in the last bits.
        (F16, "08 5C 82 03 E0 05 B4", ["bc00", "bc01", "bc03", "bc02"]),
        # -0, 0, NaNs.
        (F16, "08 5C 10 00 80 00 00 FF FF FF 7F", ["8000", "0000", "ffff", "7fff"]),
        (BF16, "08 5C 10 80 BF 7F 40 80 FF 7F 00", ["bf80", "407f", "ff80", "007f"]),
        (F32, "08 5C 80" + unsigned(0xBF800000), ["bf800000"] * 4),
        (
            F64,
            "08 5C 40" + "".join(little(each, 8) for each in (0xBFF0 << 48, 0, 2**63, 2**64 - 1)),
            ["bff0000000000000", "0000000000000000", "8000000000000000", "ffffffffffffffff"],
        ),
        # What fits an f32 is a multiple of 2^29: 1, 1.5, 2.
        (
            F64,
            "08 5C 42" + unsigned(0x3FF0 << 48) + unsigned(2**51) + "02 18",
            ["3ff0000000000000", "4000000000000000", "3ff8000000000000", "3ff0000000000000"],
        ),
        # From a NaN to the number below -0.
        (
            F32,
            "08 5C 41" + unsigned(2**31 - 2) + "80 04",
            ["7ffffffe", "7fffffff", "80000000", "80000001"],
        ),
    ],
)
def test_reads_patterns(schema: str, text: str, digits: list[str]) -> None:
    assert bare("16" + schema, text) == floats(schema, *digits)


@pytest.mark.parametrize(
    ("schema", "text", "fault"),
    [
        case("rejects_decimal_bf16", BF16, "08 5B 00 00 00", "unknown_encoding @ 1"),
        case("rejects_short_raw_f16", F16, "08 58" + "00" * 7, "truncated @ 2"),
        case("rejects_decimal_f32", F32, "08 5B 00 00 00", "unknown_encoding @ 1"),
        case("rejects_5a", F64, "08 5A" + "00" * 16, "unknown_encoding @ 1"),
        case("rejects_missing_e", F64, "08 5B", "truncated @ 2"),
        case("rejects_e_of_23", F64, "08 5B 17", "bad_decimal @ 2"),
        case("rejects_missing_digits", F64, "08 5B 16", "truncated @ 3"),
        case("rejects_zstd_of_digits", F64, "08 5B 01 70", "bad_inner_encoding @ 3"),
        case("rejects_padding_of_digits", F64, "08 5B 01 01 10", "nonzero_padding @ 4"),
        case("rejects_missing_p", F64, "08 5B 01 00", "truncated @ 4"),
        case("rejects_more_patches_than_rows", F64, "08 5B 01 00 0A", "bad_patches @ 4"),
        case("rejects_missing_positions", F64, "08 5B 01 00 02", "truncated @ 5"),
        case("rejects_position_of_no_row", F64, "08 5B 01 00 02 03 04", "bad_patches @ 5"),
        case("rejects_equal_positions", F64, "08 5B 01 00 04 00", "bad_patches @ 5"),
        case("rejects_short_values", F64, "08 5B 01 00 02 00" + "00" * 7, "truncated @ 6"),
        case("rejects_missing_numbers", F32, "08 5C", "truncated @ 2"),
        case("rejects_zstd_of_numbers", F32, "08 5C 70", "bad_inner_encoding @ 2"),
        case("rejects_padding_of_numbers", F32, "08 5C 01 10", "nonzero_padding @ 3"),
        case("rejects_f16_beyond", F16, "08 5C 80" + unsigned(2**16), "int_out_of_range @ 2"),
        case(
            "rejects_bf16_beyond",
            BF16,
            "08 5C 81" + unsigned(2**16 - 1) + "01",
            "int_out_of_range @ 2",
        ),
        case(
            "rejects_f32_beyond",
            F32,
            "08 5C 81" + unsigned(2**32 - 1) + "08",
            "int_out_of_range @ 2",
        ),
    ],
)
def test_encodings(schema: str, text: str, fault: str) -> None:
    rejects_bare("16" + schema, text, fault)
