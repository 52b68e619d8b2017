"""Data frames inside objects: what each package's come back as. `make test-tables` installs the packages."""

from __future__ import annotations

import datetime
import decimal
import io
import subprocess
import sys
import zoneinfo
from pathlib import Path
from typing import Any

import duckdb
import holdall
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
DAY = datetime.datetime(2026, 3, 1, 12)


def back(value: Any) -> Any:
    return holdall.loads(holdall.dumps({"value": value}))["value"]


# ---- pandas ----

#: One array for each type of pandas: the values, and how to make them.
ARRAYS: dict[str, Any] = {
    "bool": np.array([True, False, True]),
    "int8": np.array([1, -128, 127], dtype="i1"),
    "int64": np.array([1, -(2**63), 2**63 - 1]),
    "uint64": np.array([0, 2**64 - 1, 1], dtype="u8"),
    "float16": np.array([1.5, np.nan, -0.0], dtype="f2"),
    "float32": np.array([1.5, np.nan, -np.inf], dtype="f4"),
    "float64": np.array([1.5, np.nan, -0.0]),
    "complex": np.array([1 + 2j, np.nan, 0]),
    "big endian": np.array([1, 2, 3], dtype=">i4"),
    "datetime64[ns]": pd.array(["2026-01-01", None, "1700-01-01"], dtype="datetime64[ns]"),
    "datetime64[s]": pd.array(["2026-01-01", None, "0001-01-01"], dtype="datetime64[s]"),
    "datetime64[us, zone]": pd.array(
        ["2026-03-29T02:30", None, "2026-10-25T02:30"], dtype="datetime64[us, UTC]"
    ),
    "datetime64[ns, Berlin]": pd.DatetimeIndex(["2026-07-01", None, "2026-01-01"])
    .tz_localize(BERLIN)
    .array,
    "datetime64[ns, +02:00]": pd.DatetimeIndex(["2026-07-01", None, "2026-01-01"])
    .tz_localize(datetime.timezone(datetime.timedelta(hours=2)))
    .array,
    "timedelta64[ns]": pd.array([1, None, -5], dtype="timedelta64[ns]"),
    "timedelta64[ms]": pd.array([1, None, -5], dtype="timedelta64[ms]"),
    "Int64": pd.array([1, None, 2**63 - 1], dtype="Int64"),
    "UInt8": pd.array([1, None, 255], dtype="UInt8"),
    "Float64": pd.array([1.5, None, -0.0], dtype="Float64"),
    "boolean": pd.array([True, None, False], dtype="boolean"),
    "str": pd.array(["a", None, "Zoë"], dtype="str"),
    "string[python]": pd.array(["a", None, "Zoë"], dtype=pd.StringDtype("python")),
    "string[pyarrow]": pd.array(["a", None, "Zoë"], dtype=pd.StringDtype("pyarrow")),
    "str, python": pd.array(["a", None, "Zoë"], dtype=pd.StringDtype("python", na_value=np.nan)),
    "category": pd.Categorical(["a", None, "b"], categories=["b", "a", "unused"]),
    "category, ordered": pd.Categorical([3, 1, 3], ordered=True),
    "category of times": pd.Categorical(pd.DatetimeIndex(["2026-01-01", None, "2026-01-01"])),
    "period[M]": pd.PeriodIndex(["2026-01", None, "2027-12"], freq="M").array,
    "interval[int64]": pd.arrays.IntervalArray.from_breaks([0, 1, 2, 5], closed="left"),
    "interval[datetime64]": pd.arrays.IntervalArray.from_breaks(pd.date_range("2026", periods=4)),
    "Sparse[float64]": pd.arrays.SparseArray([0.0, 1.5, 0.0], fill_value=0.0),
    "Sparse[int64]": pd.arrays.SparseArray([7, 7, 1], fill_value=7),
    "int32[pyarrow]": pd.array([1, None, 3], dtype=pd.ArrowDtype(pa.int32())),
    "decimal[pyarrow]": pd.array(
        [decimal.Decimal("1.50"), None, 3], dtype=pd.ArrowDtype(pa.decimal128(9, 2))
    ),
    "list[pyarrow]": pd.array([[1], None, [2, 3]], dtype=pd.ArrowDtype(pa.list_(pa.int8()))),
    "object of values": np.array([1, "a", [1, {"x": None}]], dtype=object),
    "object of nothing": np.array([None, np.nan, pd.NA], dtype=object),
    "object of times": np.array(
        [pd.NaT, pd.Timestamp("2026", tz=BERLIN), pd.Timedelta(1)], dtype=object
    ),
}


