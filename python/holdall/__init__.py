"""holdall packs any object into compact bytes that are fast to write and safe to read.

>>> import holdall
>>> data = holdall.dumps({"name": "Ada", "born": 1815, "tags": {"maths", "poetry"}})
>>> holdall.loads(data)["tags"] == {"maths", "poetry"}
True

One value:

- `dumps`, `loads`: to bytes and back; `dump`, `load`: to a file and back; `size`: the number of bytes;
  `digest`: a hash of the value.
- `Encoder`, `Decoder`: many messages with the same options. Their help explains each option of the functions above.
- `register`: lets data create objects of a class; `Field`: the name of a field in data; `classes`: the classes that a message names.
- `Limits`: bounds for memory and sizes.
- `formats`: JSON, MessagePack and others, which `dumps` and `loads` take as ``format``; `register_format` adds one.
- `convert_pickle`: pickles to messages, without running them; a `Conversion` lists what was `NotData`.

Many values in one file:

- `Writer`, `Reader`: one by one; `AsyncWriter`, `AsyncReader`, `StreamDecoder`: in an event loop, or from pieces.
- `verify`, `recover`: what is damaged in a file (`Report`, `Damage`), and what is not.

Parts of a file:

- `open`, `view`: one column or one row (`View`, `Column`, `Text`) without the rest.
- `scan`: a table for pandas, polars, pyarrow and DuckDB (`Scan`). Data frames inside objects come back as what they were, or
  as a `Table` or `Array`.

What is in the bytes:

- `schema`: the types (`Schema`, `SchemaDiff`); `SchemaStore`: schemas by fingerprint, outside the messages.
- `inspect`: the meaning of each byte (`Inspection`); `metadata`: pairs of strings.

Values for which Python or this program has no type: `Record`, `Variant`, `Extension`, `Logical`, `Tensor`, `UNKNOWN`.

Errors, all with a code and a path: `Error`, and `DecodeError`, `SchemaError`, `LimitError`, `EncodeError`, `FileError`,
`OutOfMemoryError`.

`holdall.integrations` takes the place of pickle in other libraries. Everything that begins with an underscore is private.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._api import classes, digest, dump, inspect, load, metadata, schema, size
from ._arrays import Array, Table
from ._codec import Decoder, Encoder
from ._declared import Field
from ._errors import (
    DecodeError,
    EncodeError,
    Error,
    FileError,
    LimitError,
    OutOfMemoryError,
    SchemaError,
)
from ._holdall import __version__, dumps, loads
from ._limits import Limits
from ._registry import register
from ._schema import Inspection, Schema, SchemaDiff, SchemaStore
from ._values import UNKNOWN, Extension, Logical, Record, Tensor, Variant

if TYPE_CHECKING:
    from ._async import AsyncReader, AsyncWriter
    from ._formats import formats, register_format
    from ._pickles.convert import Conversion, convert_pickle
    from ._pickles.found import NotData
    from ._recovery import Damage, Report, recover, verify
    from ._streams import Reader, StreamDecoder, Writer
    from ._tables import Scan, scan
    from ._text import Text
    from ._view import Column, View, open, view  # noqa: A004 - holdall.open, as gzip.open

#: The modules of what most programs do not use: importing them takes half as long as importing all others.
_LATER = {
    "_async": ("AsyncReader", "AsyncWriter"),
    "_formats": ("formats", "register_format"),
    "_pickles.convert": ("Conversion", "convert_pickle"),
    "_pickles.found": ("NotData",),
    "_recovery": ("Damage", "Report", "recover", "verify"),
    "_streams": ("Reader", "StreamDecoder", "Writer"),
    "_tables": ("Scan", "scan"),
    "_text": ("Text",),
    "_view": ("Column", "View", "open", "view"),
}
_MODULES = {name: module for module, names in _LATER.items() for name in names}

__all__ = [
    "UNKNOWN",
    "Array",
    "AsyncReader",
    "AsyncWriter",
    "Column",
    "Conversion",
    "Damage",
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "Error",
    "Extension",
    "Field",
    "FileError",
    "Inspection",
    "LimitError",
    "Limits",
    "Logical",
    "NotData",
    "OutOfMemoryError",
    "Reader",
    "Record",
    "Report",
    "Scan",
    "Schema",
    "SchemaDiff",
    "SchemaError",
    "SchemaStore",
    "StreamDecoder",
    "Table",
    "Tensor",
    "Text",
    "Variant",
    "View",
    "Writer",
    "__version__",
    "classes",
    "convert_pickle",
    "digest",
    "dump",
    "dumps",
    "formats",
    "inspect",
    "load",
    "loads",
    "metadata",
    "open",
    "recover",
    "register",
    "register_format",
    "scan",
    "schema",
    "size",
    "verify",
    "view",
]


def __getattr__(name: str) -> Any:
    """Imports what is used for the first time."""
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{module}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
