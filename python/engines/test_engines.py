"""Engines that share work among processes: Dask, Ray, Spark. `make test-engines` installs them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import holdall
import pytest

ROWS = 6000


def row(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "carrier": ("UA", "AA", "DL")[number % 3],
        "delay": None if number % 5 == 0 else number / 4,
        "text": f"{number:050}",
    }


def write(path: Path, start: int, stop: int) -> int:
    """What a worker does: it writes a stream of its own."""
    with holdall.Writer(path, block_rows=250) as writer:
        for number in range(start, stop):
            writer.write(row(number))
    return stop - start


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flights")
    with ProcessPoolExecutor(2) as pool:
        parts = [
            pool.submit(write, folder / f"part-{part}.hold", part * 2000, part * 2000 + 2000)
            for part in range(3)
        ]
        assert sum(part.result() for part in parts) == ROWS
    return folder


DELAYS = {
    carrier: sum(
        own["delay"] or 0 for number in range(ROWS) if (own := row(number))["carrier"] == carrier
    )
    for carrier in ("AA", "DL", "UA")
}


def test_dask_reads_a_folder_that_many_workers_wrote(folder: Path) -> None:
    import dask.distributed
    from holdall.integrations.dask_dataframe import read_holdall

    with (
        dask.distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        dask.distributed.Client(cluster),
    ):
        flights = read_holdall(folder, rows=500)
        assert flights.npartitions == 12
        assert list(flights.columns) == ["id", "carrier", "delay", "text"]
        assert flights.groupby("carrier").delay.sum().compute().to_dict() == DELAYS
        assert len(flights[flights.id >= 5990].compute()) == 10
        assert flights.id.sum().compute() == sum(range(ROWS))


def test_dask_reads_the_columns_that_a_computation_uses(folder: Path, monkeypatch: Any) -> None:
    import dask
    from holdall.integrations import dask_dataframe

    asked: list[list[str]] = []
    own = dask_dataframe._read

    def read(run: Any, *, files: Any, columns: list[str]) -> Any:
        asked.append(list(columns))
        return own(run, files=files, columns=columns)

    monkeypatch.setattr(dask_dataframe, "_read", read)
    with dask.config.set(scheduler="sync"):
        flights = dask_dataframe.read_holdall(folder)
        assert flights["delay"].count().compute() == 4800
        assert dask_dataframe.read_holdall(folder, ["id"]).id.max().compute() == ROWS - 1
    assert asked == [["delay"]] * 3 + [["id"]] * 3


@pytest.fixture(scope="module")
def ray_data() -> Iterator[Any]:
    import ray
    import ray.data

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray.data
    ray.shutdown()


def test_ray_reads_and_writes_folders(ray_data: Any, folder: Path, tmp_path: Path) -> None:
    from holdall.integrations.ray_data import HoldallDatasink, HoldallDatasource

    flights = ray_data.read_datasource(HoldallDatasource(folder, rows=1000))
    assert flights.count() == ROWS
    assert flights.sum("id") == sum(range(ROWS))
    out = tmp_path / "out"
    flights.select_columns(["id", "carrier"]).write_datasink(HoldallDatasink(out))
    files = sorted(out.iterdir())
    assert files
    assert not any(holdall.verify(file).damage for file in files)
    rows = [own for file in files for own in holdall.Reader(file)]
    assert sorted(own["id"] for own in rows) == list(range(ROWS))
    assert rows[0].keys() == {"id", "carrier"}


@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
def test_spark_reads_a_folder(folder: Path) -> None:
    from holdall.integrations.pyspark import HoldallDataSource
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    try:
        spark.dataSource.register(HoldallDataSource)
        flights = spark.read.format("holdall").option("rows", 1000).load(str(folder))
        assert [field.name for field in flights.schema] == ["id", "carrier", "delay", "text"]
        assert flights.rdd.getNumPartitions() == 6
        sums = flights.groupBy("carrier").sum("delay").collect()
        assert {own[0]: own[1] for own in sums} == DELAYS
        narrow = spark.read.format("holdall").option("columns", "id, carrier").load(str(folder))
        assert narrow.filter("id < 3").orderBy("id").collect() == [
            (0, "UA"),
            (1, "AA"),
            (2, "DL"),
        ]
    finally:
        spark.stop()
