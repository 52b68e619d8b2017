"""Chapter 4: schema. The bytes here are those of a schema alone, with D at their head.

Packable types and logical types have separate files.
"""

from __future__ import annotations

import pytest
from holdall_reference import (
    FormatError,
    decode_bare,
    dumps,
    fingerprint,
    parse_schema,
    schema_text,
)
from holdall_reference.schema import SCALAR_NAMES
from holdall_reference.writer.numbers import varint

from tests.support import case, check_fault, hx, rejects_schema

IN_USE = {*SCALAR_NAMES, *range(0x14, 0x24), *range(0xE0, 0x100)}


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("00 03", "int"),
        ("00 0E", "f16"),
        ("00 0F", "bf16"),
        ("00 14 00", "fixed(0)"),
        ("00 14 B1 04", "fixed(300)"),
        ("00 17 06 03", "array(3, int)"),
        ("00 17 FF FF FF FF FF FF FF FF FF 00", "array(18446744073709551615, never)"),
        ("00 1D 02", "tensor(bool)"),
        ("00 1E 04", "packed(u8)"),
        ("00 23 08 61 2E 12", 'extension "a."(string)'),
        ("00 23 00 03", 'extension ""(int)'),
        # A name in the table like all others.
        ("00 23 04 61 1A 08 02 01", 'extension "a"(record {a: null})'),
        ("00 E0 00", "unknown[E0]"),
        ("00 18 04 FF 06 01 02 03 02", "tuple(unknown[FF 01 02 03], bool)"),
        ("00 15 12", "option(string)"),
        ("00 16 00", "list(never)"),
        ("00 18 00", "tuple()"),
        ("00 18 04 02 13", "tuple(bool, bytes)"),
        ("00 1A 00", "record {}"),
        ("00 1A 10 04 61 03 04 62 02", "record {a: int, b: bool}"),
        ("00 19 04 41 08 04 61 03", "struct A {a: int}"),
        # The struct's name precedes its field's in the table.
        ("00 19 04 61 08 02 03", "struct a {a: int}"),
        ("00 1A 08 00 03", 'record {"": int}'),
        ("00 1B 12 11", "map(string, f64)"),
        ("00 1C 0C 02 03 04", "union(bool, int, u8)"),
        ("00 1C 02", "union {}"),
        (
            "00 1C 0A 10 53 6F 6D 65 03 10 4E 6F 6E 65 01",
            "union {Some: int, None: null}",
        ),
        ("02 1F 00 15 1F 00", "#0 where #0 = option(#0)"),
        ("04 18 04 1F 00 1F 02 02 03", "tuple(#0, #1) where #0 = bool, #1 = int"),
        # shared is a mention too, and a union can contain it together with def.
        ("02 20 00 02", "shared(#0) where #0 = bool"),
        ("02 1C 08 20 00 1F 00 02", "union(shared(#0), #0) where #0 = bool"),
        # Definition 1 is mentioned in definition 0.
        ("04 1F 00 16 1F 02 03", "#0 where #0 = list(#1), #1 = int"),
        # Only scalars must differ in a union, and only unnamed unions must not be in it.
        ("00 1C 0C 16 03 16 02 1C 02", "union(list(int), list(bool), union {})"),
        ("00 1C 08 02 16 1C 08 02 03", "union(bool, list(union(bool, int)))"),
        ("00 1C 0C 14 02 14 02 0E", "union(fixed(1), fixed(1), f16)"),
        ("00 1C 08 23 00 15 02 E0 00", 'union(extension ""(option(bool)), unknown[E0])'),
    ],
)
def test_reads_schemas(text: str, schema: str) -> None:
    assert schema_text(parse_schema(hx(text))) == schema


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_no_bytes", "", "truncated @ 0"),
        case("rejects_no_root", "00", "truncated @ 1"),
        case("rejects_overlong_d", "01 00", "varint_overlong @ 0"),
        case("checks_d_against_remaining_bytes", "04 02", "truncated @ 0"),
        case("rejects_bytes_after_schema", "00 02 02", "trailing_bytes @ 2"),
        case("checks_count_of_members", "00 18 04 02", "truncated @ 2"),
        case("rejects_missing_member", "00 18 04 15 02", "truncated @ 5"),
        case("rejects_missing_size", "00 14", "truncated @ 2"),
        case("rejects_overlong_size", "00 14 01 00", "varint_overlong @ 2"),
        case("rejects_overlong_size_of_array", "00 17 01 00 02", "varint_overlong @ 2"),
        case("rejects_array_of_nothing", "00 17 06", "truncated @ 3"),
        case("rejects_extension_without_name", "00 23", "truncated @ 2"),
        case("rejects_extension_of_nothing", "00 23 04 61", "truncated @ 4"),
        case("rejects_name_of_extension", "00 23 04 FF 03", "invalid_utf8 @ 3"),
        case("rejects_repeated_name_of_extension", "00 23 04 61 23 04 61 03", "name_repeated @ 5"),
        case("rejects_unknown_without_parameters", "00 E0", "truncated @ 2"),
        case("rejects_short_parameters_of_unknown", "00 E0 04 00", "truncated @ 3"),
        # Names.
        case("rejects_entry_of_empty_table", "00 19 02", "index_out_of_range @ 2"),
        case("rejects_later_entry", "00 1A 10 04 61 02 06 03", "index_out_of_range @ 6"),
        case("rejects_truncated_name", "00 19 08 C3", "truncated @ 3"),
        case("rejects_huge_name", "00 19 FF FE" + "FF" * 7, "truncated @ 11"),
        case("rejects_name_not_utf8", "00 19 08 61 C3 00", "invalid_utf8 @ 3"),
        case("rejects_overlong_utf8", "00 19 08 C0 80 00", "invalid_utf8 @ 3"),
        case("rejects_surrogate", "00 19 0C ED A0 80 00", "invalid_utf8 @ 3"),
        case("rejects_above_10ffff", "00 19 10 F4 90 80 80 00", "invalid_utf8 @ 3"),
        case("rejects_repeated_name", "00 1A 10 04 61 02 04 61 03", "name_repeated @ 6"),
        # Records. The type FF after the name is never read.
        case("rejects_field_twice", "00 1A 10 04 61 02 02 FF", "duplicate_name @ 6"),
        case("rejects_form_3", "00 1A 06", "bad_form @ 2"),
        case("checks_form_before_count", "00 1A FE", "bad_form @ 2"),
        case("checks_count_of_fields", "00 1A 10 04", "truncated @ 2"),
        # Shapes of record {a: bool}.
        case("rejects_no_shapes", "00 1A 0A 04 61 02 00 00", "bad_shape @ 6"),
        case("checks_one_shape_before_count", "00 1A 0A 04 61 02 02", "bad_shape @ 6"),
        case("checks_count_of_shapes", "00 1A 0A 04 61 02 06 00 00", "truncated @ 6"),
        case("checks_count_in_shape", "00 1A 0A 04 61 02 04 04 00", "truncated @ 7"),
        case("rejects_no_such_field", "00 1A 0A 04 61 02 04 02 02", "index_out_of_range @ 8"),
        case("rejects_field_twice_in_shape", "00 1A 0A 04 61 02 04 04 00 00", "bad_shape @ 9"),
        # Unions.
        case("rejects_unnamed_union_of_none", "00 1C 00", "bad_union @ 2"),
        case("rejects_unnamed_union_of_one", "00 1C 04 02", "bad_union @ 2"),
        case("checks_count_of_variants", "00 1C 0C 02 03", "truncated @ 2"),
        case("checks_count_of_named_variants", "00 1C 06", "truncated @ 2"),
        case("rejects_union_in_union", "00 1C 08 02 1C 08 04 05", "bad_union @ 5"),
        case("checks_union_in_union_before_count", "00 1C 08 02 1C FC", "bad_union @ 5"),
        case("rejects_never_in_union", "00 1C 08 00 02", "bad_union @ 3"),
        case("rejects_null_in_union", "00 1C 08 02 01", "bad_union @ 4"),
        case("rejects_option_in_union", "00 1C 08 02 15", "bad_union @ 4"),
        case("rejects_scalar_twice_in_union", "00 1C 08 13 13", "bad_union @ 4"),
        case("rejects_f16_twice_in_union", "00 1C 08 0E 0E", "bad_union @ 4"),
        case("rejects_unknown_code_in_union", "00 1C 08 02 2A", "unknown_type @ 4"),
        case("rejects_variant_twice", "00 1C 0A 04 61 02 02 FF", "duplicate_name @ 6"),
        # Definitions.
        case("rejects_def_without_definitions", "00 1F 00", "bad_definition @ 2"),
        case("rejects_first_def_of_1", "04 1F 02 02 02", "bad_definition @ 2"),
        case("rejects_def_that_skips_one", "06 18 04 1F 00 1F 04 02 02 02", "bad_definition @ 6"),
        case("rejects_def_beyond_d", "02 18 04 1F 00 1F 02 02", "bad_definition @ 6"),
        case("rejects_definition_not_mentioned", "02 02 FF", "bad_definition @ 2"),
        case("checks_mention_before_the_byte", "02 02", "bad_definition @ 2"),
        case("rejects_definition_of_def", "02 1F 00 1F 00", "bad_definition @ 3"),
        case("rejects_definition_of_shared", "02 1F 00 20 00", "bad_definition @ 3"),
        case("rejects_first_shared_of_1", "04 20 02 02 02", "bad_definition @ 2"),
        case("rejects_shared_beyond_d", "02 18 04 1F 00 20 02 02", "bad_definition @ 6"),
        case("rejects_shared_without_number", "02 20", "truncated @ 2"),
        case("rejects_definition_of_no_code", "02 1F 00 2A 00", "unknown_type @ 3"),
        case("rejects_missing_definition", "02 1F 00", "truncated @ 3"),
    ],
)
def test_schema(text: str, fault: str) -> None:
    rejects_schema(text, fault)


