"""Bins, F-29. Schemas are without D; bodies are bare, each of one list."""

from __future__ import annotations

import random

import pytest
from holdall_reference.writer.numbers import varint

from tests.kinds import I8, I64, INT, U8, U16, U64, U128, ints, little, signed, unsigned
from tests.rans import Bin, code, write_bins
from tests.support import bare, case, rejects_bare

ONE = "00 00 01 00"
TWO = "00 00 02 00"

# The encoding is at offset 1, b at 2, mostly t at 3.


@pytest.mark.parametrize(
    ("kind", "text", "numbers"),
    [
        # One bin without bits; with 3 bits.
        (U8, "08 46 02 00 80 0E 00 80 02 00" + ONE * 4, [7] * 4),
        (U8, "08 46 02 00 80 14 80 06 80 02 00" + ONE * 4 + "88 0F", [10, 11, 16, 17]),
        # From 0 with 1 bit and from 1000 with 2, each of weight 1: a state 2^17 + k is of bin k.
        (
            U16,
            "08 46 04 01 0A 00 A0 0F 02 09 80 02 00" + (TWO + "01 00 02 00") * 2 + "31",
            [1, 1000, 0, 1003],
        ),
        # The example of the spec: a step that takes a word.
        (
            INT,
            "0A 46 04 0C 0A 00 A0 0F 02 09 0C FF 1F 00 02 FF 0F 00 01"
            + "10 00 01 00" * 3
            + "FF 0F 74",
            [1000, 1, 0, 1, 1003],
        ),
        # A bin's numbers are mod 2^64; neither least numbers nor bins are compared.
        (
            U64,
            "08 46 02 00 80" + unsigned(2**64 - 2) + "80 04 80 02 00" + ONE * 4 + "E4",
            [2**64 - 2, 2**64 - 1, 0, 1],
        ),
        (
            U8,
            "08 46 02 00 80" + unsigned(2**64 - 6) + "80 10 80 02 00" + ONE * 4 + "06 07 FF 64",
            [0, 1, 249, 94],
        ),
        (
            I64,
            "08 46 02 00 80" + signed(2**63 - 1) + "80 02 80 02 00" + ONE * 4 + "0A",
            [2**63 - 1, -(2**63)] * 2,
        ),
        (
            U128,
            "08 46 02 00 80" + unsigned(2**64 - 1) + "80 02 80 02 00" + ONE * 4 + "0A",
            [2**64 - 1, 0] * 2,
        ),
    ],
)
def test_reads_bins(kind: str, text: str, numbers: list[int]) -> None:
    assert bare("16" + kind, text) == ints(kind, *numbers)


# One bin of no bits up to its weights; one of 3 bits; two of no bits.
HEAD = "08 46 02 00 80 0E 00 80 02"
WIDE = "08 46 02 00 00 80 06 80 02 00" + ONE * 4
HALVES = "08 46 04 01 01 02 00 80 02"


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        case("rejects_missing_b", U8, "08 46", "truncated @ 2"),
        case("rejects_b_of_0", U8, "08 46 00", "bad_bins @ 2"),
        case("rejects_b_of_4097", U8, "08 46" + unsigned(4097), "bad_bins @ 2"),
        case("takes_b_of_4096", U8, "08 46" + unsigned(4096), "truncated @ 4"),
        case("rejects_missing_t", U8, "08 46 02", "truncated @ 3"),
        case("rejects_t_of_13", U8, "08 46 02 0D", "bad_bins @ 3"),
        case("takes_t_of_12", U8, "08 46 02 0C", "truncated @ 4"),
        case("rejects_missing_lowers", U8, "08 46 02 00", "truncated @ 4"),
        case("rejects_padding_of_lowers", U8, "08 46 04 01 01 04", "nonzero_padding @ 5"),
        case("rejects_missing_widths", U8, "08 46 02 00 00", "truncated @ 5"),
        case("rejects_width_65", U8, "08 46 02 00 00 80 82", "bad_bins @ 5"),
        case("takes_width_64", U8, "08 46 02 00 00 80 80", "truncated @ 7"),
        case("rejects_missing_weights", U8, "08 46 02 00 00 00", "truncated @ 6"),
        case("rejects_weight_of_0", U8, "08 46 04 01 00 00 02 02", "bad_bins @ 6"),
        case("rejects_small_sum", U8, "08 46 04 02 00 00 80 02", "bad_bins @ 6"),
        case("rejects_large_sum", U8, "08 46 04 01 00 00 02 09", "bad_bins @ 6"),
        case(
            "rejects_sum_that_wraps",
            U8,
            "08 46 04 00 00 00 40" + little(2**64 - 1, 8) + little(2, 8),
            "bad_bins @ 6",
        ),
        case("rejects_missing_w", U8, HEAD, "truncated @ 9"),
        case("rejects_w_above_n", U8, HEAD + "0A", "bad_bins @ 9"),
        case("takes_w_of_n", U8, HEAD + "08", "truncated @ 10"),
        case("rejects_short_states", U8, HEAD + "00" + ONE * 3 + "00 00 01", "truncated @ 10"),
        case("rejects_small_state", U8, HEAD + "00" + ONE * 3 + "FF FF 00 00", "bad_bins @ 10"),
        case("checks_states_before_words", U8, HEAD + "02 00 00 00 00" + ONE * 3, "bad_bins @ 10"),
        case("rejects_short_words", U8, HEAD + "02" + ONE * 4 + "00", "truncated @ 26"),
        case("rejects_word_left", U8, HEAD + "02" + ONE * 4 + "00 00", "bad_bins @ 10"),
        case("rejects_state_left", U8, HEAD + "00" + ONE * 3 + "01 00 01 00", "bad_bins @ 10"),
        case("rejects_no_word", U8, HALVES + "00" + ONE + TWO * 3, "bad_bins @ 10"),
        case("rejects_other_word", U8, HALVES + "02" + ONE + TWO * 3 + "00 00", "bad_bins @ 10"),
        case("rejects_missing_offsets", U8, WIDE, "truncated @ 26"),
        case("rejects_short_offsets", U8, WIDE + "00", "truncated @ 26"),
        case("rejects_unused_bits", U8, WIDE + "00 10", "nonzero_padding @ 27"),
        case("checks_steps_before_offsets", U8, WIDE[:-2] + "01", "bad_bins @ 10"),
        case(
            "rejects_u8_beyond",
            U8,
            "08 46 02 00 80 FD 03 80 02 80 02 00" + ONE * 4 + "08",
            "int_out_of_range @ 1",
        ),
        case(
            "rejects_i8_below",
            I8,
            "08 46 02 00 80" + signed(-129) + "00 80 02 00" + ONE * 4,
            "int_out_of_range @ 1",
        ),
        case(
            "checks_unused_bits_before_range",
            U8,
            "08 46 02 00 80 FD 03 80 02 80 02 00" + ONE * 4 + "18",
            "nonzero_padding @ 28",
        ),
    ],
)
def test_bins(kind: str, text: str, fault: str) -> None:
    rejects_bare("16" + kind, text, fault)


