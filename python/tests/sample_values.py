"""A value of every type, each of which must survive a round trip."""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import fractions
import ipaddress
import pathlib
import re
import threading
import types
import uuid
import warnings
import zoneinfo
from typing import Any

import numpy as np
from samples import (
    Attrs,
    AttrsDict,
    Both,
    Colour,
    Frozen,
    Level,
    Model,
    MyBytes,
    MyDate,
    MyDateTime,
    MyDefault,
    MyDict,
    MyFloat,
    MyFrozenSet,
    MyInt,
    MyList,
    MyOrdered,
    MySet,
    MyStr,
    MyTuple,
    NewArguments,
    Packed,
    Pair,
    Plain,
    Point,
    Reduced,
    Rights,
    Slotted,
    Stateful,
    Trouble,
    TupleState,
    Word,
)

UTC = datetime.UTC
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
TWO_HOURS = datetime.timezone(datetime.timedelta(hours=2))

SCALARS: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        127,
        -128,
        2**31,
        2**63 - 1,
        -(2**63),
        2**63,
        2**64,
        -(2**63) - 1,
        10**40,
        -(2**200),
    ),
    *(
        0.0,
        -0.0,
        1.5,
        5e-324,
        float("inf"),
        float("-inf"),
        float("nan"),
        1e300,
        "",
        "a",
        "ä€😀",
        "\x00",
        "\ud800",
        "a\udfffb",
    ),
    *(b"", b"x\x00\xff", "x" * 300),
]

LOGICAL: list[Any] = [
    *(0j, 1 - 2j, complex(-0.0, float("nan")), bytearray(), bytearray(b"ab"), ..., NotImplemented),
    *(range(3), range(2**70, -5, -3), slice(None), slice(1, "a", [2])),
    *map(
        decimal.Decimal,
        [
            "0",
            "-0",
            "1.20",
            "-1E+7",
            "1E-400",
            "Infinity",
            "-Infinity",
            "NaN",
            "-NaN17",
            "sNaN",
            "sNaN3",
        ],
    ),
    *map(
        decimal.Decimal,
        [
            "12345678901234567890.12345678901234567890",
            "9223372036854775807",
            "-9223372036854775808e5",
        ],
    ),
    *(fractions.Fraction(1, 3), fractions.Fraction(-(2**80), 7)),
    *(
        datetime.date.min,
        datetime.date(2024, 2, 29),
        datetime.date.max,
        datetime.date(1969, 12, 31),
    ),
    *(
        datetime.time(),
        datetime.time(23, 59, 59, 999999),
        datetime.time(1, fold=1),
        datetime.time(1, tzinfo=UTC),
    ),
    *(
        datetime.timedelta(),
        datetime.timedelta(-1, 2, 3),
        datetime.timedelta.min,
        datetime.timedelta.max,
    ),
    *(datetime.datetime.min, datetime.datetime(2024, 2, 29, 1, 2, 3, 4), datetime.datetime.max),
    *(datetime.datetime(2024, 1, 1, tzinfo=UTC), datetime.datetime(1, 1, 1, tzinfo=TWO_HOURS)),
    *(datetime.datetime(2024, 1, 1, fold=1), datetime.datetime(2024, 1, 1, tzinfo=UTC, fold=1)),
    datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1), "CET")),
    datetime.datetime(
        2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(seconds=1, microseconds=1))
    ),
    *(
        datetime.datetime(2024, 7, 1, tzinfo=BERLIN),
        datetime.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN),
    ),
    *(
        datetime.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=1),
        datetime.datetime(2024, 3, 31, 2, 30, tzinfo=BERLIN),
    ),
    *(
        UTC,
        TWO_HOURS,
        datetime.timezone(datetime.timedelta(0), "UTC"),
        BERLIN,
        zoneinfo.ZoneInfo("UTC"),
    ),
    *(uuid.UUID(int=0), uuid.UUID(int=2**127 + 5), uuid.uuid1(node=1, clock_seq=2)),
    *(
        pathlib.Path("/a/b"),
        pathlib.Path(),
        pathlib.PurePosixPath("x/y"),
        pathlib.PureWindowsPath("c:\\x"),
    ),
    *(pathlib.Path("a\udcff"), pathlib.PureWindowsPath("a\ud800")),
    *map(ipaddress.ip_address, ["127.0.0.1", "::1", "fe80::1%eth0"]),
    *map(ipaddress.ip_network, ["10.0.0.0/8", "fe80::/10", "1.2.3.4/32"]),
    *map(ipaddress.ip_interface, ["10.0.0.1/8", "fe80::1/64", "1.2.3.0/24"]),
    *(re.compile("a+", re.I | re.X), re.compile(b"x"), re.compile("")),
    *(
        Colour.RED,
        Colour.GREEN,
        Level.HIGH,
        Word.A,
        Rights.READ,
        Rights.READ | Rights.WRITE,
        Rights(0),
    ),
]

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    UNICODE = array.array("u", "aä")

