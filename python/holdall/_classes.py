"""What is told of the objects of a class, and how they are made again.

For the compiled half: `encode_plan` says how objects of a class are told; a `Resolver` finds the class of a name in data, as a
`Decoding` that says how its objects are made. Fields that are no attributes have names in angle brackets, which no attribute
of a class statement can have: ``<list>`` is what a subclass of list holds.
"""

from __future__ import annotations

import collections
import copyreg
import dataclasses
import datetime
import decimal
import enum
import functools
import sys
import types
import typing
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _numpy, _plain, _registry
from ._errors import DecodeError, EncodeError, SchemaError
from ._registry import Registration, by_class, by_name, callable_name, split_version
from ._values import Extension, Record

__all__ = ["Decoding", "Resolver", "callable_name", "encode_plan"]

_HEAP = 1 << 9
_NOT_SLOTS = frozenset({"__dict__", "__weakref__", "_attrs_cached_hash"})

#: Builtin classes whose objects hold something beside attributes: how to get that, of an object of a subclass.
_BASES: dict[type, Callable[[Any], Any]] = {
    collections.Counter: lambda v: dict(dict.items(v)),
    collections.defaultdict: lambda v: dict(dict.items(v)),
    collections.OrderedDict: lambda v: list(collections.OrderedDict.items(v)),
    collections.deque: lambda v: list(collections.deque.__iter__(v)),
    list: lambda v: list(list.__iter__(v)),
    dict: lambda v: dict(dict.items(v)),
    set: lambda v: set(set.__iter__(v)),
    frozenset: lambda v: frozenset(frozenset.__iter__(v)),
    tuple: lambda v: tuple(tuple.__iter__(v)),
    int: int.__int__,
    float: float.__float__,
    complex: complex.__pos__,
    str: lambda v: "".join(str.__iter__(v)),
    bytes: lambda v: bytes(memoryview(v)),
    bytearray: lambda v: bytes(memoryview(v)),
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
    decimal.Decimal: decimal.Decimal,
}

#: Those that are filled after they are made.
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


def _base(cls: type) -> type | None:
    """The builtin class that holds what objects of a subclass hold."""
    return next((base for base in _BASES if issubclass(cls, base)), None)


def _slots(cls: type) -> list[str]:
    """The attributes that are in slots, as their descriptors are called."""
    names = []
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
    """A method that a class has of its own: not that of object, nor one that dataclasses or attrs made for slots."""
    method = getattr(cls, name, None)
    if method is None or method is getattr(object, name, None):
        return None
    if getattr(method, "__module__", None) in ("dataclasses", "attr._make"):
        return None
    return method


def _has_more(cls: type, slots: list[str]) -> bool:
    """Whether objects have a state that no attribute shows: as copyreg finds it."""
    if cls.__itemsize__:
        return True
    size = object.__basicsize__ + 8 * len(slots)
    size += 8 * (cls.__dictoffset__ > 0) + 8 * (cls.__weakrefoffset__ > 0)
    if "_attrs_cached_hash" in getattr(cls, "__slots__", ()):
        size += 8
    return cls.__basicsize__ > size


# ---- packing ----

_plans: weakref.WeakKeyDictionary[type, tuple[Any, ...]] = weakref.WeakKeyDictionary()


def encode_plan(cls: type) -> tuple[Any, ...]:
    """How objects of a class are told: a kind, and what belongs to it."""
    plan = _plans.get(cls)
    if plan is None:
        plan = _encode_plan(cls)
        if plan[0] != "unsupported":
            _plans[cls] = plan
    return plan


def forget() -> None:
    _plans.clear()
    _decodings.clear()


_registry.changed.append(forget)


