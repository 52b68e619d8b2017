"""Chapter 8: limits. Those of schemas are tested with the schemas."""

from __future__ import annotations

import pytest
from holdall_reference import decode_message, default_budget
from holdall_reference.writer.numbers import varint

from tests.support import bare, case, hx, rejects_bare, rejects_message


@pytest.mark.parametrize(
    ("length", "units"),
    [
        (0, 2**26),
        (67_108, 2**26),
        (67_109, 67_109_000),
        (2_147_483, 2_147_483_000),
        (2_147_484, 2_147_484_000),
        (2**40, 1000 * 2**40),
    ],
)
def test_default_budget_depends_on_length(length: int, units: int) -> None:
    assert default_budget(length) == units


@pytest.mark.parametrize(
    ("schema", "text", "units"),
    [
        case("root_costs_8", "01", "", 8),
        case("every_type_costs_8_a_row", "18 04 01 18 02 01", "", 32),
        case("rows_inside_cost_8_each", "16 01", "0A", 48),
        case("types_without_rows_cost_nothing", "15 18 04 01 01", "00", 8),
        case("strings_cost_their_bytes", "12", "06 61 62 63", 11),
        case("numbers_of_sparse_fields_cost_8_each", "1A 14 04 61 01 04 62 01", "04 00 02", 40),
    ],
)
def test_charges(schema: str, text: str, units: int) -> None:
    assert bare(schema, text, budget=units)
    with pytest.raises(Exception, match=r"^limit_budget @ \d+$"):
        bare(schema, text, budget=units - 1)


def test_definition_costs_at_its_sites_and_itself() -> None:
    message = hx("C1 12 02 1F 00 02 02 01")
    assert decode_message(message, budget=16) == ["bool", True]
    rejects_message("C1 12 02 1F 00 02 02 01", "limit_budget @ 7", budget=15)


@pytest.mark.parametrize(
    ("schema", "text", "budget", "fault"),
    [
        case("charges_before_reading", "02", "", 7, "limit_budget @ 0"),
        case("reads_what_is_paid", "02", "", 8, "truncated @ 0"),
        case("charges_where_the_site_begins", "16 02", "06 00", 31, "limit_budget @ 1"),
        case("checks_never_before_the_charge", "00", "", 0, "never_has_rows @ 0"),
        case(
            "charges_field_numbers_at_their_column",
            "1A 0C 04 61 01",
            "02 02",
            15,
            "limit_budget @ 1",
        ),
    ],
)
def test_budget(schema: str, text: str, budget: int, fault: str) -> None:
    rejects_bare(schema, text, fault, budget)


def test_counts_are_checked_before_anything_is_allocated() -> None:
    # 2^40 rows from three bytes.
    for schema in ("16 01", "16 02", "16 03", "16 10", "16 12", "16 18 00", "16 16 01", "1B 01 01"):
        many = varint(2**40).hex()
        rejects_bare(schema, many + "00", "limit_budget @ 6")


def test_default_budget_is_that_of_the_message() -> None:
    most = 2**26 // 8 - 1
    value = decode_message(hx("C1 10 16 01") + varint(most))
    items = value[1]
    assert isinstance(items, list)
    assert len(items) == most
    rejects_message("C1 10 16 01" + varint(most + 1).hex(), "limit_budget @ 8")


def test_a_longer_message_may_cost_more() -> None:
    # record {s: bytes, n: list(null)}: 2^23 rows need more than 2^26 units.
    head = hx("C1 10 1A 10 04 73 13 04 6E 16 01")
    tail = varint(2**23)

    def message(size: int) -> bytes:
        return head + varint(size) + b"\x00" * size + tail

    assert decode_message(message(68_000))[0] == "record"
    rejects_message(message(67_000).hex(), f"limit_budget @ {len(message(67_000))}")
