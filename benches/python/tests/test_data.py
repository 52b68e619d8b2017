"""Generators give the described values, the same ones for the same seed."""

from __future__ import annotations

import datetime
import decimal
import json
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..data import arrays, every, files, flat, graph, logs, messages, records, sparse, tree
from ..data.case import Case
from ..same import difference, parts

CASES = [pytest.param(case, id=case.name) for case in every.GENERATED]


def inside(value: Any) -> list[Any]:
    """All values in a value with parts, each once for each reference; objects are entered once."""
    found: list[Any] = []
    seen: set[int] = set()
    todo = [value]
    while todo:
        each = todo.pop()
        within = parts(each)
        if within is None:
            continue
        found.append(each)
        if id(each) not in seen:
            seen.add(id(each))
            todo += within
    return found


@pytest.mark.parametrize("case", CASES)
def test_a_seed_gives_the_same_value(case: Case) -> None:
    assert difference(case.value(True), case.value(True)) is None
    assert difference(case.value(True, 1), case.value(True, 2)) is not None


@pytest.mark.parametrize("case", CASES)
def test_only_graphs_share(case: Case) -> None:
    met = inside(case.value(True))
    assert (len(met) > len(set(map(id, met)))) == (case.kind == "graph")


def test_names_are_different() -> None:
    names = [case.name for case in every.GENERATED]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("case", CASES)
def test_quick_is_smaller_or_alone(case: Case) -> None:
    assert case.count(False) == case.full
    assert case.count(True) < case.full or case.full == 1


def test_records_are_the_same_rows_in_all_classes() -> None:
    rows = [tuple(record.values()) for record in records.dicts(50, 3)]
    for case in records.CASES[3:]:
        objects = case.make(50, 3)
        assert {type(each) for each in objects} == set(case.classes)
        fields = [tuple(getattr(each, name) for name in records.FIELDS) for each in objects]
        assert fields == rows


def test_slots_and_dicts_are_as_named() -> None:
    by_name = {case.name: case for case in records.CASES}
    assert hasattr(by_name["dataclasses"].value(True)[0], "__dict__")
    for name in ("slotted", "structs", "attrs"):
        assert not hasattr(by_name[name].value(True)[0], "__dict__")


def test_sparse_records_differ_in_their_fields() -> None:
    made = sparse.make(500, 1)
    assert len(made) == 500
    shapes = {tuple(record) for record in made}
    assert len(shapes) > 100
    assert 20 < len({name for shape in shapes for name in shape}) <= 41


def test_a_tree_has_its_nodes_and_depth() -> None:
    root = tree.make(3000, 1)
    todo, count, deepest = [(root, 1)], 0, 0
    while todo:
        node, depth = todo.pop()
        assert list(node) == ["name", "size", "children"]
        count, deepest = count + 1, max(deepest, depth)
        todo += [(child, depth + 1) for child in node["children"]]
    assert count == 3000
    assert 10 < deepest <= 40


def test_logs_come_in_order_with_gaps() -> None:
    made = logs.make(500, 1)
    times = [record["at"] for record in made]
    assert times == sorted(times)
    assert {record["user"] is None for record in made} == {True, False}
    assert {record["referrer"] is None for record in made} == {True, False}


def test_a_graph_has_its_objects_and_cycles() -> None:
    people = graph.make(1000, 1)
    teams = {id(person.team): person.team for person in people}
    assert len(people) + len(teams) == 1000
    for at, person in enumerate(people):
        assert person.id == at
        assert any(member is person for member in person.team.members)
        assert person.mentor is None or person.mentor.id < at
        assert all(friend.team is person.team for friend in person.friends)
        assert any(person.team.lead is member for member in person.team.members)


def test_flat_lists_have_one_type() -> None:
    kinds = {
        "ints": int,
        "floats": float,
        "strings": str,
        "datetimes": datetime.datetime,
        "decimals": decimal.Decimal,
        "uuids": uuid.UUID,
    }
    for case in flat.CASES:
        made = case.make(300, 1)
        assert len(made) == 300
        assert {type(each) for each in made} == {kinds[case.name]}
    assert all(moment.tzinfo is datetime.UTC for moment in flat.datetimes(10, 1))
    assert max(map(abs, flat.ints(1000, 1))) < 1 << 40
    assert min(flat.ints(1000, 1)) < 0


def test_arrays_have_their_sizes() -> None:
    full = {case.name: case.full for case in arrays.CASES}
    large = arrays.large(full["array"], 1)
    assert (large.dtype, large.nbytes) == (np.float64, 8_000_000)
    several = arrays.several(full["small-arrays"], 1)
    assert len(several) == 100
    assert len({each.dtype for each in several}) == 5
    assert {each.ndim for each in several} == {1, 2}


def test_messages_are_unlike_each_other() -> None:
    shapes = {case.name: {tuple(each) for each in case.make(60, 1)} for case in messages.CASES}
    assert {name: len(found) for name, found in shapes.items()} == {
        "events": 2,
        "posts": 2,
        "features": 1,
        "five-shapes": 5,
    }
    kinds = {tuple(each["payload"]) for each in messages.CASES[0].make(60, 1)}
    assert len(kinds) == len(messages.EVENTS)


def test_files_are_read_completely(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"x": [1, 2.5, None]}))
    (tmp_path / "b.json").write_text(json.dumps(["x" * files.QUICK_BYTES]))
    (tmp_path / "c.txt").write_text("no JSON")
    assert [case.name for case in files.cases(tmp_path, False)] == ["json:a", "json:b"]
    (quick,) = files.cases(tmp_path, True)
    assert quick.value(True) == {"x": [1, 2.5, None]}
    assert [case.name for case in every.cases(tmp_path, ["json"])] == ["json:a", "json:b"]
