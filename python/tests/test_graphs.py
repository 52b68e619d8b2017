"""Identity: each object stays one object, in cycles and at any depth."""

from __future__ import annotations

import collections
import gc
import os
import sys
import threading
from typing import Any

import holdall
import numpy as np
import pytest
from checks import check_message, roundtrip
from conftest import ALL_ROUNDS
from samples import Frozen, MyDict, MyList, MySet, Pair, Plain, Slotted, Stateful

DEEP = 1_000_000


def test_shared_objects_stay_shared() -> None:
    for shared in (
        [1],
        {"a": 1},
        {1, 2},
        Plain(1),
        bytearray(b"x"),
        (1, [2]),
        frozenset([1]),
        collections.deque([1]),
    ):
        back = roundtrip([shared, {"k": shared}, (shared, [shared])])
        assert back[0] is back[1]["k"] is back[2][0] is back[2][1][0]


def test_equal_objects_stay_distinct() -> None:
    back = roundtrip([[1], [1], {}, {}])
    assert back[0] is not back[1]
    assert back[2] is not back[3]


def cyclic() -> dict[str, Any]:
    """Cyclic graphs, one for each kind of reference."""
    a: dict[str, Any] = {}
    a["list"] = [1]
    a["list"].append(a["list"])
    a["dict"] = {"x": 1}
    a["dict"]["self"] = a["dict"]
    a["odd keys"] = {1: 2}
    a["odd keys"][2] = a["odd keys"]
    a["tuple"] = ([], 5)
    a["tuple"][0].append(a["tuple"])
    a["long tuple"] = (*range(10), [])
    a["long tuple"][-1].append(a["long tuple"])
    a["object"] = Plain(1)
    a["object"].self = a["object"]
    a["slots"] = Slotted(1)
    a["slots"].other = a["slots"]
    a["frozen"] = Frozen(label=1, inside=[])
    a["frozen"].inside.append(a["frozen"])
    node = Plain("member")
    node.set = {node}
    a["set"] = node
    node = Plain("member")
    node.set = frozenset([node])
    a["frozenset from object"] = node
    node = Plain("member")
    node.set = frozenset([node, 1])
    a["frozenset"] = node.set
    node = Plain("key")
    node.map = {node: 1, (node, 2): node}
    a["keys"] = node
    node = Plain("key")
    a["dict of keys"] = {node: 1}
    node.back = a["dict of keys"]
    frozen = Plain("f")
    frozen.sets = [frozenset([frozen]), frozenset([(frozen, 1)])]
    frozen.sets.append({frozen.sets[0]: frozen.sets[1]})
    a["sets in sets"] = frozen
    a["array"] = np.array([1, None, None], dtype=object)
    a["array"][1], a["array"][2] = a["array"], [a["array"]]
    columns = np.empty((2, 3), dtype=object, order="F")
    columns[0, 1], columns[1, 2] = Plain(1), [columns]
    columns[0, 1].back = (columns,)
    a["array in columns"] = [columns, columns]
    a["deque"] = collections.deque([1], 5)
    a["deque"].append(a["deque"])
    node = Plain("in a frozenset in a deque")
    frozen_set = frozenset([node])
    a["frozenset in deques"] = collections.deque([frozen_set])
    node.deque = collections.deque([a["frozenset in deques"], frozen_set])
    a["defaultdict"] = collections.defaultdict(list)
    a["defaultdict"]["x"].append(a["defaultdict"])
    a["ordered"] = collections.OrderedDict(a=1)
    a["ordered"]["self"] = a["ordered"]
    a["my list"] = MyList([1])
    a["my list"].append(a["my list"])
    a["my list"].attribute = a["my list"]
    a["my dict"] = MyDict()
    a["my dict"]["self"] = a["my dict"]
    node = Plain("m")
    a["my set"] = MySet([node])
    node.back = a["my set"]
    a["pair"] = Pair([], 1)
    a["pair"].left.append([a["pair"].left])
    a["state"] = Stateful([])
    a["state"].kept.append(a["state"])
    a["unknown"] = holdall.Record("some.Class", x=[])
    a["unknown"].x.append(a["unknown"])
    a["variant"] = holdall.Variant("V", [])
    a["variant"].value.append(a["variant"])
    return a


@pytest.mark.parametrize("name", list(cyclic()))
def test_cycles_survive(name: str) -> None:
    value = cyclic()[name]
    roundtrip(value)
    roundtrip([value, [value]])


def test_all_cycles_in_one() -> None:
    roundtrip(cyclic())


