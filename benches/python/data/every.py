"""All cases."""

from __future__ import annotations

from pathlib import Path

from . import arrays, files, flat, graph, held, logs, messages, records, sparse, tree
from .case import Case

GENERATED: list[Case] = [
    *messages.CASES,
    *records.CASES,
    *sparse.CASES,
    *tree.CASES,
    *logs.CASES,
    *graph.CASES,
    *flat.CASES,
    *arrays.CASES,
    *held.CASES,
]


def cases(folder: Path | None, parts: list[str], quick: bool = False) -> list[Case]:
    """Those with one of the parts in their names, or all, those of the folder's files included."""
    every = GENERATED + (files.cases(folder, quick) if folder else [])
    return [case for case in every if not parts or any(part in case.name for part in parts)]


def named(name: str, folder: Path | None) -> Case:
    return next(case for case in cases(folder, []) if case.name == name)
