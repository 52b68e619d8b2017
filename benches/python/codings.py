"""Other formats by `format=` beside the library that people use for each: the table of docs/python/formats.md.

`make bench-codings` runs it: JSON beside orjson, MessagePack beside ormsgpack, CBOR beside cbor2. Each format takes
every case that has nothing but None, bools, ints, floats, strings, lists and dicts.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import cbor2
import holdall
import orjson
import ormsgpack

from .data import every
from .data.case import Case
from .machine import versions
from .measure import Sample, looped, medians, once
from .table import figures, microseconds, table

#: The generated cases whose values JSON has.
PLAIN = {"small-dict", "records", "sparse", "tree", "logs", "ints", "floats", "strings"}


class Peer(NamedTuple):
    """A library for one format."""

    format: str
    name: str
    dumps: Callable[[Any], bytes]
    loads: Callable[[bytes], Any]


PEERS = [
    Peer("json", "orjson", orjson.dumps, orjson.loads),
    Peer("msgpack", "ormsgpack", ormsgpack.packb, ormsgpack.unpackb),
    Peer("cbor", "cbor2", cbor2.dumps, cbor2.loads),
]


def samples(case: Case, value: Any, peer: Peer) -> Iterator[Sample]:
    """Packing by holdall and the peer, and unpacking of the same bytes by both."""
    timed = looped if case.small else once
    dumps = partial(holdall.dumps, format=peer.format)
    loads = partial(holdall.loads, format=peer.format)
    theirs = peer.dumps(value)
    if loads(theirs) != value or peer.loads(dumps(value)) != value:
        raise SystemExit(f"{case.name}: {peer.format} by {peer.name} differs")
    yield timed(dumps, value)
    yield timed(peer.dumps, value)
    yield timed(loads, theirs)
    yield timed(peer.loads, theirs)


def rows(cases: list[Case], quick: bool) -> Iterator[list[str]]:
    """A row for each case and format."""
    for case in cases:
        value = case.value(quick)
        for peer in PEERS:
            taken = medians(list(samples(case, value, peer)), 0.1 if quick else 1.0)
            pack, peer_pack, unpack, peer_unpack = (median for (median,) in taken)
            ratios = [figures(peer_pack / pack), figures(peer_unpack / unpack)]
            times = [microseconds(pack), ratios[0], microseconds(unpack), ratios[1]]
            yield [f"{case.name}, {peer.format}", *times, peer.name]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.python.codings", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder of JSON files: each is a case")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    given = parser.parse_args()
    cases = every.cases(given.data, [], given.quick)
    cases = [case for case in cases if case.name in PLAIN or case.kind == "json"]
    heading = ["", "pack", "peer/ours", "unpack", "peer/ours", "peer"]
    print(versions(["holdall", "orjson", "ormsgpack", "cbor2"]))
    print(table([heading, *rows(cases, given.quick)]))


if __name__ == "__main__":
    main()
