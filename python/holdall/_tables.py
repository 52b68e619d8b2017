"""Tables: rows as Arrow's columns, by the PyCapsule interface of pandas, polars, pyarrow, DuckDB and others."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from . import _holdall

if TYPE_CHECKING:
    from ._view import View

#: A column that has no Arrow type is an error, or is left out.
Unmappable = Literal["error", "drop"]

_ALL = (1 << 64) - 1


class Scan:
    """Rows as a table that pandas, polars, pyarrow and DuckDB read. `holdall.scan` creates it.

    It reads nothing before it is asked for its schema or its rows, and then only the columns that you named:

    >>> data = holdall.dumps([{"id": n, "half": n / 2} for n in range(1000)])
    >>> scan = holdall.scan(data, columns=["half"], rows=slice(10, 20))
    >>> scan
    <holdall.Scan half: Float64>
    """

    __slots__ = ("_raw", "_view")

    def __init__(
        self,
        view: View,
        columns: Iterable[str] | None,
        rows: slice | None,
        on_unmappable: Unmappable,
    ) -> None:
        if on_unmappable not in ("error", "drop"):
            raise ValueError(f'on_unmappable is "error" or "drop", not {on_unmappable!r}')
        start, stop = (0, _ALL) if rows is None else _bounds(view, rows)
        names = None if columns is None else _names(columns)
        drops = on_unmappable == "drop"
        self._view = view
        self._raw = _holdall.Scan.of(view._raw, view._site, names, start, stop, drops)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}: {type}" for name, type in self._raw.fields())
        return f"<holdall.Scan {fields}>"

    def __arrow_c_schema__(self) -> Any:
        return self._raw.schema()

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        # The interface lets a producer ignore the request.
        return self._raw.stream()

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        return self._raw.array()


def _names(columns: Iterable[str]) -> list[str]:
    if isinstance(columns, str):
        raise TypeError(f"columns is a list of names, not a str: [{columns!r}]")
    return list(columns)


def _bounds(view: View, rows: slice) -> tuple[int, int]:
    if rows.step not in (None, 1):
        raise ValueError(f"rows is a slice without a step, not {rows}")
    first, last = rows.start or 0, rows.stop
    if first >= 0 and (last is None or last >= 0):
        return first, _ALL if last is None else last
    start, stop, _ = rows.indices(len(view))
    return start, stop


def scan(
    source: View | str | os.PathLike[str] | bytes | bytearray | memoryview,
    *,
    columns: Iterable[str] | None = None,
    rows: slice | None = None,
    on_unmappable: Unmappable = "error",
) -> Scan:
    """Reads rows as a table: of a path, bytes or a place in a view.

    The rows are the values of a stream, or the items of the list that a message holds; the fields of records are the columns.
    ``on_unmappable="drop"`` leaves out columns that have no Arrow type; by default they are a `DecodeError` with the path.

    >>> data = holdall.dumps({"users": [{"name": "Ada", "born": 1815}, {"name": "Grace", "born": None}]})
    >>> holdall.scan(holdall.view(data)["users"])
    <holdall.Scan name: Utf8View, born: Int64>
    """
    from . import _view

    if isinstance(source, _view.View):
        view = source
    elif isinstance(source, bytes | bytearray | memoryview):
        view = _view.view(source)
    else:
        view = _view.open(source)
    return Scan(view, columns, rows, on_unmappable)
