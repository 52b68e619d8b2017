"""Views: columns and rows equal those of the entire object, also when files are deleted, replaced or truncated."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import errno
import fractions
import gc
import ipaddress
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import holdall
import pytest

np = pytest.importorskip("numpy")

USERS: list[dict[str, Any]] = [
    {
        "id": n,
        "score": n / 4,
        "name": f"user {n}",
        "tags": [f"tag {tag}" for tag in range(n % 4)],
        "address": {"city": None if n % 3 == 0 else f"city {n % 7}", "ok": n % 2 == 0},
        "raw": b"x" * (n % 5),
        "maybe": None if n % 5 == 0 else n / 2,
    }
    for n in range(1000)
]


@pytest.fixture(params=["memory", "file"], name="opened")
def _opened(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    def view(obj: object, **options: Any) -> holdall.View:
        if request.param == "memory":
            return holdall.view(holdall.dumps(obj, **options))
        path = tmp_path / "data.hold"
        holdall.dump(obj, path, **options)
        return holdall.open(path)

    return view


@pytest.mark.parametrize("profile", ["fast", "balanced", "small"])
def test_columns_and_rows_are_those_of_the_object(opened: Any, profile: str) -> None:
    view = opened({"users": USERS, "last": 7}, profile=profile)
    users = view["users"]
    assert users["id"].array().dtype == np.int64
    for name in ("id", "score", "name", "raw", "maybe"):
        assert users[name].tolist() == [user[name] for user in USERS]
    for name in ("city", "ok"):
        assert users["address"][name].tolist() == [user["address"][name] for user in USERS]
    assert len(users) == 1000
    assert list(users)[:3] == USERS[:3]
    assert users[333] == USERS[333]
    assert users[-1] == USERS[-1]
    assert users[10:20] == USERS[10:20]
    assert users[::-400] == USERS[::-400]
    for far in (2**31, 2**63, 2**64, 2**70):
        assert users[::far] == USERS[::far]
        assert users[5::-far] == USERS[5::-far]
    assert view.value() == {"users": USERS, "last": 7}
    with pytest.raises(IndexError):
        users[1000]
    with pytest.raises(holdall.SchemaError, match="expected one of id, score"):
        users["unknown"]


def test_option_columns_are_values_and_a_mask(opened: Any) -> None:
    column = opened(USERS)["maybe"].column()
    assert column.values.shape == column.mask.shape == (1000,)
    masked = np.ma.array(column.values, mask=column.mask)
    assert masked.sum() == sum(user["maybe"] or 0 for user in USERS)
    assert opened(USERS)["id"].column().mask is None


def test_list_columns_are_offsets_and_items(opened: Any) -> None:
    tags = opened(USERS)["tags"]
    bounds, items = tags.array(), tags.items.array()
    assert [items[start:stop] for start, stop in itertools.pairwise(bounds)] == [
        user["tags"] for user in USERS
    ]
    some = opened([{"a": [1, 2]}, {"a": None}, {"a": [3]}])["a"]
    assert some.array().tolist() == [0, 2, 2, 3]
    assert some.tolist() == [[1, 2], None, [3]]


def test_strings_are_made_on_demand(opened: Any) -> None:
    city = opened(USERS)["address"]["city"].array()
    assert isinstance(city, holdall.Text)
    assert len(city) == 1000
    assert (city[0], city[1], city[-1]) == (None, "city 1", USERS[-1]["address"]["city"])
    assert city[1:4] == ["city 1", "city 2", None]


def test_maps_tuples_and_times(opened: Any) -> None:
    view = opened([({i: str(i)}, dt.datetime(2020, 1, 1 + i)) for i in range(9)])
    entries = view.items.member(0)
    assert entries.keys.tolist() == list(range(9))
    assert entries.values.tolist() == [str(i) for i in range(9)]
    times = view.items.member(1).array()
    assert times.dtype.kind == "M"
    assert times.tolist() == [dt.datetime(2020, 1, 1 + i) for i in range(9)]


def test_integers_of_any_size(opened: Any) -> None:
    assert opened([1, -(2**70), 2**63, -1]).items.tolist() == [1, -(2**70), 2**63, -1]


def test_columns_have_a_path_and_a_type(opened: Any) -> None:
    columns = opened({"a": [{"b c": 1.5}], "d": "x"}).columns()
    assert columns == {'$.a[]["b c"]': "f64", "$.d": "string"}


def test_streams_have_the_values_of_their_vectors(tmp_path: Path) -> None:
    file = Path(__file__).resolve().parents[2] / "conformance" / "streams" / "streams.json"
    path, read = tmp_path / "data.hold", 0
    for vector in json.loads(file.read_text())["vectors"]:
        if "code" in vector:
            continue
        data = bytes.fromhex(vector["hex"])
        path.write_bytes(data)
        for view in (holdall.view(data), holdall.open(path)):
            assert len(view) == len(vector["values"]), vector["name"]
            for row, (kind, *text) in zip(view, vector["values"], strict=True):
                read += 1
                if kind in ("u8", "int"):
                    assert row == int(text[0]), vector["name"]
            assert view.metadata == dict(vector.get("metadata", [])), vector["name"]
    assert read > 10, read


def test_rows_of_classes_are_objects_as_in_loads() -> None:
    class Point:
        def __init__(self, x: int) -> None:
            self.x = x

    data = holdall.dumps([Point(1), Point(2)])
    row = holdall.view(data, types=[Point])[1]
    assert type(row) is Point
    assert row.x == 2
    assert isinstance(holdall.view(data)[0], holdall.Record)


def test_arrays_of_a_file_are_views_of_its_map(tmp_path: Path) -> None:
    path = tmp_path / "arrays.hold"
    floats = np.arange(100_000) / 3
    grid = np.arange(60_000, dtype=np.float32).reshape(200, 300)
    holdall.dump({"list": floats.tolist(), "array": floats, "grid": grid.T, "few": [0.5]}, path)
    view = holdall.open(path)
    listed = view["list"].items.array()
    [array] = view["array"].array()
    [turned] = view["grid"].array()
    assert (listed == floats).all()
    assert (array == floats).all()
    assert (turned == grid.T).all()
    for each in (listed, array, turned):
        assert not each.flags.writeable
        assert _owner(each).mapped
    assert not _owner(view["few"].items.array()).mapped
    del view
    gc.collect()
    path.unlink()
    assert listed[-1] == floats[-1], "the map is alive as long as an array of it"


def _owner(array: Any) -> Any:
    while isinstance(array, np.ndarray):
        array = array.base
    return array.obj if isinstance(array, memoryview) else array


def test_opening_a_large_array_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.hold"
    small = holdall.dumps(np.zeros(1000))
    assert small.endswith(b"\0" * 8000)
    # The same message with 2^34 elements, whose bytes are a hole in the file.
    count = 1 << 34
    varint = (count << 5 | 15).to_bytes(5, "little")  # F-3, k = 4
    head = small[: len(small) - 8000].rstrip(b"\0")
    at = head.rindex(bytes([1000 << 2 & 255 | 1, 1000 >> 6]))
    body = head[:at] + varint + b"\0\x48"  # in row-major order, raw (F-76, F-94)
    with path.open("wb") as file:
        file.write(body + b"\0" * (-len(body) % 64))
        file.truncate(len(body) + -len(body) % 64 + 8 * count)
    [array] = holdall.open(path).array()
    assert array.shape == (count,)
    assert array[-1] == 0.0
    assert array[12345] == 0.0


def test_a_removed_or_replaced_file_stays_readable(tmp_path: Path) -> None:
    path = tmp_path / "data.hold"
    holdall.dump([n / 2 for n in range(50_000)], path)
    view = holdall.open(path)
    holdall.dump([0.25] * 50_000, path)
    array = view.items.array()
    assert array[3] == 1.5
    assert holdall.open(path).items.array()[3] == 0.25
    path.unlink()
    assert view.items.array()[-1] == 24_999.5
    assert view[7] == 3.5
    assert array[5] == 2.5


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "data.hold"
    with pytest.raises(FileNotFoundError) as failed:
        holdall.open(path)
    assert (failed.value.filename, failed.value.errno) == (str(path), errno.ENOENT)


def test_reading_past_the_end_of_a_truncated_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "data.hold"
    holdall.dump([n / 2 for n in range(50_000)], path, profile="fast")
    view = holdall.open(path)
    os.truncate(path, 4096)
    for ask in (lambda: view[40_000], lambda: view.items.array(), lambda: view.value()):
        with pytest.raises(holdall.Error) as caught:
            ask()
        assert caught.value.code == "io"


TRUNCATED = """
import os, sys, threading
import holdall, numpy as np
path, where = sys.argv[1:]
holdall.dump({"a": np.arange(1 << 20) + 0.5, "b": np.ones(1 << 20)}, path)
view = holdall.open(path)
[a], [b] = view["a"].array(), view["b"].array()
assert a[-1] == (1 << 20) - 0.5
os.truncate(path, 1 << 20)
assert a[3] == 3.5
caught = None
try:
    if where == "thread":
        thread = threading.Thread(target=lambda: b.sum())
        thread.start()
        thread.join()
        for _ in range(1000):
            pass
    else:
        total = b.sum()
        for _ in range(1000):
            pass
