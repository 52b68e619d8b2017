"""A child process that a thread forks while another thread is inside holdall can use holdall."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FIRST_CALL = """
import os, sys, threading, types
import holdall
from holdall._impl import _api

entered, leave = threading.Event(), threading.Event()
parent = os.getpid()

class Slow(types.ModuleType):
    def __getattr__(self, name):
        if os.getpid() == parent:
            entered.set()
            leave.wait()
        return getattr(_api, name)

sys.modules["holdall._impl._api"] = Slow("holdall._impl._api")
thread = threading.Thread(target=lambda: {call})
thread.start()
entered.wait()
pid = os.fork()
if not pid:
    {call}
    os._exit(0)
_, status = os.waitpid(pid, 0)
leave.set()
thread.join()
sys.exit(status != 0)
"""


@pytest.mark.parametrize("call", ["holdall.dumps(1)", "holdall.loads(bytes.fromhex('C110030A'))"])
def test_a_fork_during_the_first_call_of_a_thread_leaves_no_lock(call: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FIRST_CALL.replace("{call}", call)]
    # Without a timeout, a child that waits for a lock would hang the test.
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr


WRITER = """
import bz2, contextlib, gzip, io, lzma, os, sys, tempfile
import holdall

class Wrapped:
    def __init__(self, file):
        self.file = file
        self.write, self.flush, self.name = file.write, file.flush, file.name

path, flushes = sys.argv[1], sys.argv[2] == "flushes"
file = {opened}
writer = holdall.Writer(file)
writer.write(1)
if flushes:
    writer.flush()
writer.write(2)
pid = os.fork()
if not pid:
    with contextlib.suppress(ValueError, OSError):
        {in_child}
    sys.exit(0)
os.waitpid(pid, 0)
writer.write(3)
writer.close()
file.flush()
if {opener} is not open:
    file.close()
with {opener}(path or file.name, "rb") as again:
    assert list(holdall.Reader(again)) == [1, 2, 3]
    assert not again.read()
os.unlink(path or file.name)
"""


PLAIN = [
    "open(path, 'wb')",
    "open(path, 'w+b')",
    "open(path, 'wb', 0)",
    "tempfile.NamedTemporaryFile(delete=False)",
    "Wrapped(open(path, 'wb'))",
    "io.BufferedRWPair(open(os.devnull, 'rb', 0), open(path, 'wb', 0))",
]
COMPRESSED = {
    "gzip.open(path, 'wb')": "gzip.open",
    "gzip.GzipFile(fileobj=open(path, 'wb'), mode='wb')": "gzip.open",
    "bz2.open(path, 'wb')": "bz2.open",
    "lzma.open(path, 'wb')": "lzma.open",
}
IN_CHILD = ["pass", "writer.close()"]
WRITERS = [(file, "open", work) for file in PLAIN for work in IN_CHILD] + [
    (file, opener, work)
    for file, opener in COMPRESSED.items()
    for work in [*IN_CHILD, "file.write(b'x'); file.close()"]
]


@pytest.mark.parametrize("flushes", ["flushes", "keeps"])
@pytest.mark.parametrize(("opened", "opener", "in_child"), WRITERS)
def test_a_child_that_ends_writes_nothing_into_the_file_of_a_writer(
    opened: str, opener: str, in_child: str, flushes: str, tmp_path: Path
) -> None:
    path = "" if opened.startswith("tempfile") else str(tmp_path / "values.hold")
    program = WRITER.replace("{opened}", opened).replace("{opener}", opener)
    program = program.replace("{in_child}", in_child)
    command = [sys.executable, "-W", "ignore", "-c", program, path, flushes]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


STANDARD = """
import gzip, os, sys
import holdall

file = gzip.GzipFile(fileobj=sys.stdout.buffer, mode="wb")
writer = holdall.Writer(file)
pid = os.fork()
if not pid:
    os.write(1, b"of the child")
    os._exit(0)
os.waitpid(pid, 0)
"""


def test_a_child_keeps_its_standard_streams() -> None:
    command = [sys.executable, "-W", "ignore", "-c", STANDARD]
    ended = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert b"of the child" in ended.stdout
