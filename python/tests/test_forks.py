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
import os, sys, tempfile
import holdall

path = sys.argv[1]
file = {opened}
writer = holdall.Writer(file)
writer.write(1)
pid = os.fork()
if not pid:
    sys.exit(0)
os.waitpid(pid, 0)
writer.write(3)
writer.close()
file.flush()
with holdall.Reader(path or file.name) as reader:
    assert list(reader) == [1, 3]
os.unlink(path or file.name)
"""


@pytest.mark.parametrize(
    "opened",
    [
        "open(path, 'wb')",
        "open(path, 'w+b')",
        "open(path, 'wb', 0)",
        "tempfile.NamedTemporaryFile(delete=False)",
    ],
)
def test_a_child_that_ends_writes_nothing_into_the_file_of_a_writer(
    opened: str, tmp_path: Path
) -> None:
    path = "" if opened.startswith("tempfile") else str(tmp_path / "values.hold")
    command = [sys.executable, "-W", "ignore", "-c", WRITER.replace("{opened}", opened), path]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr
