"""Laws over all values: graphs of all supported types, with sharing and cycles."""

from __future__ import annotations

import collections
import datetime
import decimal
import fractions
import ipaddress
import uuid
from typing import Any

import holdall
from checks import has_loose_set, roundtrip
from hypothesis import given
from hypothesis import strategies as st
from sample_values import ARRAYS, LOGICAL, OBJECTS
from samples import Frozen, MyDict, MyList, Pair, Plain, Slotted

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**200), 2**200),
    st.floats(),
    st.text(),
    st.text(st.characters()),
    st.binary(),
)
zones = st.one_of(
    st.none(),
    st.timezones(),
    st.just(datetime.UTC),
    st.timedeltas(datetime.timedelta(hours=-23), datetime.timedelta(hours=23)).map(
        datetime.timezone
    ),
)
logical = st.one_of(
    st.complex_numbers(),
    st.decimals(),
    st.fractions(),
    st.dates(),
    st.times(timezones=zones),
    st.datetimes(timezones=zones, allow_imaginary=True),
    st.timedeltas(),
    st.uuids(),
    st.ip_addresses(),
    st.builds(range, st.integers(), st.integers(), st.integers(1)),
    st.binary().map(bytearray),
    st.sampled_from(LOGICAL),
)
hashable = st.one_of(
    scalars,
    st.tuples(scalars, scalars),
    st.frozensets(st.integers()),
    st.dates(),
    st.uuids(),
    st.fractions(),
)
assert {decimal.Decimal, fractions.Fraction, ipaddress.IPv4Address, uuid.UUID}


class Maker:
    """Creates a graph: first the containers, then their contents, which can be each other."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.made: list[Any] = []
        self.open: list[Any] = []

    def value(self, depth: int = 0) -> Any:
        known = [*self.made, *self.open]
        if known and self.draw(st.integers(0, 3)) == 0:
            return self.draw(st.sampled_from(known))
        kind = self.draw(st.integers(0, 19 if depth < 4 else 5))
        if kind < 4:
            return self.draw(scalars)
        if kind < 6:
            return self.draw(logical)
        make = [
            *(
                self.list,
                self.list,
                self.dict,
                self.dict,
                self.map,
                self.tuple,
                self.tuple,
                self.set,
                self.plain,
                self.plain,
            ),
            *(self.slotted, self.frozen, self.deque, self.my_list),
        ][kind - 6]
        return make(depth + 1)

    def few(self) -> range:
        return range(self.draw(st.integers(0, 4)))

    def begun(self, value: Any) -> Any:
        self.open.append(value)
        return value

    def list(self, depth: int) -> Any:
        made: Any = self.begun([])
        for _ in self.few():
            made.append(self.value(depth))
        return made

    def my_list(self, depth: int) -> Any:
        made = self.begun(MyList())
        for _ in self.few():
            made.append(self.value(depth))
        made.attribute = self.value(depth)
        return made

    def deque(self, depth: int) -> Any:
        made: Any = self.begun(collections.deque(maxlen=self.draw(st.sampled_from([None, 5]))))
        for _ in self.few():
            made.append(self.value(depth))
        return made

    def dict(self, depth: int) -> Any:
        made = self.begun(self.draw(st.sampled_from([dict, MyDict, collections.OrderedDict]))())
        for _ in self.few():
            made[self.draw(st.text(max_size=3))] = self.value(depth)
        return made

    def map(self, depth: int) -> Any:
        made: Any = self.begun({})
        for _ in self.few():
            key = self.draw(hashable)
            # Two of them are two keys in Python, and one in data.
            if key == key or not any(own != own for own in made):
                made[key] = self.value(depth)
        return made

    def tuple(self, depth: int) -> Any:
        made = tuple(self.value(depth) for _ in self.few())
        if self.draw(st.booleans()):
            made = (*made, *range(9))
        self.made.append(made)
        return made

    def set(self, depth: int) -> Any:
        members = self.draw(st.lists(hashable, max_size=4))
        nodes = [each for each in self.open if type(each) in (Plain, Slotted)]
        members += nodes[:1]
        made = self.draw(st.sampled_from([set, frozenset]))(members)
        self.made.append(made)
        return made

    def plain(self, depth: int) -> Any:
        made = self.begun(Plain(len(self.open)))
        for name in self.draw(st.lists(st.sampled_from(["a", "b", "c"]), unique=True)):
            setattr(made, name, self.value(depth))
        return made

    def slotted(self, depth: int) -> Any:
        made = self.begun(Slotted(len(self.open)))
        made.other = self.value(depth)
        return made

    def frozen(self, depth: int) -> Any:
        made = Frozen(label=len(self.made), inside=self.value(depth))
        self.made.append(made)
        return made


@st.composite
def graphs(draw: Any) -> Any:
    return Maker(draw).value()


@given(scalars)
def test_scalars(value: Any) -> None:
    roundtrip(value)


@given(logical)
def test_logical_values(value: Any) -> None:
    roundtrip([value, value])


@given(graphs())
def test_graphs(value: Any) -> None:
    roundtrip(value)


@given(st.lists(st.sampled_from([*ARRAYS, *OBJECTS, *LOGICAL]), max_size=6))
def test_samples_in_any_mix(values: Any) -> None:
    roundtrip([*values, Pair(values, 1)])


@given(
    st.lists(st.fixed_dictionaries({"a": scalars}, optional={"b": scalars, "c": st.lists(scalars)}))
)
def test_records(values: Any) -> None:
    roundtrip(values)


@given(graphs())
def test_all_profiles_read_as_the_same_value(value: Any) -> None:
    if has_loose_set(value):
        return
    plain = holdall.dumps(value)
    for options in (
        {"profile": "fast"},
        {"profile": "small"},
        {"checksum": True},
        {"metadata": {"a": "b"}},
    ):
        assert holdall.dumps(holdall.loads(holdall.dumps(value, **options))) == plain  # type: ignore[arg-type]
