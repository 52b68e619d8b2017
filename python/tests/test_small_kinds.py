"""Small messages with values that are more than JSON has: times, sets, maps, members of enums, named tuples."""

from __future__ import annotations

import copy
import datetime
from typing import Any

import holdall
import pytest
from checks import differing
from hypothesis import given
from hypothesis import strategies as st
from sample_values import EVERY, named
from samples import Colour, Level, Pair, Plain, Rights, Word

#: The number of messages of one kind: each of its classes takes one to be learned.
TIMES = 10
#: With limits, no message counts as small.
OUTPUT = holdall.Limits(output=1 << 30)
BUDGET = holdall.Limits(budget=1 << 26)
OPTIONS: list[dict[str, Any]] = [
    {},
    {"profile": "fast"},
    {"references": False},
    {"canonical": True},
    {"header": "fingerprint"},
]


def check(values: list[Any], **options: Any) -> None:
    """Values one after the other through one encoder and decoder; each must give what it gives in general."""
    store = holdall.SchemaStore()
    encoder = holdall.Encoder(**options)
    decoder, general = holdall.Decoder[Any](store=store), holdall.Encoder(limits=OUTPUT, **options)
    for value in values:
        expected = holdall.Encoder(limits=OUTPUT, **options).encode(value)
        assert encoder.encode(value) == expected
        store.put(general.schema(value))
        by_others = holdall.Decoder[Any](store=store, limits=BUDGET).decode(expected)
        assert not list(differing(decoder.decode(expected), by_others))


@pytest.mark.parametrize("value", named(EVERY))
def test_a_value_has_the_same_bytes_each_time(value: Any) -> None:
    try:
        other = copy.deepcopy(value)
    except TypeError:
        other = value
    for message in (value, [value, other], {"a": value, "b": 1}, {"a": [None, {"b": other}]}):
        check([message] * TIMES)


hours = st.timedeltas(datetime.timedelta(hours=-23), datetime.timedelta(hours=23))
zones = st.none() | st.just(datetime.UTC) | hours.map(datetime.timezone) | st.timezones()
times = (
    st.datetimes(timezones=zones)
    | st.dates()
    | st.times()
    | st.timedeltas()
    | st.datetimes(datetime.datetime(2024, 1, 1))
)
members = st.sampled_from([*Colour, *Level, *Word, *Rights, Rights(0), Rights.READ | Rights.WRITE])
hashable_leaves = times | members | st.uuids() | st.complex_numbers()
leaves = hashable_leaves | st.decimals()
scalars = st.integers(-(2**66), 2**66) | st.text(max_size=9) | st.binary(max_size=9) | st.floats()
hashable = scalars | st.none() | st.booleans() | st.tuples(scalars, scalars) | hashable_leaves
values = st.recursive(
    scalars | leaves,
    lambda inside: (
        st.lists(inside, max_size=6)
        | st.dictionaries(st.sampled_from("abc"), inside, max_size=3)
        | st.dictionaries(st.sampled_from(["2024-01-01", "1234", "a", ""]), inside, max_size=3)
        | st.dictionaries(st.integers(0, 9), inside, max_size=4)
        | st.dictionaries(hashable, inside, max_size=4)
        | st.sets(st.integers())
        | st.sets(st.text())
        | st.sets(hashable)
        | st.frozensets(st.integers(0, 99))
        | st.lists(inside, min_size=7, max_size=12).map(tuple)
        | st.builds(Pair, inside, inside)
        | st.builds(lambda value: [value, {"a": value}], inside)
    ),
    max_leaves=15,
)


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
@given(st.lists(values, max_size=5))
def test_unlike_values_have_the_bytes_of_new_encoders(
    options: dict[str, Any], values: list[Any]
) -> None:
    check([*values, *values], **options)


#: Where dicts of one site are maps, records, or both.
DICTS: dict[str, list[Any]] = {
    "an empty dict before a map": [{}, {1: 2}],
    "an empty dict before dates": [{}, {"2024-01-01": 1}],
    "an empty dict after a map": [{1: 2}, {}],
    "names after a map": [{1: 2}, {"a": 3}],
    "a map after names": [{"a": 3}, {1: 2}],
    "names after dates": [{"2024-01-01": 1}, {"a": 1}],
    "a name among dates": [{"2024-01-01": 1, "a": 1}],
    "keys that are not numbers": [{float("nan"): 1, float("nan"): 2}],
    "dicts inside maps": [{1: {"a": 1}, 2: {"a": 2}}],
    "records like the one around": [{"a": {1: {"a": 1}}}],
}


@pytest.mark.parametrize("value", DICTS.values(), ids=DICTS)
def test_dicts_become_maps_as_in_general(value: list[Any]) -> None:
    try:
        holdall.Encoder(limits=OUTPUT).encode(value)
    except holdall.EncodeError as error:
        for _ in range(TIMES):
            with pytest.raises(holdall.EncodeError, match=error.code):
                holdall.dumps(value)
    else:
        check([value] * TIMES)


def test_shared_values_keep_their_identity() -> None:
    for shared in (datetime.datetime(2024, 1, 1), {1, 2}, {1: 2}, Pair(1, [2]), (*range(8), [])):
        messages = [[copy.deepcopy(shared), copy.deepcopy(shared)] for _ in range(TIMES)]
        for message in messages:
            one, other = holdall.loads(holdall.dumps(message))
            assert one is not other
        one, other = holdall.loads(holdall.dumps([shared, shared]))
        assert one is other


def test_values_out_of_range_are_reported_as_in_general() -> None:
    message = holdall.dumps(Plain(datetime.date(2024, 1, 1)))
    for _ in range(TIMES):
        assert holdall.loads(message).label == datetime.date(2024, 1, 1)
    broken = message[:-1]
    with pytest.raises(holdall.DecodeError, match="truncated"):
        holdall.loads(broken)
