"""All small misreadings of the spec in the reference reader's source. Each changes one place."""

from __future__ import annotations

import ast
import functools
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

REFERENCE = Path(__file__).resolve().parents[1]
PACKAGE = "holdall_reference"
CONFORMANCE = REFERENCE.parents[1] / "conformance"
# The writer is not a reader, and tagged.py compares the results of readers.
NO_READERS = {"__init__", "errors", "tagged"}


class Misreading(NamedTuple):
    """One change of one place of the source."""

    module: str
    kind: str
    function: str
    line: int
    text: str
    """The statement or expression that is changed, as Python writes it."""
    node: int
    """The position of its node in the walk through the module's tree."""
    number: int
    """Distinguishes equal texts of one function."""

    @property
    def key(self) -> str:
        """Its name, which does not depend on changes elsewhere."""
        again = f" ({self.number + 1})" if self.number else ""
        return f"{self.module}.{self.function}: {self.kind}: {self.text}{again}"

    @property
    def share(self) -> float:
        """Evenly spread from 0 to 1, of numbers to 3, which are most: a sample takes those below its size."""
        share = int.from_bytes(hashlib.sha256(self.key.encode()).digest()[:4], "big") / 2**32
        return 3 * share if self.kind in ("one more", "one less") else share


Change = Callable[[ast.AST], ast.AST]

BOUNDARIES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}


def changes(node: ast.AST, codes: Sequence[str]) -> Iterator[tuple[str, Change]]:
    """The misreadings of one node: their names, and how to apply them."""
    match node:
        case ast.Compare(ops=ops):
            for at, op in enumerate(ops):
                if type(op) in BOUNDARIES:
                    yield f"boundary {at}" if at else "boundary", boundary(at)
        case ast.If(body=[ast.Raise()], orelse=[]):
            yield "check dropped", dropped
        case ast.Expr(value=ast.Call()) if "super()" not in ast.unparse(node):
            yield "call dropped", lambda node: ast.copy_location(ast.Pass(), node)
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int()):
            yield "one more", plus(1)
            yield "one less", plus(-1)
        case ast.Constant(value=str(code)) if code in codes:
            yield "code", lambda node: constant(node, codes[(codes.index(code) + 7) % len(codes)])
        case ast.Call(func=ast.Name(id="FormatError"), args=[_, _]):
            yield "place", moved
        case ast.BoolOp():
            yield "connective", connective
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            yield "sign", sign
        case ast.Call(func=ast.Name(id="min" | "max")):
            yield "extreme", extreme


def boundary(at: int) -> Change:
    def change(node: Any) -> ast.AST:
        node.ops[at] = BOUNDARIES[type(node.ops[at])]()
        return node  # type: ignore[no-any-return]

    return change


def dropped(node: Any) -> ast.AST:
    node.test = constant(node.test, False)
    return node  # type: ignore[no-any-return]


def constant(node: Any, value: str | int) -> ast.expr:
    return ast.copy_location(ast.Constant(value), node)


def plus(more: int) -> Change:
    return lambda node: constant(node, node.value + more)  # type: ignore[attr-defined]


def moved(node: Any) -> ast.AST:
    place = ast.BinOp(node.args[1], ast.Add(), ast.Constant(1))
    node.args[1] = ast.fix_missing_locations(ast.copy_location(place, node.args[1]))
    return node  # type: ignore[no-any-return]


def connective(node: Any) -> ast.AST:
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    return node  # type: ignore[no-any-return]


def sign(node: Any) -> ast.AST:
    node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    return node  # type: ignore[no-any-return]


def extreme(node: Any) -> ast.AST:
    node.func.id = {"min": "max", "max": "min"}[node.func.id]
    return node  # type: ignore[no-any-return]


def is_check(node: ast.stmt) -> bool:
    """`if ...: raise ...`"""
    return isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise) and not node.orelse


