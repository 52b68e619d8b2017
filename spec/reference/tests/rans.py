"""Encodes bins (F-29). No profile with fixed bytes writes them, so the tests do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdall_reference.writer.columns import write_frame
from holdall_reference.writer.numbers import varint


class Bin(NamedTuple):
    """Its least number, the bits of an offset in it, its weight."""

    lower: int
    width: int
    weight: int


class Coded(NamedTuple):
    """The numbers of rows' bins as states and words."""

    states: list[int]
    words: list[int]

    @property
    def data(self) -> bytes:
        """w, states and words as a column has them."""
        states = b"".join([state.to_bytes(4, "little") for state in self.states])
        words = b"".join([word.to_bytes(2, "little") for word in self.words])
        return varint(len(self.words)) + states + words


def code(t: int, weights: Sequence[int], bins: Sequence[int]) -> Coded:
    """The steps of F-29 undone, from the last row to the first, from states of 2^16 on."""
    states = [1 << 16] * 4
    words: list[int] = []
    for i, k in reversed(list(enumerate(bins))):
        x = states[i % 4]
        # If a word followed, the step's result was below 2^16; otherwise x would be too large here.
        if x >= weights[k] << (32 - t):
            words.append(x & 0xFFFF)
            x >>= 16
        states[i % 4] = x // weights[k] << t | (sum(weights[:k]) + x % weights[k])
    return Coded(states, words[::-1])


def write_bins(
    t: int, bins: Sequence[Bin], rows: Sequence[tuple[int, int]], *, signed: bool = False
) -> bytes:
    """A column with encoding byte 46: of each row its bin and its offset in it."""
    lowers, widths, weights = (list(each) for each in zip(*bins, strict=True))
    bits = size = 0
    for k, offset in rows:
        bits |= offset << size
        size += widths[k]
    return (
        b"\x46"
        + varint(len(bins))
        + bytes([t])
        + write_frame(lowers, signed)
        + write_frame(widths)
        + write_frame(weights)
        + code(t, weights, [k for k, _ in rows]).data
        + bits.to_bytes(-(-size // 8), "little")
    )
