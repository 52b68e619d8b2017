"""Chapter 3: envelope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from holdall_reference.assembly import assemble
from holdall_reference.block import read_block
from holdall_reference.checksum import crc32c
from holdall_reference.dictionary import open_content
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget, default_budget
from holdall_reference.metadata import read_metadata
from holdall_reference.numbers import PADDED_MULTIPLE, Reader
from holdall_reference.schema import Schema, fingerprint
from holdall_reference.schema_reader import read_schema
from holdall_reference.tagged import Tagged

MAGIC = 0xC1
VERSION = 1
STREAM = 15
# F-8.
FINGERPRINT, DEFINITIONS, ALIGNED, EXTENDED = 1, 2, 4, 8
# F-66.
METADATA, CHECKSUM, LENGTH, DICTIONARY = 1, 2, 4, 8
RESERVED_FLAGS = 0xF0
CHECKSUM_SIZE = 4


class Head(NamedTuple):
    """The part of a message before its schema."""

    flags: int
    metadata: dict[str, str] | None
    has_dictionary: bool

    @property
    def aligned(self) -> bool:
        return bool(self.flags & ALIGNED)


def decode_message(
    data: bytes,
    *,
    schemas: Mapping[int, Schema] | Iterable[Schema] = (),
    dictionaries: Iterable[bytes] = (),
    budget: int | None = None,
) -> Tagged:
    """Return the value of a message; `schemas` are those known by fingerprint, `dictionaries` those by hash."""
    reader = Reader(data)
    head = read_head(reader)
    units = _units(data, budget)
    if head.has_dictionary:
        # F-101: the content takes the place of the frame, and has no filler.
        reader = open_content(reader, dictionaries, units)
        schema = read_schema_of(reader, head.flags, schemas)
        return _decode_block(reader, schema, units, may_be_filled=False)
    schema = read_schema_of(reader, head.flags, schemas)
    # F-69: with flag 2 zero bytes precede the block, and others are inside it.
    reader.aligned = head.aligned
    reader.skip_padding(PADDED_MULTIPLE)
    return _decode_block(reader, schema, units)


def decode_bare(data: bytes, schema: Schema, budget: int | None = None) -> Tagged:
    """The value of a bare body: the block alone (F-12)."""
    return _decode_block(Reader(data), schema, _units(data, budget))


def message_metadata(data: bytes) -> dict[str, str] | None:
    """Return a message's metadata, or None if it has none. The rest of the message may be missing (F-68)."""
    # F-68: a reader of only the metadata checks neither length nor checksum.
    return read_head(Reader(data), checked=False).metadata


def message_schema(
    data: bytes,
    *,
    schemas: Mapping[int, Schema] | Iterable[Schema] = (),
    dictionaries: Iterable[bytes] = (),
) -> Schema:
    """Return the schema of a message without reading its block."""
    reader = Reader(data)
    head = read_head(reader)
    if head.has_dictionary:
        reader = open_content(reader, dictionaries, _units(data, None))
    return read_schema_of(reader, head.flags, schemas)


def read_head(reader: Reader, *, checked: bool = True) -> Head:
    """Read everything before the schema of a message (F-7)."""
    # F-7: `bad_magic` @ it.
    place = reader.position
    if reader.byte() != MAGIC:
        raise FormatError("bad_magic", place)
    # F-7, F-58: version in bits 4 to 7, flags in bits 0 to 3.
    place = reader.position
    version, flags = divmod(reader.byte(), 16)
    # F-7: `bad_version` @ it unless the version is 1 (15, a stream: `unsupported` @ it).
    if version == STREAM:
        raise FormatError("unsupported", place)
    if version != VERSION:
        raise FormatError("bad_version", place)
    # F-8: fingerprint and definitions both set.
    if flags & FINGERPRINT and flags & DEFINITIONS:
        raise FormatError("bad_flags", place)
    # F-7: the extended flags only with flag 3, and what they announce only with them.
    extended = _read_extended_flags(reader, flags) if flags & EXTENDED else 0
    if extended & LENGTH:
        length = reader.varint()
        if checked:
            _check_length(reader, length, has_checksum=bool(extended & CHECKSUM))
    metadata = read_metadata(reader) if extended & METADATA else None
    return Head(flags, metadata, bool(extended & DICTIONARY))


def _read_extended_flags(reader: Reader, flags: int) -> int:
    place = reader.position
    extended = reader.byte()
    # F-66: one of the reserved bits set.
    if extended & RESERVED_FLAGS:
        raise FormatError("unsupported", place)
    # F-66: no bit set, or checksum without length.
    if extended == 0 or (extended & CHECKSUM and not extended & LENGTH):
        raise FormatError("bad_flags", place)
    # F-66: dictionary with flag 2.
    if extended & DICTIONARY and flags & ALIGNED:
        raise FormatError("bad_flags", place)
    return extended


def _check_length(reader: Reader, length: int, *, has_checksum: bool) -> None:
    """The length, and with it the checksum: before anything else is read (F-67)."""
    # F-67: the number of bytes of the whole message. Less than the bytes up to here (with
    # a checksum: and 4 more), or more than the input has: @ the first byte after the varint.
    start = reader.position
    least = start + (CHECKSUM_SIZE if has_checksum else 0)
    if not least <= length <= len(reader.data):
        raise FormatError("truncated", start)
    # F-67: the input has more: @ the byte at that offset.
    if length < len(reader.data):
        raise FormatError("trailing_bytes", length)
    if has_checksum:
        # F-67: the CRC-32C of all bytes before it; for all that follows the input ends before it.
        reader.end -= CHECKSUM_SIZE
        checksum = int.from_bytes(reader.data[reader.end :], "little")
        if crc32c(reader.data[: reader.end]) != checksum:
            raise FormatError("bad_checksum", reader.end)


def read_schema_of(
    reader: Reader, flags: int, schemas: Mapping[int, Schema] | Iterable[Schema]
) -> Schema:
    """The schema of a message with these flags, or the known one of its fingerprint."""
    if flags & FINGERPRINT:
        return _read_fingerprint(reader, schemas)
    # F-10: the number of definitions is at their head only with flag 1.
    has_count = bool(flags & DEFINITIONS)
    return read_schema(reader, has_count=has_count, zero_allowed=False)


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


def _units(data: bytes, units: int | None) -> Budget:
    # F-39: the default depends on the input's length in bytes (checksum included).
    return Budget(default_budget(len(data)) if units is None else units)


def _decode_block(
    reader: Reader, schema: Schema, budget: Budget, *, may_be_filled: bool = True
) -> Tagged:
    block = read_block(reader, schema, budget)
    # F-11, F-95: after the block, or its filler, the input MUST end, checked after chapter 5 and before chapter 7.
    if may_be_filled:
        reader.skip_filler()
    if reader.remaining:
        raise FormatError("trailing_bytes", reader.position)
    return assemble(block)
