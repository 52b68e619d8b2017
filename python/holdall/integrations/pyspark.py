"""Spark: a data source in Python, whose tasks read runs of rows as batches of Arrow.

::

    from holdall.integrations.pyspark import HoldallDataSource

    spark.dataSource.register(HoldallDataSource)
    flights = spark.read.format("holdall").option("columns", "carrier,dep_delay").load("flights.hold")

The option ``columns`` names the columns to read, and ``rows`` is the most rows of a task (2**20). A source in
Python does not learn from Spark which columns a query uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from ._files import Files, Run


class HoldallDataSource(DataSource):
    """The rows of a path, a folder or a pattern."""

    @classmethod
    def name(cls) -> str:
        return "holdall"

    def schema(self) -> StructType:
        return from_arrow_schema(
            _spark(Files(self.options["path"]).projected(_columns(self.options)))
        )

    def reader(self, schema: StructType) -> HoldallReader:
        return HoldallReader(self.options)


class HoldallReader(DataSourceReader):
    """Reads runs of rows."""

    def __init__(self, options: Any) -> None:
        self._path, self._columns = options["path"], _columns(options)
        self._rows = int(options.get("rows", 1 << 20))

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(tuple(run)) for run in Files(self._path).runs(self._rows)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        files = Files(self._path)
        schema = _spark(files.projected(self._columns))
        for batch in files.batches(Run(*partition.value), self._columns):
            yield batch.cast(schema)


def _columns(options: Any) -> list[str] | None:
    named = options.get("columns")
    return None if named is None else [name.strip() for name in named.split(",")]


def _spark(schema: Any) -> Any:
    """A schema that Spark has types for: it has no unsigned integers, and times of microseconds only."""
    import pyarrow as pa

    wider = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64()}

    def adapted(field: Any) -> Any:
        type = wider.get(field.type, field.type)
        if pa.types.is_timestamp(type):
            type = pa.timestamp("us", type.tz)
        elif pa.types.is_large_string(type):
            type = pa.string()
        elif pa.types.is_large_binary(type):
            type = pa.binary()
        return field.with_type(type).remove_metadata()

    return pa.schema([adapted(field) for field in schema])