except holdall.Error as error:
    caught = error
assert caught is not None and caught.code == "io", caught
assert "a shorter one" in str(caught)
assert b[-1] == 0 and a[-1] == 0 and a[3] == 3.5
print("alive")
"""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a mapped file cannot be truncated")
@pytest.mark.parametrize("where", ["main", "thread"])
def test_an_array_of_a_truncated_file_raises_and_the_process_lives(
    tmp_path: Path, where: str
) -> None:
    script = [sys.executable, "-c", TRUNCATED, str(tmp_path / "data.hold"), where]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


OTHER = """
import faulthandler, mmap, os, sys
import holdall, numpy as np
if sys.argv[2] == "handled":
    faulthandler.enable()
path = sys.argv[1]
holdall.dump(np.ones(1 << 17), path)
[own] = holdall.open(path).array()
with open(path, "r+b") as file:
    other = mmap.mmap(file.fileno(), 0)
os.truncate(path, 0)
other[500_000]
print("alive")
"""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a mapped file cannot be truncated")
@pytest.mark.parametrize("before", ["plain", "handled"])
def test_a_fault_in_another_map_still_kills_the_process(tmp_path: Path, before: str) -> None:
    script = [sys.executable, "-c", OTHER, str(tmp_path / "data.hold"), before]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGBUS, "")
    assert ("Fatal Python error: Bus error" in done.stderr) == (before == "handled")


UNMAPPED = """
import ctypes, signal, sys
import holdall, numpy as np
path = sys.argv[1]
holdall.dump(np.arange(1 << 17) + 0.5, path)
# Asks libc for the signal's handler, because Python does not know it.
act = (ctypes.c_char * 256)()
[array] = holdall.open(path).array()
assert array[7] == 7.5
while isinstance(array, np.ndarray):
    array = array.base
