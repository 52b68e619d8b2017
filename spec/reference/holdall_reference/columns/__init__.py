"""Chapter 6: columns. Every function that reads one has n rows to read, n > 0.

| rules | file |
|---|---|
| F-57 | encodings.py |
| F-59, and frames in F-29 | frames.py |
| F-60 | zstd.py |
| F-28 | bits.py |
| F-29 | ints.py |
| F-30 | floats.py |
| F-32 | text.py |

F-31 stands in block.py, since its columns are Ints.
"""

from holdall_reference.columns.bits import read_bits
from holdall_reference.columns.floats import read_floats
from holdall_reference.columns.frames import INT_KINDS, U64, IntKind
from holdall_reference.columns.ints import Ints, read_ints
from holdall_reference.columns.text import read_text

__all__ = [
    "INT_KINDS",
    "U64",
    "IntKind",
    "Ints",
    "read_bits",
    "read_floats",
    "read_ints",
    "read_text",
]
