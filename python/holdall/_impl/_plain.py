"""Rare types of the standard library, packed and restored in Python.

The compiled half calls these functions: *hooks* convert an object to one that it can pack, and others build an object from
decoded data. Each extension named ``py.*`` has one of each here.
"""

from __future__ import annotations

import array
import builtins
import collections
import datetime
import functools
import os
import re
import types
from collections.abc import Callable
from typing import Any

from .._errors import DecodeError, EncodeError, LimitError, at_step, checked, checked_parts
from .._holdall import Form, charge
from . import _buffers, _later
from ._arrays import Array, Table, make_arrays
from ._containers import (
    FACTORIES,
    factory_name,
    fill_attributed_chain_map,
    fill_attributed_ordered_dict,
    fill_chain_map,
    fill_namespace,
    make_array,
    pack_array,
    pack_attributed_ordered_dict,
    pack_chain_map,
    pack_namespace,
)
from ._patterns import make_long_pattern, make_other_pattern, make_pattern
from ._sizes import OF_ITEM, beyond_fields, lacking_fields, made_anew
from ._times import (
    fixed_zone,
    make_datetime,
    make_time,
    make_timezone,
    make_zone,
    named_zone,
    pack_timezone,
    pack_zone,
    zone_name,
    zone_offset,
)
from ._values import UNKNOWN, Extension, Fixed, Int, Logical, Tensor, Variant

__all__ = [
    "FACTORIES",
    "UNKNOWN",
    "Logical",
    "beyond_fields",
    "factory_name",
    "fixed_zone",
    "lacking_fields",
    "made_anew",
    "make_arrays",
    "make_long_pattern",
    "make_pattern",
    "named_zone",
    "zone_name",
    "zone_offset",
]

chr = builtins.chr
range = builtins.range
new_set = set
new_ordered_dict = collections.OrderedDict
new_variant = Variant


def set_value(holder: Any, value: Any) -> None:
    holder.value = value


def copy_items(mapping: Any) -> dict[Any, Any] | None:
    """Returns the items of an ordered dict in its own order, not that of the underlying dict; None if it has attributes."""
    return None if vars(mapping) else dict(collections.OrderedDict.items(mapping))


def instead(value: Any) -> Any:
    """Returns the stand-in for an object that the format's type for its class cannot represent."""
    if isinstance(value, datetime.datetime):
        return Extension(
            "py.datetime", (value.replace(tzinfo=None, fold=0), value.tzinfo, value.fold)
        )
    if isinstance(value, datetime.time):
        return Extension("py.time", (value.replace(tzinfo=None, fold=0), value.tzinfo, value.fold))
    if isinstance(value, collections.OrderedDict):
        return pack_attributed_ordered_dict(value)
    if isinstance(value, _later.decimal.Decimal):
        sign, digits, exponent = value.as_tuple()
        if len(digits) * 10 > _DECIMAL_BITS * 3:
            raise EncodeError(
                f"decimals of more than {_DECIMAL_BITS} bits cannot be packed",
                code="unsupported_value",
            )
        form = {"F": 2, "n": 4, "N": 6}.get(str(exponent), 0) + sign
        coefficient = 0 if form in (2, 3) else int(_later.decimal.Decimal((0, digits, 0)))
        return Logical(5, b"", (Int("u8", form), coefficient, exponent if form < 2 else 0))
    if isinstance(value, _later.uuid.UUID):
        return Extension("py.uuid", (_later.uuid.UUID(int=value.int), value.is_safe.value))
    raise EncodeError(f"an object of {type(value)!r} cannot be packed", code="unsupported_value")


# ---- numbers ----


#: The maximum size of a decimal: conversion between binary and decimal takes quadratic time.
_DECIMAL_BITS = 1 << 19
#: Larger fractions are not checked for lowest terms, which also takes quadratic time.
_FRACTION_BITS = 1 << 16


def beyond(what: str) -> DecodeError:
    """The error for a value that is not in the range of Python's type."""
    return DecodeError(
        f"the data has a {what} that Python's type cannot hold", code="unrepresentable"
    )


def unhashable(raised: BaseException, step: str) -> BaseException:
    """The error for a key or member without a hash, at a step of the path; another exception as it is."""
    if not isinstance(raised, TypeError) or "unhashable type" not in str(raised):
        return raised
    text = f"expected keys and members that have a hash in Python, got one without: {raised}"
    return at_step(DecodeError(text, code="unrepresentable"), step)


