"""zstd, F-60. Bodies are bare, each of one list."""

from __future__ import annotations

import random

import pytest
import zstandard
from holdall_reference import FormatError, Tagged, decode_bare, parse_schema
from holdall_reference.writer.numbers import varint

from tests.kinds import BOOL, STRING, U8, ints
from tests.support import bare, case, hx, mutate, rejects_bare
from tests.zstd_columns import (
    BLOCKS,
    CONTENT,
    FRAME,
    INSIDE,
    LENGTH,
    MAGIC,
    SEVENS,
    checksum,
    compressed,
    wrapped,
)


@pytest.mark.parametrize(
    "frame",
    [
        case("reads_single_segment", FRAME),
        case("reads_window_of_1_kib", MAGIC + "40 00 2D 00" + BLOCKS),
        case("reads_window_of_128_mib", MAGIC + "40 88 2D 00" + BLOCKS),
        case("reads_size_of_4_bytes", MAGIC + "A0 2D 01 00 00" + BLOCKS),
        case("reads_size_of_8_bytes", MAGIC + "C0 88 2D 01" + "00" * 6 + BLOCKS),
        case("reads_dictionary_id_0_of_1_byte", MAGIC + "61 00 2D 00" + BLOCKS),
        case("reads_dictionary_id_0_of_2_bytes", MAGIC + "62 00 00 2D 00" + BLOCKS),
        case("reads_dictionary_id_0_of_4_bytes", MAGIC + "63 00 00 00 00 2D 00" + BLOCKS),
        case("ignores_the_unused_bit", MAGIC + "70 2D 00" + BLOCKS),
        case("reads_checksum", MAGIC + "64 2D 00" + BLOCKS + checksum()),
        case("reads_empty_last_block", MAGIC + "60 2D 00 08 00 00 08 62 09 00 07 01 00 00"),
        case("reads_empty_run", MAGIC + "60 2D 00 02 00 00 FF" + BLOCKS),
        case("reads_what_libzstd_writes", zstandard.compress(CONTENT).hex()),
    ],
)
def test_reads_frames(frame: str) -> None:
    assert bare("16 04", wrapped(frame)) == SEVENS


@pytest.mark.parametrize(
    "frame",
    [
        case("rejects_nothing", ""),
        case("rejects_magic_alone", MAGIC),
        case("rejects_other_magic", "28 B5 2F FC 60 2D 00" + BLOCKS),
        case("rejects_format_before_rfc_8878", "27 B5 2F FD 60 2D 00" + BLOCKS),
        case("rejects_skippable_frame", "50 2A 4D 18 04 00 00 00 01 02 03 04"),
        case("rejects_skippable_frame_before", "50 2A 4D 18 00 00 00 00" + FRAME),
        case("rejects_skippable_frame_after", FRAME + "50 2A 4D 18 00 00 00 00"),
        case("rejects_empty_frame_after", FRAME + MAGIC + "20 00 01 00 00"),
        case(
            "rejects_two_frames",
            MAGIC + "20 01 09 00 00 08" + MAGIC + "60 2C 00 63 09 00 07",
        ),
        case("rejects_byte_after", FRAME + "00"),
        case("rejects_missing_byte", FRAME[:-3]),
        case("rejects_missing_block", MAGIC + "60 2D 00 08 00 00 08"),
        case("rejects_no_block", MAGIC + "60 2D 00"),
        case("rejects_short_header", MAGIC + "60 2D"),
        case("rejects_reserved_bit", MAGIC + "68 2D 00" + BLOCKS),
        case("rejects_reserved_block", MAGIC + "60 2D 00 08 00 00 08 67 09 00 07"),
        case("rejects_large_window", MAGIC + "40 89 2D 00" + BLOCKS),
        case("rejects_window_beyond_libzstds", MAGIC + "40 B0 2D 00" + BLOCKS),
        case("rejects_largest_window", MAGIC + "40 FF 2D 00" + BLOCKS),
        case("rejects_dictionary_of_1_byte", MAGIC + "61 01 2D 00" + BLOCKS),
        case("rejects_dictionary_of_2_bytes", MAGIC + "62 00 01 2D 00" + BLOCKS),
        case("rejects_dictionary_of_4_bytes", MAGIC + "63 00 00 00 01 2D 00" + BLOCKS),
        case("rejects_missing_size", MAGIC + "00 00" + BLOCKS),
        case("rejects_size_below", MAGIC + "60 2C 00" + BLOCKS),
        case("rejects_size_above", MAGIC + "60 2E 00" + BLOCKS),
        case("rejects_size_of_2_to_64", MAGIC + "E0" + "FF" * 8 + BLOCKS),
        case("rejects_content_below", MAGIC + "60 2D 00 08 00 00 08 5B 09 00 07"),
        case("rejects_content_above", MAGIC + "60 2D 00 08 00 00 08 6B 09 00 07"),
        case("rejects_wrong_checksum", MAGIC + "64 2D 00" + BLOCKS + "00 00 00 00"),
        case("rejects_missing_checksum", MAGIC + "64 2D 00" + BLOCKS),
        case("rejects_short_checksum", MAGIC + "64 2D 00" + BLOCKS + checksum()[:6]),
        case("rejects_checksum_that_is_not_announced", FRAME + checksum()),
        case("rejects_damaged_block", MAGIC + "60 2D 00 25 00 00 FF FF FF FF"),
    ],
)
def test_frames(frame: str) -> None:
    rejects_bare("16 04", wrapped(frame), "bad_zstd @ 6")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_missing_u", "70", "truncated @ 3"),
        case("rejects_overlong_u", "70 01 00", "varint_overlong @ 3"),
        case("rejects_missing_c", "70 B5 04", "truncated @ 5"),
        case("reads_c_before_it_checks_u", "70 00", "truncated @ 4"),
        case("rejects_u_of_255", "70 FD 03 02", "bad_zstd @ 3"),
        case("takes_u_of_256", "70 01 04 02 00", "bad_zstd @ 6"),
        case("rejects_c_like_u", "70 B5 04 B5 04", "bad_zstd @ 3"),
        case("takes_c_below_u", "70 B5 04 B1 04", "truncated @ 7"),
        case("rejects_c_above_u", "70 B5 04" + "FF" * 9, "bad_zstd @ 3"),
        case("rejects_short_payload", wrapped(FRAME)[len(LENGTH) : -3], "truncated @ 6"),
    ],
)
def test_head(text: str, fault: str) -> None:
    rejects_bare("16 04", LENGTH + text, fault)


