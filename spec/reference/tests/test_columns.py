"""Chapter 6: columns. Schemas here are without D; bodies are bare, most of one list."""

from __future__ import annotations

import pytest
from holdall_reference import Tagged

from tests.support import bare, case, rejects_bare, varint, zigzag

NULL, BOOL, INT, F32, F64, STRING, BYTES = "01", "02", "03", "10", "11", "12", "13"
U8, U16, U32, U64, U128 = "04", "05", "06", "07", "08"
I8, I16, I32, I64, I128 = "09", "0A", "0B", "0C", "0D"
NAMES = {
    INT: "int",
    **dict(zip((U8, U16, U32, U64, U128), ("u8", "u16", "u32", "u64", "u128"), strict=True)),
    **dict(zip((I8, I16, I32, I64, I128), ("i8", "i16", "i32", "i64", "i128"), strict=True)),
}


def ints(kind: str, *numbers: int) -> Tagged:
    return ["list", [[NAMES[kind], str(number)] for number in numbers]]


def unsigned(number: int) -> str:
    return varint(number).hex()


def signed(number: int) -> str:
    return varint(zigzag(number)).hex()


def little(number: int, size: int) -> str:
    return number.to_bytes(size, "little", signed=number < 0).hex()


def escape(number: int, size: int) -> str:
    return "FF" + little(size, 8) + little(number, size)


# Bits, F-28.


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("02 01", "1"),
        ("06 05", "101"),
        ("10 FE", "01111111"),
        ("12 50", "000000000"),
        ("12 51", "111111111"),
        ("12 52 01 01", "100000001"),
        ("20 52 00 80", "0000000000000001"),
    ],
)
def test_reads_bits(text: str, bits: str) -> None:
    assert bare("16 02", text) == ["list", [["bool", bit == "1"] for bit in bits]]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_padding_of_one_byte", "06 08", "nonzero_padding @ 1"),
        case("rejects_padding_of_last_byte", "12 52 00 02", "nonzero_padding @ 3"),
        case("rejects_missing_byte", "02", "truncated @ 1"),
        case("rejects_missing_encoding", "12", "truncated @ 1"),
        case("rejects_short_payload", "12 52 00", "truncated @ 2"),
        case("rejects_unknown_encoding", "12 53", "unknown_encoding @ 1"),
        case("rejects_encoding_of_ints", "12 41", "unknown_encoding @ 1"),
        case("rejects_zstd", "12 70", "unsupported @ 1"),
        case("rejects_later_encoding", "12 E0", "unsupported @ 1"),
    ],
)
def test_bits(text: str, fault: str) -> None:
    rejects_bare("16 02", text, fault)


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
        (INT, escape(2**63, 9), 2**63),
        (INT, escape(-(2**63) - 1, 9), -(2**63) - 1),
        (INT, escape(2**1000, 126), 2**1000),
        (U128, "FF" * 9, 2**64 - 1),
        (U128, escape(2**64, 9), 2**64),
        (U128, escape(2**128 - 1, 17), 2**128 - 1),
        (I128, escape(2**127 - 1, 16), 2**127 - 1),
        (I128, escape(-(2**127), 16), -(2**127)),
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
        case("rejects_overlong_varint", INT, "01 00", "varint_overlong @ 0"),
        case("rejects_escape_in_u64", U64, escape(2**64, 9), "varint_overlong @ 0"),
        case("rejects_escape_in_i64", I64, escape(2**64, 9), "varint_overlong @ 0"),
        case("rejects_truncated_escape", INT, "FF 09", "truncated @ 0"),
        case("rejects_escape_without_payload", INT, "FF 09" + "00" * 7, "truncated @ 9"),
        case("rejects_escape_of_no_bytes", INT, "FF" + "00" * 8, "int_not_shortest @ 0"),
        case("rejects_escape_with_spare_byte", INT, escape(2**64, 10), "int_not_shortest @ 0"),
        case("rejects_escape_of_63_bits", INT, escape(2**63 - 1, 8), "int_not_shortest @ 0"),
        case("rejects_escape_of_64_bits", U128, escape(2**64 - 1, 9), "int_not_shortest @ 0"),
        case("rejects_escape_of_negative_64", I128, escape(-(2**63), 8), "int_not_shortest @ 0"),
        case("rejects_negative_u128", U128, escape(-1, 1), "int_out_of_range @ 0"),
        case("rejects_u128_beyond", U128, escape(2**128, 17), "int_out_of_range @ 0"),
        case("rejects_i128_beyond", I128, escape(2**127, 17), "int_out_of_range @ 0"),
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


def test_escape_is_charged_at_its_payload() -> None:
    assert bare(INT, escape(2**64, 9), budget=17)
    rejects_bare(INT, escape(2**64, 9), "limit_budget @ 9", budget=16)
    rejects_bare(INT, "FF" + little(2**40, 8), "truncated @ 9", budget=8)
    # The charge comes before the checks of the number.
    rejects_bare(INT, escape(0, 9), "limit_budget @ 9", budget=16)


