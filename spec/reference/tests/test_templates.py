"""Text as templates, F-98. Schemas are without D; bodies are bare, each of one list, mostly of 4 rows.

The encoding is at offset 1, the templates at 2. Those of SAME are 7 bytes: k is at 9, m at 10, the numbers
at 11.
"""

from __future__ import annotations

import random

import pytest
from holdall_reference import Tagged
from holdall_reference.writer.numbers import varint

from tests.kinds import BYTES, STRING, texts, unsigned
from tests.support import bare, case, rejects_bare
from tests.templates import Row, Slot, dictionary, numbers, plain, template, text
from tests.zstd_columns import compressed

# A dictionary of one entry, "a" and a decimal number.
SAME = "61 02 02 02 61 F8 00"
# The numbers 1 2 3 4 in a frame of 3 bits, and with k and m before it.
COUNT = "03 D1 08"
ONE_COLUMN = "02 08" + COUNT


def same(entry: str) -> str:
    """A dictionary of one entry of 1 to 63 bytes, which all 4 rows have."""
    return f"61 02 80 {unsigned(len(bytes.fromhex(entry)))} {entry} 00"


@pytest.mark.parametrize(
    ("schema", "body", "value"),
    [
        (STRING, "08 62" + SAME + ONE_COLUMN, ["a1", "a2", "a3", "a4"]),
        (BYTES, "08 62" + SAME + ONE_COLUMN, ["6131", "6132", "6133", "6134"]),
        # Each kind of slot: the least number, and the largest.
        (STRING, "08 62" + same("F8") + "02 08 01 00", ["0"] * 4),
        (STRING, "08 62" + same("F8") + "02 08 80" + "FF" * 9, [str(2**64 - 1)] * 4),
        (STRING, "08 62" + same("F9 01") + "02 08 80 12", ["9"] * 4),
        (STRING, "08 62" + same("F9 02") + "02 08 80 12", ["09"] * 4),
        (STRING, "08 62" + same("F9 13") + "02 08 00", ["0" * 19] * 4),
        (STRING, "08 62" + same("F9 13") + "02 08 80" + unsigned(10**19 - 1), ["9" * 19] * 4),
        (STRING, "08 62" + same("FA 01") + "02 08 80 1E", ["f"] * 4),
        (STRING, "08 62" + same("FA 10") + "02 08 80" + "FF" * 9, ["f" * 16] * 4),
        (STRING, "08 62" + same("FB 01") + "02 08 80 1E", ["F"] * 4),
        (STRING, "08 62" + same("FB 10") + "02 08 80 14", ["000000000000000A"] * 4),
        # A plain column, rows without slots, an empty template.
        (STRING, "08 62 60 80 02 F8 62 63 F8 02 04 02 09", ["1", "b", "c", "2"]),
        (STRING, "08 62 60 01 08 F8 02 02 80 0E", ["", "", "", "7"]),
        # No slots at all.
        (STRING, "08 62 60 00 00", [""] * 4),
        (BYTES, "08 62 60 80 02 80 81 FC FF 00", ["80", "81", "fc", "ff"]),
        # The second column has the rows with a second slot: lengths 0 1 2 3.
        (
            STRING,
            "08 62 60 02 E4 F8 F8 F8 F8 2D F8 04 06 02 39 04 80 0A",
            ["", "1", "25", "3-5"],
        ),
        # All of them side by side.
        (
            STRING,
            "08 62" + same("F8 F9 02 FA 02 FB 02") + "08" + ("08" + COUNT) * 4,
            [f"{i}0{i}0{i}0{i}" for i in range(1, 5)],
        ),
        # F8 has no w; a w is no digit and no text.
        (
            STRING,
            "08 62" + same("F8 01 F9 03 33") + "04" + ("08" + COUNT) * 2,
            [f"{i}\x0100{i}3" for i in range(1, 5)],
        ),
        # Characters of several bytes.
        (
            STRING,
            "08 62" + same("C3 A4 F8 F0 9F 92 BC") + ONE_COLUMN,
            [f"ä{i}💼" for i in range(1, 5)],
        ),
        # An entry that no row has: its slots do not count, and its w is not checked.
        (STRING, "08 62 61 04 80 04 61 F8 61 F9 00" + ONE_COLUMN, ["a1", "a2", "a3", "a4"]),
        # Behind a marker.
        (STRING, "02 01 00 62 60 01 01 F8 02 02 80 0E", ["7"]),
        (STRING, "04 01 00 62 61 02 80 02 F8 00 02 04 80 0E", ["7", "7"]),
        (STRING, "06 01 00 62 60 01 06 61 F8 02 02 80 0E", ["", "a", "7"]),
        # Inner columns: delta, scaled, widths, bins.
        (STRING, "08 62" + SAME + "02 08 41 0A 80 04", ["a5", "a6", "a7", "a8"]),
        (STRING, "08 62" + SAME + "02 08 42 0A 14 02 E4", ["a5", "a15", "a25", "a35"]),
        (STRING, "08 62" + SAME + "02 08 45 02 E4 06", ["a0", "a1", "a2", "a7"]),
        (
            STRING,
            "08 62" + SAME + "02 08 46 02 00 00 80 04 80 02 00" + "00 00 01 00" * 4 + "E4",
            ["a0", "a1", "a2", "a3"],
        ),
    ],
)
def test_reads_templates(schema: str, body: str, value: list[str]) -> None:
    assert bare("16" + schema, body) == texts(schema, *value)


