"""Streams built frame by frame for the tests, valid or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from holdall_reference import fingerprint
from holdall_reference.checksum import crc32c

SYNC = bytes.fromhex("A1B2C3D4E5F60718")
PREAMBLE = b"\xc1\xf1hold\r\n" + SYNC


def number(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little")


def checksum(data: bytes) -> bytes:
    return number(crc32c(data), 4)


def varint(value: int) -> bytes:
    """The shortest form (F-3)."""
    for k in range(8):
        if value < 1 << 7 * (k + 1):
            return number(value << k + 1 | (1 << k) - 1, k + 1)
    return b"\xff" + number(value, 8)


def frame(
    kind: str, sequence: int, payload: bytes, schema: int = 0, *, padding: bytes | None = None
) -> bytes:
    """A frame (F-82, F-83)."""
    head = SYNC + kind.encode("latin-1") + number(len(payload), 6) + number(sequence, 5)
    head += number(schema, 8)
    summed = head
    head += checksum(head)
    if padding is None:
        padding = bytes(-(len(payload) + 4) % 8)
    return head + payload + padding + checksum(summed + payload + padding)


@dataclass
class Maker:
    """Builds a stream, with offsets and numbers filled in."""

    data: bytes = PREAMBLE
    frames: list[tuple[int, int]] = field(default_factory=list)
    """Length divided by 8, and roots."""
    schema: int = 0

    def add(self, frame: bytes, roots: int = 0) -> Maker:
        self.data += frame
        self.frames.append((len(frame) // 8, roots))
        return self

    def meta(self, payload: bytes) -> Maker:
        return self.add(frame("M", len(self.frames), payload))

    def types(self, schema: bytes) -> Maker:
        """A schema alone, with its number of definitions."""
        self.schema = fingerprint(schema)
        return self.add(frame("S", len(self.frames), schema, self.schema))

    def block(self, roots: int, columns: bytes) -> Maker:
        """A block without directory, not aligned."""
        return self.payload(roots, varint(4 * roots) + columns)

    def payload(self, roots: int, payload: bytes) -> Maker:
        return self.add(frame("B", len(self.frames), payload, self.schema), roots)

    def index(self) -> bytes:
        """The payload of the end (F-88)."""
        entries = b"".join(varint(each) for entry in self.frames for each in entry)
        index = varint(len(self.frames)) + entries
        return index + bytes(-(len(index) + 4) % 8) + number(len(self.data), 8)

    def end(self) -> bytes:
        return self.data + frame("E", len(self.frames), self.index())


def frames(data: bytes) -> Iterator[int]:
    """The offsets of an intact stream's frames, and the end of the last one."""
    at = len(PREAMBLE)
    yield at
    while at < len(data):
        length = int.from_bytes(data[at + 9 : at + 15], "little")
        at += -(-(36 + length) // 8) * 8
        yield at
