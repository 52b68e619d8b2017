"""Containers of the standard library that are packed and restored in Python: deque, defaultdict, array and their like."""

from __future__ import annotations

import array
import collections
import sys
import types
import warnings
from typing import Any

from .._errors import DecodeError, EncodeError, Mismatch, checked, checked_parts
from .._holdall import charge
from ._kinds import _is_dunder
from ._lookup import called_name
from ._sizes import OF_ENTRY, OF_ORDERED
from ._values import UNKNOWN, Extension, Tensor

#: Factories that any data may name for a defaultdict: calling them has no side effects.
FACTORIES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset),
        *(collections.deque, collections.Counter, collections.OrderedDict),
    )
}


def factory_name(factory: Any) -> str | None:
    if factory is None:
        return None
    if FACTORIES.get(getattr(factory, "__name__", ""), UNKNOWN) is factory:
        return str(factory.__name__)
    name = called_name(factory)
    if name is None:
        raise EncodeError(
            f"the factory {factory!r} of a defaultdict is no class or function that a module has under its name: holdall packs names, "
            "and no code; define it in a module, or register it under a name=",
            code="unsupported_value",
        )
    return name


def pack_chain_map(value: collections.ChainMap[Any, Any]) -> Extension:
    attributes = dict(vars(value))
    maps = attributes.pop("maps")
    if attributes:
        return Extension("py.attributed_chain_map", (maps, attributes))
    return Extension("py.chain_map", maps)


def fill_chain_map(empty: collections.ChainMap[Any, Any], maps: list[Any]) -> None:
    empty.maps = checked(maps, list)


def fill_attributed_chain_map(empty: collections.ChainMap[Any, Any], content: Any) -> None:
    empty.maps, attributes = checked_parts(content, list, dict)
    _set_attributes(empty, attributes)


def pack_attributed_ordered_dict(value: collections.OrderedDict[Any, Any]) -> Extension:
    items = collections.OrderedDict(collections.OrderedDict.items(value))
    return Extension("py.attributed_ordered_dict", (items, dict(vars(value))))


def fill_attributed_ordered_dict(empty: collections.OrderedDict[Any, Any], content: Any) -> None:
    items, attributes = checked_parts(content, collections.OrderedDict, dict)
    charge(OF_ORDERED * len(items))
    empty.update(items)
    _set_attributes(empty, attributes)


def _set_attributes(empty: Any, attributes: dict[str, Any]) -> None:
    """Sets attributes, but never names that have a meaning in Python."""
    charge(OF_ENTRY * len(attributes))
    own = {name: value for name, value in attributes.items() if not _is_dunder(name)}
    vars(empty).update(own)


def fill_namespace(empty: types.SimpleNamespace, fields: dict[str, Any]) -> None:
    charge(OF_ENTRY * len(checked(fields, dict)))
    empty.__dict__.update(fields)


def pack_namespace(value: types.SimpleNamespace) -> Extension:
    return Extension("py.namespace", dict(value.__dict__))


_ARRAY_TYPES = {
    "b": "i",
    "B": "u",
    "h": "i",
    "H": "u",
    "i": "i",
    "I": "u",
    "l": "i",
    "L": "u",
    "q": "i",
    "Q": "u",
}


_BY_TYPE = {
    "i8": "b",
    "u8": "B",
    "i16": "h",
    "u16": "H",
    "i32": "i",
    "u32": "I",
    "i64": "q",
    "u64": "Q",
    "f32": "f",
    "f64": "d",
}


def is_array(value: Any) -> bool:
    """Whether a value is an array of numpy."""
    np = sys.modules.get("numpy")
    return np is not None and type(value) is np.ndarray


def pack_array(value: array.array[Any]) -> Extension:
    code = value.typecode
    if code in ("u", "w"):
        data = array.array("I", map(ord, value.tounicode())).tobytes()
        dtype = "u32"
    else:
        data = value.tobytes()
        dtype = {"f": "f32", "d": "f64"}.get(code) or f"{_ARRAY_TYPES[code]}{8 * value.itemsize}"
    return Extension("py.array", (code, Tensor(dtype, (len(value),), data)))


def make_array(parts: Any) -> array.array[Any]:
    code, elements = checked(parts, tuple)
    checked(code, str)
    if type(elements) is Tensor:
        data, dtype = bytes(elements.data), elements.dtype
    elif is_array(elements):
        data, dtype = elements.tobytes(), f"{elements.dtype.kind}{8 * elements.dtype.itemsize}"
    else:
        raise Mismatch("a tensor", type(elements).__name__)
    # With room for more.
    charge(len(data) + len(data) // 8 + OF_ENTRY)
    if len(elements.shape) != 1 or dtype not in _BY_TYPE:
        raise DecodeError(
            "the content of py.array is not an array of numbers", code="unrepresentable"
        )
    if code in ("u", "w"):
        text = "".join(map(chr, array.array("I", data)))
        if code == "u":
            with warnings.catch_warnings():
                # The deprecation of this type code concerns the program that created the array, not this one.
                warnings.simplefilter("ignore", DeprecationWarning)
                return array.array("u", text)
        return array.array("u" if code == "w" and "w" not in array.typecodes else code, text)
    made = array.array(code)
    own = {"f": "f32", "d": "f64"}.get(code) or f"{_ARRAY_TYPES[code]}{8 * made.itemsize}"
    if own == dtype:
        made.frombytes(data)
        return made
    # On the machine that wrote it, this type code had another width.
    made.extend(array.array(_BY_TYPE[dtype], data))
    return made
