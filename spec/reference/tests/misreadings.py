"""Puts small misreadings of the spec into the reference reader, one at a time, to find those that no vector notices.

`python -m tests.misreadings` tries all of them, in a process for each core. It prints those that
neither a vector notices nor explained.py explains, and those that explained.py explains but a
vector notices.
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
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

from tests.explained import EXPLAINED
from tests.misreading_catalogue import CONFORMANCE, PACKAGE, REFERENCE, catalogue, sample, sources

# With these limits, a misreading that never ends or fills the memory counts as noticed. The limit
# is processor time, many times what a vector takes: usually a tenth of a second, a slow one takes one.
SECONDS, SLOW_SECONDS, MEMORY = 3, 20, 2 << 30


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
    for folder in ("valid", "invalid", "streams", "evolution", "large", "dictionaries"):
        for file in sorted((CONFORMANCE / folder).glob("*.json")):
            if file.name != "encode.json":
                contents = json.loads(file.read_text(encoding="utf-8"))
                records = contents["vectors"]
                for record in records:
                    record["dictionaries"] = contents.get("dictionaries", {})
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
    """All vectors, first those that cite these rules.

    The large and slow ones are last, and only those that cite a rule of the module.
    """
    large = [case for case in cases() if case.folder == "large"]
    others = sorted(
        (case for case in cases() if case.folder != "large"),
        key=lambda case: not rules & set(case.record["rules"]),
    )
    return others + [case for case in large if of_module & set(case.record["rules"])]


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the reference again with one module changed."""

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
    """A context in which importing the reference returns the changed one."""
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
    """Replaces one node by another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else self.generic_visit(node)


class Answers:
    """Compares a changed reader's results with a vector."""

    def __init__(self) -> None:
        self.reader = importlib.import_module(PACKAGE)
        self.pairs = importlib.import_module(f"{PACKAGE}.resolution_pairs")
        self.rows = importlib.import_module(f"{PACKAGE}.resolution_rows")
        self.types = importlib.import_module(f"{PACKAGE}.resolution_types")

    def is_right(self, case: Case) -> bool:
        """Whether the result for a vector is correct."""
        run = {
            "valid": self.valid,
            "invalid": self.invalid,
            "streams": self.stream,
            "evolution": self.evolution,
            "large": self.large,
            "dictionaries": self.dictionary,
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
            own = [bytes.fromhex(text) for text in record["dictionaries"].values()]
            return reader.decode_message(data, schemas=known, dictionaries=own, budget=budget)
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

    def dictionary(self, record: dict[str, Any]) -> bool:
        reader, data = self.reader, bytes.fromhex(record["hex"])
        value = self.value(record, data)
        if "code" in record:
            return value == (record["code"], record["offset"])
        if isinstance(value, tuple) or not reader.equal(value, record["value"]):
            return False
        if "budget" in record:
            return True
        given = record.get("schema_hex")
        known = [] if given is None else [reader.parse_schema(bytes.fromhex(given))]
        own = [bytes.fromhex(text) for text in record["dictionaries"].values()]
        schema = reader.message_schema(data, schemas=known, dictionaries=own)
        return bool(reader.schema_text(schema) == record["schema"])

    def stream(self, record: dict[str, Any]) -> bool:
        reader, data = self.reader, bytes.fromhex(record["hex"])
        given = record.get("schema_hex")
        known = [] if given is None else [reader.parse_schema(bytes.fromhex(given))]
        stream = reader.decode_stream(data, schemas=known)
        fault = None if stream.error is None else (stream.error.code, stream.error.offset)
        expected = (record["code"], record["offset"]) if "code" in record else None
        schemas = [reader.schema_text(schema) for schema in stream.schemas]
        if stream.statistics != record.get("statistics", []):
            return False
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
