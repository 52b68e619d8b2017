"""Streams in files and file objects: paths, locks, full disks, closed files, and values that fail."""

from __future__ import annotations

import errno
import gc
import gzip
import io
import subprocess
import sys
import types
import warnings
from pathlib import Path
from typing import IO, Any

import holdall
import pytest
from sample_values import LOCK
from samples import Plain
from stream_files import python, write

FULL = Path("/dev/full")


class Broken:
    """A file that takes this many bytes."""

    def __init__(self, room: int, error: BaseException) -> None:
        self.room, self.error, self.data = room, error, b""

    def write(self, data: bytes) -> int:
        if len(self.data) >= self.room:
            raise self.error
        took = data[: self.room - len(self.data)]
        self.data += took
        return len(took)


# ---- paths ----


def test_a_path_as_text_or_path(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    with holdall.Writer(str(path)) as writer:
        writer.write(1)
        assert not writer.closed
    assert writer.closed
    for each in (path, str(path)):
        with holdall.Reader(each) as reader:
            assert list(reader) == [1]
            assert reader.finished
        assert reader.closed


def test_without_append_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    write(path, range(1000))
    write(path, ["new"])
    assert list(holdall.Reader(path)) == ["new"]


def test_append_continues_the_stream(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    for day in range(5):
        with holdall.Writer(path, append=True, metadata={"first": str(day)}) as writer:
            assert writer.count == day * 10
            for at in range(10):
                writer.write({"day": day, "at": at})
    reader = holdall.Reader(path)
    assert len(reader) == 50
    assert reader.metadata == {"first": "0"}
    assert reader[31] == {"day": 3, "at": 1}
    assert [value["day"] for value in reader] == [day for day in range(5) for _ in range(10)]


def test_append_rejects_other_files_and_leaves_them_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "message.hold"
    for data in (holdall.dumps([1]), b"text", b"\xc1\xf1hold"):
        path.write_bytes(data)
        with pytest.raises(holdall.DecodeError):
            holdall.Writer(path, append=True)
        assert path.read_bytes() == data
    with pytest.raises(ValueError, match="path"):
        holdall.Writer(io.BytesIO(), append=True)


def test_errors_of_the_system_name_the_file(tmp_path: Path) -> None:
    missing = tmp_path / "no" / "file"
    with pytest.raises(FileNotFoundError) as failed:
        holdall.Reader(missing)
    assert (failed.value.filename, failed.value.errno) == (str(missing), errno.ENOENT)
    for options in ({}, {"append": True}):
        with pytest.raises(FileNotFoundError) as failed:
            holdall.Writer(missing, **options)
        assert failed.value.filename == str(missing)
    for work in (holdall.Reader, holdall.Writer):
        with pytest.raises(IsADirectoryError):
            work(tmp_path)
    with pytest.raises(FileNotFoundError):
        holdall.verify(missing)
    with pytest.raises(FileNotFoundError):
        holdall.recover(missing, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_one_writer_per_file(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    writer = holdall.Writer(path)
    writer.write("mine")
    for append in (False, True):
        with pytest.raises(holdall.FileError) as failed:
            holdall.Writer(path, append=append)
        assert failed.value.code == "locked"
        assert isinstance(failed.value, OSError)
    other = python(
        """
        import sys, holdall
        try:
            holdall.Writer(sys.argv[1])
        except holdall.FileError as error:
            print(error.code)
        """,
        path,
    )
    assert other.communicate()[0] == "locked\n"
    writer.close()
    assert list(holdall.Reader(path)) == ["mine"]
    write(path, ["next"], append=True)


# ---- full disks, broken files ----


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_is_reported_at_once() -> None:
    with pytest.raises(OSError, match="No space left") as failed:
        holdall.Writer(FULL)
    assert failed.value.errno == errno.ENOSPC
    with FULL.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        holdall.Writer(file)


@pytest.mark.skipif(sys.platform != "linux", reason="a limit of the size of files")
def test_a_file_that_may_not_grow_is_readable_up_to_its_last_block(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    process = python(
        """
        import resource, signal, sys, holdall
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        count = 0
        try:
            with holdall.Writer(sys.argv[1], block_rows=10) as writer:
                for count in range(100_000):
                    writer.write({"id": count, "text": "x" * 50 + str(count)})
        except OSError as error:
            print(count, error.errno, error.filename)
        """,
        path,
    )
    count, number, name = process.communicate()[0].split()
    assert (int(number), name) == (errno.EFBIG, str(path))
    reader = holdall.Reader(path, on_damage="skip")
    got = [value["id"] for value in reader]
    assert got == list(range(int(count) - 9))
    assert [each.code for each in reader.damage] == ["truncated"]
    write(path, ["more"], append=True)
    assert list(holdall.Reader(path))[-2:] == [
        {"id": got[-1], "text": "x" * 50 + str(got[-1])},
        "more",
    ]


@pytest.mark.parametrize("room", [0, 16, 17, 100, 3000, 3500])
def test_exceptions_of_file_objects_propagate(room: int) -> None:
    error = LookupError("of the file")
    file = Broken(room, error)
    if room < 16:
        with pytest.raises(LookupError) as failed:
            holdall.Writer(file)
        assert failed.value is error
        return
    writer, count = holdall.Writer(file, block_rows=5), 0
    with pytest.raises(LookupError) as failed:
        for count in range(1000):
            writer.write({"id": count})
    assert failed.value is error
    for work in (lambda: writer.write(1), writer.flush):
        with pytest.raises(holdall.FileError) as again:
            work()
        assert again.value.code == "io"
    # The fault was reported: the end of a `with` does not hide it behind another error.
    writer.close()
    assert writer.closed
    assert file.data == file.data[:room]
    stream = holdall.Reader(io.BytesIO(file.data), on_damage="skip")
    assert [value["id"] for value in stream] == list(range(count - 4))


def test_interrupts_in_file_objects_propagate() -> None:
    file = Broken(50, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt), holdall.Writer(file) as writer:
        writer.write(1)
        writer.flush()

    class Raising(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        next(holdall.Reader(Raising()))
    with pytest.raises(ZeroDivisionError):
        _ = holdall.Reader(Raising()).schema


def test_file_objects_with_wrong_results() -> None:
    class TooMuch(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return b"x" * ((size or 0) + 1)

    with pytest.raises(OSError, match="returned"):
        next(holdall.Reader(TooMuch()))
    for answer in (-1, 10**6, 0):
        file = types.SimpleNamespace(write=lambda data, answer=answer: answer)
        with pytest.raises((OSError, OverflowError)):
            holdall.Writer(file)
    file = types.SimpleNamespace(read=lambda size: "text")
    with pytest.raises((TypeError, BufferError)):
        next(holdall.Reader(file))
    for wrong in (io.StringIO(), 5, None, object()):
        with pytest.raises(TypeError, match="expected a path, a binary file or a socket"):
            holdall.Writer(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="expected a path, a binary file or a socket"):
            holdall.Reader(wrong)  # type: ignore[call-overload]


def test_files_with_short_reads_and_writes() -> None:
    class Slow(io.RawIOBase):
        def __init__(self, data: bytes = b"") -> None:
            self.data = data

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            some, self.data = self.data[: min(3, len(buffer))], self.data[min(3, len(buffer)) :]
            buffer[: len(some)] = some
            return len(some)

        def write(self, data: Any) -> int:
            self.data += data[:7]
            return min(len(data), 7)

    file = Slow()
    with holdall.Writer(file) as writer:
        writer.write("x" * 1000)
    assert list(holdall.Reader(Slow(file.data))) == ["x" * 1000]

    class Never(io.RawIOBase):
        def write(self, data: Any) -> None:
            return None

        def read(self, size: int = -1) -> None:  # type: ignore[override]
            return None

    with pytest.raises(BlockingIOError):
        holdall.Writer(Never())  # type: ignore[arg-type]
    with pytest.raises(BlockingIOError):
        next(holdall.Reader(Never()))


# ---- closed things ----


def test_closed_streams_and_files(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    writer = holdall.Writer(path)
    writer.close()
    writer.close()
    for work in (lambda: writer.write(1), writer.flush, lambda: writer.count):
        with pytest.raises(ValueError, match="closed"):
            work()
    reader = holdall.Reader(path)
    reader.close()
    reader.close()
    for work in (
        lambda: next(reader), lambda: len(reader), lambda: reader[0], lambda: reader.damage, lambda: reader.schema,
        lambda: reader.metadata,
    ):  # fmt: skip
        with pytest.raises(ValueError, match="closed"):
            work()
    file = io.BytesIO()
    writer = holdall.Writer(file)
    writer.write(1)
    file.close()
    with pytest.raises(ValueError, match="closed file"):
        writer.close()
    file = io.BytesIO(path.read_bytes())
    reader = holdall.Reader(file)
    file.close()
    with pytest.raises(ValueError, match="closed file"):
        next(reader)


def test_file_objects_stay_open() -> None:
    file = io.BytesIO()
    with holdall.Writer(file) as writer:
        writer.write(1)
    file.write(b"the next bytes")
    file.seek(0)
    with holdall.Reader(file) as reader:
        assert list(reader) == [1]
    assert file.read() == b"the next bytes"


def test_streams_in_the_middle_of_a_file() -> None:
    file = io.BytesIO()
    file.write(b"ahead")
    for each in range(3):
        with holdall.Writer(file) as writer:
            writer.write(each)
            writer.write("and more")
    file.seek(5)
    for each in range(3):
        reader = holdall.Reader(file)
        assert list(reader) == [each, "and more"]


def test_a_forgotten_writer_closes_and_warns(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    writer = holdall.Writer(path)
    writer.write(1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del writer
        gc.collect()
    assert [each.category for each in caught] == [ResourceWarning]
    assert list(holdall.Reader(path)) == [1]


def test_a_writer_that_is_open_when_the_interpreter_exits_closes_and_warns(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    program = "import holdall, sys; writer = holdall.Writer(sys.argv[1]); writer.write(1)"
    command = [sys.executable, "-W", "always", "-c", program, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "ResourceWarning: unclosed" in ended.stderr
    # The end marker is there.
    assert list(holdall.Reader(path)) == [1]


def test_closing_writes_the_values_also_after_an_exception(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    with pytest.raises(ZeroDivisionError), holdall.Writer(path) as writer:
        writer.write("before")
        raise ZeroDivisionError
    assert list(holdall.Reader(path)) == ["before"]


# ---- values that fail ----


def test_a_failed_value_leaves_nothing_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    shared = ["shared"]
    with holdall.Writer(path, block_rows=100) as writer:
        for at in range(10):
            writer.write({"id": at, "shared": shared})
            for wrong in (
                [shared, Plain("deep", inside={"lock": LOCK})],
                {f"only here {at}": 2**70, "lock": [LOCK]},
            ):
                with pytest.raises(holdall.EncodeError) as failed:
                    writer.write(wrong)
                assert failed.value.code == "unsupported_value"
        assert writer.count == 10
    data = path.read_bytes()
    assert b"deep" not in data
    assert b"other" not in data
    assert b"only here" not in data
    assert list(holdall.Reader(path)) == [{"id": at, "shared": shared} for at in range(10)]


def test_exceptions_of_hooks_leave_nothing() -> None:
    file = io.BytesIO()

    def raising(_: Any) -> Any:
        raise KeyboardInterrupt

    with holdall.Writer(file, enc_hook=raising) as writer:
        writer.write([1])
        with pytest.raises(KeyboardInterrupt):
            writer.write([2, "never", LOCK])
        writer.write([3])
    file.seek(0)
    assert list(holdall.Reader(file)) == [[1], [3]]
    assert b"never" not in file.getvalue()


def test_a_hook_cannot_use_its_own_stream() -> None:
    def again(_: Any) -> Any:
        writer.write("inside")

    writer = holdall.Writer(io.BytesIO(), enc_hook=again)
    with pytest.raises(holdall.EncodeError, match="used the stream") as failed:
        writer.write([LOCK])
    assert isinstance(failed.value.__cause__, RuntimeError)
    writer.write(1)
    assert writer.count == 1
    writer.close()


@pytest.mark.parametrize("mode", ["path", "wb", "w+b", "raw"])
def test_a_file_that_was_truncated_under_its_writer(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "stream.hold"
    opened: IO[bytes] | None = None
    if mode != "path":
        opened = path.open("wb", buffering=0) if mode == "raw" else path.open(mode)
    writer = holdall.Writer(path if opened is None else opened)
    writer.write({"id": 1})
    writer.flush()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(size - 1)
    writer.write({"id": 2})
    error = f"got {size - 1} bytes: something else truncated it"
    with pytest.raises(holdall.FileError, match=error) as caught:
        writer.close()
    assert caught.value.code == "io"
    assert path.stat().st_size == size - 1
    if opened is not None:
        opened.close()


class Kept(io.RawIOBase):
    """A raw file without a number."""

    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.data += bytes(data)
        return len(data)


def test_a_buffer_around_another_file_than_one_of_the_system_is_written(tmp_path: Path) -> None:
    kept = Kept()
    with io.BufferedWriter(kept) as buffered, holdall.Writer(buffered) as writer:
        writer.write([1])
    assert list(holdall.Reader(io.BytesIO(kept.data))) == [[1]]
    # The position is that of what is compressed, behind the end of the file.
    path = tmp_path / "stream.hold.gz"
    rows = [[0] * 10_000] * 3
    with (
        gzip.open(path, "wb") as packed,
        io.BufferedWriter(packed) as buffered,
        holdall.Writer(buffered, block_rows=1) as writer,
    ):
        for row in rows:
            writer.write(row)
    assert list(holdall.Reader(io.BytesIO(gzip.decompress(path.read_bytes())))) == rows
