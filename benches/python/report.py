"""Tables of the results."""

from __future__ import annotations

from collections.abc import Iterator

from .figures import SCORES, Figures, Measured
from .table import figures, microseconds, table, thousands
from .targets import Verdict, verdicts

LEGEND = """\
Ratios of the best peer to holdall, with the peer's name: above 1, holdall is faster, smaller or takes less memory.
unpack+gc adds the garbage collection after unpacking, less the time of a collection without the result; the collector
is on for all, and has just run when a sample begins. zstd is the size of the bytes after zstd at level 3. Peaks are the
growth of a fresh process in the first call: the result, temporary memory, and code that is loaded from disk.
`reused` keeps its encoder and decoder, `bare` writes no schema, `typed` reads into a type; they are compared with the
same peers as the default. A - marks a figure that is not measured for one message, or that no peer has.
"""

DETAILS = """\
Medians in microseconds; bytes. A single message is timed in long loops, including the cost of the loop.
"""


def gain(measured: Measured, ours: Figures, score: str) -> tuple[float, str] | None:
    """The best peer's score relative to ours, and its name."""
    own, best = ours.score(score), measured.best(score)
    return (best[0] / own, best[1]) if own and best else None


def ways(every: list[Measured]) -> Iterator[tuple[str, Measured, Figures]]:
    """A case and a way to use holdall, with its name: `records`, `records, typed`."""
    for measured in every:
        for peer in measured.peers:
            if peer.ours:
                yield peer.peer.replace("holdall", measured.name, 1), measured, peer


def ratios(every: list[Measured]) -> str:
    """The ratios to the best peer."""
    rows = [["", *SCORES.values()]]
    for name, measured, ours in ways(every):
        gains = [gain(measured, ours, score) for score in SCORES]
        rows.append([name, *(f"{figures(each[0])} {each[1]}" if each else "-" for each in gains)])
    return table(rows)


def losses(every: list[Measured]) -> str:
    """The cells in which a peer is better."""
    lines = []
    for name, measured, ours in ways(every):
        gains = ((score, gain(measured, ours, score)) for score in SCORES)
        lost = [
            f"{SCORES[score]} {figures(each[0])} {each[1]}"
            for score, each in gains
            if each and each[0] < 1
        ]
        if lost:
            lines.append(f"- {name}: {', '.join(lost)}\n")
    return "".join(lines) or "Nowhere.\n"


def details(measured: Measured) -> str:
    """All scores of a case, and the peers without scores."""
    rows = [[measured.name, *SCORES.values()]]
    for peer in measured.peers:
        times = map(microseconds, (peer.pack, peer.unpack, peer.collected))
        sizes = map(thousands, (peer.bytes, peer.zstd, peer.pack_peak, peer.unpack_peak))
        rows.append([peer.peer, *times, *sizes])
    refused = "".join(f"{peer}: {reason}\n" for peer, reason in measured.refused.items())
    about = f"{measured.about}: {measured.values:,} values, {measured.columns:,} bytes of columns"
    return f"{about}\n{table(rows)}{refused}"


def targets(every: list[Measured]) -> str:
    """Which targets are met, by the scores."""
    found = [verdict for measured in every for verdict in verdicts(measured)]
    missed = [verdict for verdict in found if not verdict.met]
    rows = [["case", "target", "measured", "wanted", ""], *map(target, found)]
    return f"{len(found) - len(missed)} of {len(found)} targets met.\n\n{table(rows)}"


def target(verdict: Verdict) -> list[str]:
    sign = "at least" if verdict.least else "at most"
    bound = f"{verdict.bound:.6g}"
    measured = figures(verdict.ratio)
    if measured == figures(verdict.bound):
        # Three digits do not distinguish them.
        measured = f"{verdict.ratio:.6g}"
    outcome = "met" if verdict.met else "MISSED"
    return [verdict.case, verdict.what, measured, f"{sign} {bound}", outcome]


def text(every: list[Measured]) -> str:
    """The complete report, for a terminal."""
    each = "\n".join(details(measured) for measured in every)
    return f"{each}\n{DETAILS}\n{ratios(every)}\n{LEGEND}\n{targets(every)}"


def markdown(machine: str, command: str, every: list[Measured], pictures: list[str]) -> str:
    """The complete report, as a file."""

    def fenced(content: str) -> str:
        return f"```\n{content}```\n"

    shown = "".join(f"![{picture}]({picture})\n" for picture in pictures)
    each = "\n".join(fenced(details(measured)) for measured in every)
    return (
        f"# Python objects: holdall beside its peers\n\n`{command}` on this machine:\n\n{machine}\n"
        f"## The best peer and holdall\n\n{fenced(ratios(every))}\n{LEGEND}\n{shown}\n"
        f"## Targets\n\n{fenced(targets(every))}\n"
        f"## Where others win\n\n{losses(every)}\n"
        f"## All figures\n\n{DETAILS}\nPeers without figures are below the others, with the reason.\n\n{each}"
    )
