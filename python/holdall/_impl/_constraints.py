"""The constraints of msgspec's ``Meta``: bounds on numbers, lengths, patterns, time zones; and the types of elements in arrays."""

from __future__ import annotations

import datetime
import math
import re
import sys
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from .._errors import Mismatch
from . import _hints, _later
from ._described import Described
from ._origins import DICTS, LISTS, SETS

_NUMBERS = (int, float)
_LENGTHS = (str, bytes, bytearray, list, tuple, set, frozenset, dict)
_TIMES = (datetime.datetime, datetime.time)

#: The types whose values each constraint applies to, as in msgspec.
_TAKERS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("gt", "ge", "lt", "le", "multiple_of"), _NUMBERS),
    **dict.fromkeys(("min_length", "max_length"), _LENGTHS),
    "pattern": (str,),
    "tz": _TIMES,
}


class Constraint(Described):
    """The constraints on values of one type."""

    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None
    multiple_of: float | None = None
    pattern: str | None = None
    min_length: int | None = None
    max_length: int | None = None
    tz: bool | None = None

    def check(self, value: Any) -> None:
        """Raises `Mismatch` if a value of the right type violates a constraint."""
        for name in _TAKERS:
            bound = getattr(self, name)
            if bound is not None and not _is_met(name, bound, value):
                raise Mismatch(*_words(name, bound, value))


#: The scalar types of numpy that Python's mean as the elements of an array.
_OF_PYTHON: dict[type, str] = {
    bool: "bool_",
    int: "integer",
    float: "floating",
    complex: "complexfloating",
    str: "str_",
    bytes: "bytes_",
    object: "object_",
}


class Elements:
    """The scalar types of numpy that an array's elements may have."""

    def __init__(self, kinds: tuple[type, ...]) -> None:
        self.kinds = kinds

    def check(self, value: Any) -> None:
        """Raises `Mismatch` if an array has other elements."""
        if not any(_is_dtype_of(value.dtype, kind) for kind in self.kinds):
            names = " or ".join(kind.__name__ for kind in self.kinds)
            raise Mismatch(f"ndarray of {names}", f"one of {value.dtype}")


def _is_dtype_of(dtype: Any, kind: Any) -> bool:
    numpy = sys.modules["numpy"]
    # C has two types of the same width, of which arrays have one.
    is_number = issubclass(kind, numpy.number) and not kind.__subclasses__()
    return issubclass(dtype.type, kind) or (
        is_number and numpy.dtype(kind) == dtype.newbyteorder("=")
    )


class _Node(Protocol):
    instances: list[Any]
    constraints: dict[Any, Any]


def add_elements(
    node: _Node, array: type, arguments: tuple[Any, ...], names: Mapping[Any, Any]
) -> None:
    """Lets a node take arrays of numpy with the elements that the arguments of `numpy.ndarray` say."""
    elements = _elements_of(arguments, names)
    before = node.constraints.pop(array, None)
    is_any = array in node.instances and before is None
    if elements is not None and not is_any:
        node.constraints[array] = Elements((*(before.kinds if before else ()), *elements.kinds))


def _elements_of(arguments: tuple[Any, ...], names: Mapping[Any, Any]) -> Elements | None:
    """What the arguments of `numpy.ndarray` say of its elements: None if they may be any."""
    kinds = []
    for each in typing.get_args(arguments[1]) if arguments[1:] else ():
        each = _hints.peeled(each, {**names})[0]
        union = typing.get_origin(each) in (typing.Union, types.UnionType)
        for kind in typing.get_args(each) if union else (each,):
            kind = _hints.peeled(kind, {**names})[0]
            kind = typing.get_origin(kind) or kind
            if kind is Any or not isinstance(kind, type):
                return None
            name = _OF_PYTHON.get(kind)
            kinds.append(kind if name is None else getattr(sys.modules["numpy"], name))
    return Elements(tuple(kinds)) if kinds else None


def _is_met(name: str, bound: Any, value: Any) -> bool:
    # Comparisons with NaN are false: it is within no bounds.
    match name:
        case "gt":
            return bool(value > bound)
        case "ge":
            return bool(value >= bound)
        case "lt":
            return bool(value < bound)
        case "le":
            return bool(value <= bound)
        case "multiple_of":
            return _is_multiple(value, bound)
        case "pattern":
            return re.search(bound, value) is not None
        case "min_length":
            return bool(len(value) >= bound)
        case "max_length":
            return bool(len(value) <= bound)
        case _:
            # As in Python, a time is aware if its zone knows its offset; a time without a date need not have one.
            return (value.tzinfo is not None) is bound


def _is_multiple(value: float, bound: float) -> bool:
    if type(value) is int:
        # Exact for any size, which a float could not hold.
        return value % _later.fractions.Fraction(bound) == 0
    return math.isfinite(value) and math.fmod(value, bound) == 0


def _words(name: str, bound: Any, value: Any) -> tuple[str, str]:
    """Returns what was expected, and what was found."""
    kind = type(value).__name__
    match name:
        case "pattern":
            return f"{kind} that matches {bound!r}", shown_scalar(value)
        case "min_length":
            return f"{kind} of length >= {bound}", f"length {len(value)}"
        case "max_length":
            return f"{kind} of length <= {bound}", f"length {len(value)}"
        case "tz":
            words = (
                ("with a time zone", "one without")
                if bound
                else ("without a time zone", "one with a time zone")
            )
            return f"{kind} {words[0]}", words[1]
        case "multiple_of":
            return f"{kind} that is a multiple of {bound}", shown_scalar(value)
        case _:
            sign = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}[name]
            return f"{kind} {sign} {bound}", shown_scalar(value)


def shown_scalar(value: Any) -> str:
    """Formats a scalar for an error; of large ints Python does not write all digits."""
    if isinstance(value, int) and value.bit_length() > 128:
        return "int"
    shown = repr(value)
    return f"{type(value).__name__} {shown}" if len(shown) <= 40 else type(value).__name__


def constraint_of(added: Iterable[Any], tp: Any, kind: type | None) -> Constraint | None:
    """The constraints of the ``Meta`` in the metadata of a type; ``kind`` is the type of its values, if there is one.

    A constraint that cannot be checked raises a TypeError, so that it is not silently ignored.
    """
    meta = getattr(sys.modules.get("msgspec"), "Meta", None)
    demands: dict[str, Any] = {}
    for each in added:
        if meta is None or not isinstance(each, meta):
            continue
        for name, takers in _TAKERS.items():
            bound = getattr(each, name, None)
            if bound is None:
                continue
            if kind not in takers:
                able = ", ".join(taker.__name__ for taker in takers)
                raise TypeError(f"holdall: Meta({name}={bound!r}) applies to {able}, not to {tp!r}")
            if name in demands:
                raise TypeError(f"holdall: {name} is set twice for {tp!r}")
            demands[name] = bound
    if "pattern" in demands:
        re.compile(demands["pattern"])
    return Constraint(**demands) if demands else None


def constrained_kind(tp: Any, origin: Any, arguments: tuple[Any, ...]) -> type | None:
    """The type of the values of a type, if constraints can apply to them."""
    origin = origin or tp
    if tp in (bool, int, float, str, bytes, bytearray, datetime.datetime, datetime.time):
        return tp  # type: ignore[no-any-return]
    if origin is tuple:
        return tuple if tp is tuple or arguments[1:] == (Ellipsis,) else None
    for kind, origins in ((list, LISTS), (set, SETS), (dict, DICTS), (frozenset, {frozenset})):
        if origin in origins:
            return kind
    return None
