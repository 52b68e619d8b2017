"""The errors: one class for each case that a caller may want to catch."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable
from typing import Any, TypeVar


class Error(Exception):
    """An error in packing or unpacking.

    ``code`` is the format's name of the error, ``offset`` the byte in the message, ``path`` the place in the value
    (``$.users[3].name``) and ``rule`` the rule of the specification. Those that do not apply are None.
    """

    code: str
    offset: int | None
    path: str | None
    rule: str | None

    def __init__(
        self,
        message: str = "",
        *,
        code: str = "custom",
        offset: int | None = None,
        path: str | None = None,
        rule: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.offset = offset
        self.path = path
        self.rule = rule

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self.args, self.__dict__)


class EncodeError(Error, TypeError):
    """A value that cannot be packed."""


class DecodeError(Error, ValueError):
    """Bytes that cannot be unpacked, or not as the requested type."""


class SchemaError(DecodeError):
    """Data whose types do not fit the requested ones, or whose schema is unknown."""


class LimitError(DecodeError):
    """Data that needs more memory than the limits allow."""


class OutOfMemoryError(Error, MemoryError):
    """The system has no memory left for what the data or the value needs."""


class UncountableError(DecodeError, TypeError):
    """The length of a damaged stream is unknown; code and offset are those of the damage."""

    @classmethod
    def of(cls, fault: DecodeError) -> UncountableError:
        """The same fault, as an error of this class."""
        return cls(
            str(fault), code=fault.code, offset=fault.offset, path=fault.path, rule=fault.rule
        )


class FileError(Error, OSError):
    """A stream cannot be written: another writer has the file open (``locked``), or an earlier write failed (``io``)."""


_SCHEMA = frozenset(
    {
        "incompatible",
        "missing_field",
        "unknown_field",
        "unconvertible",
        "unknown_fingerprint",
        "bad_store",
    }
)
_LIMITS = frozenset({"limit_nesting", "limit_sites", "limit_rank", "limit_budget", "limit_depth"})

#: What to do with data of another format, by its first bytes.
_REMEDIES = {
    "a message": "`holdall.loads` reads it",
    "a stream": "`holdall.Reader` reads it",
    "a pickle": "`holdall.convert_pickle` reads it without running it",
    "JSON": "`json.loads` reads it",
    "MessagePack": "`msgpack.unpackb` reads it",
    "gzip": "call `gzip.decompress` first",
    "zstd": "decompress it first",
    "a Parquet file": "`pyarrow.parquet.read_table` reads it",
    "an Arrow file": "`pyarrow.ipc.open_file` reads it",
    "an Arrow stream": "`pyarrow.ipc.open_stream` reads it",
    "a Feather file": "`pyarrow.feather.read_table` reads it",
    "a zip archive": "`numpy.load` reads it if it is an npz file, else `zipfile`",
    "an npy file": "`numpy.load` reads it",
}


class Mismatch(Exception):  # noqa: N818 (never reaches a user)
    """A value that does not have the requested type; it becomes an error with the value's path."""

    def __init__(self, expected: str, got: str, code: str = "unconvertible") -> None:
        super().__init__(f"expected {expected}, got {got}")
        self.code = code

    def copy(self) -> Mismatch:
        """The same without a traceback, which would keep values alive."""
        other = Mismatch("", "", self.code)
        other.args = self.args
        vars(other).update(vars(self))
        return other


R = TypeVar("R")
Raised = TypeVar("Raised", bound=Exception)


def inside(step: str, work: Callable[..., R], *arguments: Any) -> R:
    """Calls `work`, and adds a step to the path of its exception."""
    try:
        return work(*arguments)
    except Exception as error:
        at_step(error, step)
        raise


def at_step(error: Raised, step: str) -> Raised:
    """Adds a step to the path of an exception."""
    vars(error)[_WITHIN] = cut_off(step + vars(error).get(_WITHIN, ""))
    return error


def cut_off(path: str) -> str:
    """A path, or the beginning of a long one, as in the compiled half."""
    return path if len(path) <= 2000 else f"{path[:2000]}..."