CONTAINERS: list[Any] = [
    *(
        [],
        [1],
        [1, "a", None, 2.5],
        (),
        (1,),
        ("a", 1, None),
        tuple(range(8)),
        tuple(range(9)),
        tuple([1, "a"] * 10),
    ),
    *(
        {},
        {"a": 1},
        {"": 0, "ä": 1},
        {1: 2},
        {"a": 1, 2: "b"},
        {None: 1, True: 2, (1, 2): 3, b"x": 4, 1.5: 5},
    ),
    *(
        {"1234": 1, "5678": 2},
        {str(at): at for at in range(300)},
        {"\ud800": 1},
        {frozenset([1]): 1},
    ),
    *(
        set(),
        {1},
        {1, "a", None, (2, 3)},
        {"b", "a", b"c"},
        {10**30, -(10**30), 1, -1, 1.5, -1.5},
        frozenset(),
        frozenset({1, "x"}),
    ),
    *(
        collections.OrderedDict(),
        collections.OrderedDict(b=1, a=2),
        collections.OrderedDict({1: 2}),
    ),
    *(
        collections.defaultdict(list, {"a": [1]}),
        collections.defaultdict(None),
        collections.Counter("abca"),
    ),
    *(collections.deque(), collections.deque([1, [2]], 5), collections.ChainMap({"a": 1}, {})),
    types.SimpleNamespace(a=1, b=[2]),
    *(
        array.array("b", [1, -1]),
        array.array("Q", [2**64 - 1]),
        array.array("d", [1.5]),
        array.array("f"),
        UNICODE,
    ),
    [{"id": 1, "x": None}, {"id": 2}, {"id": "a", "y": {"z": []}}],
]

OBJECTS: list[Any] = [
    *(
        Plain(1),
        Plain(2, **{"ä b": 1}),
        Slotted(1, [2]),
        Both(3),
        Point(1),
        Point(2, -0.0, ["a"]),
        Frozen(label=1, inside=[1]),
    ),
    *(
        Attrs(1, [2]),
        AttrsDict(4),
        Packed(1),
        Packed(2, "x"),
        Model(a=1),
        Model(a=1, inside=[Model(a=2)], z=5),
        Pair(1),
        Pair([1], Pair(1, 2)),
    ),
    *(
        MyList([1, 2]),
        MyDict(a=1),
        MyDict({1: 2}),
        MySet([1]),
        MyTuple((1, 2)),
        MyInt(5),
        MyInt(2**70),
        MyStr("s"),
        MyFloat(1.5),
    ),
    *(
        MyBytes(b"x"),
        MyFrozenSet([1]),
        MyDate(2024, 1, 1),
        MyDateTime(2024, 1, 1, tzinfo=UTC),
        MyDefault(int, a=1),
        MyOrdered(b=1, a=2),
    ),
    *(
        ValueError(),
        ValueError("x", 1),
        OSError(2, "no", "file"),
        KeyError("k"),
        Trouble(1, "b"),
        ExceptionGroup("g", [ValueError(1)]),
    ),
    *(
        UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"),
        ImportError("m", name="n"),
        StopIteration(4),
        SystemExit(3),
    ),
    *(Stateful([1]), TupleState(), NewArguments(1, b=2), Reduced(1)),
]

ARRAYS: list[Any] = [
    *(
        np.array(kind(3))
        for kind in (
            np.int8,
            np.uint64,
            np.float16,
            np.float32,
            np.float64,
            np.complex64,
            np.complex128,
            np.bool_,
        )
    ),
    *(
        np.arange(6, dtype=kind).reshape(2, 3)
        for kind in ("i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16")
    ),
    *(
        np.array([True, False]),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.arange(24).reshape(2, 3, 4),
        np.zeros((0, 3)),
        np.zeros(100),
    ),
    *(
        np.array(["a", "bc"]),
        np.array([b"a", b"bc"]),
        np.array([], dtype="U"),
        np.array([1], dtype=">i4"),
        np.array(["2024-01-01"], dtype="M8[D]"),
    ),
    *(
        np.array(["2024-01-01T01"], dtype="M8[us]"),
        np.array([5], dtype="m8[ns]"),
        np.array(["NaT"], dtype="M8[s]"),
        np.array([1], dtype="m8[25s]"),
    ),
    np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")]),
    np.array([(1, 2.5)], dtype=np.dtype([("a", "i1"), ("b", "f8")], align=True)),
    np.array([((1, 2), [3, 4])], dtype=[("a", [("x", "i2"), ("y", "i2")]), ("b", "u1", (2,))]),
    np.zeros(2, dtype=[("a", "f4", (2, 3)), ("b", "i2", (1, 2, 1))]),
    np.full((1,) * 33, None, dtype=object),
    *(
        np.array([1, "a", None], dtype=object),
        np.longdouble(1.5),
        np.arange(10)[::2].copy(),
        np.dtype("f8"),
    ),
    *(
        np.float32(1.5),
        np.int64(-3),
        np.bool_(True),
        np.str_("x"),
        np.datetime64("2024-01-01"),
        np.complex64(1j),
    ),
]

#: Values that cannot be packed.
LOCK = threading.Lock()

EVERY: list[Any] = [*SCALARS, *LOGICAL, *CONTAINERS, *OBJECTS, *ARRAYS]


def named(values: list[Any]) -> list[Any]:
    """Values with names, for pytest."""
    import pytest

    return [
        pytest.param(value, id=f"{at}-{type(value).__name__}") for at, value in enumerate(values)
    ]
