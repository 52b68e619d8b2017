"""Tables in the libraries that read them: `make test-tables` installs these."""

from __future__ import annotations

import datetime
import decimal
import io
import json
import uuid
from pathlib import Path
from typing import Any

import duckdb
import holdall
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

ROWS = [
    {
        "id": number,
        "carrier": ("UA", "AA", "a long name of a carrier")[number % 3],
        "delay": None if number % 4 == 0 else number / 8,
        "late": number % 2 == 0,
        "at": datetime.datetime(2013, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(hours=number),
        "day": datetime.date(2013, 1, 1 + number % 28),
        "price": decimal.Decimal(number).scaleb(-2),
        "legs": [f"leg {leg}" for leg in range(number % 3)],
        "plane": {"seats": number, "name": None if number % 5 else "Ada"},
    }
    for number in range(1000)
]


@pytest.fixture(params=["message", "stream"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "rows.hold"
    if request.param == "message":
        holdall.dump(ROWS, path)
    else:
        with holdall.Writer(path, block_rows=300) as writer:
            for row in ROWS:
                writer.write(row)
    return path


def test_pyarrow_has_every_value(path: Path) -> None:
    table = pa.table(holdall.scan(path))
    table.validate(full=True)
    assert table.to_pylist() == [
        row | {"price": row["price"].quantize(decimal.Decimal("0.01"))} for row in ROWS
    ]


def test_polars_has_every_value(path: Path) -> None:
    frame = pl.DataFrame(holdall.scan(path))
    rows = frame.to_dicts()
    assert [row["id"] for row in rows] == [row["id"] for row in ROWS]
    assert all(own == row for own, row in zip(rows, ROWS, strict=True))


@pytest.mark.skipif(not hasattr(pd.DataFrame, "from_arrow"), reason="pandas has it from 3.0 on")
def test_pandas_has_every_value(path: Path) -> None:
    columns = ["id", "carrier", "late", "delay"]
    frame = pd.DataFrame.from_arrow(holdall.scan(path, columns=columns))
    assert list(frame.columns) == columns
    assert frame["carrier"].tolist() == [row["carrier"] for row in ROWS]
    assert frame["delay"].isna().sum() == 250
    assert frame["id"].sum() == sum(range(1000))


def test_duckdb_asks_several_times(path: Path) -> None:
    scan = holdall.scan(path)
    query = "select carrier, count(*), sum(delay) from scan group by carrier order by carrier"
    for _ in range(2):
        found = duckdb.sql(query).fetchall()
        assert [row[:2] for row in found] == [
            ("AA", 333),
            ("UA", 334),
            ("a long name of a carrier", 333),
        ]
    assert scan is not None


def test_rows_and_columns_are_those_that_were_named(path: Path) -> None:
    table = pa.table(holdall.scan(path, columns=["delay", "id"], rows=slice(290, 310)))
    assert table.column_names == ["delay", "id"]
    assert table["id"].to_pylist() == list(range(290, 310))
    last = pa.table(holdall.scan(path, columns=["id"], rows=slice(-3, None)))
    assert last["id"].to_pylist() == [997, 998, 999]


def test_a_place_in_a_view_is_a_table_or_a_column() -> None:
    view = holdall.view(holdall.dumps({"more": 1, "users": ROWS}))
    assert pa.table(view["users"]).num_rows == 1000
    assert pa.array(view["users"]["plane"]["name"]).to_pylist() == [
        row["plane"]["name"] for row in ROWS
    ]
    assert pl.Series(view["users"]["id"]).sum() == sum(range(1000))


def test_numbers_of_a_file_are_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "floats.hold"
    with holdall.Writer(path, block_rows=1 << 20, profile="fast") as writer:
        for number in range(20_000):
            writer.write({"x": number + 0.1})
    before = pa.total_allocated_bytes()
    column = pa.table(holdall.scan(path))["x"]
    assert pa.total_allocated_bytes() == before
    path.unlink()
    assert column[19_999].as_py() == 19_999.1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (uuid.UUID(int=7), "extension<arrow.uuid>"),
        (2**70, "decimal128(38, 0)"),
        (b"\xff", "binary_view"),
        ((1, "a"), "struct<0: int64 not null, 1: string_view not null>"),
        ({1: "a"}, "map<int64, string_view>"),
        (datetime.timedelta(1), "duration[us]"),
    ],
)
def test_types(value: Any, expected: str) -> None:
    table = pa.table(holdall.scan(holdall.dumps([{"x": value}])))
    assert str(table.schema.field("x").type) == expected
    table.validate(full=True)


@pytest.mark.parametrize("blocks", [1, 4])
def test_a_column_without_an_arrow_type_is_what_the_caller_says(blocks: int) -> None:
    rows = [{"id": n, "x": ("text", 7, None, {"deep": [n]})[n % 4]} for n in range(40)]
    file = io.BytesIO()
    with holdall.Writer(file, block_rows=40 // blocks) as writer:
        for row in rows:
            writer.write(row)
    for data in (file.getvalue(), holdall.dumps(rows)):
        assert pa.table(holdall.scan(data, on_unmappable="drop")).column_names == ["id"]
        texts = pa.table(holdall.scan(data, on_unmappable="json"))["x"].to_pylist()
        found = [None if text is None else json.loads(text) for text in texts]
        assert found == [row["x"] for row in rows]
        messages = pa.table(holdall.scan(data, on_unmappable="binary"))["x"].to_pylist()
        found = [None if message is None else holdall.loads(message) for message in messages]
        assert found == [row["x"] for row in rows]
        own = holdall.scan(data, columns=["x"], where=[("id", ">=", 38)], on_unmappable="json")
        assert pa.table(own)["x"].to_pylist() == [None, '{"deep":[39]}']
