"""Plots of the results: each peer's score relative to holdall's, for every case."""

from __future__ import annotations

from pathlib import Path

from .figures import Measured
from .peers import PEERS
from .targets import OURS

#: A plot shows one score, with this title.
PICTURES = {
    "pack": ("pack", "Time to pack"),
    "unpack": ("collected", "Time to unpack, garbage collection included"),
    "small": ("unpack", "Time to unpack, without garbage collection"),
    "bytes": ("bytes", "Bytes"),
    "memory": ("pack_peak", "Memory of the first pack"),
    "memory-unpack": ("unpack_peak", "Memory of the first unpack"),
}

#: Shapes and colours that also differ in grey.
MARKS = "osD^v<>PX*hp"


def draw(every: list[Measured], prefix: Path) -> list[Path]:
    """Draws `PREFIX-NAME.png` for every measured score."""
    # Without a screen.
    import matplotlib

    matplotlib.use("Agg")
    drawn = []
    for name, (score, title) in PICTURES.items():
        path = prefix.with_name(f"{prefix.name}-{name}.png")
        if picture(every, score, title, path):
            drawn.append(path)
    return drawn


def picture(every: list[Measured], score: str, title: str, path: Path) -> bool:
    """One row for each case, one mark for each peer; returns whether there was anything to draw."""
    from matplotlib import pyplot

    found = points(every, score)
    cases = [measured.name for measured in every if any(at[0] == measured.name for at in found)]
    if not found:
        return False
    figure, axes = pyplot.subplots(figsize=(9, 1.5 + 0.3 * len(cases)), layout="constrained")
    rivals = [peer.name for peer in PEERS if not peer.ours]
    for at, rival in enumerate(rivals):
        of_rival = [(ratio, cases.index(case)) for case, peer, ratio in found if peer == rival]
        if of_rival:
            across, down = zip(*of_rival, strict=True)
            colour = pyplot.get_cmap("tab20")(at % 20)
            axes.scatter(across, down, marker=MARKS[at % len(MARKS)], color=[colour], label=rival)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(cases)), cases)
    axes.invert_yaxis()
    axes.grid(axis="both", alpha=0.3)
    axes.set_title(title)
    axes.set_xlabel("peer / holdall: right of the line holdall needs less")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return True


def points(every: list[Measured], score: str) -> list[tuple[str, str, float]]:
    """The cases, the peers, and their scores relative to ours."""
    found = []
    for measured in every:
        ours = measured.figures(OURS)
        own = ours.score(score) if ours else None
        if not own:
            continue
        for peer in measured.peers:
            value = peer.score(score)
            if not peer.ours and value:
                found.append((measured.name, peer.peer, value / own))
    return found
