"""Extensions whose content is not what their kind holds: each is an error or another value, in little memory."""

from __future__ import annotations

import functools
import ipaddress
import re
import resource
import sys
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import holdall
import library_values
import numpy as np
import pytest
from conftest import ALL_ROUNDS
from forked import Forked
from holdall import Extension
from holdall._impl import _callables, _classes
from holdall._impl._encode_plans import encode_plan
from holdall._impl._patterns import make_pattern
from sample_values import EVERY
from samples import Plain

#: Above what the process had before: address space, so that anything that is asked for counts.
MEMORY = 256 << 20
#: All that the package makes, so that a new one is among them.
NAMES = sorted({*_classes.KNOWN, *_callables.EXTENSIONS})
#: The packages that make the others, as far as they are not the package itself.
PACKAGES = {"arrow": "holdall", "py": "holdall"}


def laughs() -> Any:
    """Lists inside lists whose text would not fit any memory."""
    value: Any = ["ha"] * 2
    for _ in range(40):
        value = [value, value]
    return value


HOSTILE = [
    1 << 31,
    -1,
    range(10**12),
    range(1 << 31),
    laughs(),
    "f8," * 10_000,
    "(" * 10_000,
    "(1000000,1000000)f8",
    "V2147483647",
    "M8[" + "9" * 1000 + "s]",
    "O",
    (1 << 62,) * 3,
    (0, 1 << 62),
    (2,) * 65,
    [1 << 31] * 3,
    {"names": range(1 << 31), "formats": ["f8"], "offsets": [0], "itemsize": 8},
    {"names": ["a"], "formats": range(1 << 31), "offsets": [0], "itemsize": 8},
    {"names": ["a"], "formats": ["f8"], "offsets": [1 << 31], "itemsize": 1 << 40},
    holdall.Record("x.Y", dtype=1, ndim=0, int=1 << 62, shape=(1 << 62,)),
    np.zeros((3, 3)),
]


#: Values of extensions that no sample has.
HOLDERS = [
    *(
        functools.partial(int, "1", base=5),
        holdall.Record("x.Y").to_dict,
        weakref.ref(Plain),
        len,
        Plain,
    ),
    *(np.random.default_rng(1), np.random.RandomState(1), np.random.SeedSequence(1)),
    *(np.random.MT19937(1), np.random.PCG64(1), np.ma.array([1, 2], mask=[True, False])),
    *(np.zeros((1, 1)).view(np.matrix), np.zeros(1, dtype=[("a", "i4")]).view(np.recarray)),
]


def contents() -> list[Any]:
    """What is put into each extension: every value, and every value in place of each part of what an extension holds."""
    every = [*EVERY, *HOSTILE]
    held = [
        ([1], 5),
        (None, {1: 2}),
        ("list", {1: 2}),
        (1, 2, 3),
        ({"a": 1},),
    ]
    for value in [*EVERY, *HOLDERS]:
        kept = content_of(value)
        if isinstance(kept, tuple):
            held.append(kept)
    unlike = {repr(tuple(map(type, each))): each for each in held}
    replaced = [
        (*each[:at], part, *each[at + 1 :])
        for each in unlike.values()
        for at in range(len(each))
        for part in every
    ]
    return [*every, *replaced]


def content_of(value: Any) -> Any:
    """The content of a value that is an extension in data."""
    made = extension_of(value)
    return None if made is None else made.value


def extension_of(value: Any) -> Extension | None:
    """What a value is in data, if that is an extension."""
    plan = encode_plan(type(value))
    made = plan[1](value) if plan[0] in ("hook", "atom", "ndarray") else None
    return made if type(made) is Extension else None


def library_contents(name: str) -> Iterator[Any]:
    """What is put into an extension of a library: its values and their parts, and each of these, and every other value, in place of
    each part of what the extension holds. Imports the library.
    """
    values = library_values.values(name.partition(".")[0])
    held = [made for made in map(extension_of, values) if made is not None]
    parts = [part for made in held for part in (made.value, *parts_of(made.value))]
    yield from values
    yield from parts
    every = [*EVERY, *HOSTILE, *values, *parts]
    at = 0
    for made in held:
        if made.name == name:
            for replaced in replacing(made.value):
                # As in `feed`.
                at = (at + 1) % STEP
                yield from map(replaced, every[at::STEP])


def parts_of(content: Any) -> Iterator[Any]:
    for inside in values_of(content):
        yield inside
        yield from parts_of(inside)


def values_of(content: Any) -> Iterable[Any]:
    if isinstance(content, dict):
        return content.values()
    return content if isinstance(content, tuple | list) else ()


def replacing(content: Any) -> Iterator[Callable[[Any], Any]]:
    """For each part of a content, a function that puts another value into its place."""
    keys = content if isinstance(content, dict) else range(len(values_of(content)))
    for key in keys:
        yield functools.partial(changed, content, key)
        for inside in replacing(content[key]):
            yield lambda value, key=key, inside=inside: changed(content, key, inside(value))


def changed(content: Any, key: Any, value: Any) -> Any:
    if isinstance(content, dict):
        return {**content, key: value}
    return type(content)(value if at == key else own for at, own in enumerate(content))