def field_step(name: str) -> str:
    """A field as a step of a path, as the compiled half writes it."""
    if len(name.encode("utf-8", "replace")) > 100:
        name = name.encode("utf-8", "replace")[:100].decode("utf-8", "ignore") + "..."
    return f".{name}" if name.isascii() and name.isidentifier() else f"[{quoted(name)}]"


def quoted(name: str) -> str:
    """A name as a JSON string."""
    # Importing it takes longer than this module, and few programs have an error.
    import json

    return json.dumps(name, ensure_ascii=False)


#: The maximum number of field names that an error lists.
_LISTED = 8


def listed(names: Iterable[str]) -> str:
    """The names of fields as an error lists them, as in the compiled half."""
    first = [quoted(name) for name in itertools.islice(names, _LISTED + 1)]
    if len(first) > _LISTED:
        first[_LISTED] = "..."
    return ", ".join(first) or "no field"


#: An attribute with the last steps of an exception's path: the compiled half knows only the first ones. It is gone
#: once the exception has become one of ours.
_WITHIN = "_holdall_within"


def checked(value: Any, *kinds: type) -> Any:
    """Returns the value if it has exactly one of these types: a range of 10^12 numbers, for example, must not
    replace a list.
    """
    if type(value) not in kinds:
        raise Mismatch(" or ".join(kind.__name__ for kind in kinds), type(value).__name__)
    return value


def checked_parts(value: Any, *kinds: type | tuple[type, ...]) -> tuple[Any, ...]:
    """Returns a tuple if its items have exactly these types."""
    parts: tuple[Any, ...] = checked(value, tuple)
    if len(parts) != len(kinds):
        raise Mismatch(f"a tuple of {len(kinds)}", f"one of {len(parts)}")
    for part, kind in zip(parts, kinds, strict=True):
        checked(part, *(kind if isinstance(kind, tuple) else (kind,)))
    return parts


def unlimited(text: str) -> EncodeError:
    """The error for an object with too many parts."""
    return EncodeError(text, code="limit_output")


def make(
    side: str,
    code: str,
    offset: int | None,
    path: str,
    text: str,
    rule: str | None,
    errno: int | None,
    looks_like: str | None,
    cause: BaseException | None,
) -> Error | OSError:
    """The exception for an error of the library."""
    if errno is not None:
        return OSError(errno, os.strerror(errno))
    if looks_like in _REMEDIES:
        text += f": {_REMEDIES[looks_like]}"
    if code == "unknown_dictionary":
        text += "; pass it in dictionaries="
    if code == "unknown_fingerprint":
        text += "; pass a store= that has the schema (SchemaStore.put), or to a Reader the schemas= of its blocks"
    if cause is not None:
        path += vars(cause).pop(_WITHIN, "")
    if isinstance(cause, Error):
        # Raised by a hook that packs or unpacks something itself, or by the Python half of this package.
        if cause.path is None and path:
            cause.path = path
            said = str(cause).removeprefix(f"{cause.code}: ")
            cause.args = (f"{cause.code} in {path}: {said}",)
        return cause
    if isinstance(cause, Mismatch):
        code, text, cause = cause.code, f"{cause.code} in {path}: {cause}", None
    elif isinstance(cause, RecursionError):
        place = f" in {path}" if path else ""
        code = "limit_depth"
        text = f"{code}{place}: expected values that Python code can go into, got deeper ones"
    elif cause is not None:
        place = f" in {path}" if path else ""
        text = f"{code}{place}: {type(cause).__name__}: {cause}"
    kind: type[Error]
    if code == "out_of_memory":
        kind = OutOfMemoryError
    elif code in ("locked", "io"):
        kind = FileError
    elif side == "encode":
        kind = EncodeError
    elif code in _SCHEMA:
        kind = SchemaError
    elif code in _LIMITS:
        kind = LimitError
    else:
        kind = DecodeError
    error = kind(text, code=code, offset=offset, path=path or None, rule=rule)
    error.__cause__ = cause
    return error


def note_damage(error: BaseException) -> None:
    """Says what to do if a stream is damaged that is to be appended to."""
    if isinstance(error, DecodeError):
        error.add_note(
            "The file is damaged, so nothing was appended: holdall.recover(path, other) writes what is intact to another file, "
            "and that can be appended to."
        )
