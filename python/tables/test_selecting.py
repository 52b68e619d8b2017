"""What queries of other packages read of a file: the columns and the rows that they name."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import holdall
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from holdall.integrations.polars import scan_holdall
from holdall.integrations.pyarrow import HoldallDataset

ROWS = 20_000
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "x": pa.array([n * 0.37 % 11 if n % 7 else None for n in range(ROWS)], pa.float64()),
        "word": pa.array([f"word {n * 7919 % 1009}" for n in range(ROWS)]),
        "text": pa.array([f"{n * 104_729 % 1_000_003:060}" for n in range(ROWS)]),
        "tags": pa.array([["a", None][: n % 3] for n in range(ROWS)], pa.list_(pa.string())),
    }
)


def written(table: Any = TABLE, rows: int = 2000) -> bytes:
    file = io.BytesIO()
    with holdall.Writer(file, block_rows=rows) as writer:
        writer.write_table(table)
    return file.getvalue()


DATA = written()
MESSAGE = holdall.dumps(TABLE.to_pylist())


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("selecting") / "rows.hold"
    path.write_bytes(DATA)
    return path


WHERES = [
    (
        [("id", ">=", 12_345), ("id", "<", 12_400)],
        (pc.field("id") >= 12_345) & (pc.field("id") < 12_400),
    ),
    ([("x", ">", 10.5)], pc.field("x") > 10.5),
    ([("word", "in", ["word 7", "word 8"])], pc.field("word").isin(["word 7", "word 8"])),
    (
        [("word", "!=", "word 7"), ("id", "<=", 3)],
        (pc.field("word") != "word 7") & (pc.field("id") <= 3),
    ),
    ([("x", "not in", [0.0])], ~pc.field("x").isin([0.0])),
    ([("id", "==", -1)], pc.field("id") == -1),
    ([], pc.scalar(True)),
]


@pytest.mark.parametrize("where", WHERES, ids=lambda where: str(where[1]))
@pytest.mark.parametrize("columns", [None, ["text"], ["id", "tags"], ["word", "x", "id"]])
def test_where_selects_exactly_the_rows(path: Path, where: Any, columns: list[str] | None) -> None:
    expected = TABLE.filter(where[1]).select(columns or TABLE.column_names).to_pylist()
    for condition in where:
        found = pa.table(holdall.scan(path, columns=columns, where=condition))
        assert found.to_pylist() == expected
    found = pa.table(holdall.scan(MESSAGE, columns=columns, where=where[0]))
    assert found.to_pylist() == expected


def test_where_is_applied_to_the_rows_that_are_asked_for(path: Path) -> None:
    found = holdall.scan(path, columns=["id"], rows=slice(3000, 9000), where=[("x", ">", 10)])
    rows = TABLE.slice(3000, 6000).filter(pc.field("x") > 10)
    assert pl.DataFrame(found)["id"].to_list() == rows["id"].to_pylist()
    assert duckdb.sql("select count(*) from found").fetchall() == [(rows.num_rows,)]
    assert pa.array(found)[0].as_py() == {"id": rows["id"][0].as_py()}


def test_where_refuses_unknown_names_and_operators(path: Path) -> None:
    with pytest.raises(ValueError, match="an operator is one of ==, "):
        pa.table(holdall.scan(path, where=[("id", "=", 3)]))
    with pytest.raises(pa.ArrowInvalid, match="No match for FieldRef"):
        pa.table(holdall.scan(path, columns=["id"], where=[("none", "==", 3)]))


QUERIES = [
    "select sum(id), count(*) from rows where x > 10.5",
    "select word, sum(x) from rows group by word order by word limit 5",
    "select id, text from rows where id between 12345 and 12350 order by id",
    "select count(*) from rows",
    "select count(*) from rows where word = 'word 7' or id < 3",
    "select max(len(tags)) from rows",
    "select count(*) from rows where x is null",
    "select text from rows where word in ('word 1', 'word 2') and id > 15000 order by id",
]


@pytest.mark.parametrize("query", QUERIES)
def test_duckdb_queries_a_dataset(path: Path, query: str) -> None:
    rows = TABLE
    expected = duckdb.sql(query).fetchall()
    rows = HoldallDataset(path)
    assert duckdb.sql(query).fetchall() == expected
    assert rows is not None


def test_a_dataset_is_one_of_pyarrow(path: Path, tmp_path: Path) -> None:
    dataset = HoldallDataset(path)
    assert dataset.count_rows() == ROWS
    assert dataset.count_rows(filter=pc.field("id") < 5) == 5
    assert dataset.head(3, columns=["id"]).to_pydict() == {"id": [0, 1, 2]}
    assert dataset.filter(pc.field("id") < 5).to_table(columns=["id"]).num_rows == 5
    narrow = dataset.filter(pc.field("id") < 9).filter(pc.field("id") > 6)
    assert narrow.to_table(columns=["id"])["id"].to_pylist() == [7, 8]
    assert dataset.schema.names == TABLE.column_names
    for refused in (dataset.get_fragments, lambda: dataset.sort_by("id")):
        with pytest.raises(NotImplementedError, match="no fragments"):
            refused()
    lazy = pl.scan_pyarrow_dataset(dataset).filter(pl.col("id") > ROWS - 3).select("id")
    assert lazy.collect()["id"].to_list() == [ROWS - 2, ROWS - 1]


def test_files_of_a_folder_are_one_dataset(tmp_path: Path) -> None:
    for part in range(3):
        table = TABLE.slice(part * 100, 100)
        if part == 1:
            table = table.drop_columns(["x"])
        (tmp_path / f"{part}.hold").write_bytes(written(table, 40))
    expected = TABLE.slice(0, 300)
    for source in (tmp_path, str(tmp_path / "*.hold"), sorted(tmp_path.iterdir())):
        found = HoldallDataset(source).to_table()
        assert found["id"].to_pylist() == expected["id"].to_pylist()
        assert (
            found["x"].null_count
            == expected["x"].null_count + 100 - expected.slice(100, 100)["x"].null_count
        )
    with pytest.raises(FileNotFoundError, match="there are no files at"):
        HoldallDataset(tmp_path / "none*.hold")


FRAMES = [
    lambda rows: rows.filter(pl.col("x") > 10.5).select(
        pl.col("id").sum(), pl.len().alias("count")
    ),
    lambda rows: rows.group_by("word").agg(pl.col("x").sum()).sort("word").head(5),
    lambda rows: rows.filter(pl.col("id").is_between(12_345, 12_350)).select("id", "text"),
    lambda rows: rows.select(pl.len()),
    lambda rows: rows.filter((pl.col("word") == "word 7") | (pl.col("id") < 3)),
    lambda rows: rows.head(7),
    lambda rows: rows.filter(pl.col("x").is_null()).select("tags").head(2500),
    lambda rows: rows.filter(pl.lit(True)).select("id"),
    lambda rows: rows.filter(pl.col("id") < 0),
]


@pytest.mark.parametrize("query", FRAMES, ids=range(len(FRAMES)))
def test_polars_queries_a_lazy_frame(path: Path, query: Any) -> None:
    expected = query(pl.DataFrame(TABLE).lazy()).collect()
    for source in (path, DATA, holdall.scan(path)):
        assert query(scan_holdall(source)).collect().equals(expected)


def test_a_stream_is_written_in_bounded_memory(tmp_path: Path) -> None:
    code = """
