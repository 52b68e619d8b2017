"""Views: a list inside another list or a map is one row; one outside of them is its items."""

from __future__ import annotations

from typing import Any

import holdall
import pytest

ROWS: list[tuple[str, Any, list[Any]]] = [
    ("None and a list", [{"a": None}, {"a": [5, 6]}], [None, [5, 6]]),
    ("no field and a list", [{}, {"a": [5, 6]}], [None, [5, 6]]),
    ("one list", [{"a": [5, 6]}], [[5, 6]]),
    ("one set", [{"a": {5}}], [{5}]),
    ("one extension", [{"a": holdall.Extension("x", [5, 6])}], [holdall.Extension("x", [5, 6])]),
    ("one empty list", [{"a": None}, {"a": []}, {"a": None}], [None, [], None]),
    ("a list among others", [{"a": "x"}, {"a": [5, 6]}], ["x", [5, 6]]),
]


@pytest.mark.parametrize(
    ("rows", "wanted"), [each[1:] for each in ROWS], ids=[each[0] for each in ROWS]
)
def test_a_list_inside_another_is_one_row(rows: Any, wanted: list[Any]) -> None:
    for value in (rows, {"rows": rows}, {"first": {"rows": rows}}):
        view = holdall.view(holdall.dumps(value))
        while "a" not in view.names():
            [name] = view.names()
            view = view[name]
        assert view["a"].tolist() == wanted
        assert len(view["a"].column()) == len(wanted)
        for request in (len, list, lambda place: place[0], lambda place: place[:]):
            with pytest.raises(TypeError, match=r"\$.*\.a has no rows"):
                request(view["a"])


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ([None, [5, 6]], [None, [5, 6]]),
        ([[5, 6]], [[5, 6]]),
        ({1: [5, 6]}, [[5, 6]]),
        ([(1, None), (1, [2, 3])], [None, [2, 3]]),
    ],
)
def test_items_members_and_values_that_are_lists_are_rows(value: Any, wanted: list[Any]) -> None:
    view = holdall.view(holdall.dumps(value))
    place = view.values if isinstance(value, dict) else view.items
    if wanted[-1] == [2, 3]:
        place = place.member(1)
    assert place.tolist() == wanted
    assert place.items.tolist() == wanted[-1]


def test_options_of_arrays_inside_an_array_are_rows() -> None:
    view = holdall.view(bytes.fromhex("c110170415170404020506"))
    assert view.tolist() == view.items.tolist() == [None, [5, 6]]


def test_a_list_at_the_root_or_in_fields_from_there_is_its_items() -> None:
    for value in ([5, 6], {"a": [5, 6]}, {"b": {"a": [5, 6]}}, (1, [5, 6])):
        view = holdall.view(holdall.dumps(value))
        if isinstance(value, tuple):
            view = view.member(1)
        while view.names():
            [name] = view.names()
            view = view[name]
        assert view.tolist() == view[:] == list(view) == [5, 6]
        assert (len(view), view[-1]) == (2, 6)