def same(one: Any, other: Any) -> bool:
    """Whether two values have equal types and contents, also where nothing equals itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float | complex) and one != one:
        return bool(other != other)
    return one is other or bool(one == other)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_series_of_each_type_comes_back(name: str) -> None:
    series = pd.Series(ARRAYS[name], index=["x", "y", "z"], name=("a", 1), copy=False)
    series.attrs["unit"] = {"of": "measure"}
    restored = back(series)
    assert restored.dtype == series.dtype
    pd.testing.assert_series_equal(restored, series)
    assert restored.attrs == series.attrs
    if series.dtype == object:
        assert same(restored.tolist(), series.tolist())
    pd.testing.assert_series_equal(back(series[:0]), series[:0])


@pytest.mark.parametrize(
    "name",
    sorted({*ARRAYS} - {"float16", "object of values", "object of nothing", "object of times"}),
)
def test_an_index_of_each_type_comes_back(name: str) -> None:
    index = pd.Index(ARRAYS[name], name="n")
    restored = back(index)
    assert (type(restored), restored.name, restored.dtype) == (type(index), index.name, index.dtype)
    pd.testing.assert_index_equal(restored, index, exact=True)


def test_a_frame_of_all_types_comes_back() -> None:
    frame = pd.DataFrame({name: pd.Series(array, copy=False) for name, array in ARRAYS.items()})
    frame.attrs["about"] = ["a", 1]
    restored = back(frame)
    pd.testing.assert_frame_equal(restored, frame)
    assert restored.attrs == frame.attrs
    restored["int64"] += 1
    assert frame["int64"][0] == 1


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(5, 8, name="r"),
        pd.Index([3, 1, 2]),
        pd.Index([1, "a", None], name=0),
        pd.date_range("2026-01-01", periods=3, freq="D", tz="Europe/Berlin", name="at"),
        pd.date_range("2026-01-01", periods=3, freq="MS"),
        pd.timedelta_range("1 day", periods=3),
        pd.period_range("2026-01", periods=3, freq="Q"),
        pd.IntervalIndex.from_breaks([0, 1, 2, 3]),
        pd.CategoricalIndex(["a", "b", "a"]),
        pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["letter", None]),
        pd.MultiIndex.from_arrays([pd.date_range("2026", periods=3), [None, "x", "y"]]),
    ],
    ids=lambda index: f"{type(index).__name__}, {index.names}",
)
def test_each_index_comes_back_as_rows_and_as_columns(index: pd.Index) -> None:
    rows = pd.DataFrame({"n": [1.5, 2.5, 3.5]}, index=index)
    restored = back(rows)
    pd.testing.assert_frame_equal(restored, rows)
    pd.testing.assert_index_equal(restored.index, index, exact=True)
    assert getattr(restored.index, "freq", None) == getattr(index, "freq", None)
    columns = pd.DataFrame([[1, 2.5, "x"], [2, 3.5, "y"]], columns=index)
    pd.testing.assert_frame_equal(back(columns), columns)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(),
        pd.DataFrame(index=["a", "b"]),
        pd.DataFrame(columns=["a", "b"]),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame(np.arange(1500).reshape(2, 750)),
    ],
    ids=["empty", "no columns", "no rows", "equal names", "wide"],
)
def test_frames_of_other_shapes_come_back(frame: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(back(frame), frame)


@pytest.mark.parametrize(
    "value",
    [
        pd.Timestamp("2026-01-01T00:00:00.123456789"),
        pd.Timestamp("2026-03-29T03:30", tz=BERLIN),
        # By its name, pandas 2 takes the zone of pytz.
        pd.Timestamp("2026-03-29T03:30", tz="Europe/Berlin"),
        pd.Timestamp("2026-03-29T03:30+0130"),
        pd.Timestamp("0001-01-01").as_unit("s"),
        pd.Timedelta("1 day 5 ns"),
        pd.Timedelta(days=100_000).as_unit("s"),
        pd.Period("2026-01", freq="M"),
        pd.Interval(1, 2.5, closed="both"),
        pd.NaT,
        pd.NA,
    ],
    ids=repr,
)
def test_single_values_of_pandas_come_back(value: Any) -> None:
    restored = back(value)
    assert type(restored) is type(value)
    assert restored is value or restored == value
    assert getattr(restored, "unit", None) == getattr(value, "unit", None)
    assert getattr(restored, "tz", None) == getattr(value, "tz", None)


# ---- polars ----

POLARS: dict[str, pl.Series] = {
    "Boolean": pl.Series([True, None]),
    "Int8": pl.Series([1, None], dtype=pl.Int8),
    "UInt64": pl.Series([2**64 - 1, None], dtype=pl.UInt64),
    "Float32": pl.Series([1.5, float("nan")], dtype=pl.Float32),
    "String": pl.Series(["a", None]),
    "Binary": pl.Series([b"\xff", None]),
    "Date": pl.Series([DAY.date(), None]),
    "Time": pl.Series([DAY.time(), None]),
    "Datetime[ms]": pl.Series([DAY, None], dtype=pl.Datetime("ms")),
    "Datetime[ns, Berlin]": pl.Series([DAY, None])
    .dt.replace_time_zone("Europe/Berlin")
    .cast(pl.Datetime("ns", "Europe/Berlin")),
    "Duration": pl.Series([datetime.timedelta(1), None]),
    "Decimal": pl.Series([decimal.Decimal("1.50"), None], dtype=pl.Decimal(10, 2)),
    "Categorical": pl.Series(["b", None, "a"], dtype=pl.Categorical),
    "Enum": pl.Series(["b", None], dtype=pl.Enum(["unused", "a", "b"])),
    "List": pl.Series([[1, None], None], dtype=pl.List(pl.Int16)),
    "Array": pl.Series([[1, 2], None], dtype=pl.Array(pl.Int16, 2)),
    "Struct": pl.Series([{"x": 1, "y": ["a"]}, {"x": None, "y": []}]),
}


@pytest.mark.parametrize("name", POLARS)
def test_a_series_of_each_type_of_polars_comes_back(name: str) -> None:
    series = POLARS[name].alias("n")
    restored = back(series)
    assert (restored.dtype, restored.name) == (series.dtype, "n")
    assert restored.to_list() == series.to_list() or name == "Float32"
    frame = pl.DataFrame({"n": series, "m": series})
    restored = back(frame)
    assert restored.schema == frame.schema
    assert restored.equals(frame) or name == "Float32"
    assert back(frame.clear()).schema == frame.schema


def without_arrow() -> dict[str, pl.Series]:
    """Series of the types for which polars has no Arrow data."""
    made = {
        "Object": pl.Series("o", [{"a": {1}}, None, DAY], dtype=pl.Object),
        "Null": pl.Series("z", [None] * 3),
        "Int128": pl.Series("i", [-(2**127), None, 2**127 - 1], dtype=pl.Int128),
    }
    if hasattr(pl, "UInt128"):
        made["UInt128"] = pl.Series("u", [2**128 - 1, 0, None], dtype=pl.UInt128)
    return made


def test_columns_of_polars_without_arrow_data_come_back_with_their_values() -> None:
    others = without_arrow()
    for series in others.values():
        restored = back(series)
        assert (restored.dtype, restored.name) == (series.dtype, series.name)
        assert restored.to_list() == series.to_list()
        empty = back(series.clear())
        assert (empty.dtype, len(empty)) == (series.dtype, 0)
    columns = [others["Null"], pl.Series("a", [1, 2, 3]), others["Object"], pl.Series("b", "xyz")]
    for some in (columns, columns[::-1], list(others.values())):
        frame = pl.DataFrame(some)
        restored = back(frame)
        assert restored.schema == frame.schema
        assert restored.rows() == frame.rows()
    shared = [1]
    both, own = back([pl.Series([shared], dtype=pl.Object), shared])
    assert both[0] is own


@pytest.mark.parametrize("name", ["Object", "Null", "Int128"])
def test_types_of_polars_without_arrow_data_are_refused_where_a_table_needs_it(name: str) -> None:
    series = without_arrow()[name]
    frame = pl.DataFrame({"n": [1, 2, 3], "bad": series})
    with holdall.Writer(io.BytesIO()) as writer:
        for make in (holdall.Table, writer.write_table):
            with pytest.raises(holdall.EncodeError, match=f"'bad' .* data of {name}") as failed:
                make(frame)
            assert failed.value.code == "unsupported_value"
    if name != "Object":
        for nested in (series.implode(), frame.to_struct("s")):
            with pytest.raises(holdall.EncodeError, match=f"no Arrow data of {name}") as failed:
                holdall.dumps({"s": [nested]})
            assert failed.value.path == "$.s[0]"


# ---- pyarrow and others ----

TABLE = pa.table(
    {
        "id": pa.chunked_array([[1, 2], [3]], type=pa.int16()),
        "word": pa.array(["a", None, "b"]).dictionary_encode(),
        "at": pa.array([DAY, None, DAY], type=pa.timestamp("us", tz="Europe/Berlin")),
    }
).replace_schema_metadata({"about": "a test"})


def test_each_object_of_pyarrow_comes_back() -> None:
    restored = back(TABLE)
    assert restored.equals(TABLE, check_metadata=True)
    batch = TABLE.combine_chunks().to_batches()[0]
    restored = back(batch)
    assert type(restored) is pa.RecordBatch
    assert restored.equals(batch)
    restored = back(TABLE["word"])
    assert type(restored) is pa.ChunkedArray
    assert restored.equals(TABLE["word"])
    structs = pa.array([{"x": 1}, None])
    assert back(structs).equals(structs)
    assert back(pa.array([1, None], type=pa.int8())).equals(pa.array([1, None], type=pa.int8()))


def test_a_relation_of_duckdb_is_a_table() -> None:
    found = back(duckdb.sql("select range as n, 'a' || range as word from range(3)"))
    assert type(found) is holdall.Table
    assert found.tolist() == [{"n": n, "word": f"a{n}"} for n in range(3)]


def test_one_frame_twice_stays_one() -> None:
    for frame in (pd.DataFrame({"n": [1]}), pl.DataFrame({"n": [1]}), TABLE, holdall.Table(TABLE)):
        one, other = holdall.loads(holdall.dumps([frame, frame]))
        assert one is other
        one, other = holdall.loads(holdall.dumps({"a": {"x": frame}, "b": frame}))["a"]["x"], None
        assert len(one) == len(frame)


def test_a_value_in_an_object_column_keeps_its_identity() -> None:
    shared = {"name": "Ada"}
    frame = pd.DataFrame({"user": [shared, shared, None]})
    restored = holdall.loads(holdall.dumps({"ada": shared, "frame": frame}))
    assert restored["frame"]["user"][0] is restored["ada"]
    assert restored["frame"]["user"][1] is restored["ada"]


def test_columns_of_a_frame_are_columns_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "frame.hold"
    frame = pl.DataFrame({"n": range(10_000), "half": [n / 2 for n in range(10_000)]})
    holdall.dump({"frame": frame, "about": "numbers"}, path)
    assert path.stat().st_size < 25_000
    rows = holdall.open(path)["frame"]["rows"]
    assert list(rows["half"].array()[:3]) == [0.0, 0.5, 1.0]
    assert pl.DataFrame(holdall.scan(rows, columns=["n"])).equals(frame.select("n"))


def test_frames_are_tables_where_their_package_is_not_imported(tmp_path: Path) -> None:
    path = tmp_path / "frames.hold"
    frame = pd.DataFrame({"n": [1, 2], "word": ["a", "b"]})
    holdall.dump([frame, pl.DataFrame(frame), TABLE, pl.Series([1.5])], path)
    program = f"""
import sys, holdall
frame, other, table, series = holdall.load({str(path)!r})
print(type(frame).__name__, type(other).__name__, type(table).__name__, series)
print(other)
assert not {{"pandas", "polars", "pyarrow"}} & set(sys.modules)
again = holdall.loads(holdall.dumps(other))
assert again.tolist() == other.tolist() == [{{"n": 1, "word": "a"}}, {{"n": 2, "word": "b"}}]
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "Table Table Table <holdall.Array Float64, 1 rows: 1.5>"
    assert lines[1:] == [
        "<holdall.Table of 2 rows>",
        "n      word",
        "Int64  Utf8View",
        "1      'a'",
        "2      'b'",
    ]


def test_a_column_that_pandas_refuses_is_an_error_of_data() -> None:
    content = {
        "index": pd.RangeIndex(1),
        "columns": pd.Index(["a"]),
        "types": ["i8"],
        "table": None,
    }
    data = holdall.dumps(holdall.Extension("pandas.DataFrame", content))
    with pytest.raises(holdall.DecodeError):
        holdall.loads(data)
