"""Dask: a data frame of files, one partition for each run of blocks.

::

    from holdall.integrations.dask_dataframe import read_holdall

    flights = read_holdall("flights/*.hold")
    flights.groupby("carrier").dep_delay.mean().compute()

A partition reads the columns that a computation uses.
"""

from __future__ import annotations

from typing import Any

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa

from ._files import Files, Run


def read_holdall(source: Any, /, columns: list[str] | None = None, *, rows: int = 1 << 20) -> Any:
    """The rows of a path, a folder, a pattern, or a list of them.

    Each partition is a run of blocks with at most ``rows`` rows, or a part of a block that has more.
    """
    files = Files(source)
    meta = _frame(pa.Table.from_batches([], files.projected(columns)))
    runs = files.runs(rows)
    if not runs:
        return dd.from_pandas(meta, npartitions=1)
    return dd.from_map(
        _read, runs, files=files, columns=list(meta.columns), meta=meta, label="read-holdall"
    )


def _read(run: Run, *, files: Files, columns: list[str]) -> pd.DataFrame:
    batches = files.batches(run, columns)
    return _frame(pa.Table.from_batches(batches, files.projected(columns)))


def _frame(table: Any) -> pd.DataFrame:
    return table.to_pandas(types_mapper=_TYPES.get)


#: Text as Dask has it.
_TYPES: Any = {pa.large_string(): pd.StringDtype("pyarrow")}
