"""Logical values: their kinds, parameters and storage as F-72 has them (F-74)."""

from __future__ import annotations

from collections.abc import Callable

from holdall_reference.logical import KINDS
from holdall_reference.schema import (
    BOOL,
    LATER,
    NEVER,
    NULL,
    SCALAR_NAMES,
    Fixed,
    List,
    Map,
    Scalar,
    Tuple,
    Type,
)
from holdall_reference.tagged import Json, Tagged
from holdall_reference.writer.errors import WriterError

# Returns a value without its `id` and `ref`.
Plain = Callable[[Json], Tagged]

KIND_NUMBERS = {kind.name: number for number, kind in KINDS.items()}
SCALAR_CODES = {name: code for code, name in SCALAR_NAMES.items()}

# A type that no kind has as its storage, though it may be inside.
OTHER = Scalar(NULL)


def kind_number(name: str) -> int:
    """The kind that a tagged value names."""
    if name in KIND_NUMBERS:
        return KIND_NUMBERS[name]
    # A kind from E0 on is two upper-case digits.
    if name in (f"{kind:02X}" for kind in LATER):
        return int(name, 16)
    raise WriterError("unsupported_value")


def check_parameters(kind: int, parameters: bytes) -> None:
    """F-72: the number of parameters, and the meaning of each."""
    if kind in LATER:
        return
    meanings = KINDS[kind].parameters
    if len(parameters) != len(meanings) or not all(
        byte in known for byte, known in zip(parameters, meanings, strict=True)
    ):
        raise WriterError("unsupported_value")


def checked_storage(kind: int, parameters: bytes, storage: Tagged, plain: Plain) -> Tagged:
    """The storage as it is written, if it is of the type of F-72."""
    if kind in LATER:
        # F-72: any storage may follow.
        return storage
    # F-72: whole is int or i64 (a writer of dynamic values writes int).
    value = _with_whole(storage, plain) if KINDS[kind].name in WHOLE_KINDS else storage
    # F-74: storage that is not of the type of F-72: `unsupported_value`.
    if not KINDS[kind].storage(parameters)(_type_of(value, plain)):
        raise WriterError("unsupported_value")
    return value


WHOLE_KINDS = {"date", "time", "timestamp", "duration"}


def _with_whole(storage: Tagged, plain: Plain) -> Tagged:
    value = plain(storage)
    if value[0] == "i64":
        return ["int", value[1]]
    if value[0] == "tuple" and isinstance(value[1], list) and value[1]:
        whole, *rest = value[1]
        return ["tuple", [_with_whole(plain(whole), plain), *rest]]
    return value


def _type_of(storage: Tagged, plain: Plain) -> Type:
    """The type of a storage, as far as F-72 needs it."""
    value = plain(storage)
    tag, content = str(value[0]), value[-1]
    if tag == "fixed":
        assert isinstance(content, str)
        return Fixed(len(content) // 2)
    if tag in ("map", "record"):
        return Map(OTHER, OTHER)
    if tag in ("list", "tuple"):
        assert isinstance(content, list)
        items = [plain(item) for item in content]
        if tag == "tuple":
            # Members must be scalars, so others need not be inspected.
            return Tuple(
                tuple([OTHER if each[0] == "tuple" else _type_of(each, plain) for each in items])
            )
        if not items:
            return List(Scalar(NEVER))
        return List(Scalar(BOOL) if all(each[0] == "bool" for each in items) else OTHER)
    return Scalar(SCALAR_CODES[tag]) if tag in SCALAR_CODES else OTHER
