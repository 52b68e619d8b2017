"""xarray's objects come back identical: values, types, coordinates, indexes, attributes, and how a file stores them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import holdall
import numpy as np
import pandas as pd
import pytest
import xarray as xr


def dataset() -> xr.Dataset:
    made = xr.Dataset(
        {
            "t": (("x", "time"), np.arange(6.0).reshape(2, 3), {"units": "K"}),
            "name": ("x", ["a", "bb"]),
            "scalar": 3,
            "objects": ("x", np.array([{"a": 1}, None], dtype=object)),
        },
        coords={
            "x": np.array([10, 20], "int32"),
            "time": pd.date_range("2020", periods=3),
            "lat": ("x", [1.0, 2.0], {"unit": "degrees"}),
        },
        attrs={"title": "T", "n": np.float32(3)},
    )
    made["t"].encoding = {"dtype": "int16", "scale_factor": 0.1}
    return made


def read(value: Any) -> Any:
    data = holdall.dumps(value)
    found = holdall.loads(data)
    assert holdall.dumps(found) == data
    return found


VALUES = {
    "dataset": lambda: dataset(),
    "empty dataset": lambda: xr.Dataset(),
    "array": lambda: dataset().t,
    "array of text": lambda: dataset().name,
    "array without coordinates": lambda: xr.DataArray([1, 2]),
    "array of no dimension": lambda: xr.DataArray(5, name="q"),
    "coordinate": lambda: dataset().coords["x"],
    "categories": lambda: dataset().assign_coords(label=("x", pd.Categorical(["p", "q"]))),
    "two indexes of one dimension": lambda: dataset().stack(z=("x", "time")),
    "array with a MultiIndex": lambda: dataset().t.stack(z=("x", "time")),
    "coordinate without its index": lambda: dataset().drop_indexes("x"),
    "variable as a coordinate": lambda: dataset().set_coords("name"),
}


@pytest.mark.parametrize("name", VALUES)
def test_objects_come_back_identical(name: str) -> None:
    value = VALUES[name]()
    found = read(value)
    assert type(found) is type(value)
    assert value.identical(found)
    assert list(found.coords) == list(value.coords)
    kinds = {name: type(index) for name, index in value.xindexes.items()}
    assert {name: type(index) for name, index in found.xindexes.items()} == kinds
    for each in value.coords:
        assert found[each].dtype == value[each].dtype
        assert found[each].encoding == value[each].encoding


def test_variables_come_back_identical() -> None:
    for value in (dataset().t.variable, dataset().x.variable):
        found = read(value)
        assert type(found) is type(value)
        assert value.identical(found)


def test_how_a_file_stores_a_variable_is_kept() -> None:
    assert read(dataset()).t.encoding == {"dtype": "int16", "scale_factor": 0.1}


def test_an_array_and_its_data_stay_one() -> None:
    numbers = np.arange(4.0)
    array, found = read([xr.DataArray(numbers), numbers])
    found[0] = 7
    assert array.data[0] == 7


def test_what_was_read_can_be_used() -> None:
    found = read(dataset())
    assert float(found.sel(x=20).t.sum()) == float(dataset().sel(x=20).t.sum())
    assert found.resample(time="2D").mean().t.shape == (2, 2)


def test_an_index_of_another_kind_is_refused() -> None:
    class Own(xr.Index):
        pass

    coords = xr.Coordinates({"x": ("x", [1, 2])}, indexes={"x": Own()})
    with pytest.raises(holdall.EncodeError, match=r"in \$\.a: .* index of the class .*Own"):
        holdall.dumps({"a": xr.Dataset(coords=coords)})


def test_the_parts_come_back_where_xarray_is_not_imported() -> None:
    data = holdall.dumps(dataset().t)
    code = (
        "import holdall, sys\n"
        "parts = holdall.loads(sys.stdin.buffer.read())\n"
        "assert 'xarray' not in sys.modules\n"
        "print(parts['name'], parts['dims'], parts['data'].sum())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert done.stdout == b"t ('x', 'time') 15.0\n"


@pytest.mark.parametrize("name", ["xarray.Dataset", "xarray.DataArray", "xarray.Variable"])
def test_other_content_is_an_error(name: str) -> None:
    for content in (1, None, {}, {"dims": 5}, {"variables": {}, "coords": {"names": ["x"]}}, []):
        data = holdall.dumps(holdall.Extension(name, content))
        with pytest.raises(holdall.DecodeError, match=r"xarray refuses|no table, and no parts"):
            holdall.loads(data)
