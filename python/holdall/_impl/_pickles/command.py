"""``holdall pack --from pickle``: the part of the command that is in Python."""

from __future__ import annotations

import argparse
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from ..._errors import Error
from .._files import written_at_once
from .._options import PROFILES
from .._schema import SchemaStore
from .convert import convert_pickle


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "holdall pack",
        description="Convert a pickle to holdall, without running it. Objects of other classes become records.",
        epilog="Example: holdall pack --from pickle old.pkl --types 'shop.models.*' -o new.hold",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("file", nargs="?", default="-", help="the file to pack; - or nothing means standard input")
    add("--from", choices=["pickle"], dest="form", help="the format; default for .pkl and .pickle")
    add(
        "--types",
        action="append",
        default=[],
        metavar="NAME",
        help="a class, a function, or 'module.*' for the classes of a module, which is imported. You can repeat the option",
    )
    add("--missing", choices=["record", "error"], default="record", help="what others become")
    add("--encoding", default="ascii", help="of the text in pickles of Python 2; bytes keeps it")
    add("--profile", choices=PROFILES, default="fast", help="how hard to make the data small")
    add("--checksum", action="store_true", help="add a checksum, so that readers notice damage")
    add("--canonical", action="store_true", help="sort the members of sets")
    add("--meta", action="append", default=[], metavar="KEY=VALUE", help="add a text under a key")
    add("--store", metavar="FOLDER", help="write the fingerprint of the schema, put it there")
    add("-o", "--output", metavar="OUT", default="-", help="where to write; - is standard output")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit status. The report goes to standard error."""
    parser = _parser()
    given = parser.parse_args(arguments)
    metadata = {}
    for each in given.meta:
        key, equals, value = each.partition("=")
        if not equals:
            parser.error(f"--meta: there is no `=` in {each!r}")
        metadata[key] = value
    try:
        types = [_allowed(name) for name in given.types]
    except (ImportError, AttributeError, ValueError) as error:
        parser.error(f"--types: {error}")
    store = None if given.store is None else SchemaStore(given.store)
    options: dict[str, Any] = {} if store is None else {"header": "fingerprint", "store": store}
    try:
        data = sys.stdin.buffer.read() if given.file == "-" else Path(given.file).read_bytes()
        converted = convert_pickle(
            data,
            types=types,
            missing=given.missing,
            encoding=given.encoding,
            profile=given.profile,
            checksum=given.checksum,
            canonical=given.canonical,
            metadata=metadata,
            **options,
        )
        if given.output == "-":
            sys.stdout.buffer.write(converted.data)
            sys.stdout.buffer.flush()
        else:
            with written_at_once(given.output) as out:
                out.write(converted.data)
    except (Error, OSError, LookupError) as error:
        _say(f"holdall: {'stdin' if given.file == '-' else given.file}: {error}", sys.stderr)
        return 1
    for each in converted.report:
        _say(f"holdall: {given.file}: {each}", sys.stderr)
    return 0


def _allowed(name: str) -> Any:
    """The class or function of a name, or the name of all classes of a module; its module is imported."""
    if "" not in sys.path:
        # As `python -m` does.
        sys.path.insert(0, "")
    if name.endswith(".*"):
        __import__(name.removesuffix(".*"))
        return name
    found = pkgutil.resolve_name(name)
    if not callable(found):
        raise ValueError(f"{name} is neither a class nor a function; for a module write '{name}.*'")
    return found


def _say(text: str, file: IO[str]) -> None:
    """Prints a line without characters that control a terminal: names come from the pickle."""
    lines = text.split("\n")
    shown = ("".join(c if c.isprintable() else repr(c)[1:-1] for c in line) for line in lines)
    print("\n".join(shown), file=file)
