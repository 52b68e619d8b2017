"""pandas: frames, series and indexes by their parts, so that each comes back exactly.

A frame's columns are one table in Arrow's layout. What Arrow lacks - objects, complex numbers, intervals, sparse columns - are
values beside it. The types of pandas say how each column is restored.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from .. import _holdall
from .._errors import DecodeError, checked, checked_parts
from .._holdall import charge
from ._arrays import Array, Table
from ._pandas_arrays import (
    FORMATS,
    code_of,
    index_of,
    numbers_of,
    numpy,
    pack_array,
    pack_numbers,
    pandas,
    restore_array,
    zone,
    zone_of,
)
from ._values import Extension

#: The bytes of objects without their elements, at most; data can share these, and all their parts.
_ARRAY = 2048
_SERIES = _INDEX = 3072
_FRAME = 4096
_COLUMN = _LEVEL = 2048


# ---- frames ----


def _pack_index(index: Any) -> Extension:
    pd = pandas()
    if type(index) is pd.RangeIndex:
        numbers = range(index.start, index.stop, index.step)
        return Extension("pandas.Index", {"kind": "range", "range": numbers, "name": index.name})
    if isinstance(index, pd.MultiIndex):
        parts = {}
        for number, (level, codes) in enumerate(zip(index.levels, index.codes, strict=True)):
            code = codes.dtype.str[1:]
            parts[f"level{number}"] = level
            parts[f"codes{number}"] = pack_numbers(FORMATS[code], numpy().asarray(codes))
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
    pd = pandas()
    match checked(content, dict)["kind"]:
        case "range":
            numbers = checked(content["range"], range)
            charge(_ARRAY // 2)
            return pd.RangeIndex(numbers.start, numbers.stop, numbers.step, name=content["name"])
        case "multi":
            names = checked(content["names"], list)
            charge(_INDEX + _LEVEL * len(names))
            levels = [index_of(content[f"level{number}"]) for number in range(len(names))]
            codes = []
            for number in range(len(names)):
                own = content[f"codes{number}"]
                codes.append(numbers_of(own, code_of(own))[0])
            return pd.MultiIndex(levels=levels, codes=codes, names=names)
    charge(_INDEX)
    array = restore_array(content["type"], content["values"])
    dtype = object if content["type"] == "object" else None
    index = pd.Index(array, name=content["name"], dtype=dtype)
    if content["freq"] is not None:
        index.freq = checked(content["freq"], str)
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
    return array.to_numpy() if type(array) is pandas().arrays.NumpyExtensionArray else array


def _make_frame(content: Any) -> Any:
    pd = pandas()
    index, columns = (index_of(checked(content, dict)[name]) for name in ("index", "columns"))
    others = checked(content.get("others", {}), dict)
    charge(_FRAME + _COLUMN * len(checked(content["types"], list)))
    table, arrays, next_column = checked(content["table"], Table), {}, 0
    for number, kind in enumerate(content["types"]):
        if str(number) in others:
            values = others[str(number)]
        else:
            values = table.column(next_column)
            next_column += 1
        arrays[number] = restore_array(kind, values)
    series = {number: pd.Series(array, index=index, copy=False) for number, array in arrays.items()}
    frame = pd.DataFrame(series, index=index, copy=False)
    frame.columns = columns
    frame.attrs.update(checked(content.get("attrs", {}), dict))
    return frame


def _pack_series(series: Any) -> Extension:
    kind, values = pack_array(_array_of(series))
    content = {"index": series.index, "type": kind, "values": values, "name": series.name}
    if series.attrs:
        content["attrs"] = series.attrs
    return Extension("pandas.Series", content)


def _make_series(content: Any) -> Any:
    charge(_SERIES)
    index = index_of(checked(content, dict)["index"])
    array = restore_array(content["type"], content["values"])
    dtype = object if content["type"] == "object" else None
    series = pandas().Series(array, index=index, name=content["name"], dtype=dtype, copy=False)
    series.attrs.update(checked(content.get("attrs", {}), dict))
    return series


def _pack_array_alone(array: Any) -> Extension:
    kind, values = pack_array(array)
    return Extension("pandas.array", {"type": kind, "values": values})


def _make_array_alone(content: Any) -> Any:
    charge(_ARRAY)
    return restore_array(checked(content, dict)["type"], content["values"])


# ---- single values ----


def _pack_timestamp(value: Any) -> Extension:
    return Extension("pandas.Timestamp", (value._value, value.unit, zone(value.tz)))


def _make_timestamp(content: Any) -> Any:
    value, unit, tz = checked(content, tuple)
    checked_parts((value, unit), int, str)
    naive = pandas().Timestamp(numpy().datetime64(value, unit)).as_unit(unit)
    return naive if tz is None else naive.tz_localize("UTC").tz_convert(zone_of(tz))


def _make_timedelta(content: Any) -> Any:
    value, unit = checked_parts(content, int, str)
    return pandas().Timedelta(numpy().timedelta64(value, unit)).as_unit(unit)


def _make_period(content: Any) -> Any:
    ordinal, freq = checked_parts(content, int, str)
    return pandas().Period(ordinal=ordinal, freq=freq)


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
    pd = pandas()
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
        except (DecodeError, MemoryError):
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
    "pandas.NaT": (_restored(lambda _: pandas().NaT),),
    "pandas.NA": (_restored(lambda _: pandas().NA),),
    "pandas.Period": (_restored(_make_period),),
    "pandas.Interval": (_restored(lambda content: pandas().Interval(*checked(content, tuple))),),
}
