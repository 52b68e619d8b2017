"""The formats to compare with, each by its Python interface over native code."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from .column import Column, Plain, texts_of


class Peer(ABC):
    """Writes and reads the columns that it was created with. All preparation happens before the timing."""

    name: ClassVar[str]
    package: ClassVar[str]
    #: Whether it takes only numbers.
    numeric: ClassVar[bool] = False
    #: Whether targets name it: a general-purpose peer with default settings.
    rival: ClassVar[bool] = False

    def __init__(self, columns: list[Column]) -> None:
        self.titles = [column.name for column in columns]
        self.kinds = [column.kind for column in columns]

    @abstractmethod
    def pack(self) -> Any:
        """The columns, packed."""

    @abstractmethod
    def unpack(self, packed: Any) -> Any:
        """The columns, unpacked."""

    @abstractmethod
    def columns(self, unpacked: Any) -> list[Column]:
        """The result as columns, for comparison."""

    def size(self, packed: Any) -> int:
        return len(packed)


class Arrow(Peer):
    """Formats of Arrow tables. A NaN is a null there, as in pandas."""

    def __init__(self, columns: list[Column]) -> None:
        import pyarrow

        super().__init__(columns)
        arrays = [pyarrow.array(column.values, from_pandas=True) for column in columns]
        self.table = pyarrow.table(dict(zip(self.titles, arrays, strict=True)))

    def columns(self, unpacked: Any) -> list[Column]:
        found: list[Column] = []
        for title, kind in zip(self.titles, self.kinds, strict=True):
            array = unpacked[title]
            found.append(Column(title, array.to_pylist() if kind == "text" else array.to_numpy()))
        return found


class Parquet(Arrow):
    package = "pyarrow"
    level: ClassVar[int]

    def pack(self) -> Any:
        import pyarrow
        from pyarrow import parquet

        out = pyarrow.BufferOutputStream()
        parquet.write_table(self.table, out, compression="zstd", compression_level=self.level)
        return out.getvalue()

    def unpack(self, packed: Any) -> Any:
        import pyarrow
        from pyarrow import parquet

        return parquet.read_table(pyarrow.BufferReader(packed), use_threads=False)


class Parquet3(Parquet):
    name, level, rival = "Parquet, zstd 3", 3, True


class Parquet9(Parquet):
    name, level, rival = "Parquet, zstd 9", 9, True


class Parquet19(Parquet):
    name, level = "Parquet, zstd 19", 19


class Vortex(Arrow):
    """It writes only files: here in a folder in memory, if the system has one."""

    name, package, rival = "Vortex", "vortex-data", True

    def __init__(self, columns: list[Column]) -> None:
        super().__init__(columns)
        memory = Path("/dev/shm")
        folder = tempfile.mkdtemp(dir=memory if memory.is_dir() else None)
        weakref.finalize(self, shutil.rmtree, folder)
        self.path = str(Path(folder) / "columns.vortex")

    def options(self) -> Any:
        from vortex.io import VortexWriteOptions

        return VortexWriteOptions.default()

    def pack(self) -> Any:
        self.options().write(self.table, self.path)
        return self.path

    def unpack(self, packed: Any) -> Any:
        import vortex

        return vortex.open(packed).to_arrow().read_all()

    def size(self, packed: Any) -> int:
        return Path(packed).stat().st_size


class VortexCompact(Vortex):
    name, rival = "Vortex, compact", False

    def options(self) -> Any:
        from vortex.io import VortexWriteOptions

        return VortexWriteOptions.compact()


class Raw(Peer):
    """Formats of columns as arrays."""

    def __init__(self, columns: list[Column]) -> None:
        super().__init__(columns)
        self.plain = [column.plain() for column in columns]

    def put_together(self, parts: list[Any]) -> list[Column]:
        """Rebuilds columns from their arrays."""
        todo = iter(parts)
        found = []
        for title, kind, plain in zip(self.titles, self.kinds, self.plain, strict=True):
            arrays = [next(todo).view(part.dtype) for part in plain.parts]
            values = texts_of(Plain(*arrays)) if kind == "text" else arrays[0]
            found.append(Column(title, values))
        return found


class OpenZL(Raw):
    """Its graph for any data, without training; strings as strings, and their presence as bytes."""

    name, package, rival = "OpenZL", "openzl", True
    level: ClassVar[int | None] = None

    def __init__(self, columns: list[Column]) -> None:
        from openzl import ext

        super().__init__(columns)
        self.compressor = ext.Compressor()
        self.compressor.select_starting_graph(ext.graphs.Compress()(self.compressor))
        self.inputs = []
        for plain in self.plain:
            # They keep no reference to the arrays; `self.plain` does.
            kind = ext.Type.Numeric if plain.lengths is None else ext.Type.String
            self.inputs.append(ext.Input(kind, plain.content, plain.lengths))
            if plain.present is not None:
                self.inputs.append(ext.Input(ext.Type.Numeric, plain.present))

    def pack(self) -> Any:
        from openzl import ext

        context = ext.CCtx()
        context.ref_compressor(self.compressor)
        context.set_parameter(ext.CParam.FormatVersion, ext.MAX_FORMAT_VERSION)
        if self.level is not None:
            context.set_parameter(ext.CParam.CompressionLevel, self.level)
        return context.compress(self.inputs)

    def unpack(self, packed: Any) -> Any:
        from openzl import ext

        return ext.DCtx().decompress(packed)

    def columns(self, unpacked: Any) -> list[Column]:
        outputs = iter(unpacked)
        parts = []
        for plain in self.plain:
            output = next(outputs)
            parts.append(output.content.as_nparray())
            if plain.lengths is not None:
                parts.append(output.string_lens.as_nparray())
            if plain.present is not None:
                parts.append(next(outputs).content.as_nparray())
        return self.put_together(parts)


class OpenZL9(OpenZL):
    name, level, rival = "OpenZL, level 9", 9, False


class Zstd(Raw):
    """The columns concatenated in one frame."""

    package = "zstandard"
    level: ClassVar[int]

    def __init__(self, columns: list[Column]) -> None:
        super().__init__(columns)
        self.content = b"".join(part.tobytes() for plain in self.plain for part in plain.parts)

    def pack(self) -> Any:
        import zstandard

        return zstandard.ZstdCompressor(level=self.level).compress(self.content)

    def unpack(self, packed: Any) -> Any:
        import zstandard

        return zstandard.ZstdDecompressor().decompress(packed)

    def columns(self, unpacked: Any) -> list[Column]:
        parts, at = [], 0
        for plain in self.plain:
            for part in plain.parts:
                parts.append(np.frombuffer(unpacked, np.uint8, part.nbytes, at))
                at += part.nbytes
        return self.put_together(parts)


class Zstd3(Zstd):
    name, level = "zstd 3", 3


class Zstd19(Zstd):
    name, level = "zstd 19", 19


class Pcodec(Raw):
    """Each column of numbers alone, at its default level."""

    name, package, numeric = "pcodec", "pcodec", True

    def pack(self) -> Any:
        from pcodec import ChunkConfig, standalone

        return [standalone.simple_compress(plain.content, ChunkConfig()) for plain in self.plain]

    def unpack(self, packed: Any) -> Any:
        from pcodec import standalone

        return [standalone.simple_decompress(each) for each in packed]

    def columns(self, unpacked: Any) -> list[Column]:
        return self.put_together(unpacked)

    def size(self, packed: Any) -> int:
        return sum(map(len, packed))


#: In the order of the tables.
PEERS: list[type[Peer]] = [
    Parquet3,
    Parquet9,
    Parquet19,
    Vortex,
    VortexCompact,
    OpenZL,
    OpenZL9,
    Zstd3,
    Zstd19,
    Pcodec,
]
