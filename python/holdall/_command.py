"""What the command `holdall` does through pyarrow: tables in Parquet, Arrow and Feather files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._errors import Error
from ._files import written_at_once
from ._options import PROFILES
from ._streams import Writer
from ._tables import scan

#: The extensions of the formats. A Feather file is an Arrow file.
_FORMATS = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow-stream",
    ".feather": "feather",
}
_NAMES = ("parquet", "arrow", "arrow-stream", "feather")


def wants(arguments: Sequence[str]) -> bool:
    """Whether these arguments of the command are for this module."""
    if not arguments or arguments[0] not in ("pack", "unpack"):
        return False
    option = "--from" if arguments[0] == "pack" else "--to"
    for place, each in enumerate(arguments):
        if each == option:
            return arguments[place + 1 : place + 2] != [] and arguments[place + 1] in _NAMES
        if each.startswith(f"{option}="):
            return each.partition("=")[2] in _NAMES
    # The extension of the input, or of the output.
    names = [each for each in arguments[1:] if Path(each).suffix in _FORMATS]
    if arguments[0] == "pack":
        return any(each != _output(arguments) for each in names)
    return _output(arguments) in names


def _output(arguments: Sequence[str]) -> str | None:
    for place, each in enumerate(arguments):
        if each in ("-o", "--output"):
            return next(iter(arguments[place + 1 : place + 2]), None)
        if each.startswith("--output="):
            return each.partition("=")[2]
    return None


def run(arguments: Sequence[str]) -> int:
    """Runs the command. Returns its exit status."""
    packs = arguments[0] == "pack"
    parser = argparse.ArgumentParser(
        prog=f"holdall {arguments[0]}",
        description="Convert a table to a stream of its rows"
        if packs
        else "Convert rows to a table",
    )
    parser.add_argument("file", help="the file to convert; of unpack also a URL")
    parser.add_argument("--from" if packs else "--to", dest="format", choices=_NAMES)
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
    named = own.file if packs else own.output
    own.format = own.format or _FORMATS[Path(named).suffix]
    try:
        import pyarrow
    except ImportError:
        return _failed("this format needs pyarrow: pip install pyarrow", 2)
    try:
        (_pack if packs else _unpack)(own)
    except (Error, OSError, pyarrow.ArrowException) as error:
        return _failed(str(error), 1)
    return 0


def _failed(text: str, status: int) -> int:
    print(f"holdall: {text}", file=sys.stderr)
    return status


def _pack(own: Any) -> None:
    metadata = dict(pair.partition("=")[::2] for pair in own.meta)
    with (
        written_at_once(own.output) as out,
        Writer(out, profile=own.profile, metadata=metadata) as writer,
    ):
        writer.write_table(_batches(own.file, own.format))


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


def _unpack(own: Any) -> None:
    import pyarrow as pa

    from .integrations import _filters

    found = scan(own.file, columns=own.columns)
    schema = _filters.plain_schema(found)
    with written_at_once(own.output) as out:
        if own.format == "parquet":
            import pyarrow.parquet

            sink = pyarrow.parquet.ParquetWriter(out, schema)
        elif own.format == "arrow-stream":
            sink = pa.ipc.new_stream(out, schema)
        else:
            sink = pa.ipc.new_file(out, schema)
        with sink:
            for batch in pa.RecordBatchReader.from_stream(found):
                sink.write_batch(batch.cast(schema))