# Of 4 rows of 64 bytes, all but the last without a slot.
LARGE_COLUMN = b"\x60\x80" + varint(64) + b"a" * 255 + b"\xf8"
LARGE_ROWS = ["a" * 64] * 3 + ["a" * 63 + "5"]
FIVE = "02 02 80 0A"


def test_templates_may_be_compressed() -> None:
    assert bare("16 12", "08 62" + compressed(LARGE_COLUMN).hex() + FIVE) == texts(
        STRING, *LARGE_ROWS
    )
    entry = b"\x61\x02\x80" + varint(300) + b"\xf8" + b"b" * 299 + b"\x00"
    assert bare("16 12", "08 62" + compressed(entry).hex() + ONE_COLUMN) == texts(
        STRING, *[f"{i}" + "b" * 299 for i in range(1, 5)]
    )
    row = b"\x60\x80" + varint(300) + b"\xf8" + b"b" * 299
    assert bare("12", "01 00 62" + compressed(row).hex() + FIVE) == ["string", "5" + "b" * 299]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        # The templates' own column.
        case("rejects_missing_templates", "08 62", "truncated @ 2"),
        case("rejects_ints", "08 62 00", "bad_inner_encoding @ 2"),
        case("rejects_5f", "08 62 5F", "bad_inner_encoding @ 2"),
        case("rejects_templates_in_templates", "08 62 62" + SAME, "bad_inner_encoding @ 2"),
        case("rejects_63", "08 62 63", "bad_inner_encoding @ 2"),
        case("rejects_later", "08 62 E0 00", "bad_inner_encoding @ 2"),
        case("rejects_marker", "02 01 00 62 01 00 60", "bad_inner_encoding @ 4"),
        case("rejects_lengths_alone", "02 01 00 62 04 61 F8", "bad_inner_encoding @ 4"),
        case("rejects_missing_lengths", "08 62 60", "truncated @ 3"),
        case("rejects_short_payload", "08 62 60 80 02 F8 F8 F8", "truncated @ 5"),
        case("rejects_no_entries", "08 62 61 00", "bad_dictionary @ 3"),
        case("rejects_no_such_entry", "08 62 61 02 80 02 F8 01 01", "index_out_of_range @ 7"),
        case("rejects_missing_u", "08 62 70", "truncated @ 3"),
        case("rejects_u_of_0", "08 62 70 00 00", "bad_zstd @ 3"),
        # w.
        case("rejects_missing_w_of_f9", "08 62" + same("61 F9"), "bad_templates @ 2"),
        case("rejects_missing_w_of_fa", "08 62" + same("61 FA"), "bad_templates @ 2"),
        case("rejects_missing_w_of_fb", "08 62" + same("61 FB"), "bad_templates @ 2"),
        case("rejects_f9_00", "08 62" + same("F9 00"), "bad_templates @ 2"),
        case("rejects_f9_14", "08 62" + same("F9 14"), "bad_templates @ 2"),
        case("rejects_fa_00", "08 62" + same("FA 00"), "bad_templates @ 2"),
        case("rejects_fa_11", "08 62" + same("FA 11"), "bad_templates @ 2"),
        case("rejects_fb_00", "08 62" + same("FB 00"), "bad_templates @ 2"),
        case("rejects_fb_11", "08 62" + same("FB 11"), "bad_templates @ 2"),
        case("rejects_slot_as_w", "08 62" + same("F9 F8"), "bad_templates @ 2"),
        case("rejects_w_in_the_next_row", "08 62 60 80 02 F9 01 61 61", "bad_templates @ 2"),
        case("reads_all_templates_before_w", "08 62 61 02 80 02 F9 01", "truncated @ 8"),
        case("rejects_w_behind_a_marker", "02 01 00 62 60 80 02 FB", "bad_templates @ 4"),
        # k.
        case("rejects_missing_k", "08 62" + SAME, "truncated @ 9"),
        case("rejects_overlong_k", "08 62" + SAME + "05 00", "varint_overlong @ 9"),
        case("rejects_k_of_0", "08 62" + SAME + "00", "bad_templates @ 9"),
        case("rejects_k_above", "08 62" + SAME + "04", "bad_templates @ 9"),
        case("rejects_k_of_2_to_64", "08 62" + SAME + "FF" * 9, "bad_templates @ 9"),
        case("rejects_k_without_slots", "08 62 60 00 02", "bad_templates @ 4"),
        case(
            "rejects_k_of_the_first_row", "08 62 60 02 E4" + "F8" * 6 + "02", "bad_templates @ 11"
        ),
        case("rejects_k_of_an_entry", "08 62 61 04 80 02 F8 61 80 02 02", "bad_templates @ 10"),
        # m.
        case("rejects_missing_m", "08 62" + SAME + "02", "truncated @ 10"),
        case("rejects_overlong_m", "08 62" + SAME + "02 01 00", "varint_overlong @ 10"),
        case("rejects_m_of_0", "08 62" + SAME + "02 00", "bad_templates @ 10"),
        case("rejects_m_below", "08 62" + SAME + "02 06", "bad_templates @ 10"),
        case("rejects_m_above", "08 62" + SAME + "02 0A", "bad_templates @ 10"),
        case("rejects_m_of_2_to_64", "08 62" + SAME + "02" + "FF" * 9, "bad_templates @ 10"),
        case("rejects_rows_without_slots", "08 62 60 01 0E F8 F8 F8 02 08", "bad_templates @ 9"),
        case(
            "rejects_m_of_the_first_column",
            "08 62 60 02 E4" + "F8" * 6 + "06 06 00 06",
            "bad_templates @ 14",
        ),
        # The numbers.
        case("rejects_missing_numbers", "08 62" + SAME + "02 08", "truncated @ 11"),
        case("rejects_big", "08 62" + SAME + "02 08 44", "bad_inner_encoding @ 11"),
        case("rejects_zstd", "08 62" + SAME + "02 08 70", "bad_inner_encoding @ 11"),
        case("rejects_padding", "08 62" + SAME + "02 08 03 D1 18", "nonzero_padding @ 13"),
        case("rejects_short_numbers", "08 62" + SAME + "02 08 03 D1", "truncated @ 12"),
        case(
            "rejects_missing_second_column", "08 62" + same("F8 F8") + "04 08 00", "truncated @ 12"
        ),
        # Digits.
        case(
            "rejects_10_in_1_digit", "08 62" + same("F9 01") + "02 08 80 14", "bad_templates @ 11"
        ),
        case(
            "rejects_10_to_19",
            "08 62" + same("F9 13") + "02 08 80" + unsigned(10**19),
            "bad_templates @ 11",
        ),
        case(
            "rejects_16_in_1_digit", "08 62" + same("FA 01") + "02 08 80 20", "bad_templates @ 11"
        ),
        case(
            "rejects_16_in_1_capital", "08 62" + same("FB 01") + "02 08 80 20", "bad_templates @ 11"
        ),
        case(
            "rejects_2_to_60",
            "08 62" + same("FA 0F") + "02 08 80" + unsigned(2**60),
            "bad_templates @ 11",
        ),
        case("rejects_last_row", "08 62" + same("F9 01") + "02 08 04 98 A9", "bad_templates @ 11"),
        case(
            "rejects_10_in_delta",
            "08 62" + same("F9 01") + "02 08 41 0E 80 04",
            "bad_templates @ 11",
        ),
        case(
            "checks_digits_before_the_next_column",
            "08 62" + same("F9 01 F8") + "04 08 80 14",
            "bad_templates @ 12",
        ),
        # UTF-8.
        case("rejects_byte_above_slots", "08 62" + same("FC") + "00", "invalid_utf8 @ 1"),
        case("rejects_byte_below_slots", "08 62" + same("F7") + "00", "invalid_utf8 @ 1"),
        case(
            "rejects_split_character", "08 62" + same("C3 F8 A4") + ONE_COLUMN, "invalid_utf8 @ 1"
        ),
        case("rejects_character_over_rows", "08 62 60 80 02 61 C3 A4 61 00", "invalid_utf8 @ 1"),
        case("rejects_utf8_behind_a_marker", "02 01 00 62 60 80 02 80 00", "invalid_utf8 @ 3"),
        case(
            "checks_digits_before_utf8",
            "08 62" + same("F9 01 FF") + "02 08 80 14",
            "bad_templates @ 12",
        ),
    ],
)
def test_templates(body: str, fault: str) -> None:
    rejects_bare("16 12", body, fault)


