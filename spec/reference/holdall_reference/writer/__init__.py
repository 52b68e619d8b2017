"""A writer for checking canonical bytes: slow, plain, and written from `spec/format.md` alone.

It writes tagged values as dynamic values, in the profiles whose bytes are promised:

| chapter | rules | file |
|---|---|---|
| 2 Numbers | F-3, F-5, F-6 | numbers.py |
| 10 Profiles | F-42 to F-44, F-61, F-62, F-91 to F-94 | columns.py |
| 11 Dynamic inference | F-47, F-53, F-65 | inference.py |
| | F-45 | identity.py |
| | F-75, F-96 | canonical.py |
| | F-46, F-64 | sites.py |
| | F-47, F-51, F-52 | row_types.py |
| | F-49 to F-51 | mappings.py |
| | F-74 | storage.py |
| 12 Schema text | F-99 | schema_parser.py |
| 11, and 4 Schema | F-48, F-54 | schema.py |
| 5 Block | F-23, F-24, F-31, F-69, F-76 | block.py |
| 3 Envelope, 8 Limits | F-7, F-10, F-40, F-69 | message.py |

>>> encode_message(["record", [["a", ["int", "1"]]]], "fast").hex(" ").upper()
'C1 10 1A 08 04 61 03 04'
"""

from holdall_reference.writer.columns import Profile
from holdall_reference.writer.errors import SchemaTextError, WriterError
from holdall_reference.writer.message import encode_message
from holdall_reference.writer.schema_parser import parse_schema_text

__all__ = ["Profile", "SchemaTextError", "WriterError", "encode_message", "parse_schema_text"]
