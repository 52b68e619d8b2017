"""Small misreadings of the spec, put into the reference reader one at a time: which does no vector notice?

`python -m tests.misreadings` tries all of them, in a process for each core, and prints those that no
vector notices and explained.py doesn't explain, and those that it explains and a vector notices.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

from tests.explained import EXPLAINED

REFERENCE = Path(__file__).resolve().parents[1]
PACKAGE = "holdall_reference"
CONFORMANCE = REFERENCE.parents[1] / "conformance"
# The writer is no reader, and tagged.py compares what readers answer.
NO_READERS = {"__init__", "errors", "tagged"}

# So that a misreading which never ends, or fills the memory, counts as noticed. The seconds are
# the processor's, and many times what a vector takes: most a tenth of one, the slow ones one.
SECONDS, SLOW_SECONDS, MEMORY = 3, 20, 2 << 30


class Misreading(NamedTuple):
    """One change of one place of the source."""

    module: str
    kind: str
    function: str
    line: int
    text: str
    """The statement or expression that is changed, as Python writes it."""
    node: int
    """The place of its node in the walk through the module's tree."""
    number: int
    """Distinguishes equal texts of one function."""

    @property
    def key(self) -> str:
        """Names it, whatever changes elsewhere."""
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
    """The misreadings of one node: what they are called, and how to make them."""
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
        """All of the module, in an order that depends on its text alone."""
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
            # An expression alone says little: the statement's first line stands before it.
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
        """Those that the changed function cites, or else the module."""
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
    """The codes of errors, which chapter 9 lists."""
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
    """The keys of a part of them, which stays the same where the source does."""
    return [key for key, (misreading, _) in catalogue().items() if misreading.share < size]


class Case(NamedTuple):
    """A vector."""

    folder: str
    file: str
    record: dict[str, Any]

    @property
    def is_slow(self) -> bool:
        """Whether it takes more than a tenth of a second."""
        return self.folder == "large" or self.record["name"] in {
            "chain_of_100000_records_walked_before_unreachable_rows",
            "dictionary_of_9_bytes_used_2_to_22_times",
        }


@functools.cache
def cases() -> list[Case]:
    """All vectors that concern readers, the slow ones last."""
    found = []
    for folder in ("valid", "invalid", "streams", "evolution", "large"):
        for file in sorted((CONFORMANCE / folder).glob("*.json")):
            if file.name != "encode.json":
                records = json.loads(file.read_text(encoding="utf-8"))["vectors"]
                found += [Case(folder, file.stem, record) for record in records]
    return sorted(
        found,
        key=lambda case: (
            case.folder == "large",
            case.is_slow,
            case.file == "limits",
            len(case.record.get("hex", "")) > 3000,
        ),
    )


def in_order(rules: set[str], of_module: set[str]) -> list[Case]:
    """All vectors, those first that cite these rules.

    The large ones, which are slow, come last, and only those that cite a rule of the module.
    """
    large = [case for case in cases() if case.folder == "large"]
    others = sorted(
        (case for case in cases() if case.folder != "large"),
        key=lambda case: not rules & set(case.record["rules"]),
    )
    return others + [case for case in large if of_module & set(case.record["rules"])]


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the reference anew, one module of it changed."""

    def __init__(self, name: str, code: CodeType) -> None:
        self.codes = {source.full: source.code for source in sources() if source.full != name}
        self.codes[name] = code
        self.packages = {source.full for source in sources() if source.is_package}

    def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        if name not in self.codes:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=name in self.packages)

    def exec_module(self, module: ModuleType) -> None:
        exec(self.codes[module.__name__], module.__dict__)


@contextlib.contextmanager
def changed(name: str, code: CodeType) -> Iterator[None]:
    """While this lasts, importing the reference gives the changed one."""
    finder = Finder(name, code)
    kept = {each: sys.modules.pop(each) for each in list(sys.modules) if each.startswith(PACKAGE)}
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for each in [each for each in sys.modules if each.startswith(PACKAGE)]:
            del sys.modules[each]
        sys.modules.update(kept)


class TooLongError(Exception):
    """A misreading that does not end."""


def too_long(_signal: int, _frame: FrameType | None) -> None:
    raise TooLongError


def noticed(key: str) -> str | None:
    """The first vector that notices a misreading."""
    misreading, change = catalogue()[key]
    source = next(source for source in sources() if source.name == misreading.module)
    tree = ast.parse(source.text)
    node = next(node for place, node in enumerate(ast.walk(tree)) if place == misreading.node)
    tree = Replacer(node, change(node)).visit(tree) if misreading.kind != "swapped" else tree
    if misreading.kind == "swapped":
        change(node)
    code = compile(ast.fix_missing_locations(tree), str(source.path), "exec")
    with changed(source.full, code):
        try:
            answers = Answers()
        except Exception as error:
            return f"import: {error!r}"
        for case in in_order(source.rules(misreading), source.cited):
            seconds = SLOW_SECONDS if case.is_slow else SECONDS
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
            try:
                is_right = answers.is_right(case)
            except (Exception, TooLongError):
                is_right = False
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            if not is_right:
                return str(case.record["name"])
    return None


class Replacer(ast.NodeTransformer):
    """Puts a node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else self.generic_visit(node)