def test_content_is_charged_at_the_payload() -> None:
    # 8 for the list, 2,400 for the numbers, 301 for the content.
    assert bare("16 04", wrapped(FRAME), budget=2709) == SEVENS
    rejects_bare("16 04", wrapped(FRAME), "limit_budget @ 6", budget=2708)
    # The payload must be complete before the charge; the charge precedes the check of the frame.
    rejects_bare("16 04", wrapped(FRAME)[:-3], "truncated @ 6", budget=2708)
    rejects_bare("16 04", wrapped("00"), "limit_budget @ 6", budget=2708)


def test_no_more_is_allocated_than_was_charged() -> None:
    # A frame that claims 2^40 bytes, as u does too, or alone.
    frame = MAGIC + "E0 00 00 00 00 00 01 00 00" + BLOCKS
    text = wrapped(frame, 2**40)
    rejects_bare("16 04", text, "limit_budget @ 10")
    rejects_bare("16 04", wrapped(frame), "bad_zstd @ 6")


@pytest.mark.parametrize(("schema", "column", "value"), INSIDE)
def test_reads_all_encodings_inside(schema: str, column: bytes, value: Tagged) -> None:
    assert isinstance(value[1], list)
    length = varint(len(value[1]))
    assert bare("16" + schema, (length + column).hex()) == value
    assert bare("16" + schema, (length + compressed(column)).hex()) == value


