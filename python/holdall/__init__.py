"""holdall packs any object into compact bytes that are fast to write and safe to read.

>>> import holdall
>>> data = holdall.dumps({"name": "Ada", "born": 1815, "tags": {"maths", "poetry"}})
>>> holdall.loads(data)["tags"] == {"maths", "poetry"}
True
"""

from ._api import classes, dump, inspect, load, metadata, schema, size
from ._async import AsyncReader, AsyncWriter
from ._codec import Decoder, Encoder
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
from ._recovery import Damage, Report, recover, verify
from ._registry import register
from ._schema import Inspection, Schema, SchemaDiff, SchemaStore
from ._streams import Reader, StreamDecoder, Writer
from ._tables import Scan, scan
from ._values import UNKNOWN, Extension, Logical, Record, Tensor, Variant
from ._view import Column, Text, View, open, view  # noqa: A004 - holdall.open, as gzip.open

__all__ = [
    "UNKNOWN",
    "AsyncReader",
    "AsyncWriter",
    "Column",
    "Damage",
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "Error",
    "Extension",
    "FileError",
    "Inspection",
    "LimitError",
    "Limits",
    "Logical",
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
    "Tensor",
    "Text",
    "Variant",
    "View",
    "Writer",
    "__version__",
    "classes",
    "dump",
    "dumps",
    "inspect",
    "load",
    "loads",
    "metadata",
    "open",
    "recover",
    "register",
    "scan",
    "schema",
    "size",
    "verify",
    "view",
]