import resource, sys
import holdall, pyarrow as pa
words = pa.array([f"word {n}" for n in range(20_000)])
def batches():
    for at in range(60):
        yield pa.record_batch({"at": pa.array(range(at, at + 20_000)), "word": words})
schema = pa.schema([("at", pa.int64()), ("word", pa.string())])
with holdall.Writer(sys.argv[1]) as writer:
    first = None
    def counted():
        global first
        for number, batch in enumerate(batches()):
            if number == 10:
                first = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            yield batch
    writer.write_table(pa.RecordBatchReader.from_batches(schema, counted()))
    assert writer.count == 1_200_000
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - first)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "rows.hold")],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    # KiB, of a table of 24 MB.
    assert int(done.stdout) < 8_000


def test_a_frame_is_a_type_that_can_be_asked_for() -> None:
    frames = {"a": pd.DataFrame({"x": [1, 2]}), "b": pd.DataFrame({"y": ["p", None]})}
    data = holdall.dumps(frames)
    found = holdall.loads(data, dict[str, pd.DataFrame])
    assert list(found) == ["a", "b"]
    for name, frame in frames.items():
        pd.testing.assert_frame_equal(found[name], frame)
    with pytest.raises(holdall.DecodeError):
        holdall.loads(holdall.dumps({"a": 1}), dict[str, pd.DataFrame])


def test_a_reader_is_a_table(path: Path) -> None:
    assert pa.table(holdall.Reader(path)).num_rows == ROWS
    assert pl.DataFrame(holdall.Reader(path))["id"].sum() == sum(range(ROWS))
    with pytest.raises(TypeError, match=r"pass the file itself to holdall\.scan"):
        pa.table(holdall.Reader(io.BytesIO(DATA)))


