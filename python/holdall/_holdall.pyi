"""The compiled half: thin, used by this package alone."""

from collections.abc import Callable
from typing import Any, final

__all__ = [
    "Packer",
    "Schema",
    "Store",
    "Unpacker",
    "__version__",
    "forget",
    "inspect",
    "message_len",
    "metadata_of",
    "run",
    "schema_of",
    "through_value",
]
__version__: str

@final
class Schema:
    @staticmethod
    def from_bytes(data: bytes | bytearray | memoryview) -> Schema: ...
    def as_bytes(self) -> bytes: ...
    def text(self) -> str: ...
    def fingerprint(self) -> int: ...
    def sites(self) -> int: ...
    def changes(self, newer: Schema) -> tuple[list[str], str, str, bool]: ...

@final
class Store:
    def __new__(cls, folder: str | None = None) -> Store: ...
    def put(self, schema: Schema) -> None: ...
    def get(self, fingerprint: int) -> Schema | None: ...
    def fingerprints(self) -> list[int]: ...

@final
class Packer:
    def __new__(
        cls,
        profile: str,
        header: str,
        references: bool,
        checksum: bool,
        metadata: list[tuple[str, str]],
        store: Store | None,
        limit: int | None,
        enc_hook: Callable[[Any], Any] | None,
    ) -> Packer: ...
    def pack(self, object: object) -> bytes: ...
    def pack_into(self, object: object, buffer: bytearray) -> int: ...
    def schema(self, object: object) -> Schema: ...

@final
class Unpacker:
    def __new__(
        cls,
        resolver: object,
        nodes: list[Any] | None,
        bare: Schema | None,
        known: list[Schema],
        store: Store | None,
        budget: int | None,
    ) -> Unpacker: ...
    def unpack(self, data: bytes | bytearray | memoryview) -> Any: ...

def forget() -> None: ...
def schema_of(data: bytes | bytearray | memoryview, store: Store | None = None) -> Schema: ...
def metadata_of(data: bytes | bytearray | memoryview) -> list[tuple[str, str]]: ...
def through_value(data: bytes, profile: str) -> bytes: ...
def message_len(prefix: bytes) -> int | None: ...
def inspect(
    data: bytes | bytearray | memoryview, path: str | None, redact: bool
) -> tuple[list[dict[str, Any]], list[str]]: ...
def run(arguments: list[str]) -> int: ...
