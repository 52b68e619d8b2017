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
from collections.abc import Iterator

import polars as pl
from polars.io.plugins import register_io_source

from .._impl._arrays import Table, batches
from .._impl._tables import Block, Scan, runs, scan

#: The rows of a frame, if there is no condition.
_ROWS = 1 << 20


def scan_holdall(source: str | os.PathLike[str] | bytes | Scan, /) -> pl.LazyFrame:
    """The rows of a path, bytes, or a `holdall.Scan` without a condition."""
    whole = source if isinstance(source, Scan) else scan(source)

    def read(
        columns: list[str] | None, predicate: pl.Expr | None, limit: int | None, _size: int | None
    ) -> Iterator[pl.DataFrame]:
        found: Iterator[pl.DataFrame]
        if predicate is None:
            end = whole._stop if limit is None else min(whole._stop, whole._start + limit)
            part = whole._part(columns, whole._start, end)
            found = (pl.DataFrame(part._part(columns, *run)) for run in part._runs(_ROWS))
        else:
            found = _found(whole, columns, predicate)
        for frame in found:
            own = frame if limit is None else frame.head(limit)
            yield own
            limit = None if limit is None else limit - own.height
            if limit == 0:
                return

    return register_io_source(
        read, schema=lambda: pl.DataFrame(whole._part(None, 0, 0)).schema, is_pure=True
    )


def _found(whole: Scan, columns: list[str] | None, predicate: pl.Expr) -> Iterator[pl.DataFrame]:
    """The rows for which a condition is true. Its columns are read first, and others only of blocks that have such rows."""
    names = pl.DataFrame(whole._part(None, 0, 0)).columns if columns is None else columns
    keys = list(dict.fromkeys(predicate.meta.root_names())) or names[:1]
    others = [name for name in names if name not in keys]

    def blocks() -> Iterator[Block]:
        stop = whole._start
        for arrays in batches(whole._part(keys, whole._start, whole._stop)):
            keyed = pl.DataFrame(Table._of(arrays.table()))
            mask = keyed.with_columns(predicate.fill_null(False).alias("\0mask")).to_series(-1)
            start, stop = stop, stop + keyed.height
            if mask.any():
                yield start, stop, keyed, mask

    for run in runs(blocks()):
        frame = pl.concat([keyed for _, _, keyed, _ in run])
        if others:
            frame = frame.hstack(pl.DataFrame(whole._part(others, run[0][0], run[-1][1])))
        yield frame.filter(pl.concat([mask for *_, mask in run])).select(names)
