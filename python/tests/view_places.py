"""The law of views: at each place of a message, what a view gives are the rows that `loads` gives there."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import holdall
import pytest

#: Types with others in parentheses that are no wrappers: what is inside has a place of its own, or none.
NO_WRAPPERS = {"list", "array", "map", "fixed", "tensor", "packed", "shared"}

#: Types whose values are not in one column.
WITHOUT_COLUMN = {"record", "struct", "tuple", "shared"}


def bytes_of(value: object) -> object:
    """Something to compare: the bytes of the value, or its text where it has none."""
    if value is None or value is holdall.UNKNOWN:
        return value
    if type(value) is float and math.isnan(value):
        # A signalling NaN of 32 bits is quiet once numpy has made it a float.
        return "nan"
    try:
        return holdall.dumps(value)
    except holdall.EncodeError:
        return repr(value)


@dataclass(frozen=True)
class Rows:
    """What `loads` gives at a place: an entry for each item of the list around it, None where there is no value."""

    entries: Sequence[Any]
    #: Whether the place is in no list and no map: it has one row, and a list there is its items.
    is_one: bool = True
    #: Members of sets have another order in Python than in the bytes.
    is_ordered: bool = True
    #: Whether the entries are what is stored, not what a class has made of it.
    are_stored: bool = True

    def present(self) -> list[Any]:
        return [each for each in self.entries if each is not None]

    def inside(self, take: Callable[[Any], Any]) -> Rows:
        """What is inside each value, where there is one."""
        entries = [None if each is None else take(each) for each in self.entries]
        return replace(self, entries=entries)

    def items(self, take: Callable[[Any], Any] = list) -> Rows:
        """The items of all lists, one after the other."""
        present = self.present()
        is_ordered = self.is_ordered and not any(isinstance(each, SETS) for each in present)
        items = itertools.chain.from_iterable(take(each) for each in present)
        return Rows(list(items), is_one=False, is_ordered=is_ordered)

    def are(self, got: Sequence[Any]) -> bool:
        one, other = ([bytes_of(each) for each in every] for every in (got, self.entries))
        return one == other if self.is_ordered else Counter(one) == Counter(other)


SETS = (set, frozenset)


def kind_of(place: holdall.View) -> str:
    """The first word of the type."""
    found = re.match("[a-z_0-9#]+", place.type)
    assert found is not None, place.type
    return found[0]


def stored_of(value: Any) -> Any:
    """What is inside an extension, or a logical type that Python has no type for."""
    return value.value if isinstance(value, holdall.Logical | holdall.Extension) else value


def plain(place: holdall.View, rows: Rows) -> tuple[holdall.View, Rows]:
    """The place inside options, logical types and extensions, which is the same, and its rows."""
    while place.type.endswith(")") and kind_of(place) not in NO_WRAPPERS:
        if kind_of(place) == "extension":
            made = any(not isinstance(each, holdall.Extension) for each in rows.present())
            rows = replace(rows, are_stored=rows.are_stored and not made)
        if kind_of(place) in ("extension", "logical"):
            rows = rows.inside(stored_of)
        place = place._at(place._site + 1)
    return place, rows


def compare(place: holdall.View, rows: Rows) -> int:
    """Compares what a view gives at a place, and at those inside, with the rows. Returns how many places there are."""
    inner, own = plain(place, rows)
    kind, where = kind_of(inner), (place.path, place.type)
    if rows.is_one and kind in ("list", "array") and own.entries[0] is not None:
        # A list that is in no other list is its items.
        rows = own.items()
        compare_items(place, rows)
    else:
        with pytest.raises(TypeError):
            len(place)
        with pytest.raises(TypeError):
            place[0]
    try:
        got = place.tolist()
    except holdall.Error as error:
        assert_without_form(place, error)
    else:
        assert rows.are(got), (*where, got, rows)
    compare_column(place, own, kind)
    return 1 + sum(compare(*each) for each in inside_of(inner, own) if own.are_stored)


def assert_without_form(place: holdall.View, error: holdall.Error) -> None:
    """A view has no form for some rows inside definitions, as its page says."""
    assert error.code == "unsupported", (place.path, error)
    assert "#" in str(place.schema), (place.path, error)


def compare_items(place: holdall.View, items: Rows) -> None:
    """Compares the length, the first and the last item, and slices."""
    where = (place.path, items)
    assert len(place) == len(items.entries), where
    whole = place[:]
    assert items.are(whole), (*where, whole)
    if whole:
        assert Rows([whole[0], whole[-1]]).are([place[0], place[-1]]), where
    for some in (slice(None, None, 2), slice(1, -1), slice(-1, None)):
        assert Rows(whole[some]).are(place[some]), (*where, some)
    if place._site == 0:
        # A few bytes can be a million rows.
        assert Rows(whole[:1000]).are(list(itertools.islice(place, 1000))), where


def compare_column(place: holdall.View, rows: Rows, kind: str) -> None:
    """Compares the length of a column, its mask, the offsets of lists and maps, and values that have no logical type."""
    where = (place.path, place.type)
    try:
        column = place.column()
    except holdall.Error as error:
        assert error.code == "unsupported", (*where, error)
        assert kind in WITHOUT_COLUMN or kind.startswith("#") or kind == "union", (*where, error)
        return
    assert len(column) == len(rows.entries), where
    if not rows.is_ordered:
        return
    # A null is a value of its column, and None in Python.
    if column.mask is not None and kind not in ("null", "union"):
        assert list(column.mask) == [each is None for each in rows.entries], where
    if not rows.are_stored:
        return
    if column.kind == "offsets":
        if all(hasattr(each, "__len__") for each in rows.present()):
            lengths = [0 if each is None else len(each) for each in rows.entries]
            assert list(column.values) == [0, *itertools.accumulate(lengths)], where
    elif place._raw.logical(place._site) is None and kind not in ("union", "packed", "tensor"):
        assert rows.are(column.tolist()), (*where, column.tolist(), rows)


def inside_of(place: holdall.View, rows: Rows) -> Iterator[tuple[holdall.View, Rows]]:
    """The places inside a plain one, with their rows, unless Python has another type for what is stored."""
    kind, present = kind_of(place), rows.present()

    def are(*types: type) -> bool:
        return all(isinstance(each, types) for each in present)

    if kind in ("record", "struct") and are(dict):
        for name in place.names():
            yield place[name], rows.inside(lambda each, name=name: each.get(name))
    elif kind == "tuple" and are(tuple):
        for at, member in members_of(place):
            yield member, rows.inside(lambda each, at=at: each[at])
    elif kind in ("list", "array") and are(list, tuple, *SETS):
        yield place.items, rows.items()
    elif kind == "map" and are(dict):
        yield place.keys, rows.items(lambda each: each.keys())
        yield place.values, rows.items(lambda each: each.values())
    elif kind == "union" and rows.is_ordered:
        yield from variants_of(place, rows)


def members_of(place: holdall.View) -> Iterator[tuple[int, holdall.View]]:
    for at in itertools.count():
        try:
            yield at, place.member(at)
        except holdall.SchemaError:
            break


def variants_of(place: holdall.View, rows: Rows) -> Iterator[tuple[holdall.View, Rows]]:
    """The places of the variants, with None where a row has another one."""
    _, _, kind, values = place._raw.column(place._site)
    assert kind == "variants"
    numbers = iter(memoryview(values).cast("B").cast("Q").tolist())
    which = [None if each is None else next(numbers) for each in rows.entries]
    for at, variant in members_of(place):
        own = [
            (each.value if place.names() else each) if number == at else None
            for each, number in zip(rows.entries, which, strict=True)
        ]
        yield variant, replace(rows, entries=own)
