"""xarray: datasets, arrays and variables by their parts, with the indexes of pandas, so that each comes back identical."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._errors import EncodeError, checked
from .._holdall import charge
from ._values import Extension

#: The bytes of objects without their elements, at most; data can share these, and all their parts.
_VARIABLE = 1280
_NAMED = 4096


def _xr() -> Any:
    return sys.modules["xarray"]


# ---- variables ----


def _pack_variable(variable: Any) -> dict[str, Any]:
    data = variable.data
    if type(data).__module__.partition(".")[0] == "dask":
        data = data.compute()
    return {"dims": variable.dims, "data": data, **_about(variable)}


def _about(value: Any) -> dict[str, Any]:
    """The attributes, and how a file stores it, if there are some."""
    parts = {"attrs": dict(value.attrs), "encoding": dict(value.encoding)}
    return {name: part for name, part in parts.items() if part}


def _set_about(value: Any, parts: Mapping[str, Any]) -> Any:
    value.attrs = checked(parts.get("attrs", {}), dict)
    value.encoding = checked(parts.get("encoding", {}), dict)
    return value


def make_variable(parts: Mapping[str, Any]) -> Any:
    charge(_VARIABLE)
    kind = _xr().IndexVariable if parts.get("index") else _xr().Variable
    return _set_about(kind(_dims_of(parts), _data_of(parts)), parts)


def _data_of(parts: Mapping[str, Any]) -> Any:
    """The data of a variable: xarray would make an array of anything with items, such as a range or a network."""
    data = parts["data"]
    if not hasattr(type(data), "__array_ufunc__"):
        raise TypeError(f"a {type(data).__name__} in place of an array")
    return data


# What errors of xarray have the whole text of is checked here.


def _is_name(dim: Any) -> bool:
    return isinstance(dim, str) or not isinstance(dim, Iterable)


def _is_dtype(dtype: Any) -> bool:
    kinds = (sys.modules["numpy"].dtype, sys.modules["pandas"].api.extensions.ExtensionDtype)
    return dtype is None or isinstance(dtype, kinds)


def _dims_of(parts: Mapping[str, Any]) -> tuple[Any, ...]:
    dims: tuple[Any, ...] = checked(parts["dims"], tuple)
    if not all(map(_is_name, dims)):
        raise TypeError("no name of a dimension")
    return dims


# ---- coordinates and their indexes ----


def _pack_coordinates(coords: Any) -> dict[str, Any]:
    indexed, indexes = {}, []
    for index, variables in coords.xindexes.group_by_index():
        indexed.update(variables)
        indexes.append(_pack_index(index, variables))
    others = {name: _pack_variable(coords[name].variable) for name in coords if name not in indexed}
    return {"names": list(coords), "variables": others, "indexes": indexes}


def _pack_index(index: Any, variables: Mapping[Any, Any]) -> dict[str, Any]:
    kinds = _xr().indexes
    if type(index) is kinds.PandasIndex:
        dtype = index.coord_dtype
    elif type(index) is kinds.PandasMultiIndex:
        dtype = index.level_coords_dtype
    else:
        names = ", ".join(map(str, variables))
        raise EncodeError(
            f"the coordinates {names} have an index of the class {type(index).__qualname__}, which cannot be packed",
            code="unsupported_value",
        )
    about = {name: own for name, each in variables.items() if (own := _about(each))}
    return {"index": index.index, "dim": index.dim, "dtype": dtype, "about": about}


def _make_coordinates(parts: Mapping[str, Any]) -> Any:
    kinds = _xr().indexes
    charge(_NAMED * (1 + len(checked(parts["names"], list))))
    found = {name: make_variable(own) for name, own in parts["variables"].items()}
    indexes = {}
    for own in checked(parts["indexes"], list):
        index, dim, dtype = own["index"], own["dim"], own["dtype"]
        if not (_is_name(dim) and isinstance(index, sys.modules["pandas"].Index)):
            raise TypeError("no index, or no name of a dimension")
        if not all(map(_is_dtype, dtype.values() if isinstance(dtype, dict) else [dtype])):
            raise TypeError("an index with another value in place of a type")
        made = (
            kinds.PandasMultiIndex(index, dim, level_coords_dtype=dtype)
            if isinstance(dtype, dict)
            else kinds.PandasIndex(index, dim, coord_dtype=dtype)
        )
        for name, variable in made.create_variables().items():
            found[name] = _set_about(variable, own["about"].get(name, {}))
            indexes[name] = made
    return _xr().Coordinates({name: found[name] for name in parts["names"]}, indexes)


# ---- datasets and arrays ----


def _pack_dataset(dataset: Any) -> Extension:
    variables = {name: _pack_variable(own.variable) for name, own in dataset.data_vars.items()}
    coords = _pack_coordinates(dataset.coords)
    parts = {"variables": variables, "coords": coords, **_about(dataset)}
    return Extension("xarray.Dataset", parts)


def make_dataset(parts: Mapping[str, Any]) -> Any:
    variables = {name: make_variable(own) for name, own in parts["variables"].items()}
    return _set_about(_xr().Dataset(variables, _make_coordinates(parts["coords"])), parts)


def _pack_array(array: Any) -> Extension:
    parts = {"name": array.name, **_pack_variable(array.variable)}
    return Extension("xarray.DataArray", parts | {"coords": _pack_coordinates(array.coords)})


def make_array(parts: Mapping[str, Any]) -> Any:
    coords = _make_coordinates(parts["coords"])
    dims = _dims_of(parts)
    array = _xr().DataArray(_data_of(parts), coords, dims, parts["name"])
    return _set_about(array, parts)


def _pack_alone(variable: Any) -> Extension:
    is_index = isinstance(variable, _xr().IndexVariable)
    parts = _pack_variable(variable) | ({"index": True} if is_index else {})
    return Extension("xarray.Variable", parts)


HOOKS: dict[str, Callable[[Any], Extension]] = {
    "Dataset": _pack_dataset,
    "DataArray": _pack_array,
    "Variable": _pack_alone,
    "IndexVariable": _pack_alone,
}
