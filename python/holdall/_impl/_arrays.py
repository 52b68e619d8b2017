"""Arrow's arrays inside other objects: tables and single columns, of any package that has Arrow's PyCapsule interface."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from .. import _holdall

_Own = TypeVar("_Own", bound="_Base")

#: The most rows and the widest text that a repr shows.
_SHOWN = 5
_WIDEST = 30


def imported(value: Any) -> _holdall.Arrays:
    """Takes the arrays of an object. They are not copied."""
    if isinstance(value, _Base):
        return value._raw
    _check(value)
    for name in ("__arrow_c_stream__", "__arrow_c_array__"):
        export = getattr(value, name, None)
        if export is None:
            continue
        capsules = export()
        if name == "__arrow_c_array__":
            return _holdall.Arrays.of_array(*capsules)
        return _holdall.Arrays.of_stream(capsules)
    raise TypeError(
        f"a {type(value).__name__} has no Arrow data: it lacks __arrow_c_stream__ and __arrow_c_array__"
    )


def _check(value: Any) -> None:
    """Refuses frames that have other than Arrow's data."""
    if type(value).__module__.startswith("polars."):
        # It imports this module.
        from . import _polars

        _polars.check(value)


def batches(value: Any) -> Iterator[_holdall.Arrays]:
    """The arrays of an object one after the other, each made when it is asked for."""
    _check(value)
    if hasattr(value, "scanner"):
        # A dataset of pyarrow.
        value = value.scanner()
    if hasattr(value, "to_reader"):
        # A scanner of pyarrow, or a table.
        value = value.to_reader()
    export = getattr(value, "__arrow_c_stream__", None)
    return iter([imported(value)] if export is None else _holdall.ArrayStream(export()))


class _Base:
    __slots__ = ("__weakref__", "_raw")

    def __init__(self, data: Any) -> None:
        self._raw = imported(data)

    @classmethod
    def _of(cls: type[_Own], raw: _holdall.Arrays) -> _Own:
        made = cls.__new__(cls)
        made._raw = raw
        return made

    def __len__(self) -> int:
        return len(self._raw)

    def __arrow_c_schema__(self) -> Any:
        return self._raw.schema()

    def _values(self, start: int, stop: int) -> list[Any]:
        from . import _view

        some = type(self)._of(self._raw.rows(start, stop))
        rows: list[Any] = _view.view(_holdall.dumps(some))["rows"][:]
        return rows


class Array(_Base):
    """A column in Arrow's layout. `dumps` packs it as a column, and pandas, polars, pyarrow and others read it.

    >>> numbers = holdall.Table(holdall.scan(holdall.dumps([{"n": 1}, {"n": 2}])))["n"]
    >>> numbers
    <holdall.Array Int64, 2 rows: 1, 2>
    """

    __slots__ = ()

    @property
    def type(self) -> str:
        """The Arrow type of the values."""
        return self._raw.fields()[0][1]

    def tolist(self) -> list[Any]:
        """The values as Python objects, with None for absent ones."""
        found = self._raw.words()
        if found is None:
            return self._values(0, len(self))
        words, numbers = (Array._of(raw).tolist() for raw in found)
        return [None if number is None else words[number] for number in numbers]

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        return self._raw.array()

    def __repr__(self) -> str:
        shown = Array._of(self._raw.rows(0, _SHOWN)).tolist()
        more = ", ..." if len(self) > _SHOWN else ""
        text = ", ".join(map(_short, shown))
        return f"<holdall.Array {self.type}, {len(self):,} rows: {text}{more}>"


class Table(_Base):
    """Named columns in Arrow's layout: what `loads` returns for a data frame whose package is not imported.

    pandas, polars, pyarrow, DuckDB and others read it: ``polars.DataFrame(table)``. Make one of what they have, or of a
    `holdall.scan`:

    >>> table = holdall.Table(holdall.scan(holdall.dumps([{"name": "Ada", "born": 1815}, {"name": "Grace", "born": None}])))
    >>> table
    <holdall.Table of 2 rows>
    name      born
    Utf8View  Int64
    'Ada'     1815
    'Grace'   None
    >>> table["born"].tolist()
    [1815, None]
    """

    __slots__ = ()

    def __init__(self, data: Any) -> None:
        raw = imported(data).table()
        if not raw.is_table():
            raise TypeError(f"a table has columns, and {data!r:.60} is one; use holdall.Array")
        self._raw = raw

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        # The interface lets a producer ignore the request.
        return self._raw.stream()

    @property
    def columns(self) -> dict[str, str]:
        """The names and Arrow types of the columns."""
        return dict(self._raw.fields())

    def __getitem__(self, name: str) -> Array:
        for number, (own, _) in enumerate(self._raw.fields()):
            if own == name:
                return self.column(number)
        raise KeyError(name)

    def column(self, number: int) -> Array:
        """Returns a column by its number; names can occur twice."""
        return Array._of(self._raw.column(number))

    def tolist(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        fields = self._raw.fields()
        columns = [self.column(number).tolist() for number in range(len(fields))]
        names = [name for name, _ in fields]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def __repr__(self) -> str:
        fields = self._raw.fields()
        some = Table._of(self._raw.rows(0, _SHOWN))
        cells = [
            [name, type, *map(_short, some.column(number).tolist())]
            for number, (name, type) in enumerate(fields)
        ]
        widths = [max(map(len, column)) for column in cells]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in zip(*cells, strict=True)
        ]
        more = ["..."] if len(self) > _SHOWN else []
        return "\n".join([f"<holdall.Table of {len(self):,} rows>", *lines, *more])


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def make_arrays(raw: _holdall.Arrays) -> Table | Array:
    """Makes the object of arrays in data."""
    return Table._of(raw) if raw.is_table() else Array._of(raw)
