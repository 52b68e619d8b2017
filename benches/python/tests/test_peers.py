"""Each peer handles its cases, and the check of results detects another value."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .. import run
from ..data import every
from ..peers import PEERS, Peer, peers
from ..run import Options, ask, measure
from ..targets import verdicts
from ..worker import SEPARATOR, WrongResultError, check, first_both, times

BY_NAME = {case.name: case for case in every.GENERATED}

#: Cases that all of these preserve; every peer handles the small dict.
TAKES = {
    "small-dict": {peer.name for peer in PEERS},
    "records": {peer.name for peer in PEERS} - {"holdall, bare"},
    "dataclasses": {
        "holdall",
        "holdall, typed",
        "pickle",
        "cloudpickle",
        "msgspec, typed",
        "pyfory",
    },
    "structs": {"holdall", "holdall, typed", "pickle", "cloudpickle", "msgspec, typed"},
    "graph": {"holdall", "holdall, reused", "pickle", "cloudpickle"},
    "array": {"holdall", "holdall, reused", "pickle", "cloudpickle"},
    "decimals": {"holdall", "pickle", "cbor2"},
    "events": {"holdall", "holdall, reused", "pickle", "msgspec", "orjson"},
    "five-shapes": {"holdall", "holdall, reused", "pickle", "msgspec"},
    "held-dict-subclasses": {"holdall", "pickle", "cloudpickle"},
    "held-exceptions": {"holdall", "pickle", "cloudpickle"},
    "held-zones": {"holdall", "pickle"},
}

PAIRS = [(name, peer) for name, names in TAKES.items() for peer in PEERS if peer.name in names]


@pytest.mark.parametrize(("name", "peer"), PAIRS, ids=lambda each: getattr(each, "name", each))
def test_values_come_back(name: str, peer: type[Peer], tmp_path: Path) -> None:
    answer = first_both(BY_NAME[name], peer(BY_NAME[name]), True, tmp_path / "data")
    separators = (
        (BY_NAME[name].count(True) - 1) * len(SEPARATOR) if BY_NAME[name].is_message_per_item else 0
    )
    assert answer["bytes"] + separators == (tmp_path / "data").stat().st_size > 0


@pytest.mark.parametrize(("name", "peer"), PAIRS, ids=lambda each: getattr(each, "name", each))
def test_another_value_is_found(name: str, peer: type[Peer], tmp_path: Path) -> None:
    case = BY_NAME[name]

    wrong = peer(case)
    pack = wrong.pack
    # The value of another seed.
    wrong.pack = lambda _: pack(case.value(True, 2))
    with pytest.raises(WrongResultError):
        first_both(case, wrong, True, tmp_path / "data")


def test_check_of_one_bit() -> None:
    case = BY_NAME["floats"]
    value, back = case.value(True), case.value(True)
    check(case, value, back)
    back[-1] = -back[-1]
    with pytest.raises(WrongResultError, match=r"^\$/"):
        check(case, value, back)


@pytest.mark.parametrize(
    ("what", "name", "peer", "reason"),
    [
        ("both", "dataclasses", "orjson", "AsDataclass became dict"),
        ("both", "dataclasses", "marshal", "cannot pack: ValueError: unmarshallable object"),
        ("pack", "graph", "msgspec", "cannot pack: TypeError: Encoding objects of type"),
        ("unpack", "records", "pickle", "cannot unpack: UnpicklingError"),
    ],
)
def test_a_process_says_why_it_cannot(
    what: str, name: str, peer: str, reason: str, tmp_path: Path
) -> None:
    file = tmp_path / "data"
    if what == "unpack":
        file.write_bytes(b"damaged")
    options = Options(quick=True, data=None, least_time=0)
    refused = ask(options, what, name, peer, str(file))["refused"]
    assert reason in refused


def test_only_small_cases_are_bare() -> None:
    for case in every.GENERATED:
        assert ("holdall, bare" in [peer.name for peer in peers(case)]) == case.small


def test_a_case_is_measured_completely() -> None:
    said: list[str] = []
    options = Options(quick=True, data=None, least_time=0)
    measured = measure(options, BY_NAME["small-arrays"], said.append)
    assert said == ["small-arrays: memory", "small-arrays: times"]
    every_peer = {figures.peer for figures in measured.peers} | set(measured.refused)
    assert every_peer == {peer.name for peer in peers(BY_NAME["small-arrays"])}
    assert "became list" in measured.refused["orjson"]
    for figures in measured.peers:
        scores: list[Any] = [figures.pack, figures.unpack, figures.collected, figures.zstd]
        assert all(score > 0 for score in scores)
        assert figures.collected is not None
        assert figures.unpack is not None
        assert figures.collected >= figures.unpack


def test_crashes_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    killed = [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"]
    original = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda _, **more: original(killed, **more))
    options = Options(quick=True, data=None, least_time=0)
    assert ask(options, "pack", "x", "y")["refused"] == "pack ends the process by SIGSEGV"


def test_a_case_that_ends_its_process_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = run.ask

    def crash(options: Options, what: str, *arguments: str) -> dict[str, Any]:
        refused = {"refused": "times ends the process by SIGSEGV"}
        return refused if what == "times" else asked(options, what, *arguments)

    monkeypatch.setattr(run, "ask", crash)
    options = Options(quick=True, data=None, least_time=0)
    measured = measure(options, BY_NAME["small-dict"], lambda _: None)
    assert not measured.peers
    assert set(measured.refused.values()) == {"times ends the process by SIGSEGV"}
    assert [verdict.met for verdict in verdicts(measured)] == [False]


def test_times_of_one_message_have_no_collection() -> None:
    answer = times(BY_NAME["small-dict"], ["holdall", "pickle"], True, 0)
    assert [peer["collected"] for peer in answer["peers"]] == [None, None]
    assert answer["values"] == 6