@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow", "rows.feather", "rows.arrows"])
def test_the_command_converts_tables(path: Path, tmp_path: Path, name: str) -> None:
    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "holdall", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )

    table, back = tmp_path / name, tmp_path / "back.hold"
    assert command("unpack", str(path), "-o", str(table)).stderr == ""
    assert command("pack", str(table), "-o", str(back), "--meta", "of=rows").stderr == ""
    assert pa.table(holdall.scan(back)).to_pylist() == TABLE.to_pylist()
    assert holdall.open(back).metadata == {"of": "rows"}
    written = table.read_bytes()
    for output in (f"--output={table}", f"-o{table}"):
        table.unlink()
        assert command("unpack", str(path), output).stderr == ""
        assert table.read_bytes() == written
    # JSON is for the half in Rust, whatever the name of the output.
    (tmp_path / "a.json").write_text("[1]")
    assert command("pack", str(tmp_path / "a.json"), f"--output={table}").stderr == ""
    assert holdall.load(table) == [1]
    refused = command("pack", str(table), "-o", str(table))
    assert (refused.returncode, holdall.load(table)) == (2, [1])
    missing = command("pack", str(tmp_path / f"none-{name}"), "-o", str(back))
    assert missing.returncode == 1
    assert missing.stderr.startswith("holdall: ")


def with_statistics(table: Any = TABLE, rows: int = 2000) -> bytes:
    file = io.BytesIO()
    with holdall.Writer(file, block_rows=rows, statistics=True) as writer:
        writer.write_table(table)
    return file.getvalue()


class Counting(io.BytesIO):
    """Counts the bytes that are read."""

    count = 0

    def read(self, size: int | None = -1) -> bytes:
        found = super().read(size)
        self.count += len(found)
        return found


def found_and_read(data: bytes, **options: Any) -> tuple[list[dict[str, Any]], int]:
    file = Counting(data)
    rows = pa.table(holdall.scan(file, **options)).to_pylist()
    return rows, file.count


STATISTICS = with_statistics()


@pytest.mark.parametrize("where", WHERES, ids=lambda where: str(where[1]))
def test_statistics_change_no_result(where: Any) -> None:
    expected = TABLE.filter(where[1]).to_pylist()
    for condition in where:
        assert pa.table(holdall.scan(STATISTICS, where=condition)).to_pylist() == expected
        part = pa.table(holdall.scan(STATISTICS, rows=slice(1500, 13_000), where=condition))
        assert part.to_pylist() == TABLE.slice(1500, 11_500).filter(where[1]).to_pylist()


def test_blocks_that_cannot_have_a_row_are_not_read() -> None:
    numbers = range(200_000)
    table = pa.table({"at": [(n // 1000 * 1000) + n * 7919 % 997 / 7 for n in numbers]})
    where = [("at", ">=", 123_000), ("at", "<", 124_000)]
    rows, without = found_and_read(written(table, 10_000), where=where)
    data = with_statistics(table, 10_000)
    same, read = found_and_read(data, where=where)
    assert rows == same
    assert len(rows) == 1000
    # One block of twenty, the statistics, and what is read to open the file.
    assert read < without / 4
    none, least = found_and_read(data, where=[("at", ">", 200_000)])
    assert none == []
    assert least < read


def test_statistics_of_nulls_nans_and_dates_select_exactly() -> None:
    import datetime

    day = datetime.date(2020, 1, 1)
    rows = [
        {
            "n": None if k < 100 else k,
            "f": float("nan") if k == 150 else k / 2,
            "d": day + datetime.timedelta(k),
            "t": datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(hours=k),
            "b": k >= 200,
            "s": chr(97 + k // 100) * (k % 90),
        }
        for k in range(300)
    ]
    table = pa.Table.from_pylist(rows)
    data = with_statistics(table, 100)
    late = datetime.datetime(2020, 1, 10, tzinfo=datetime.UTC)
    for condition in [
        pc.field("n").is_null(),
        pc.field("n") > 250,
        pc.field("n").is_valid(),
        pc.field("f") > 100.0,
        pc.field("f") != 3.0,
        pc.is_nan(pc.field("f")),
        pc.field("d") < pc.scalar(day + datetime.timedelta(10)),
        pc.field("t") > pc.scalar(late),
        pc.field("b"),
        ~pc.field("b"),
        pc.field("s") > "c",
        pc.field("s") == "",
        (pc.field("n") < 120) | (pc.field("s") == "ccc"),
    ]:
        expected = table.filter(condition).select(["d", "s"])
        found = pa.table(holdall.scan(data, columns=["d", "s"], where=condition))
        assert found.to_pylist() == expected.to_pylist(), condition
