"""How many bytes of a file the queries of other packages read, as the system counts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import holdall
import pyarrow as pa
import pytest

ROWS = 60_000

#: A program that runs each query twice, and counts the second time. No file is mapped, so that every byte is counted.
QUERIES = """
import json, sys
import duckdb, holdall, polars as pl, pyarrow as pa, pyarrow.compute as pc
from holdall.integrations.polars import scan_holdall
from holdall.integrations.pyarrow import HoldallDataset

path = sys.argv[1]

def counted():
    with open("/proc/self/io") as file:
        return int(file.readline().split()[1])

def taken(work):
    work()
    before = counted()
    work()
    after = counted()
    # Without what the count itself reads.
    return 2 * after - before - counted()

def sql(query):
    rows = HoldallDataset(path)
    duckdb.sql(query).fetchall()

opening = taken(lambda: holdall.open(path))
columns = {name: taken(lambda: holdall.open(path)[name].column()) - opening for name in ("x", "text")}
one = {
    "scan": lambda: pa.table(holdall.scan(path, columns=["x"])),
    "pyarrow": lambda: HoldallDataset(path).to_table(columns=["x"]),
    "polars": lambda: scan_holdall(path).select(pl.col("x").sum()).collect(),
    "duckdb": lambda: sql("select sum(x) from rows"),
}
few = {
    "scan": lambda: pa.table(holdall.scan(path, columns=["text"], where=[("id", "<", 5)])),
    "pyarrow": lambda: HoldallDataset(path).to_table(columns=["text"], filter=pc.field("id") < 5),
    "polars": lambda: scan_holdall(path).filter(pl.col("id") < 5).select("text").collect(),
    "duckdb": lambda: sql("select text from rows where id < 5"),
}
print(json.dumps({
    "columns": columns,
    "one": {name: taken(query) - opening for name, query in one.items()},
    "few": {name: taken(query) - opening for name, query in few.items()},
}))
"""


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="only Linux counts the bytes")
def test_queries_read_little_more_than_the_columns_and_blocks_that_they_need(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rows.hold"
    table = pa.table(
        {
            "id": pa.array(range(ROWS), pa.int64()),
            "x": pa.array([n * 0.37 % 11 if n % 7 else None for n in range(ROWS)]),
            "word": pa.array([f"word {n * 7919 % 1009}" for n in range(ROWS)]),
            "text": pa.array([f"{n * 104_729 % 1_000_003:060}" for n in range(ROWS)]),
        }
    )
    with holdall.Writer(path, block_rows=4000) as writer:
        writer.write_table(table)
    done = subprocess.run(
        [sys.executable, "-c", QUERIES, str(path)],
        env=os.environ | {"HOLDALL_NO_MAPS": "1"},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found = json.loads(done.stdout)
    own = found["columns"]
    assert own["x"] < path.stat().st_size / 4
    for engine, taken in found["one"].items():
        assert taken <= 1.1 * own["x"], (engine, found)
    for engine, taken in found["few"].items():
        # As many of the 15 blocks as cores decode together.
        assert taken <= own["text"] * max(2, os.cpu_count() or 1) / 15 * 1.3, (engine, found)