def _encode_plan(cls: type) -> tuple[Any, ...]:
    if cls is Record:
        return ("native", "record")
    registration = by_class.get(cls)
    if registration and callable(registration.encode):
        return ("hook", functools.partial(_tell_encoded, registration.name, registration.encode))
    native = _plain.NATIVE.get(cls)
    if native:
        return ("native", native)
    hook = _plain.HOOKS.get(cls) or _numpy.hook(cls)
    if hook:
        return ("hook", hook)
    name = registration.written_name if registration else _registry.default_name(cls)
    if issubclass(cls, enum.Enum):
        if issubclass(cls, enum.Flag):
            return ("hook", functools.partial(_tell_flag, name))
        return ("enum", name)
    if issubclass(cls, BaseException):
        return ("hook", functools.partial(_tell_exception, name))
    if issubclass(cls, type | types.FunctionType | types.ModuleType):
        return ("unsupported", f"{_registry.default_name(cls)}: code is not packed")
    reduce = (
        _own(cls, "__reduce_ex__") or _own(cls, "__reduce__") or copyreg.dispatch_table.get(cls)
    )
    if _is_model(cls):
        return ("hook", functools.partial(_tell_model, name))
    if _is_struct(cls):
        return ("hook", functools.partial(_tell_struct, name, cls.__struct_fields__))  # type: ignore[attr-defined]
    if _is_named_tuple(cls):
        return ("namedtuple", name, [sys.intern(field) for field in cls._fields])  # type: ignore[attr-defined]
    base = _base(cls)
    # Those of the standard library have a __reduce__ of their own, which a subclass that adds nothing inherits.
    if reduce and (base is None or reduce not in _inherited(base)):
        return ("hook", functools.partial(_tell_reduced, name, cls, registration))
    if base is not None:
        return (
            "hook",
            functools.partial(_tell_based, name, base, tuple(_slots(cls)), registration),
        )
    getstate = _own(cls, "__getstate__")
    newargs = getattr(cls, "__getnewargs_ex__", None) or getattr(cls, "__getnewargs__", None)
    if getstate or newargs:
        return ("hook", functools.partial(_tell_stateful, name, registration))
    slots = _slots(cls)
    if not cls.__flags__ & _HEAP or _has_more(cls, slots):
        return ("unsupported", f"{_registry.default_name(cls)}, whose state is not in attributes")
    return _instance_plan(cls, name, slots, registration)


def _inherited(base: type) -> tuple[Any, ...]:
    names = ("__reduce_ex__", "__reduce__")
    return tuple(
        getattr(base, name) for name in names if getattr(base, name) is not getattr(object, name)
    )


def _names(registration: Registration | None, attributes: Iterable[str]) -> dict[str, str | None]:
    """The names of fields by attribute, None for those that are skipped."""
    names: dict[str, str | None] = (
        {"_attrs_cached_hash": None} if "_attrs_cached_hash" in attributes else {}
    )
    if registration:
        names.update(registration.rename)
        names.update(dict.fromkeys(registration.skip))
        if registration.fields is not None:
            names.update(dict.fromkeys(set(attributes) - registration.fields))
    return names


def _instance_plan(
    cls: type, name: str, slots: list[str], registration: Registration | None
) -> tuple[Any, ...]:
    has_dict = cls.__dictoffset__ != 0
    encode = (
        dict(registration.encode)
        if registration and isinstance(registration.encode, Mapping)
        else None
    )
    if registration and registration.fields is not None and has_dict:
        # Which other attributes there are is known of each object alone.
        return ("hook", functools.partial(_tell_fields, registration, tuple(slots)))
    cached = ["_attrs_cached_hash"] if hasattr(cls, "__attrs_attrs__") else []
    names = _names(registration, [*slots, *cached])
    told = [(attribute, names.get(attribute, attribute)) for attribute in slots]
    kept = [(attribute, field) for attribute, field in told if field is not None]
    return ("instance", name, kept, has_dict, names or None, encode)


def _state(value: Any, slots: Iterable[str]) -> dict[str, Any]:
    """The attributes of an object, those in slots first."""
    state = {}
    for name in slots:
        try:
            state[name] = object.__getattribute__(value, name)
        except AttributeError:
            continue
    own = getattr(value, "__dict__", None)
    if isinstance(own, dict):
        state.update(own)
    return state


def _chosen(registration: Registration | None, state: dict[str, Any]) -> dict[str, Any]:
    """The fields that are packed, under their names in data."""
    if registration is None:
        return state
    names = _names(registration, state)
    encode = registration.encode if isinstance(registration.encode, Mapping) else {}
    chosen = {}
    for attribute, value in state.items():
        field = names.get(attribute, attribute)
        if field is not None:
            chosen[field] = encode[attribute](value) if attribute in encode else value
    return chosen


def _tell_fields(registration: Registration, slots: tuple[str, ...], value: Any) -> Record:
    return Record(registration.written_name, _chosen(registration, _state(value, slots)))


def _tell_encoded(name: str, encode: Callable[[Any], Any], value: Any) -> Extension:
    return Extension(name, encode(value))


def _tell_flag(name: str, value: enum.Flag) -> Extension:
    return Extension(name, int(value.value))


