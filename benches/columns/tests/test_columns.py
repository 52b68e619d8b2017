"""Every format preserves the data, and tables and targets show what was measured."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from .. import __main__, documents, measure, report, synthetic
from ..column import Column, Table, same, texts_of
from ..measure import Figures, Measured
from ..peers import PEERS, Peer

TIMER = Path(
    os.environ.get("HOLDALL_TIMER", "benches/columns/target/release/holdall-bench-columns")
)

MIXED = Table(
    "mixed",
    "some of each kind",
    [
        Column("ints", np.array([1, -1, 2**63 - 1, -(2**63), 0, 0, 7, 7])),
        Column("floats", np.array([0.5, -0.0, 1e300, 5e-324, np.inf, -np.inf, 1.25, 3.0])),
        Column("some floats", np.array([0.5, np.nan, -0.0, np.nan, 2.0, 3.0, 4.0, np.nan])),
        Column("texts", ["", "a", "Zoë", "漢字", "a", "b", "a" * 300, "\0"]),
        Column("some texts", [None, "", "x", None, "y", "x", "x", None]),
    ],
)

RECORDS = b'[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": null, "b": "x"}]'


@pytest.mark.parametrize("kind", PEERS, ids=lambda kind: kind.name)
def test_a_peer_gives_back_what_it_packed(kind: type[Peer]) -> None:
    for table in (MIXED, synthetic.columns(500), synthetic.trips(500)):
        taken = table.numeric if kind.numeric else table
        assert measure.checked(kind(taken.columns), taken) > 0


def test_a_value_that_differs_is_found() -> None:
    for column in MIXED.columns:
        assert same(column, column)
    zero, minus, none = (Column("x", np.array([value])) for value in (0.0, -0.0, np.nan))
    assert not same(zero, minus)
    assert not same(zero, none)
    assert same(none, none)
    assert not same(Column("x", ["a", None]), Column("x", ["a", ""]))
    assert not same(Column("x", np.array([1])), Column("x", np.array([1.0])))
    assert not same(Column("x", np.array([1])), Column("x", np.array([1, 1])))


def test_plain_columns_have_all_that_the_values_are() -> None:
    for column in MIXED.columns:
        plain = column.plain()
        if column.kind == "text":
            assert texts_of(plain) == column.values
    sizes = [column.plain().size for column in MIXED.columns]
    assert sizes == [64, 64, 64, 32 + 314, 32 + 4 + 1]


def test_records_have_none_where_a_value_is_missing() -> None:
    assert MIXED.records()[1] == {
        "ints": -1,
        "floats": -0.0,
        "some floats": None,
        "texts": "a",
        "some texts": "",
    }
    assert MIXED.head(2).records() == MIXED.records()[:2]


def test_made_tables_are_the_same_each_time() -> None:
    for made in (synthetic.columns, synthetic.trips):
        first, again = made(300), made(300)
        assert first.rows == 300
        assert all(map(same, first.columns, again.columns))


def test_each_table_is_measured_and_reported(tmp_path: Path) -> None:
    (tmp_path / "records.json").write_bytes(RECORDS)
    every = __main__.measure([], TIMER, tmp_path, quick=True)
    assert [each.name for each in every] == [*__main__.EVERY_TABLE, "records.json"]
    for measured in every:
        assert all(
            each.bytes > 0 and each.pack > 0 and each.unpack > 0 for each in measured.figures
        )
    saved = tmp_path / "saved.json"
    __main__.save(saved, every)
    before = __main__.read_saved(saved)
    assert list(before.values()) == every
    text = report.markdown("Columns", "- here\n", "measured:", every, before)
    assert "balanced's time to pack before / now" in text
    for name in __main__.EVERY_TABLE:
        assert f"### {name}\n" in text


def test_the_timer_reads_every_kind_of_column() -> None:
    found = measure.timer(TIMER, MIXED, quick=True)
    assert [set(column) for column in found] == [set(measure.PROFILES)] * len(MIXED.columns)


def test_documents_that_are_tables_have_parquet_beside_them() -> None:
    assert documents.records([{"a": 1}, {"b": None}]) == [{"a": 1}, {"b": None}]
    assert documents.records({"rows": [{"a": 1}]}) == [{"a": 1}]
    assert documents.records([{"a": [1]}]) == []
    assert documents.records({"a": 1, "b": 2}) == []
    ways = documents.ways(RECORDS)
    assert "Parquet, zstd 9" in [way.name for way in ways]
    assert all(way.is_same(way.unpack(way.pack())) for way in ways)
    assert "Parquet, zstd 9" not in [way.name for way in documents.ways(b'{"a": [1, 2], "b": 1}')]


def table_of(small: int, balanced_pack: float = 1.0) -> Measured:
    measured = Measured("flights", "data", 100_000_000, "table")
    measured.figures = [
        Figures("holdall balanced", 10_000_000, balanced_pack, 0.1),
        Figures("holdall small", small, 1.0, 0.2),
        Figures("Parquet, zstd 9", 5_000_000, 1.0, 1.0, rival=True),
        Figures("zstd 19", 1_000_000, 1.0, 1.0),
    ]
    measured.numeric = [
        Figures("holdall small", 1_050_000, 1.0, 1.0),
        Figures("pcodec", 1_000_000, 1.0, 1.0),
    ]
    return measured


def test_targets_are_ratios_of_what_was_measured() -> None:
    before = {"flights": table_of(5_000_000, balanced_pack=0.9)}
    found = {
        each.text.removeprefix("flights: "): (round(each.figure, 3), each.is_met)
        for each in report.targets([table_of(4_500_000)], before)
    }
    assert found == {
        "small's bytes / the best rival's (Parquet, zstd 9)": (0.9, True),
        "small's bytes / pcodec's, columns of numbers": (1.05, True),
        "small packs, MB/s": (100.0, True),
        "small unpacks, MB/s": (500.0, True),
        "balanced's bytes in MB": (10.0, True),
        "balanced's time to pack before / now": (0.9, False),
    }


def test_what_is_slow_is_timed_once() -> None:
    calls = {"fast": 0, "slow": 0}

    def sample(name: str, seconds: float) -> tuple[float, ...]:
        calls[name] += 1
        return (seconds,)

    samples = [lambda: sample("fast", 0.1), lambda: sample("slow", 3.0)]
    assert measure.medians(samples, rounds=4) == [0.1, 3.0]
    assert calls == {"fast": 5, "slow": 1}
