"""pandas: frames, series and indexes by their parts, so that each comes back exactly.

A frame's columns are one table in Arrow's layout, made from pandas' own buffers without pyarrow. What Arrow lacks - objects,
complex numbers, intervals, sparse columns - are values beside it. The types of pandas say how each column is restored.
"""

from __future__ import annotations

import datetime
import functools
import sys
from collections.abc import Callable
from typing import Any

from .. import _holdall
from .._errors import DecodeError, EncodeError
from ._arrays import Array, Table, imported
from ._values import Extension

#: The formats of Arrow's C data interface for numpy's types.
_FORMATS = {
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


def _pd() -> Any:
    return sys.modules["pandas"]


def _np() -> Any:
    return sys.modules["numpy"]


def _bytes(array: Any) -> Any:
    """A buffer of bytes."""
    return _np().ascontiguousarray(array).view("u1") if array.size else b""


def _numbers(format: str, values: Any, nulls: Any = None) -> Array:
    """An array of numpy's numbers; `nulls` are true where there are none."""
    has_nulls = nulls is not None and bool(nulls.any())
    mask = _bytes(nulls) if has_nulls else None
    return Array._of(_holdall.Arrays.of_buffers(format, _bytes(values), mask))


def _times(values: Any, format: str) -> Array:
    """An array of pandas' 64-bit numbers of times, of which the least is none."""
    return _numbers(format, values, values == _np().iinfo("i8").min)


def _zone(tz: Any) -> Any:
    """A zone; of those of pytz, which pandas 2 uses, the name or the distance to UTC."""
    if type(tz).__module__.partition(".")[0] != "pytz":
        return tz
    return tz.zone or datetime.timezone(tz.utcoffset(None))


# ---- arrays of one dimension ----


def pack_array(array: Any) -> tuple[Any, Any]:
    """Returns what restores an array, and its values: an `Array`, or other values."""
    pd, np = _pd(), _np()
    if isinstance(array, np.ndarray):
        return _pack_numpy(array)
    dtype = array.dtype
    if type(array) is pd.arrays.NumpyExtensionArray:
        kind, values = _pack_numpy(array.to_numpy())
        return {"kind": "numpy", "of": kind}, values
    if isinstance(dtype, pd.CategoricalDtype):
        codes = array.codes
        kind = {"kind": "category", "categories": array.categories, "ordered": bool(array.ordered)}
        return kind, _numbers(_FORMATS[codes.dtype.str[1:]], codes, codes == -1)
    if isinstance(dtype, pd.DatetimeTZDtype):
        return {"kind": "zoned", "unit": dtype.unit, "tz": _zone(dtype.tz)}, _times(
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
        return {"kind": "masked", "dtype": str(dtype)}, _numbers(
            _FORMATS[data.dtype.str[1:]], data, array._mask
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
        unit, count = _np().datetime_data(dtype)
        if count == 1 and unit in _UNITS:
            format = f"ts{_UNITS[unit]}:" if dtype.kind == "M" else f"tD{_UNITS[unit]}"
            return dtype.str[1:], _times(array.view("i8"), format)
    if dtype.isnative and code in _FORMATS:
        return code, _numbers(_FORMATS[code], array)
    return "other", array


def _restore_numpy(kind: str, values: Any) -> Any:
    np = _np()
    if kind == "object":
        made = np.empty(len(values), dtype=object)
        made[:] = values
        return made
    if kind == "other":
        if not isinstance(values, np.ndarray):
            raise TypeError("no array")
        return values
    data, nulls = _buffers(values)
    code = "i8" if kind[0] in "mM" else kind
    if code not in _FORMATS:
        raise ValueError(kind)
    made = np.frombuffer(data, dtype=code)
    if nulls is not None:
        if kind[0] not in "mM":
            raise ValueError("absent numbers")
        made[nulls] = np.iinfo("i8").min
    return made.view(kind)


def _buffers(values: Any) -> tuple[Any, Any]:
    """The bytes of numbers, and which are absent."""
    if not isinstance(values, Array):
        raise TypeError("no array of numbers")
    data, nulls = values._raw.buffers()
    return data, None if nulls is None else _np().frombuffer(nulls, dtype=bool)


def _filled(values: Any, code: str, fill: int) -> Any:
    data, nulls = _buffers(values)
    made = _np().frombuffer(data, dtype=code)
    if nulls is not None:
        made[nulls] = fill
    return made


def restore_array(kind: Any, values: Any) -> Any:
    """Makes an array of pandas or numpy."""
    pd, np = _pd(), _np()
    if isinstance(kind, str):
        return _restore_numpy(kind, values)
    match kind["kind"]:
        case "numpy":
            return pd.arrays.NumpyExtensionArray(_restore_numpy(kind["of"], values))
        case "category":
            code = {"c": "i1", "s": "i2", "i": "i4", "l": "i8"}[_format(values)]
            return pd.Categorical.from_codes(
                _filled(values, code, -1), categories=kind["categories"], ordered=kind["ordered"]
            )
        case "zoned":
            numbers = _filled(values, "i8", np.iinfo("i8").min)
            dtype = pd.DatetimeTZDtype(kind["unit"], kind["tz"])
            return pd.array(
                pd.DatetimeIndex(numbers.view(f"M8[{kind['unit']}]"))
                .tz_localize("UTC")
                .tz_convert(dtype.tz)
            )
        case "period":
            numbers = _filled(values, "i8", np.iinfo("i8").min)
            return pd.arrays.PeriodArray(numbers, dtype=pd.api.types.pandas_dtype(kind["dtype"]))
        case "interval":
            left, right = (pd.Index(restore_array(side["kind"], side["values"])) for side in values)
            return pd.arrays.IntervalArray.from_arrays(left, right, closed=kind["closed"])
        case "sparse":
            inside = restore_array(kind["of"], values["values"])
            index = np.asarray(values["index"], dtype="i4")
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
            dtype = pd.StringDtype(kind["storage"], na_value=np.nan if kind["nan"] else pd.NA)
            if kind["storage"] == "pyarrow":
                # Before pandas 3.0, each class has one type.
                own = {} if pd.__version__.startswith("2.") else {"dtype": dtype}
                return dtype.construct_array_type()(_arrow(values), **own)
            return pd.array(values, dtype=dtype)
        case "arrow":
            return pd.arrays.ArrowExtensionArray(_arrow(values))
        case "masked":
            dtype = pd.api.types.pandas_dtype(kind["dtype"])
            data, nulls = _buffers(values)
            made = np.frombuffer(data, dtype=dtype.numpy_dtype)
            mask = np.zeros(len(made), dtype=bool) if nulls is None else nulls
            return dtype.construct_array_type()(made, mask)
    raise ValueError(kind)


def _format(values: Any) -> str:
    names = {"Int8": "c", "Int16": "s", "Int32": "i", "Int64": "l"}
    return names[values.type]


def _arrow(values: Any) -> Any:
    pa = sys.modules.get("pyarrow")
    if pa is None:
        raise DecodeError(
            "the data has a column of pandas that pyarrow holds; import pyarrow before you load it",
            code="unrepresentable",
        )
    return pa.chunked_array([pa.array(values)])


# ---- frames ----


def _pack_index(index: Any) -> Extension:
    pd = _pd()
    if type(index) is pd.RangeIndex:
        numbers = range(index.start, index.stop, index.step)
        return Extension("pandas.Index", {"kind": "range", "range": numbers, "name": index.name})
    if isinstance(index, pd.MultiIndex):
        parts = {}
        for number, (level, codes) in enumerate(zip(index.levels, index.codes, strict=True)):
            code = codes.dtype.str[1:]
            parts[f"level{number}"] = level
            parts[f"codes{number}"] = _numbers(_FORMATS[code], _np().asarray(codes))
        return Extension("pandas.Index", {"kind": "multi", "names": list(index.names), **parts})
    kind, values = pack_array(_array_of(index))
    freq = (
        getattr(index, "freq", None)
        if isinstance(index, pd.DatetimeIndex | pd.TimedeltaIndex)
        else None
    )
    return Extension(
        "pandas.Index",
        {
            "kind": "index",
            "type": kind,
            "values": values,
            "name": index.name,
            "freq": None if freq is None else freq.freqstr,
        },
    )


def _make_index(content: Any) -> Any:
    pd, np = _pd(), _np()
    match content["kind"]:
        case "range":
            numbers = content["range"]
            return pd.RangeIndex(numbers.start, numbers.stop, numbers.step, name=content["name"])
        case "multi":
            names = content["names"]
            levels = [content[f"level{number}"] for number in range(len(names))]
            codes = []
            for number in range(len(names)):
                data, _ = _buffers(content[f"codes{number}"])
                code = {"c": "i1", "s": "i2", "i": "i4", "l": "i8"}[
                    _format(content[f"codes{number}"])
                ]
                codes.append(np.frombuffer(data, dtype=code))
            return pd.MultiIndex(levels=levels, codes=codes, names=names)
    array = restore_array(content["type"], content["values"])
    dtype = object if content["type"] == "object" else None
    index = pd.Index(array, name=content["name"], dtype=dtype)
    if content["freq"] is not None:
        index.freq = content["freq"]
    return index


def _pack_frame(frame: Any) -> Extension:
    """The columns of numbers and text are one table; others are beside it, by their numbers."""
    types, names, arrays, others = [], [], [], {}
    for number, label in enumerate(frame.columns):
        kind, values = pack_array(_array_of(frame.iloc[:, number]))
        types.append(kind)
        if isinstance(values, Array):
            names.append(str(label))
            arrays.append(values._raw)
        else:
            others[str(number)] = values
    content = {
        "index": frame.index,
        "columns": frame.columns,
        "types": types,
        "table": Table._of(_holdall.Arrays.of_columns(names, arrays, len(frame))),
    }
    if others:
        content["others"] = others
    if frame.attrs:
        content["attrs"] = frame.attrs
    return Extension("pandas.DataFrame", content)


def _array_of(values: Any) -> Any:
    """The array of a series or index; numpy's own, where it has one."""
    array = values.array
    return array.to_numpy() if type(array) is _pd().arrays.NumpyExtensionArray else array


def _make_frame(content: Any) -> Any:
    pd = _pd()
    others = content.get("others") or {}
    table, arrays, next_column = content["table"], {}, 0
    for number, kind in enumerate(content["types"]):
        if str(number) in others:
            values = others[str(number)]
        else:
            values = table.column(next_column)
            next_column += 1
        arrays[number] = restore_array(kind, values)
    columns = {
        number: pd.Series(array, index=content["index"], copy=False)
        for number, array in arrays.items()
    }
    frame = pd.DataFrame(columns, index=content["index"], copy=False)
    frame.columns = content["columns"]
    frame.attrs.update(content.get("attrs") or {})
    return frame


def _pack_series(series: Any) -> Extension:
    kind, values = pack_array(_array_of(series))
    content = {"index": series.index, "type": kind, "values": values, "name": series.name}
    if series.attrs:
        content["attrs"] = series.attrs
    return Extension("pandas.Series", content)


def _make_series(content: Any) -> Any:
    array = restore_array(content["type"], content["values"])
    dtype = object if content["type"] == "object" else None
    series = _pd().Series(
        array, index=content["index"], name=content["name"], dtype=dtype, copy=False
    )
    series.attrs.update(content.get("attrs") or {})
    return series


def _pack_array_alone(array: Any) -> Extension:
    kind, values = pack_array(array)
    return Extension("pandas.array", {"type": kind, "values": values})


def _make_array_alone(content: Any) -> Any:
    return restore_array(content["type"], content["values"])


# ---- single values ----


def _pack_timestamp(value: Any) -> Extension:
    return Extension("pandas.Timestamp", (value._value, value.unit, _zone(value.tz)))


def _make_timestamp(content: Any) -> Any:
    value, unit, tz = content
    naive = _pd().Timestamp(_np().datetime64(value, unit)).as_unit(unit)
    return naive if tz is None else naive.tz_localize("UTC").tz_convert(tz)


def _make_timedelta(content: Any) -> Any:
    value, unit = content
    return _pd().Timedelta(_np().timedelta64(value, unit)).as_unit(unit)


_HOOKS: dict[str, Callable[[Any], Any]] = {
    "DataFrame": _pack_frame,
    "Series": _pack_series,
    "Timestamp": _pack_timestamp,
    "Timedelta": lambda value: Extension("pandas.Timedelta", (value._value, value.unit)),
    "NaTType": lambda _: Extension("pandas.NaT"),
    "NAType": lambda _: Extension("pandas.NA"),
    "Period": lambda value: Extension("pandas.Period", (value.ordinal, value.freqstr)),
    "Interval": lambda value: Extension("pandas.Interval", (value.left, value.right, value.closed)),
}


def _is_own(cls: type) -> bool:
    return str(cls.__module__).partition(".")[0] == "pandas"


def hook(cls: type) -> Callable[[Any], Any] | None:
    """The function that packs the objects of a class of pandas."""
    pd = _pd()
    if issubclass(cls, pd.Index) and _is_own(cls):
        return _pack_index
    if issubclass(cls, pd.api.extensions.ExtensionArray) and _is_own(cls):
        return _pack_array_alone
    return _HOOKS.get(cls.__name__)


def _restored(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that makes an object of pandas; without pandas, its content stays as it is."""

    @functools.wraps(make)
    def restore(content: Any) -> Any:
        if "pandas" not in sys.modules:
            return content.get("table", content) if isinstance(content, dict) else content
        try:
            return make(content)
        except DecodeError:
            raise
        except Exception as error:
            raise DecodeError(
                f"the data has an object of pandas that pandas refuses: {error!r}",
                code="unrepresentable",
            ) from error

    return restore


#: As `_plain.EXTENSIONS`.
EXTENSIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "pandas.DataFrame": (_restored(_make_frame),),
    "pandas.Series": (_restored(_make_series),),
    "pandas.Index": (_restored(_make_index),),
    "pandas.array": (_restored(_make_array_alone),),
    "pandas.Timestamp": (_restored(_make_timestamp),),
    "pandas.Timedelta": (_restored(_make_timedelta),),
    "pandas.NaT": (_restored(lambda _: _pd().NaT),),
    "pandas.NA": (_restored(lambda _: _pd().NA),),
    "pandas.Period": (
        _restored(lambda content: _pd().Period(ordinal=content[0], freq=content[1])),
    ),
    "pandas.Interval": (_restored(lambda content: _pd().Interval(*content)),),
}