class Answers:
    """What a changed reader answers, beside what a vector says."""

    def __init__(self) -> None:
        self.reader = importlib.import_module(PACKAGE)
        self.pairs = importlib.import_module(f"{PACKAGE}.resolution")
        self.rows = importlib.import_module(f"{PACKAGE}.resolution_rows")
        self.types = importlib.import_module(f"{PACKAGE}.resolution_types")

    def is_right(self, case: Case) -> bool:
        """Whether the answer to a vector is the right one."""
        run = {
            "valid": self.valid,
            "invalid": self.invalid,
            "streams": self.stream,
            "evolution": self.evolution,
            "large": self.large,
        }
        return run[case.folder](case.record)

    def value(self, record: dict[str, Any], data: bytes) -> object:
        """The value of a message or bare body, or the fault."""
        reader, form, budget = self.reader, record.get("form", "message"), record.get("budget")
        try:
            given = record.get("schema_hex")
            schema = None if given is None else reader.parse_schema(bytes.fromhex(given))
            if form == "schema":
                return reader.schema_text(reader.parse_schema(data))
            if form == "bare":
                return reader.decode_bare(data, schema, budget)
            known = [] if schema is None else [schema]
            return reader.decode_message(data, schemas=known, budget=budget)
        except reader.FormatError as error:
            return error.code, error.offset

    def valid(self, record: dict[str, Any]) -> bool:
        reader, data = self.reader, bytes.fromhex(record["hex"])
        form, value = record.get("form", "message"), self.value(record, data)
        if form == "schema":
            schema = reader.parse_schema(data)
            if f"{reader.fingerprint(schema.data):016x}" != record.get("fingerprint"):
                return False
            if value != record["schema"]:
                return False
        elif isinstance(value, tuple) or not reader.equal(value, record["value"]):
            return False
        elif form == "message":
            given = record.get("schema_hex")
            known = [] if given is None else [reader.parse_schema(bytes.fromhex(given))]
            schema = reader.message_schema(data, schemas=known)
            metadata = reader.message_metadata(data)
            pairs = None if metadata is None else [list(pair) for pair in metadata.items()]
            if reader.schema_text(schema) != record["schema"] or pairs != record.get("metadata"):
                return False
        # The README's third step, with the longest prefix alone.
        cut = self.value(record, data[:-1])
        return (not data or (isinstance(cut, tuple) and cut[0] == "truncated")) and self.value(
            record, data + b"\0"
        ) == ("trailing_bytes", len(data))

    def invalid(self, record: dict[str, Any]) -> bool:
        got = self.value(record, bytes.fromhex(record["hex"]))
        return got == (record["code"], record["offset"])

    def stream(self, record: dict[str, Any]) -> bool:
        reader, data = self.reader, bytes.fromhex(record["hex"])
        given = record.get("schema_hex")
        known = [] if given is None else [reader.parse_schema(bytes.fromhex(given))]
        stream = reader.decode_stream(data, schemas=known)
        fault = None if stream.error is None else (stream.error.code, stream.error.offset)
        expected = (record["code"], record["offset"]) if "code" in record else None
        schemas = [reader.schema_text(schema) for schema in stream.schemas]
        if (stream.values, schemas, fault) != (record["values"], record["schemas"], expected):
            return False
        stream = reader.decode_stream(data, schemas=known, goes_on=True)
        metadata = None if stream.metadata is None else [list(p) for p in stream.metadata.items()]
        fault = None if stream.error is None else (stream.error.code, stream.error.offset)
        faults = [[fault.code, fault.offset] for fault in stream.faults]
        if "going_on" in record:
            going_on, expected = record["going_on"], None
        else:
            going_on = {"values": record["values"], "faults": []}
        return (
            metadata == record.get("metadata")
            and {"values": stream.values, "faults": faults} == going_on
            and fault == expected
        )

    def evolution(self, record: dict[str, Any]) -> bool:
        schema = self.reader.parse_schema(bytes.fromhex(record["reader_schema_hex"]))
        options = self.pairs.Options(
            aliases={(struct, name): olds for struct, name, olds in record.get("aliases", ())},
            struct_aliases=dict(record.get("struct_aliases", ())),
            variant_aliases=dict(record.get("variant_aliases", ())),
            other_variants=frozenset(record.get("other_variants", ())),
            defaults={(struct, name): value for struct, name, value in record.get("defaults", ())},
            open=frozenset((struct, name) for struct, name in record.get("open", ())),
            rounds=record.get("round", False),
            unknown_fields_are_errors=record.get("unknown_fields") == "error",
        )
        try:
            value = self.rows.read_message(bytes.fromhex(record["hex"]), schema, options)
        except self.reader.FormatError as error:
            return "offset" in record and (error.code, error.offset) == (
                record["code"],
                record["offset"],
            )
        except self.types.ResolutionError as error:
            fault = error.code, error.path, error.rule
            return "path" in record and fault == (record["code"], record["path"], record["rule"])
        return "value" in record and bool(self.reader.equal(value, record["value"]))

    def large(self, record: dict[str, Any]) -> bool:
        data = b"".join(bytes.fromhex(text) * times for text, times in record["parts"])
        value: object
        if record.get("form") == "stream":
            stream = self.reader.decode_stream(data)
            fault = stream.error
            value = stream.values[0] if fault is None else (fault.code, fault.offset)
        else:
            value = self.value(record, data)
        if "code" in record:
            return value == (record["code"], record["offset"])
        if "strings" in record:
            count, text, times = record["strings"]
            return value == ["list", [["string", text * times]] * count]
        return not isinstance(value, tuple) and bool(self.reader.equal(value, record["value"]))


