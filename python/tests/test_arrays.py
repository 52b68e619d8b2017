"""Arrow's arrays inside objects, with no other package: made by scans, and read by Arrow's interface."""

from __future__ import annotations

import datetime
import gc
import io
from typing import Any

import holdall
import pytest

ROWS = [
    {
        "id": number,
        "name": None if number % 3 == 0 else f"a name of number {number}",
        "half": number / 2,
        "at": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(hours=number),
        "legs": list(range(number % 4)),
        "plane": {"seats": number, "late": number % 2 == 0},
    }
    for number in range(100)
]


def table_of(rows: list[Any]) -> holdall.Table:
    return holdall.Table(holdall.scan(holdall.dumps(rows)))


def test_a_table_comes_back_in_any_place() -> None:
    table = table_of(ROWS)
    assert table.tolist() == ROWS
    value = {"a": [1, table], "b": {"c": (table, None)}}
    for profile in ("fast", "balanced", "small"):
        back = holdall.loads(holdall.dumps(value, profile=profile))
        assert back["a"][1].tolist() == ROWS
        assert back["a"][1] is back["b"]["c"][0]


def test_a_column_comes_back() -> None:
    column = table_of(ROWS)["name"]
    back = holdall.loads(holdall.dumps([column]))[0]
    assert type(back) is holdall.Array
    assert (back.type, back.tolist()) == ("Utf8View", [row["name"] for row in ROWS])


def test_small_tables_come_back() -> None:
    for rows in ([{"n": 1}], [{"n": 1}, {"n": None}], [{"x": "a", "y": None}]):
        back = holdall.loads(holdall.dumps(table_of(rows)))
        assert (type(back), back.tolist()) == (holdall.Table, rows)


def test_many_tables_share_their_places() -> None:
    tables = [table_of([{f"c{number % 7}": number, "n": number}]) for number in range(300)]
    back = holdall.loads(holdall.dumps(tables))
    assert [table.tolist() for table in back] == [table.tolist() for table in tables]


def test_tables_as_deep_as_types_are_shared_come_back() -> None:
    value: Any = table_of(ROWS)
    for _ in range(40):
        value = [value, {"x": value}]
        value = [value[0]]
    back = holdall.loads(holdall.dumps(value))
    while isinstance(back, list):
        back = back[0]
    assert back.tolist() == ROWS


def test_views_have_the_columns_of_tables() -> None:
    data = holdall.dumps({"model": "x", "frame": table_of(ROWS)})
    rows = holdall.view(data)["frame"]["rows"]
    assert rows["half"].tolist() == [row["half"] for row in ROWS]
    assert rows[5] == ROWS[5]
    assert holdall.Table(holdall.scan(rows)).tolist() == ROWS


def test_tables_are_values_of_streams() -> None:
    file = io.BytesIO()
    with holdall.Writer(file) as writer:
        for number in range(5):
            writer.write({"number": number, "table": table_of(ROWS[:number])})
    file.seek(0)
    back = [value["table"].tolist() for value in holdall.Reader(file)]
    assert back == [ROWS[:number] for number in range(5)]


def test_rows_of_a_table_are_values_of_a_stream() -> None:
    file = io.BytesIO()
    with holdall.Writer(file, block_rows=30) as writer:
        writer.write_table(table_of(ROWS))
        writer.write({"id": 100})
        writer.write_table(table_of(ROWS)["id"])
    file.seek(0)
    assert list(holdall.Reader(file)) == [*ROWS, {"id": 100}, *range(100)]


def test_a_table_outlives_what_it_was_made_of() -> None:
    table = holdall.Table(holdall.scan(holdall.dumps(ROWS)))
    gc.collect()
    column = table["name"]
    del table
    gc.collect()
    assert column.tolist() == [row["name"] for row in ROWS]


def test_a_table_shows_its_first_rows() -> None:
    assert repr(table_of([{"n": number, "word": "a" * 40} for number in range(7)])) == "\n".join(
        [
            "<holdall.Table of 7 rows>",
            "n      word",
            "Int64  Utf8View",
            *(f"{number}      'aaaaaaaaaaaaaaaaaaaaaaaaaa..." for number in range(5)),
            "...",
        ]
    )
    assert repr(table_of([{"n": 1}, {"n": 2}])["n"]) == "<holdall.Array Int64, 2 rows: 1, 2>"


def test_only_arrow_data_makes_a_table() -> None:
    for value in ([1], {"a": [1]}, 5):
        with pytest.raises(TypeError, match="__arrow_c_stream__"):
            holdall.Table(value)
    with pytest.raises(TypeError, match=r"holdall\.Array"):
        holdall.Table(table_of(ROWS)["id"])


def field(code: str, children: int = 0, flags: int = 2) -> dict[str, Any]:
    return {"name": "x", "format": code, "flags": flags, "children": children}


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ({"fields": [field("l")], "rows": ["a"]}, "$.frame.rows[0]"),
        ({"fields": [field("+s", 1), field("l")], "rows": [{"y": 1}]}, "$.frame.rows[0]"),
        ({"fields": [field("what")], "rows": []}, "$.frame.fields"),
        ({"fields": [field("+l", 3)], "rows": []}, "$.frame.fields"),
        ({"fields": [], "rows": []}, "$.frame.fields"),
        ({"fields": 1, "rows": []}, "$.frame.fields"),
        ({"rows": [], "fields": [field("l")]}, "$.frame.rows"),
        ({"other": 1}, "$.frame.other"),
        ([1], "$.frame"),
        (None, "$.frame"),
    ],
)
def test_other_content_is_an_error_with_a_path(content: Any, path: str) -> None:
    for name in ("arrow.array", "arrow.table"):
        data = holdall.dumps({"frame": holdall.Extension(name, content)})
        with pytest.raises(holdall.DecodeError) as caught:
            holdall.loads(data)
        assert (caught.value.code, caught.value.path) == ("unconvertible", path)


def test_rows_without_data_stay_within_the_budget() -> None:
    content = {"fields": [field("+w:2000000000", 1), field("l")], "rows": [None] * 1000}
    data = holdall.dumps(holdall.Extension("arrow.array", content))
    with pytest.raises(holdall.LimitError):
        holdall.loads(data)


def test_frames_of_other_programs_are_tables_or_what_they_hold() -> None:
    table = table_of(ROWS)
    for name in ("polars.DataFrame", "pyarrow.Table"):
        back = holdall.loads(holdall.dumps(holdall.Extension(name, table)))
        assert back.tolist() == ROWS
    for name in ("polars.DataFrame", "pyarrow.Table", "xarray.Dataset", "torch.Tensor"):
        with pytest.raises(holdall.DecodeError) as caught:
            holdall.loads(holdall.dumps([holdall.Extension(name, 5)]))
        assert (caught.value.code, caught.value.path) == ("unrepresentable", "$[0]")