@pytest.mark.parametrize(
    ("schema", "column", "fault"),
    [
        case(
            "rejects_zstd_in_zstd",
            U8,
            compressed(CONTENT) + b"\x00" * 300,
            "bad_inner_encoding @ 2",
        ),
        case("rejects_unknown", U8, b"\x3a" + b"\x00" * 300, "unknown_encoding @ 2"),
        case("rejects_other_kind", U8, b"\x60" + b"\x00" * 300, "unknown_encoding @ 2"),
        case("rejects_later", U8, b"\xe0" + b"\x00" * 300, "bad_inner_encoding @ 2"),
        case("rejects_templates", STRING, b"\x62\x60\x00\x00", "bad_inner_encoding @ 2"),
        case("rejects_62_in_ints", U8, b"\x62" + b"\x00" * 300, "bad_inner_encoding @ 2"),
        case("rejects_short_column", U8, CONTENT[:-1], "truncated @ 2"),
        case("rejects_long_column", U8, CONTENT + b"\x00", "bad_zstd @"),
        case("rejects_padding", BOOL, b"\x52" + b"\x55" * 37 + b"\x10", "nonzero_padding @ 2"),
        case(
            "rejects_inner_encoding", U8, b"\x41\x00\x41" + b"\x00" * 300, "bad_inner_encoding @ 2"
        ),
        case("rejects_range", U8, b"\x10" + b"\x00\x01" * 300, "int_out_of_range @ 2"),
        case("rejects_text", STRING, b"\x60\x80\x02" + b"\xff" * 300, "invalid_utf8 @ 2"),
        case("rejects_scaled", U8, b"\x42\x00" + b"\x00" * 300, "bad_scale @ 2"),
    ],
)
def test_faults_inside_stand_at_the_encoding(schema: str, column: bytes, fault: str) -> None:
    if len(column) < 256:
        # Padded by bytes that nothing reads, since the fault comes first.
        column += b"\x00" * 256
    whole = compressed(column)
    if fault.endswith("@"):
        # The payload is the last item of the column.
        fault += f" {2 + len(whole) - len(zstandard.compress(column))}"
    rejects_bare("16" + schema, (varint(300) + whole).hex(), fault)


def test_charges_inside_stand_at_the_encoding() -> None:
    # 300 strings: 8 + 2,400; the content: 303; the text: 300.
    body = (varint(300) + compressed(b"\x60\x80\x02" + b"a" * 300)).hex()
    assert bare("16 12", body, budget=3011)
    rejects_bare("16 12", body, "limit_budget @ 2", budget=3010)
    rejects_bare("16 12", body, "limit_budget @ 6", budget=2710)


def test_every_kind_of_column_may_be_compressed() -> None:
    # Lengths: 300 lists of 7 nulls.
    value = bare("16 16 01", (varint(300) + compressed(CONTENT)).hex())
    assert value == ["list", [["list", [["null"]] * 7]] * 300]
    # Presence: 2,400 rows, all absent but the last.
    presence = compressed(b"\x52" + b"\x00" * 299 + b"\x80")
    value = bare("16 15 01", (varint(2400) + presence).hex())
    assert value == ["list", [["null"]] * 2400]


def test_bounds_are_checked_outside() -> None:
    # union(bool, int): no variant has number 7.
    body = (varint(300) + compressed(CONTENT)).hex()
    rejects_bare("16 1C 08 02 03", body, "index_out_of_range @ 2")
    # record {a: null} sparse, 300 rows of one field; then field number 0, or 7.
    schema = "16 1A 0C 04 61 01"
    ones = b"\x08" + b"\x01" * 300
    body = (varint(300) + compressed(ones)).hex()
    place = len(hx(body))
    assert bare(schema, body + "00")
    rejects_bare(schema, body + compressed(CONTENT).hex(), f"index_out_of_range @ {place}")


def test_columns_without_an_encoding_byte_are_not_compressed() -> None:
    assert bare("16 04", "04 70 70") == ints(U8, 0x70, 0x70)


def fault_of(schema: str, body: bytes) -> tuple[str, int]:
    try:
        decode_bare(body, parse_schema(hx("00" + schema)), 1 << 20)
    except FormatError as error:
        return error.code, error.offset
    return "value", 0


@pytest.mark.parametrize(("schema", "column", "value"), INSIDE)
def test_damage_inside_is_reported_as_outside(schema: str, column: bytes, value: Tagged) -> None:
    chance = random.Random(60)
    assert isinstance(value[1], list)
    length = varint(len(value[1]))
    met = set()
    for _ in range(300):
        damaged = mutate(chance, column, column)
        if len(damaged) < 256 or damaged[0] in (0x62, 0x70):
            continue
        whole = compressed(damaged)
        code, _ = fault_of("16" + schema, length + damaged)
        expected = (code, 0 if code == "value" else len(length))
        if code == "trailing_bytes":
            payload = len(whole) - len(zstandard.compress(damaged))
            expected = ("bad_zstd", len(length) + payload)
        assert fault_of("16" + schema, length + whole) == expected, damaged.hex()
        met.add(code)
    assert {"value", "truncated"} & met
