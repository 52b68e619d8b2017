"""pyarrow: files as a dataset, of which DuckDB, polars and others read the columns and rows that a query names.

>>> import duckdb, tempfile, os, holdall
>>> from holdall.integrations.pyarrow import HoldallDataset
>>> path = os.path.join(tempfile.mkdtemp(), "flights.hold")
>>> with holdall.Writer(path) as writer:
...     for number in range(10):
...         writer.write({"carrier": "UA", "delay": number})
>>> flights = HoldallDataset(path)
>>> duckdb.sql("select carrier, sum(delay)::int from flights where delay > 5 group by carrier").fetchall()
[('UA', 30)]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from ._files import Files

#: More than a file has.
_ALL = 1 << 62


class HoldallDataset(ds.Dataset):
    """The rows of a path, a folder, a pattern such as ``"*.hold"``, or a list of them."""

    def __init__(self, source: Any, *, _filter: Any = None) -> None:
        self._files = source if isinstance(source, Files) else Files(source)
        self._filter = _filter

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._files, self._filter)

    @property
    def schema(self) -> Any:
        return self._files.schema

    def scanner(self, columns: Any = None, filter: Any = None, **_: Any) -> HoldallScanner:
        if self._filter is not None:
            filter = self._filter if filter is None else self._filter & filter
        return HoldallScanner(self._files, columns, filter)

    def filter(self, expression: Any) -> HoldallDataset:
        both = expression if self._filter is None else self._filter & expression
        return HoldallDataset(self._files, _filter=both)

    def count_rows(self, filter: Any = None, **_: Any) -> int:
        return self.scanner([], filter).count_rows()

    def _refused(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("holdall files have no fragments; use to_table() or scanner()")

    get_fragments = replace_schema = join = join_asof = sort_by = _refused
    partition_expression = property(_refused)


class HoldallScanner(ds.Scanner):
    """Columns of the rows of files for which a filter is true."""

    def __init__(self, files: Files, columns: Any, filter: Any) -> None:
        if columns is not None and not isinstance(columns, list | tuple):
            raise NotImplementedError(f"columns is a list of names, not {columns!r}")
        self._files, self._columns, self._filter = files, columns, filter

    @property
    def dataset_schema(self) -> Any:
        return self._files.schema

    @property
    def projected_schema(self) -> Any:
        return self._files.projected(self._columns)

    def to_batches(self) -> Iterator[Any]:
        for run in self._files.runs(_ALL):
            yield from self._files.batches(run, self._columns, self._filter)

    def to_reader(self) -> Any:
        return pa.RecordBatchReader.from_batches(self.projected_schema, self.to_batches())

    def to_table(self) -> Any:
        return self.to_reader().read_all()

    def count_rows(self) -> int:
        return sum(batch.num_rows for batch in self.to_batches())

    def head(self, num_rows: int) -> Any:
        batches = []
        for batch in self.to_batches():
            batches.append(batch.slice(0, num_rows))
            num_rows -= batches[-1].num_rows
            if num_rows <= 0:
                break
        return pa.Table.from_batches(batches, self.projected_schema)

    def take(self, indices: Any) -> Any:
        return self.to_table().take(indices)

    def scan_batches(self) -> Any:
        raise NotImplementedError("use to_batches()")


def _restored(files: Files, filter: Any) -> HoldallDataset:
    return HoldallDataset(files, _filter=filter)