def _tell_based(
    name: str, base: type, slots: tuple[str, ...], registration: Registration | None, value: Any
) -> Record:
    fields = {f"<{base.__name__}>": _BASES[base](value)}
    if base is collections.defaultdict:
        fields["<factory>"] = _plain.factory_name(value.default_factory)
    if base is collections.deque:
        fields["<maxlen>"] = value.maxlen
    fields.update(_chosen(registration, _state(value, slots)))
    return Record(name, fields)


def _tell_exception(name: str, value: BaseException) -> Record:
    fields: dict[str, Any] = {"<args>": value.args}
    reduce = type(value).__reduce__
    if reduce is not BaseException.__reduce__:
        reduced = value.__reduce__()
        if not isinstance(reduced, tuple) or reduced[0] is not type(value):
            raise EncodeError(
                f"the __reduce__ of {type(value)!r} does not name its class",
                code="unsupported_value",
            )
        fields["<args>"] = tuple(reduced[1])
        more = reduced[2] if len(reduced) > 2 else None
        fields.update(more if isinstance(more, dict) else {})
    fields.update(_state(value, _slots(type(value))))
    return Record(name, fields)


def _stateful(state: Any) -> dict[str, Any]:
    """What a __getstate__ answered, as fields."""
    if (
        isinstance(state, dict)
        and state
        and all(type(key) is str and key[:1] != "<" for key in state)
    ):
        return dict(state)
    return {} if state is None else {"<state>": state}


def _tell_stateful(name: str, registration: Registration | None, value: Any) -> Record:
    fields: dict[str, Any] = {}
    if hasattr(value, "__getnewargs_ex__"):
        arguments, keywords = value.__getnewargs_ex__()
        fields["<newargs>"], fields["<newkeywords>"] = arguments, keywords
    elif hasattr(value, "__getnewargs__"):
        fields["<newargs>"] = value.__getnewargs__()
    if _own(type(value), "__getstate__"):
        fields.update(_stateful(value.__getstate__()))
    else:
        fields.update(_chosen(registration, _state(value, _slots(type(value)))))
    return Record(name, fields)


def _tell_reduced(name: str, cls: type, registration: Registration | None, value: Any) -> Record:
    reducer = copyreg.dispatch_table.get(cls)
    reduced = reducer(value) if reducer else value.__reduce_ex__(4)
    if not isinstance(reduced, tuple) or not 2 <= len(reduced) <= 6:
        raise EncodeError(f"the __reduce__ of {cls!r} names a global", code="unsupported_value")
    function, arguments, state, items, entries, setter = (*reduced, None, None, None, None)[:6]
    fields: dict[str, Any] = {}
    if function is copyreg.__newobj__ and arguments[0] is cls:  # type: ignore[attr-defined]
        if arguments[1:]:
            fields["<newargs>"] = tuple(arguments[1:])
    elif function is copyreg.__newobj_ex__ and arguments[0] is cls:  # type: ignore[attr-defined]
        fields["<newargs>"], fields["<newkeywords>"] = tuple(arguments[1]), dict(arguments[2])
    else:
        if function is not cls:
            called = callable_name(function)
            if called is None:
                raise EncodeError(
                    f"the __reduce__ of {cls!r} calls {function!r}, which is neither the class nor registered",
                    code="unsupported_value",
                )
            fields["<call>"] = called
        if function is cls and not arguments:
            # Without arguments the object can exist before its contents, and so be inside itself.
            fields["<init>"] = None
        else:
            fields["<args>"] = tuple(arguments)
    if setter is not None:
        raise EncodeError(
            f"the __reduce__ of {cls!r} brings a function that sets its state",
            code="unsupported_value",
        )
    fields.update(_stateful(state))
    if items is not None:
        fields["<items>"] = list(items)
    if entries is not None:
        fields["<entries>"] = [tuple(entry) for entry in entries]
    return Record(name, fields)


# ---- classes of other packages ----


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


def _tell_model(name: str, value: Any) -> Record:
    fields = dict(value.__dict__)
    state = value.__getstate__()
    for field, key in (("<extra>", "__pydantic_extra__"), ("<private>", "__pydantic_private__")):
        if state.get(key):
            fields[field] = dict(state[key])
    given = state.get("__pydantic_fields_set__")
    if given is not None and given != set(value.__dict__):
        fields["<set>"] = sorted(given)
    return Record(name, fields)


def _make_model(cls: Any, fields: dict[str, Any]) -> Any:
    model = cls.__new__(cls)
    _fill_model(model, fields)
    return model


