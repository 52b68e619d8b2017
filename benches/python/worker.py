"""The code of the separate processes: a first pack, a first unpack, or the times of a case.

The arguments are `python -m benches.python.worker pack CASE PEER FILE` and so on; `both` packs and unpacks in one
process, for speed. The last line of output is the result, as JSON.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import measure, memory
from .data import every
from .data.case import Case
from .peers import Peer, named
from .same import difference, values_and_columns

ZSTD_LEVEL = 3

#: Some libraries have long error messages, for which tables have no room.
REASON = 100


class WrongResultError(Exception):
    """The unpacked value differs."""


def check(case: Case, value: Any, back: Any) -> None:
    found = difference(value, back)
    if found:
        raise WrongResultError(found)


#: Between the messages of a file.
SEPARATOR = b"<end of message>"


def packing(case: Case, peer: Peer) -> Callable[[Any], Any]:
    """The peer's function, or one that packs each item: a loop adds about 20 ns for each."""
    pack = peer.pack
    return (lambda value: [pack(each) for each in value]) if case.is_message_per_item else pack


def unpacking(case: Case, peer: Peer) -> Callable[[Any], Any]:
    unpack = peer.unpack
    return (lambda data: [unpack(each) for each in data]) if case.is_message_per_item else unpack


def joined(case: Case, data: Any, separator: bytes = b"") -> bytes:
    return separator.join(data) if case.is_message_per_item else data


def first_pack(case: Case, peer: Peer, quick: bool, file: Path) -> dict[str, Any]:
    """Packs for the first time, into a file."""
    value = case.value(quick)
    pack = packing(case, peer)
    data, peak = memory.peak(lambda: pack(value))
    file.write_bytes(joined(case, data, SEPARATOR))
    return {"bytes": len(joined(case, data)), "peak": peak}


def first_unpack(case: Case, peer: Peer, quick: bool, file: Path) -> dict[str, Any]:
    """Unpacks for the first time what another process packed, and checks the result."""
    data: Any = file.read_bytes()
    if case.is_message_per_item:
        data = data.split(SEPARATOR)
    unpack = unpacking(case, peer)
    back, peak = memory.peak(lambda: unpack(data))
    check(case, case.value(quick), back)
    return {"peak": peak}


def first_both(case: Case, peer: Peer, quick: bool, file: Path) -> dict[str, Any]:
    """Packs, then unpacks, which may reuse freed memory."""
    packed = first_pack(case, peer, quick, file)
    return packed | {"unpack_peak": first_unpack(case, peer, quick, file)["peak"]}


def times(case: Case, names: list[str], quick: bool, least_time: float) -> dict[str, Any]:
    """Times all peers of a case, and describes the case."""
    import zstandard

    value = case.value(quick)
    values, columns = values_and_columns(value)
    peers = [named(name)(case) for name in names]
    pairs = [(packing(case, peer), unpacking(case, peer)) for peer in peers]
    packed = [pack(value) for pack, _ in pairs]
    # Once more, with the caches of the first time.
    for pack, unpack in pairs:
        check(case, value, unpack(pack(value)))
    compress = zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress
    zstd = [len(compress(joined(case, data))) for data in packed]

    rounds = measure.QUICK_ROUNDS if quick else measure.LEAST_ROUNDS
    one = measure.looped if case.small else measure.once
    packs = measure.medians([one(pack, value) for pack, _ in pairs], least_time, rounds)
    # The collection after an unpack should visit little but the result.
    del value
    gc.collect()
    both = measure.looped if case.small else measure.with_collection
    works = [both(unpack, data) for (_, unpack), data in zip(pairs, packed, strict=True)]
    unpacks = measure.medians(works, least_time, rounds)
    return {
        "values": values,
        "columns": columns,
        "peers": [
            {
                "zstd": small,
                "pack": to[0],
                "unpack": back[0],
                "collected": None if case.small else back[1],
            }
            for small, to, back in zip(zstd, packs, unpacks, strict=True)
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["pack", "unpack", "both", "times"])
    parser.add_argument("case")
    parser.add_argument("peers", help="one, or several between semicolons")
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--least-time", type=float, default=1.0)
    args = parser.parse_args()
    case = every.named(args.case, args.data)
    for module in case.modules:
        importlib.import_module(module)
    names = args.peers.split(";")
    if args.what == "times":
        print(json.dumps(times(case, names, args.quick, args.least_time)))
        return
    work = {"pack": first_pack, "unpack": first_unpack, "both": first_both}[args.what]
    try:
        answer = work(case, named(names[0])(case), args.quick, args.file)
    except WrongResultError as error:
        answer = {"refused": f"gives another result: {error}"}
    except Exception as error:
        said = str(error).partition("\n")[0][:REASON]
        # If one process does both, a file shows that the pack is done.
        what = "unpack" if args.what == "unpack" or args.file.exists() else "pack"
        answer = {"refused": f"cannot {what}: {type(error).__name__}: {said}"}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
