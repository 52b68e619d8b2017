"""What the standard library pickles by functions and states, as the values that `dumps` packs.

Each function gets arguments that the pickle chose, and checks their types: most constructors take more than pickles have. None
means that the arguments are not those of the library itself; the call then stays a record.
"""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import fractions
import ipaddress
import os
import pathlib
import re
import uuid
import warnings
from collections.abc import Callable
from typing import Any

from ..._errors import DecodeError, checked, checked_parts
from .. import _patterns, _plain, _times
from .._containers import FACTORIES
from .._values import Extension
from .machine import Built, Known, Machine, Made, name_of

#: Longer numbers as text take quadratic time.
_DIGITS = 150_000


def _members(make: Callable[[Any], Any]) -> Known:
    def of(machine: Machine, args: tuple[Any, ...]) -> Any:
        (items,) = args or ([],)
        machine.spend(32 * len(checked(items, list)))
        return make(map(machine.key, items))

    return of


def _bytearray(machine: Machine, args: tuple[Any, ...]) -> Any:
    if not args:
        return bytearray()
    if len(args) == 2:
        return bytearray(_encode(machine, args))
    return bytearray(checked(args[0], bytes))


def _bytes(_: Machine, args: tuple[Any, ...]) -> Any:
    return b"" if not args else None


def _encode(_: Machine, args: tuple[Any, ...]) -> Any:
    """How protocols 0 to 2 write bytes."""
    text, encoding = checked_parts(args, str, str)
    return text.encode("latin-1") if encoding in ("latin1", "latin-1") else None


def _slice(_: Machine, args: tuple[Any, ...]) -> Any:
    return Extension("py.slice", args) if len(args) == 3 else None


def _type(machine: Machine, args: tuple[Any, ...]) -> Any:
    """The types of None and its like, as pickles write them."""
    (value,) = args
    names = {None: "NoneType", ...: "ellipsis", NotImplemented: "NotImplementedType"}
    if value is not None and value is not ... and value is not NotImplemented:
        return None
    return machine.name(f"builtins.{names[value]}")


def _getattr(machine: Machine, args: tuple[Any, ...]) -> Any:
    """A method of an object, or what a class has under a name."""
    owner, name = args
    cls = machine.use(owner)
    if type(name) is not str:
        return None
    if cls is None:
        return Extension("py.method", ([owner], name)) if type(owner) is Made else None
    found = machine.found.attribute(cls, name)
    return machine.name(f"{cls}.{name}") if found is None else found


def _reconstructor(machine: Machine, args: tuple[Any, ...]) -> Any:
    """An object of protocols 0 and 1: its class, the builtin base class, and its content."""
    cls, base, content = args
    name, of = machine.use(cls), machine.use(base)
    if name is None or of is None:
        return None
    plain = of.removeprefix("builtins.")
    if plain == "object":
        return Extension("py.object") if name == of else machine.new(cls, ())
    return machine.make(name, "base", (plain, content))


def _newobj(machine: Machine, args: tuple[Any, ...]) -> Any:
    return machine.new(args[0], args[1:])


def _newobj_ex(machine: Machine, args: tuple[Any, ...]) -> Any:
    return machine.new(*args)


def _ordered(machine: Machine, args: tuple[Any, ...]) -> Any:
    made: Any = collections.OrderedDict()
    for key, value in checked(args[0], list) if args else ():
        made[machine.key(key)] = value
    return made


def _deque(machine: Machine, args: tuple[Any, ...]) -> Any:
    items, most = (*args, None)[:2] if args else ([], None)
    checked(most, int, type(None))
    # As Python 2 and 3 write it.
    return Extension("py.deque", (list(checked(items, list, tuple)), most))


def _default_dict(machine: Machine, args: tuple[Any, ...]) -> Any:
    factory = name_of(args[0]) if args else None
    if args and args[0] is not None:
        known = (factory or "").removeprefix("builtins.").removeprefix("collections.")
        if known not in FACTORIES:
            if machine.found.function(factory, "factory") is None:
                return None
            known = factory or ""
        factory = known
        machine.use(args[0])
    return Extension("py.defaultdict", (factory, {}))


