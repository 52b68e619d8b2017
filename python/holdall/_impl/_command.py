"""What Python adds to the command `holdall`: pickles, and through pyarrow tables in Parquet, Arrow and Feather files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._errors import Error
from ._options import PROFILES

#: The formats of tables. A Feather file is an Arrow file.
_TABLES = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow-stream",
    ".feather": "feather",
}
_FORMATS = {**_TABLES, ".pkl": "pickle", ".pickle": "pickle"}


def run(arguments: Sequence[str]) -> int | None:
    """Runs `pack` or `unpack`. Returns its exit status; None if the half in Rust has the format."""
    format = _format_of(arguments)
    if format is not None and format in _TABLES.values():
        return _run_table(arguments, format)
    if format == "pickle" and arguments[0] == "pack":
        # Only Python has the classes of pickles. Only then is the module worth its import.
        from ._pickles import command

        return command.run(arguments[1:])
    return None


def _format_of(arguments: Sequence[str]) -> str | None:
    """The format that `pack` reads or `unpack` writes: that of the option, or by the file's extension."""
    packs = arguments[0] == "pack"
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--from" if packs else "--to", dest="format", nargs="?")
    parser.add_argument("-o", "--output", nargs="?")
    given, others = parser.parse_known_args(arguments[1:])
    if given.format is not None:
        return str(given.format)
    # A command must not replace the file that it reads: the half in Rust refuses that.
    names = [each for each in others if each[:1] != "-" and each != given.output]
    ends = [Path(name).suffix for name in (names if packs else [given.output or ""])]
    return next((_FORMATS[end] for end in ends if end in _FORMATS), None)


def _run_table(arguments: Sequence[str], format: str) -> int:
    packs = arguments[0] == "pack"
    parser = argparse.ArgumentParser(
        prog=f"holdall {arguments[0]}",
        description="Convert a table to a stream of its rows"
        if packs
        else "Convert rows to a table",
    )
    parser.add_argument("file", help="the file to convert; of unpack also a URL")
    parser.add_argument("--from" if packs else "--to", choices=_TABLES.values())
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        help="an existing file is replaced once the new one is complete",
    )
    if packs:
        parser.add_argument("--profile", choices=PROFILES, default="balanced")
        parser.add_argument("--meta", action="append", default=[], metavar="KEY=VALUE")
        parser.add_argument(
            "--stream", action="store_true", help="a table becomes a stream in any case"
        )
    else:
        parser.add_argument("--columns", type=lambda text: text.split(","), metavar="NAME,NAME")
    own = parser.parse_args(arguments[1:])
    try:
        import pyarrow
    except ImportError:
        return _failed("this format needs pyarrow: pip install pyarrow", 2)
    try:
        (_pack if packs else _unpack)(own, format)
    except (Error, OSError, pyarrow.ArrowException) as error:
        return _failed(str(error), 1)
    return 0


def _failed(text: str, status: int) -> int:
    print(f"holdall: {text}", file=sys.stderr)
    return status


def _pack(own: Any, format: str) -> None:
    from ._files import written_at_once
    from ._streams import Writer

    metadata = dict(pair.partition("=")[::2] for pair in own.meta)
    with (
        written_at_once(own.output) as out,
        Writer(out, profile=own.profile, metadata=metadata) as writer,
    ):
        writer.write_table(_batches(own.file, format))


def _batches(path: str, format: str) -> Any:
    """The batches of a file, one in memory at a time."""
    import pyarrow as pa

    if format == "arrow-stream":
        return pa.ipc.open_stream(pa.memory_map(path))
    if format == "parquet":
        import pyarrow.parquet

        file = pyarrow.parquet.ParquetFile(path)
        return pa.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches())
    reader = pa.ipc.open_file(pa.memory_map(path))
    batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
    return pa.RecordBatchReader.from_batches(reader.schema, batches)


def _unpack(own: Any, format: str) -> None:
    import pyarrow as pa

    from ..integrations import _filters
    from ._files import written_at_once
    from ._tables import scan

    found = scan(own.file, columns=own.columns)
    schema = _filters.plain_schema(found)
    with written_at_once(own.output) as out:
        if format == "parquet":
            import pyarrow.parquet

            sink = pyarrow.parquet.ParquetWriter(out, schema)
        elif format == "arrow-stream":
            sink = pa.ipc.new_stream(out, schema)
        else:
            sink = pa.ipc.new_file(out, schema)
        with sink:
            for batch in pa.RecordBatchReader.from_stream(found):
                sink.write_batch(batch.cast(schema))
