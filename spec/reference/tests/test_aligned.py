"""Padding in aligned messages, F-69."""

from __future__ import annotations

import pytest
from holdall_reference import Tagged, decode_message, fingerprint, message_schema, parse_schema
from holdall_reference.writer.numbers import varint

from tests.kinds import ints
from tests.support import bare, case, hx, rejects_message
from tests.zstd_columns import FRAME, SEVENS, wrapped


def aligned(schema: str, block: str) -> str:
    """An aligned message; the block starts at 8, and 2 bytes behind it padding of 6."""
    return "C1 14" + schema + "00" * (6 - len(hx(schema))) + block


def zeros(count: int) -> str:
    return "00" * count


def test_block_starts_at_a_multiple_of_8() -> None:
    assert decode_message(hx(aligned("04", "07"))) == ["u8", "7"]
    # null has no columns; the padding is there.
    assert decode_message(hx(aligned("01", ""))) == ["null"]
    # A schema up to 64 needs none, one byte more a whole 7.
    for members, padding in [(60, 0), (61, 7)]:
        schema = hx("18") + varint(members) + b"\x01" * members
        text = "C1 14" + schema.hex() + zeros(padding)
        assert decode_message(hx(text)) == ["tuple", [["null"]] * members]
    assert message_schema(hx("C1 14 04")).data == hx("00 04")


def test_offsets_count_from_the_message() -> None:
    # Metadata, or a fingerprint, stand before the padding as well.
    assert decode_message(hx("C1 1C 01 02 02 61 00 04 07")) == ["u8", "7"]
    schema = parse_schema(hx("00 04"))
    head = hx("C1 15") + fingerprint(schema.data).to_bytes(8, "little")
    assert decode_message(head + bytes(6) + b"\x07", schemas=[schema]) == ["u8", "7"]


# 8 numbers of 8 bytes from 0 on, 16 of 4, 32 of 2; and their payloads.
EIGHT = "".join(each.to_bytes(8, "little").hex() for each in range(8))
SIXTEEN = "".join(each.to_bytes(4, "little").hex() for each in range(16))
THIRTY_TWO = "".join(each.to_bytes(2, "little").hex() for each in range(32))


def floats(name: str, count: int, digits: int) -> Tagged:
    return ["list", [[name, f"{i:0{digits}x}"] for i in range(count)]]


# The list's length stands at 8, an encoding at 9; so padding of 6 bytes begins at 10.
@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        case("raw_f64", "11", "10 58" + zeros(6) + EIGHT, floats("f64", 8, 16)),
        case("raw_f32", "10", "20 58" + zeros(6) + SIXTEEN, floats("f32", 16, 8)),
        case("raw_f16", "0E", "40 58" + zeros(6) + THIRTY_TWO, floats("f16", 32, 4)),
        case("raw_below_64_bytes", "11", "0E 58" + EIGHT[:112], floats("f64", 7, 16)),
        case("frame_64", "07", "10 40" + zeros(6) + EIGHT, ints("07", *range(8))),
        case("frame_32", "07", "20 20" + zeros(6) + SIXTEEN, ints("07", *range(16))),
        case("frame_16", "03", "40 10" + zeros(6) + THIRTY_TWO, ints("03", *range(32))),
        case("frame_16_below_64_bytes", "03", "3E 10" + THIRTY_TWO[:124], ints("03", *range(31))),
        # 128 is a varint of 2 bytes, so the padding is of 5.
        case("frame_16_of_128", "04", "01 02 10" + zeros(5) + zeros(256), ints("04", *[0] * 128)),
    ],
)
def test_long_payloads_start_at_a_multiple_of_8(schema: str, text: str, value: Tagged) -> None:
    assert decode_message(hx(aligned("16" + schema, text))) == value


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        case("frame_of_8_bits", "04", "01 02 08" + zeros(128), ints("04", *[0] * 128)),
        case("frame_of_24_bits", "07", "40 18" + zeros(96), ints("07", *[0] * 32)),
        case("frame_with_base", "07", "10 C0 02" + EIGHT, ints("07", *range(1, 9))),
        case("delta", "07", "12 41 00 40" + EIGHT, ints("07", 0, 0, 1, 3, 6, 10, 15, 21, 28)),
        case("scaled", "07", "10 42 00 04 40" + EIGHT, ints("07", *range(0, 16, 2))),
        case("constant", "11", "20 59" + EIGHT[:16], ["list", [["f64", "0" * 16]] * 16]),
        case("decimal", "11", "10 5B 00 40" + zeros(64) + "00", ["list", [["f64", "0" * 16]] * 8]),
        case("patterns", "0E", "40 5C 10" + zeros(64), ["list", [["f16", "0000"]] * 32]),
        case("bits", "02", "09 08 52" + zeros(64 + 1), ["list", [["bool", False]] * 514]),
        case("text", "13", "02 80" + zeros(64), ["list", [["bytes", "00" * 64]]]),
        case("fixed", "14 20", "0A" + zeros(80), ["list", [["fixed", "00" * 16]] * 5]),
        case("zstd", "04", wrapped(FRAME), SEVENS),
    ],
)
def test_no_other_payload_has_padding(schema: str, text: str, value: Tagged) -> None:
    assert decode_message(hx(aligned("16" + schema, text))) == value


