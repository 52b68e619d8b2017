"""polars: a lazy frame of files, of which a query reads the columns and rows that it names.

>>> import os, tempfile, holdall, polars as pl
>>> from holdall.integrations.polars import scan_holdall
>>> path = os.path.join(tempfile.mkdtemp(), "flights.hold")
>>> with holdall.Writer(path) as writer:
...     for number in range(10):
...         writer.write({"carrier": "UA", "delay": number})
>>> scan_holdall(path).filter(pl.col("delay") > 5).select(pl.col("delay").sum()).collect().item()
30
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from .._tables import Scan, scan

#: The rows that are filtered together.
_ROWS = 1 << 20


def scan_holdall(source: str | os.PathLike[str] | bytes | Scan, /) -> pl.LazyFrame:
    """The rows of a path, bytes, or a `holdall.Scan` without a condition."""
    whole = source if isinstance(source, Scan) else scan(source)

    def frame(columns: list[str] | None, start: int, stop: int) -> pl.DataFrame:
        return pl.DataFrame(whole._part(columns, start, stop))

    def read(
        columns: list[str] | None, predicate: pl.Expr | None, limit: int | None, _size: int | None
    ) -> Iterator[pl.DataFrame]:
        for start, stop in whole._runs(_ROWS):
            if predicate is None:
                end = stop if limit is None else min(stop, start + limit)
                some: Iterable[pl.DataFrame] = [frame(columns, start, end)]
            else:
                some = _found(frame, (start, stop), columns, predicate)
            for found in some:
                own = found if limit is None else found.head(limit)
                yield own
                limit = None if limit is None else limit - own.height
                if limit == 0:
                    return

    return register_io_source(read, schema=lambda: frame(None, 0, 0).schema, is_pure=True)


def _found(
    frame: Any, rows: tuple[int, int], columns: list[str] | None, predicate: pl.Expr
) -> Iterator[pl.DataFrame]:
    """The rows for which a condition is true. Its columns are read first, and others only of blocks that have such rows."""
    names = frame(None, 0, 0).columns if columns is None else columns
    keyed = frame(list(dict.fromkeys(predicate.meta.root_names())) or names[:1], *rows)
    mask = keyed.with_columns(predicate.fill_null(False).alias("\0mask")).to_series(-1)
    others = [name for name in names if name not in keyed.columns]
    runs: list[tuple[int, int]] = []
    stop = 0
    for length in keyed.to_series(0).chunk_lengths():
        start, stop = stop, stop + length
        if not mask.slice(start, length).any():
            continue
        if runs and runs[-1][1] == start:
            runs[-1] = (runs[-1][0], stop)
        else:
            runs.append((start, stop))
    for start, stop in runs:
        own = keyed.slice(start, stop - start)
        whole = own.hstack(frame(others, rows[0] + start, rows[0] + stop)) if others else own
        yield whole.filter(mask.slice(start, stop - start)).select(names)
