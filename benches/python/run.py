"""Measures cases, each in processes of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .data.case import Case
from .figures import Figures, Measured
from .peers import Peer, peers

ROOT = Path(__file__).parents[2]

#: For hanging processes, in seconds.
TIMEOUT = 1800

Say = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """How all cases are measured."""

    quick: bool
    data: Path | None
    #: The minimum time for an operation, all peers together, in seconds.
    least_time: float


def ask(options: Options, what: str, *arguments: str) -> dict[str, Any]:
    """The result of a separate process."""
    command = [sys.executable, "-m", "benches.python.worker", what, *arguments]
    command += ["--least-time", str(options.least_time)]
    command += ["--quick"] if options.quick else []
    command += ["--data", str(options.data)] if options.data else []
    # Hashes of text are the same in all processes.
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT
        )
    except subprocess.TimeoutExpired:
        return {"refused": f"{what} did not end within {TIMEOUT} s"}
    if done.returncode < 0:
        return {"refused": f"{what} ends the process by {signal.Signals(-done.returncode).name}"}
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        last = (done.stderr.splitlines() or ["without a message"])[-1]
        return {"refused": f"{what} ends the process: {last}"}
    answer: dict[str, Any] = json.loads(lines[-1])
    return answer


def first_calls(options: Options, case: Case, peer: type[Peer], folder: Path) -> Figures | str:
    """Packs and unpacks once, each in a fresh process (in the quick mode in one), or returns why that fails."""
    file = folder / peer.name
    packed = ask(options, "both" if options.quick else "pack", case.name, peer.name, str(file))
    if "refused" in packed:
        return str(packed["refused"])
    if options.quick:
        unpacked = {"peak": packed["unpack_peak"]}
    else:
        unpacked = ask(options, "unpack", case.name, peer.name, str(file))
    file.unlink()
    if "refused" in unpacked:
        return str(unpacked["refused"])
    figures = Figures(peer.name, peer.ours, packed["bytes"])
    if not case.small:
        # A single message is smaller than the steps in which a process grows.
        figures.pack_peak, figures.unpack_peak = packed["peak"], unpacked["peak"]
    return figures


def measure(options: Options, case: Case, say: Say) -> Measured:
    """All measurements of a case: memory first, which also shows which peers cannot take it, then times."""
    about = case.about.replace("{count}", f"{case.count(options.quick):,}")
    measured = Measured(case.name, case.kind, about)
    chosen = peers(case)
    with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        say(f"{case.name}: memory")
        found = list(pool.map(lambda peer: first_calls(options, case, peer, Path(folder)), chosen))
    for peer, figures in zip(chosen, found, strict=True):
        if isinstance(figures, str):
            measured.refused[peer.name] = figures
        else:
            measured.peers.append(figures)
    say(f"{case.name}: times")
    names = ";".join(figures.peer for figures in measured.peers)
    answer = ask(options, "times", case.name, names)
    if "refused" in answer:
        # One peer stops the case for all; the results of other cases are kept.
        measured.refused |= {figures.peer: answer["refused"] for figures in measured.peers}
        measured.peers = []
        return measured
    measured.values, measured.columns = answer["values"], answer["columns"]
    for figures, more in zip(measured.peers, answer["peers"], strict=True):
        for name, value in more.items():
            setattr(figures, name, value)
    return measured