def make_decimal(form: int, coefficient: int, exponent: int) -> _later.decimal.Decimal:
    if coefficient.bit_length() > _DECIMAL_BITS:
        raise LimitError(
            f"the data has a decimal of more than {_DECIMAL_BITS} bits", code="limit_budget"
        )
    if coefficient < 0 or form > 7:
        raise DecodeError("the data has an invalid decimal", code="unrepresentable")
    sign = form & 1
    # Through Decimal: Python rejects int to text conversion of this many digits.
    digits = _later.decimal.Decimal(coefficient).as_tuple().digits
    if form < 2:
        largest = exponent + len(digits) - 1
        if exponent < _later.decimal.MIN_ETINY or largest > _later.decimal.MAX_EMAX:
            raise beyond("decimal")
        return _later.decimal.Decimal((sign, digits, exponent))
    if form < 4:
        return _later.decimal.Decimal((sign, (0,), "F"))  # type: ignore[arg-type]
    payload = digits if coefficient else ()
    return _later.decimal.Decimal((sign, payload, "n" if form < 6 else "N"))  # type: ignore[arg-type]


def make_fraction(numerator: int, denominator: int) -> _later.fractions.Fraction:
    if max(numerator.bit_length(), denominator.bit_length()) <= _FRACTION_BITS or denominator <= 0:
        return _later.fractions.Fraction(numerator, denominator)
    made = _later.fractions.Fraction()
    made._numerator, made._denominator = numerator, denominator  # type: ignore[attr-defined]
    return made


def make_uuid(data: bytes) -> _later.uuid.UUID:
    return _later.uuid.UUID(bytes=data)


def make_marked_uuid(parts: Any) -> _later.uuid.UUID:
    plain, safe = checked_parts(parts, _later.uuid.UUID, (int, type(None)))
    return _later.uuid.UUID(int=plain.int, is_safe=_later.uuid.SafeUUID(safe))


# ---- paths, addresses ----


def path_of_bytes(path: _later.pathlib.PurePath) -> Any:
    """Returns the stand-in for a path whose bytes are not text."""
    style = 2 if isinstance(path, _later.pathlib.PureWindowsPath) else 1
    data = str(path).encode("utf-8", "surrogateescape" if style == 1 else "surrogatepass")
    value = Logical(0x11, bytes((style, 1)), data)
    if type(path) in (_later.pathlib.PurePosixPath, _later.pathlib.PureWindowsPath):
        return Extension("py.pure_path", value)
    return value


def make_path(style: int, text: str | bytes) -> _later.pathlib.PurePath:
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogatepass" if style == 2 else "surrogateescape")
    if style == 2 and os.name != "nt":
        return _later.pathlib.PureWindowsPath(text)
    if style == 1 and os.name == "nt":
        return _later.pathlib.PurePosixPath(text)
    return _later.pathlib.Path(text)


def make_pure_path(path: Any) -> _later.pathlib.PurePath:
    windows, posix = _later.pathlib.PureWindowsPath, _later.pathlib.PurePosixPath
    # A list of its parts.
    charge(OF_ITEM * len(str(checked(path, type(_later.pathlib.Path()), windows, posix))))
    return (windows if isinstance(path, windows) else posix)(path)


def pack_ipv6(address: _later.ipaddress.IPv6Address) -> Any:
    if address.scope_id is None:
        return Logical(0x13, b"\x06", Fixed(address.packed))
    return Extension(
        "py.ipv6_scoped", (_later.ipaddress.IPv6Address(address.packed), address.scope_id)
    )


def make_scoped(parts: Any) -> _later.ipaddress.IPv6Address:
    address, scope = checked_parts(parts, _later.ipaddress.IPv6Address, str)
    return _later.ipaddress.IPv6Address(f"{address}%{scope}")


def pack_network(network: Any) -> Logical:
    packed = network.network_address.packed
    return Logical(
        0x14,
        b"\x04" if len(packed) == 4 else b"\x06",
        (Fixed(packed), Int("u8", network.prefixlen)),
    )


def pack_interface(interface: Any) -> Extension:
    packed = interface.packed
    scope = getattr(interface, "scope_id", None)
    if scope is not None:
        raise EncodeError(
            "an IPv6 interface with a scope id cannot be packed", code="unsupported_value"
        )
    kind = b"\x04" if len(packed) == 4 else b"\x06"
    network = Logical(0x14, kind, (Fixed(packed), Int("u8", interface.network.prefixlen)))
    return Extension("py.ip_interface", network)


def make_network(parts: tuple[bytes, int]) -> Any:
    try:
        return _later.ipaddress.ip_network(parts)
    except ValueError:
        # Bits beyond the prefix: an interface, not a network.
        return _later.ipaddress.ip_interface(parts)


def make_interface(network: Any) -> Any:
    if isinstance(network, _later.ipaddress.IPv4Network | _later.ipaddress.IPv6Network):
        return _later.ipaddress.ip_interface((network.network_address, network.prefixlen))
    return checked(network, _later.ipaddress.IPv4Interface, _later.ipaddress.IPv6Interface)


def make_tensor(dtype: Any, shape: tuple[int, ...], column_major: bool, data: bytearray) -> Any:
    return _maker()(dtype, shape, column_major, data)


@functools.cache
def _maker() -> Callable[..., Any]:
    # Imported here because it imports this module.
    from . import _numpy

    return _numpy.make