def _fill_model(model: Any, fields: dict[str, Any]) -> None:
    extra, private, given = (fields.pop(name, None) for name in ("<extra>", "<private>", "<set>"))
    own = {name: value for name, value in fields.items() if not _is_dunder(name)}
    for name, info in type(model).__pydantic_fields__.items():
        if name not in own and not info.is_required():
            own[name] = info.get_default(call_default_factory=True, validated_data=own)
    if extra is None and type(model).model_config.get("extra") == "allow":
        extra = {}
    if private is None and type(model).__private_attributes__:
        private = {
            name: info.get_default() for name, info in type(model).__private_attributes__.items()
        }
    model.__setstate__(
        {
            "__dict__": own,
            "__pydantic_extra__": extra,
            "__pydantic_private__": private,
            "__pydantic_fields_set__": set(own if given is None else given),
        }
    )


def _is_struct(cls: type) -> bool:
    msgspec = sys.modules.get("msgspec")
    base = getattr(msgspec, "Struct", None)
    return isinstance(base, type) and issubclass(cls, base)


def _tell_struct(name: str, names: tuple[str, ...], value: Any) -> Record:
    return Record(name, {field: getattr(value, field) for field in names if hasattr(value, field)})


# ---- unpacking ----


def _is_dunder(name: str) -> bool:
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


@dataclasses.dataclass
class Decoding:
    """How objects of a class are made. The compiled half reads the attributes."""

    kind: str
    cls: Any = None
    new: Callable[[], Any] | None = None
    fill: Callable[[Any, dict[str, Any]], Any] | None = None
    build: Callable[[dict[str, Any]], Any] | None = None
    attributes: dict[str, str] | None = None
    slots: set[str] = dataclasses.field(default_factory=set)
    has_dict: bool = True
    defaults: list[tuple[str, str, Any, Any]] = dataclasses.field(default_factory=list)
    required: list[str] = dataclasses.field(default_factory=list)
    nodes: dict[str, int] = dataclasses.field(default_factory=dict)
    post: Callable[[Any], Any] | None = None
    deny_extra: bool = False
    names: set[str] = dataclasses.field(default_factory=set)


def _fill_attributes(slots: frozenset[str], value: Any, fields: dict[str, Any]) -> None:
    """Sets attributes past the class's own methods; never those that Python gives a meaning."""
    own = getattr(value, "__dict__", None)
    for name, each in fields.items():
        if name in slots:
            object.__setattr__(value, name, each)
        elif isinstance(own, dict) and not _is_dunder(name):
            own[name] = each


def _apply_state(value: Any, fields: dict[str, Any]) -> None:
    """What `_stateful` made of a state, given back as pickle does."""
    setstate = _own(type(value), "__setstate__")
    state = (
        fields["<state>"]
        if "<state>" in fields
        else {k: v for k, v in fields.items() if k[:1] != "<"}
    )
    if setstate is not None:
        if fields:
            setstate(value, state)
        return
    slots = frozenset(_slots(type(value)))
    if "<state>" in fields:
        parts = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
        for part in parts:
            if isinstance(part, dict):
                _fill_attributes(slots, value, part)
        return
    _fill_attributes(slots, value, state)


def _make_reduced(cls: type, fields: dict[str, Any]) -> Any:
    """An object of the arguments for its class, or for the function that its class named."""
    taken = {
        name: fields.pop(name, None)
        for name in ("<call>", "<args>", "<newargs>", "<newkeywords>", "<items>", "<entries>")
    }
    if taken["<args>"] is not None:
        function: Any = cls
        if taken["<call>"] is not None:
            function = by_name.get(taken["<call>"])
            if function is None:
                raise DecodeError(f"{taken['<call>']!r} is not registered", code="unrepresentable")
        value = function(*taken["<args>"])
    else:
        value = cls.__new__(cls, *(taken["<newargs>"] or ()), **(taken["<newkeywords>"] or {}))
    if fields:
        _apply_state(value, fields)
    if taken["<items>"]:
        value.extend(taken["<items>"])
    for key, each in taken["<entries>"] or ():
        value[key] = each
    return value


def _make_exception(cls: type[BaseException], fields: dict[str, Any]) -> BaseException:
    arguments = fields.pop("<args>", ())
    # By the builtin class that it is of: a constructor of its own may want other arguments.
    native = next(base for base in cls.__mro__ if not base.__flags__ & _HEAP)
    made: BaseException = native.__new__(cls, *arguments)
    native.__init__(made, *arguments)  # type: ignore[misc]
    notes = fields.pop("__notes__", None)
    if isinstance(notes, list):
        made.__dict__["__notes__"] = notes
    # Some attributes of builtin exceptions are neither in a dict nor in slots.
    made.__setstate__({name: value for name, value in fields.items() if not _is_dunder(name)})
    return made