def _counter(_: Machine, args: tuple[Any, ...]) -> Any:
    return Extension("py.counter", checked(args[0], dict) if args else {})


def _partial(_: Machine, args: tuple[Any, ...]) -> Any:
    return Extension("py.partial", (*args, (), {}, None)) if len(args) == 1 else None


def _partial_state(_: Machine, target: Extension, state: Any) -> Any:
    function, args, keywords, attributes = checked(state, tuple)
    target.value = (function, checked(args, tuple), checked(keywords, dict), attributes or None)
    return target


def _namespace(_: Machine, args: tuple[Any, ...]) -> Any:
    return None if args else Extension("py.namespace", {})


def _namespace_state(_: Machine, target: Extension, state: Any) -> Any:
    target.value.update(checked(state, dict))
    return target


def _chain_map_state(_: Machine, target: Extension, state: Any) -> Any:
    target.value = checked(checked(state, dict)["maps"], list)
    return target


# ---- numbers, times, names of things ----


def _complex(_: Machine, args: tuple[Any, ...]) -> Any:
    return complex(*checked_parts(args, float, float))


def _range(_: Machine, args: tuple[Any, ...]) -> Any:
    return range(*(checked(each, int) for each in args))


def _decimal(_: Machine, args: tuple[Any, ...]) -> Any:
    (text,) = checked_parts(args, str)
    _check_digits(text)
    return decimal.Decimal(text)


def _check_digits(text: str) -> None:
    if len(text) > _DIGITS:
        raise DecodeError(
            f"the pickle has a number of more than {_DIGITS} digits", code="limit_budget"
        )


_FRACTION = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")


def _fraction(_: Machine, args: tuple[Any, ...]) -> Any:
    if len(args) == 2:
        numerator, denominator = checked_parts(args, int, int)
        return _plain.make_fraction(numerator, denominator)
    (text,) = checked_parts(args, str)
    # Other text, such as 1e999999999, can take all memory.
    return fractions.Fraction(text) if _FRACTION.fullmatch(text) else None


def _uuid_state(_: Machine, __: Made, state: Any) -> Any:
    number = checked(checked(state, dict)["int"], int)
    safe = state.get("is_safe")
    made = uuid.UUID(int=number)
    return made if safe is None else Extension("py.uuid", (made, safe))


def _stored(value: Any) -> Any:
    """The bytes in which dates and times are stored, in Python 2 as text."""
    return value.encode("latin-1") if type(value) is str else checked(value, bytes)


def _date(_: Machine, args: tuple[Any, ...]) -> Any:
    # CPython takes any year and day from such bytes, but `replace` checks them.
    return datetime.date(_stored(args[0])).replace() if len(args) == 1 else None  # type: ignore[call-arg]


def _time_of(cls: Any, name: str) -> Known:
    def of(machine: Machine, args: tuple[Any, ...]) -> Any:
        if len(args) not in (1, 2):
            return None
        made, zone = cls(_stored(args[0])), args[1] if len(args) == 2 else None
        if zone is None or isinstance(zone, datetime.tzinfo):
            return made.replace(tzinfo=zone)
        if type(zone) is Made and machine.found.makes_of(zone.name):
            return Extension(name, (made.replace(fold=0), zone, made.fold))
        return None

    return of


def _timedelta(_: Machine, args: tuple[Any, ...]) -> Any:
    return datetime.timedelta(*checked_parts(args, int, int, int))


def _timezone(_: Machine, args: tuple[Any, ...]) -> Any:
    if len(args) == 1:
        return datetime.timezone(*checked_parts(args, datetime.timedelta))
    return datetime.timezone(*checked_parts(args, datetime.timedelta, str))


def _zone(_: Machine, args: tuple[Any, ...]) -> Any:
    key, is_cached = checked_parts(args, str, (int, bool))
    return _times.make_zone(key) if is_cached else None


