"""JSON documents: holdall compared with compressors of their text, and with Parquet if they are tables."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar


class Way(ABC):
    """A way to store a document."""

    name: ClassVar[str]
    rival: ClassVar[bool] = False

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.document: Any = json.loads(text)

    @abstractmethod
    def pack(self) -> Any:
        """The document, packed."""

    @abstractmethod
    def unpack(self, packed: Any) -> Any:
        """The document, unpacked."""

    def is_same(self, unpacked: Any) -> bool:
        return bool(unpacked == self.document)


class Holdall(Way):
    profile: ClassVar[Any]

    def pack(self) -> Any:
        import holdall

        return holdall.dumps(self.document, profile=self.profile)

    def unpack(self, packed: Any) -> Any:
        import holdall

        return holdall.loads(packed)


class HoldallFast(Holdall):
    name, profile = "holdall fast", "fast"


class HoldallBalanced(Holdall):
    name, profile = "holdall balanced", "balanced"


class HoldallSmall(Holdall):
    name, profile = "holdall small", "small"


class ZstdOfText(Way):
    """Its times exclude those of JSON."""

    level: ClassVar[int]

    def pack(self) -> Any:
        import zstandard

        return zstandard.ZstdCompressor(level=self.level).compress(self.text)

    def unpack(self, packed: Any) -> Any:
        import zstandard

        return zstandard.ZstdDecompressor().decompress(packed)

    def is_same(self, unpacked: Any) -> bool:
        return bool(unpacked == self.text)


class Zstd3(ZstdOfText):
    name, level = "zstd 3 of the text", 3


class Zstd19(ZstdOfText):
    name, level = "zstd 19 of the text", 19


class Parquet(Way):
    """For lists of records only; absent fields become null."""

    name, rival = "Parquet, zstd 9", True

    def __init__(self, text: bytes) -> None:
        import pyarrow

        super().__init__(text)
        self.table = pyarrow.Table.from_pylist(records(self.document))

    def pack(self) -> Any:
        import pyarrow
        from pyarrow import parquet

        out = pyarrow.BufferOutputStream()
        parquet.write_table(self.table, out, compression="zstd", compression_level=9)
        return out.getvalue()

    def unpack(self, packed: Any) -> Any:
        import pyarrow
        from pyarrow import parquet

        return parquet.read_table(pyarrow.BufferReader(packed), use_threads=False)

    def is_same(self, unpacked: Any) -> bool:
        return bool(unpacked.equals(self.table))


def records(document: Any) -> list[dict[str, Any]]:
    """The records of a document that is a table: a list of them, or an object with a single list of them."""
    if isinstance(document, dict) and len(document) == 1:
        document = next(iter(document.values()))
    flat = (str, int, float, bool, type(None))
    if isinstance(document, list) and all(
        isinstance(record, dict) and all(isinstance(value, flat) for value in record.values())
        for record in document
    ):
        return document
    return []


def ways(text: bytes) -> list[Way]:
    kinds: list[type[Way]] = [HoldallFast, HoldallBalanced, HoldallSmall, Zstd3, Zstd19]
    if records(json.loads(text)):
        kinds.append(Parquet)
    return [kind(text) for kind in kinds]


def texts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.json"))}