@pytest.mark.parametrize(
    ("column", "fault"),
    [
        case("rejects_templates", b"\x62" + b"\x00" * 300, "bad_inner_encoding @ 2"),
        case("rejects_zstd", b"\x70" + b"\x00" * 300, "bad_inner_encoding @ 2"),
        case("rejects_later", b"\xe0" + b"\x00" * 300, "bad_inner_encoding @ 2"),
        case("rejects_63", b"\x63" + b"\x00" * 300, "unknown_encoding @ 2"),
        case("rejects_short_payload", LARGE_COLUMN[:-1], "truncated @ 2"),
        case("rejects_no_entries", b"\x61" + b"\x00" * 300, "bad_dictionary @ 2"),
        case("rejects_w", LARGE_COLUMN[:-1] + b"\xfa", "bad_templates @ 2"),
    ],
)
def test_faults_of_templates_in_zstd_stand_at_its_encoding(column: bytes, fault: str) -> None:
    rejects_bare("16 12", "08 62" + compressed(column).hex() + FIVE, fault)


def test_bytes_behind_templates_in_zstd() -> None:
    # u and c take 2 bytes and 1; the widths are checked later.
    for column in (LARGE_COLUMN, LARGE_COLUMN[:-1] + b"\xf9"):
        body = "08 62" + compressed(column + b"\x00").hex() + FIVE
        rejects_bare("16 12", body, "bad_zstd @ 6")


