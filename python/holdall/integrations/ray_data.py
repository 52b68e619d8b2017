"""Ray: datasets of files, read by runs of rows, and written as one stream for each task.

::

    import ray.data
    from holdall.integrations.ray_data import HoldallDatasink, HoldallDatasource

    flights = ray.data.read_datasource(HoldallDatasource("flights"))
    flights.select_columns(["carrier"]).write_datasink(HoldallDatasink("carriers"))
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from ray.data import Datasink, Datasource, ReadTask
from ray.data.block import BlockAccessor, BlockMetadata

from .._impl._streams import Writer
from ._files import Files, Run


class HoldallDatasource(Datasource):
    """The rows of a path, a folder, a pattern, or a list of them; each task reads at most ``rows`` of them."""

    def __init__(self, source: Any, *, rows: int = 1 << 20) -> None:
        super().__init__()
        # The base class reads and copies it, but leaves it to others to set.
        self._projection_map: dict[str, str] | None = None
        self._files, self._rows = Files(source), rows

    def estimate_inmemory_data_size(self) -> int | None:
        return None

    def supports_projection_pushdown(self) -> bool:
        return True

    def get_read_tasks(self, parallelism: int, *_: Any, **limits: Any) -> list[ReadTask]:
        named = self.get_projection_map()
        # A table without columns has no rows.
        columns = None if named is None else list(named) or self._files.schema.names[:1]
        schema = self._files.projected(columns)
        tasks = []
        for run in self._files.runs(self._rows):
            files = [str(self._files.sources[run.source])]
            metadata = BlockMetadata(
                num_rows=None, size_bytes=None, input_files=files, exec_stats=None
            )
            read = functools.partial(_read, self._files, run, columns)
            tasks.append(
                ReadTask(
                    read,
                    metadata,
                    schema=schema,
                    per_task_row_limit=limits.get("per_task_row_limit"),
                )
            )
        return tasks


def _read(files: Files, run: Run, columns: list[str] | None) -> Iterator[Any]:
    yield pa.Table.from_batches(files.batches(run, columns), files.projected(columns))


class HoldallDatasink(Datasink):
    """Writes a stream for each task into a folder, with the options of `holdall.Writer`."""

    def __init__(self, folder: str | Path, **options: Any) -> None:
        self._folder, self._options = Path(folder), options

    def on_write_start(self, *_: Any, **__: Any) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    def write(self, blocks: Iterable[Any], ctx: Any) -> None:
        path = self._folder / f"{ctx.task_idx:06}-{uuid.uuid4().hex[:8]}.hold"
        with Writer(path, exclusive=True, **self._options) as writer:
            for block in blocks:
                writer.write_table(BlockAccessor.for_block(block).to_arrow())
