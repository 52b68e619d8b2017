"""Packs syntax trees of the standard library, in which each node links to its parent: graphs full of cycles.

Prints the bytes beside those of pickle, and the times with `--times`. Each graph is compared with the original after
a round trip, identity included.
"""

from __future__ import annotations

import argparse
import ast
import pickle
import statistics
import sys
import sysconfig
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import holdall


def register_all() -> None:
    """Allows data to create objects of the classes of syntax trees."""
    for cls in vars(ast).values():
        if isinstance(cls, type) and issubclass(cls, ast.AST):
            holdall.register(cls)


def tree(path: Path) -> ast.Module:
    """The syntax tree of a module, in which each node links to its parent."""
    root = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(root):
        for child in ast.iter_child_nodes(node):
            child.parent = node  # type: ignore[attr-defined]
    return root


def same(left: Any, right: Any) -> int:
    """Checks that two graphs are equal, identity included, and returns the number of nodes."""
    pairs: dict[int, int] = {}
    kept: list[Any] = []
    todo: list[tuple[Any, Any]] = [(left, right)]
    while todo:
        a, b = todo.pop()
        if type(a) is not type(b):
            raise SystemExit(f"{type(a)} became {type(b)}")
        if isinstance(a, ast.AST):
            if pairs.setdefault(id(a), id(b)) != id(b):
                raise SystemExit("an object became two, or two became one")
            if len(kept) < len(pairs):
                kept.append((a, b))
                if list(vars(a)) != list(vars(b)):
                    raise SystemExit("other fields")
                todo += zip(vars(a).values(), vars(b).values(), strict=True)
        elif isinstance(a, list):
            todo += zip(a, b, strict=True)
        elif a != b:
            raise SystemExit(f"{a!r} became {b!r}")
    if len(set(pairs.values())) != len(pairs):
        raise SystemExit("two objects became one")
    return len(pairs)


def dump_pickle(value: Any) -> bytes:
    """Pickles with the highest protocol, the smallest and fastest."""
    return pickle.dumps(value, 5)


def timed(work: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """The median time of a call in milliseconds, and its result."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times), result


def main() -> None:
    """Prints the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--modules", type=int, default=3, help="how many of the largest")
    arguments.add_argument("--times", action="store_true", help="also measure times")
    chosen = arguments.parse_args()
    rounds = 3 if chosen.times else 1
    register_all()
    library = Path(sysconfig.get_path("stdlib"))
    modules = sorted(library.glob("*.py"), key=lambda path: path.stat().st_size)[-chosen.modules :]
    # pickle recurses, so it needs a deep stack.
    sys.setrecursionlimit(100_000)
    times = f"{'pack ms':>9} {'unpack ms':>10}" if chosen.times else ""
    print(f"{'module':20} {'nodes':>8}  {'':8} {'bytes':>11} {times}")
    for path in reversed(modules):
        root = tree(path)
        libraries: list[tuple[str, Callable[[Any], bytes], Callable[[bytes], Any]]] = [
            ("holdall", holdall.dumps, holdall.loads),
            ("pickle 5", dump_pickle, pickle.loads),
        ]
        for name, dump, load in libraries:
            packing, data = timed(partial(dump, root), rounds)
            unpacking, back = timed(partial(load, data), rounds)
            nodes = same(root, back)
            times = f"{packing:9.1f} {unpacking:10.1f}" if chosen.times else ""
            print(f"{path.name:20} {nodes:8,}  {name:8} {len(data):11,} {times}", flush=True)


if __name__ == "__main__":
    main()
