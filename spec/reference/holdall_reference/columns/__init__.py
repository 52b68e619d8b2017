"""Chapter 6: columns. Every function that reads one has n rows to read, n > 0.

| rules | file |
|---|---|
| F-57, F-77 | encodings.py |
| frames in F-29 | frames.py |
| bins in F-29 | bins.py |
| F-59, and in F-29 delta, scaled and widths | inner.py |
| F-60 | zstd.py |
| F-28 | bits.py |
| F-29 | ints.py |
| F-30 | floats.py |
| F-32 | text.py |
| F-98 | templates.py |
| F-94 | raw.py |

F-31 and F-76 are in shapes.py and tensors.py beside block.py, because they have columns of Ints.
Padding (F-69) is handled where the payloads are read.
"""

from holdall_reference.columns.bits import read_bits
from holdall_reference.columns.encodings import skip_later
from holdall_reference.columns.floats import read_floats
from holdall_reference.columns.frames import INT_KINDS, U64, IntKind
from holdall_reference.columns.ints import Ints, read_ints
from holdall_reference.columns.raw import Raw, read_raw
from holdall_reference.columns.text import read_text

__all__ = [
    "INT_KINDS",
    "U64",
    "IntKind",
    "Ints",
    "Raw",
    "read_bits",
    "read_floats",
    "read_ints",
    "read_raw",
    "read_text",
    "skip_later",
]
