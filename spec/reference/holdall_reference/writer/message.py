"""Chapter 3, forwards: a message of a dynamic value."""

from __future__ import annotations

from holdall_reference.block import read_block
from holdall_reference.envelope import (
    ALIGNED,
    DEFINITIONS,
    MAGIC,
    VERSION,
    message_schema,
)
from holdall_reference.limits import UNITS_PER_BYTE, Budget, default_budget
from holdall_reference.numbers import PADDED_MULTIPLE, PADDED_SIZE, Reader
from holdall_reference.tagged import Tagged
from holdall_reference.writer.block import write_block
from holdall_reference.writer.canonical import in_canonical_order
from holdall_reference.writer.columns import Profile
from holdall_reference.writer.errors import WriterError
from holdall_reference.writer.inference import infer
from holdall_reference.writer.numbers import varint
from holdall_reference.writer.schema import write_schema
from holdall_reference.writer.sites import element_sizes

# More units than any message that fits in memory costs.
UNLIMITED = 1 << 80


def _filler(message: bytes, start: int, *, aligned: bool) -> int:
    """The number of zero bytes after the block, which begins at an offset (F-95)."""
    # The block costs what its reader charges for it.
    reader = Reader(message)
    reader.position, reader.aligned = start, aligned
    budget = Budget(UNLIMITED)
    read_block(reader, message_schema(message), budget)
    units = UNLIMITED - budget.left
    # F-95: as few as make the default budget enough, if it is not.
    if units <= default_budget(len(message)):
        return 0
    return -(-units // UNITS_PER_BYTE) - len(message)


def encode_message(
    value: Tagged, profile: Profile, limit_output: int | None = None, canonical: bool = False
) -> bytes:
    """The canonical message of a value in a profile; by the option `canonical` with sets in order (F-96)."""
    if canonical:
        value = in_canonical_order(value, lambda member: encode_message(member, "fast"))
    root = infer(value)
    schema = write_schema(root)
    # F-69: aligned if and only if the elements of some tensors take 4,096 bytes or more.
    aligned = max(element_sizes(root), default=0) >= PADDED_SIZE
    flags = (DEFINITIONS if schema.definitions else 0) | (ALIGNED if aligned else 0)
    # F-7: magic, version and flags, schema, padding, block.
    message = bytes([MAGIC, VERSION << 4 | flags])
    if schema.definitions:
        # F-10: the number of definitions is at the schema's head only with flag 1.
        message += varint(len(schema.definitions))
    message += schema.types
    if aligned:
        message += bytes(-len(message) % PADDED_MULTIPLE)
    start = len(message)
    message += write_block(root, schema.definitions, profile, start=start, aligned=aligned)
    message += bytes(_filler(message, start, aligned=aligned))
    # F-40.
    if limit_output is not None and len(message) > limit_output:
        raise WriterError("limit_output")
    return message
