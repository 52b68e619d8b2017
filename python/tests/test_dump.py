"""File objects that `dump` writes and `load` reads."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import holdall
import pytest

VALUE = [1, 2, "text " * 100]


class Short(io.RawIOBase):
    """A file that takes a few bytes of what it is given."""

    def __init__(self, *takes: int | None) -> None:
        self.takes = list(takes)
        self.written = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int | None:
        most = self.takes.pop(0) if self.takes else 3
        if most is None or most < 0:
            return most
        self.written += bytes(data[:most])
        return min(most, len(data)) if most < 1_000_000 else most


@pytest.mark.parametrize("progress", [None, lambda done, total: None])
def test_a_file_that_takes_a_part_gets_the_rest(progress: Any) -> None:
    file: Any = Short(1, 100, 2)
    holdall.dump(VALUE, file, progress=progress)
    assert file.written == holdall.dumps(VALUE)
    assert holdall.load(io.BytesIO(file.written)) == VALUE


@pytest.mark.parametrize(
    ("takes", "kind", "text"),
    [
        ([None], BlockingIOError, "not ready to write"),
        ([3, None], BlockingIOError, "not ready to write"),
        ([0], OSError, r"write\(\) returned 0"),
        ([-1], OSError, r"write\(\) returned -1"),
        ([5, 10_000_000], OSError, r"write\(\) returned 10000000"),
    ],
)
def test_a_file_that_takes_nothing_is_an_error(
    takes: list[int | None], kind: type[OSError], text: str
) -> None:
    with pytest.raises(kind, match=text):
        holdall.dump(VALUE, Short(*takes))  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", [None, True, False, 0, 3, "text"])
def test_an_object_that_is_no_raw_file_takes_all_whatever_it_returns(answer: object) -> None:
    class Buffered:
        written = b""

        def write(self, data: bytes) -> object:
            self.written += data
            return answer

    file = Buffered()
    holdall.dump(VALUE, file)  # type: ignore[arg-type]
    assert file.written == holdall.dumps(VALUE)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are of POSIX")
def test_a_full_disk_is_an_error_without_a_buffer(tmp_path: Path) -> None:
    program = """
import resource, signal, sys, holdall
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
with open(sys.argv[1], "wb", buffering=0) as file:
    try:
        holdall.dump(bytes(range(256)) * 20, file)
    except OSError as error:
        print(type(error).__name__)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "a.hold"],
        env={**os.environ},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "OSError\n"


@pytest.mark.parametrize("file", [b"path", 5, None])
def test_what_is_no_file_is_refused(file: Any) -> None:
    with pytest.raises(TypeError, match="expected a path or a binary file, got"):
        holdall.dump(1, file)
    with pytest.raises(TypeError, match="expected a path or a binary file, got"):
        holdall.load(file)
