"""The reference decoder of holdall: slow, plain, and written from `spec/format.md` alone.

Other decoders are compared with it. Each branch that implements a rule cites its number, so the
spec is the only other text you need. One file per chapter:

| chapter | rules | file |
|---|---|---|
| 1 Conventions, 2 Numbers | F-1 to F-6 | numbers.py |
| 3 Envelope, 15 Tables of codes | F-7 to F-12, F-58, F-66, F-67, F-69 | envelope.py, checksum.py |
| | F-68 | metadata.py |
| | F-101 | dictionary.py |
| 4 Schema | F-13 to F-22, F-56, F-73 | schema.py, schema_reader.py |
| | F-70 | packable.py |
| | F-72 | logical.py |
| 5 Block | F-23 to F-27 | block.py |
| | F-31 | shapes.py |
| | F-76 | tensors.py |
| 6 Columns | F-28 to F-30, F-32, F-57, F-59, F-60, F-77, F-94, F-98 | columns/ |
| 7 Walk and assembly | F-33 to F-37, F-64, F-74, F-87 | assembly.py |
| 8 Limits | F-38, F-39, F-95 | limits.py |
| 9 Errors | F-41 | errors.py, paths.py |
| 12 Schema text | F-55 | schema_text.py |
| 13 Reading with another schema | F-78 to F-80, F-97 | resolution.py, resolution_*.py |
| 14 Streams | F-81 to F-86, F-88, F-89 | stream.py |
| | F-100 | statistics.py |

tagged.py has the notation in which values are compared. Chapters 10 and 11 concern writers: the
one in writer/ checks canonical bytes, and the decoder does not use it. Its `__init__.py` has the
table of its files. Nothing here writes streams (F-90) or profile small (F-63).

>>> dumps(decode_message(bytes.fromhex("C1101A0804610304")))
'["record",[["a",["int","1"]]]]'
"""

from holdall_reference.envelope import (
    decode_bare,
    decode_message,
    message_metadata,
    message_schema,
)
from holdall_reference.errors import CODES, FormatError
from holdall_reference.limits import default_budget
from holdall_reference.schema import Schema, fingerprint
from holdall_reference.schema_reader import parse_schema
from holdall_reference.schema_text import schema_text
from holdall_reference.stream import Stream, decode_stream
from holdall_reference.tagged import Tagged, dumps, equal

__all__ = [
    "CODES",
    "FormatError",
    "Schema",
    "Stream",
    "Tagged",
    "decode_bare",
    "decode_message",
    "decode_stream",
    "default_budget",
    "dumps",
    "equal",
    "fingerprint",
    "message_metadata",
    "message_schema",
    "parse_schema",
    "schema_text",
]
