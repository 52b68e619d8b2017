"""Checks on every message and every object that was read."""

from __future__ import annotations

import array
import collections
import enum
import struct
import types
from typing import Any

import holdall
import numpy as np
from holdall import _holdall
from holdall_reference import decode_message
from holdall_reference.writer import encode_message

#: Larger ones take the reference decoder too long.
REFERENCE_BYTES = 20_000


def check_message(data: bytes) -> None:
    """The reference decoder and writer, and Rust's `Value`, read the message and write the same bytes."""
    assert _holdall.through_value(data, "balanced") == data
    if len(data) <= REFERENCE_BYTES:
        assert encode_message(decode_message(data), "balanced") == data


def roundtrip(value: Any, **options: Any) -> Any:
    """A value after a round trip through bytes, with all checks."""
    data = holdall.dumps(value)
    check_message(data)
    back = holdall.loads(data, **options)
    differences = list(differing(value, back))
    assert not differences, differences[0]
    again = holdall.dumps(back)
    if again != data:
        # Only sets whose members have no order in the format may change theirs.
        assert has_loose_set(value)
        assert len(again) == len(data)
        assert not list(differing(value, holdall.loads(again, **options)))
    return back


def has_order(member: Any) -> bool:
    """Whether the format has an order for a member of a set: a scalar or a tuple of scalars, with valid Unicode
    text.
    """
    if type(member) is tuple:
        return is_constant(member) and all(map(has_order, member))
    if type(member) is str:
        return member.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in member)
    return type(member) in SCALARS


def has_loose_set(value: Any) -> bool:
    """Whether a graph contains a set with several members that have no order in the format."""
    seen: dict[int, Any] = {}
    todo = [value]
    while todo:
        each = todo.pop()
        if id(each) in seen:
            continue
        seen[id(each)] = each
        if isinstance(each, set | frozenset) and len(each) > 1:
            for member in each:
                if not has_order(member):
                    return True
        inside = parts(each)
        todo += inside[1] if inside else ()
    return False


def parts(value: Any) -> tuple[Any, list[Any]] | None:
    """A value's own identity and contents, and the values in it; None for a scalar."""
    kind = type(value)
    if kind in (list, tuple, collections.deque):
        return (len(value), getattr(value, "maxlen", None)), list(value)
    if kind in (set, frozenset):
        return len(value), sorted(value, key=member_key)
    if issubclass(kind, dict):
        inside = [part for item in dict.items(value) for part in item]
        return (len(value), getattr(value, "default_factory", None)), [*inside, *state(value)]
    if kind is slice:
        return None, [value.start, value.stop, value.step]
    if isinstance(value, holdall.Variant | holdall.Extension):
        return value.name, [value.value]
    if kind is np.ndarray and value.dtype == object:
        return (value.shape, value.flags.c_contiguous), value.ravel().tolist()
    if isinstance(value, BaseException):
        return None, [value.args, *state(value)]
    if isinstance(value, list | tuple | set | frozenset):
        base = next(base for base in (list, tuple, set, frozenset) if isinstance(value, base))
        return None, [base(base.__iter__(value)), *state(value)]
    if hasattr(value, "__dict__") or hasattr(kind, "__slots__"):
        if (
            not isinstance(value, enum.Enum | types.FunctionType | type)
            and kind.__module__ not in LEAVES
        ):
            return None, state(value)
    return None


LEAVES = {
    "datetime",
    "decimal",
    "fractions",
    "uuid",
    "pathlib",
    "pathlib._local",
    "ipaddress",
    "zoneinfo",
    "numpy",
    "numpy.dtypes",
    "re",
    "threading",
    "_thread",
}


#: Slots that are no state: the last one has the places of a record in sets, which are different objects after each reading.
NOT_STATE = ("__dict__", "__weakref__", "_attrs_cached_hash", "__holdall_places__")


def state(value: Any) -> list[Any]:
    """The names and values of attributes, in order."""
    found: list[Any] = []
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in NOT_STATE and hasattr(value, name):
                found += [name, getattr(value, name)]
    for item in getattr(value, "__dict__", {}).items():
        if item[0] != "_attrs_cached_hash":
            found += item
    return found


def member_key(value: Any) -> Any:
    """An order of set members by contents: objects need a label that distinguishes them."""
    label = getattr(value, "label", None)
    if label is not None:
        return ("label", label)
    if isinstance(value, tuple):
        return ("tuple", tuple(map(member_key, value)))
    if isinstance(value, frozenset):
        return ("frozenset", tuple(sorted(map(member_key, value))))
    return (type(value).__name__, repr(value))


def leaf(value: Any) -> Any:
    """Makes a scalar comparable with others of its type."""
    if isinstance(value, float):
        return struct.pack("<d", value)
    if isinstance(value, complex):
        return struct.pack("<dd", value.real, value.imag)
    if hasattr(value, "tobytes") and hasattr(value, "dtype"):
        if value.dtype.kind in "OgGV" or value.dtype == np.longdouble:
            return repr(value)
        return (
            value.dtype,
            value.shape,
            value.strides and value.flags.f_contiguous,
            value.tobytes(),
        )
    if isinstance(value, array.array):
        return (value.typecode, value.tobytes())
    if isinstance(value, str | bytes | int | bytearray):
        return value
    if hasattr(value, "fold"):
        return (repr(value), value.fold, str(value.tzinfo), type(value.tzinfo))
    return repr(value)


def differing(left: Any, right: Any) -> Any:
    """Where two graphs differ: in types, values, order or identity."""
    by_left: dict[int, int] = {}
    by_right: dict[int, int] = {}
    kept = []
    todo = [(left, right, "$")]
    while todo:
        a, b, path = todo.pop()
        if type(a) is not type(b):
            yield f"{path}: {type(a)} became {type(b)}"
            continue
        inside = parts(a)
        if inside is None or is_constant(a):
            if leaf(a) != leaf(b):
                yield f"{path}: {a!r} became {b!r}"
            continue
        kept += [a, b]
        if id(a) in by_left or id(b) in by_right:
            if by_left.get(id(a)) != id(b) or by_right.get(id(b)) != id(a):
                yield f"{path}: not the same object as before"
            continue
        by_left[id(a)], by_right[id(b)] = id(b), id(a)
        other = parts(b)
        assert other is not None
        if inside[0] != other[0] or len(inside[1]) != len(other[1]):
            yield f"{path}: {inside[0]}, {len(inside[1])} parts became {other[0]}, {len(other[1])}"
            continue
        todo += [
            (x, y, f"{path}/{at}")
            for at, (x, y) in enumerate(zip(inside[1], other[1], strict=True))
        ]


SCALARS = (int, float, str, bytes, bool, type(None))


def is_constant(value: Any) -> bool:
    """Tuples of a few scalars have no identity."""
    return type(value) is tuple and len(value) <= 8 and all(type(each) in SCALARS for each in value)
