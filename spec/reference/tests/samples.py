"""Messages in which every encoding occurs, for the tests that damage their inputs."""

from __future__ import annotations

import functools

from holdall_reference import Tagged
from holdall_reference.tagged import Json
from holdall_reference.writer import encode_message
from holdall_reference.writer.numbers import varint

from tests.support import Input, hx
from tests.zstd_columns import FRAME, INSIDE, compressed, wrapped

# Lists of a type, each with a column of 4 rows or more in one of the encodings.
LISTS = [
    ("04", "0A 41 02 03 D1 01"),
    ("03", "08 41 14 84 06 20 09"),
    ("0D", "08 41 00 40" + "00 00 00 00 00 00 00 80" + "00" * 16),
    ("04", "0C 42 04 82 0E 08 03 14"),
    ("0C", "0C 42 04 82 1A 08 03 14"),
    ("04", "08 43 01 05 02 02 02 80 C8"),
    ("03", "08 43 82 06 E4 04 02 0C 08 FF 10"),
    ("11", "08 5A 00 00 C0 3F 01 00 00 80 00 00 80 FF 01 00 80 7F"),
    ("11", "08 5B 01 85 3A 1E 48 09 00"),
    ("11", "08 5B 02 80 14 04 02 0D" + "00 00 00 00 00 00 F8 7F" * 2),
    ("10", "08 5C 01 AA 00 01 02 03 04 01 80 00 3F 40 41 42"),
    ("11", "08 5C" + "01 00" * 6 + "00 F0 F8 00 01 01 3F"),
    ("12", "0A 61 04 82 02 08 61 C3 A4 62 01 0A"),
    ("13", "0A 61 06 02 19 61 62 63 64 02 86 00"),
    # Lengths, presence and variants have columns as well.
    ("16 01", "08 41 02 80 04"),
    ("1C 08 02 03", "08 42 04 01 02 02 0D 01 04 08 0C"),
    ("04", wrapped(FRAME)),
]

WORDS = ["red", "green", "blue", ""]


def dynamic_values() -> list[Tagged]:
    """Values whose messages in profile balanced have deltas and dictionaries at several places."""
    rows: list[Json] = []
    for i in range(20):
        fields: list[Json] = [
            ["id", ["int", str(1000 + 3 * i)]],
            ["colour", ["string", WORDS[i % 3]]],
            ["tags", ["list", [["string", WORDS[j]] for j in range(i % 4)]]],
        ]
        note: list[Json] = [["note", ["bytes", "00ff"]]]
        rows.append(["record", fields + note if i % 5 else fields])
    entries: list[Json] = [[["u64", str(2**63 + i)], ["f32", "3fc00000"]] for i in range(9)]
    tuples: list[Json] = [
        ["tuple", [["i64", str(i * i)], ["string", "x" * (i % 2)]]] for i in range(12)
    ]
    return [["list", rows], ["map", entries], ["list", tuples]]


@functools.cache
def samples() -> list[Input]:
    """All of them, whole."""
    messages = [hx(f"C1 10 16 {type_}") + hx(text) for type_, text in LISTS]
    for type_, column, value in INSIDE:
        assert isinstance(value[1], list)
        head = hx("C1 10 16" + type_) + varint(len(value[1]))
        messages += [head + column, head + compressed(column)]
    for value in dynamic_values():
        messages += [encode_message(value, "fast"), encode_message(value, "balanced")]
    return [Input("message", message) for message in messages]
