"""Weak references: what they refer to is one object with the strong ones, and they keep nothing alive."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import holdall
import pytest
from checks import check_message


@holdall.register
class Node:
    def __init__(self, name: str) -> None:
        self.name = name
        self.parent: Any = None
        self.children: list[Any] = []


def packed(value: Any) -> bytes:
    data = holdall.dumps(value)
    check_message(data)
    return data


def tree() -> Node:
    root = Node("root")
    for name in ("a", "b"):
        child = Node(name)
        child.parent = weakref.ref(root)
        root.children.append(child)
    return root


def test_children_refer_to_their_parent() -> None:
    back = holdall.loads(packed(tree()))
    assert all(child.parent() is back for child in back.children)
    name = weakref.ref(back)
    del back
    gc.collect()
    assert name() is None


@pytest.mark.parametrize("options", [{}, {"profile": "fast"}, {"canonical": True}])
def test_an_object_with_one_strong_reference_stays_one(options: Any) -> None:
    for shape in (
        lambda node: [node, weakref.ref(node)],
        lambda node: [weakref.ref(node), node],
        lambda node: {"a": {"n": node}, "b": (weakref.ref(node), 1)},
    ):
        value = shape(Node("x"))
        back = holdall.loads(holdall.dumps(value, **options))
        found = [each for each in gc.get_objects() if type(each) is Node and each.name == "x"]
        assert len(found) == 2, shape
        del value, back, found


def test_an_object_can_refer_to_itself() -> None:
    node = Node("x")
    node.parent = weakref.ref(node)
    back = holdall.loads(packed(node))
    assert back.parent() is back


def test_a_reference_that_nothing_else_holds_is_dead() -> None:
    node = Node("x")
    assert holdall.loads(packed([weakref.ref(node)]))[0]() is None
    dead = weakref.ref(Node("y"))
    assert holdall.loads(packed([dead]))[0]() is None


def test_weak_containers_keep_what_lives() -> None:
    nodes = [Node("a"), Node("b")]
    value = [
        nodes,
        weakref.WeakValueDictionary({"a": nodes[0], "b": nodes[1]}),
        weakref.WeakKeyDictionary({nodes[0]: 1}),
        weakref.WeakSet(nodes),
    ]
    back = holdall.loads(packed(value))
    assert back[1]["a"] is back[0][0]
    assert back[2][back[0][0]] == 1
    assert set(back[3]) == set(back[0])
    assert [type(each) for each in back] == [type(each) for each in value]
    del back[0]
    gc.collect()
    assert [len(each) for each in back] == [0, 0, 0]


def test_callbacks_are_refused() -> None:
    node = Node("x")
    with pytest.raises(holdall.EncodeError, match="leave it out") as failed:
        holdall.dumps({"r": weakref.ref(node, print)})
    assert failed.value.path == "$.r"


@pytest.mark.parametrize(
    "forged",
    [
        holdall.Extension("py.weak", 5),
        holdall.Extension("py.weak", [1]),
        holdall.Extension("py.weak", ([1],)),
        holdall.Extension("py.weak", ([None],)),
        holdall.Extension("py.weak", ([1, 2],)),
        holdall.Extension("py.weak", (5,)),
        holdall.Extension("py.weak_values", {"a": 5}),
        holdall.Extension("py.weak_values", [1]),
        holdall.Extension("py.weak_keys", {5: 1}),
        holdall.Extension("py.weak_set", [5]),
        holdall.Extension("py.weak_set", None),
    ],
    ids=repr,
)
def test_forged_references_are_errors(forged: Any) -> None:
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.loads(packed([forged]))
    assert failed.value.path == "$[0]"
