"""What numpy pickles by functions and states: arrays, scalars, types of elements, random generators."""

from __future__ import annotations

import math
from typing import Any

from ..._errors import DecodeError, checked
from .. import _numpy
from .._values import Extension
from .machine import Built, Known, Machine

#: The subclasses of arrays that `dumps` knows.
_KINDS = {
    "numpy.ndarray": "numpy.objects",
    "numpy.matrix": "numpy.matrix",
    "numpy.matrixlib.defmatrix.matrix": "numpy.matrix",
    "numpy.recarray": "numpy.recarray",
    "numpy.rec.recarray": "numpy.recarray",
}
_ALIGNED = 0x80


def _refused(what: str) -> DecodeError:
    return DecodeError(f"the pickle has {what}", code="unrepresentable")


def _dtype(_: Machine, args: tuple[Any, ...]) -> Any:
    return None if _numpy.numpy() is None else Extension("pickle.dtype", checked(args[0], str))


def _dtype_state(_: Machine, target: Extension, state: Any) -> Any:
    """A type of elements, by the description that `loads` checks, not by its ``__setstate__``."""
    _, order, inside, names, fields, size, *more = checked(state, tuple)
    if names is not None:
        checked(names, tuple)
        own = [checked(checked(fields, dict)[name], tuple) for name in names]
        description: Any = {
            "names": list(names),
            "formats": [_numpy._describe(_element(each[0])) for each in own],
            "offsets": [each[1] for each in own],
            "titles": [each[2] if len(each) > 2 else None for each in own],
            "itemsize": size,
            "aligned": len(more) > 1 and bool(more[1] & _ALIGNED),
        }
    elif inside is not None:
        inner, shape = checked(inside, tuple)
        description = (_numpy._describe(_element(inner)), shape)
    else:
        code = target.value
        description = checked(order, str) + (f"{code}{size}" if code in ("U", "S", "V") else code)
        if len(more) > 2 and more[2] is not None and code[:1] in "Mm":
            (_, (unit, count, *_)) = more[2]
            unit = unit.decode() if type(unit) is bytes else unit
            # A type without a unit.
            description += "" if unit == "generic" else f"[{count}{unit}]"
    return _numpy.make_dtype(description)


def _element(value: Any) -> Any:
    if not isinstance(value, _numpy.numpy().dtype):
        raise _refused("an array whose elements have no type")
    return value


def _reconstruct(machine: Machine, args: tuple[Any, ...]) -> Any:
    kind = _KINDS.get(machine.use(args[0]) or "")
    if kind is None or _numpy.numpy() is None:
        return None
    return Extension("pickle.array", kind) if kind != "numpy.objects" else Extension(kind)


def _array_state(machine: Machine, target: Extension, state: Any) -> Any:
    _, shape, dtype, is_fortran, data = checked(state, tuple)
    if not _element(dtype).hasobject:
        return _of_bytes(machine, dtype, shape, bool(is_fortran), data)
    if dtype.kind != "O":
        raise _refused("an array with objects in fields")
    np = _numpy.numpy()
    items = checked(data, list)
    sizes = _numpy._shape(shape)
    if math.prod(sizes) != len(items):
        raise _refused("an array whose shape does not match its items")
    if is_fortran:
        # In row-major order, whatever the order in memory.
        flat = np.empty(len(items), dtype=object)
        for at, item in enumerate(items):
            flat[at] = item
        items = flat.reshape(sizes).ravel("F").tolist()
    target.value = (sizes, "F" if is_fortran else "C", items)
    return target


def _subclass_state(machine: Machine, target: Extension, state: Any) -> Any:
    array = _array_state(machine, Extension("numpy.objects"), state)
    (make,) = _numpy.EXTENSIONS[target.value]
    return make(array)


def _of_bytes(machine: Machine, dtype: Any, shape: Any, column_major: bool, data: Any) -> Any:
    data = data.encode("latin-1") if type(data) is str else bytes(data)
    machine.spend(len(data))
    return _numpy.make_array((_numpy._describe(dtype), shape, column_major, data))


def _from_buffer(machine: Machine, args: tuple[Any, ...]) -> Any:
    data, dtype, shape, order = args
    if _numpy.numpy() is None:
        return None
    checked(data, bytes, bytearray)
    column_major = order == "F" and len(shape) > 1
    return _of_bytes(machine, _element(dtype), shape, column_major, data)