def test_a_value_that_needs_itself_for_its_creation_is_an_error() -> None:
    # A frozenset with a member that hashes by its fields, one of which is the set.
    extension = holdall.Extension("py.slice", None)
    extension.value = (1, 2, extension)
    data = holdall.dumps(extension)
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.loads(data)
    assert caught.value.code == "unrepresentable"
    assert caught.value.path


def test_without_references_shared_objects_become_copies() -> None:
    shared = [1]
    back = holdall.loads(holdall.dumps([shared, shared], references=False))
    assert back == [[1], [1]]
    assert back[0] is not back[1]
    loop: list[Any] = [{}]
    loop[0]["x"] = loop
    with pytest.raises(holdall.EncodeError, match="do not contain themselves") as caught:
        holdall.dumps(loop, references=False)
    assert caught.value.path == "$[0].x"
    deep = holdall.dumps([(), ((), [()], (1, [2])), {1: {2: 3}}, {4}], references=False)
    assert holdall.loads(deep) == [(), ((), [()], (1, [2])), {1: {2: 3}}, {4}]


def nest(depth: int, make: Any) -> Any:
    value: Any = None
    for at in range(depth):
        value = make(value, at)
    return value


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda inner, at: [inner], id="list"),
        pytest.param(lambda inner, at: ([inner], at), id="tuple of list"),
        pytest.param(lambda inner, at: {"k": inner}, id="dict"),
        pytest.param(lambda inner, at: {1: inner}, id="map"),
        pytest.param(lambda inner, at: Slotted(at, inner), id="slots"),
        pytest.param(lambda inner, at: Plain(at, next=inner), id="object"),
        pytest.param(lambda inner, at: holdall.Record("x.Y", next=inner), id="record"),
        pytest.param(lambda inner, at: holdall.Variant("V", inner), id="variant"),
    ],
)
def test_depth_has_no_limit(make: Any, request: pytest.FixtureRequest) -> None:
    # With all rounds, the oldest Python gets a million, also where objects nest in objects; elsewhere enough to exhaust any
    # stack.
    is_long = (
        ALL_ROUNDS
        and sys.version_info[:2] == (3, 11)
        and request.node.callspec.id in ("list", "slots")
    )
    depth = DEEP if is_long else DEEP // 10
    limit = sys.getrecursionlimit()
    value = nest(depth, make)
    data = holdall.dumps(value)
    back = holdall.loads(data)
    assert holdall.dumps(back) == data
    assert sys.getrecursionlimit() == limit
    del value, back
    gc.collect()


def test_depth_has_no_limit_on_a_small_stack() -> None:
    failed: list[BaseException] = []

    def work() -> None:
        try:
            value = nest(200_000, lambda inner, at: [inner])
            data = holdall.dumps(value)
            assert holdall.dumps(holdall.loads(data)) == data
        except BaseException as error:
            failed.append(error)

    # From 3.13 on, CPython frees nested lists with calls a thousand deep: 256 KiB are too few to free one.
    kilobytes = 256 if sys.version_info < (3, 13) else 4096
    before = threading.stack_size(kilobytes * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert not failed


def test_rings_survive() -> None:
    nodes = [Slotted(at) for at in range(100_000)]
    for at, node in enumerate(nodes):
        node.other = nodes[at - 1]
    back = holdall.loads(holdall.dumps(nodes[0]))
    at, count = back.other, 1
    while at is not back:
        at, count = at.other, count + 1
    assert count == len(nodes)


def test_results_do_not_depend_on_hash_seeds() -> None:
    import subprocess

    code = "import holdall, sys; sys.stdout.write(holdall.dumps([{'b', 'a', 'xyz', b'q', 3, None, (1, 'z')}, frozenset(map(str, range(50)))]).hex())"
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(seen) == 1


def test_the_reference_reads_every_message() -> None:
    for value in cyclic().values():
        check_message(holdall.dumps(value))


class Ordered(collections.OrderedDict[str, Any]):
    """A class whose content is stored as pairs."""


class Made:
    def __init__(self, held: Any) -> None:
        self.held = held

    def __reduce__(self) -> Any:
        return Made, (self.held,)


def test_an_ordered_dict_has_values_that_are_made_after_it() -> None:
    error: Any = ValueError("x")
    error.held = Ordered(own=error)
    row = Ordered()
    row["own"] = Pair(row, 1)
    made = Ordered()
    made["own"] = Made(made)
    back = holdall.loads(holdall.dumps(error), types=[Ordered])
    assert back.held["own"] is back
    pair = holdall.loads(holdall.dumps(row["own"]), types=[Ordered, Pair])
    assert pair[0]["own"] is pair
    own = holdall.loads(holdall.dumps(made["own"]), types=[Ordered, Made])
    assert own.held["own"] is own