def test_states_of_no_row_are_2_to_16_too() -> None:
    # One length, of 2 bytes: states 1 to 3 have no step.
    text = "08 61 02 46 02 00 80 04 00 80 02 00"
    assert bare("16 12", text + ONE * 4 + "61 62 00") == ["list", [["string", "ab"]] * 4]
    for i in range(1, 4):
        rejects_bare("16 12", text + ONE * i + TWO + ONE * (3 - i), "bad_bins @ 12")


def test_all_bins_there_can_be() -> None:
    bins = [Bin(3 * k, 0, 1) for k in range(4096)]
    rows = [0, 4095, 2048, 1, 77]
    column = write_bins(12, bins, [(k, 0) for k in rows])
    assert bare("16 07", "0A" + column.hex()) == ints(U64, *[3 * k for k in rows])


def test_steps_stay_within_32_bits() -> None:
    for t, weights in [(1, [1, 1]), (12, [1, 4095]), (12, [2048, 2047, 1]), (3, [7, 1]), (0, [1])]:
        for bins in ([0] * 200, [len(weights) - 1] * 200, [i % len(weights) for i in range(200)]):
            coded = code(t, weights, bins)
            assert all(1 << 16 <= state < 1 << 32 for state in coded.states)
            assert len(coded.words) <= len(bins)


def test_random_bins_go_round() -> None:
    chance = random.Random(46)
    for _ in range(60):
        t = chance.randrange(13)
        b = chance.randrange(1, min(1 << t, 40) + 1)
        cuts = [0, *sorted(chance.sample(range(1, 1 << t), b - 1)), 1 << t]
        bins = [
            Bin(chance.randrange(1 << 64), chance.randrange(65), cuts[k + 1] - cuts[k])
            for k in range(b)
        ]
        rows = []
        for _ in range(chance.randrange(4, 200)):
            k = chance.randrange(b)
            rows.append((k, chance.randrange(1 << bins[k].width)))
        text = (varint(len(rows)) + write_bins(t, bins, rows)).hex()
        numbers = [(bins[k].lower + offset) % (1 << 64) for k, offset in rows]
        assert bare("16 07", text) == ints(U64, *numbers)


def test_many_rows_cost_no_bytes() -> None:
    # 2^20 rows in 24 bytes: only the site charges for them.
    text = unsigned(2**20) + "46 02 00 00 00 80 02 00" + ONE * 4
    rejects_bare("16 04", text, "limit_budget @ 3", budget=2**23)
    rejects_bare("16 04", text + "00", "trailing_bytes @ 27", budget=2**23 + 8)


def test_the_bits_of_offsets_are_summed_exactly() -> None:
    # 2^16 rows of 64 bits, and none of them there.
    text = unsigned(2**16) + "46 02 00 00 80 80 80 02 00" + ONE * 4
    rejects_bare("16 07", text, "truncated @ 28")
