"""`holdall pack --from pickle`, which the Python package adds to the command."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import holdall


def run(*arguments: Any, **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "holdall", "pack", *map(str, arguments)]
    # Absolute, because the tests may run with a relative PYTHONPATH.
    environment = {**os.environ, "PYTHONPATH": str(Path(holdall.__file__).resolve().parents[1])}
    return subprocess.run(command, capture_output=True, check=False, env=environment, **options)


def test_the_command_converts_pickles(tmp_path: Path) -> None:
    path = tmp_path / "old.pkl"
    path.write_bytes(pickle.dumps([1, ("a", {2.5})]))
    done = run(path, "-o", tmp_path / "new.hold", "--checksum", "--meta", "from=old")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert holdall.load(tmp_path / "new.hold") == [1, ("a", {2.5})]
    assert holdall.metadata((tmp_path / "new.hold").read_bytes()) == {"from": "old"}
    done = run("--from", "pickle", input=path.read_bytes())
    assert holdall.loads(done.stdout) == [1, ("a", {2.5})]


def test_the_command_prints_the_report(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(
        "class Cart:\n    def __init__(self):\n        self.items = [1]\n"
    )
    data = b"cshop\nCart\n)\x81}U\x05items]K\x01asb."
    done = run("--from=pickle", input=data, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith(
        b"holdall: -: 1 of shop.Cart, first at offset 12: kept as a record"
    )
    assert holdall.loads(done.stdout) == holdall.Record("shop.Cart", items=[1])
    for name in ("shop.Cart", "shop.*"):
        done = run("--from=pickle", "--types", name, "--missing=error", input=data, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, b"")
        assert holdall.loads(done.stdout).items == [1]
    done = run("--from=pickle", "--missing=error", input=data, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"holdall.convert_pickle(data, types=[shop.Cart])" in done.stderr


def test_the_command_refuses_wrong_arguments_and_bytes(tmp_path: Path) -> None:
    assert run("--from=pickle", "--types", "no.such.Class").returncode == 2
    assert run("--from=pickle", "--types", "os").returncode == 2
    assert run("--from=pickle", "--meta", "x").returncode == 2
    done = run("--from=pickle", input=b"c\x1b[31m\nX\n.")
    assert b"\x1b" not in done.stderr
    done = run(tmp_path / "none.pickle")
    assert (done.returncode, b"No such file" in done.stderr) == (1, True)
    # JSON is for the half in Rust, whatever the name of the output.
    (tmp_path / "a.json").write_text("[1]")
    assert run(tmp_path / "a.json", "-o", tmp_path / "a.pkl").returncode == 0
    assert holdall.load(tmp_path / "a.pkl") == [1]
