"""The writer's identities (F-45, F-49, F-54, F-64, F-65): bytes by table, and random graphs."""

from __future__ import annotations

import pytest
from holdall_reference import Tagged, decode_message, equal, message_schema, schema_text
from holdall_reference.tagged import Json
from holdall_reference.writer import Profile, WriterError, encode_message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support import EXHAUSTIVE, case, hx, no_collector
from tests.values import SCALARS, Maker, as_mapping
from tests.writing import PROFILES

EMPTY: Tagged = ["list", []]
NULL: Tagged = ["null"]
ONE: Tagged = ["int", "1"]


def lists(*items: Tagged) -> Tagged:
    return ["list", [*items]]


def tuples(*items: Tagged) -> Tagged:
    return ["tuple", [*items]]


def record(**fields: Tagged) -> Tagged:
    return ["record", [[name, item] for name, item in fields.items()]]


def integer(number: int) -> Tagged:
    return ["int", str(number)]


def first(number: int, value: Tagged) -> Tagged:
    return ["id", number, value]


def again(number: int) -> Tagged:
    return ["ref", number]


def hexed(message: bytes) -> str:
    return message.hex(" ").upper()


# F-45.


@pytest.mark.parametrize(
    ("value", "plain", "text"),
    [
        case("scalar", lists(first(0, ONE), again(0)), lists(ONE, ONE), "16 03 04 04 04"),
        case("null", lists(first(0, NULL), again(0)), lists(NULL, NULL), "16 01 04"),
        case(
            "tuple_of_scalars_and_null",
            lists(first(0, tuples(ONE, NULL)), again(0)),
            lists(tuples(ONE, NULL), tuples(ONE, NULL)),
            "16 18 04 03 01 04 04 04",
        ),
        # A tuple's items count as the values that they refer to.
        case(
            "tuple_of_a_scalar_that_came_before",
            lists(first(0, tuples(first(1, ONE), again(1))), again(0)),
            lists(tuples(ONE, ONE), tuples(ONE, ONE)),
            "16 18 04 03 03 04 04 04 04 04",
        ),
        case(
            "empty_tuple",
            lists(first(0, tuples()), again(0)),
            lists(tuples(), tuples()),
            "16 18 00 04",
        ),
        case(
            "value_that_does_not_come_again",
            lists(first(0, lists(NULL))),
            lists(lists(NULL)),
            "16 16 01 02 02",
        ),
        # A map whose keys are all strings is a mapping, even if the strings appeared earlier elsewhere.
        case(
            "key_that_came_before",
            lists(first(0, ["string", "a"]), ["map", [[again(0), ONE]]]),
            lists(["string", "a"], record(a=ONE)),
            "16 1C 08 12 1A 08 04 61 03 04 00 02 02 61 04",
        ),
    ],
)
def test_without_identity_values_are_written_again(value: Tagged, plain: Tagged, text: str) -> None:
    assert hexed(encode_message(value, "fast")) == hexed(hx("C1 10" + text))
    assert encode_message(plain, "fast") == encode_message(value, "fast")
    assert equal(decode_message(encode_message(value, "fast")), plain)


def test_fields_may_be_called_id_and_ref() -> None:
    value = record(id=ONE, ref=lists(["struct", "id", [["id", NULL]]], ["variant", "ref", NULL]))
    message = encode_message(value, "fast")
    assert message[1] == 0x10
    assert equal(decode_message(message), value)


def test_one_value_may_have_two_numbers() -> None:
    value = lists(first(0, first(1, EMPTY)), again(0), again(1))
    plain = lists(first(0, EMPTY), again(0), again(0))
    assert encode_message(value, "fast") == encode_message(plain, "fast")


@pytest.mark.parametrize("others", [[], [EMPTY]], ids=["alone", "beside_others"])
@pytest.mark.parametrize(
    "key",
    [
        case("int", integer(5)),
        case("null", NULL),
        case("string", ["string", "a"]),
    ],
)
def test_a_shared_scalar_is_an_equal_key(key: Tagged, others: list[Tagged]) -> None:
    keys = [first(0, key), *others, again(0)]
    with pytest.raises(WriterError, match="duplicate_key"):
        encode_message(["map", [[each, NULL] for each in keys]], "fast")


# F-49, F-54, F-64, F-65.


