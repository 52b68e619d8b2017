"""Chapter 3: envelope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from holdall_reference.assembly import assemble
from holdall_reference.block import read_block
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget, default_budget
from holdall_reference.numbers import Reader
from holdall_reference.schema import Schema, fingerprint, read_schema
from holdall_reference.tagged import Tagged

MAGIC = 0xC1
VERSION = 1
STREAM = 15
FINGERPRINT, DEFINITIONS, ALIGNED, EXTENDED = 1, 2, 4, 8


def decode_message(
    data: bytes,
    *,
    schemas: Mapping[int, Schema] | Iterable[Schema] = (),
    budget: int | None = None,
) -> Tagged:
    """The value of a message; `schemas` are those known for fingerprints."""
    reader = Reader(data)
    schema = read_head(reader, schemas)
    return _decode_block(reader, schema, budget)


def decode_bare(data: bytes, schema: Schema, budget: int | None = None) -> Tagged:
    """The value of a bare body: the block alone (F-12)."""
    return _decode_block(Reader(data), schema, budget)


def message_schema(data: bytes, *, schemas: Mapping[int, Schema] | Iterable[Schema] = ()) -> Schema:
    """The schema of a message, whose block is not looked at."""
    return read_head(Reader(data), schemas)


def read_head(reader: Reader, schemas: Mapping[int, Schema] | Iterable[Schema]) -> Schema:
    """All that stands before the block of a message (F-7)."""
    # F-7: `bad_magic` @ it.
    place = reader.position
    if reader.byte() != MAGIC:
        raise FormatError("bad_magic", place)
    # F-7: version in bits 4 to 7, flags in bits 0 to 3.
    place = reader.position
    version, flags = divmod(reader.byte(), 16)
    # F-7: `bad_version` @ it unless the version is 1 (15, a stream: `unsupported` @ it).
    if version == STREAM:
        raise FormatError("unsupported", place)
    if version != VERSION:
        raise FormatError("bad_version", place)
    # F-8: aligned or extended set.
    if flags & (ALIGNED | EXTENDED):
        raise FormatError("unsupported", place)
    # F-8: fingerprint and definitions both set.
    if flags & FINGERPRINT and flags & DEFINITIONS:
        raise FormatError("bad_flags", place)
    if flags & FINGERPRINT:
        return _read_fingerprint(reader, schemas)
    # F-10: the number of definitions stands at their head only with flag 1.
    return read_schema(reader, has_count=bool(flags & DEFINITIONS), zero_allowed=False)


def _read_fingerprint(reader: Reader, schemas: Mapping[int, Schema] | Iterable[Schema]) -> Schema:
    # F-9: 8 bytes, little-endian (F-22).
    place = reader.position
    number = int.from_bytes(reader.take(8), "little")
    if not isinstance(schemas, Mapping):
        schemas = {fingerprint(schema.data): schema for schema in schemas}
    # F-9: a reader that does not know a schema with it: @ the first of the 8 bytes.
    if number not in schemas:
        raise FormatError("unknown_fingerprint", place)
    return schemas[number]


def _decode_block(reader: Reader, schema: Schema, units: int | None) -> Tagged:
    # F-39: the default depends on the length of the input, all of it.
    budget = Budget(default_budget(len(reader.data)) if units is None else units)
    block = read_block(reader, schema, budget)
    # F-11: after the block the input MUST end, checked after chapter 5 and before chapter 7.
    if reader.remaining:
        raise FormatError("trailing_bytes", reader.position)
    return assemble(block)
