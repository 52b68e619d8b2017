"""Files of rows for engines: their columns, and runs of rows that tasks read."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from .._impl._tables import Scan, scan
from . import _filters


class Run(NamedTuple):
    """Some rows of a file that follow each other. Only the blocks that have them are read."""

    source: Any
    start: int
    stop: int


def found(source: Any) -> list[Any]:
    """The files of a folder, a pattern or a list, in their order; else the source itself."""
    if isinstance(source, list | tuple):
        return [each for one in source for each in found(one)]
    if isinstance(source, str | Path):
        if Path(source).is_dir():
            return sorted(map(str, Path(source).glob("**/*.hold")))
        if glob.has_magic(str(source)) and not Path(source).exists():
            return sorted(glob.glob(str(source), recursive=True))  # noqa: PTH207 (of an absolute pattern)
    return [source]


class Files:
    """Rows of one or several files that have the same columns. In another process it opens the files again."""

    def __init__(self, source: Any) -> None:
        self.sources = found(source)
        if not self.sources:
            raise FileNotFoundError(f"there are no files at {source!r}")
        self._scans: dict[int, Scan] = {}
        schemas = [_filters.plain_schema(self._scan(number)) for number in range(len(self.sources))]
        self.schema = pa.unify_schemas(schemas)
        self._names = [frozenset(schema.names) for schema in schemas]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_scans": {}}

    def _scan(self, number: int) -> Scan:
        if number not in self._scans:
            self._scans[number] = scan(self.sources[number])
        return self._scans[number]

    def runs(self, rows: int) -> list[Run]:
        """Runs of at most this many rows."""
        every = range(len(self.sources))
        return [Run(number, *run) for number in every for run in self._scan(number)._runs(rows)]

    def projected(self, columns: Iterable[str] | None) -> Any:
        """The schema of some columns."""
        if columns is None:
            return self.schema
        return pa.schema([self.schema.field(name) for name in columns], self.schema.metadata)

    def batches(self, run: Run, columns: Iterable[str] | None, where: Any = None) -> Iterator[Any]:
        """The batches of a run: some columns of the rows for which a condition is true."""
        schema = self.projected(columns)
        there = self._names[run.source]
        own = [name for name in schema.names if name in there] or sorted(there)[:1]
        part = self._scan(run.source)._part(own, run.start, run.stop)
        rows = part if where is None else _filters.reader(part, own, where)
        for batch in pa.RecordBatchReader.from_stream(rows):
            if not schema.names:
                yield batch.select([])
                continue
            arrays = [
                batch.column(field.name).cast(field.type)
                if field.name in there
                else pa.nulls(len(batch), field.type)
                for field in schema
            ]
            yield pa.record_batch(arrays, schema=schema)