def test_templates_are_charged_as_text_numbers_and_rows() -> None:
    # 8 for the list, 32 for the strings; 5 for the templates a#, bc, none, #; 16 for 2 numbers; 7 for the rows.
    body = "08 62 60 02 4A 61 F8 62 63 F8 02 04 05 8A 02"
    assert bare("16 12", body, budget=68) == texts(STRING, "a10", "bc", "", "20")
    rejects_bare("16 12", body, "limit_budget @ 1", budget=67)
    rejects_bare("16 12", body, "limit_budget @ 1", budget=61)
    rejects_bare("16 12", body, "limit_budget @ 11", budget=60)
    rejects_bare("16 12", body, "limit_budget @ 11", budget=45)
    rejects_bare("16 12", body, "limit_budget @ 5", budget=44)
    # Each charge precedes what follows it.
    rejects_bare("16 12", "08 62 60 80 02 F9 F9 F9 F9", "limit_budget @ 5", budget=43)
    rejects_bare("16 12", body[:-8], "limit_budget @ 11", budget=60)
    rejects_bare("16 12", body[:-11] + "06", "bad_templates @ 11", budget=60)
    rejects_bare("16 12", "08 62 60 80 02 FF FF FF FF 00", "limit_budget @ 1", budget=47)


def test_leading_zeros_are_charged() -> None:
    # 8 for the list, 32 for the strings, 8 for the templates, 32 for the numbers, 76 for the rows.
    body = "08 62" + same("F9 13") + "02 08 00"
    assert bare("16 12", body, budget=156)
    rejects_bare("16 12", body, "limit_budget @ 1", budget=155)


