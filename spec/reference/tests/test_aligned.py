"""Padding in aligned messages, F-69."""

from __future__ import annotations

import pytest
from holdall_reference import Tagged, decode_message, fingerprint, message_schema, parse_schema
from holdall_reference.writer.numbers import varint

from tests.kinds import ints
from tests.support import bare, case, hx, rejects_message
from tests.zstd_columns import FRAME, SEVENS, wrapped


def aligned(schema: str, block: str) -> str:
    """An aligned message; the block starts at 64, and 3 bytes behind it padding of 61."""
    return "C1 14" + schema + "00" * (62 - len(hx(schema))) + block


def zeros(count: int) -> str:
    return "00" * count


def test_block_starts_at_a_multiple_of_64() -> None:
    assert decode_message(hx(aligned("04", "07"))) == ["u8", "7"]
    # null has no columns; the padding is there.
    assert decode_message(hx(aligned("01", ""))) == ["null"]
    # A schema up to 64 needs none, one byte more a whole 63.
    for members, padding in [(60, 0), (61, 63)]:
        schema = hx("18") + varint(members) + b"\x01" * members
        text = "C1 14" + schema.hex() + zeros(padding)
        assert decode_message(hx(text)) == ["tuple", [["null"]] * members]
    assert message_schema(hx("C1 14 04")).data == hx("00 04")


def test_offsets_count_from_the_message() -> None:
    # Metadata, or a fingerprint, also precede the padding.
    text = "C1 1C 01 02 02 61 00 04" + zeros(56) + "07"
    assert decode_message(hx(text)) == ["u8", "7"]
    schema = parse_schema(hx("00 04"))
    head = hx("C1 15") + fingerprint(schema.data).to_bytes(8, "little")
    assert decode_message(head + bytes(54) + b"\x07", schemas=[schema]) == ["u8", "7"]


# 512 numbers of 8 bytes from 0 on, 1,024 of 4, 2,048 of 2.
WIDE = "".join(each.to_bytes(8, "little").hex() for each in range(512))
MIDDLE = "".join(each.to_bytes(4, "little").hex() for each in range(1024))
NARROW = "".join(each.to_bytes(2, "little").hex() for each in range(2048))
PADDING = zeros(61)


def floats(name: str, count: int, digits: int) -> Tagged:
    return ["list", [[name, f"{i:0{digits}x}"] for i in range(count)]]


# The list's length is at 64 and 65, an encoding at 66; so padding of 61 bytes begins at 67.
@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        case("raw_f64", "11", "01 08 58" + PADDING + WIDE, floats("f64", 512, 16)),
        case("raw_f32", "10", "01 10 58" + PADDING + MIDDLE, floats("f32", 1024, 8)),
        case("raw_f16", "0E", "01 20 58" + PADDING + NARROW, floats("f16", 2048, 4)),
        case("raw_below_4096_bytes", "11", "FD 07 58" + WIDE[:8176], floats("f64", 511, 16)),
        case("frame_64", "07", "01 08 40" + PADDING + WIDE, ints("07", *range(512))),
        case("frame_32", "07", "01 10 20" + PADDING + MIDDLE, ints("07", *range(1024))),
        case("frame_16", "03", "01 20 10" + PADDING + NARROW, ints("03", *range(2048))),
        case("frame_16_of_2047", "03", "FD 1F 10" + NARROW[:8188], ints("03", *range(2047))),
        case("packed", "1E 07", "01 08 48" + PADDING + WIDE, ints("07", *range(512))),
        case("few_packed", "1E 07", "FD 07 48" + WIDE[:8176], ints("07", *range(511))),
    ],
)
def test_large_payloads_start_at_a_multiple_of_64(schema: str, text: str, value: Tagged) -> None:
    assert decode_message(hx(aligned("16" + schema, text))) == value


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        case("frame_of_8_bits", "04", "01 40 08" + zeros(4096), ints("04", *[0] * 4096)),
        case("frame_of_24_bits", "07", "01 20 18" + zeros(6144), ints("07", *[0] * 2048)),
        case("frame_with_base", "07", "01 08 C0 02" + WIDE, ints("07", *range(1, 513))),
        case("delta", "07", "05 08 41 00 40" + zeros(4096), ints("07", *[0] * 513)),
        case("constant", "11", "01 08 59" + zeros(8), ["list", [["f64", "0" * 16]] * 512]),
        case("bits", "02", "03 00 04 52" + zeros(4096), ["list", [["bool", False]] * 32768]),
        case("text", "13", "02 01 40" + zeros(4096), ["list", [["bytes", "00" * 4096]]]),
        case("zstd", "04", wrapped(FRAME), SEVENS),
    ],
)
def test_no_other_payload_has_padding(schema: str, text: str, value: Tagged) -> None:
    assert decode_message(hx(aligned("16" + schema, text))) == value


