"""The writer in profile balanced: widths, scaled and decimal (F-91 to F-93)."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import pytest
from holdall_reference import Tagged, decode_message, equal
from holdall_reference.writer import encode_message
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kinds import little, signed, unsigned
from tests.support import case
from tests.writing import column, ints, writes

RAW, CONSTANT, DECIMAL, SCALED = 0x58, 0x59, 0x5B, 0x42


def f64(number: float) -> str:
    return struct.pack(">d", number).hex()


def f64s(*numbers: float) -> Tagged:
    return ["list", [["f64", f64(number)] for number in numbers]]


# F-91.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        # 16 rows: the frame takes 1 + 32 bytes, widths 1 + 10 and 2.
        case(
            "widths",
            ints("u16", 2**15 + 1, 2, *[1] * 14),
            "16 05 20 45 84 02 1F" + "00" * 7 + "01 00",
        ),
        # The zigzag of 2 has 3 bits, of 1 2 bits, that of -32768 16.
        case(
            "widths_of_signed",
            ints("int", 2, *[1] * 14, -32768),
            "16 03 20 45 84 04 01" + "00" * 6 + "E0" + "00 00 FF 7F",
        ),
        case(
            "no_widths_of_15_rows",
            ints("u16", 2**15, 2, *[1] * 13),
            "16 05 1E 10 00 80 02 00" + "01 00" * 13,
        ),
        case(
            "no_widths_of_a_frame_of_15_bits",
            ints("u16", 2**14, 1, *[0] * 14),
            "16 05 20 0F 00 C0" + "00" * 28,
        ),
    ],
)
def test_widths(value: Tagged, text: str) -> None:
    writes(value, "balanced", text)


@pytest.mark.parametrize(("wide", "encoding"), [(8, 0x45), (9, 0x10)])
def test_widths_save_an_eighth(wide: int, encoding: int) -> None:
    # Of 16 rows, frames take 33 bytes, the widths of rows of 16 bits and none 1 + 1 + 10.
    value = ints("u16", *[2**16 - 1] * (wide - 1), 2**16 - 2, *[0] * (16 - wide))
    assert column(value, "balanced")[0] == encoding
    assert column(value, "fast")[0] == 0x10


# F-92.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        # 9 bytes against 1 + 2 + 10.
        case(
            "scaled",
            ints("int", 1000, 121000, 61000, 301000),
            "16 03 08 42 41 1F 03 53 07 03 50 0A",
        ),
        case(
            "differences_of_2_to_64",
            ints("i64", 2**63 - 1, -(2**63), 2**63 - 1, -(2**63)),
            "16 0C 08 42" + signed(-(2**63)) + unsigned(2**64 - 1) + "01 05",
        ),
        # Sorted quotients of 5 bits, whose differences have 2.
        case(
            "quotients_in_delta",
            ints("u32", *[100_000 * each for each in (0, 1, 3, 4, 6, 9, 10, 12, 13, 15, 17, 18)]),
            "16 06 18 42 00" + unsigned(100_000) + "41 00 02 99 67 1A",
        ),
        case(
            "no_scaled_with_g_of_1",
            ints("u32", 0, 1_000_000, 2_000_000, 1),
            "16 06 08 15" + little(10**6 << 21 | 2 * 10**6 << 42 | 1 << 63, 11),
        ),
        case("no_scaled_of_equal_rows", ints("u16", *[1000] * 9), "16 05 12 80 A1 0F"),
        case("no_scaled_of_3_rows", ints("u16", 0, 100, 200), "16 05 06 00 C8 21 03"),
    ],
)
def test_scaled(value: Tagged, text: str) -> None:
    writes(value, "balanced", text)


@pytest.mark.parametrize(
    ("rows", "g", "most", "encoding"), [(10, 16, 255, 0x42), (12, 8, 127, 0x0A)]
)
def test_scaled_saves_an_eighth(rows: int, g: int, most: int, encoding: int) -> None:
    # Of both the frame takes 1 + 15 bytes; scaled takes 4 and 10, or 4 and 11.
    value = ints("u16", most * g, 0, *[g * each for each in range(rows - 2)])
    assert column(value, "balanced")[0] == encoding
    assert len(column(value, "fast")) == 16


def test_lengths_are_scaled_and_those_of_text_are_not() -> None:
    lists: Tagged = ["list", [["list", [["null"]] * (8 * (i % 3 == 1))] for i in range(32)]]
    assert encode_message(lists, "balanced")[6] == SCALED
    texts: Tagged = ["list", [["bytes", f"{i:02x}" * (8 * (i % 3 == 1))] for i in range(32)]]
    assert column(texts, "balanced")[:2] == b"\x60\x04"


# F-93.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        case(
            "prices",
            f64s(1.25, 19.99, 0.5, 100.0),
            "16 11 08 5B 02 0E" + little(125 | 1999 << 14 | 50 << 28 | 10000 << 42, 7) + "00",
        ),
        # At e = 0 three rows of four have digits, at 1 all.
        case("most_rows", f64s(1.0, 2.0, 3.0, 0.5), "16 11 08 5B 01 05 8A FA 02 00"),
        # Row 0 is an exception, whose digits are those of row 1.
        case(
            "exceptions",
            f64s(math.inf, 5.0, 7.0, 6.0, 5.0, -0.0, 5.0, 6.0),
            "16 11 10 5B 00 03 ED DD D6 04 03 28" + "00" * 6 + "F0 7F" + "00" * 7 + "80",
        ),
        case(
            "largest_digits",
            f64s(*[2.0**53] * 3, 2.0**53 - 1),
            "16 11 08 5B 00 81" + signed(2**53 - 1) + "07 00",
        ),
    ],
)
def test_decimal(value: Tagged, text: str) -> None:
    writes(value, "balanced", text)
    assert column(value, "fast")[0] == RAW


@pytest.mark.parametrize(
    "numbers",
    [
        case("5_rows_of_8", [math.nan, 5.0, 7.0, 6.0, -0.0, -0.0, 5.0, 6.0]),
        case("beyond_2_to_53", [2.0**53 + 2, 2.0**53 + 4, 2.0**53 + 2, 2.0**53 + 2]),
        # 29 bytes against 33.
        case("no_eighth_saved", [0.0, 2.0**49 - 1, 1.0, 3.0]),
        case("no_digits", [math.pi, math.e, math.tau, 2**0.5]),
        case("three_rows", [1.0, 2.0, 3.0]),
    ],
)
def test_raw(numbers: list[float]) -> None:
    assert column(f64s(*numbers), "balanced") == column(f64s(*numbers), "fast")


def test_constant_comes_first() -> None:
    assert column(f64s(*[1.5] * 9), "balanced")[0] == CONSTANT


def test_narrower_floats_have_no_decimal() -> None:
    value: Tagged = ["list", [["f32", struct.pack(">f", each).hex()] for each in range(9)]]
    assert column(value, "balanced")[0] == RAW


@pytest.mark.parametrize(("exceptions", "encoding"), [(16, DECIMAL), (17, RAW)])
def test_the_sample_has_64_rows(exceptions: int, encoding: int) -> None:
    # Of 66 rows, 32 and 65 are not in it.
    numbers = [float(1 + i % 3) for i in range(66)]
    numbers[:exceptions] = [math.nan] * exceptions
    numbers[32] = numbers[65] = math.pi
    assert column(f64s(*numbers), "balanced")[0] == encoding


@settings(max_examples=100, derandomize=True, database=None, deadline=None)
@given(
    e=st.integers(0, 22),
    digits=st.lists(st.integers(-(2**53), 2**53), min_size=4, max_size=40),
)
def test_what_has_digits_is_the_nearest_float(e: int, digits: list[int]) -> None:
    # d / 10^e rounded once, by fractions: so do the two steps of F-30, as both are exact to 10^22.
    numbers = [float(Fraction(d, 10**e)) for d in digits]
    assert numbers == [d / float(10**e) for d in digits]
    value = f64s(*numbers)
    assert equal(decode_message(encode_message(value, "balanced")), value)
