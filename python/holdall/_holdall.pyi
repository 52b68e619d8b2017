"""The compiled half: thin, used by this package alone."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Self, TypedDict, TypeVar, final, overload, type_check_only

from ._impl._buffers import Callback
from ._impl._dictionary import Dictionary as PublicDictionary
from ._impl._limits import Limits
from ._impl._options import Allowed, Header, Missing, Profile
from ._impl._schema import Schema as PublicSchema
from ._impl._schema import SchemaStore

_T = TypeVar("_T")

__all__ = [
    "ArrayStream",
    "Arrays",
    "Buffer",
    "ByteStrings",
    "Dictionary",
    "Form",
    "Packed",
    "Packer",
    "Samples",
    "Scan",
    "Schema",
    "Store",
    "StreamFeeder",
    "StreamReader",
    "StreamWriter",
    "Strings",
    "Unpacker",
    "View",
    "__version__",
    "charge",
    "dumps",
    "forget",
    "format_names",
    "inspect",
    "loads",
    "message_len",
    "metadata_of",
    "notes",
    "read_format",
    "read_plain",
    "recover",
    "run",
    "schema_of",
    "through_value",
    "used_layouts",
    "verify",
    "write_format",
    "write_plain",
]
__version__: str

@final
class Schema:
    @staticmethod
    def from_bytes(data: bytes | bytearray | memoryview) -> Schema: ...
    @staticmethod
    def parse(text: str) -> Schema: ...
    @staticmethod
    def format(text: str) -> str: ...
    def as_bytes(self) -> bytes: ...
    def text(self) -> str: ...
    def fingerprint(self) -> int: ...
    def sites(self) -> int: ...
    def names(self) -> list[str]: ...
    def changes(self, newer: Schema) -> tuple[list[str], str, str, bool]: ...

@final
class Store:
    def __new__(cls, folder: str | None = None) -> Store: ...
    def put(self, schema: Schema) -> None: ...
    def get(self, fingerprint: int) -> Schema | None: ...
    def fingerprints(self) -> list[int]: ...

@final
class Dictionary:
    def __new__(cls, data: bytes | bytearray | memoryview) -> Dictionary: ...
    @staticmethod
    def train(samples: Iterable[bytes | bytearray | memoryview], size: int) -> Dictionary: ...
    def as_bytes(self) -> bytes: ...
    def hash(self) -> int: ...

@final
class Packer:
    def __new__(
        cls,
        profile: str,
        header: str,
        references: bool,
        tracks_atoms: bool,
        canonical: bool,
        checksum: bool,
        metadata: list[tuple[str, str]],
        dictionary: Dictionary | None,
        store: Store | None,
        limit: int | None,
        walk: tuple[int | None, int | None, int | None],
        enc_hook: Callable[[Any], Any] | None,
        hands_out: bool,
        threads: int,
    ) -> Packer: ...
    def pack(self, object: object) -> bytes: ...
    def pack_into(self, object: object, buffer: bytearray) -> int: ...
    def size(self, object: object) -> int: ...
    def schema(self, object: object) -> Schema: ...

@final
class Unpacker:
    def __new__(
        cls,
        resolver: object,
        nodes: list[Any] | None,
        bare: Schema | None,
        known: list[Schema],
        dictionaries: list[Dictionary],
        store: Store | None,
        budget: int | None,
    ) -> Unpacker: ...
    def unpack(self, data: bytes | bytearray | memoryview) -> Any: ...

@type_check_only
class RawDamage(TypedDict):
    offset: int
    skipped: int
    frames: tuple[int, int]
    code: str
    at: int | None
    text: str

@type_check_only
class RawReport(TypedDict):
    values: int
    blocks: int
    bytes: int
    finished: bool
    damage: list[RawDamage]

_Reads = tuple[Callable[[int], Any], Callable[[int, int], int] | None, int]
_Writes = tuple[Callable[[bytes], Any], Callable[[], Any] | None, bool]

@final
class StreamWriter:
    def __new__(
        cls,
        path: str | None,
        functions: _Writes | None,
        append: bool,
        profile: str,
        block_bytes: int,
        block_rows: int | None,
        metadata: list[tuple[str, str]],
        sync: bytes | None,
        limit: int | None,
        walk: tuple[int | None, int | None, int | None],
        references: bool,
        canonical: bool,
        enc_hook: Callable[[Any], Any] | None,
        threads: int,
        statistics: bool,
    ) -> StreamWriter: ...
    def write(self, object: object) -> None: ...
    def write_arrays(self, arrays: Arrays) -> None: ...
    def flush(self, sync: bool) -> None: ...
    def close(self) -> None: ...
    def is_closed(self) -> bool: ...
    def len(self) -> int: ...

@final
class StreamReader:
    def __new__(
        cls,
        path: str | None,
        functions: _Reads | None,
        follow: bool,
        skips: bool,
        unfinished: bool,
        resolver: object,
        nodes: list[Any] | None,
        schemas: list[Schema],
        budget: int | None,
        frame: int | None,
        progress: Callable[[int], object] | None,
        threads: int,
    ) -> StreamReader: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Any: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...
    def is_closed(self) -> bool: ...
    def is_finished(self) -> bool: ...
    def position(self) -> int: ...
    def damage(self) -> list[RawDamage]: ...
    def metadata(self) -> list[tuple[str, str]]: ...
    def schema(self) -> Schema | None: ...
    def len(self) -> int: ...
    def several(self, first: int, count: int, step: int) -> list[Any]: ...

@final
class StreamFeeder:
    def __new__(
        cls,
        resolver: object,
        nodes: list[Any] | None,
        schemas: list[Schema],
        budget: int | None,
        frame: int | None,
    ) -> StreamFeeder: ...
    def feed(self, data: bytes | bytearray | memoryview) -> list[Any]: ...
    def is_ended(self) -> bool: ...
    def unused(self) -> bytes: ...
    def close(self) -> None: ...

def verify(
    path: str | None, functions: _Reads | None, budget: int | None, frame: int | None
) -> RawReport: ...
def recover(
    path: str | None,
    functions: _Reads | None,
    write: _Writes,
    schemas: list[Schema],
    budget: int | None,
    frame: int | None,
) -> RawReport: ...
def dumps(
    obj: object,
    *,
    profile: Profile = "balanced",
    header: Header = "inline",
    references: bool = True,
    canonical: bool = False,
    checksum: bool = False,
    metadata: Mapping[str, str] | None = None,
    compress: Literal["zstd"] | None = None,
    dictionary: PublicDictionary | None = None,
    store: SchemaStore | None = None,
    enc_hook: Callable[[Any], Any] | None = None,
    buffer_callback: Callback | None = None,
    threads: int = 1,
    limits: Limits | None = None,
    format: str = "holdall",
    storage: bool = False,
    copies: bool = False,
) -> bytes: ...
@overload
def loads(
    data: bytes | bytearray | memoryview,
    type: None = None,
    *,
    types: Allowed = (),
    trust: bool = False,
    schema: PublicSchema | None = None,
    missing: Missing = "record",
    extra: Literal["ignore", "error"] = "ignore",
    renames: Mapping[str, type] | None = None,
    strict: bool = True,
    dec_hook: Callable[[Any, Any], Any] | None = None,
    dictionaries: Iterable[PublicDictionary] = (),
    store: SchemaStore | None = None,
    buffers: Iterable[Any] | None = None,
    limits: Limits | None = None,
    format: str = "holdall",
    infer: bool = False,
) -> Any: ...
@overload
def loads(
    data: bytes | bytearray | memoryview,
    type: type[_T],
    *,
    types: Allowed = (),
    trust: bool = False,
    schema: PublicSchema | None = None,
    missing: Missing = "record",
    extra: Literal["ignore", "error"] = "ignore",
    renames: Mapping[str, type] | None = None,
    strict: bool = True,
    dec_hook: Callable[[Any, Any], Any] | None = None,
    dictionaries: Iterable[PublicDictionary] = (),
    store: SchemaStore | None = None,
    buffers: Iterable[Any] | None = None,
    limits: Limits | None = None,
    format: str = "holdall",
    infer: bool = False,
) -> _T: ...
@overload
def loads(
    data: bytes | bytearray | memoryview,
    type: Any,
    *,
    types: Allowed = (),
    trust: bool = False,
    schema: PublicSchema | None = None,
    missing: Missing = "record",
    extra: Literal["ignore", "error"] = "ignore",
    renames: Mapping[str, type] | None = None,
    strict: bool = True,
    dec_hook: Callable[[Any, Any], Any] | None = None,
    dictionaries: Iterable[PublicDictionary] = (),
    store: SchemaStore | None = None,
    buffers: Iterable[Any] | None = None,
    limits: Limits | None = None,
    format: str = "holdall",
    infer: bool = False,
) -> Any: ...

@final
class Buffer:
    def __len__(self) -> int: ...
    @property
    def mapped(self) -> bool: ...
    @property
    def lost(self) -> bool: ...

@final
class Strings:
    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> str: ...
    def tolist(self) -> list[str]: ...

@final
class Packed:
    def buffer(self) -> Buffer: ...
    def message(self) -> bytes: ...

@final
class ByteStrings:
    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> bytes: ...
    def tolist(self) -> list[bytes]: ...

@final
class View:
    @staticmethod
    def open(
        path: str | bytes, dictionaries: list[Dictionary], store: Store | None, budget: int | None
    ) -> View: ...
    @staticmethod
    def of(
        data: bytes | bytearray | memoryview,
        dictionaries: list[Dictionary],
        store: Store | None,
        budget: int | None,
    ) -> View: ...
    @staticmethod
    def of_parts(
        size: int,
        read: Callable[[int, int], bytes],
        announce: Callable[[list[tuple[int, int]]], None],
        dictionaries: list[Dictionary],
        store: Store | None,
        budget: int | None,
    ) -> View: ...
    def schema(self) -> Schema: ...
    def metadata(self) -> list[tuple[str, str]]: ...
    def field(self, site: int, name: str) -> int: ...
    def inside(self, site: int, what: str) -> int: ...
    def member(self, site: int, number: int) -> int: ...
    def is_column(self, site: int) -> bool: ...
    def names(self, site: int) -> list[str]: ...
    def describe(self, site: int) -> tuple[str, str]: ...
    def logical(self, site: int) -> tuple[int, bytes] | None: ...
    def statistics(self) -> list[tuple[int, int, list[tuple[list[str], int, bytes]]]]: ...
    def block_starts(self) -> list[int]: ...
    def columns(self) -> list[int]: ...
    def len(self, site: int) -> int | None: ...
    def row(self, site: int, number: int, unpacker: Unpacker) -> Any: ...
    def rows(
        self, site: int, first: int, count: int, step: int, unpacker: Unpacker
    ) -> list[Any]: ...
    def values(self, site: int, is_plain: bool, unpacker: Unpacker) -> list[Any]: ...
    def value(self, unpacker: Unpacker) -> Any: ...
    def column(self, site: int) -> tuple[int, Buffer | None, str, Any]: ...

@final
class Scan:
    @staticmethod
    def of(
        view: View,
        site: int,
        columns: list[str] | None,
        start: int,
        stop: int,
        on_unmappable: str,
    ) -> Scan: ...
    def part(self, columns: list[str] | None, start: int, stop: int) -> Scan: ...
    def stream(self) -> Any: ...
    def schema(self) -> Any: ...
    def array(self) -> tuple[Any, Any]: ...
    def fields(self) -> list[tuple[str, str]]: ...

@final
class Arrays:
    @staticmethod
    def of_stream(capsule: Any) -> Arrays: ...
    @staticmethod
    def of_array(schema: Any, array: Any) -> Arrays: ...
    @staticmethod
    def of_buffers(format: str, values: Any, nulls: Any) -> Arrays: ...
    @staticmethod
    def of_columns(names: list[str], columns: list[Arrays], len: int) -> Arrays: ...
    def table(self) -> Arrays: ...
    def is_table(self) -> bool: ...
    def __len__(self) -> int: ...
    def fields(self) -> list[tuple[str, str]]: ...
    def column(self, number: int) -> Arrays: ...
    def rows(self, start: int, stop: int) -> Arrays: ...
    def words(self) -> tuple[Arrays, Arrays] | None: ...
    def buffers(self) -> tuple[bytearray, bytearray | None]: ...
    def stream(self) -> Any: ...
    def schema(self) -> Any: ...
    def array(self) -> tuple[Any, Any]: ...

@final
class ArrayStream:
    def __new__(cls, capsule: Any) -> ArrayStream: ...
    def __iter__(self) -> ArrayStream: ...
    def __next__(self) -> Arrays: ...

@final
class Form:
    def __new__(
        cls,
        kind: str,
        of: type,
        base: type | None = None,
        slots: frozenset[str] | None = None,
        set_state: Callable[..., Any] | None = None,
        *,
        call: Callable[[Any, tuple[Any, ...]], Any] | None = None,
        splits_state: bool = False,
    ) -> Form: ...
    def __call__(self, first: Any, second: Any = None) -> Any: ...

@final
class Samples:
    def __new__(cls) -> Samples: ...
    def pay(self, object: Any, given: tuple[str, ...]) -> None: ...

def forget() -> None: ...
def charge(bytes: int) -> None: ...
def notes(make: Callable[[], _T]) -> _T: ...
def format_names() -> list[str]: ...
def read_format(
    name: str, data: bytes | bytearray | memoryview, infer: bool, names: Schema | None
) -> bytes: ...
def read_plain(name: str, data: bytes | bytearray | memoryview) -> Any: ...
def write_format(
    name: str, message: bytes, storage: bool, copies: bool, limit: int | None
) -> bytes: ...
def write_plain(name: str, object: Any) -> bytes | None: ...
def schema_of(
    data: bytes | bytearray | memoryview,
    dictionaries: list[Dictionary] = ...,
    store: Store | None = None,
) -> Schema: ...
def metadata_of(data: bytes | bytearray | memoryview) -> list[tuple[str, str]]: ...
def through_value(data: bytes, profile: str, canonical: bool = False) -> bytes: ...
def message_len(prefix: bytes) -> int | None: ...
def inspect(
    data: bytes | bytearray | memoryview,
    path: str | None,
    redact: bool,
    dictionaries: list[Dictionary] = ...,
    store: Store | None = None,
) -> tuple[list[dict[str, Any]], list[str]]: ...
def used_layouts() -> list[str]: ...
def run(arguments: list[str], open_url: Callable[[str], Any]) -> int: ...
