"""Streams shared with other processes and threads: pipes, sockets, and files that grow."""

from __future__ import annotations

import os
import signal
import socket
import threading
from pathlib import Path
from typing import Any

import holdall
import pytest
from stream_files import python, write

# ---- pipes and sockets ----


def test_a_pipe() -> None:
    read, wrote = os.pipe()

    def send() -> None:
        with os.fdopen(wrote, "wb") as file, holdall.Writer(file, block_rows=7) as writer:
            for at in range(10_000):
                writer.write({"id": at})

    thread = threading.Thread(target=send)
    thread.start()
    with os.fdopen(read, "rb", buffering=0) as file:
        reader = holdall.Reader(file)
        assert reader.metadata == {}
        assert [value["id"] for value in reader] == list(range(10_000))
        with pytest.raises(TypeError, match="no len"):
            len(reader)
        with pytest.raises(TypeError, match="no values by number"):
            reader[0]
    thread.join()


def test_a_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    thread = threading.Thread(target=lambda: write(path, range(1000)))
    thread.start()
    with holdall.Reader(path) as reader:
        assert list(reader) == list(range(1000))
    thread.join()
    with pytest.raises(ValueError, match="waits for more anyway"):
        read, wrote = os.pipe()
        with os.fdopen(read, "rb") as file, os.fdopen(wrote, "wb"):
            holdall.Reader(file, follow=True)


def test_a_pipe_without_a_reader() -> None:
    read, wrote = os.pipe()
    os.close(read)
    with os.fdopen(wrote, "wb", buffering=0) as file, pytest.raises(BrokenPipeError):
        holdall.Writer(file)


@pytest.mark.parametrize("made", [lambda each: each, lambda each: each.makefile("rwb")])
def test_several_streams_through_a_socket(made: Any) -> None:
    one, two = socket.socketpair()
    ours, theirs = made(one), made(two)

    def send() -> None:
        for at in range(3):
            with holdall.Writer(ours, block_rows=3) as writer:
                for each in range(100):
                    writer.write([at, each])
        one.sendall(b"that was all")

    thread = threading.Thread(target=send)
    thread.start()
    for at in range(3):
        reader = holdall.Reader(theirs)
        # As they come: the writer waits for no reader, the reader for no more than a block.
        assert list(reader) == [[at, each] for each in range(100)]
    thread.join()
    read = getattr(theirs, "read", None) or two.recv
    assert read(12) == b"that was all"
    for each in (ours, theirs, one, two):
        each.close()


def test_flushed_values_arrive_through_a_pipe_at_once() -> None:
    read, wrote = os.pipe()
    with os.fdopen(wrote, "wb") as target, os.fdopen(read, "rb") as source:
        writer = holdall.Writer(target)
        reader = holdall.Reader(source)
        for at in range(20):
            writer.write(at)
            writer.flush()
            assert next(reader) == at
        writer.close()
        assert list(reader) == []


# ---- threads ----


