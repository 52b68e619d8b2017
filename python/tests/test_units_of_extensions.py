"""The memory and the time that objects of every extension take for each unit of the budget."""

from __future__ import annotations

import collections
import datetime
import functools
import ipaddress
import pathlib
import uuid
from typing import Any

import holdall
import library_values
import numpy as np
import pytest
from conftest import ALL_ROUNDS
from holdall import Extension
from holdall._impl import _callables, _classes
from test_hostile_extensions import PACKAGES, extension_of
from units import ROWS, check_units

#: All that the package makes.
NAMES = sorted({*_classes.KNOWN, *_callables.EXTENSIONS})
#: Those with memory that tracemalloc does not see.
OWN_ALLOCATORS = ("arrow", "pandas", "polars", "pyarrow", "torch", "xarray")


class Held:
    def get(self) -> None:
        pass


INT = Extension("py.callable", "builtins.int")
TABLE = holdall.Table(holdall.scan(holdall.dumps([{"n": 2}])))
#: An element of a large type, of which an array can have none.
WIDE = np.zeros(0, "V5000")

#: The contents of each kind that take the fewest units for their memory: the smallest, and those with a part that grows without
#: rows. Data can share a content or a part of it, and pay for it once.
SMALLEST: dict[str, list[Any]] = {
    **{key: [None] for key in ("py.ellipsis", "py.not_implemented", "py.object")},
    "py.slice": [(None, None, None)],
    "py.deque": [([], None), ([0] * 500, None)],
    "py.defaultdict": [(None, {}), ("int", dict.fromkeys(range(500), 0))],
    "py.counter": [{}, {1: 1}, dict.fromkeys(range(500), 0)],
    "py.chain_map": [[]],
    "py.attributed_chain_map": [([], {}), ([], {f"a{at}": 0 for at in range(500)})],
    "py.attributed_ordered_dict": [
        (collections.OrderedDict(), {}),
        (collections.OrderedDict.fromkeys(range(500)), {}),
    ],
    "py.namespace": [{}, {f"a{at}": 0 for at in range(500)}],
    "py.weak": [([],)],
    "py.weak_values": [{}],
    "py.weak_keys": [{}],
    "py.weak_set": [[]],
    "py.datetime": [(datetime.datetime(2000, 1, 1), None, 0)],
    "py.time": [(datetime.time(), None, 0)],
    "py.timezone": [(datetime.timedelta(hours=1), None), (datetime.timedelta(hours=1), "x")],
    "py.zone": ["Europe/Berlin"],
    "py.uuid": [(uuid.UUID(int=0), None)],
    "py.pure_path": [pathlib.Path("a"), pathlib.Path("a/" * 2_000)],
    "py.ipv6_scoped": [(ipaddress.IPv6Address(1), "x")],
    "py.ip_interface": [ipaddress.ip_network("::/0")],
    "py.pattern": [("a", 2)],
    "py.array": [("b", holdall.Tensor("i8", (0,), b"")), ("B", np.zeros(5_000, "u1"))],
    "py.buffer": [0],
    "py.callable": ["builtins.int"],
    "py.method": [([Held()], "get")],
    "py.partial": [(INT, (), {}, None), (INT, (0,) * 500, {}, {})],
    "numpy.array": [
        ("<f8", (0,), False, b""),
        ("<M8[D]", (1,), False, bytes(8)),
        ("V1", (1,) * 32, False, b"a"),
        ({"names": ["a"], "formats": ["<i4"], "offsets": [0], "itemsize": 4}, (0,), False, b""),
        ("|u1", (5_000,), False, bytes(5_000)),
    ],
    "numpy.buffer": [("|u1", (1,), False, 0), ("<M8[D]", (1,), False, 1)],
    "numpy.objects": [((0,), "C", []), ((1,) * 32, "C", [None]), ((500,), "C", [None] * 500)],
    "numpy.scalar": [np.zeros((), "u1"), np.zeros((), "M8[D]"), np.array("a" * 500)],
    "numpy.dtype": [
        "<f8",
        "<M8[D]",
        {
            "names": [f"a{at}" for at in range(100)],
            "formats": ["<i4"] * 100,
            "offsets": [0] * 100,
            "itemsize": 4,
        },
    ],
    "numpy.masked": [
        (np.zeros(0), None, None, False),
        (np.zeros(500), np.zeros(1, bool), None, False),
        (WIDE, None, b"a", False),
    ],
    "numpy.matrix": [np.zeros((0, 0))],
    "numpy.recarray": [np.zeros(0), np.zeros(0, [("a", "u1")])],
    "numpy.generator": [np.random.PCG64(1)],
    "numpy.random_state": [(np.random.PCG64(1), 0, 0.0)],
    "numpy.seed_sequence": [(1, (), 4, 0), (1, (), 256, 0)],
    "numpy.bit_generator": [
        (kind.__name__, kind(1).state, None) for kind in (np.random.MT19937, np.random.PCG64)
    ],
    "arrow.table": [TABLE],
    "arrow.array": [TABLE["n"]],
}


def of_library(name: str, package: str) -> list[Any]:
    """The contents of an extension of a library."""
    made = [extension_of(value) for value in library_values.values(package)]
    return [each.value for each in made if each is not None and each.name == name]


def test_every_extension_is_measured() -> None:
    # Those of libraries by their values, which `library_values` has.
    assert {name for name in NAMES if name.partition(".")[0] not in library_values.OF} == set(
        SMALLEST
    )


@pytest.mark.parametrize("name", NAMES[:: 1 if ALL_ROUNDS else 3])
def test_units_pay_for_every_extension(name: str) -> None:
    package = name.partition(".")[0]
    pytest.importorskip(PACKAGES.get(package, package))
    contents = SMALLEST.get(name) or of_library(name, package)
    assert contents
    load = functools.partial(holdall.loads, types=[Held, int], buffers=[bytes(1), bytes(8)])
    for content in contents:
        is_whole = isinstance(content, holdall.Table | holdall.Array)
        rows = [content if is_whole else Extension(name, content) for _ in range(ROWS)]
        for references in (False, True):
            data = holdall.dumps(rows, references=references)
            kinds = {type(each) for each in load(data)}
            assert Extension not in kinds
            check_units(data, load, has_own_allocator=package in OWN_ALLOCATORS)