@pytest.mark.parametrize("code", sorted(set(range(256)) - IN_USE))
def test_rejects_codes_not_in_use(code: int) -> None:
    rejects_schema(f"00 15 {code:02X}", "unknown_type @ 2")


def test_counts_nesting_from_root_and_definition() -> None:
    assert parse_schema(b"\x00" + b"\x15" * 127 + b"\x02")
    # Level 129, before the code's value is checked.
    for code in ("02", "21", "2A", "FF"):
        rejects_schema("00" + "15" * 128 + code, "limit_nesting @ 129")
    # A definition's levels count from 1 again.
    assert parse_schema(hx("02" + "15" * 127 + "1F 00" + "16" * 127 + "02"))
    rejects_schema("02 1F 00" + "16" * 128 + "02", "limit_nesting @ 131")


def test_counts_types_of_root_and_definitions_together() -> None:
    def of_members(head: str, count: int) -> bytes:
        return hx(head) + varint(count) + b"\x02" * count

    # The tuple is a type too, and in the second pair there is option(#0) besides.
    for head, most in [("00 18", 262_143), ("02 15 1F 00 18", 262_141)]:
        assert parse_schema(of_members(head, most))
        data = of_members(head, most + 1)
        with pytest.raises(FormatError) as error:
            parse_schema(data)
        check_fault(error, f"limit_sites @ {len(data) - 1}")


def test_nesting_is_checked_before_types() -> None:
    # A tuple of 2 at level 1: its first member uses types up, its second is 127 options deep,
    # so that the one inside is at level 129 and the 262,145th at once.
    filler = 262_144 - 1 - 1 - 127
    head = hx("00 18 04 18") + varint(filler) + b"\x02" * filler
    with pytest.raises(FormatError) as error:
        parse_schema(head + b"\x15" * 127 + b"\x02")
    check_fault(error, f"limit_nesting @ {len(head) + 127}")


def test_structs_nest_as_deep_as_types_may() -> None:
    # 127 structs, each in the field of the one before, and an int. Readers may recurse here.
    schema = parse_schema(hx("00 19 00 08 02" + "19 02 08 02" * 126 + "03"))
    assert schema_text(schema).endswith(": int" + "}" * 127)
    assert dumps(decode_bare(hx("04"), schema)).count("struct") == 127


def test_fingerprint_is_xxh3_64() -> None:
    # XXH3-64 of nothing, as in xxHash's own tests.
    assert fingerprint(b"") == 0x2D06800538D394C2
    assert fingerprint(hx("00 02")) != fingerprint(hx("02"))