def test_threads_write_complete_values(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    with holdall.Writer(path, block_bytes=2000) as writer:

        def work(own: int) -> None:
            for at in range(500):
                writer.write([own, at, "x" * (at % 50)])

        threads = [threading.Thread(target=work, args=(own,)) for own in range(6)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    got = list(holdall.Reader(path))
    assert len(got) == 3000
    for own in range(6):
        assert [value[1] for value in got if value[0] == own] == list(range(500))


def test_threads_share_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    write(path, range(20_000), block_rows=50)
    reader = holdall.Reader(path)
    got: list[list[int]] = [[], [], [], []]

    def work(own: list[int]) -> None:
        for value in reader:
            own.append(value)
            if value % 100 == 0:
                assert reader[value] == value

    threads = [threading.Thread(target=work, args=(own,)) for own in got]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(value for own in got for value in own) == list(range(20_000))
    assert all(own == sorted(own) for own in got)


def test_others_run_while_a_block_is_written() -> None:
    # A writer that held the interpreter while it writes to a pipe without a reader would wait for ever.
    read, wrote = os.pipe()
    with os.fdopen(wrote, "wb", buffering=0) as target, os.fdopen(read, "rb") as source:
        got: list[Any] = []
        thread = threading.Thread(target=lambda: got.extend(holdall.Reader(source)))
        thread.start()
        with holdall.Writer(target) as writer:
            writer.write(b"x" * 5_000_000)
        thread.join()
        assert len(got[0]) == 5_000_000


# ---- files that grow ----


def test_reading_while_appending(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    writer = holdall.Writer(path)
    for at in range(50):
        writer.write(at)
        writer.flush()
        reader = holdall.Reader(path, unfinished=True)
        assert list(reader) == list(range(at + 1))
        assert not reader.finished
        assert len(holdall.Reader(path)) == at + 1
        with pytest.raises(holdall.DecodeError) as failed:
            list(holdall.Reader(path))
        assert (failed.value.code, failed.value.offset) == ("truncated", path.stat().st_size)
    writer.close()


def test_following_another_process(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    write(path, [-1])
    reader = holdall.Reader(path, int, follow=True)
    process = python(
        """
        import sys, time, holdall
        at = 0
        for _ in range(5):
            with holdall.Writer(sys.argv[1], append=True) as writer:
                for _ in range(20):
                    writer.write(at)
                    at += 1
                    writer.flush()
                time.sleep(0.02)
        """,
        path,
    )
    got = []
    for value in reader:
        got.append(value)
        if value == 99:
            reader.stop()
    assert got == list(range(-1, 100))
    assert process.communicate()[0] == ""
    assert list(reader) == []


def test_following_is_stopped_from_another_thread(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    write(path, [1, 2])
    for end in ("stop", "close"):
        reader = holdall.Reader(path, follow=True)
        timer = threading.Timer(0.1, getattr(reader, end))
        timer.start()
        assert list(reader) == [1, 2]
        timer.join()


def test_following_a_file_object(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    writer = holdall.Writer(path)
    writer.flush()
    with path.open("rb") as file:
        reader = holdall.Reader(file, follow=True)
        for at in range(10):
            timer = threading.Timer(0.01, lambda at=at: (writer.write(at), writer.flush()))
            timer.start()
            assert next(reader) == at
            timer.join()
    writer.close()


def test_interrupts_end_the_wait_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    writer = holdall.Writer(path)
    writer.write(1)
    writer.flush()
    reader = holdall.Reader(path, follow=True)
    assert next(reader) == 1
    for at in range(3):
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            next(reader)
        timer.join()
        writer.write(at)
        writer.flush()
        assert next(reader) == at
    reader.close()
    writer.close()


def test_interrupts_end_the_wait_for_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    for work in (holdall.Reader, holdall.Writer):
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            work(path)
        timer.join()
    read, wrote = os.pipe()
    with os.fdopen(read, "rb", buffering=0) as file, os.fdopen(wrote, "wb") as target:
        reader = holdall.Reader(file)
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            next(reader)
        timer.join()
        assert target.writable()


def test_a_truncated_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    write(path, range(100), block_rows=10)
    reader = holdall.Reader(path, follow=True)
    for _ in range(100):
        next(reader)
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(holdall.DecodeError) as failed:
        next(reader)
    assert failed.value.code == "truncated"


# ---- forks ----


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_only_the_process_that_opened_a_writer_writes(tmp_path: Path) -> None:
    path = tmp_path / "x.hold"
    process = python(
        """
        import gc, os, sys, holdall
        writer = holdall.Writer(sys.argv[1])
        writer.write(1)
        child = os.fork()
        if child == 0:
            try:
                writer.write(2)
            except ValueError:
                writer.close()
                del writer
                gc.collect()
                sys.exit(5)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        writer.write(3)
        writer.close()
        sys.exit(status)
        """,
        path,
    )
    process.communicate()
    assert process.returncode == 5
    assert list(holdall.Reader(path)) == [1, 3]
