"""numpy arrays and scalars: as tensors if the format has the type of elements, otherwise as bytes with a
description.
"""

from __future__ import annotations

import functools
import math
import re
import sys
from collections.abc import Callable
from typing import Any

from .._errors import DecodeError, EncodeError, checked, checked_parts
from .._holdall import charge
from . import _buffers
from ._containers import is_array
from ._sizes import OF_ITEM
from ._values import Extension, Tensor

_SCALARS = {
    "?": "bool",
    **{f"{kind}{size}": f"{kind}{8 * size}" for kind in "iu" for size in (1, 2, 4, 8)},
    **{f"f{size}": f"f{8 * size}" for size in (2, 4, 8)},
}
_NAMES = {name: code for code, name in _SCALARS.items()}
_COMPLEX = {
    "c8": ("logical", 7, b"\x04", ("tuple", ["f32", "f32"])),
    "c16": ("logical", 7, b"\x08", ("tuple", ["f64", "f64"])),
}
_UNITS = {"s": 0, "ms": 1, "us": 2, "ns": 3}


#: The bytes of an array with a type of its own, of a place for a dimension, and of a field of a type.
_ARRAY = 736
_DIMENSION = 24
_FIELD = 256


def numpy() -> Any:
    """numpy, or None if it is not installed. It is the only package imported because of data."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _element(dtype: Any) -> Any:
    """The format's type for elements; None if they need a description."""
    np = numpy()
    if dtype.byteorder == (">" if sys.byteorder == "little" else "<"):
        return None
    if dtype.names is not None:
        fields, at = [], 0
        for name in dtype.names:
            inner, offset = dtype.fields[name][:2]
            element = _element(inner)
            if element is None or offset != at or dtype.fields[name][2:] or dtype.isalignedstruct:
                return None
            fields.append((name, element))
            at += inner.itemsize
        return ("record", fields) if fields and at == dtype.itemsize else None
    if dtype.subdtype is not None:
        inner, shape = dtype.subdtype
        element = _element(inner)
        for size in reversed(shape):
            element = None if element is None or size == 0 else ("array", size, element)
        return element
    if dtype.kind in "Mm":
        unit, count = np.datetime_data(dtype)
        if count != 1 or unit not in _UNITS:
            return None
        parameters = bytes((_UNITS[unit], 0)) if dtype.kind == "M" else bytes((_UNITS[unit],))
        return ("logical", 3 if dtype.kind == "M" else 4, parameters, "i64")
    if dtype.kind == "S" and dtype.itemsize:
        return ("fixed", dtype.itemsize)
    if dtype.kind == "U" and dtype.itemsize:
        return ("extension", "numpy.U", ("array", dtype.itemsize // 4, "u32"))
    code = "?" if dtype.kind == "b" else f"{dtype.kind}{dtype.itemsize}"
    return _SCALARS.get(code) or _COMPLEX.get(code)


def _dtype(element: Any) -> Any:
    """The reverse; None if numpy has no such type."""
    np = numpy()
    if isinstance(element, str):
        return np.dtype(_NAMES[element]) if element in _NAMES else None
    kind = element[0]
    if kind == "fixed":
        return np.dtype(f"S{element[1]}")
    if kind == "array":
        sizes = [element[1]]
        inside = element[2]
        while inside[0] == "array":
            sizes.append(inside[1])
            inside = inside[2]
        inner = _dtype(inside)
        return None if inner is None else np.dtype((inner, tuple(sizes)))
    if kind == "record":
        fields = [(name, _dtype(inner)) for name, inner in element[1]]
        return None if any(inner is None for _, inner in fields) else np.dtype(fields)
    if kind == "logical":
        if element[1] == 7:
            return np.dtype("c8" if element[2] == b"\x04" else "c16")
        if element[1] in (3, 4) and element[3] == "i64" and element[2][1:] in (b"", b"\x00"):
            unit = [*_UNITS][element[2][0]]
            return np.dtype(f"{'M' if element[1] == 3 else 'm'}8[{unit}]")
    if (
        kind == "extension"
        and element[1] == "numpy.U"
        and element[2][0] == "array"
        and element[2][2] == "u32"
    ):
        return np.dtype(f"U{element[2][1]}")
    return None


def flat_dtype(element: Any) -> Any:
    """The dtype of elements, in arrays that view their bytes; None if numpy has none, or would add dimensions."""
    dtype = None if numpy() is None else _dtype(element)
    return None if dtype is None or dtype.subdtype is not None else dtype


#: What creates arrays of each type of elements, by numpy's characters. Filled at their first use.
_made: dict[str, tuple[Any, Any]] = {}


def pack_array(array: Any) -> Any:
    """What to pack in place of an array. The compiled half packs arrays whose buffers are those of the format's tensors itself."""
    if _buffers.writers and (outside := _outside(array)) is not None:
        return outside
    np = numpy()
    if array.dtype.hasobject:
        if array.dtype.kind != "O":
            raise EncodeError(
                "arrays with Python objects in fields cannot be packed", code="unsupported_value"
            )
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        return Extension("numpy.objects", (array.shape, order, array.ravel(order).tolist()))
    element = _element(array.dtype)
    column_major = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    if element is None:
        # Padding between fields, or in a number, has arbitrary contents.
        whole = _without_gaps(array).tobytes("F" if column_major else "C")
        return Extension("numpy.array", (_describe(array.dtype), array.shape, column_major, whole))
    flat = array.T if column_major else np.ascontiguousarray(array)
    if flat.size == 0 or flat.ndim == 0 or not flat.flags.c_contiguous:
        data: Any = array.tobytes()
    else:
        data = flat.reshape(-1).view(np.uint8)
    return Tensor(element, array.shape, data, column_major=column_major)


def _outside(array: Any) -> Extension | None:
    """An array whose elements are in a buffer outside the message."""
    column_major = array.flags.f_contiguous and not array.flags.c_contiguous
    if array.dtype.hasobject or not array.nbytes or not array.flags.forc:
        return None
    flat = (array.T if column_major else array).reshape(-1).view(numpy().uint8)
    number = _buffers.number_of(array, flat)
    if number is None:
        return None
    return Extension("numpy.buffer", (_describe(array.dtype), array.shape, column_major, number))


def make_outside(parts: Any) -> Any:
    np = numpy()
    if np is None:
        return Extension("numpy.buffer", parts)
    description, shape, column_major, number = checked(parts, tuple)
    checked_parts((column_major,), bool)
    charge(_ARRAY + _DIMENSION * len(checked(shape, tuple)))
    dtype, sizes = _described(description), _shape(shape)
    if dtype.hasobject:
        raise DecodeError(
            "the data has an array of pointers, which must not be read", code="unrepresentable"
        )
    data = _buffers.bytes_of(number, sizes, dtype.itemsize)
    return np.ndarray(sizes, dtype, data, 0, None, "F" if column_major else "C")


def _without_gaps(array: Any) -> Any:
    np = numpy()
    if array.dtype.names is not None:
        clean = np.zeros(array.shape, array.dtype, order="F" if array.flags.f_contiguous else "C")
        for name in array.dtype.names:
            clean[name] = _without_gaps(array[name])
        return clean
    if (
        array.dtype.kind in "fc"
        and array.dtype.itemsize >= 12
        and np.finfo(array.dtype).nmant == 63
    ):
        flat = np.array(array, order="A", copy=True)
        numbers = flat.view(np.longdouble) if array.dtype.kind == "c" and flat.ndim else flat
        whole = np.frombuffer(bytearray(numbers.tobytes("A")), np.uint8).reshape(
            -1, np.dtype(np.longdouble).itemsize
        )
        whole[:, 10:] = 0
        shaped = np.frombuffer(whole.tobytes(), array.dtype)
        is_fortran = flat.flags.f_contiguous and not flat.flags.c_contiguous
        return shaped.reshape(array.shape, order="F" if is_fortran else "C")
    return array


def _describe(dtype: Any) -> Any:
    """A description that ``numpy.dtype`` accepts and that contains no code: text, or names, types and offsets."""
    if dtype.names is not None:
        fields = [dtype.fields[name] for name in dtype.names]
        return {
            "names": list(dtype.names),
            "formats": [_describe(field[0]) for field in fields],
            "offsets": [field[1] for field in fields],
            "titles": [field[2] if len(field) > 2 else None for field in fields],
            "itemsize": dtype.itemsize,
            "aligned": dtype.isalignedstruct,
        }
    if dtype.subdtype is not None:
        inner, shape = dtype.subdtype
        return (_describe(inner), shape)
    return dtype.str


#: What numpy calls a type without parts. In other text, numpy would find several types, and dimensions.
_CODE = re.compile(r"[<>|=]?[?a-zA-Z][0-9]{0,10}(\[[0-9]{0,10}[a-zA-Z]{1,7}\])?")


def _described(description: Any) -> Any:
    np = numpy()
    kind = type(description)
    if kind is str and _CODE.fullmatch(description):
        return np.dtype(description)
    if kind is tuple:
        inner, shape = description
        return np.dtype((_described(inner), _shape(shape)))
    if kind is not dict:
        raise DecodeError(
            "the data has an invalid description of an element type", code="unrepresentable"
        )
    given = dict(description)
    aligned = checked(given.pop("aligned", False), bool)
    charge(_FIELD * (1 + len(checked(given.get("formats"), list))))
    given["formats"] = [_described(each) for each in given["formats"]]
    for name in checked(given.get("names"), list):
        checked(name, str)
    for offset in checked(given.get("offsets"), list):
        checked(offset, int)
    checked(given.get("itemsize"), int)
    titles = checked(given.pop("titles", None), list, type(None)) or []
    if any(checked(title, str, type(None)) is not None for title in titles):
        given["titles"] = titles
    return np.dtype(given, align=aligned)


def _shape(shape: Any) -> tuple[int, ...]:
    """Checks the sizes of an array's dimensions."""
    sizes: tuple[int, ...] = checked(shape, tuple)
    if len(sizes) > 64 or any(checked(size, int) < 0 for size in sizes):
        raise DecodeError("the data has an invalid shape of an array", code="unrepresentable")
    return sizes


#: The latest element type that is more than a name, and its dtype. Arrays of one type share the dtype, as numpy's own do.
_latest: tuple[Any, Any] = (None, None)


def _known_dtype(element: Any) -> Any:
    global _latest
    known, dtype = _latest
    if known == element:
        return dtype
    dtype = _dtype(element)
    if type(element) is tuple:
        _latest = (element, dtype)
    return dtype


def make(element: Any, shape: tuple[int, ...], column_major: bool, data: bytearray) -> Any:
    """The array of a tensor, which keeps `data`; a `Tensor` without numpy, or if numpy has no such type.

    Raises:
        DecodeError: with code ``unrepresentable`` for a shape of no elements whose other dimensions are beyond the
            address space.
    """
    known = _made.get(element) if type(element) is str else None
    if known is None or len(shape) > 32:
        np = numpy()
        dtype = None if np is None else _known_dtype(element)
        if dtype is None or len(shape) > 32:
            return Tensor(element, shape, bytes(data), column_major=column_major)
        known = np.ndarray, dtype
        if type(element) is str:
            _made[element] = known
    ndarray, dtype = known
    # An array of arrays would get more dimensions.
    base = dtype if dtype.subdtype is None else numpy().dtype([("", dtype)])
    try:
        array = ndarray(shape, base, data, 0, None, "F" if column_major else "C")
    except ValueError as error:
        raise DecodeError(
            f"numpy has no arrays of the shape {shape}", code="unrepresentable"
        ) from error
    return array if base is dtype else array["f0"]


def make_array(parts: Any) -> Any:
    np = numpy()
    if np is None:
        return Extension("numpy.array", parts)
    description, shape, column_major, data = checked(parts, tuple)
    checked_parts((column_major, data), bool, bytes)
    charge(_ARRAY + _DIMENSION * len(checked(shape, tuple)))
    dtype, shape = _described(description), _shape(shape)
    if dtype.hasobject:
        raise DecodeError(
            "the data has an array of pointers, which must not be read", code="unrepresentable"
        )
    if dtype.itemsize == 0:
        if data or any(size >= 1 << 24 for size in shape):
            raise DecodeError(
                "the data has an invalid array of empty elements", code="unrepresentable"
            )
        return np.zeros(shape, dtype)
    array = np.frombuffer(bytearray(data), dtype=dtype)
    return array.reshape(shape, order="F" if column_major else "C")


def new_objects() -> Any:
    """An array of objects, still empty: it may contain itself."""
    np = numpy()
    return Extension("numpy.objects") if np is None else np.empty(0, dtype=object)


def fill_objects(empty: Any, parts: Any) -> None:
    if isinstance(empty, Extension):
        empty.value = parts
        return
    np = numpy()
    shape, order, items = checked_parts(parts, tuple, str, list)
    sizes = _shape(shape)
    charge(_DIMENSION * len(sizes) + OF_ITEM * len(items))
    # numpy does not check this, and would read past the end of the list.
    if order not in ("C", "F") or math.prod(sizes) != len(items):
        raise DecodeError(
            "the data has an array whose shape does not match its items", code="unrepresentable"
        )
    if not items:
        # numpy checks here which sizes are too large for an array without elements.
        np.empty(0, dtype=object).reshape(sizes)
    if order == "F":
        # Iterates in row-major order, whatever the order in memory.
        flat = np.empty(len(items), dtype=object)
        for at, item in enumerate(items):
            flat[at] = item
        items = flat.reshape(sizes, order="F").ravel("C").tolist()
    if len(sizes) > 32:
        # __setstate__ has a limit of its own.
        empty.resize(sizes, refcheck=False)
        flat = empty.reshape(-1)
        for at, item in enumerate(items):
            flat[at] = item
        return
    empty.__setstate__((1, sizes, np.dtype(object), order == "F", items))


def pack_scalar(scalar: Any) -> Extension:
    np = numpy()
    return Extension("numpy.scalar", pack_array(np.asarray(scalar)))


def make_scalar(array: Any) -> Any:
    if numpy() is None or type(array) is Tensor:
        return Extension("numpy.scalar", array)
    if not is_array(array) or array.ndim:
        raise DecodeError("the data has a numpy scalar with dimensions", code="unrepresentable")
    if array.nbytes > _ARRAY:
        # A copy.
        charge(array.nbytes)
    return array[()]


def scalar_type(name: str) -> Any:
    """numpy's class of scalars with a name in data, which any data may name; None for other names."""
    package, _, own = name.rpartition(".")
    if package != "numpy" or (np := numpy()) is None:
        return None
    found = getattr(np, own, None) if own in _SCALAR_TYPES else None
    return found if isinstance(found, type) and issubclass(found, np.generic) else None


#: The names of classes of scalars.
_SCALAR_TYPES = frozenset(
    {
        *("bool", "bool_", "str_", "bytes_", "object_", "void", "datetime64", "timedelta64"),
        *(f"{sign}{bits}" for sign in ("int", "uint") for bits in (8, 16, 32, 64)),
        *("float16", "float32", "float64", "longdouble", "complex64", "complex128", "clongdouble"),
        *("longlong", "ulonglong", "intc", "uintc", "generic", "number", "integer", "floating"),
    }
)


EXTENSIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "numpy.array": (make_array,),
    "numpy.buffer": (make_outside,),
    "numpy.objects": (new_objects, fill_objects),
    "numpy.scalar": (make_scalar,),
}


def _pack_masked(value: Any) -> Extension:
    np = numpy()
    mask = None if value.mask is np.ma.nomask else value.mask
    return Extension("numpy.masked", (value.data, mask, value._fill_value, value.hardmask))


def _make_masked(parts: Any) -> Any:
    data, mask, fill, is_hard = checked(parts, tuple)
    if numpy() is None or type(data) is Tensor:
        return Extension("numpy.masked", parts)
    np = numpy()
    if not is_array(data) or not (mask is None or is_array(mask)) or not _is_fill(fill, data.dtype):
        raise DecodeError("the data has an invalid masked array", code="unrepresentable")
    if fill is not None and data.itemsize > _FIELD:
        charge(2 * _ARRAY + data.itemsize)
    if mask is not None and (mask.shape != data.shape or mask.dtype != bool):
        # Repeated, or converted.
        charge(data.nbytes)
    return np.ma.MaskedArray(
        data, mask=np.ma.nomask if mask is None else mask, fill_value=fill, hard_mask=is_hard
    )


def _is_fill(fill: Any, dtype: Any) -> bool:
    """Whether a value can fill an array: numpy would convert any other to an array or text first, of any size."""
    if is_array(fill):
        return fill.ndim == 0 and (dtype.hasobject or not fill.dtype.hasobject)
    plain = (type(None), bool, int, float, complex, str, bytes)
    return type(fill) in plain or isinstance(fill, numpy().generic)


def _make_as(kind: str, array: Any) -> Any:
    """An array of a subclass."""
    if numpy() is None or type(array) is Tensor:
        return Extension(f"numpy.{kind}", array)
    if not is_array(array) or (kind == "matrix" and array.ndim != 2):
        raise DecodeError(f"the data has an invalid {kind}", code="unrepresentable")
    return array.view(getattr(numpy(), kind))


EXTENSIONS["numpy.masked"] = (_make_masked,)
EXTENSIONS["numpy.matrix"] = (functools.partial(_make_as, "matrix"),)
EXTENSIONS["numpy.recarray"] = (functools.partial(_make_as, "recarray"),)


def hook(cls: type) -> Callable[[Any], Any] | None:
    """How to pack objects of a class of numpy; None for other classes."""
    np = sys.modules.get("numpy")
    if np is None or not isinstance(getattr(np, "ndarray", None), type):
        return None
    if cls is np.ndarray:
        return pack_array
    if cls is np.matrix or cls is np.recarray:
        name = f"numpy.{cls.__name__}"
        return lambda value: Extension(name, value.view(np.ndarray))
    if cls is np.ma.MaskedArray:
        return _pack_masked
    if issubclass(cls, np.generic) and cls.__module__ == "numpy":
        return pack_scalar
    if issubclass(cls, np.dtype):
        return lambda dtype: Extension("numpy.dtype", _describe(dtype))
    return None


def make_dtype(description: Any) -> Any:
    return Extension("numpy.dtype", description) if numpy() is None else _described(description)


EXTENSIONS["numpy.dtype"] = (make_dtype,)
