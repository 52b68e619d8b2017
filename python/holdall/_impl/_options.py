"""The keyword options of packing, unpacking and registering, defined once for all functions that accept them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

from ._buffers import Callback
from ._dictionary import Dictionary
from ._schema import Schema, SchemaStore

if TYPE_CHECKING:
    from ._limits import Limits
    from ._progress import Progress

Profile = Literal["fast", "balanced", "small"]
Header = Literal["inline", "fingerprint", "none"]
PROFILES: tuple[str, ...] = get_args(Profile)
HEADERS: tuple[str, ...] = get_args(Header)
COMPRESSIONS = ("zstd", None)
#: What data may use a registered class or function for: "reduce" calls it for an object whose `__reduce__` named it,
#: "factory" makes it the factory of a defaultdict, "value" is the class or function itself, and methods bound to the class's objects.
Use = Literal["reduce", "factory", "value"]
USES: tuple[str, ...] = get_args(Use)
Missing = Literal["record", "error", "dict"] | Callable[[str, tuple[str, ...]], type | None]


#: What data may name in one call: classes, functions, and for all classes of a module or package the module, or "module.*".
Allowed = Iterable[Callable[..., Any] | ModuleType | str]


class EncodeOptions(TypedDict, total=False):
    """The options of `Encoder` and `size`."""

    profile: Profile
    header: Header
    references: bool
    canonical: bool
    checksum: bool
    metadata: Mapping[str, str] | None
    compress: Literal["zstd"] | None
    dictionary: Dictionary | None
    store: SchemaStore | None
    enc_hook: Callable[[Any], Any] | None
    buffer_callback: Callback | None
    threads: int
    limits: Limits | None


class DumpOptions(EncodeOptions, total=False):
    """The options of `dumps` and `dump`."""

    format: str
    storage: bool
    copies: bool


class _ValueOptions(TypedDict, total=False):
    types: Allowed
    trust: bool
    missing: Missing
    extra: Literal["ignore", "error"]
    renames: Mapping[str, type] | None
    strict: bool
    dec_hook: Callable[[Any, Any], Any] | None
    limits: Limits | None


class DecodeOptions(_ValueOptions, total=False):
    """The options of `Decoder`."""

    schema: Schema | None
    dictionaries: Iterable[Dictionary]
    store: SchemaStore | None


class LoadOptions(DecodeOptions, total=False):
    """The options of `loads` and `load`."""

    buffers: Iterable[Any] | None
    format: str
    infer: bool


class ReadOptions(_ValueOptions, total=False):
    """The options of `Reader` and `StreamDecoder` for their values."""

    schemas: Iterable[Schema]


class ReaderOptions(ReadOptions, total=False):
    """The options of `Reader`."""

    follow: bool
    on_damage: Literal["error", "skip"]
    unfinished: bool
    progress: Progress
    threads: int


class WriterOptions(TypedDict, total=False):
    """The options of `Writer` for its blocks and values."""

    block_bytes: int
    block_rows: int | None
    profile: Profile
    compress: Literal["zstd"] | None
    metadata: Mapping[str, str] | None
    sync: bytes | None
    references: bool
    canonical: bool
    enc_hook: Callable[[Any], Any] | None
    threads: int
    statistics: bool
    limits: Limits | None


class RegisterOptions(TypedDict, total=False):
    """The options of `register`."""

    name: str | None
    allow: bool
    aliases: Iterable[str]
    fields: Iterable[str] | None
    skip: Iterable[str]
    rename: Mapping[str, str] | None
    encode: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None
    decode: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None
    version: int
    upgrade: Callable[[dict[str, Any], int], dict[str, Any]] | None
    uses: Iterable[Use]
    private: bool
    class_attributes: Iterable[str]