def _scalar(machine: Machine, args: tuple[Any, ...]) -> Any:
    if _numpy.numpy() is None or len(args) != 2:
        return None
    dtype, data = args
    if _element(dtype).hasobject:
        return None
    checked(data, bytes, str)
    return _of_bytes(machine, dtype, (), False, data)[()]


def _masked(machine: Machine, args: tuple[Any, ...]) -> Any:
    names = ("numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray")
    if machine.use(args[0]) not in names or _numpy.numpy() is None:
        return None
    machine.use(args[1])
    return Extension("numpy.masked")


def _masked_state(machine: Machine, target: Extension, state: Any) -> Any:
    np = _numpy.numpy()
    _, shape, dtype, is_fortran, data, mask, fill = checked(state, tuple)
    if _element(dtype).hasobject:
        raise _refused("a masked array of objects")
    of_mask = np.ma.make_mask_descr(dtype)
    order = bool(is_fortran)
    target.value = (
        _of_bytes(machine, dtype, shape, order, data),
        _of_bytes(machine, of_mask, shape, order, mask),
        fill,
        False,
    )
    (make,) = _numpy.EXTENSIONS["numpy.masked"]
    return make(target.value)


# ---- random generators ----


def _bits(machine: Machine, args: tuple[Any, ...]) -> Any:
    (kind,) = args or ("MT19937",)
    name = kind if type(kind) is str else machine.use(kind)
    if name is None:
        return None
    return Extension("numpy.bit_generator", (name.rpartition(".")[2], None, None))


def _bits_state(_: Machine, target: Extension, state: Any) -> Any:
    own, seeds = state if type(state) is tuple else (state, None)
    is_known = type(seeds) is Extension and seeds.name == "numpy.seed_sequence"
    target.value = (target.value[0], checked(own, dict), seeds if is_known else None)
    return target


def _seeds(machine: Machine, args: tuple[Any, ...]) -> Any:
    machine.use(args[0])
    return Extension("numpy.seed_sequence")


def _seeds_state(_: Machine, target: Extension, state: Any) -> Any:
    entropy, children, _, pool_size, key = checked(state, tuple)[:5]
    target.value = (entropy, key, pool_size, children)
    return target


def _generator(_: Machine, args: tuple[Any, ...]) -> Any:
    bits = args[0] if args else None
    return Extension("numpy.generator", bits) if type(bits) is Extension else None


def _random_state(machine: Machine, args: tuple[Any, ...]) -> Any:
    bits = args[0] if args and type(args[0]) is Extension else _bits(machine, args[:1])
    return Extension("numpy.random_state", (bits, 0, 0.0))


def _random_state_state(machine: Machine, target: Extension, state: Any) -> Any:
    bits = target.value[0]
    if type(state) is not dict:
        raise _refused("an unknown state of a RandomState")
    if bits.value[1] is None:
        bits = _bits_state(
            machine, bits, {name: state[name] for name in ("bit_generator", "state")}
        )
    target.value = (bits, int(state["has_gauss"]), float(state["gauss"]))
    return target


def _under(names: tuple[str, ...], known: Known) -> dict[str, Known]:
    return dict.fromkeys(names, known)


KNOWN: dict[str, Known] = {
    "numpy.dtype": _dtype,
    **_under(
        ("numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct"), _reconstruct
    ),
    **_under(("numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar"), _scalar),
    **_under(("numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer"), _from_buffer),
    "numpy.ma.core._mareconstruct": _masked,
    "numpy.random._pickle.__generator_ctor": _generator,
    "numpy.random._pickle.__bit_generator_ctor": _bits,
    "numpy.random._pickle.__randomstate_ctor": _random_state,
    "numpy.random.bit_generator.__pyx_unpickle_SeedSequence": _seeds,
}

STATES: dict[str, Built] = {
    "pickle.dtype": _dtype_state,
    "pickle.array": _subclass_state,
    "numpy.objects": _array_state,
    "numpy.masked": _masked_state,
    "numpy.bit_generator": _bits_state,
    "numpy.seed_sequence": _seeds_state,
    "numpy.random_state": _random_state_state,
}
