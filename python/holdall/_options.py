"""The keyword options of packing, unpacking and registering, defined once for all functions that accept them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any, Literal, TypedDict, TypeVar, cast, get_args

from ._buffers import Callback
from ._limits import Limits
from ._schema import Schema, SchemaStore

F = TypeVar("F", bound=Callable[..., None])

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
    schema: Header
    references: bool
    canonical: bool
    checksum: bool
    metadata: Mapping[str, str] | None
    compress: Literal["zstd"] | None
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
    store: SchemaStore | None


class LoadOptions(DecodeOptions, total=False):
    """The options of `loads` and `load`."""

    buffers: Iterable[Any] | None
    format: str
    infer: bool


class ReadOptions(_ValueOptions, total=False):
    """The options of `Reader` and `StreamDecoder` for their values."""

    schemas: Iterable[Schema]


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
    limits: Limits | None


class RegisterOptions(TypedDict, total=False):
    """The options of `register`."""

    name: str | None
    aliases: Iterable[str]
    fields: Iterable[str] | None
    skip: Iterable[str]
    rename: Mapping[str, str] | None
    encode: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None
    decode: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None
    version: int
    upgrade: Callable[[dict[str, Any], int], dict[str, Any]] | None
    uses: Iterable[Use]


def check_names(function: str, given: Iterable[str], options: type) -> None:
    """Rejects unknown keywords, naming the option that was probably meant."""
    _check_known(function, given, options.__annotations__)


def names_checked(make: F) -> F:
    """Does the same for the `__init__` of a class, and names the class."""
    name = make.__qualname__.partition(".")[0]
    parameters = list(inspect.signature(make).parameters.values())[1:]
    known = [own.name for own in parameters if own.kind is not own.POSITIONAL_ONLY]

    @functools.wraps(make)
    def checked(self: object, /, *arguments: object, **options: object) -> None:
        _check_known(name, options, known)
        make(self, *arguments, **options)

    return cast("F", checked)


def _check_known(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    for name in given:
        if name in known:
            continue
        import difflib

        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"its options are {', '.join(known)}"
        raise TypeError(f"{function}() got an unexpected keyword argument {name!r}; {hint}")


def check_threads(threads: int) -> None:
    """Rejects a number of threads that is negative."""
    if threads < 0:
        raise ValueError(
            f"threads must be a number from 1 on, or 0 for as many as the machine runs at once, not {threads}"
        )


def check_choice(option: str, given: object, *choices: str | None) -> None:
    """Rejects a value that is not one of the choices of an option."""
    if given in choices:
        return
    names = [repr(choice) for choice in choices]
    error = ValueError if isinstance(given, str) else TypeError
    raise error(f"{option} must be {', '.join(names[:-1])} or {names[-1]}, not {given!r}")
