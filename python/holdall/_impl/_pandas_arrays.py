"""pandas' arrays of one dimension: numbers in Arrow's layout, made from pandas' own buffers without pyarrow, and what says how they are
restored. Data can claim anything: pandas would make an array of whatever has items, so each part is checked.
"""

from __future__ import annotations

import datetime
import re
import sys
from typing import Any

from .. import _holdall
from .._errors import DecodeError, EncodeError, checked
from .._holdall import charge
from ._arrays import Array, imported
from ._sizes import OF_ITEM

#: The formats of Arrow's C data interface for numpy's types.
FORMATS = {
    "b1": "b",
    "i1": "c",
    "i2": "s",
    "i4": "i",
    "i8": "l",
    "u1": "C",
    "u2": "S",
    "u4": "I",
    "u8": "L",
    "f2": "e",
    "f4": "f",
    "f8": "g",
}
_UNITS = {"s": "s", "ms": "m", "us": "u", "ns": "n"}


def pandas() -> Any:
    return sys.modules["pandas"]


def numpy() -> Any:
    return sys.modules["numpy"]


def _bytes(array: Any) -> Any:
    """A buffer of bytes."""
    return numpy().ascontiguousarray(array).view("u1") if array.size else b""


def pack_numbers(format: str, values: Any, nulls: Any = None) -> Array:
    """An array of numpy's numbers; `nulls` are true where there are none."""
    has_nulls = nulls is not None and bool(nulls.any())
    mask = _bytes(nulls) if has_nulls else None
    return Array._of(_holdall.Arrays.of_buffers(format, _bytes(values), mask))


def _times(values: Any, format: str) -> Array:
    """An array of pandas' 64-bit numbers of times, of which the least is none."""
    return pack_numbers(format, values, values == numpy().iinfo("i8").min)


def zone(tz: Any) -> Any:
    """A zone; of those of pytz, which pandas 2 uses, the name or the distance to UTC."""
    if type(tz).__module__.partition(".")[0] != "pytz":
        return tz
    return tz.zone or datetime.timezone(tz.utcoffset(None))


def pack_array(array: Any) -> tuple[Any, Any]:
    """Returns what restores an array, and its values: an `Array`, or other values."""
    pd, np = pandas(), numpy()
    if isinstance(array, np.ndarray):
        return _pack_numpy(array)
    dtype = array.dtype
    if type(array) is pd.arrays.NumpyExtensionArray:
        kind, values = _pack_numpy(array.to_numpy())
        return {"kind": "numpy", "of": kind}, values
    if isinstance(dtype, pd.CategoricalDtype):
        codes = array.codes
        kind = {"kind": "category", "categories": array.categories, "ordered": bool(array.ordered)}
        return kind, pack_numbers(FORMATS[codes.dtype.str[1:]], codes, codes == -1)
    if isinstance(dtype, pd.DatetimeTZDtype):
        return {"kind": "zoned", "unit": dtype.unit, "tz": zone(dtype.tz)}, _times(
            array.asi8, f"ts{_UNITS[dtype.unit]}:{dtype.tz}"
        )
    if isinstance(dtype, pd.PeriodDtype):
        return {"kind": "period", "dtype": str(dtype)}, _times(array.asi8, "l")
    if isinstance(dtype, pd.IntervalDtype):
        sides = [
            dict(zip(("kind", "values"), pack_array(side.array), strict=True))
            for side in (array.left, array.right)
        ]
        return {"kind": "interval", "closed": array.closed}, sides
    if isinstance(dtype, pd.SparseDtype):
        kind, values = pack_array(np.asarray(array.sp_values))
        kind = {
            "kind": "sparse",
            "of": kind,
            "fill": array.fill_value,
            "len": len(array),
            "index": array.kind,
        }
        return kind, {"index": array.sp_index.to_int_index().indices, "values": values}
    if isinstance(dtype, pd.StringDtype):
        kind = {"kind": "string", "storage": dtype.storage, "nan": dtype.na_value is not pd.NA}
        if dtype.storage == "pyarrow":
            return kind, Array._of(imported(array._pa_array))
        return kind, [
            None if missing else text for text, missing in zip(array, array.isna(), strict=True)
        ]
    if hasattr(dtype, "pyarrow_dtype"):
        return {"kind": "arrow"}, Array._of(imported(array._pa_array))
    if hasattr(array, "_mask") and hasattr(array, "_data"):
        data = array._data
        return {"kind": "masked", "dtype": str(dtype)}, pack_numbers(
            FORMATS[data.dtype.str[1:]], data, array._mask
        )
    if isinstance(array, (pd.arrays.DatetimeArray, pd.arrays.TimedeltaArray)):
        return _pack_numpy(np.asarray(array))
    raise EncodeError(f"a column of type {dtype} cannot be packed", code="unsupported_value")