# Frames, F-29. The length 4 is the byte 08, the encoding stands at offset 1.


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
        case("rejects_escape_as_base", INT, "08 80" + escape(2**64, 9), "varint_overlong @ 2"),
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
        case("rejects_delta", INT, "08 41", "unsupported @ 1"),
        case("rejects_patched", INT, "08 43", "unsupported @ 1"),
        case("rejects_zstd", INT, "08 70", "unsupported @ 1"),
        case("rejects_later_encoding", INT, "08 FF", "unsupported @ 1"),
        case("rejects_encoding_of_bits", INT, "08 50", "unknown_encoding @ 1"),
        case("rejects_big_of_i64", I64, "08 44 80 02 00 00 00 00", "unknown_encoding @ 1"),
        case("rejects_big_of_u8", U8, "08 44 80 02 00 00 00 00", "unknown_encoding @ 1"),
    ],
)
def test_frames(kind: str, text: str, fault: str) -> None:
    rejects_bare("16" + kind, text, fault)


# Big, F-29. The encoding stands at offset 1, that of the lengths at 2.


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
        case("rejects_reserved_in_big", INT, "08 44 41", "bad_inner_encoding @ 2"),
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


# Floats, F-30.


@pytest.mark.parametrize(
    ("schema", "text", "digits"),
    [
        (F32, "02 00 00 C0 3F", ["3fc00000"]),
        (F64, "02 00 00 00 00 00 00 F8 3F", ["3ff8000000000000"]),
        (F64, "02 01 00 00 00 00 00 F4 FF", ["fff4000000000001"]),
        (F32, "08 59 00 00 00 80", ["80000000"] * 4),
        (F32, "08 58" + "00 00 C0 3F" * 3 + "01 02 03 04", ["3fc00000"] * 3 + ["04030201"]),
    ],
)
def test_reads_floats(schema: str, text: str, digits: list[str]) -> None:
    name = "f32" if schema == F32 else "f64"
    assert bare("16" + schema, text) == ["list", [[name, each] for each in digits]]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_short_payload", "04" + "00" * 15, "truncated @ 1"),
        case("rejects_short_raw", "08 58" + "00" * 31, "truncated @ 2"),
        case("rejects_short_constant", "08 59" + "00" * 7, "truncated @ 2"),
        case("rejects_unknown_encoding", "08 57", "unknown_encoding @ 1"),
        case("rejects_encoding_of_ints", "08 00", "unknown_encoding @ 1"),
        case("rejects_narrowed", "08 5A", "unsupported @ 1"),
        case("rejects_byte_planes", "08 5C", "unsupported @ 1"),
        case("rejects_zstd", "08 70", "unsupported @ 1"),
    ],
)
def test_floats(text: str, fault: str) -> None:
    rejects_bare("16 11", text, fault)


# Text, F-32.


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        (STRING, "02 00", [""]),
        (STRING, "02 04 C3 A4", ["ä"]),
        (STRING, "02 08 F0 9F 92 BC", ["💼"]),
        (STRING, "04 02 04 61 C3 A4", ["a", "ä"]),
        (STRING, "08 60 00", ["", "", "", ""]),
        (STRING, "08 60 80 02 61 62 63 64", ["a", "b", "c", "d"]),
        (STRING, "08 60 02 E4 61 62 62 63 63 63", ["", "a", "bb", "ccc"]),
        (BYTES, "04 02 02 C3 A4", ["c3", "a4"]),
    ],
)
def test_reads_text(schema: str, text: str, value: list[str]) -> None:
    name = "string" if schema == STRING else "bytes"
    assert bare("16" + schema, text) == ["list", [[name, each] for each in value]]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_missing_length", "04 00", "truncated @ 2"),
        case("rejects_short_payload", "04 02 04 61 62", "truncated @ 3"),
        case("rejects_lengths_beyond_2_to_64", "04" + "FF" * 18 + "61", "truncated @ 19"),
        case("rejects_character_over_two_rows", "04 02 02 C3 A4", "invalid_utf8 @ 3"),
        case("reports_first_byte_of_row", "04 02 06 61 62 63 80", "invalid_utf8 @ 4"),
        case("rejects_surrogate", "02 06 ED A0 80", "invalid_utf8 @ 2"),
        case("rejects_overlong_utf8", "02 04 C0 80", "invalid_utf8 @ 2"),
        case("rejects_above_10ffff", "02 08 F4 90 80 80", "invalid_utf8 @ 2"),
        case("rejects_dictionary", "08 61", "unsupported @ 1"),
        case("rejects_zstd", "08 70", "unsupported @ 1"),
        case("rejects_unknown_encoding", "08 62", "unknown_encoding @ 1"),
        case("rejects_missing_inner_encoding", "08 60", "truncated @ 2"),
        case("rejects_big_in_text", "08 60 44", "bad_inner_encoding @ 2"),
        case("rejects_reserved_in_text", "08 60 42", "bad_inner_encoding @ 2"),
        case("rejects_text_in_text", "08 60 60", "bad_inner_encoding @ 2"),
        case("rejects_padding_of_lengths", "08 60 01 10", "nonzero_padding @ 3"),
        case("rejects_short_plain", "08 60 80 02 61 62 63", "truncated @ 4"),
        case("reports_row_of_plain", "08 60 80 02 61 62 FF FF", "invalid_utf8 @ 6"),
    ],
)
def test_text(text: str, fault: str) -> None:
    rejects_bare("16 12", text, fault)


def test_text_is_charged_at_its_payload() -> None:
    # 8 for the list, 16 for the strings, 2 for the payload; the charge precedes UTF-8.
    assert bare("16 12", "04 02 02 61 62", budget=26)
    rejects_bare("16 12", "04 02 02 61 FF", "limit_budget @ 3", budget=25)
    rejects_bare("16 12", "04 02 02 61", "truncated @ 3", budget=25)
