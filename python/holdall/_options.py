"""The keyword options of packing, of unpacking and of registering: once for all functions that take them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypedDict

from ._limits import Limits
from ._schema import Schema, SchemaStore

Profile = Literal["fast", "balanced", "small"]
Header = Literal["inline", "fingerprint", "none"]
Missing = Literal["record", "error", "dict"] | Callable[[str, tuple[str, ...]], type | None]


class EncodeOptions(TypedDict, total=False):
    """What `dumps`, `dump` and `Encoder` can be told."""

    profile: Profile
    schema: Header
    references: bool
    canonical: bool
    checksum: bool
    metadata: Mapping[str, str] | None
    compress: Literal["zstd"] | None
    store: SchemaStore | None
    enc_hook: Callable[[Any], Any] | None
    limits: Limits | None


class _ValueOptions(TypedDict, total=False):
    types: Iterable[type]
    missing: Missing
    extra: Literal["ignore", "error"]
    renames: Mapping[str, type] | None
    strict: bool
    dec_hook: Callable[[Any, Any], Any] | None
    limits: Limits | None


class DecodeOptions(_ValueOptions, total=False):
    """What `loads`, `load` and `Decoder` can be told."""

    schema: Schema | None
    store: SchemaStore | None


class ReadOptions(_ValueOptions, total=False):
    """What `Reader` and `StreamDecoder` can be told of values."""

    schemas: Iterable[Schema]


class RegisterOptions(TypedDict, total=False):
    """What `register` can be told."""

    name: str | None
    aliases: Iterable[str]
    fields: Iterable[str] | None
    skip: Iterable[str]
    rename: Mapping[str, str] | None
    encode: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None
    decode: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None
    version: int
    upgrade: Callable[[dict[str, Any], int], dict[str, Any]] | None