def _pack_numpy(array: Any) -> tuple[Any, Any]:
    dtype = array.dtype
    code = dtype.str[1:]
    if dtype.kind == "O":
        return "object", array.tolist()
    if dtype.isnative and dtype.kind in "mM":
        unit, count = numpy().datetime_data(dtype)
        if count == 1 and unit in _UNITS:
            format = f"ts{_UNITS[unit]}:" if dtype.kind == "M" else f"tD{_UNITS[unit]}"
            return dtype.str[1:], _times(array.view("i8"), format)
    if dtype.isnative and code in FORMATS:
        return code, pack_numbers(FORMATS[code], array)
    return "other", array


def _restore_numpy(kind: str, values: Any) -> Any:
    np = numpy()
    if kind == "object":
        # An assignment would look for more dimensions in lists inside.
        charge(OF_ITEM * len(checked(values, list)))
        return np.fromiter(values, dtype=object, count=len(values))
    if kind == "other":
        return _of_one_dimension(values)
    if kind[0] in "mM":
        made = _filled(values, "i8", np.iinfo("i8").min).view(kind)
        if made.dtype.kind not in "mM":
            raise ValueError(kind)
        return made
    if kind not in FORMATS:
        raise ValueError(kind)
    made, nulls = numbers_of(values, kind)
    if nulls is not None:
        raise ValueError("absent numbers")
    return made


def _of_one_dimension(values: Any) -> Any:
    array = checked(values, numpy().ndarray)
    if array.ndim != 1:
        raise ValueError(f"an array of {array.ndim} dimensions")
    return array


def numbers_of(values: Any, code: Any) -> tuple[Any, Any]:
    """The numbers of an array, and which are absent."""
    np = numpy()
    dtype = np.dtype(code)
    # Of other bytes than 0 and 1, numpy would make bools that are neither.
    if (checked(values, Array).type == "Boolean") != (dtype.kind == "b"):
        raise TypeError(f"{values.type} for {dtype}")
    data, nulls = values._raw.buffers()
    return np.frombuffer(data, dtype=dtype), None if nulls is None else np.frombuffer(nulls, bool)


def _filled(values: Any, code: str, fill: int) -> Any:
    made, nulls = numbers_of(values, code)
    if nulls is not None:
        made[nulls] = fill
    return made


def index_of(value: Any) -> Any:
    """An index: pandas would make one of anything with items, such as a network with all its addresses."""
    if not isinstance(value, pandas().Index):
        raise TypeError(f"a {type(value).__name__} in place of an index")
    return value


def zone_of(tz: Any) -> Any:
    """A zone, or its name: pandas opens a file if it begins with "dateutil/"."""
    if not isinstance(tz, datetime.tzinfo) and checked(tz, str).startswith("dateutil/"):
        raise ValueError(tz)
    return tz