def tried(keys: Sequence[str]) -> dict[str, str | None]:
    """For each misreading the vector that notices it; in a process of its own."""
    command = [sys.executable, "-m", "tests.misreadings", "--worker"]
    done = subprocess.run(
        command, input="\n".join(keys), capture_output=True, text=True, cwd=REFERENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str | None] = json.loads(done.stdout)
    return found


def work() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGVTALRM, too_long)
    json.dump({key: noticed(key) for key in sys.stdin.read().splitlines()}, sys.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", action="store_true", help="try those of standard input")
    parser.add_argument("--size", type=float, default=3, help="the part of them that is tried")
    parser.add_argument(
        "--of", nargs="*", default=[""], help="only those whose keys contain one of these"
    )
    given = parser.parse_args()
    if given.worker:
        work()
        return
    from concurrent.futures import ThreadPoolExecutor

    keys = [key for key in sample(given.size) if any(each in key for each in given.of)]
    keys.sort(key=lambda key: hashlib.sha256(key.encode()).digest())
    cores = len(os.sched_getaffinity(0))
    left = wrong = 0
    with ThreadPoolExecutor(cores) as pool:
        for found in pool.map(tried, [keys[at : at + 20] for at in range(0, len(keys), 20)]):
            for key, vector in found.items():
                left += vector is None
                if vector is None and key not in EXPLAINED:
                    wrong += 1
                    print(f"not noticed: {key}", flush=True)
                if vector is not None and key in EXPLAINED:
                    wrong += 1
                    print(f"explained, but noticed by {vector}: {key}", flush=True)
    print(f"{left} of {len(keys)} are not noticed")
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