def test_dictionaries_and_zstd_of_templates_are_charged_where_they_stand() -> None:
    # 8 for the list, 32 for the strings, 8 for the templates.
    rejects_bare("16 12", "08 62" + SAME + ONE_COLUMN, "limit_budget @ 2", budget=47)
    rejects_bare("16 12", "08 62" + SAME + ONE_COLUMN, "limit_budget @ 10", budget=48)
    # 259 for what zstd holds, 256 for the templates, 8 for the number, 256 for the rows.
    body = "08 62" + compressed(LARGE_COLUMN).hex() + FIVE
    assert bare("16 12", body, budget=819)
    rejects_bare("16 12", body, "limit_budget @ 1", budget=818)
    rejects_bare("16 12", body, "limit_budget @ 2", budget=554)
    rejects_bare("16 12", body, "limit_budget @ 6", budget=298)


def test_a_row_costs_as_much_as_it_grows() -> None:
    # 2^20 rows of 1,024 slots of 19 digits are refused at the first number of rows.
    entry = b"\xf9\x13" * 1024
    body = unsigned(2**20) + "62 61 02 80" + unsigned(2048) + entry.hex() + "00" + unsigned(1024)
    rejects_bare("16 12", body, "limit_budget @ 4")
    place = len(bytes.fromhex(body))
    budget = 8 + 8 * 2**20 + 2048 * 2**20 + 8 * 2**20 - 1
    rejects_bare("16 12", body + unsigned(2**20), f"limit_budget @ {place}", budget=budget)


def some_slot(chance: random.Random) -> Slot:
    """A slot and a number that fits it, often the smallest or the largest."""
    form = chance.choice("ddxX")
    largest_width = 19 if form == "d" else 16
    width = chance.choice([0, 1, 2, largest_width, chance.randint(1, largest_width)])
    if width == 0:
        form = "d"
    most = min((10 if form == "d" else 16) ** width if width else 2**64, 2**64) - 1
    return form, width, chance.choice([0, most, chance.randint(0, most)])


def test_what_is_written_as_templates_is_read_back() -> None:
    chance = random.Random(98)
    for number in range(400):
        is_string = number % 2 == 0
        words = [b"a", "ä€".encode(), b"0", b""]
        words += [] if is_string else [b"\xff", b"\x80", b"\xf7\xfc"]

        def some_row(words: list[bytes] = words) -> Row:
            count = chance.randrange(6)
            return [
                some_slot(chance) if chance.randrange(2) else chance.choice(words)
                for _ in range(count)
            ]

        rows = [some_row() for _ in range(chance.randint(1, 12))]
        templates = list(map(template, rows))
        column = chance.choice([plain, dictionary])(templates)
        if len(column) > 350 and chance.randrange(2):
            column = compressed(column)
        marker = b"\x01\x00" if len(rows) < 4 else b""
        body = varint(len(rows)) + marker + b"\x62" + column + numbers(rows)
        expected: Tagged = texts(
            STRING if is_string else BYTES,
            *[text(row).decode() if is_string else text(row).hex() for row in rows],
        )
        assert bare("16 12" if is_string else "16 13", body.hex()) == expected
