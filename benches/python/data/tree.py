"""A tree of dicts, as of folders and files: each node has a list of nodes of the same form."""

from __future__ import annotations

from random import Random
from typing import Any

from .case import Case
from .text import skewed, slug


def node(random: Random) -> dict[str, Any]:
    return {"name": slug(random, 1000), "size": skewed(random, 1_000_000), "children": []}


def make(count: int, seed: int) -> dict[str, Any]:
    """Attaches each node to a recent one or to any, at most 40 levels deep, which is deeper than real trees."""
    random = Random(seed)
    root = node(random)
    nodes = [(root, 1)]
    while len(nodes) < count:
        near = skewed(random, min(len(nodes), 100))
        parent, depth = nodes[-1 - near] if random.random() < 0.5 else random.choice(nodes)
        if depth < 40:
            child = node(random)
            parent["children"].append(child)
            nodes.append((child, depth + 1))
    return root


CASES = [Case("tree", "tree", "a tree of {count} dicts", 30_000, make)]
