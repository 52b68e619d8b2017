"""Measures data sets: bytes, and medians of interleaved rounds."""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from ..python.measure import Sample, once
from . import documents
from .column import Column, Table, same, timer_file
from .peers import PEERS, Peer

PROFILES = ("fast", "balanced", "small")

ROUNDS = 5

#: Operations that take longer, in seconds, are timed once.
SLOW = 2.0

#: The minimum time for a column and a direction, in seconds.
LEAST_TIME = 0.1

#: Columns are shown one by one if the data set is synthetic, or one of these.
EACH_COLUMN = ("Parquet, zstd 9", "Vortex", "OpenZL", "pcodec")


class WrongResultError(Exception):
    """The unpacked value differs."""


@dataclass
class Figures:
    """The bytes and seconds of one way to pack."""

    name: str
    bytes: int
    pack: float
    unpack: float
    #: Whether the targets name it.
    rival: bool = False


@dataclass
class ColumnFigures:
    """The bytes of one column alone."""

    name: str
    kind: str
    raw: int
    bytes: dict[str, int]


@dataclass
class Measured:
    """A data set."""

    name: str
    about: str
    raw: int
    #: table, document.
    kind: str
    figures: list[Figures] = field(default_factory=list)
    #: holdall small and pcodec, on the columns of numbers.
    numeric: list[Figures] = field(default_factory=list)
    numeric_raw: int = 0
    columns: list[ColumnFigures] = field(default_factory=list)

    def figure(self, name: str) -> Figures | None:
        return next((each for each in self.figures if each.name == name), None)


def medians(samples: Sequence[Sample], rounds: int) -> list[float]:
    """The median of each, or the only time of slow ones. Each round takes every sample once."""
    taken: list[list[float]] = [[] for _ in samples]
    # One more round, which warms up and does not count.
    for round_ in range(rounds + 1):
        for at in range(len(samples)):
            at = (at + round_) % len(samples)
            if not taken[at] or taken[at][0] < SLOW:
                taken[at].append(samples[at]()[0])
    return [statistics.median(each[1:] or each) for each in taken]


def timed(packs: Sequence[Sample], unpacks: Sequence[Sample], rounds: int) -> list[list[float]]:
    return [
        list(pair) for pair in zip(medians(packs, rounds), medians(unpacks, rounds), strict=True)
    ]


@dataclass
class Timed:
    """One column in one profile."""

    bytes: int
    pack: float
    unpack: float


def timer(binary: Path, table: Table, quick: bool) -> list[dict[str, Timed]]:
    """The results of the timer (`src/main.rs`) for each column."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "columns"
        file.write_bytes(timer_file(table.columns))
        command = [str(binary), str(file), "0" if quick else str(LEAST_TIME)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: list[dict[str, Timed]] = [{} for _ in table.columns]
    for line in done.stdout.splitlines():
        number, profile, size, pack, unpack = line.split("\t")
        found[int(number)][profile] = Timed(int(size), int(pack) / 1e9, int(unpack) / 1e9)
    return found


def size_of_records(table: Table, profile: str) -> int:
    """The bytes of the table as one message, a list of records, after it was read back."""
    import holdall

    records = table.records()
    packed = holdall.dumps(records, profile=profile)  # type: ignore[arg-type]
    if holdall.loads(packed) != records:
        raise WrongResultError(f"{table.name}: holdall {profile}")
    return len(packed)


def checked(peer: Peer, table: Table) -> int:
    """A peer's bytes, after its result was compared."""
    packed = peer.pack()
    found = peer.columns(peer.unpack(packed))
    for column, back in zip(table.columns, found, strict=True):
        if not same(column, back):
            raise WrongResultError(f"{table.name}: {peer.name} changes {column.name}")
    return peer.size(packed)


def of_table(table: Table, binary: Path, quick: bool, say: Callable[[str], None]) -> Measured:
    measured = Measured(table.name, table.about, table.size, "table")
    say(f"{table.name}: holdall")
    ours = timer(binary, table, quick)
    for profile in PROFILES:
        parts = [column[profile] for column in ours]
        pack, unpack = sum(each.pack for each in parts), sum(each.unpack for each in parts)
        size = size_of_records(table, profile)
        measured.figures.append(Figures(f"holdall {profile}", size, pack, unpack))
    add_peers(measured, table, quick, say)
    numeric = table.numeric
    if numeric.columns:
        measured.numeric_raw = numeric.size
        parts = [
            each["small"]
            for column, each in zip(table.columns, ours, strict=True)
            if column.kind != "text"
        ]
        sums = [
            sum(column)
            for column in zip(*((p.bytes, p.pack, p.unpack) for p in parts), strict=True)
        ]
        own = Figures("holdall small", int(sums[0]), sums[1], sums[2])
        measured.numeric = [own, *peers_of(numeric, [p for p in PEERS if p.numeric], quick, say)]
    say(f"{table.name}: each column")
    measured.columns = list(map(of_column, table.columns, ours))
    return measured


def add_peers(measured: Measured, table: Table, quick: bool, say: Callable[[str], None]) -> None:
    measured.figures += peers_of(table, [peer for peer in PEERS if not peer.numeric], quick, say)


def peers_of(
    table: Table, kinds: list[type[Peer]], quick: bool, say: Callable[[str], None]
) -> list[Figures]:
    peers = [kind(table.columns) for kind in kinds]
    say(f"{table.name}: {', '.join(peer.name for peer in peers)}")
    sizes = [checked(peer, table) for peer in peers]
    packs = [once(lambda peer: peer.pack(), peer) for peer in peers]
    packed = [peer.pack() for peer in peers]
    unpacks = [
        once(lambda pair: pair[0].unpack(pair[1]), pair) for pair in zip(peers, packed, strict=True)
    ]
    times = timed(packs, unpacks, 1 if quick else ROUNDS)
    return [
        Figures(peer.name, size, pack, unpack, peer.rival)
        for peer, size, (pack, unpack) in zip(peers, sizes, times, strict=True)
    ]


def of_column(column: Column, ours: dict[str, Timed]) -> ColumnFigures:
    sizes = {f"holdall {profile}": found.bytes for profile, found in ours.items()}
    for kind in PEERS:
        if kind.name in EACH_COLUMN and not (kind.numeric and column.kind == "text"):
            sizes[kind.name] = checked(kind([column]), Table(column.name, "", [column]))
    return ColumnFigures(column.name, column.kind, column.plain().size, sizes)


def of_document(name: str, text: bytes, quick: bool, say: Callable[[str], None]) -> Measured:
    say(name)
    ways = documents.ways(text)
    measured = Measured(name, f"a JSON document of {len(text):,} bytes", len(text), "document")
    packed = [way.pack() for way in ways]
    for way, each in zip(ways, packed, strict=True):
        if not way.is_same(way.unpack(each)):
            raise WrongResultError(f"{name}: {way.name}")
    packs = [once(lambda way: way.pack(), way) for way in ways]
    unpacks = [
        once(lambda pair: pair[0].unpack(pair[1]), pair) for pair in zip(ways, packed, strict=True)
    ]
    times = timed(packs, unpacks, 1 if quick else ROUNDS)
    measured.figures = [
        Figures(way.name, len(each), pack, unpack, way.rival)
        for way, each, (pack, unpack) in zip(ways, packed, times, strict=True)
    ]
    return measured


def load() -> str:
    """The load of the machine in the last minute."""
    return f"{os.getloadavg()[0]:.1f}"