def test_lengths_are_ints_as_well() -> None:
    # 512 lists of no nulls, their lengths in 64 bits.
    value = decode_message(hx(aligned("16 16 01", "01 08 40" + PADDING + zeros(4096))))
    assert value == ["list", [["list", []]] * 512]


def test_elements_of_all_rows_start_at_a_multiple_of_64() -> None:
    # Rank, dimension of 2 bytes, order, 48 at 64 to 68.
    for count, dimension, padding in [(4095, "FD 3F", 0), (4096, "01 40", 59)]:
        elements = "2a" * count
        text = aligned("1D 04", "02" + dimension + "00 48" + zeros(padding) + elements)
        assert decode_message(hx(text)) == ["tensor", "u8", [str(count)], "row", elements]
    # Rows of 500 and 12: 4,096 bytes together. 64 to 71, so the padding is of 56.
    block = "04 02 02 D1 07 18 00 48" + zeros(56) + WIDE
    value = decode_message(hx(aligned("16 1D 07", block)))
    rows = [(500, WIDE[:8000]), (12, WIDE[8000:])]
    assert value == ["list", [["tensor", "u64", [str(n)], "row", each] for n, each in rows]]


def test_block_behind_a_length_starts_at_a_multiple_of_64() -> None:
    assert decode_message(hx("C1 1C 04 82 04" + zeros(59) + "07")) == ["u8", "7"]


def test_nothing_is_padded_without_the_flag_or_in_a_bare_body() -> None:
    assert decode_message(hx("C1 10 16 11 01 08 58" + WIDE)) == floats("f64", 512, 16)
    assert bare("16 11", "01 08 58" + WIDE) == floats("f64", 512, 16)
    assert bare("1D 04", "02 01 40 00 48" + zeros(4096))[0] == "tensor"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_missing_padding", "C1 14 04" + zeros(60), "truncated @ 3"),
        case("rejects_nonzero_padding", "C1 14 04 00 02" + zeros(59) + "07", "nonzero_padding @ 4"),
        case("rejects_padding_beyond", aligned("04", "00 07"), "trailing_bytes @ 65"),
        case("reports_first_nonzero", "C1 14 04" + "01" * 61, "nonzero_padding @ 3"),
        case("checks_length_of_padding_before_zeros", "C1 14 04" + "01" * 60, "truncated @ 3"),
        case(
            "rejects_floats_without_padding",
            aligned("16 11", "01 08 58" + "01" * 4096),
            "nonzero_padding @ 67",
        ),
        case("rejects_short_floats", aligned("16 11", "01 08 58" + zeros(4156)), "truncated @ 128"),
        case("rejects_short_padding", aligned("16 07", "01 08 40" + zeros(60)), "truncated @ 67"),
        case(
            "rejects_nonzero_in_packed",
            aligned("16 1E 07", "01 08 48 00 01" + zeros(59) + WIDE),
            "nonzero_padding @ 68",
        ),
        # A product without end is 4,096 bytes or more.
        case(
            "pads_before_a_huge_tensor",
            aligned("1D 04", "04" + "FF" * 18 + "00 48" + zeros(43)),
            "truncated @ 128",
        ),
        case(
            "checks_elements_after_padding",
            aligned("1D 02", "02 01 40 00 48" + zeros(59) + "02" * 4096),
            "bad_bool @ 128",
        ),
        case(
            "names_offsets_of_the_message",
            aligned("16 04", "01 10 20" + PADDING + "00 01 00 00" * 1024),
            "int_out_of_range @ 66",
        ),
    ],
)
def test_padding(text: str, fault: str) -> None:
    rejects_message(text, fault)
