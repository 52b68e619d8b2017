"""The targets of holdall, and whether it meets them, by medians of one run with default options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .figures import SCORES, Figures, Measured

OURS = "holdall"
MSGSPEC = ("msgspec", "msgspec, typed")

#: The minimum speed of unpacking with collection, relative to the best peer.
UNPACK = {"flat": 1.0, "arrays": 1.0}
UNPACK_ELSE = 1.5
#: The minimum speed of packing, relative to msgspec.
PACK = {"records": 1.0, "dataclasses": 1.0, "tree": 1.0, "logs": 1.0}
PACK_ELSE = 0.8
#: The minimum speed of packing graphs and dataclasses relative to pickle, and of unpacking relative to msgspec's
#: typed decoder.
OBJECTS = 4.0
#: The maximum time for one message, relative to msgspec.
MESSAGE_BOUNDS = {"pack": 1.5, "unpack": 1.0, "bytes": 1.15}
#: The maximum time for messages that are unlike each other, relative to msgspec and to pickle.
MESSAGES = {"msgspec": 1.5, "pickle": 1.0}
#: The minimum speed where values are of classes that few libraries take, relative to pickle.
HELD = 1.0
#: Cases of more values must take the fewest bytes.
MANY_VALUES = 100
#: Differences of this many bytes do not count, since numbers leave nothing to save.
EQUAL = 64
#: The maximum memory of the first pack beyond its result, as a fraction of the unpacked columns.
COLUMNS = 1.2
#: Below this size, the memory of a case is hidden by the pages in which a process grows.
LEAST_COLUMNS = 1_000_000


@dataclass(frozen=True)
class Verdict:
    """One target of one case."""

    case: str
    what: str
    #: The measured value, the value to compare with, and whether it is a minimum or a maximum.
    ratio: float
    bound: float
    least: bool

    @property
    def met(self) -> bool:
        return self.ratio >= self.bound if self.least else self.ratio <= self.bound


def verdicts(measured: Measured) -> Iterator[Verdict]:
    """All targets of a case, except those without a peer to compare with."""
    ours = measured.figures(OURS)
    if ours is None:
        # It must handle every case: nothing is worse than failing.
        yield Verdict(measured.name, f"takes part: {measured.refused.get(OURS)}", 0, 1, True)
        return
    kinds = {"small": small, "messages": messages, "held": held}
    yield from kinds.get(measured.kind, large)(measured, ours)


def small(measured: Measured, ours: Figures) -> Iterator[Verdict]:
    for score, bound in MESSAGE_BOUNDS.items():
        yield from at_most(measured, ours, score, bound, measured.fewest(score, *MSGSPEC))


def messages(measured: Measured, ours: Figures) -> Iterator[Verdict]:
    for peer, bound in MESSAGES.items():
        for score in ("pack", "unpack"):
            yield from at_most(measured, ours, score, bound, measured.fewest(score, peer))


def held(measured: Measured, ours: Figures) -> Iterator[Verdict]:
    for score in ("pack", "unpack"):
        yield from at_least(measured, ours, score, HELD, measured.fewest(score, "pickle"))


def large(measured: Measured, ours: Figures) -> Iterator[Verdict]:
    kind = measured.kind
    best = measured.best("collected")
    yield from at_least(measured, ours, "collected", UNPACK.get(kind, UNPACK_ELSE), best)
    if kind == "dataclasses":
        typed = measured.fewest("collected", "msgspec, typed")
        yield from at_least(measured, ours, "collected", OBJECTS, typed)
    msgspec = measured.fewest("pack", *MSGSPEC)
    yield from at_least(measured, ours, "pack", PACK.get(kind, PACK_ELSE), msgspec)
    if kind in ("graph", "dataclasses"):
        yield from at_least(measured, ours, "pack", OBJECTS, measured.fewest("pack", "pickle"))
    yield from bytes_of(measured, ours)
    yield from memory_of(measured, ours)


def at_least(
    measured: Measured, ours: Figures, score: str, bound: float, peer: tuple[float, str] | None
) -> Iterator[Verdict]:
    """This many times faster than a peer."""
    own = ours.score(score)
    if peer and own:
        what = f"{SCORES[score]}: {peer[1]} / holdall"
        yield Verdict(measured.name, what, peer[0] / own, bound, True)


def at_most(
    measured: Measured, ours: Figures, score: str, bound: float, peer: tuple[float, str] | None
) -> Iterator[Verdict]:
    """At most this many times the score of a peer."""
    own = ours.score(score)
    if peer and own is not None:
        what = f"{SCORES[score]}: holdall / {peer[1]}"
        ratio = own / peer[0] if peer[0] else float(own > 0)
        yield Verdict(measured.name, what, ratio, bound, False)


def bytes_of(measured: Measured, ours: Figures) -> Iterator[Verdict]:
    best = measured.best("bytes")
    if best is None or measured.values <= MANY_VALUES:
        return
    equal = measured.name == "floats" or measured.kind == "arrays"
    # The bound includes the difference that does not count.
    bound = (best[0] + EQUAL) / best[0] if equal else 1.0
    yield from at_most(measured, ours, "bytes", bound, best)


def memory_of(measured: Measured, ours: Figures) -> Iterator[Verdict]:
    if measured.columns < LEAST_COLUMNS:
        return
    if ours.pack_peak is not None:
        room = ours.bytes + COLUMNS * measured.columns
        what = "pack peak: holdall / (result + 1.2 columns)"
        yield Verdict(measured.name, what, ours.pack_peak / room, 1.0, False)
    for score in ("pack_peak", "unpack_peak"):
        yield from at_most(measured, ours, score, 1.0, measured.fewest(score, "pickle"))
