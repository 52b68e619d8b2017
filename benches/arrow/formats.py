"""Formats of tables: how each is written, and read by pyarrow, pandas, polars and DuckDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

#: Columns, and the bound that the first of them exceeds in the rows that are wanted.
Query = tuple[list[str], float]


class Format:
    """A file of one format. Each method reads the file again."""

    name: ClassVar[str]
    package: ClassVar[str | None] = None

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def write(self, table: Any) -> None:
        raise NotImplementedError

    def dataset(self) -> Any:
        """What pyarrow, polars and DuckDB read columns and rows of."""
        raise NotImplementedError

    def open(self) -> float:
        """The number of rows."""
        return float(self.dataset().count_rows())

    def column(self, name: str) -> Any:
        return self.dataset().to_table(columns=[name]).column(0)

    def filtered(self, query: Query) -> Any:
        names, bound = query
        return self.dataset().to_table(columns=names, filter=pc.field(names[0]) > bound)

    def pandas(self) -> Any:
        import pandas as pd

        return pd.DataFrame.from_arrow(self.dataset().to_table())

    def polars(self) -> Any:
        import polars as pl

        return pl.DataFrame(self.dataset().to_table())

    def duckdb(self) -> Any:
        import duckdb

        source = self.dataset()
        found = duckdb.sql("select * from source").to_arrow_table()
        del source
        return found


class Holdall(Format):
    name = "holdall"
    package = "holdall"
    profile: ClassVar[Any] = "balanced"

    def write(self, table: Any) -> None:
        import holdall

        with holdall.Writer(self.path, profile=self.profile) as writer:
            writer.write_table(table)

    def dataset(self) -> Any:
        from holdall.integrations.pyarrow import HoldallDataset

        return HoldallDataset(self.path)

    def open(self) -> float:
        import holdall

        return float(len(holdall.open(self.path)))

    def column(self, name: str) -> Any:
        import holdall

        return pa.table(holdall.scan(self.path, columns=[name])).column(0)

    def filtered(self, query: Query) -> Any:
        import holdall

        names, bound = query
        return pa.table(holdall.scan(self.path, columns=names, where=[(names[0], ">", bound)]))

    def pandas(self) -> Any:
        import holdall
        import pandas as pd

        return pd.DataFrame.from_arrow(holdall.scan(self.path))

    def polars(self) -> Any:
        import holdall
        import polars as pl

        return pl.DataFrame(holdall.scan(self.path))

    def duckdb(self) -> Any:
        import duckdb
        import holdall

        source = holdall.scan(self.path)
        found = duckdb.sql("select * from source").to_arrow_table()
        del source
        return found


class HoldallFast(Holdall):
    name = "holdall, fast"
    profile = "fast"


class HoldallSmall(Holdall):
    name = "holdall, small"
    profile = "small"


class ArrowIpc(Format):
    name = "Arrow IPC"

    def write(self, table: Any) -> None:
        with pa.OSFile(self.path, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=1 << 16)

    def dataset(self) -> Any:
        return ds.dataset(self.path, format="ipc")


class ArrowIpcZstd(ArrowIpc):
    name = "Arrow IPC, zstd"

    def write(self, table: Any) -> None:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with (
            pa.OSFile(self.path, "wb") as file,
            pa.ipc.new_file(file, table.schema, options=options) as writer,
        ):
            writer.write_table(table, max_chunksize=1 << 16)


class Parquet(Format):
    name = "Parquet"

    def write(self, table: Any) -> None:
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, self.path)

    def dataset(self) -> Any:
        return ds.dataset(self.path, format="parquet")

    def polars(self) -> Any:
        import polars as pl

        return pl.read_parquet(self.path)

    def duckdb(self) -> Any:
        import duckdb

        return duckdb.sql(f"select * from read_parquet('{self.path}')").to_arrow_table()


class Vortex(Format):
    name = "Vortex"
    package = "vortex-data"

    def write(self, table: Any) -> None:
        import vortex
        from vortex.io import VortexWriteOptions

        VortexWriteOptions.default().write(vortex.array(table), self.path)

    def dataset(self) -> Any:
        import vortex

        return vortex.open(self.path).to_dataset()


class Csv(Format):
    name = "CSV"

    def write(self, table: Any) -> None:
        import pyarrow.csv

        pyarrow.csv.write_csv(table, self.path)

    def dataset(self) -> Any:
        return ds.dataset(self.path, format="csv")

    def pandas(self) -> Any:
        import pandas as pd

        return pd.read_csv(self.path)

    def polars(self) -> Any:
        import polars as pl

        return pl.read_csv(self.path, infer_schema_length=None)

    def duckdb(self) -> Any:
        import duckdb

        return duckdb.sql(f"select * from read_csv('{self.path}')").to_arrow_table()


FORMATS: list[type[Format]] = [
    Holdall,
    HoldallFast,
    HoldallSmall,
    ArrowIpc,
    ArrowIpcZstd,
    Parquet,
    Vortex,
    Csv,
]


def named(name: str) -> type[Format]:
    return next(kind for kind in FORMATS if kind.name == name)