def _make_based(cls: Any, base: Any, fields: dict[str, Any]) -> Any:
    payload = fields.pop(f"<{base.__name__}>", None)
    if base in (datetime.datetime, datetime.date, datetime.time, datetime.timedelta):
        reduced = payload.__reduce_ex__(4) if isinstance(payload, base) else None
        if reduced is None:
            raise DecodeError(f"no {base.__name__} inside", code="unrepresentable")
        value = base.__new__(cls, *reduced[1])
    else:
        value = base.__new__(cls) if payload is None else base.__new__(cls, payload)
    _fill_attributes(frozenset(_slots(cls)), value, fields)
    return value


def _fill_based(base: type, slots: frozenset[str], value: Any, fields: dict[str, Any]) -> None:
    payload = fields.pop(f"<{base.__name__}>", None)
    if base is collections.defaultdict:
        factory = fields.pop("<factory>", None)
        value.default_factory = None if factory is None else _factory(factory)
    if base is collections.deque:
        collections.deque.__init__(value, (), fields.pop("<maxlen>", None))
    if payload is not None:
        _FILLS[base](value, payload)
    _fill_attributes(slots, value, fields)


def _factory(name: Any) -> Any:
    found = _plain.FACTORIES.get(name) or by_name.get(name)
    if found is None:
        raise DecodeError(
            f"the factory {name!r} of a defaultdict is not registered", code="unrepresentable"
        )
    return found


def _make_defaultdict() -> collections.defaultdict[Any, Any]:
    return collections.defaultdict()


def _fill_defaultdict(value: collections.defaultdict[Any, Any], parts: Any) -> None:
    factory, items = parts
    value.default_factory = None if factory is None else _factory(factory)
    dict.update(value, items)


def _make_named_tuple(cls: Any, fields: dict[str, Any]) -> Any:
    defaults = cls._field_defaults
    missing = [name for name in cls._fields if name not in fields and name not in defaults]
    if missing:
        raise SchemaError(
            f"expected the field {missing[0]!r} of {cls.__qualname__}, got none",
            code="missing_field",
        )
    return tuple.__new__(
        cls, [fields[name] if name in fields else defaults[name] for name in cls._fields]
    )


def defaults_of(cls: type, *, all_of_them: bool) -> list[tuple[str, str, Any, Any]]:
    """Field, attribute, default and factory of what a class has a default for.

    Without ``all_of_them``, only of those that the class does not have as an attribute of its own: objects whose attribute
    was never set have to stay so.
    """
    found = [
        each
        for each in _defaults(cls)
        if all_of_them or each[3] is not None or each[1] in _slots(cls)
    ]
    if hasattr(cls, "__attrs_attrs__") and "_attrs_cached_hash" in getattr(
        getattr(cls.__hash__, "__code__", None), "co_consts", ()
    ) + getattr(getattr(cls.__hash__, "__code__", None), "co_names", ()):
        found.append(("", "_attrs_cached_hash", None, None))
    return found


def _defaults(cls: type) -> list[tuple[str, str, Any, Any]]:
    found: list[tuple[str, str, Any, Any]] = []
    if dataclasses.is_dataclass(cls):
        for field in dataclasses.fields(cls):
            if not field.init:
                continue
            if field.default is not dataclasses.MISSING:
                found.append((field.name, field.name, field.default, None))
            elif field.default_factory is not dataclasses.MISSING:
                found.append((field.name, field.name, None, field.default_factory))
        return found
    attributes: tuple[Any, ...] = getattr(cls, "__attrs_attrs__", ())
    nothing = getattr(sys.modules.get("attr"), "NOTHING", None)
    for attribute in attributes:
        default = attribute.default
        if default is nothing:
            continue
        factory = getattr(default, "factory", None)
        if factory is None:
            found.append((attribute.name, attribute.name, default, None))
        elif not default.takes_self:
            found.append((attribute.name, attribute.name, None, factory))
    return found


_decodings: weakref.WeakKeyDictionary[Any, Decoding] = weakref.WeakKeyDictionary()

_MARKS = frozenset(
    {"<init>", "<args>", "<newargs>", "<newkeywords>", "<items>", "<entries>", "<call>"}
)


