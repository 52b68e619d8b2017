"""Classifies classes: where the state of their objects is, and which package defines them."""

from __future__ import annotations

import collections
import datetime
import sys
import types
import typing
import weakref
from collections.abc import Callable
from typing import Any

from . import _later
from ._names import default_name
from ._registry import by_class

_HEAP = 1 << 9


_NOT_SLOTS = frozenset({"__dict__", "__weakref__", "_attrs_cached_hash"})


#: Builtin classes whose objects have content besides attributes. The value is how the compiled half reads the content of a
#: subclass's object, or a function that returns it.
_BASES: dict[type, str | Callable[[Any], Any]] = {
    collections.Counter: "dict",
    collections.defaultdict: "defaultdict",
    collections.OrderedDict: lambda v: list(collections.OrderedDict.items(v)),
    collections.deque: lambda v: list(collections.deque.__iter__(v)),
    list: "list",
    dict: "dict",
    set: "set",
    frozenset: "frozenset",
    tuple: "tuple",
    int: int.__int__,
    float: "float",
    complex: complex.__pos__,
    str: "str",
    bytes: "bytes",
    bytearray: "bytearray",
    datetime.datetime: lambda v: datetime.datetime(
        *(v.year, v.month, v.day, v.hour, v.minute, v.second, v.microsecond),
        tzinfo=v.tzinfo,
        fold=v.fold,
    ),
    datetime.date: lambda v: datetime.date(v.year, v.month, v.day),
    datetime.time: lambda v: datetime.time(
        v.hour, v.minute, v.second, v.microsecond, tzinfo=v.tzinfo, fold=v.fold
    ),
    datetime.timedelta: lambda v: datetime.timedelta(v.days, v.seconds, v.microseconds),
}


@_later.when_loaded("decimal")
def _add_decimal(decimal: Any) -> None:
    _BASES[decimal.Decimal] = decimal.Decimal


#: What the fields with the content of their subclasses are called.
BASE_FIELDS = (*(f"<{base.__name__}>" for base in _BASES), "<Decimal>")


#: Those whose objects are filled after creation.
_FILLS: dict[type, Callable[[Any, Any], object]] = {
    list: list.extend,
    dict: dict.update,
    collections.Counter: dict.update,
    collections.defaultdict: dict.update,
    collections.OrderedDict: lambda v, items: [
        collections.OrderedDict.__setitem__(v, *item) for item in items
    ],
    set: set.update,
    collections.deque: collections.deque.extend,
    bytearray: bytearray.extend,
}


#: The type of the stored content, where it differs from the class.
_HELD: dict[type, type] = {
    collections.Counter: dict,
    collections.defaultdict: dict,
    collections.OrderedDict: list,
    collections.deque: list,
    bytearray: bytes,
}


def _base(cls: type) -> type | None:
    """Returns the builtin class that holds the content of a subclass's objects."""
    _later.meet()
    return next((base for base in _BASES if issubclass(cls, base)), None)


_known_slots: weakref.WeakKeyDictionary[type, tuple[str, ...]] = weakref.WeakKeyDictionary()


def _slots(cls: type) -> tuple[str, ...]:
    """Returns the names of the attributes in slots, as their descriptors have them."""
    names = _known_slots.get(cls)
    if names is None:
        names = _known_slots[cls] = tuple(_found_slots(cls))
    return names


def _found_slots(cls: type) -> list[str]:
    names: list[str] = []
    for base in reversed(cls.__mro__):
        own = base.__dict__.get("__slots__", ())
        for name in (own,) if isinstance(own, str) else own:
            if name in _NOT_SLOTS:
                continue
            if name.startswith("__") and not name.endswith("__"):
                name = f"_{base.__name__.lstrip('_')}{name}"
            if (
                isinstance(base.__dict__.get(name), types.MemberDescriptorType)
                and name not in names
            ):
                names.append(name)
    return names


def _own(cls: type, name: str) -> Any:
    """Returns a method unless object defines it, or dataclasses or attrs generated it for slots."""
    method = getattr(cls, name, None)
    if method is None or method is getattr(object, name, None):
        return None
    if getattr(method, "__module__", None) in ("dataclasses", "attr._make"):
        return None
    return method


def _has_more(cls: type, slots: tuple[str, ...]) -> bool:
    """Whether objects have state outside their attributes, by the rule of copyreg."""
    if cls.__itemsize__:
        return True
    size = object.__basicsize__ + 8 * len(slots)
    size += 8 * (cls.__dictoffset__ > 0) + 8 * (cls.__weakrefoffset__ > 0)
    if "_attrs_cached_hash" in getattr(cls, "__slots__", ()):
        size += 8
    return cls.__basicsize__ > size


def is_instance(value: Any, kinds: tuple[Any, ...]) -> bool:
    """Whether a value is an object of one of the classes. A datetime is no date, as the two do not compare."""
    if isinstance(value, datetime.datetime):
        kinds = tuple(kind for kind in kinds if kind is not datetime.date)
    return isinstance(value, kinds)


def _is_named_tuple(cls: type) -> bool:
    fields = getattr(cls, "_fields", None)
    return (
        issubclass(cls, tuple)
        and isinstance(fields, tuple)
        and all(isinstance(field, str) for field in fields)
        and hasattr(cls, "_make")
        and cls.__dictoffset__ == 0
    )


def _is_model(cls: type) -> bool:
    pydantic = sys.modules.get("pydantic")
    base = getattr(pydantic, "BaseModel", None)
    return isinstance(base, type) and issubclass(cls, base)


def is_typed_dict(cls: Any) -> bool:
    """Whether a class is a TypedDict: typing's, or typing_extensions', a class of its own."""
    return typing.is_typeddict(cls) or type(cls).__name__ == "_TypedDictMeta"


def has_extra_items(cls: Any) -> bool:
    """Whether a TypedDict has items of a type beside its fields (PEP 728)."""
    # A class of its own stands for none; `Never` allows none.
    return getattr(getattr(cls, "__extra_items__", None), "__name__", "NoExtraItems") not in (
        "NoExtraItems",
        "Never",
        "NoReturn",
    )


def _is_struct(cls: type) -> bool:
    msgspec = sys.modules.get("msgspec")
    base = getattr(msgspec, "Struct", None)
    return isinstance(base, type) and issubclass(cls, base)


def _is_own_struct(cls: type) -> bool:
    """Whether a msgspec Struct has a metaclass of the program."""
    return type(cls) is not type(sys.modules["msgspec"].Struct)


def _is_dunder(name: str) -> bool:
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def _solid(cls: type) -> Any:
    """Returns the first base whose constructor runs no code of the program."""
    return next(base for base in cls.__mro__ if not base.__flags__ & _HEAP)


def names_of(cls: type) -> set[str]:
    """Returns the names that data may use for a class."""
    registration = by_class.get(cls)
    names = {registration.name, *registration.aliases} if registration else {default_name(cls)}
    return names | {cls.__qualname__, cls.__name__}


def has_fields(cls: type) -> bool:
    """Whether a class declares the fields of its objects."""
    return bool(
        _later.is_dataclass(cls)
        or hasattr(cls, "__attrs_attrs__")
        or _is_model(cls)
        or _is_struct(cls)
        or _is_named_tuple(cls)
    )