assert not (array.obj if isinstance(array, memoryview) else array).mapped
ctypes.CDLL(None).sigaction(signal.SIGBUS, None, act)
print(int.from_bytes(act[:8], sys.byteorder))
"""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere there is no handler")
def test_without_maps_files_are_read_and_no_handler_is_installed(tmp_path: Path) -> None:
    script = [sys.executable, "-c", UNMAPPED, str(tmp_path / "data.hold")]
    environment = os.environ | {"HOLDALL_NO_MAPS": "1"}
    done = subprocess.run(script, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr  # SIG_DFL


def test_several_threads_can_read_a_view() -> None:
    view = holdall.view(holdall.dumps(USERS))
    faults: list[BaseException] = []

    def read(start: int) -> None:
        try:
            for n in range(start, 1000, 37):
                assert view[n] == USERS[n]
                assert view["score"].array()[n] == n / 4
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=read, args=(start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


WITHOUT = """
import sys
sys.modules["numpy"] = None
import holdall
view = holdall.view(holdall.dumps([{"x": n / 2, "y": None if n % 2 else n, "z": [n]} for n in range(9)]))
x = view["x"].array()
assert isinstance(x, memoryview) and x.tolist() == [n / 2 for n in range(9)]
assert view["y"].array() == [0 if n % 2 else n for n in range(9)]
assert view["y"].column().mask == [n % 2 == 1 for n in range(9)]
assert list(view["z"].array()) == list(range(10)) and view["z"].items.tolist() == list(range(9))
"""


def test_without_numpy_there_are_memoryviews_and_lists() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT], check=True)


def test_damaged_bytes_are_errors() -> None:
    data = holdall.dumps(USERS[:40])
    for at in range(len(data)):
        for byte in (data[at] ^ 1, data[at] ^ 0x80, 0xFF):
            damaged = data[:at] + bytes([byte]) + data[at + 1 :]
            try:
                view = holdall.view(damaged)
                for name in view.names():
                    view[name].tolist()
                view[3]
            except (holdall.Error, TypeError, IndexError):
                pass


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such file")
@pytest.mark.parametrize("opened", [holdall.open, holdall.scan])
def test_parts_are_read_only_of_regular_files(opened: Callable[[str], object]) -> None:
    with pytest.raises(OSError, match="this is no regular file, so no parts of it can be read"):
        opened("/dev/null")


#: A value of each type that a column can hold, twice in two records.
MEANT = {
    "utc": dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
    "naive": dt.datetime(2020, 1, 1, 5),
    "offset": dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2))),
    "date": dt.date(2020, 2, 3),
    "time": dt.time(1),
    "duration": dt.timedelta(seconds=5),
    "uuid": uuid.UUID(int=5),
    "address": ipaddress.ip_address("1.2.3.4"),
    "network": ipaddress.ip_network("10.0.0.0/8"),
    "path": pathlib.PurePosixPath("/a"),
    "set": {1, 2},
    "list": [1, 2],
    "nested": [["a"], []],
    "map": {1: 2, 3: 4},
    "surrogate": "\ud800",
    "complex": 1 + 2j,
    "decimal": decimal.Decimal("1.50"),
    "fraction": fractions.Fraction(1, 3),
    "tuple": (1, "a"),
    "bytes": b"x",
    "big": 1 << 70,
    "range": range(5),
}


@pytest.mark.parametrize("name", MEANT)
def test_lists_of_values_are_what_loads_gives(name: str) -> None:
    records = [{"v": MEANT[name]}, {"v": None}, {"v": MEANT[name]}]
    for rows in (records, records[::2]):
        data = holdall.dumps(rows, references=False)
        loaded = [row["v"] for row in holdall.loads(data)]
        found = holdall.view(data)["v"].tolist()
        assert found == loaded
        assert [type(each) for each in found] == [type(each) for each in loaded]
        assert holdall.view(data).tolist() == rows


@pytest.mark.parametrize(
    "values",
    [[1, "a", 2], [1.5, 2, None, 3], [True, 1], [[1], "a"], [None, b"x", "x"], [{"a": 1}, 5][1:]],
)
def test_values_of_unlike_types_are_values_and_not_numbers_of_types(values: list[Any]) -> None:
    data = holdall.dumps([{"v": value} for value in values])
    found = holdall.view(data)["v"].tolist()
    assert found == values
    assert [type(each) for each in found] == [type(each) for each in values]


def test_integers_and_floats_are_floats_if_that_loses_nothing() -> None:
    view = holdall.view(holdall.dumps([{"v": 1.5}, {"v": 2}, {"v": None}]))
    array = view["v"].array()
    assert (array.dtype, array.tolist()) == (np.float64, [1.5, 2.0, 0.0])
    assert view["v"].column().mask.tolist() == [False, False, True]
    assert view.columns() == {"$[].v": "f64 | int"}
    large = holdall.view(holdall.dumps([{"v": 1.5}, {"v": 2**53 + 1}]))
    assert large["v"].array() == [1.5, 2**53 + 1]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def test_variants_are_variants_and_members_of_enums_members() -> None:
    view = holdall.view(holdall.dumps([holdall.Variant("X", 1), holdall.Variant("Y", "a")]))
    assert view.items.tolist() == [holdall.Variant("X", 1), holdall.Variant("Y", "a")]
    data = holdall.dumps([{"v": Colour.RED}, {"v": None}, {"v": Colour.BLUE}])
    named = holdall.Extension(f"{__name__}.Colour", holdall.Variant("RED", None))
    assert holdall.view(data)["v"].tolist() == [row["v"] for row in holdall.loads(data)]
    assert holdall.view(data)["v"].tolist()[0] == named
    assert holdall.view(data, types=[Colour])["v"].tolist() == [Colour.RED, None, Colour.BLUE]
