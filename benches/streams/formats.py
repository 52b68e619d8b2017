"""The formats, each written and read as its library documents.

Reading all of a file returns dicts record by record; columnar formats return columns in their own form.
"""

from __future__ import annotations

import itertools
import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

Record = dict[str, Any]
Chunks = Iterator[list[Record]]


class Format(ABC):
    """One format in one library."""

    name: ClassVar[str]
    package: ClassVar[str | None] = None
    #: Whether a record is contiguous in the file: then reading a column reads everything.
    has_rows: ClassVar[bool] = True

    @abstractmethod
    def open(self, path: Path) -> Any:
        """Begins a file."""

    @abstractmethod
    def write(self, chunk: list[Record]) -> None:
        """Appends records."""

    @abstractmethod
    def close(self) -> None:
        """Finishes the file."""

    @abstractmethod
    def records(self, path: Path) -> Iterator[Record]:
        """All records."""

    def numbers(self, path: Path) -> float:
        """The sum of the field `duration`."""
        total: float = sum(each["duration"] for each in self.records(path))
        return total

    def strings(self, path: Path) -> list[str]:
        """The field `user.city` of all records."""
        return [each["user"]["city"] for each in self.records(path)]

    def record(self, path: Path, number: int) -> Record:
        """One record."""
        return next(itertools.islice(self.records(path), number, None))


class Holdall(Format):
    name = "holdall"
    package = "holdall"
    has_rows = False
    options: ClassVar[dict[str, Any]] = {}

    def open(self, path: Path) -> None:
        import holdall

        self.writer = holdall.Writer(path, **self.options)

    def write(self, chunk: list[Record]) -> None:
        write = self.writer.write
        for each in chunk:
            write(each)

    def close(self) -> None:
        self.writer.close()

    def records(self, path: Path) -> Iterator[Record]:
        import holdall

        with holdall.Reader(path) as reader:
            yield from reader

    def numbers(self, path: Path) -> float:
        import holdall

        return float(holdall.open(path)["duration"].array().sum())

    def strings(self, path: Path) -> list[str]:
        import holdall

        strings: list[str] = holdall.open(path)["user"]["city"].tolist()
        return strings

    def record(self, path: Path, number: int) -> Record:
        import holdall

        found: Record = holdall.open(path)[number]
        return found


class Fast(Holdall):
    name = "holdall, fast"
    options: ClassVar[dict[str, Any]] = {"profile": "fast"}


class Small(Holdall):
    name = "holdall, small"
    options: ClassVar[dict[str, Any]] = {"profile": "small"}


class Prefixed(Format):
    """Messages that begin with their length."""

    def open(self, path: Path) -> None:
        self.file = path.open("wb")
        self.prepare()

    def prepare(self) -> None:
        """Creates the packer and the unpacker."""

    @abstractmethod
    def packed(self, record: Record) -> bytes:
        """Packs a record."""

    @abstractmethod
    def unpacked(self, data: bytes) -> Record:
        """Unpacks a record."""

    def write(self, chunk: list[Record]) -> None:
        for each in chunk:
            data = self.packed(each)
            self.file.write(len(data).to_bytes(4, "little"))
            self.file.write(data)

    def close(self) -> None:
        self.file.close()

    def records(self, path: Path) -> Iterator[Record]:
        self.prepare()
        with path.open("rb") as file:
            while head := file.read(4):
                yield self.unpacked(file.read(int.from_bytes(head, "little")))

    def record(self, path: Path, number: int) -> Record:
        self.prepare()
        with path.open("rb") as file:
            for _ in range(number):
                file.seek(int.from_bytes(file.read(4), "little"), 1)
            return self.unpacked(file.read(int.from_bytes(file.read(4), "little")))


class Pickle(Prefixed):
    name = "pickle"

    def packed(self, record: Record) -> bytes:
        return pickle.dumps(record, protocol=5)

    def unpacked(self, data: bytes) -> Record:
        record: Record = pickle.loads(data)
        return record


class Msgspec(Prefixed):
    name = "msgspec"
    package = "msgspec"

    def prepare(self) -> None:
        import msgspec

        self.encode = msgspec.msgpack.Encoder().encode
        self.decode = msgspec.msgpack.Decoder().decode

    def packed(self, record: Record) -> bytes:
        return self.encode(record)

    def unpacked(self, data: bytes) -> Record:
        record: Record = self.decode(data)
        return record


class Ndjson(Format):
    name = "NDJSON, orjson"
    package = "orjson"

    def open(self, path: Path) -> None:
        import orjson

        self.file = path.open("wb")
        self.dumps = orjson.dumps
        self.option = orjson.OPT_APPEND_NEWLINE

    def write(self, chunk: list[Record]) -> None:
        for each in chunk:
            self.file.write(self.dumps(each, option=self.option))

    def close(self) -> None:
        self.file.close()

    def records(self, path: Path) -> Iterator[Record]:
        import orjson

        with path.open("rb") as file:
            yield from map(orjson.loads, file)

    def record(self, path: Path, number: int) -> Record:
        import orjson

        with path.open("rb") as file:
            line = next(itertools.islice(file, number, None))
        record: Record = orjson.loads(line)
        return record


class Avro(Format):
    name = "Avro, fastavro"
    package = "fastavro"

    def open(self, path: Path) -> None:
        from fastavro import parse_schema
        from fastavro.write import Writer

        self.file = path.open("wb")
        self.writer = Writer(self.file, parse_schema(AVRO))

    def write(self, chunk: list[Record]) -> None:
        for each in chunk:
            self.writer.write(each)

    def close(self) -> None:
        self.writer.flush()
        self.file.close()

    def records(self, path: Path) -> Iterator[Record]:
        import fastavro

        with path.open("rb") as file:
            yield from fastavro.reader(file)