# Each is the message behind `C1 12`: it has definitions.
@pytest.mark.parametrize(
    ("value", "schema", "text"),
    [
        # The struct B is at two sites and never repeats; A does.
        case(
            "of_two_definitions_at_a_site_that_which_came_again_is_shared",
            tuples(
                ["struct", "B", []],
                lists(first(0, ["struct", "A", []]), ["struct", "B", []], again(0)),
            ),
            "tuple(#0, list(union(shared(#1), #0))) where #0 = struct B {}, #1 = struct A {}",
            "04 18 04 1F 00 16 1C 08 20 02 1F 00 19 04 42 00 19 04 41 00 04 0206 00 02 00 00 02",
        ),
        # `{"a": ..}` has the keys of the record around it, but the site has a record already.
        case(
            "record_that_a_reference_brought_leaves_nothing_to_fold",
            tuples(first(0, record(b=NULL)), record(a=lists(again(0), record(a=NULL)))),
            "tuple(#0, record {a: list(shared(#0))}) where #0 = record {b: null, a: null} [0, 1]",
            "02 18 04 1F 00 1A 08 04 61 16 20 00 1A 12 04 62 01 02 01 04 02 00 02 02"
            "04 04 02 00 00 02",
        ),
        # The third site has the undecided variant, then the record {r}, which takes {r: 2}.
        # When the first site decides, the third has two records, and the first takes {r: 3}.
        case(
            "decision_elsewhere_can_put_another_record_first",
            lists(
                tuples(
                    lists(first(0, record())),
                    lists(first(1, record(r=integer(1)))),
                    lists(again(0), again(1), record(r=integer(2))),
                ),
                tuples(lists(record(u=integer(1))), EMPTY, lists(record(r=integer(3)))),
            ),
            "list(tuple(list(#0), list(#1), list(union(shared(#0), shared(#1)))))"
            " where #0 = record {u: int, r: int} [-, 0, 1], #1 = record {r: int}",
            "04 16 18 06 16 1F 00 16 1F 02 16 1C 08 20 00 20 02"
            "1A 12 04 75 03 04 72 03 06 00 02 00 02 02 1A 08 06 03"
            "06 04 04 02 02 02 00 06 02 01 06 02 00 02 00 00 02 04 04 0C 04 08",
        ),
        # Once the third site's first undecided variant is decided elsewhere, as a map, it takes
        # empty mappings as well: the map comes before undecided variants.
        case(
            "decision_elsewhere_takes_empty_mappings_along",
            lists(
                tuples(
                    lists(first(0, record())),
                    lists(first(1, record())),
                    lists(again(1), again(0), record()),
                ),
                tuples(lists(["record", [["1999", NULL]]]), EMPTY, lists(["map", []])),
            ),
            "list(tuple(list(#0), list(#1), list(union(shared(#1), shared(#0)))))"
            " where #0 = map(string, null), #1 = record {}",
            "04 16 18 06 16 1F 00 16 1F 02 16 1C 08 20 02 20 00 1B 12 01 1A 00"
            "06 04 04 02 02 02 00 06 02 01 0A 02 00 02 00 00 02 00 08 31 39 39 39",
        ),
        # Rows count at the type, whatever their site.
        case(
            "new_rows_at_a_site_of_references_are_numbered_after_all_before",
            tuples(lists(EMPTY, first(0, EMPTY)), lists(again(0), first(1, EMPTY), again(1))),
            "tuple(list(#0), list(shared(#0))) where #0 = list(never)",
            "02 18 04 16 1F 00 16 20 00 16 00 06 04 06 04 00 06 00 00 00",
        ),
    ],
)
def test_references(value: Tagged, schema: str, text: str) -> None:
    message = encode_message(value, "fast")
    assert schema_text(message_schema(message)) == schema
    assert hexed(message) == hexed(hx("C1 12" + text))
    # A reader calls a row of a map a map, also if it was written as an empty mapping.
    assert as_mapping(decode_message(message)) == as_mapping(value)


@pytest.mark.parametrize(
    ("profile", "column"),
    [
        # 1 to 12: a frame of 4 bits; as differences of 1, no bits.
        ("fast", "04 21 43 65 87 A9 CB"),
        ("balanced", "41 02 80 04"),
    ],
)
def test_references_are_ints_in_every_profile(profile: Profile, column: str) -> None:
    value = tuples(
        lists(*[first(i, EMPTY) for i in range(12)]), lists(*[again(i) for i in range(12)])
    )
    text = f"C1 12 02 18 04 16 1F 00 16 20 00 16 00 18 18 18 {column} 00"
    assert hexed(encode_message(value, profile)) == hexed(hx(text))


@pytest.mark.parametrize("profile", PROFILES)
def test_shared_values_nest_deeply(profile: Profile) -> None:
    # Each record knows the one around it, the outermost itself and the innermost the outermost.
    chain = record(up=again(0), next=NULL)
    for i in reversed(range(30_000)):
        chain = first(i, record(up=again(max(0, i - 1)), next=chain))
    with no_collector():
        message = encode_message(chain, profile)
        assert encode_message(decode_message(message), profile) == message


# Random graphs.


class GraphMaker(Maker):
    """Draws values, numbers each one, and refers back to them."""

    def __init__(self, draw: st.DrawFn) -> None:
        super().__init__(draw)
        self.begun = 0

    def value(self, depth: int) -> Tagged:
        if self.begun and self.number(0, 2) == 0:
            return again(self.number(0, self.begun - 1))
        number = self.begun
        self.begun += 1
        return first(number, super().value(depth))

    def key(self, depth: int) -> Tagged:
        # Numbers are given in the order of the walk, but keys are made before all values.
        if self.begun and self.number(0, 4) == 0:
            return lists(again(self.number(0, self.begun - 1)))
        return self.scalar(self.one_of(SCALARS))


@st.composite
def graphs(draw: st.DrawFn) -> Tagged:
    return GraphMaker(draw).value(0)


class Plain:
    """The value as a reader returns it: numbers only for shared values with an identity."""

    def __init__(self, value: Tagged) -> None:
        self.numbered: dict[int, Tagged] = {}
        self.referred: set[int] = set()
        self.numbers: dict[int, int] = {}
        self.collect(value)
        self.value = self.plain(value)

    def collect(self, item: Json) -> None:
        match item:
            case ["id", int(number), list(value)]:
                self.numbered[number] = value
                self.collect(value)
            case ["ref", int(number)]:
                self.referred.add(number)
            case list(parts):
                for part in parts:
                    self.collect(part)

    def inside(self, item: Json) -> Tagged:
        while isinstance(item, list) and item[0] in ("id", "ref"):
            assert isinstance(item[1], int)
            item = self.numbered[item[1]]
        assert isinstance(item, list)
        return item

    def has_identity(self, value: Tagged) -> bool:
        if value[0] == "tuple":
            assert isinstance(value[1], list)
            return len(value[1]) > 8 or any(
                self.inside(item)[0] not in SCALARS for item in value[1]
            )
        return value[0] not in SCALARS

    def is_in_vain(self, number: int) -> bool:
        """Whether a value is only a logical value or extension of itself (F-64)."""
        value = self.numbered[number]
        for _ in range(len(self.numbered) + 1):
            if value[0] not in ("logical", "extension"):
                return False
            value = self.inside(value[-1])
        return True

    def plain(self, item: Json) -> Json:
        match item:
            case ["id", int(number), list(value)]:
                if number not in self.referred or not self.has_identity(value):
                    return self.plain(value)
                self.numbers[number] = len(self.numbers)
                return ["id", self.numbers[number], self.plain(value)]
            case ["ref", int(number)]:
                if number in self.numbers:
                    return ["ref", self.numbers[number]]
                return self.plain(self.numbered[number])
            case list(parts):
                return [self.plain(part) for part in parts]
            case _:
                return item


@pytest.mark.parametrize("profile", PROFILES)
@settings(
    max_examples=300 if EXHAUSTIVE else 60,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(value=graphs())
def test_random_graphs_go_round(profile: Profile, value: Tagged) -> None:
    plain = Plain(value)
    if any(map(plain.is_in_vain, plain.numbered)):
        with pytest.raises(WriterError, match="unsupported_value"):
            encode_message(value, profile)
        return
    message = encode_message(value, profile)
    decoded = decode_message(message)
    assert as_mapping(decoded) == as_mapping(plain.value)
    assert encode_message(decoded, profile) == message