class Source:
    """A module of the reader."""

    def __init__(self, path: Path) -> None:
        self.path = path
        inside = path.relative_to(REFERENCE / PACKAGE).with_suffix("")
        self.name = ".".join(part for part in inside.parts if part != "__init__")
        self.is_package = path.stem == "__init__"
        self.full = f"{PACKAGE}.{self.name}" if self.name else PACKAGE
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)

    @functools.cached_property
    def code(self) -> CodeType:
        return compile(self.tree, str(self.path), "exec")

    def misreadings(self, codes: Sequence[str]) -> Iterator[tuple[Misreading, Change]]:
        """All misreadings of the module, in an order that depends only on its text."""
        parents = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }
        numbers: dict[tuple[str, ...], int] = {}

        def named(place: int, node: ast.AST, kind: str) -> Misreading:
            around, names, said = parents.get(node), [], node
            while around is not None:
                if isinstance(around, ast.FunctionDef | ast.ClassDef):
                    names.append(around.name)
                if not names and not isinstance(said, ast.stmt):
                    said = around
                around = parents.get(around)
            # An expression alone is unclear, so the statement's first line precedes it.
            text = ast.unparse(said).splitlines()[0]
            if said is not node:
                text = f"{ast.unparse(node)} in {text}"
            if kind == "swapped":
                text = ast.unparse(node).splitlines()[0]
            function = ".".join(reversed(names)) or "module"
            same = (function, kind, text)
            numbers[same] = numbers.get(same, -1) + 1
            line = getattr(node, "lineno", 0)
            return Misreading(self.name, kind, function, line, text, place, numbers[same])

        for place, node in enumerate(ast.walk(self.tree)):
            for kind, change in changes(node, codes):
                yield named(place, node, kind), change
            body = getattr(node, "body", None)
            for at in range(len(body) - 1 if isinstance(body, list) else 0):
                assert isinstance(body, list)
                if is_check(body[at]) and is_check(body[at + 1]):
                    yield named(place, body[at], "swapped"), swapped(at)

    @functools.cached_property
    def cited(self) -> set[str]:
        """The rules that the module cites."""
        return set(re.findall(r"F-\d+", self.text))

    def rules(self, misreading: Misreading) -> set[str]:
        """The rules that the changed function cites, or else those of the module."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                start, end = node.lineno, node.end_lineno or node.lineno
                if start <= misreading.line <= end:
                    lines = self.text.splitlines()[start - 1 : end]
                    cited = set(re.findall(r"F-\d+", "\n".join(lines)))
                    if cited:
                        return cited
        return self.cited


def swapped(at: int) -> Change:
    def change(node: Any) -> ast.AST:
        node.body[at], node.body[at + 1] = node.body[at + 1], node.body[at]
        return node  # type: ignore[no-any-return]

    return change


@functools.cache
def sources() -> list[Source]:
    """All modules of the reference."""
    return [Source(path) for path in sorted((REFERENCE / PACKAGE).rglob("*.py"))]


@functools.cache
def codes() -> list[str]:
    """The error codes in chapter 9."""
    text = (REFERENCE.parent / "format.md").read_text(encoding="utf-8")
    chapter = text[text.index("\n## 9. ") : text.index("\n## 10. ")]
    return list(dict.fromkeys(re.findall(r"`([a-z][a-z_0-9]{3,})`", chapter)))


@functools.cache
def catalogue() -> dict[str, tuple[Misreading, Change]]:
    """All misreadings of the reader's modules, by their keys."""
    readers = [
        source
        for source in sources()
        if source.name.partition(".")[0] not in NO_READERS | {"writer", ""}
    ]
    found = [pair for source in readers for pair in source.misreadings(codes())]
    return {misreading.key: (misreading, change) for misreading, change in found}


def sample(size: float) -> list[str]:
    """The keys of a sample, which does not change unless the source does."""
    return [key for key, (misreading, _) in catalogue().items() if misreading.share < size]