def _slice(parts: Any) -> slice:
    return slice(*checked(parts, tuple))


HOOKS: dict[type, Callable[[Any], Any]] = {
    slice: lambda v: Extension("py.slice", (v.start, v.stop, v.step)),
    type(...): lambda v: Extension("py.ellipsis"),
    object: lambda v: Extension("py.object"),
    type(NotImplemented): lambda v: Extension("py.not_implemented"),
    collections.ChainMap: pack_chain_map,
    types.SimpleNamespace: pack_namespace,
    datetime.timezone: pack_timezone,
    array.array: pack_array,
}


#: Those whose objects never change and hold no others, so that an equal one serves as well.
ATOMS: set[type] = {type(...), type(NotImplemented), datetime.timezone}


#: Types that the compiled half packs without a hook.
NATIVE: dict[type, str] = {
    complex: "complex",
    bytearray: "bytearray",
    memoryview: "memoryview",
    set: "set",
    frozenset: "frozenset",
    collections.OrderedDict: "ordered_dict",
    builtins.range: "range",
    datetime.date: "date",
    datetime.time: "time",
    datetime.datetime: "datetime",
    datetime.timedelta: "timedelta",
    Variant: "variant",
    Extension: "extension",
    Logical: "logical",
    Fixed: "fixed",
    Int: "int",
    Tensor: "tensor",
    type(UNKNOWN): "unknown",
    re.Pattern: "pattern",
    collections.deque: "deque",
    collections.defaultdict: "defaultdict",
    collections.Counter: "counter",
    Array: "arrays",
    Table: "arrays",
}


@_later.when_loaded("decimal")
def _add_decimals(decimal: Any) -> None:
    NATIVE[decimal.Decimal] = "decimal"


@_later.when_loaded("fractions")
def _add_fractions(fractions: Any) -> None:
    NATIVE[fractions.Fraction] = "fraction"


@_later.when_loaded("uuid")
def _add_uuids(uuid: Any) -> None:
    NATIVE[uuid.UUID] = "uuid"


@_later.when_loaded("pathlib")
def _add_paths(pathlib: Any) -> None:
    NATIVE.update(dict.fromkeys((pathlib.PurePosixPath, pathlib.PureWindowsPath), "pure_path"))
    NATIVE.update(dict.fromkeys((pathlib.PosixPath, pathlib.WindowsPath), "path"))


@_later.when_loaded("ipaddress")
def _add_addresses(ipaddress: Any) -> None:
    NATIVE[ipaddress.IPv4Address] = "ip"
    networks = ipaddress.IPv4Network, ipaddress.IPv6Network
    interfaces = ipaddress.IPv4Interface, ipaddress.IPv6Interface
    hooks = {ipaddress.IPv6Address: pack_ipv6}
    hooks |= dict.fromkeys(networks, pack_network) | dict.fromkeys(interfaces, pack_interface)
    HOOKS.update(hooks)
    ATOMS.update(hooks)


@_later.when_loaded("zoneinfo")
def _add_zones(zoneinfo: Any) -> None:
    HOOKS[zoneinfo.ZoneInfo] = pack_zone
    ATOMS.add(zoneinfo.ZoneInfo)


# The module that has the class; `pickle` loads it.
@_later.when_loaded("_pickle")
def _add_buffers(pickle: Any) -> None:
    HOOKS[pickle.PickleBuffer] = _buffers.pack


#: How each extension is restored: one function of the value, or one that creates an empty object and one that fills it.
EXTENSIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "py.slice": (_slice,),
    "py.ellipsis": (lambda _: ...,),
    "py.not_implemented": (lambda _: NotImplemented,),
    "py.object": (lambda _: object(),),
    "py.deque": (collections.deque, Form("deque", collections.deque)),
    "py.defaultdict": (collections.defaultdict, Form("defaultdict", collections.defaultdict)),
    "py.counter": (collections.Counter, Form("counter", collections.Counter, dict)),
    "py.chain_map": (collections.ChainMap, fill_chain_map),
    "py.attributed_chain_map": (collections.ChainMap, fill_attributed_chain_map),
    "py.attributed_ordered_dict": (collections.OrderedDict, fill_attributed_ordered_dict),
    "py.namespace": (types.SimpleNamespace, fill_namespace),
    "py.datetime": (make_datetime,),
    "py.time": (make_time,),
    "py.timezone": (make_timezone,),
    "py.zone": (make_zone,),
    "py.uuid": (make_marked_uuid,),
    # Not of the class itself: `make_pure_path` makes both kinds.
    "py.pure_path": (Form("pure_path", object),),
    "py.ipv6_scoped": (make_scoped,),
    "py.ip_interface": (make_interface,),
    "py.pattern": (make_other_pattern,),
    "py.array": (make_array,),
    **_buffers.EXTENSIONS,
}