def _texts(make: Callable[..., Any]) -> Known:
    return lambda _, args: make(*(checked(each, str) for each in args))


def _address(make: Callable[..., Any]) -> Known:
    return lambda _, args: make(*checked_parts(args, (str, int)))


def _pattern(_: Machine, args: tuple[Any, ...]) -> Any:
    text, flags = checked_parts(args, (str, bytes), int)
    return _patterns.make_other_pattern((text, flags))


def _array(_: Machine, args: tuple[Any, ...]) -> Any:
    code, items = checked_parts(args, str, (list, str, bytes))
    with warnings.catch_warnings():
        # The data has an array of `u`, whether Python advises against them or not.
        warnings.simplefilter("ignore", DeprecationWarning)
        return array.array(code, items if type(items) is not str else list(items))


def _array_of_bytes(machine: Machine, args: tuple[Any, ...]) -> Any:
    cls, code, layout, data = args
    if machine.use(cls) != "array.array":
        return None
    checked_parts((code, layout, data), str, int, bytes)
    return vars(array)["_array_reconstructor"](array.array, code, layout, data)


def _struct(machine: Machine, args: tuple[Any, ...]) -> Any:
    """A Struct of msgspec with keyword-only fields."""
    cls, fields = args
    made = machine.new(cls, ())
    machine_state = checked(fields, dict)
    if type(made) is Made:
        made.states.append(machine_state)
    return made


KNOWN: dict[str, Known] = {
    "builtins.set": _members(set),
    "builtins.frozenset": _members(frozenset),
    "builtins.bytearray": _bytearray,
    "builtins.bytes": _bytes,
    "builtins.complex": _complex,
    "builtins.range": _range,
    "builtins.slice": _slice,
    "builtins.type": _type,
    "builtins.getattr": _getattr,
    "_codecs.encode": _encode,
    "copyreg._reconstructor": _reconstructor,
    "copyreg.__newobj__": _newobj,
    "copyreg.__newobj_ex__": _newobj_ex,
    "collections.OrderedDict": _ordered,
    "collections.deque": _deque,
    "collections.defaultdict": _default_dict,
    "collections.Counter": _counter,
    "functools.partial": _partial,
    "types.SimpleNamespace": _namespace,
    "decimal.Decimal": _decimal,
    "fractions.Fraction": _fraction,
    "datetime.date": _date,
    "datetime.time": _time_of(datetime.time, "py.time"),
    "datetime.datetime": _time_of(datetime.datetime, "py.datetime"),
    "datetime.timedelta": _timedelta,
    "datetime.timezone": _timezone,
    "zoneinfo.ZoneInfo._unpickle": _zone,
    "re._compile": _pattern,
    "array.array": _array,
    "array._array_reconstructor": _array_of_bytes,
    "msgspec._utils.rebuild": _struct,
    **{
        f"{module}.{name}": _texts(make)
        for module in ("pathlib", "pathlib._local")
        for name, make in (
            ("PurePosixPath", pathlib.PurePosixPath),
            ("PureWindowsPath", pathlib.PureWindowsPath),
            ("PosixPath", pathlib.PurePosixPath if os.name == "nt" else pathlib.Path),
            ("WindowsPath", pathlib.Path if os.name == "nt" else pathlib.PureWindowsPath),
        )
    },
    **{
        f"ipaddress.{kind.__name__}": _address(kind)
        for kind in (
            *(ipaddress.IPv4Address, ipaddress.IPv4Network, ipaddress.IPv4Interface),
            *(ipaddress.IPv6Address, ipaddress.IPv6Network, ipaddress.IPv6Interface),
        )
    },
}

#: What a state makes of the object before it.
STATES: dict[str, Built] = {
    "py.partial": _partial_state,
    "py.namespace": _namespace_state,
    "py.chain_map": _chain_map_state,
    "uuid.UUID": _uuid_state,
}
