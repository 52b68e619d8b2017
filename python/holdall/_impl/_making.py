"""Builds the objects of a class from their decoded fields."""

from __future__ import annotations

import collections
import copyreg
import enum
import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from .._errors import DecodeError, SchemaError, checked
from .._holdall import Form, charge
from . import _exceptions, _lookup, _plain, _registry
from ._defaults import defaults_of, defaults_of_self, refuse_missing, required_of_struct
from ._described import Described, made
from ._kinds import (
    _FILLS,
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
from ._options import Use
from ._registry import Registration, callable_of, names_that_count, options_of
from ._sizes import OF_ORDERED
from ._values import Extension


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


class Decoding(Described):
    """Describes how to build objects of a class. The compiled half reads its attributes."""

    kind: str
    cls: Any = None
    new: Callable[[], Any] | None = None
    fill: Callable[[Any, dict[str, Any]], Any] | None = None
    #: Builds an object from the fields. In kind "construct", the class may also get them as keywords.
    build: Callable[[dict[str, Any]], Any] | None = None
    attributes: dict[str, str] | None = None
    slots: set[str] = made(factory=set)
    has_dict: bool = True
    defaults: list[tuple[str, str, Any, Any]] = made(factory=list)
    required: list[str] = made(factory=list)
    nodes: dict[str, int] = made(factory=dict)
    post: Callable[[Any], Any] | None = None
    deny_extra: bool = False
    #: Whether rows with other fields may need another `Decoding`.
    is_by_keys: bool = False
    #: Whether the program defines the class. If not, only the data names it.
    is_of_program: bool = True
    names: set[str] = made(factory=set)
    #: For requested types only: the names of the class without versions, the attribute of each field, and the attributes
    #: that a value must have.
    bases: set[str] = made(factory=set)
    fields: dict[str, str] = made(factory=dict)
    needed: list[str] = made(factory=list)
    #: The tag field that selects the class in a union, and its value for this class.
    tag: tuple[str, Any] | None = None

    @property
    def own_names(self) -> dict[str, str]:
        """The string objects by which the class's code names its attributes, where they can be found."""
        names: list[str] = []
        for base in getattr(self.cls, "__mro__", ()):
            names += base.__dict__.get("__dataclass_fields__", ())
            init = base.__dict__.get("__init__")
            if isinstance(init, types.FunctionType):
                names += init.__code__.co_names
        return {name: name for name in names if type(name) is str}

    @property
    def has_code(self) -> bool:
        """Whether code of the class runs when an object is created without its constructor, or deleted."""
        cls = self.cls
        if not isinstance(cls, type):
            return False
        code = {"__del__"} | ({"__post_init__"} if self.kind == "construct" else set())
        is_own = self.kind == "construct" and _is_own_struct(cls)
        return is_own or any(code & base.__dict__.keys() for base in cls.__mro__)

    @property
    def size(self) -> int:
        """The bytes of an object without its dict and the values of its fields; 0 for one that a function of Python makes: it is
        measured.
        """
        cls = self.cls
        if self.kind == "dict":
            return sys.getsizeof({})
        how = self.fill if self.build is None else self.build
        is_known = how is None or isinstance(how, Form)
        if not is_known or not isinstance(cls, type):
            return 0
        items = cls.__itemsize__ * len(getattr(cls, "_fields", ()))
        # An object has places for the attributes that those before it had, up to 30, whichever of them it has.
        declared = getattr(cls, "__dataclass_fields__", getattr(cls, "__attrs_attrs__", ()))
        places = 8 * min(30, len(declared)) if self.has_dict else 0
        return cls.__basicsize__ + items + places

    @property
    def title(self) -> str:
        """The name of the class in errors."""
        return getattr(self.cls, "__qualname__", "")


def _fill_attributes(slots: frozenset[str], value: Any, fields: dict[str, Any]) -> None:
    """Sets attributes without calling methods of the class. Never sets names that have a meaning in Python."""
    own = getattr(value, "__dict__", None)
    for name, each in fields.items():
        if name in slots:
            object.__setattr__(value, name, each)
        elif isinstance(own, dict) and not _is_dunder(name):
            own[name] = each


#: The function that data names for a use, or None if they may not.
Granted = Callable[[Any, Use], Any]


def called(name: Any, granted: Granted = callable_of) -> Any:
    """Returns the function that the `__reduce__` of a class named."""
    function = granted(name, "reduce")
    if function is None:
        raise DecodeError(
            f"the data calls {name!r}, which is not registered for that; allow it with holdall.register, "
            "or for one call with types=[...]",
            code="unrepresentable",
        )
    return function


def arguments_of(base: type, payload: Any) -> Any:
    """Returns the constructor arguments of a date or time."""
    if not isinstance(payload, base):
        raise DecodeError(
            f"the content of a {base.__name__} has another type", code="unrepresentable"
        )
    return payload.__reduce_ex__(4)[1]


def fill_base(base: type, value: Any, payload: Any, fields: dict[str, Any]) -> None:
    """Fills an object with the content of its builtin class, and removes the fields that belong to it."""
    if base is collections.defaultdict:
        name = fields.pop("<factory>", None)
        value.default_factory = None if name is None else factory(name)
    if base is collections.deque:
        collections.deque.__init__(value, (), fields.pop("<maxlen>", None))
    if payload is not None:
        if type(checked(payload, _HELD.get(base, base))) is not bytes:
            charge(OF_ORDERED * len(payload))
        _FILLS[base](value, payload)


def factory(name: Any, granted: Granted = callable_of) -> Any:
    found = _plain.FACTORIES.get(name) or granted(name, "factory")
    if found is None:
        raise DecodeError(
            f"the data has a defaultdict with the factory {name!r}, which is not registered for that; "
            'allow it with holdall.register(..., uses=["factory"]), or for one call with types=[...]',
            code="unrepresentable",
        )
    return found


def fill_default_dict(granted: Granted, empty: Any, parts: Any) -> None:
    """Fills a defaultdict whose factory may be one that a single call allows."""
    name, items = checked(parts, tuple)
    empty.default_factory = None if name is None else factory(name, granted)
    empty.update(checked(items, dict))


def enum_member(cls: type[enum.Enum], value: Any) -> enum.Enum:
    """Returns the member of an enum that a value names."""
    name = getattr(value, "name", None)
    member = cls.__members__.get(name) if isinstance(name, str) else None
    if member is None:
        raise SchemaError(
            f"expected a member of {cls.__qualname__}, got {value!r}", code="unconvertible"
        )
    return member


def member_of_value(cls: type[enum.Enum], value: Any) -> enum.Enum | None:
    """Returns the member of an enum that has a value."""
    try:
        member = cls(value)
    except ValueError:
        return None
    # To Python, True and 1.0 are 1.
    kinds = type(value), type(member.value)
    return None if kinds in ((bool, int), (bool, float), (float, int)) else member


_decodings: weakref.WeakKeyDictionary[Any, Decoding] = weakref.WeakKeyDictionary()


_MARKS = frozenset(
    {"<init>", "<args>", "<newargs>", "<newkeywords>", "<items>", "<entries>", "<call>"}
)
#: Those of an exception whose class has a `__reduce__`.
_CALLS = frozenset({"<call>", "<newargs>", "<items>", "<entries>"})


def decoding(
    cls: Any, keys: Iterable[str] = (), version: int = 1, granted: Granted = callable_of
) -> Decoding:
    """Returns how to build objects of a class from these fields, named as in this version of the class."""
    registration = options_of(cls)
    current = registration.version if registration else 1
    if version != current or _MARKS.intersection(keys):
        return _decoding(cls, frozenset(keys), version, granted)
    found = _decodings.get(cls)
    if found is None:
        found = _decodings[cls] = _decoding(cls, frozenset(), version)
    return found


def _decoding(
    cls: Any, keys: frozenset[str], version: int, granted: Granted = callable_of
) -> Decoding:
    registration = options_of(cls)
    if not isinstance(cls, type):
        raise DecodeError(
            f"{cls!r} is registered as a function, but the data has an object of it",
            code="unrepresentable",
        )
    made = _plain_decoding(cls, keys, registration, granted)
    if registration is None:
        return made
    as_it_came = version == registration.version and not registration.attributes
    if as_it_came and not isinstance(registration.decode, Mapping):
        return made
    return _prepared(made, registration, version)


def no_upgrade(registration: Registration, version: int) -> SchemaError:
    return SchemaError(
        f"the data has version {version} of {registration.name!r}, and the class has {registration.version}; register it with upgrade= to read other versions",
        code="incompatible",
    )


def _prepared(made: Decoding, registration: Registration, version: int) -> Decoding:
    """Returns a `Decoding` that first upgrades, renames and decodes the fields."""
    decode = registration.decode if isinstance(registration.decode, Mapping) else {}
    attributes = registration.attributes
    if version != registration.version and registration.upgrade is None:
        raise no_upgrade(registration, version)

    def prepare(fields: dict[str, Any]) -> dict[str, Any]:
        if version != registration.version and registration.upgrade is not None:
            fields = registration.upgrade(fields, version)
            if not isinstance(fields, dict):
                raise TypeError(f"upgrade of {registration.name!r} returned {fields!r}, not a dict")
            named = {attributes.get(name, name): value for name, value in fields.items()}
        else:
            chosen = names_that_count(fields, attributes)
            named = {attribute: fields[name] for attribute, name in chosen.items()}
            # An alias beside the field's name may be the name of another attribute.
            for name, value in fields.items():
                if chosen[attributes.get(name, name)] != name:
                    named.setdefault(name, value)
        for name in decode.keys() & named.keys():
            named[name] = decode[name](named[name])
        return named

    build = made.build
    if build is not None:
        return Decoding(
            "build", build=lambda fields: build(prepare(fields)), is_by_keys=made.is_by_keys
        )
    fill = made.fill
    if fill is None:
        slots, defaults, post = frozenset(made.slots), made.defaults, made.post

        def fill(value: Any, fields: dict[str, Any]) -> None:
            for _, attribute, default, factory in defaults:
                if attribute not in fields:
                    fields[attribute] = default if factory is None else factory()
            _fill_attributes(slots, value, without_init(fields))
            if post is not None:
                post(value)

    prepared_fill = fill
    return Decoding(
        "fill",
        new=made.new,
        fill=lambda value, fields: prepared_fill(value, prepare(fields)),
        is_by_keys=made.is_by_keys,
    )


def _plain_decoding(
    cls: Any,
    keys: frozenset[str],
    registration: Registration | None,
    granted: Granted | None = callable_of,
) -> Decoding:
    """Without ``granted`` the fields are those that the class declares, and not what its own methods returned."""
    if issubclass(cls, BaseException):
        set_state = cls.__setstate__ if cls.__setstate__ is not BaseException.__setstate__ else None
        if keys & _CALLS and _exceptions.reduces(cls):
            call = None if granted is None else functools.partial(_called, cls, granted)
            form = Form("reduced", cls, None, frozenset(_slots(cls)), set_state, call=call)
        else:
            form = Form("exception", cls, _solid(cls), None, set_state)
        return Decoding("build", build=form, is_by_keys=True)
    if _is_model(cls):
        return Decoding("fill", new=functools.partial(cls.__new__, cls), fill=_fill_model)
    if _is_struct(cls):
        return Decoding(
            "construct",
            cls=cls,
            build=lambda fields: _make_struct(cls, fields),
            attributes={name: name for name in cls.__struct_fields__},
            required=required_of_struct(cls),
        )
    if _is_named_tuple(cls):
        return Decoding("build", cls=cls, build=Form("namedtuple", cls))
    # Only a class that defines its own arguments gets any: data must not reach the constructor of others.
    has_reduce = (
        _own(cls, "__reduce_ex__") or _own(cls, "__reduce__") or cls in copyreg.dispatch_table
    )
    has_arguments = hasattr(cls, "__getnewargs_ex__") or hasattr(cls, "__getnewargs__")
    made = _own_decoding(
        cls,
        keys,
        _MARKS
        if has_reduce
        else frozenset({"<newargs>", "<newkeywords>"} if has_arguments else ()),
        granted,
    )
    made.is_by_keys = bool(has_reduce or has_arguments)
    return made


def _own_decoding(
    cls: Any, keys: frozenset[str], allowed: frozenset[str], granted: Granted | None
) -> Decoding:
    """Returns how to build objects with more state than attributes. The ``allowed`` fields hold that state."""
    marks = keys & allowed
    base = _base(cls)
    slots = frozenset(_slots(cls))
    set_state = _own(cls, "__setstate__")
    if marks == {"<init>"} and set_state is None and "<state>" not in keys:
        # The constructor has no arguments, so attributes can be set as they are decoded.
        return Decoding(
            "fields",
            new=cls,
            slots=set(slots),
            has_dict=cls.__dictoffset__ != 0,
            attributes={key: key for key in keys if key[:1] != "<"},
        )
    splits_state = set_state is not None and _own(cls, "__getstate__") is None
    call = None
    if granted is not None and marks >= {"<call>", "<args>"}:
        call = functools.partial(_called, cls, granted)
    reduced = Form("reduced", cls, None, slots, set_state, call=call, splits_state=splits_state)
    if call is not None:
        return Decoding("build", build=reduced)
    if "<init>" in marks:
        return Decoding("fill", new=cls, fill=reduced)
    if marks and not marks & {"<newargs>", "<args>"}:
        return Decoding("fill", new=functools.partial(cls.__new__, cls), fill=reduced)
    if marks:
        return Decoding("build", build=reduced)
    if base in _FILLS:
        filled = Form("filled", cls, base, slots, set_state, splits_state=splits_state)
        return Decoding("fill", new=functools.partial(base.__new__, cls), fill=filled)
    if base is not None:
        based = Form("based", cls, base, slots, set_state, splits_state=splits_state)
        return Decoding("build", build=based)
    if granted is not None and "<call>" in allowed and not marks:
        # Its `__reduce__` named its `__new__` without arguments, which may return an object that exists.
        return Decoding("fill", new=functools.partial(cls.__new__, cls), fill=reduced)
    solid = _solid(cls)
    new = functools.partial(solid.__new__, cls)
    if set_state or _own(cls, "__getstate__"):
        form = Form("state", cls, solid, slots, set_state, splits_state=splits_state)
        return Decoding("fill", new=new, fill=form)
    return Decoding(
        "fields",
        cls=cls,
        new=new,
        slots=set(slots) | ({"_attrs_cached_hash"} & set(getattr(cls, "__slots__", ()))),
        has_dict=cls.__dictoffset__ != 0,
        defaults=defaults_of(cls, all_of_them=False),
        post=defaults_of_self(cls),
        names=names_of(cls),
    )


def _called(cls: Any, granted: Granted, name: Any, arguments: tuple[Any, ...]) -> Any:
    """Calls the function that the `__reduce__` of an object named."""
    function = called(name, granted)
    own_names = _lookup.names_of(cls)
    return function(
        *(
            # Its own class: the function gets it, though data may not hold it elsewhere.
            cls
            if type(each) is Extension and each.name == "py.callable" and each.value in own_names
            else each
            for each in arguments
        )
    )


def failed_call(cls: type, arguments: tuple[Any, ...], error: BaseException) -> NoReturn:
    """Raises the error of a class that data called: one that says so, if it got the name of a function in place of the function."""
    for each in arguments:
        if type(each) is Extension and each.name == "py.callable":
            raise DecodeError(
                f"{_registry.default_name(cls)} failed with {type(error).__name__}: {error}; the data gives it {each.value!r}, "
                "which is not allowed; if you know that it is safe, allow it with types=[...]",
                code="unrepresentable",
            ) from error
    raise error


def no_setter(cls: type, state: Any) -> DecodeError:
    """The error for a state that needs a method of the class to restore it."""
    return DecodeError(
        f"the data has the state of a {_registry.default_name(cls)} as a {type(state).__name__}, which its attributes cannot hold; "
        "give the class a __setstate__",
        code="unconvertible",
    )


def call_named(function: Any, fields: dict[str, Any]) -> Any:
    """Builds what a function makes, and restores the state that follows its arguments."""
    fields.pop("<init>", None)
    arguments = fields.pop("<args>", None)
    value = function(*(() if arguments is None else checked(arguments, tuple)))
    if fields:
        cls = type(value)
        Form("reduced", cls, None, frozenset(_slots(cls)), _own(cls, "__setstate__"))(value, fields)
    return value


def _make_struct(cls: Any, fields: dict[str, Any]) -> Any:
    for missing in required_of_struct(cls):
        if missing not in fields:
            refuse_missing(cls, missing, fields)
    return cls(**{name: value for name, value in fields.items() if name in cls.__struct_fields__})


def without_init(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "<init>"}
