"""Chapter 3, forwards: a message of a dynamic value."""

from __future__ import annotations

from holdall_reference.envelope import ALIGNED, BLOCK_MULTIPLE, DEFINITIONS, MAGIC, VERSION
from holdall_reference.tagged import Tagged
from holdall_reference.writer.block import write_block
from holdall_reference.writer.canonical import in_canonical_order
from holdall_reference.writer.columns import Profile
from holdall_reference.writer.errors import WriterError
from holdall_reference.writer.inference import infer
from holdall_reference.writer.numbers import varint
from holdall_reference.writer.schema import write_schema


def encode_message(
    value: Tagged, profile: Profile, limit_output: int | None = None, canonical: bool = False
) -> bytes:
    """The canonical message of a value in a profile; by the option `canonical` with sets in order (F-96)."""
    if canonical:
        value = in_canonical_order(value, lambda member: encode_message(member, "fast"))
    root, aligned = infer(value)
    schema = write_schema(root)
    # F-69: aligned if and only if some row of a tensor has elements of 64 bytes or more.
    flags = (DEFINITIONS if schema.definitions else 0) | (ALIGNED if aligned else 0)
    # F-7: magic, version and flags, schema, padding, block.
    message = bytes([MAGIC, VERSION << 4 | flags])
    if schema.definitions:
        # F-10: the number of definitions stands at the schema's head only with flag 1.
        message += varint(len(schema.definitions))
    message += schema.types
    if aligned:
        message += bytes(-len(message) % BLOCK_MULTIPLE)
    message += write_block(root, schema.definitions, profile, start=len(message), aligned=aligned)
    # F-40.
    if limit_output is not None and len(message) > limit_output:
        raise WriterError("limit_output")
    return message
