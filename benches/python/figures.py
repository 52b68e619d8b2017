"""Measurements, as passed between processes."""

from __future__ import annotations

from dataclasses import dataclass, field

#: The scores, for which less is better: an attribute of `Figures`, and its name in tables.
SCORES = {
    "pack": "pack",
    "unpack": "unpack",
    "collected": "unpack+gc",
    "bytes": "bytes",
    "zstd": "zstd",
    "pack_peak": "pack peak",
    "unpack_peak": "unpack peak",
}


@dataclass
class Figures:
    """One peer in a case: medians in seconds, and bytes. None for scores that are not measured for small messages."""

    peer: str
    ours: bool
    bytes: int
    pack_peak: int | None = None
    unpack_peak: int | None = None
    zstd: int | None = None
    pack: float | None = None
    unpack: float | None = None
    #: The time to unpack, and to collect garbage afterwards.
    collected: float | None = None

    def score(self, name: str) -> float | None:
        value: float | None = getattr(self, name)
        return value


@dataclass
class Measured:
    """All peers in a case."""

    name: str
    kind: str
    about: str
    values: int = 0
    #: The size of the columns before packing.
    columns: int = 0
    peers: list[Figures] = field(default_factory=list)
    #: The reason why a peer takes no part.
    refused: dict[str, str] = field(default_factory=dict)

    def figures(self, peer: str) -> Figures | None:
        return next((figures for figures in self.peers if figures.peer == peer), None)

    def best(self, score: str) -> tuple[float, str] | None:
        """The best score of the peers, and the name of the best."""
        rivals = [
            (value, figures.peer)
            for figures in self.peers
            if not figures.ours and (value := figures.score(score)) is not None
        ]
        # Among equals, the first in the order of the tables.
        return min(rivals, default=None, key=lambda rival: rival[0])

    def fewest(self, score: str, *peers: str) -> tuple[float, str] | None:
        """The best score of some peers; None if they take no part."""
        found = [
            (value, name)
            for name in peers
            if (figures := self.figures(name)) and (value := figures.score(score)) is not None
        ]
        return min(found, default=None, key=lambda each: each[0])
