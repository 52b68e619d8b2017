"""File objects and file systems: what queries read of them."""

from __future__ import annotations

import decimal
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import fsspec
import holdall
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from holdall.integrations.polars import scan_holdall
from holdall.integrations.pyarrow import HoldallDataset

ROWS = 40_000
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "x": pa.array([n * 0.37 % 11 if n % 7 else None for n in range(ROWS)], pa.float64()),
        "text": pa.array([f"{n * 104_729 % 1_000_003:060}" for n in range(ROWS)]),
    }
)


class Counted(io.BytesIO):
    """A file that counts the bytes that are read of it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


def written(rows: int = 2000) -> bytes:
    file = io.BytesIO()
    with holdall.Writer(file, block_rows=rows) as writer:
        writer.write_table(TABLE)
    return file.getvalue()


DATA = written()


def columns_of(data: bytes, *names: str) -> int:
    """The bytes of some columns in all blocks: what reading a block's columns takes beyond opening the file."""
    file = Counted(data)
    view = holdall.open(file)
    before = file.taken
    for name in names:
        view[name].column()
    return file.taken - before


def arrow(file: Any) -> None:
    HoldallDataset(file).to_table(columns=["x"])


def lazy(file: Any) -> None:
    scan_holdall(file).select(pl.col("x").sum()).collect()


def sql(file: Any) -> None:
    rows = HoldallDataset(file)
    duckdb.sql("select sum(x) from rows").fetchall()
    del rows


def table(file: Any) -> None:
    pa.table(holdall.scan(file, columns=["x"]))


@pytest.mark.parametrize("query", [table, arrow, lazy, sql])
def test_a_query_reads_little_more_than_the_columns_that_it_names(query: Any) -> None:
    data = written(rows=10_000)
    file = Counted(data)
    holdall.open(file)
    opening = file.taken
    file.taken = 0
    query(file)
    own = columns_of(data, "x")
    assert own < len(data) / 4
    assert file.taken - opening <= 1.1 * own, (file.taken, opening, own, len(data))


def test_blocks_without_such_rows_are_not_read() -> None:
    data = written(rows=10_000)
    whole = columns_of(data, "text")
    for query in (
        lambda file: pa.table(holdall.scan(file, columns=["text"], where=[("id", "<", 5)])),
        lambda file: HoldallDataset(file).to_table(columns=["text"], filter=pc.field("id") < 5),
        lambda file: scan_holdall(file).filter(pl.col("id") < 5).select("text").collect(),
    ):
        file = Counted(data)
        assert len(query(file)) == 5
        assert file.taken < whole / 2


def test_decimals_of_blocks_become_the_type_that_holds_all() -> None:
    values = [decimal.Decimal(text) for text in ("1.5", "22.25", "-333.125", "4e30")]
    file = io.BytesIO()
    with holdall.Writer(file, block_rows=1) as writer:
        for value in [*values, None]:
            writer.write({"price": value, "wide": 1 if value is None else 2**70})
    found = pa.table(holdall.scan(file.getvalue()))
    assert found["price"].to_pylist() == [*values, None]
    assert found["wide"].to_pylist() == [2**70] * 4 + [1]
    assert found.schema.field("price").type == pa.decimal128(34, 3)


def test_a_file_system_of_fsspec() -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe("/rows.hold", DATA)
    with memory.open("/rows.hold") as file:
        for source in ("memory://rows.hold", file, fsspec.open("memory://rows.hold")):
            found = pa.table(holdall.scan(source, columns=["x"]))
            assert found["x"].to_pylist() == TABLE["x"].to_pylist()
    assert holdall.open("memory://rows.hold")[39_999]["id"] == 39_999
    assert len(list(holdall.Reader("memory://rows.hold"))) == ROWS
    assert HoldallDataset("memory://rows.hold").count_rows() == ROWS


@pytest.mark.parametrize(
    ("block_rows", "rows", "expected"),
    [
        (100, 240, [(0, 200), (200, 400), (400, 450)]),
        (100, 250, [(0, 200), (200, 450)]),
        (100, 100, [(0, 100), (100, 200), (200, 300), (300, 400), (400, 450)]),
        (100, 1000, [(0, 450)]),
        # Of a block with more rows, parts.
        (200, 150, [(0, 150), (150, 200), (200, 350), (350, 400), (400, 450)]),
    ],
)
def test_a_run_is_of_whole_blocks_where_they_fit(
    block_rows: int, rows: int, expected: list[tuple[int, int]]
) -> None:
    file = io.BytesIO()
    with holdall.Writer(file, block_rows=block_rows) as writer:
        writer.write_table(TABLE.slice(0, 450))
    assert holdall.scan(file.getvalue())._runs(rows) == expected
    assert holdall.scan(file.getvalue(), rows=slice(150, 320))._runs(1000) == [(150, 320)]
    assert holdall.scan(holdall.dumps([{"a": 1}] * 5))._runs(2) == [(0, 2), (2, 4), (4, 5)]
    assert holdall.scan(holdall.dumps([]))._runs(2) == []


def test_a_dataset_is_written_batch_by_batch(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "rows.parquet", row_group_size=1000)
    whole = ds.dataset(tmp_path / "rows.parquet")
    for source in (whole, whole.scanner(columns=["id"]), TABLE.to_reader(), TABLE):
        file = io.BytesIO()
        with holdall.Writer(file) as writer:
            writer.write_table(source)
        found = pa.table(holdall.scan(file.getvalue(), columns=["id"]))
        assert found["id"].to_pylist() == TABLE["id"].to_pylist()


def test_writing_a_dataset_holds_a_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    row = pa.table({"id": pa.array(range(100_000), pa.int64()), "x": pa.array([1.5] * 100_000)})
    with pq.ParquetWriter(path, row.schema) as out:
        for _ in range(40):
            out.write_table(row)
    code = (
        "import holdall, pyarrow.dataset as ds, resource, sys\n"
        "with holdall.Writer(sys.argv[2]) as writer:\n"
        "    writer.write_table(ds.dataset(sys.argv[1]).scanner(batch_readahead=1, fragment_readahead=1))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )

    def peak(source: Path) -> int:
        command = [sys.executable, "-c", code, str(source), str(tmp_path / "rows.hold")]
        return int(subprocess.run(command, capture_output=True, check=True).stdout) << 10

    small = tmp_path / "small.parquet"
    pq.write_table(row, small)
    # The rows of the large one take 64 MB.
    assert peak(path) - peak(small) < 40 << 20