def decoding(cls: Any, keys: Iterable[str] = (), version: int = 1) -> Decoding:
    """How objects of a class are made of these fields, which have the names of a version."""
    registration = by_class.get(cls)
    current = registration.version if registration else 1
    if version != current or _MARKS.intersection(keys):
        return _decoding(cls, frozenset(keys), version)
    found = _decodings.get(cls)
    if found is None:
        found = _decodings[cls] = _decoding(cls, frozenset(), version)
    return found


def _decoding(cls: Any, keys: frozenset[str], version: int) -> Decoding:
    registration = by_class.get(cls)
    if not isinstance(cls, type):
        raise DecodeError(
            f"{cls!r} is registered as a function, not as a class", code="unrepresentable"
        )
    made = _plain_decoding(cls, keys, registration)
    current = registration.version if registration else 1
    if registration is None or (
        version == current and not isinstance(registration.decode, Mapping)
    ):
        if (
            registration
            and registration.rename
            and made.kind == "fields"
            and made.attributes is None
        ):
            return _prepared(made, registration, version)
        return made
    return _prepared(made, registration, version)


def _prepared(made: Decoding, registration: Registration, version: int) -> Decoding:
    """The same after an upgrade, functions of fields and renames."""
    decode = registration.decode if isinstance(registration.decode, Mapping) else {}
    attributes = {field: attribute for attribute, field in registration.rename.items()}
    if version != registration.version and registration.upgrade is None:
        raise SchemaError(
            f"data of version {version} of {registration.name!r}, and no way to upgrade it to {registration.version}",
            code="incompatible",
        )

    def prepare(fields: dict[str, Any]) -> dict[str, Any]:
        if version != registration.version and registration.upgrade is not None:
            fields = registration.upgrade(fields, version)
            if not isinstance(fields, dict):
                raise TypeError(f"upgrade of {registration.name!r} answered {fields!r}, not fields")
        named = {attributes.get(name, name): value for name, value in fields.items()}
        for name in decode.keys() & named.keys():
            named[name] = decode[name](named[name])
        return named

    if made.kind == "build":
        build = made.build
        assert build is not None
        return Decoding("build", build=lambda fields: build(prepare(fields)))
    fill = made.fill
    if fill is None:
        slots, defaults = frozenset(made.slots), made.defaults

        def fill(value: Any, fields: dict[str, Any]) -> None:
            for _, attribute, default, factory in defaults:
                if attribute not in fields:
                    fields[attribute] = default if factory is None else factory()
            _fill_attributes(slots, value, fields)

    prepared_fill = fill
    return Decoding(
        "fill", new=made.new, fill=lambda value, fields: prepared_fill(value, prepare(fields))
    )


def _plain_decoding(cls: Any, keys: frozenset[str], registration: Registration | None) -> Decoding:
    if issubclass(cls, BaseException):
        return Decoding("build", build=functools.partial(_make_exception, cls))
    if _is_model(cls):
        return Decoding("fill", new=functools.partial(cls.__new__, cls), fill=_fill_model)
    if _is_struct(cls):
        return Decoding("build", build=lambda fields: _make_struct(cls, fields))
    if _is_named_tuple(cls):
        return Decoding("build", build=functools.partial(_make_named_tuple, cls))
    if "<init>" in keys:
        return Decoding("fill", new=cls, fill=_fill_reduced)
    if keys & _MARKS:
        if "<newargs>" not in keys and "<args>" not in keys:
            return Decoding("fill", new=functools.partial(cls.__new__, cls), fill=_fill_reduced)
        return Decoding("build", build=functools.partial(_make_reduced, cls))
    base = _base(cls)
    slots = frozenset(_slots(cls))
    if base in _FILLS:
        new = functools.partial(base.__new__, cls)
        return Decoding("fill", new=new, fill=functools.partial(_fill_based, base, slots))
    if base is not None:
        return Decoding("build", build=functools.partial(_make_based, cls, base))
    new = functools.partial(_solid(cls).__new__, cls)
    if _own(cls, "__setstate__") or _own(cls, "__getstate__"):
        return Decoding("fill", new=new, fill=_apply_state)
    return Decoding(
        "fields",
        new=new,
        slots=set(slots) | ({"_attrs_cached_hash"} & set(getattr(cls, "__slots__", ()))),
        has_dict=cls.__dictoffset__ != 0,
        defaults=defaults_of(cls, all_of_them=False),
        names=names_of(cls),
    )


