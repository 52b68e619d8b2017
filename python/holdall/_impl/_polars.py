"""polars: frames and series as Arrow's columns, and the columns that polars cannot hand over by Arrow as values beside them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from .._errors import EncodeError, checked
from .._holdall import charge
from ._arrays import Array, Table
from ._values import Extension

#: Types without an Arrow type, or whose buffers are not those of Arrow. Objects would be numbers of memory addresses.
_VALUES = ("Object", "Null", "Int128", "UInt128")
#: The bytes of a frame, and of each column, without their elements, at most; data can share what is read as those.
_FRAME = _COLUMN = 1024


def _pl() -> Any:
    return sys.modules["polars"]


def _name(dtype: Any) -> str:
    return str(dtype.base_type().__name__)


def check(frame: Any) -> None:
    """Refuses a frame or series with columns that it cannot hand over by Arrow."""
    columns = frame.schema.items() if hasattr(frame, "schema") else [(frame.name, frame.dtype)]
    for name, dtype in columns:
        found = _inside(dtype)
        if found is not None:
            raise EncodeError(
                f"the column {name!r} of polars has the type {dtype}, and polars hands over no Arrow data of {found}: "
                "cast the column, or leave it out",
                code="unsupported_value",
            )


def _inside(dtype: Any) -> str | None:
    """The type without Arrow data that a type is or contains."""
    todo = [dtype]
    while todo:
        each = todo.pop()
        if _name(each) in _VALUES:
            return _name(each)
        inner = getattr(each, "inner", None)
        todo += [inner] if inner is not None else []
        todo += [field.dtype for field in getattr(each, "fields", ())]
    return None


def _pack_frame(frame: Any) -> Extension:
    others = [
        {"at": at, **_values(column)}
        for at, column in enumerate(frame.get_columns())
        if _name(column.dtype) in _VALUES
    ]
    if not others:
        return Extension("polars.DataFrame", Table(frame))
    rest = frame.drop([each["name"] for each in others])
    # A frame without columns has no rows.
    return Extension(
        "polars.DataFrame", {"table": Table(rest) if rest.width else None, "others": others}
    )


def _pack_series(series: Any) -> Extension:
    return Extension(
        "polars.Series", _values(series) if _name(series.dtype) in _VALUES else Array(series)
    )


def _values(series: Any) -> dict[str, Any]:
    return {"name": series.name, "dtype": _name(series.dtype), "values": series.to_list()}


def make_frame(parts: Table | Mapping[str, Any]) -> Any:
    frame = _frame(parts)
    charge(_FRAME + _COLUMN * frame.width)
    return frame


def _frame(parts: Table | Mapping[str, Any]) -> Any:
    pl = _pl()
    if isinstance(parts, Table):
        return pl.DataFrame(parts)
    table = checked(parts["table"], Table, type(None))
    columns = [] if table is None else pl.DataFrame(table).get_columns()
    for each in checked(parts["others"], list):
        columns.insert(each["at"], _series(each))
    return pl.DataFrame(columns)


def make_series(parts: Array | Mapping[str, Any]) -> Any:
    charge(_COLUMN)
    return _pl().Series(parts) if isinstance(parts, Array) else _series(parts)


def _series(parts: Mapping[str, Any]) -> Any:
    dtype = checked(parts["dtype"], str)
    if dtype not in _VALUES:
        raise ValueError(f"the values are said to be of the type {dtype!r}")
    # Of a range, polars would make all numbers; it ends the process if there is no memory for them.
    values = checked(parts["values"], list)
    if dtype != "Object":
        for value in values:
            checked(value, type(None), *([int] if dtype.endswith("Int128") else []))
    return _pl().Series(checked(parts["name"], str), values, dtype=getattr(_pl(), dtype))


#: How to pack the objects of each class.
HOOKS: dict[str, Callable[[Any], Any]] = {"DataFrame": _pack_frame, "Series": _pack_series}
