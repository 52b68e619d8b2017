"""Chapter 14: streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from holdall_reference.assembly import assemble_roots, check_definitions
from holdall_reference.block import Block, read_block
from holdall_reference.checksum import crc32c
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget, default_budget
from holdall_reference.metadata import read_metadata
from holdall_reference.numbers import Reader
from holdall_reference.schema import Schema, fingerprint, has_columns, sites_of
from holdall_reference.schema_reader import read_schema
from holdall_reference.statistics import read_statistics
from holdall_reference.tagged import Tagged

# F-81.
MAGIC, VERSION, TEXT = b"\xc1", b"\xf1", b"hold\r\n"
SYNC_SIZE = 8
# F-82, F-83.
HEAD_SIZE = 32
CHECKSUM_SIZE = 4
MULTIPLE = 8
MAX_LENGTH = 1 << 31
# F-84.
METADATA, SCHEMA, BLOCK, STATISTICS, END = b"MSBTE"
LATER = range(0xE0, 0x100)
# F-85.
DIRECTORY, ALIGNED = 2, 1

Read = TypeVar("Read")


class Frame(NamedTuple):
    """A frame that is intact by F-82."""

    at: int
    kind: int
    sequence: int
    schema: int
    payload: bytes
    size: int

    def place(self, of: str) -> int:
        """Where a field of the head is (F-83)."""
        return self.at + {"kind": 8, "sequence": 15, "schema": 20, "payload": HEAD_SIZE}[of]


@dataclass(slots=True)
class Stream:
    """The result of reading a stream."""

    values: list[Tagged] = field(default_factory=list)
    metadata: dict[str, str] | None = None
    schemas: list[Schema] = field(default_factory=list)
    statistics: list[Tagged] = field(default_factory=list)
    """The value of each frame with statistics, or the code and offset of its fault."""
    faults: list[FormatError] = field(default_factory=list)
    """The faults after which a reader continued (F-89)."""
    error: FormatError | None = None
    """The fault that stopped a reader that does not continue."""


def decode_stream(data: bytes, *, schemas: Iterable[Schema] = (), goes_on: bool = False) -> Stream:
    """Read a stream up to its first fault, or, continuing after each, to its end (F-89)."""
    stream = Stream()
    try:
        _StreamReader(data, schemas, stream, goes_on).read()
    except FormatError as error:
        stream.error = error
    return stream


class _StreamReader:
    def __init__(
        self, data: bytes, schemas: Iterable[Schema], stream: Stream, goes_on: bool
    ) -> None:
        self.data = data
        self.given = {fingerprint(schema.data): schema for schema in schemas}
        self.stream = stream
        self.goes_on = goes_on
        self.sync = b""
        self.next = 0
        # F-88: length and roots of each frame, as long as none had a fault (F-89).
        self.index: list[tuple[int, int]] | None = []

    def read(self) -> None:
        at = self.preamble()
        while True:
            if at == len(self.data):
                # F-89: the input ends without an end: `truncated` @ its end.
                self.fault(FormatError("truncated", at))
                return
            try:
                frame = self.frame(at)
            except FormatError as error:
                self.fault(error)
                found = self.next_frame(at + 1)
                if found is None:
                    return
                at = found
                # F-89: the missing frames between were reported with the fault.
                self.next = max(self.next, self.frame(at).sequence)
                continue
            at += frame.size
            # F-83: a number less than that of the frame that should come.
            if frame.sequence < self.next:
                # F-89: nothing is done with the frame, also if it is an end.
                self.fault(FormatError("repeated_frame", frame.place("sequence")))
                continue
            try:
                self.take(frame)
            except FormatError as error:
                self.fault(error)
            # F-89: nothing may follow an end, whatever it contains.
            if frame.kind == END:
                break
        # F-81: behind the end the input MUST end: else @ the first byte after it.
        if at < len(self.data):
            self.fault(FormatError("trailing_bytes", at))

    def fault(self, error: FormatError) -> None:
        """F-89: a reader may continue, and reports each fault."""
        self.index = None
        if not self.goes_on:
            raise error
        self.stream.faults.append(error)

    def preamble(self) -> int:
        """Read magic, version, text and sync (F-81). Without them nothing can be read."""
        reader = Reader(self.data)
        for item, code in [(MAGIC, "bad_magic"), (VERSION, "bad_version"), (TEXT, "bad_magic")]:
            place = reader.position
            if reader.take(len(item)) != item:
                raise FormatError(code, place)
        self.sync = reader.take(SYNC_SIZE)
        return reader.position

    def frame(self, at: int) -> Frame:
        """The frame at an offset, with the checks of F-82 and those of F-83 that come before them."""
        rest = self.data[at:]
        # F-82: sync: no such 8 bytes: @ it.
        if len(rest) < SYNC_SIZE:
            raise FormatError("truncated", at)
        if rest[:SYNC_SIZE] != self.sync:
            raise FormatError("bad_sync", at)
        # F-82: the head: `truncated` @ it.
        if len(rest) < HEAD_SIZE:
            raise FormatError("truncated", at + SYNC_SIZE)
        # F-83: the head's checksum, before all others.
        head = rest[:HEAD_SIZE]
        if crc32c(head[:28]) != int.from_bytes(head[28:], "little"):
            raise FormatError("bad_checksum", at + 28)
        # F-83: a kind without meaning: @ it.
        kind = head[8]
        if kind not in (METADATA, SCHEMA, BLOCK, STATISTICS, END) and kind not in LATER:
            raise FormatError("bad_frame", at + 8)
        # F-83: a length beyond the limit: @ it.
        length = int.from_bytes(head[9:15], "little")
        if length > MAX_LENGTH:
            raise FormatError("limit_budget", at + 9)
        # F-82: payload, padding and checksum are one item.
        size = -(-(HEAD_SIZE + length + CHECKSUM_SIZE) // MULTIPLE) * MULTIPLE
        if len(rest) < size:
            raise FormatError("truncated", at + HEAD_SIZE)
        # F-82: the checksum of all before it but the head's checksum, then the padding.
        covered = rest[: size - CHECKSUM_SIZE]
        checked = covered[:28] + covered[HEAD_SIZE:]
        if crc32c(checked) != int.from_bytes(rest[len(covered) : size], "little"):
            raise FormatError("bad_checksum", at + len(covered))
        for place in range(HEAD_SIZE + length, len(covered)):
            if covered[place]:
                raise FormatError("nonzero_padding", at + place)
        sequence, schema = (int.from_bytes(head[a:b], "little") for a, b in ((15, 20), (20, 28)))
        return Frame(at, kind, sequence, schema, covered[HEAD_SIZE : HEAD_SIZE + length], size)

    def next_frame(self, at: int) -> int | None:
        """Return the next offset of a frame that is intact by F-82 (F-89)."""
        while (at := self.data.find(self.sync, at)) >= 0:
            try:
                return self.frame(at).at
            except FormatError:
                at += 1
        return None

    def take(self, frame: Frame) -> None:
        """Read the content of an intact frame."""
        # F-83: a number more than that of the frame that should come.
        if frame.sequence > self.next:
            # F-89: it continues with the frame that is there.
            self.fault(FormatError("missing_frames", frame.place("sequence")))
        self.next = frame.sequence + 1
        if frame.kind == METADATA:
            self.take_metadata(frame)
        elif frame.kind == SCHEMA:
            self.take_schema(frame)
        elif frame.kind == BLOCK:
            self.take_block(frame)
        elif frame.kind == STATISTICS:
            self.take_statistics(frame)
        elif frame.kind == END:
            self.take_end(frame)
        if frame.kind != BLOCK:
            self.count(frame, 0)

    def count(self, frame: Frame, roots: int) -> None:
        if self.index is not None:
            self.index.append((frame.size // MULTIPLE, roots))

    def payload(self, frame: Frame, read: Callable[[Reader, Budget], Read]) -> Read:
        """F-84: each payload is a separate input with a separate budget."""
        reader = Reader(frame.payload)
        with _Moved(frame.place("payload")):
            result = read(reader, Budget(default_budget(len(frame.payload))))
            # F-84: it MUST end where its content ends.
            if reader.remaining:
                raise FormatError("trailing_bytes", reader.position)
        return result

    def take_metadata(self, frame: Frame) -> None:
        # F-84: sequence not 0: @ the kind; schema not 0: @ it.
        if frame.sequence:
            raise FormatError("bad_frame", frame.place("kind"))
        if frame.schema:
            raise FormatError("bad_frame", frame.place("schema"))
        self.stream.metadata = self.payload(frame, lambda reader, _: read_metadata(reader))

    def take_schema(self, frame: Frame) -> None:
        schema = self.payload(
            frame,
            lambda reader, _: read_schema(reader, has_count=True, zero_allowed=True),
        )
        # F-84: schema not its fingerprint: @ it, after the payload.
        if fingerprint(schema.data) != frame.schema:
            raise FormatError("bad_frame", frame.place("schema"))
        self.stream.schemas.append(schema)

    def take_block(self, frame: Frame) -> None:
        # F-84: neither that of the last schema frame nor one that the reader was given: @ it.
        last = self.stream.schemas[-1:]
        known = self.given | {fingerprint(schema.data): schema for schema in last}
        if frame.schema not in known:
            raise FormatError("unknown_fingerprint", frame.place("schema"))
        schema = known[frame.schema]
        reader = Reader(frame.payload)
        with _Moved(frame.place("payload")):
            head = read_block_head(reader, schema)
            budget = Budget(default_budget(len(frame.payload)))
            self.stream.values += read_roots(reader, schema, budget, head)
        self.count(frame, head.roots)

    def take_statistics(self, frame: Frame) -> None:
        # F-84: schema not 0: @ it.
        if frame.schema:
            raise FormatError("bad_frame", frame.place("schema"))
        # F-100: a fault of the payload is one for those who use it.
        try:
            with _Moved(frame.place("payload")):
                self.stream.statistics.append(read_statistics(frame.payload))
        except FormatError as error:
            self.stream.statistics.append([error.code, error.offset])

    def take_end(self, frame: Frame) -> None:
        # F-84: schema not 0: @ it.
        if frame.schema:
            raise FormatError("bad_frame", frame.place("schema"))
        # F-89: after a fault, the content of the end is not compared.
        if self.index is not None:
            known = self.index
            self.payload(frame, lambda reader, _: self.read_index(reader, frame, known))

    def read_index(self, reader: Reader, frame: Frame, known: list[tuple[int, int]]) -> None:
        """The index of the frames (F-88)."""
        # F-88: their number is the end's sequence: else @ it.
        place = reader.position
        if reader.varint() != frame.sequence:
            raise FormatError("bad_index", place)
        for entry in known:
            place = reader.position
            # F-88: @ it if this or the next are not what the frame has.
            if (reader.varint(), reader.varint()) != entry:
                raise FormatError("bad_index", place)
        # F-88: padding, so that the payload's length is 4 more than a multiple of 8.
        start = reader.position
        for at, byte in enumerate(reader.take(-(start + CHECKSUM_SIZE) % MULTIPLE)):
            if byte:
                raise FormatError("nonzero_padding", start + at)
        # F-88: where the end begins.
        place = reader.position
        if int.from_bytes(reader.take(8), "little") != frame.at:
            raise FormatError("bad_index", place)


class BlockHead(NamedTuple):
    """The part of a block before its columns (F-85)."""

    roots: int
    entries: list[tuple[int, int]]
    """The entries of the directory, each with its offset."""


def read_block_head(reader: Reader, schema: Schema) -> BlockHead:
    """Number of roots, directory and padding (F-85)."""
    # F-85: 4·r + 2·directory + aligned; r is 0: @ it.
    place = reader.position
    head = reader.varint()
    roots = head >> 2
    if roots == 0:
        raise FormatError("bad_frame", place)
    entries: list[tuple[int, int]] = []
    if head & DIRECTORY:
        # F-86: a varint for each type that has columns of its own, in the order of their columns.
        for type_ in [schema.root, *schema.definitions]:
            for each in sites_of(type_):
                if has_columns(each):
                    place = reader.position
                    entries.append((place, reader.varint()))
    # F-85: so that the block begins at a multiple of 8 of the payload.
    reader.aligned = bool(head & ALIGNED)
    reader.skip_padding(MULTIPLE)
    return BlockHead(roots, entries)


def read_roots(reader: Reader, schema: Schema, budget: Budget, head: BlockHead) -> list[Tagged]:
    """Return the values of a block, from the end of its head (F-85)."""
    # F-85: in an aligned block offsets are counted from the block's first byte.
    inner = Reader(reader.take(reader.remaining))
    inner.aligned = reader.aligned
    inner.whole = reader.whole
    with _Moved(reader.position - len(inner.data)):
        block = read_block(inner, schema, budget, head.roots)
        end = inner.position
        # F-95: a filler; then the payload MUST end.
        inner.skip_filler()
        if inner.remaining:
            raise FormatError("trailing_bytes", inner.position)
        check_definitions(block)
    if head.entries:
        check_directory(head.entries, block, end)
    with _Moved(reader.position - len(inner.data)):
        return assemble_roots(block, head.roots)


def check_directory(entries: list[tuple[int, int]], block: Block, end: int) -> None:
    """After all checks up to F-34, fail at the first entry that is not the number of bytes (F-86)."""
    ends = [start for _, start in block.starts[1:]] + [end]
    sizes = [
        after - start
        for (type_, start), after in zip(block.starts, ends, strict=True)
        if has_columns(type_)
    ]
    for (place, entry), size in zip(entries, sizes, strict=True):
        if entry != size:
            raise FormatError("bad_directory", place)


class _Moved:
    """Convert the offsets of inner faults to offsets in the outer input."""

    def __init__(self, place: int) -> None:
        self.place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, FormatError):
            raise FormatError(error.code, error.offset + self.place) from None
