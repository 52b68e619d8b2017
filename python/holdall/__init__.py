"""holdall packs any object into bytes, and back: small, fast, and safe to read.

>>> import holdall
>>> data = holdall.dumps({"name": "Ada", "born": 1815, "tags": {"maths", "poetry"}})
>>> holdall.loads(data)["tags"] == {"maths", "poetry"}
True
"""

from ._api import dump, dumps, inspect, load, loads, metadata, schema
from ._codec import Decoder, Encoder
from ._errors import DecodeError, EncodeError, Error, LimitError, SchemaError
from ._holdall import __version__
from ._limits import Limits
from ._registry import register
from ._schema import Inspection, Schema, SchemaDiff, SchemaStore
from ._values import UNKNOWN, Extension, Logical, Record, Tensor, Variant

__all__ = [
    "UNKNOWN",
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "Error",
    "Extension",
    "Inspection",
    "LimitError",
    "Limits",
    "Logical",
    "Record",
    "Schema",
    "SchemaDiff",
    "SchemaError",
    "SchemaStore",
    "Tensor",
    "Variant",
    "__version__",
    "dump",
    "dumps",
    "inspect",
    "load",
    "loads",
    "metadata",
    "register",
    "schema",
]