class Arrow(Format):
    """Record batches of 1,000 records, as they arrive."""

    name = "Arrow IPC"
    package = "pyarrow"
    has_rows = False

    def open(self, path: Path) -> None:
        import pyarrow as pa

        self.schema = arrow_schema()
        self.writer = pa.ipc.new_file(str(path), self.schema)

    def write(self, chunk: list[Record]) -> None:
        import pyarrow as pa

        self.writer.write_batch(pa.RecordBatch.from_pylist(chunk, schema=self.schema))

    def close(self) -> None:
        self.writer.close()

    def batches(self, path: Path) -> Iterator[Any]:
        import pyarrow as pa

        with pa.memory_map(str(path)) as source:
            reader = pa.ipc.open_file(source)
            for number in range(reader.num_record_batches):
                yield reader.get_batch(number)

    def records(self, path: Path) -> Iterator[Record]:
        for batch in self.batches(path):
            yield from batch.to_pylist()

    def numbers(self, path: Path) -> float:
        return float(sum(each.column("duration").to_numpy().sum() for each in self.batches(path)))

    def strings(self, path: Path) -> list[str]:
        cities = (each.column("user").field("city").to_pylist() for each in self.batches(path))
        return list(itertools.chain.from_iterable(cities))

    def record(self, path: Path, number: int) -> Record:
        import pyarrow as pa

        with pa.memory_map(str(path)) as source:
            reader = pa.ipc.open_file(source)
            for at in range(reader.num_record_batches):
                batch = reader.get_batch(at)
                if number < batch.num_rows:
                    found: Record = batch.slice(number, 1).to_pylist()[0]
                    return found
                number -= batch.num_rows
        raise IndexError(number)


class Parquet(Arrow):
    """The defaults of pyarrow, in row groups of 100,000 records."""

    name = "Parquet"
    group = 100_000

    def open(self, path: Path) -> None:
        import pyarrow.parquet as pq

        self.schema = arrow_schema()
        self.writer = pq.ParquetWriter(path, self.schema)
        self.waiting: list[Any] = []

    def write(self, chunk: list[Record]) -> None:
        import pyarrow as pa

        self.waiting.append(pa.RecordBatch.from_pylist(chunk, schema=self.schema))
        if sum(each.num_rows for each in self.waiting) >= self.group:
            self.flush()

    def flush(self) -> None:
        import pyarrow as pa

        self.writer.write_table(pa.Table.from_batches(self.waiting, schema=self.schema))
        self.waiting = []

    def close(self) -> None:
        if self.waiting:
            self.flush()
        self.writer.close()

    def batches(self, path: Path) -> Iterator[Any]:
        import pyarrow.parquet as pq

        return iter(pq.ParquetFile(path).iter_batches())

    def numbers(self, path: Path) -> float:
        import pyarrow.parquet as pq

        column = pq.ParquetFile(path).read(columns=["duration"]).column("duration")
        return float(column.to_numpy().sum())

    def strings(self, path: Path) -> list[str]:
        import pyarrow.parquet as pq

        table = pq.ParquetFile(path).read(columns=["user.city"])
        cities: list[str] = table.column("user").combine_chunks().field("city").to_pylist()
        return cities

    def record(self, path: Path, number: int) -> Record:
        import pyarrow.parquet as pq

        file = pq.ParquetFile(path)
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if number < rows:
                found: Record = file.read_row_group(group).slice(number, 1).to_pylist()[0]
                return found
            number -= rows
        raise IndexError(number)


def arrow_schema() -> Any:
    import pyarrow as pa

    text, whole = pa.string(), pa.int64()
    screen = pa.struct([("width", whole), ("height", whole)])
    return pa.schema(
        [
            ("id", whole),
            ("time", whole),
            ("user", pa.struct([("id", whole), ("name", text), ("city", text), ("mail", text)])),
            ("device", pa.struct([("kind", text), ("version", text), ("screen", screen)])),
            ("event", text),
            ("path", text),
            ("referrer", text),
            ("status", whole),
            ("bytes", whole),
            ("duration", pa.float64()),
            ("cached", pa.bool_()),
            ("tags", pa.list_(text)),
            ("price", pa.float64()),
            ("note", text),
        ]
    )


def fields(**types: Any) -> list[dict[str, Any]]:
    return [{"name": name, "type": kind} for name, kind in types.items()]


def avro_record(of: str, /, **types: Any) -> dict[str, Any]:
    return {"type": "record", "name": of, "fields": fields(**types)}


AVRO = avro_record(
    "Request",
    id="long",
    time="long",
    user=avro_record("User", id="long", name="string", city="string", mail=["null", "string"]),
    device=avro_record(
        "Device",
        kind="string",
        version="string",
        screen=avro_record("Screen", width="long", height="long"),
    ),
    event="string",
    path="string",
    referrer=["null", "string"],
    status="long",
    bytes="long",
    duration="double",
    cached="boolean",
    tags={"type": "array", "items": "string"},
    price=["null", "double"],
    note="string",
)

FORMATS: list[type[Format]] = [
    Holdall,
    Fast,
    Small,
    Pickle,
    Msgspec,
    Ndjson,
    Avro,
    Arrow,
    Parquet,
]


def named(name: str) -> type[Format]:
    return next(each for each in FORMATS if each.name == name)