def _solid(cls: type) -> Any:
    """The class whose constructor makes an object without running code of the program."""
    return next(base for base in cls.__mro__ if not base.__flags__ & _HEAP)


def _fill_reduced(value: Any, fields: dict[str, Any]) -> None:
    fields.pop("<init>", None)
    items, entries = fields.pop("<items>", None), fields.pop("<entries>", None)
    if fields:
        _apply_state(value, fields)
    if items:
        value.extend(items)
    for key, each in entries or ():
        value[key] = each


def _make_struct(cls: Any, fields: dict[str, Any]) -> Any:
    return cls(**{name: value for name, value in fields.items() if name in cls.__struct_fields__})


def names_of(cls: type) -> set[str]:
    """The names that data may have for a class."""
    registration = by_class.get(cls)
    names = (
        {registration.name, *registration.aliases}
        if registration
        else {_registry.default_name(cls)}
    )
    return names | {cls.__qualname__, cls.__name__}


@dataclasses.dataclass
class TypedFields:
    """What a class says of its fields, for who asks for the class as a type."""

    names: list[str]
    required: list[str]
    #: Whether objects have no other fields than these.
    are_all: bool = True
    #: Other names that data may have for a field.
    aliases: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    #: Fields whose values the class converts itself.
    open: frozenset[str] = frozenset()
    #: What makes the object, with the class's own checks.
    build: Callable[[dict[str, Any]], Any] | None = None
    #: What the class runs when its object is complete.
    post: Callable[[Any], Any] | None = None


def has_fields(cls: type) -> bool:
    """Whether a class says what fields its objects have."""
    return bool(
        dataclasses.is_dataclass(cls)
        or hasattr(cls, "__attrs_attrs__")
        or _is_model(cls)
        or _is_struct(cls)
        or _is_named_tuple(cls)
    )


def typed_fields(cls: Any, hints: dict[str, Any]) -> TypedFields:
    """The fields of a class that was asked for: dataclass, attrs, TypedDict, NamedTuple, msgspec, pydantic, or a plain one."""
    if hasattr(cls, "__required_keys__"):
        # Of annotations that are text, the class itself does not know.
        def is_required(name: str) -> bool:
            origins = set()
            hint = hints[name]
            while typing.get_origin(hint) is not None and typing.get_args(hint):
                origins.add(typing.get_origin(hint))
                hint = typing.get_args(hint)[0]
            if typing.NotRequired in origins:
                return False
            return typing.Required in origins or name in cls.__required_keys__

        return TypedFields(list(hints), list(filter(is_required, hints)))
    if _is_named_tuple(cls):
        return TypedFields(
            list(cls._fields), [name for name in cls._fields if name not in cls._field_defaults]
        )
    if _is_struct(cls):
        names = cls.__struct_fields__
        optional = len(cls.__struct_defaults__)
        nodefault = sys.modules["msgspec"].NODEFAULT
        required = list(names[: len(names) - optional])
        with_defaults = zip(names[len(names) - optional :], cls.__struct_defaults__, strict=True)
        required += [name for name, default in with_defaults if default is nodefault]
        aliases: dict[str, tuple[str, ...]] = {
            name: (other,)
            for name, other in zip(names, cls.__struct_encode_fields__, strict=True)
            if name != other
        }
        return TypedFields(list(names), required, aliases=aliases)
    if _is_model(cls):
        fields = cls.__pydantic_fields__
        aliases = {
            name: (info.alias,)
            for name, info in fields.items()
            if info.alias and info.alias != name
        }

        def validate(fields: dict[str, Any]) -> Any:
            return cls.model_validate(
                {k: v for k, v in fields.items() if k[:1] != "<"}, by_name=True
            )

        return TypedFields(list(fields), [], are_all=False, aliases=aliases, build=validate)
    if dataclasses.is_dataclass(cls):
        own = dataclasses.fields(cls)
        missing = dataclasses.MISSING
        required = [
            f.name for f in own if f.init and f.default is missing and f.default_factory is missing
        ]
        return TypedFields(
            [f.name for f in own], required, post=getattr(cls, "__post_init__", None)
        )
    attributes = getattr(cls, "__attrs_attrs__", None)
    if attributes is not None:
        nothing = sys.modules["attr"].NOTHING
        required = [a.name for a in attributes if a.init and a.default is nothing]
        converted = frozenset(a.name for a in attributes if a.converter is not None)
        check = functools.partial(_check_attrs, attributes)
        return TypedFields([a.name for a in attributes], required, open=converted, post=check)
    return TypedFields(list(hints), [], are_all=False)


