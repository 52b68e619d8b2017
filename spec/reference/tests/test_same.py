"""same(k), F-71. The bytes are those of a schema alone, with D at their head."""

from __future__ import annotations

import pytest
from holdall_reference import FormatError, decode_bare, parse_schema, schema_text
from holdall_reference.writer.numbers import varint

from tests.support import bare, case, check_fault, hx, rejects_schema


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("00 18 04 19 04 41 00 21 00", "tuple(struct A {}, struct A {})"),
        # Codes are counted: struct 0 is the outer one, although struct 1 is complete before it.
        (
            "00 18 06 19 04 41 08 04 61 19 04 42 00 21 02 21 00",
            "tuple(struct A {a: struct B {}}, struct B {}, struct A {a: struct B {}})",
        ),
        # A struct that is complete, in one that is not.
        (
            "00 19 04 41 10 04 61 19 04 42 00 04 62 21 02",
            "struct A {a: struct B {}, b: struct B {}}",
        ),
        # Codes stand in the definitions as well.
        (
            "02 18 04 1F 00 19 04 41 00 21 00",
            "tuple(#0, struct A {}) where #0 = struct A {}",
        ),
        # Shapes belong to the struct.
        (
            "00 18 04 19 04 41 0C 04 61 02 21 00",
            "tuple(struct A {a: bool} sparse, struct A {a: bool} sparse)",
        ),
        # What def means there, and a second mention is none.
        (
            "02 18 04 19 04 41 08 04 61 1F 00 21 00 03",
            "tuple(struct A {a: #0}, struct A {a: #0}) where #0 = int",
        ),
        # same in what same stands for.
        (
            "00 18 06 19 04 41 00 19 04 42 08 04 61 21 00 21 02",
            "tuple(struct A {}, struct B {a: struct A {}}, struct B {a: struct A {}})",
        ),
        # Two structs of a union may be one.
        ("00 1C 08 19 04 41 00 21 00", "union(struct A {}, struct A {})"),
    ],
)
def test_same_is_the_struct(text: str, schema: str) -> None:
    assert schema_text(parse_schema(hx(text))) == schema


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        case("rejects_missing_number", "00 21", "truncated @ 2"),
        case("rejects_same_without_structs", "00 21 00", "index_out_of_range @ 2"),
        case("rejects_later_struct", "00 18 04 21 00 19 04 41 00", "index_out_of_range @ 4"),
        case(
            "rejects_struct_inside_itself", "00 19 04 41 08 04 61 21 00", "index_out_of_range @ 8"
        ),
        case("does_not_count_records", "00 18 04 1A 00 21 00", "index_out_of_range @ 6"),
        case(
            "does_not_count_what_same_stands_for",
            "00 18 06 19 04 41 00 21 00 21 02",
            "index_out_of_range @ 10",
        ),
        # The shapes are yet to come: the field's type is sought before them.
        case(
            "rejects_struct_before_its_shapes",
            "00 19 04 41 0A 04 61 21 00 04 00 00",
            "index_out_of_range @ 8",
        ),
    ],
)
def test_same(text: str, fault: str) -> None:
    rejects_schema(text, fault)


def test_same_has_columns_of_its_own() -> None:
    # list(tuple(struct A {a: int}, same(0))), 2 rows.
    value = bare("16 18 04 19 04 41 08 04 61 03 21 00", "04 04 08 0C 10")
    rows = [[["struct", "A", [["a", ["int", str(n)]]]] for n in pair] for pair in [(1, 3), (2, 4)]]
    assert value == ["list", [["tuple", row] for row in rows]]


def test_definitions_in_same_have_their_next_rows() -> None:
    # tuple(struct A {a: #0}, same(0)) where #0 = int.
    schema = parse_schema(hx("02 18 04 19 04 41 08 04 61 1F 00 21 00 03"))
    value = decode_bare(hx("04 04 08"), schema)
    structs = [["struct", "A", [["a", ["int", each]]]] for each in ("1", "2")]
    assert value == ["tuple", structs]


def test_nesting_is_that_of_the_types_it_stands_for() -> None:
    # tuple(struct A {a: option(int)}, option(...(same(0)))): the int is at level 4 + k.
    head = "00 18 04 19 04 41 08 04 61 15 03"
    assert parse_schema(hx(head + "15" * 124 + "21 00"))
    # It is found when the number has been read.
    rejects_schema(head + "15" * 125 + "21 00", "limit_nesting @ 136")
    rejects_schema(head + "15" * 125 + "21 02", "index_out_of_range @ 137")


def test_types_are_those_it_stands_for() -> None:
    # tuple(struct A {a: tuple(...)}, same(0), same(0)): 1 + 3·(2 + members) types.
    def schema(members: int) -> bytes:
        struct = hx("19 04 41 08 04 61 18") + varint(members) + b"\x02" * members
        return hx("00 18 06") + struct + hx("21 00 21 00")

    most = 262_143 // 3 - 2
    assert parse_schema(schema(most))
    data = schema(most + 1)
    with pytest.raises(FormatError) as error:
        parse_schema(data)
    check_fault(error, f"limit_sites @ {len(data) - 2}")


def test_doubling_structs_end_at_the_limit_of_types() -> None:
    # Each struct holds the one before it twice: 2^100 types of a few hundred bytes.
    text = "19 04 41 00"
    for i in range(100):
        number = varint(i).hex()
        # The names "A", "a" and "b" are spelled out once.
        a, b = ("04 61", "04 62") if i == 0 else ("06", "0A")
        text += f"19 02 10 {a} 21 {number} {b} 21 {number}"
    with pytest.raises(FormatError, match="limit_sites"):
        parse_schema(hx("00 18") + varint(101) + hx(text))