#: Every n-th content is put into an extension, from its place among the names on: each content is in several of them.
STEP = 1 if ALL_ROUNDS else 8


def feed(name: str, every: list[Any]) -> None:
    cases = []
    more = library_contents(name) if name.partition(".")[0] in library_values.OF else ()
    for content in [*HOSTILE, *every[NAMES.index(name) % STEP :: STEP], *more]:
        try:
            cases.append(holdall.dumps(Extension(name, content)))
        except holdall.EncodeError:
            continue
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, -1))
    for data in cases:
        try:
            holdall.loads(data)
        except holdall.DecodeError:
            continue
    print(len(cases))


@pytest.fixture(scope="module")
def forked() -> Iterator[Forked]:
    # Absolute, because the tests may run with a relative PYTHONPATH.
    folders = [Path(holdall.__file__).resolve().parents[1], Path(__file__).resolve().parent]
    head = f"""
import sys
sys.path[:0] = {list(map(str, folders))}
from test_hostile_extensions import contents, feed
every = contents()
"""
    with Forked(head) as process:
        yield process


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize("name", NAMES)
def test_any_content_is_a_value_or_an_error(name: str, forked: Forked, tmp_path: Path) -> None:
    package = name.partition(".")[0]
    pytest.importorskip(PACKAGES.get(package, package))
    done = forked.run(f"feed({name!r}, every)", tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) > 8_000 // STEP


#: An array of it has no dimension. Its text would not fit any memory.
OBJECT = holdall.Record("x.Y", of=laughs())
#: It has 16 million items.
NETWORK = ipaddress.ip_network("10.0.0.0/8")
NUMBERS = holdall.Table(holdall.scan(holdall.dumps([{"n": 2}])))["n"]
#: pandas reads it as the path of a file.
ZONE = "dateutil//etc/localtime"
DATA = {"dims": ("x",), "data": np.zeros(1)}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("numpy.array", ("<f8", (1,), False, 1 << 31)),
        ("numpy.dtype", ("<f8", range(10**12))),
        ("py.zone", ("UTC", 1)),
        ("py.ip_interface", 5),
        ("py.ipv6_scoped", (laughs(), "x")),
        ("numpy.scalar", holdall.Record("x.Y", dtype=1, ndim=0)),
        ("numpy.masked", (np.zeros(1), None, range(10**12), False)),
        ("numpy.masked", (np.zeros(1), None, laughs(), False)),
        ("numpy.masked", (np.array(["a"]), None, np.array(OBJECT, dtype=object), False)),
        ("pandas.Series", {"index": NETWORK, "type": "object", "values": [], "name": None}),
        ("pandas.DataFrame", {"index": NETWORK, "columns": NETWORK, "types": [], "table": None}),
        ("pandas.Index", {"kind": "multi", "names": [1], "level0": NETWORK, "codes0": NUMBERS}),
        ("pandas.Interval", range(10**12)),
        ("pandas.Timestamp", (0, "ns", ZONE)),
        *(
            ("pandas.array", {"type": kind, "values": values})
            for kind, values in [
                ("object", range(10**12)),
                ("b1", NUMBERS),
                ({"kind": "category", "categories": NETWORK, "ordered": False}, NUMBERS),
                ({"kind": "zoned", "unit": "ns", "tz": ZONE}, NUMBERS),
                ({"kind": "period", "dtype": laughs()}, NUMBERS),
                ({"kind": "masked", "dtype": {"names": range(1 << 31), "formats": []}}, NUMBERS),
                ({"kind": "masked", "dtype": "boolean"}, NUMBERS),
                ({"kind": "string", "storage": "python", "nan": False}, [laughs()]),
                ({"kind": "string", "storage": "pyarrow", "nan": False}, range(10**12)),
                (
                    {"kind": "sparse", "of": "i8", "fill": 0, "len": 3, "index": "integer"},
                    {"index": range(10**12), "values": NUMBERS},
                ),
                ({"kind": laughs()}, NUMBERS),
            ]
        ),
        # polars ended the process.
        ("polars.Series", {"name": "x", "dtype": "Int128", "values": range(10**12)}),
        ("polars.Series", {"name": "x", "dtype": "Null", "values": [laughs()]}),
        ("polars.DataFrame", {"table": range(10**12), "others": []}),
        ("xarray.Variable", {**DATA, "data": range(10**12)}),
        ("xarray.Variable", {**DATA, "dims": NETWORK}),
        (
            "xarray.DataArray",
            {**DATA, "name": "x", "coords": {"names": NETWORK, "variables": {}, "indexes": []}},
        ),
    ],
)
def test_contents_of_other_types_are_refused(name: str, content: Any) -> None:
    package = name.partition(".")[0]
    pytest.importorskip(PACKAGES.get(package, package))
    with pytest.raises(holdall.DecodeError):
        holdall.loads(holdall.dumps(Extension(name, content)))