def _check_attrs(attributes: Any, value: Any) -> None:
    """What the constructor of an attrs class does beside setting fields."""
    for attribute in attributes:
        if attribute.converter is not None and hasattr(value, attribute.name):
            converter = attribute.converter
            takes_more = getattr(converter, "takes_self", False) or getattr(
                converter, "takes_field", False
            )
            if not takes_more:
                object.__setattr__(value, attribute.name, converter(getattr(value, attribute.name)))
        takes_self = getattr(attribute.default, "takes_self", False)
        if takes_self and not hasattr(value, attribute.name):
            object.__setattr__(value, attribute.name, attribute.default.factory(value))
    sys.modules["attr"].validate(value)
    post = getattr(value, "__attrs_post_init__", None)
    if post is not None:
        post()


def rebuild(cls: type, name: str, fields: dict[str, Any]) -> Any:
    """An object of a class from the fields of a record."""
    how = decoding(cls, fields, split_version(name)[1])
    if how.build is not None:
        return how.build(dict(fields))
    assert how.new is not None
    value = how.new()
    if how.fill is not None:
        how.fill(value, dict(fields))
        return value
    for _, attribute, default, factory in how.defaults:
        if attribute not in fields:
            fields = {**fields, attribute: default if factory is None else factory()}
    _fill_attributes(frozenset(how.slots), value, fields)
    return value


def _fill_record(record: Record, fields: dict[str, Any]) -> None:
    from ._values import _fields

    _fields(record).update(fields)


def _enum_member(cls: type[enum.Enum], value: Any) -> enum.Enum:
    if issubclass(cls, enum.Flag):
        return cls(value)
    name = getattr(value, "name", None)
    member = cls.__members__.get(name) if isinstance(name, str) else None
    if member is None:
        raise SchemaError(
            f"expected a member of {cls.__qualname__}, got {value!r}", code="unconvertible"
        )
    return member


class Resolver:
    """Finds what data names: for the compiled half, once for each name of a message."""

    def __init__(self, types: Iterable[Any], renames: Mapping[str, Any], missing: Any) -> None:
        self.missing = missing
        self.named: dict[str, Any] = {}
        for cls in types:
            if not callable(cls):
                raise TypeError(f"types: a class, not {cls!r}")
            registration = by_class.get(cls)
            names = (
                (registration.name, *registration.aliases)
                if registration
                else (_registry.default_name(cls),)
            )
            self.named.update(dict.fromkeys(names, cls))
        self.named.update(renames)
        if not (missing in ("record", "error", "dict") or callable(missing)):
            raise ValueError('missing is "record", "error", "dict" or a function')

    def find(self, name: str) -> tuple[Any, int]:
        """The class of a name and the version that data is of; None for what is not known."""
        base, version = split_version(name)
        for each, number in ((name, 1), (base, version)):
            cls = self.named.get(each) or by_name.get(each)
            if cls is not None:
                return cls, number
        return None, version

    def find_struct(self, name: str, keys: list[str]) -> Decoding:
        cls, version = self.find(name)
        if cls is None and callable(self.missing):
            cls = self.missing(name, tuple(keys))
        if cls is not None:
            return decoding(cls, keys, version)
        if self.missing == "error":
            raise DecodeError(
                f"the class {name!r} is not registered, nor among types", code="unrepresentable"
            )
        if self.missing == "dict":
            return Decoding("dict")
        return Decoding("fill", new=functools.partial(Record, name), fill=_fill_record)

    def find_extension(self, name: str) -> tuple[Callable[..., Any], ...]:
        known = _plain.EXTENSIONS.get(name) or _numpy.EXTENSIONS.get(name)
        if known:
            return known
        cls, _ = self.find(name)
        if cls is None and callable(self.missing):
            cls = self.missing(name, ())
        registration = by_class.get(cls)
        if registration and callable(registration.decode):
            return (registration.decode,)
        if isinstance(cls, type) and issubclass(cls, enum.Enum):
            return (functools.partial(_enum_member, cls),)
        if cls is None and self.missing == "error":
            raise DecodeError(
                f"the type {name!r} is not registered, nor among types", code="unrepresentable"
            )
        return (functools.partial(Extension, name), _plain.set_value)


_plain.EXTENSIONS["py.defaultdict"] = (_make_defaultdict, _fill_defaultdict)
