"""Bins (F-29): numbers of bins, coded by rANS, and offsets in them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from holdall_reference.columns.frames import (
    Inner,
    bits_at,
    check_unused,
    read_inner_frame,
    wrapped,
)
from holdall_reference.errors import FormatError
from holdall_reference.numbers import Reader

MOST_BINS = 4096
# The weights add up to at most 2^12.
LARGEST_T = 12
STATES, STATE_SIZE = 4, 4
# What a state is at least, and what each is in the end.
LEAST_STATE = 1 << 16
WORD_SIZE, WORD_BITS = 2, 16


def read_bins(reader: Reader, signed: bool, n: int) -> list[int]:
    """What follows the encoding byte 46 (F-29)."""
    place = reader.position
    b = reader.varint()
    # F-29: b is 1 to 4,096: else `bad_bins` @ it.
    if not 1 <= b <= MOST_BINS:
        raise FormatError("bad_bins", place)
    place = reader.position
    t = reader.byte()
    # F-29: t above 12: `bad_bins` @ it.
    if t > LARGEST_T:
        raise FormatError("bad_bins", place)
    lowers = read_inner_frame(reader, b, signed=signed)
    widths = read_inner_frame(reader, b)
    # F-29: a width above 64: `bad_bins` @ its encoding byte.
    check_table(max(widths.rows) <= 64, widths)
    weights = read_inner_frame(reader, b)
    # F-29: a weight of 0, or their sum is not 2^t: `bad_bins` @ its encoding byte.
    check_table(0 not in weights.rows and sum(weights.rows) == 1 << t, weights)
    bins = _read_numbers_of_bins(reader, t, weights.rows, n)
    # F-29: of each row the offset has as many bits as its bin says. No fault of the bins' numbers
    # is left here: they have been read before this payload is taken.
    bits = sum(widths.rows[k] for k in bins)
    payload = reader.take(-(-bits // 8))
    check_unused(reader, payload, bits)
    rows = []
    at = 0
    for k in bins:
        width = widths.rows[k]
        # F-29: row i is (lower_k + offset i) mod 2^64, then read as a frame's row is.
        rows.append(wrapped(lowers.rows[k] + bits_at(payload, at, width), signed))
        at += width
    return rows


def check_table(right: bool, table: Inner) -> None:
    """A check of one of the tables of bins."""
    if not right:
        raise FormatError("bad_bins", table.place)


def _read_numbers_of_bins(reader: Reader, t: int, weights: Sequence[int], n: int) -> list[int]:
    """The number of each row's bin: w, states, words, and the steps (F-29)."""
    place = reader.position
    w = reader.varint()
    # F-29: w above n: `bad_bins` @ it.
    if w > n:
        raise FormatError("bad_bins", place)
    place = reader.position
    states = _numbers(reader.take(STATES * STATE_SIZE), STATE_SIZE)
    # F-29: a state below 2^16: `bad_bins` @ the states.
    if min(states) < LEAST_STATE:
        raise FormatError("bad_bins", place)
    words = iter(_numbers(reader.take(WORD_SIZE * w), WORD_SIZE))
    # F-29: C_k is the sum of the weights of the bins before k; the bin of a slot is the k with
    # C_k <= slot < C_k + weight_k.
    starts = [0, *accumulate(weights)]
    bin_of_slot = [k for k, weight in enumerate(weights) for _ in range(weight)]
    bins = []
    for i in range(n):
        # F-29: row i's step takes its bin from the state i mod 4.
        x = states[i % STATES]
        slot = x % (1 << t)
        k = bin_of_slot[slot]
        bins.append(k)
        # F-29: the state becomes weight_k·(x / 2^t, rounded down) + slot - C_k;
        x = weights[k] * (x >> t) + slot - starts[k]
        # where that is below 2^16, 2^16 times it plus the next word.
        if x < LEAST_STATE:
            word = next(words, None)
            # F-29: a step needs a word and none is left: `bad_bins` @ the states.
            if word is None:
                raise FormatError("bad_bins", place)
            x = x << WORD_BITS | word
        states[i % STATES] = x
    # F-29: after the last a word is left, or a state is not 2^16: `bad_bins` @ the states.
    if next(words, None) is not None or states != [LEAST_STATE] * STATES:
        raise FormatError("bad_bins", place)
    return bins


def _numbers(payload: bytes, size: int) -> list[int]:
    return [int.from_bytes(payload[i : i + size], "little") for i in range(0, len(payload), size)]