def test_a_pattern_that_is_accepted_takes_seconds_at_most() -> None:
    # As many of the slowest ranges and sets as are accepted. An optimised build of CPython takes 1.3 s.
    for value in (
        holdall.Logical(0x15, b"", (r"[\x00-\uffff]" * 100, "i")),
        Extension("py.pattern", (r"[\x00-\uffff]" * 100, int(re.I))),
        Extension("py.pattern", ("[\x00-\U0010ffff]" * 99, int(re.I))),
        Extension("py.pattern", ("[\u0400\u0900\u2000]" * 13_107, int(re.I))),
    ):
        data = holdall.dumps(value)
        re.purge()
        start = time.process_time()
        assert holdall.loads(data).flags & re.I
        assert time.process_time() - start < 6


def test_patterns_that_take_long_to_compile_are_refused() -> None:
    wide = "".join(f"{re.escape(chr(0x100 + at))}-\uffff" for at in range(1500))
    for pattern in (
        "[\x00-\U0010ffff]" * 1_000,
        r"[\x00-\uffff]" * 1_000,
        f"[{wide}]",
        # The common beginning of two branches.
        "a" * 400_000 + "|" + "a" * 400_000,
        "|" * 5_000_000,
    ):
        # As its own type, and as the extension for flags that the type does not have.
        for value in (
            holdall.Logical(0x15, b"", (pattern, "i")),
            Extension("py.pattern", (pattern, 2)),
        ):
            data = holdall.dumps(value)
            start = time.perf_counter()
            with pytest.raises(holdall.LimitError) as caught:
                holdall.loads(data)
            assert caught.value.code == "limit_budget"
            assert time.perf_counter() - start < 2
    pattern = r"[\x00-\uffff]" * 50
    assert holdall.loads(holdall.dumps(re.compile(pattern))).pattern == pattern


def test_the_budget_pays_for_the_time_that_patterns_take() -> None:
    patterns = [f"{at}" + "[c-\uffff]" * 20 for at in range(4)]
    # Each of the ranges takes 8,192 units, and a character 10.
    units = 4 * 20 * 8192
    for values in (
        [holdall.Logical(0x15, b"", (text, "i")) for text in patterns],
        [Extension("py.pattern", (text, int(re.I))) for text in patterns],
    ):
        data = holdall.dumps(values)
        make_pattern.cache_clear()
        start = time.process_time()
        with pytest.raises(holdall.LimitError) as caught:
            holdall.loads(data, limits=holdall.Limits(budget=units))
        assert caught.value.code == "limit_budget"
        assert time.process_time() - start < units / 1e5
        make_pattern.cache_clear()
        found = holdall.loads(data, limits=holdall.Limits(budget=units + 20_000))
        assert [pattern.pattern for pattern in found] == patterns
    # Those that are kept take no time.
    data = holdall.dumps(found)
    holdall.loads(data)
    assert holdall.loads(data, limits=holdall.Limits(budget=20_000)) == found


def test_the_longest_patterns_are_read_and_longer_ones_not_written() -> None:
    for pattern in ("a" * 65_536, b"a" * 65_536):
        assert holdall.loads(holdall.dumps(re.compile(pattern))).pattern == pattern
        with pytest.raises(holdall.EncodeError, match="at most 65536 characters") as caught:
            holdall.dumps({"at": re.compile(pattern + pattern[:1])})
        assert (caught.value.code, caught.value.path) == ("unsupported_value", "$.at")


def test_patterns_that_exist_have_a_bounded_number_of_characters() -> None:
    texts = [f"{at}{'a' * 65_000}" for at in range(70)]
    for values in (
        [holdall.Logical(0x15, b"", (text, "")) for text in texts],
        [Extension("py.pattern", (text, 0)) for text in texts],
    ):
        for _ in range(2):
            with pytest.raises(holdall.LimitError, match="together"):
                holdall.loads(holdall.dumps(values))
        # They are gone.
        some = holdall.loads(holdall.dumps(values[:40]))
        assert [pattern.pattern for pattern in some] == texts[:40]
        del some


def test_seeds_of_numpy_are_numbers_that_the_data_hold() -> None:
    row = [1] * 10_000
    shared = [row] * 10_000
    forged: list[Any] = [
        range(10**12),
        [range(10**12)],
        range(1 << 10_000, (1 << 10_000) + 10_000),
        shared,
        [shared] * 10_000,
        np.empty((10**12, 0), dtype=np.int64),
        np.array([1.5]),
        1 << (1 << 20),
        [[[[[1]]]]],
        {1: 2},
        1.5,
    ]
    for seeds in forged:
        for parts in [(seeds, (), 4, 0), (1, (seeds,), 4, 0)]:
            with pytest.raises(holdall.DecodeError, match="seed"):
                holdall.loads(holdall.dumps(Extension("numpy.seed_sequence", parts)))


def test_seeds_of_numpy_come_back() -> None:
    for seeds in (1, 1 << 100, [1, 2], (3, [4, 5]), range(2000), np.arange(10), [12345, "67890"]):
        before = np.random.SeedSequence(seeds, spawn_key=(1, 2))
        after = holdall.loads(holdall.dumps(before))
        assert list(after.generate_state(4)) == list(before.generate_state(4))