def test_lengths_are_ints_as_well() -> None:
    # 8 lists of no nulls, their lengths in 64 bits.
    value = decode_message(hx(aligned("16 16 01", "10 40" + zeros(6) + zeros(64))))
    assert value == ["list", [["list", []]] * 8]


def test_packed_rows_start_at_a_multiple_of_8() -> None:
    text = aligned("16 1E 07", "10" + zeros(7) + EIGHT)
    assert decode_message(hx(text)) == ints("07", *range(8))
    text = aligned("16 1E 07", "0E" + EIGHT[:112])
    assert decode_message(hx(text)) == ints("07", *range(7))


def test_elements_start_at_a_multiple_of_8() -> None:
    # Rank, dimension, order at 8 to 10.
    elements = zeros(64)
    value = decode_message(hx(aligned("1D 04", "02 80 00" + zeros(5) + elements)))
    assert value == ["tensor", "u8", ["64"], "row", elements]
    # Rows of 16 and 15 f32, then one of 17: 64 + 60 bytes, and 4 of padding.
    block = "06 02 02 02 20 1E 22 00" + SIXTEEN + SIXTEEN[:120] + zeros(4) + zeros(68)
    value = decode_message(hx(aligned("16 1D 10", block)))
    rows = [(16, SIXTEEN), (15, SIXTEEN[:120]), (17, zeros(68))]
    assert value == ["list", [["tensor", "f32", [str(n)], "row", each] for n, each in rows]]


def test_large_elements_start_at_a_multiple_of_64() -> None:
    # Rank, dimension of 2 bytes, order at 8 to 11.
    for count, dimension, padding in [(4095, "FD 3F", 4), (4096, "01 40", 52)]:
        elements = "2a" * count
        text = aligned("1D 04", "02" + dimension + "00" + zeros(padding) + elements)
        assert decode_message(hx(text)) == ["tensor", "u8", [str(count)], "row", elements]


def test_block_behind_a_length_starts_at_a_multiple_of_64() -> None:
    assert decode_message(hx("C1 1C 04 82 04" + zeros(59) + "07")) == ["u8", "7"]


def test_nothing_is_padded_without_the_flag_or_in_a_bare_body() -> None:
    assert decode_message(hx("C1 10 16 11 10 58" + EIGHT)) == floats("f64", 8, 16)
    assert bare("16 11", "10 58" + EIGHT) == floats("f64", 8, 16)
    assert bare("1D 04", "02 80 00" + zeros(64))[0] == "tensor"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_missing_padding", "C1 14 04" + zeros(4), "truncated @ 3"),
        case("rejects_nonzero_padding", "C1 14 04 00 02" + zeros(3) + "07", "nonzero_padding @ 4"),
        case("rejects_padding_beyond", aligned("04", "00 07"), "trailing_bytes @ 9"),
        case("reports_first_nonzero", "C1 14 04" + "01" * 5, "nonzero_padding @ 3"),
        case("checks_length_of_padding_before_zeros", "C1 14 04" + "01" * 4, "truncated @ 3"),
        case(
            "rejects_floats_without_padding",
            aligned("16 11", "10 58" + "01" * 64),
            "nonzero_padding @ 10",
        ),
        case("rejects_short_floats", aligned("16 11", "10 58" + zeros(69)), "truncated @ 16"),
        case("rejects_short_padding", aligned("16 07", "10 40" + zeros(5)), "truncated @ 10"),
        case(
            "rejects_nonzero_in_frame",
            aligned("16 07", "10 40 00 00 00 00 00 01" + zeros(64)),
            "nonzero_padding @ 15",
        ),
        case(
            "rejects_nonzero_in_packed",
            aligned("16 1E 07", "10 00 01 00 00 00 00 00" + EIGHT),
            "nonzero_padding @ 10",
        ),
        case(
            "rejects_nonzero_in_tensor",
            aligned("1D 04", "02 80 00" + "01" * 69),
            "nonzero_padding @ 11",
        ),
        # A product without end is 4,096 bytes or more.
        case(
            "pads_before_a_huge_tensor",
            aligned("1D 04", "04" + "FF" * 18 + "00" + zeros(36)),
            "truncated @ 64",
        ),
        case(
            "checks_elements_after_padding",
            aligned("1D 02", "02 80 00" + zeros(5) + "02" * 64),
            "bad_bool @ 16",
        ),
        case(
            "names_offsets_of_the_message",
            aligned("16 04", "20 20" + zeros(6) + "00 01 00 00" * 16),
            "int_out_of_range @ 9",
        ),
    ],
)
def test_padding(text: str, fault: str) -> None:
    rejects_message(text, fault)
