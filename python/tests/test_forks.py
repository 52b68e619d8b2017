"""A child process that a thread forks while another thread is inside holdall can use holdall."""

from __future__ import annotations

import subprocess
import sys

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
