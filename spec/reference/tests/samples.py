"""Messages with every type and encoding, for the tests that damage their inputs."""

from __future__ import annotations

import functools

from holdall_reference import Tagged
from holdall_reference.checksum import crc32c
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
    ("04", "08 42 0A 14 02 E4"),
    ("0C", "0A 42 62 14 41 00 82 04 E4"),
    ("05", "0A 42 00 06 41 00 45 04 12 0B A0 07"),
    ("05", "08 46 04 01 0A 00 A0 0F 02 09 80 02 00" + "00 00 02 00 01 00 02 00" * 2 + "31"),
    (
        "03",
        "0A 46 04 0C 0A 00 A0 0F 02 09 0C FF 1F 00 02 FF 0F 00 01" + "10 00 01 00" * 3 + "FF 0F 74",
    ),
    (
        "08",
        "08 42 0E 14 41 00 46 04 01 82 02 08 00 80 02 00 01 00 02 00 00 00 02 00 01 00 02 00 00 00 01 00",
    ),
    ("03", "0C 45 05 0B 90 00 00 D0 0B"),
    ("05", "0A 45 84 02 E1 70 07" + "2B 01 55 1F"),
    ("07", "08 45 07 40 40 40 00" + "FF" * 7 + "7F"),
    ("11", "08 5B 01 85 3A 1E 48 09 00"),
    ("11", "08 5B 02 80 14 04 02 0D" + "00 00 00 00 00 00 F8 7F" * 2),
    ("0E", "08 5C 82 03 E0 05 B4"),
    ("10", "08 5C 41" + varint(0xBF80_0000).hex() + "80 04"),
    ("11", "08 5C 42" + varint(0xBFF0 << 48).hex() + varint(1 << 29).hex() + "02 18"),
    ("12", "0A 61 04 82 02 08 61 C3 A4 62 01 0A"),
    ("13", "0A 61 06 02 19 61 62 63 64 02 86 00"),
    # Templates: in a dictionary, plain, in zstd, behind a marker.
    (
        "12",
        "08 62 61 04 03 2E 64 F9 02 2E FA 04 69 64 20 F8 21 01 04 04 08 05 27 F9 05 06 10 FF 00 00 01 EF BE",
    ),
    ("13", "08 62 60 02 3A 01 FF F8 80 FB 02 F8 04 04 05 F2 00 02 04 09"),
    (
        "12",
        "08 62" + compressed(b"\x60\x80" + varint(64) + b"a" * 255 + b"\xf8").hex() + "02 02 03 05",
    ),
    ("12", "04 01 00 62 61 02 02 02 C3 A4 00 00"),
    # Lengths, presence and variants have columns as well.
    ("16 01", "08 41 02 80 04"),
    ("1C 08 02 03", "08 46 02 00 00 80 02 80 02 00" + "00 00 01 00" * 4 + "0A 01 08 0C"),
    ("04", wrapped(FRAME)),
]

# Schemas and blocks with the other types; offsets do not matter to them.
TYPES = [
    # f16, bf16, fixed, array.
    ("16 0E", "08 58 00 3C 00 40 00 42 00 44"),
    ("16 0F", "08 5C 10 01 BF 02 BF 03 BF 04 BF"),
    ("16 14 04", "06 01 02 03 04 05 06"),
    ("16 17 06 03", "04 02 24 0A"),
    # Packed: a bool, an array, a struct, and the same struct with columns; logical, extension.
    ("16 1E 18 06 02 17 04 05 0A", "04 01 01 00 02 00 FF FF 00 03 00 04 00 01 00"),
    (
        "18 06 1E 19 04 50 10 04 78 09 04 79 0E 19 02 10 06 09 0A 0E 16 19 02 10 06 09 0A 0E",
        "FE 00 3C 07 00 40 04 01 02 00 3C 00 42",
    ),
    ("18 04 1E 22 08 00 14 20 1D 23 04 61 02", "00" * 16 + "04 04 02 01 01 00"),
    # Tensors: of several ranks and orders, of structs; 4 of rank 1.
    ("16 1D 05", "06 02 00 04 04 02 06 04 01 00 02 00 07 00 03 00 04 00 05 00"),
    ("1D 19 04 50 10 04 78 02 04 79 04", "02 04 00 01 07 00 08"),
    ("16 1D 04", "08 80 02 80 04 00 01 02 03 04 05 06 07 08"),
    ("16 14 40", "04 48" + "61" * 64),
    ("16 1E 05", "40 49 01 07 00" + "01" * 32),
    ("16 1D 0C", "04 02 02 10 14 00 41 00 80 04"),
    ("1D 11", "02 10 00 5B 02 80 41 1F 00"),
    # Logical types: dates, sets in sets, a long tuple and a short one, decimals, a later kind.
    ("16 22 01 00 03", "08 82 02 E4"),
    ("22 0A 00 16 22 0B 00 16 12", "04 02 00 02 61"),
    ("16 22 0C 00 16 02", "04 12 04 52 FF 03"),
    ("22 05 00 18 06 04 03 03", "01 14 04"),
    ("22 03 04 02 03 18 04 03 12", "00 06 55 54 43"),
    ("22 07 02 04 18 04 10 10", "00 00 80 3F 00 00 00 40"),
    ("22 11 04 01 01 13", "06 2F 61 FF"),
    ("22 14 02 06 18 04 14 20 04", "00" * 16 + "40"),
    ("22 E5 04 01 02 16 E1 02 FF", "04 04 AA BB"),
    # Extensions; types and encodings of later versions.
    ("23 04 61 23 04 62 16 03", "04 02 04"),
    ("18 06 04 E0 02 2A 02", "07 06 01 02 03 01"),
    ("18 06 16 03 16 12 16 02", "08 E0 04 FF FF 08 E1 00 14 FF 02 00"),
]

# With definitions.
SHARED_TYPES = [
    # list(shared(#0)) where #0 = set(list(null)): the second is the first.
    ("02 16 20 00 22 0A 00 16 01", "02 04 00 02 00"),
    # #0 where #0 = extension "a"(list(shared(#0))), in itself.
    ("02 1F 00 23 04 61 16 20 00", "02 02 02"),
    # tuple(struct A {a: #0}, struct A {a: #0}) where #0 = array(2, int).
    ("02 18 04 19 04 41 08 04 61 1F 00 19 02 08 06 1F 00 17 04 03", "04 80 04"),
]


def enveloped() -> list[bytes]:
    """Messages with metadata, lengths, checksums and padding."""
    eight = "".join(each.to_bytes(8, "little").hex() for each in range(8))
    padded = [
        ("16 11", "10 58" + eight),
        ("16 1E 07", "10 48" + eight),
        ("16 07", "01 08 40" + "00" * 61 + eight * 64),
        ("1D 11", "02 01 08 00 48" + "00" * 59 + eight * 64),
    ]
    messages = ["C1 18 01 04 02 61 02 62 06 C3 A4 62 00 04 07", "C1 18 04 10 16 04 02 07"]
    for schema, block in padded:
        messages.append("C1 14" + schema + "00" * (62 - len(hx(schema))) + block)
    checked = hx("C1 18 07 26 02 06 66 6F 6F 06 62 61 72 04 07")
    return [checked + crc32c(checked).to_bytes(4, "little"), *map(hx, messages)]


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
    """All samples, undamaged."""
    messages = [hx(f"C1 10 16 {type_}") + hx(text) for type_, text in LISTS]
    for type_, column, value in INSIDE:
        assert isinstance(value[1], list)
        head = hx("C1 10 16" + type_) + varint(len(value[1]))
        messages += [head + column, head + compressed(column)]
    messages += [hx("C1 10" + schema + block) for schema, block in TYPES]
    messages += [hx("C1 12" + schema + block) for schema, block in SHARED_TYPES]
    messages += enveloped()
    for value in dynamic_values():
        messages += [encode_message(value, "fast"), encode_message(value, "balanced")]
    return [Input("message", message) for message in messages]
