"""How the objects of a class are made of the fields that came."""

from __future__ import annotations

import collections
import copyreg
import dataclasses
import datetime
import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _plain
from ._errors import DecodeError, SchemaError, checked, listed, quoted
from ._kinds import (
    _FILLS,
    _HEAP,
    _HELD,
    _base,
    _is_dunder,
    _is_model,
    _is_named_tuple,
    _is_own_struct,
    _is_struct,
    _own,
    _slots,
    _solid,
    names_of,
)
from ._registry import Registration, by_class, by_name, split_version


def _make_model(cls: Any, fields: dict[str, Any]) -> Any:
    model = cls.__new__(cls)
    _fill_model(model, fields)
    return model


def _fill_model(model: Any, fields: dict[str, Any]) -> None:
    extra, private, given = (fields.pop(name, None) for name in ("<extra>", "<private>", "<set>"))
    own = {name: value for name, value in fields.items() if not _is_dunder(name)}
    given = list(own) if given is None else checked(given, list)
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
            "__pydantic_fields_set__": set(given),
        }
    )


@dataclasses.dataclass
class Decoding:
    """How objects of a class are made. The compiled half reads the attributes."""

    kind: str
    cls: Any = None
    new: Callable[[], Any] | None = None
    fill: Callable[[Any, dict[str, Any]], Any] | None = None
    #: Takes the fields; in kind "construct" the class may take them by keywords as well.
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
    #: The names of the class without their versions; its fields by the attributes that they become, and those that a value
    #: needs to be one of the class: for types that are asked for.
    bases: set[str] = dataclasses.field(default_factory=set)
    fields: dict[str, str] = dataclasses.field(default_factory=dict)
    needed: list[str] = dataclasses.field(default_factory=list)
    #: The field that says which class of a union it is, and what it says.
    tag: tuple[str, Any] | None = None

    @property
    def own_names(self) -> dict[str, str]:
        """The very strings that the class's code names its attributes by, as far as it says them."""
        names: list[str] = []
        for base in getattr(self.cls, "__mro__", ()):
            names += base.__dict__.get("__dataclass_fields__", ())
            init = base.__dict__.get("__init__")
            if isinstance(init, types.FunctionType):
                names += init.__code__.co_names
        return {name: name for name in names if type(name) is str}

    @property
    def has_code(self) -> bool:
        """Whether the class has code that runs when an object is made past its constructor, or when one ends."""
        cls = self.cls
        if not isinstance(cls, type):
            return False
        code = {"__del__"} | ({"__post_init__"} if self.kind == "construct" else set())
        is_own = self.kind == "construct" and _is_own_struct(cls)
        return is_own or any(code & base.__dict__.keys() for base in cls.__mro__)

    @property
    def title(self) -> str:
        """How errors name the class."""
        return getattr(self.cls, "__qualname__", "")


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
            if function not in by_class:
                raise DecodeError(f"{taken['<call>']!r} is not registered", code="unrepresentable")
        value = function(*checked(taken["<args>"], tuple))
    else:
        arguments = checked(taken["<newargs>"] or (), tuple)
        value = cls.__new__(cls, *arguments, **checked(taken["<newkeywords>"] or {}, dict))
    if fields:
        _apply_state(value, fields)
    if taken["<items>"]:
        value.extend(checked(taken["<items>"], list))
    for key, each in checked(taken["<entries>"] or [], list):
        value[key] = each
    return value


def _make_exception(cls: type[BaseException], fields: dict[str, Any]) -> BaseException:
    arguments = checked(fields.pop("<args>", ()), tuple)
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
        value = base.__new__(cls) if payload is None else base.__new__(cls, checked(payload, base))
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
        _FILLS[base](value, checked(payload, _HELD.get(base, base)))
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
    dict.update(value, checked(items, dict))


def _make_named_tuple(cls: Any, fields: dict[str, Any]) -> Any:
    defaults = cls._field_defaults
    missing = [name for name in cls._fields if name not in fields and name not in defaults]
    if missing:
        raise SchemaError(
            f"expected the field {quoted(missing[0])} of {cls.__qualname__}, which has no default, "
            f"got {listed(fields)}; give it a default to read data without it",
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
    if registration is None:
        return made
    as_it_came = version == registration.version and not registration.rename
    if as_it_came and not isinstance(registration.decode, Mapping):
        return made
    return _prepared(made, registration, version)


def no_upgrade(registration: Registration, version: int) -> SchemaError:
    return SchemaError(
        f"data of version {version} of {registration.name!r}, and no way to upgrade it to {registration.version}",
        code="incompatible",
    )


def _prepared(made: Decoding, registration: Registration, version: int) -> Decoding:
    """The same after an upgrade, functions of fields and renames."""
    decode = registration.decode if isinstance(registration.decode, Mapping) else {}
    attributes = {field: attribute for attribute, field in registration.rename.items()}
    if version != registration.version and registration.upgrade is None:
        raise no_upgrade(registration, version)

    def prepare(fields: dict[str, Any]) -> dict[str, Any]:
        if version != registration.version and registration.upgrade is not None:
            fields = registration.upgrade(fields, version)
            if not isinstance(fields, dict):
                raise TypeError(f"upgrade of {registration.name!r} answered {fields!r}, not fields")
        named = {attributes.get(name, name): value for name, value in fields.items()}
        for name in decode.keys() & named.keys():
            named[name] = decode[name](named[name])
        return named

    build = made.build
    if build is not None:
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
        return Decoding(
            "construct",
            cls=cls,
            build=lambda fields: _make_struct(cls, fields),
            attributes={name: name for name in cls.__struct_fields__},
        )
    if _is_named_tuple(cls):
        return Decoding("build", build=functools.partial(_make_named_tuple, cls))
    # Only a class that names its own arguments gets arguments: of others, data must not reach the constructor.
    has_reduce = (
        _own(cls, "__reduce_ex__") or _own(cls, "__reduce__") or cls in copyreg.dispatch_table
    )
    has_arguments = hasattr(cls, "__getnewargs_ex__") or hasattr(cls, "__getnewargs__")
    allowed = (
        _MARKS if has_reduce else frozenset({"<newargs>", "<newkeywords>"} if has_arguments else ())
    )
    keys &= allowed
    if "<init>" in keys:
        return Decoding("fill", new=cls, fill=_fill_reduced)
    if keys:
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
        cls=cls,
        new=new,
        slots=set(slots) | ({"_attrs_cached_hash"} & set(getattr(cls, "__slots__", ()))),
        has_dict=cls.__dictoffset__ != 0,
        defaults=defaults_of(cls, all_of_them=False),
        names=names_of(cls),
    )


def _fill_reduced(value: Any, fields: dict[str, Any]) -> None:
    fields.pop("<init>", None)
    items, entries = fields.pop("<items>", None), fields.pop("<entries>", None)
    if fields:
        _apply_state(value, fields)
    if items:
        value.extend(checked(items, list))
    for key, each in checked(entries or [], list):
        value[key] = each


def _make_struct(cls: Any, fields: dict[str, Any]) -> Any:
    return cls(**{name: value for name, value in fields.items() if name in cls.__struct_fields__})


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
