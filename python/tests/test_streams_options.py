"""The options of streams: the sync marker, progress, limits, and combinations that make no sense."""

from __future__ import annotations

import gc
import io
import sys
import time
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import holdall
import pytest
from stream_files import write


def test_sync(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    with holdall.Writer(path) as writer:
        writer.write(1)
        writer.flush(sync=True)
        assert list(holdall.Reader(path, unfinished=True)) == [1]
    with path.open("wb") as file, holdall.Writer(file) as writer:
        writer.write(2)
        writer.flush(sync=True)
        assert list(holdall.Reader(path, unfinished=True)) == [2]
    with pytest.raises(io.UnsupportedOperation), holdall.Writer(io.BytesIO()) as writer:
        writer.flush(sync=True)


def test_progress_reports_bytes(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    write(path, range(1000), block_rows=100)
    size = path.stat().st_size
    reported: list[tuple[int, int | None]] = []
    assert len(list(holdall.Reader(path, progress=lambda *each: reported.append(each)))) == 1000
    assert len(reported) == 11
    assert reported == sorted(reported)
    assert reported[-1] == (size, size)
    assert {total for _, total in reported} == {size}
    reported.clear()
    with path.open("rb") as file:
        list(holdall.Reader(file, progress=lambda *each: reported.append(each)))
    assert reported[-1] == (size, size)
    reported.clear()
    list(
        holdall.Reader(io.BytesIO(path.read_bytes()), progress=lambda *each: reported.append(each))
    )
    assert reported[-1] == (size, None)


@pytest.mark.parametrize("is_path", [True, False])
def test_progress_of_a_writer_reports_the_bytes_in_the_file(tmp_path: Path, is_path: bool) -> None:
    path, file = tmp_path / "log", io.BytesIO()
    reported: list[tuple[int, int | None]] = []
    writer = holdall.Writer(
        path if is_path else file,
        block_rows=100,
        progress=lambda *each: reported.append(each),
    )
    for number in range(250):
        writer.write(number)
    assert 2 <= len(reported) <= 3
    writer.flush()
    writer.close()
    sizes = [done for done, _ in reported]
    assert sizes == sorted(set(sizes))
    assert all(total is None for _, total in reported)
    assert sizes[-1] == (path.stat().st_size if is_path else len(file.getvalue()))


def test_progress_of_dump_and_load(tmp_path: Path) -> None:
    path, value = tmp_path / "value", bytes(range(256)) * 10_000
    written: list[tuple[int, int | None]] = []
    holdall.dump(value, path, progress=lambda *each: written.append(each))
    length = path.stat().st_size
    expected = [(2**20, length), (2**21, length), (length, length)]
    assert written == expected
    read: list[tuple[int, int | None]] = []
    assert holdall.load(path, progress=lambda *each: read.append(each)) == value
    assert read == expected
    file = io.BytesIO()
    holdall.dump(value, file, progress=lambda *each: written.append(each))
    file.seek(0)
    assert holdall.load(file, bytes, progress=lambda *each: read.append(each)) == value
    assert written[3:] == expected
    assert [done for done, _ in read[3:]] == [done for done, _ in expected]


def test_progress_may_raise(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    write(path, range(10))

    def stop(done: int, total: int | None) -> None:
        raise InterruptedError

    reader = holdall.Reader(path, progress=stop)
    with pytest.raises(InterruptedError):
        next(reader)
    assert next(reader) == 0


def test_progress_by_tqdm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "stream.hold"
    write(path, range(1000), block_rows=100)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        holdall.Reader(path, progress=True)
    bars = []

    class Bar:
        def __init__(self, **options: Any) -> None:
            self.options, self.n = options, 0
            bars.append(self)

        def update(self, by: int) -> None:
            self.n += by

    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    assert len(list(holdall.Reader(path, progress=True))) == 1000
    size = path.stat().st_size
    assert (bars[0].n, bars[0].options["total"], bars[0].options["unit"]) == (size, size, "B")
    assert len(list(holdall.Reader(path, progress=False))) == 1000


def test_options_that_make_no_sense() -> None:
    file = io.BytesIO()
    for options in (
        {"sync": b"short"}, {"block_bytes": 0}, {"block_rows": 0}, {"compress": "gzip"}, {"profile": "tiny"},
    ):  # fmt: skip
        with pytest.raises(ValueError, match="must be"):
            holdall.Writer(file, **options)
    for options in ({"on_damage": "ignore"}, {"extra": "maybe"}, {"missing": "what"}):
        with pytest.raises(ValueError, match="must be"):
            holdall.Reader(file, **options)
    with pytest.raises(TypeError):
        holdall.Reader(file, wrong=1)  # type: ignore[call-overload]
    assert file.getvalue() == b""


def test_limits() -> None:
    file = io.BytesIO()
    with holdall.Writer(file, limits=holdall.Limits(output=1000)) as writer:
        writer.write("small")
        writer.flush()
        writer.write("x" * 2000)
        with pytest.raises(holdall.EncodeError) as failed:
            writer.flush()
        assert failed.value.code == "limit_output"
        writer.write("next")
    for limits in (holdall.Limits(budget=1), holdall.Limits(frame=1)):
        file.seek(0)
        with pytest.raises(holdall.LimitError) as refused:
            list(holdall.Reader(file, limits=limits))
        assert refused.value.code == "limit_budget"
    file.seek(0)
    assert list(holdall.Reader(file)) == ["small", "next"]


def test_nothing_warns(tmp_path: Path) -> None:
    def work() -> Iterator[Any]:
        write(tmp_path / "stream.hold", range(10))
        yield from holdall.Reader(tmp_path / "stream.hold")
        yield time.monotonic()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(work())) == 11
        gc.collect()


def test_an_exclusive_writer_replaces_no_file(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    with holdall.Writer(path, exclusive=True) as writer:
        writer.write(1)
    before = path.read_bytes()
    with pytest.raises(FileExistsError) as failed:
        holdall.Writer(path, exclusive=True)
    assert failed.value.filename == str(path)
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="append=True and exclusive=True exclude each other"):
        holdall.Writer(path, append=True, exclusive=True)
    with pytest.raises(ValueError, match="exclusive=True needs the path of a file"):
        holdall.Writer(io.BytesIO(), exclusive=True)
    with holdall.Writer(path) as writer:
        writer.write(2)
    assert list(holdall.Reader(path)) == [2]
