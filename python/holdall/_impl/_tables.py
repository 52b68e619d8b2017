"""Tables: rows as Arrow's columns, by the PyCapsule interface of pandas, polars, pyarrow, DuckDB and others."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, get_args

from .. import _holdall
from . import _files
from ._keywords import names_checked

if TYPE_CHECKING:
    from ._view import View

#: A column that has no Arrow type is an error, is left out, or holds each value as text of JSON, or as a message.
Unmappable = Literal["error", "drop", "json", "binary"]

#: Conditions that all hold: name, operator and value. Or an expression of pyarrow.
Where = Any

#: The bounds of a block's rows, the columns of a condition, and for which rows it is true.
Block = tuple[int, int, Any, Any]

_ALL = (1 << 64) - 1

#: The most blocks of a run, which are in memory together.
_MAX_RUN_BLOCKS = 16


class Scan:
    """Rows as a table that pandas, polars, pyarrow and DuckDB read. `holdall.scan` creates it.

    It reads nothing before it is asked for its schema or its rows, and then only the columns that you named:

    >>> data = holdall.dumps([{"id": n, "half": n / 2} for n in range(1000)])
    >>> scan = holdall.scan(data, columns=["half"], rows=slice(10, 20))
    >>> scan
    <holdall.Scan half: Float64>
    """

    __slots__ = ("_columns", "_raw", "_start", "_stop", "_view", "_where")

    def __init__(
        self,
        raw: _holdall.Scan,
        view: View,
        start: int,
        stop: int,
        columns: list[str] | None,
        where: Where,
    ) -> None:
        self._raw, self._view, self._start, self._stop = raw, view, start, stop
        self._columns, self._where = columns, where

    def _part(self, columns: list[str] | None, start: int, stop: int) -> Scan:
        """Columns of rows, without a condition."""
        raw = self._raw.part(columns, start, stop)
        return Scan(raw, self._view, start, stop, columns, None)

    def _runs(self, rows: int) -> list[tuple[int, int]]:
        """The bounds of runs of at most this many rows: whole blocks, or parts of a block that has more."""
        raw, site = self._view._raw, self._view._site
        length = raw.len(site)
        stop = min(self._stop, 1 if length is None else length)
        inside = [at for at in raw.block_starts() if self._start < at < stop] if site == 0 else []
        bounds = [self._start, *inside, stop]
        starts = set(bounds)
        runs: list[tuple[int, int]] = []
        for start, end in itertools.pairwise(bounds):
            if runs and end - runs[-1][0] <= rows and runs[-1][0] in starts:
                runs[-1] = (runs[-1][0], end)
            else:
                runs += [(at, min(at + rows, end)) for at in range(start, end, rows)]
        return runs

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}: {type}" for name, type in self._raw.fields())
        return (
            f"<holdall.Scan {fields}>"
            if self._where is None
            else f"<holdall.Scan {fields}, filtered>"
        )

    def __arrow_c_schema__(self) -> Any:
        return (
            self._raw.schema()
            if self._where is None
            else self._filtered().schema.__arrow_c_schema__()
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        # The interface lets a producer ignore the request.
        return self._raw.stream() if self._where is None else self._filtered().__arrow_c_stream__()

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        if self._where is None:
            return self._raw.array()
        capsules: tuple[Any, Any] = (
            self._filtered().read_all().to_struct_array().combine_chunks().__arrow_c_array__()
        )
        return capsules

    def _filtered(self) -> Any:
        from ..integrations import _filters

        return _filters.reader(self, self._columns, self._where)


class Exported:
    """What `scan` reads, as a table by Arrow's interface."""

    __slots__ = ()

    def __arrow_c_schema__(self) -> Any:
        """The rows as an Arrow table, as `holdall.scan` reads them."""
        return scan(self).__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return scan(self).__arrow_c_stream__(requested_schema)


def runs(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Blocks that follow each other: all cores read the blocks of a run."""
    run: list[Block] = []
    for block in blocks:
        if run and (run[-1][1] != block[0] or len(run) == _MAX_RUN_BLOCKS):
            yield run
            run = []
        run.append(block)
    if run:
        yield run


def _names(columns: Iterable[str]) -> list[str]:
    if isinstance(columns, str):
        raise TypeError(f"columns is a list of names, not a str: [{columns!r}]")
    return list(columns)


def _path(reader: Any) -> str:
    if reader._path is None:
        raise TypeError(
            "only the reader of a path is a table; pass the file itself to holdall.scan"
        )
    return str(reader._path)


def _bounds(view: View, rows: slice) -> tuple[int, int]:
    if rows.step not in (None, 1):
        raise ValueError(f"rows is a slice without a step, not {rows}")
    first, last = rows.start or 0, rows.stop
    if first >= 0 and (last is None or last >= 0):
        return first, _ALL if last is None else last
    start, stop, _ = rows.indices(len(view))
    return start, stop


@names_checked
def scan(
    source: Exported | _files.PathLike | _files.Reads | bytes | bytearray | memoryview,
    *,
    columns: Iterable[str] | None = None,
    rows: slice | None = None,
    where: Where = None,
    on_unmappable: Unmappable = "error",
) -> Scan:
    """Reads rows as a table: of a path, URL, binary file object or bytes, a place in a view, or the reader of a path.

    The rows are the values of a stream, or the items of the list that a message holds; the fields of records are the columns.
    ``where`` selects the rows for which all conditions are true, each a name, an operator and a value
    (``[("year", ">=", 2013), ("carrier", "in", ["UA", "AA"])]``), or a `pyarrow.compute.Expression`. It needs pyarrow, and reads
    the other columns only of blocks that have such rows. Columns that have no Arrow type are a `DecodeError` with the path.
    ``on_unmappable="drop"`` leaves them out; with ``"json"`` each of their values is text of JSON, and with ``"binary"`` a message.

    >>> data = holdall.dumps({"users": [{"name": "Ada", "born": 1815}, {"name": "Grace", "born": None}]})
    >>> holdall.scan(holdall.view(data)["users"])
    <holdall.Scan name: Utf8View, born: Int64>
    """
    from . import _view

    if on_unmappable not in get_args(Unmappable):
        allowed = ", ".join(map(repr, get_args(Unmappable)))
        raise ValueError(f"on_unmappable is one of {allowed}, not {on_unmappable!r}")
    if isinstance(source, _view.View):
        view = source
    elif isinstance(source, Exported):
        view = _view.open(_path(source))
    elif isinstance(source, bytes | bytearray | memoryview):
        view = _view.view(source)
    else:
        view = _view.open(source)
    start, stop = (0, _ALL) if rows is None else _bounds(view, rows)
    names = None if columns is None else _names(columns)
    raw = _holdall.Scan.of(view._raw, view._site, names, start, stop, on_unmappable)
    return Scan(raw, view, start, stop, names, where)
