"""Values of libraries that `requirements-python.txt` does not have, each of another form: what the extensions of a library hold."""

from __future__ import annotations

import datetime
import decimal
from importlib import import_module
from typing import Any

import numpy as np


def values(package: str) -> list[Any]:
    """The values of an installed package, which this imports."""
    return OF[package](import_module(package))  # type: ignore[no-any-return]


def of_pandas(pd: Any) -> list[Any]:
    times = pd.date_range("2020", periods=3, freq="D", tz="Europe/Berlin")
    arrays = [
        pd.Categorical(["a", "b", None]),
        times.array,
        pd.period_range("2020", periods=3, freq="M").array,
        pd.arrays.IntervalArray.from_breaks([0, 1, 2, 4]),
        pd.arrays.SparseArray([0, 0, 5]),
        pd.array(["a", None, "b"], dtype=pd.StringDtype("python")),
        pd.array([1, None, 3], dtype="Int32"),
        pd.array([True, None, False]),
        pd.array([1j, 2, 3]),
    ]
    frame = pd.DataFrame({"n": [1, 2, 3], "o": [{"a": 1}, None, "x"], **dict(enumerate(arrays))})
    frame.attrs["a"] = 1
    wide = frame.set_index(["n", 6])
    return [
        *arrays,
        *(frame, wide, frame["n"], frame["o"], wide[7], pd.DataFrame()),
        *(
            wide.index,
            times,
            pd.RangeIndex(5),
            pd.Index(["a", 1]),
            pd.timedelta_range("1s", periods=2),
        ),
        *(
            times[0],
            pd.Timestamp(0),
            pd.Timedelta("1s"),
            pd.Period("2020-01"),
            pd.Interval(0, times[0].value),
        ),
        *(pd.NaT, pd.NA),
    ]


def of_polars(pl: Any) -> list[Any]:
    columns = {
        "n": [1, None, 3],
        "s": ["a", None, "b"],
        "l": [[1], None, []],
        "r": [{"a": 1}, None, {"a": 2}],
        "d": [datetime.date(2020, 1, 1), None, None],
        "m": [decimal.Decimal("1.5"), None, None],
    }
    series = [pl.Series(name, own) for name, own in columns.items()]
    others = [
        pl.Series("object", [object, None, 1], dtype=pl.Object),
        pl.Series("null", [None] * 3),
        pl.Series("wide", [1 << 100, None, 3], dtype=pl.Int128),
        pl.Series("category", ["a", "b", "a"], dtype=pl.Categorical),
        pl.Series("enum", ["a", "b", "a"], dtype=pl.Enum(["a", "b"])),
        pl.Series("array", [[1, 2]] * 3, dtype=pl.Array(pl.Int8, 2)),
    ]
    return [
        *series,
        *others,
        pl.DataFrame(series),
        pl.DataFrame([*series, *others]),
        pl.DataFrame(),
    ]


def of_pyarrow(pa: Any) -> list[Any]:
    arrays = [
        pa.array([1, None, 3]),
        pa.array(["a", None, "b"]).dictionary_encode(),
        pa.array([[1], None, []]),
        pa.array([{"a": 1}, None, {"a": None}]),
        pa.array([None] * 3),
        pa.array([[("a", 1)], [], None], type=pa.map_(pa.string(), pa.int8())),
        pa.array([1, None, 2], type=pa.timestamp("ns", "Europe/Berlin")),
        pa.array([b"ab", None, b"cd"], type=pa.binary(2)),
        pa.array([decimal.Decimal("1.5"), None, None]),
    ]
    batch = pa.record_batch(arrays, names=[str(number) for number in range(len(arrays))])
    return [*arrays, batch, pa.table(batch), pa.chunked_array(arrays[:1] * 2), pa.table({})]


def of_xarray(xr: Any) -> list[Any]:
    pd = import_module("pandas")
    coords = {
        "x": np.array([10, 20], "int32"),
        "time": pd.date_range("2020", periods=3),
        "lat": ("x", [1.0, 2.0], {"unit": "degrees"}),
    }
    variables = {
        "t": (("x", "time"), np.arange(6.0).reshape(2, 3), {"units": "K"}),
        "name": ("x", ["a", "bb"]),
    }
    dataset = xr.Dataset({**variables, "scalar": 3}, coords, {"title": "T"})
    dataset["t"].encoding = {"dtype": "int16"}
    variable, index = dataset.t.variable, dataset.x.variable
    return [
        dataset,
        dataset.t,
        dataset.t.stack(z=("x", "time")),
        variable,
        index,
        dataset.coords["time"],
    ]


def of_torch(torch: Any) -> list[Any]:
    tensor = torch.arange(6.0).reshape(2, 3)
    tensor.label = "weights"
    narrow = torch.tensor([1, 2], dtype=torch.bfloat16)
    return [
        tensor,
        narrow,
        torch.tensor(3),
        torch.randn(4, requires_grad=True),
        torch.nn.Parameter(narrow),
    ]


OF = {
    "pandas": of_pandas,
    "polars": of_polars,
    "pyarrow": of_pyarrow,
    "xarray": of_xarray,
    "torch": of_torch,
}
