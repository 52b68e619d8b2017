"""Mutation that keeps what surrounds the changed part right, as that of the fuzz targets in Rust does: the length and
the checksum of a message, and of a stream the lengths, checksums, numbers, fingerprints and index of its frames.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from holdall_reference import fingerprint
from tests.streams import PREAMBLE, Maker, checksum, frame, frames, varint
from tests.support import mutate

SCHEMA, BLOCK, END = b"S", b"B", b"E"


def change(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """An input with one change. After one in eight changes nothing is kept right."""
    if chance.randrange(8) == 0:
        return mutate(chance, data, other)
    if data[:2] == b"\xc1\xf1":
        found = split(data)
        return mutate(chance, data, other) if found is None else changed(chance, found, other)
    return refitted(mutate(chance, data, other))


def refitted(message: bytes) -> bytes:
    """A message with the length and the checksum that its bytes have, if it has them (F-67)."""
    if len(message) < 8 or message[0] != 0xC1 or not 0x18 <= message[1] <= 0x1F:
        return message
    if message[2] & 4:
        rest = message[3 + varint_len(message[3]) :]
        lengths = (varint(3 + own + len(rest)) for own in range(1, 10))
        length = next(length for own, length in enumerate(lengths, 1) if len(length) == own)
        message = message[:3] + length + rest
    return message[:-4] + checksum(message[:-4]) if message[2] & 2 else message


def varint_len(first: int) -> int:
    """The bytes of a number that begins so (F-3)."""
    return (~first & first + 1).bit_length()


# ---- streams ----


@dataclass(frozen=True)
class Part:
    """What a frame says, without what follows from its place and its bytes."""

    kind: bytes
    schema: int
    payload: bytes


def split(stream: bytes) -> list[Part] | None:
    """The frames of a stream that is nothing else."""
    parts = []
    offsets = list(frames(stream))
    if offsets[-1] != len(stream):
        return None
    for at in offsets[:-1]:
        length = int.from_bytes(stream[at + 9 : at + 15], "little")
        schema = int.from_bytes(stream[at + 20 : at + 28], "little")
        parts.append(Part(stream[at + 8 : at + 9], schema, stream[at + 32 : at + 32 + length]))
    return parts


def changed(chance: random.Random, parts: list[Part], other: bytes) -> bytes:
    """A stream of these frames, of which one is changed, or another one than before."""
    if not parts:
        return PREAMBLE + mutate(chance, b"", other)
    at, beside = chance.randrange(len(parts)), chance.randrange(len(parts))
    part = parts[at]
    match chance.randrange(8):
        case 0:
            del parts[at]
        case 1:
            parts.insert(beside, part)
        case 2:
            parts[at], parts[beside] = parts[beside], part
        case _:
            parts[at] = Part(part.kind, part.schema, mutate(chance, part.payload, other))
    return joined(parts)


def joined(parts: list[Part]) -> bytes:
    """The stream of these frames: numbered, each block with the schema before it, and a right index."""
    maker = Maker()
    for part in parts:
        if part.kind == END:
            maker.add(frame("E", len(maker.frames), maker.index()))
            continue
        schema = part.schema
        if part.kind == SCHEMA:
            schema = maker.schema = fingerprint(part.payload)
        elif part.kind == BLOCK:
            schema = maker.schema or schema
        kind = part.kind.decode("latin-1")
        maker.add(frame(kind, len(maker.frames), part.payload, schema), roots(part))
    return maker.data


def roots(part: Part) -> int:
    """The number of a block's roots (F-85)."""
    if part.kind != BLOCK or not part.payload:
        return 0
    length = varint_len(part.payload[0])
    return int.from_bytes(part.payload[:length], "little") >> min(length, 8) >> 2