def restore_array(kind: Any, values: Any) -> Any:
    """Makes an array of pandas or numpy."""
    pd, np = pandas(), numpy()
    if isinstance(kind, str):
        return _restore_numpy(kind, values)
    match checked(checked(kind, dict)["kind"], str):
        case "numpy":
            return pd.arrays.NumpyExtensionArray(_restore_numpy(checked(kind["of"], str), values))
        case "category":
            return pd.Categorical.from_codes(
                _filled(values, code_of(values), -1),
                categories=index_of(kind["categories"]),
                ordered=checked(kind["ordered"], bool),
            )
        case "zoned":
            numbers = _filled(values, "i8", np.iinfo("i8").min)
            dtype = pd.DatetimeTZDtype(checked(kind["unit"], str), zone_of(kind["tz"]))
            return pd.array(
                pd.DatetimeIndex(numbers.view(f"M8[{kind['unit']}]"))
                .tz_localize("UTC")
                .tz_convert(dtype.tz)
            )
        case "period":
            numbers = _filled(values, "i8", np.iinfo("i8").min)
            dtype = pd.PeriodDtype.construct_from_string(checked(kind["dtype"], str))
            return pd.arrays.PeriodArray(numbers, dtype=dtype)
        case "interval":
            left, right = (
                pd.Index(restore_array(side["kind"], side["values"]))
                for side in checked(values, list)
            )
            return pd.arrays.IntervalArray.from_arrays(
                left, right, closed=checked(kind["closed"], str)
            )
        case "sparse":
            inside = restore_array(kind["of"], checked(values, dict)["values"])
            index = _of_one_dimension(values["index"]).astype("i4")
            checked(kind["len"], int)
            checked(kind["index"], str)
            # The text of an error would have all of it.
            if not pd.api.types.is_scalar(kind["fill"]):
                raise TypeError("the fill of a sparse array is no scalar")
            if not hasattr(pd.arrays.SparseArray, "from_indices"):
                # Before pandas 3.1.
                from pandas._libs.sparse import IntIndex

                own = IntIndex(kind["len"], index)
                own = own.to_block_index() if kind["index"] == "block" else own
                dtype = pd.SparseDtype(inside.dtype, kind["fill"])
                return pd.arrays.SparseArray(inside, own, kind["fill"], kind["index"], dtype)
            return pd.arrays.SparseArray.from_indices(
                inside, index, kind["len"], kind["fill"], kind["index"]
            )
        case "string":
            storage = checked(kind["storage"], str)
            dtype = pd.StringDtype(storage, na_value=np.nan if kind["nan"] else pd.NA)
            if kind["storage"] == "pyarrow":
                # Before pandas 3.0, each class has one type.
                own = {} if pd.__version__.startswith("2.") else {"dtype": dtype}
                return dtype.construct_array_type()(_arrow(values), **own)
            for text in checked(values, list):
                checked(text, str, type(None))
            return pd.array(values, dtype=dtype)
        case "arrow":
            return pd.arrays.ArrowExtensionArray(_arrow(values))
        case "masked":
            if not _MASKED.fullmatch(checked(kind["dtype"], str)):
                raise ValueError(kind["dtype"])
            dtype = pd.api.types.pandas_dtype(kind["dtype"])
            made, nulls = numbers_of(values, dtype.numpy_dtype)
            mask = np.zeros(len(made), dtype=bool) if nulls is None else nulls
            return dtype.construct_array_type()(made, mask)
    raise ValueError(kind["kind"])


#: The types of arrays with a mask.
_MASKED = re.compile("U?Int(8|16|32|64)|Float(32|64)|boolean")


def code_of(values: Any) -> str:
    """The type in numpy of codes."""
    names = {"Int8": "i1", "Int16": "i2", "Int32": "i4", "Int64": "i8"}
    return names[checked(values, Array).type]


def _arrow(values: Any) -> Any:
    pa = sys.modules.get("pyarrow")
    if pa is None:
        raise DecodeError(
            "the data has a column of pandas that pyarrow holds; import pyarrow before you load it",
            code="unrepresentable",
        )
    return pa.chunked_array([pa.array(checked(values, Array))])
