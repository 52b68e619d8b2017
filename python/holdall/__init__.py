"""holdall packs any object into compact bytes that are fast to write and safe to read.

>>> import holdall
>>> data = holdall.dumps({"name": "Ada", "born": 1815, "tags": {"maths", "poetry"}})
>>> holdall.loads(data)["tags"] == {"maths", "poetry"}
True

One value:

- `dumps`, `loads`: to bytes and back; `dump`, `load`: to a file and back; `size`: the number of bytes;
  `digest`: a hash of the value.
- `Encoder`, `Decoder`: many messages with the same options. Their help explains each option of the functions above.
- `register`: lets data create objects of a class; `Field`: the name of a field in data; `classes`: those that a message names;
  `Limits`: bounds for memory and sizes.
- `formats`: JSON, MessagePack and others, which `dumps` and `loads` take as ``format``; `register_format` adds one.
- `convert_pickle`, `convert_pickles`: pickles to messages, without running them; a `Conversion` lists what was `NotData`.

Many values in one file:

- `Writer`, `Reader`: one by one; `AsyncWriter`, `AsyncReader`, `StreamDecoder`: in an event loop, or from pieces.
- `verify`, `recover`: what is damaged in a file (`Report`, `Damage`), and what is not.

Parts of a file:

- `open`, `view`: one column or one row (`View`, `Column`, `Text`) without the rest.
- `scan`: a table for pandas, polars, pyarrow and DuckDB (`Scan`). Data frames inside objects come back as what they were, or
  as a `Table` or `Array`.

What is in the bytes:

- `schema`: the types (`Schema`, `SchemaDiff`); `SchemaStore`: schemas by fingerprint, outside the messages; `Dictionary`: what
  small messages have in common, outside them, too.
- `inspect`: the meaning of each byte (`Inspection`); `metadata`: pairs of strings.

Values for which Python or this program has no type: `Record`, `UnknownException`, `Variant`, `Extension`, `Logical`,
`Tensor`, `UNKNOWN`. Errors, with code and path: `Error`; `DecodeError`, `SchemaError`, `LimitError`, `EncodeError`,
`FileError`, `OutOfMemoryError`. `holdall.integrations` takes the place of pickle in other libraries. What begins with an
underscore is private. `help(holdall.Writer)` explains a class, `help(holdall.load)` a function.
"""

# There is no `__all__`: for each name in it, `help(holdall)` would print the whole class, 50 screens, and
# `from holdall import *` would hide the builtin `open`.
import importlib as _importlib
import typing as _typing

from ._errors import DecodeError as DecodeError
from ._errors import EncodeError as EncodeError
from ._errors import Error as Error
from ._errors import FileError as FileError
from ._errors import LimitError as LimitError
from ._errors import OutOfMemoryError as OutOfMemoryError
from ._errors import SchemaError as SchemaError
from ._holdall import __version__ as __version__
from ._holdall import dumps as dumps
from ._holdall import loads as loads
from ._impl._api import classes as classes
from ._impl._api import digest as digest
from ._impl._api import dump as dump
from ._impl._api import inspect as inspect
from ._impl._api import load as load
from ._impl._api import metadata as metadata
from ._impl._api import schema as schema
from ._impl._api import size as size
from ._impl._arrays import Array as Array
from ._impl._arrays import Table as Table
from ._impl._codec import Decoder as Decoder
from ._impl._codec import Encoder as Encoder
from ._impl._dictionary import Dictionary as Dictionary
from ._impl._registry import register as register
from ._impl._schema import Schema as Schema
from ._impl._schema import SchemaStore as SchemaStore
from ._impl._values import UNKNOWN as UNKNOWN
from ._impl._values import Extension as Extension
from ._impl._values import Logical as Logical
from ._impl._values import Record as Record
from ._impl._values import Tensor as Tensor
from ._impl._values import UnknownException as UnknownException
from ._impl._values import Variant as Variant

if _typing.TYPE_CHECKING:
    from ._impl._async import AsyncReader as AsyncReader
    from ._impl._async import AsyncWriter as AsyncWriter
    from ._impl._explained import Inspection as Inspection
    from ._impl._explained import SchemaDiff as SchemaDiff
    from ._impl._field import Field as Field
    from ._impl._formats import formats as formats
    from ._impl._formats import register_format as register_format
    from ._impl._limits import Limits as Limits
    from ._impl._pickles.convert import Conversion as Conversion
    from ._impl._pickles.convert import convert_pickle as convert_pickle
    from ._impl._pickles.convert import convert_pickles as convert_pickles
    from ._impl._pickles.found import NotData as NotData
    from ._impl._recovery import Damage as Damage
    from ._impl._recovery import Report as Report
    from ._impl._recovery import recover as recover
    from ._impl._recovery import verify as verify
    from ._impl._streams import Reader as Reader
    from ._impl._streams import StreamDecoder as StreamDecoder
    from ._impl._streams import Writer as Writer
    from ._impl._tables import Scan as Scan
    from ._impl._tables import scan as scan
    from ._impl._text import Text as Text
    from ._impl._view import Column as Column
    from ._impl._view import View as View
    from ._impl._view import open as open  # noqa: A004 - holdall.open, as gzip.open
    from ._impl._view import view as view

#: The modules of what most programs do not use: importing them takes longer than importing all others.
_LATER = {
    "_impl._async": ("AsyncReader", "AsyncWriter"),
    "_impl._explained": ("Inspection", "SchemaDiff"),
    "_impl._field": ("Field",),
    "_impl._formats": ("formats", "register_format"),
    "_impl._limits": ("Limits",),
    "_impl._pickles.convert": ("Conversion", "convert_pickle", "convert_pickles"),
    "_impl._pickles.found": ("NotData",),
    "_impl._recovery": ("Damage", "Report", "recover", "verify"),
    "_impl._streams": ("Reader", "StreamDecoder", "Writer"),
    "_impl._tables": ("Scan", "scan"),
    "_impl._text": ("Text",),
    "_impl._view": ("Column", "View", "open", "view"),
}
_MODULES = {name: module for module, names in _LATER.items() for name in names}

#: What `dir` lists of the names that begin with an underscore.
_LISTED = ("__doc__", "__file__", "__name__", "__path__", "__version__")


def __getattr__(name: str) -> _typing.Any:
    """Imports what is used for the first time."""
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(_importlib.import_module(f".{module}", __name__), name)
    return found


def __dir__() -> list[str]:
    """Returns the public names, also those that are not imported yet."""
    public = [name for name in (*globals(), *_MODULES) if not name.startswith("_")]
    return sorted({*public, *_LISTED})
