"""For the compiled half: how to pack objects of a class, and what the names in data mean."""

from __future__ import annotations

import collections
import enum
import functools
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from .. import _holdall
from .._errors import DecodeError
from .._holdall import Form
from . import _callables, _constants, _frames, _lookup, _numpy, _plain, _random, _registry, _weak
from ._encode_plans import _plans, encode_plan, has_own_form
from ._fields import TypedFields, typed_fields
from ._kinds import _is_model, has_fields, is_typed_dict, names_of
from ._making import (
    Decoding,
    _decodings,
    call_named,
    decoding,
    fill_default_dict,
)
from ._names import name_or_none
from ._objects import decoding_of, rebuild
from ._options import Use
from ._registry import by_class, by_name, callable_of, split_version
from ._typed import TypedDecoding
from ._values import Extension, Record, _set_fields

__all__ = [
    "Decoding",
    "Resolver",
    "TypedFields",
    "_is_model",
    "decoding",
    "encode_plan",
    "has_fields",
    "has_own_form",
    "names_of",
    "rebuild",
    "typed_fields",
]


def forget() -> None:
    _plans.clear()
    _decodings.clear()
    _holdall.forget()


_registry.changed.append(forget)


def _fill_record(record: Record, fields: dict[str, Any]) -> None:
    if fields:
        _set_fields(record, fields)


def _unknown(name: str) -> DecodeError:
    return DecodeError(
        f"the data has an object of the class {name!r}, which this program does not allow; "
        "register it with @holdall.register, or pass types=[...]",
        code="unrepresentable",
    )


def _prefix(text: str) -> str:
    """What the names of the classes begin with that a text in types= stands for: those of a module, or of a package."""
    module = text.removesuffix(".*")
    if not all(part.isidentifier() for part in module.split(".")):
        raise ValueError(
            f"a text in types must be 'module.*', with the name of a module, not {text!r}"
        )
    if module == text:
        raise ValueError(
            f"a text in types names all classes of a module or package: {f'{text}.*'!r}, or pass the class itself"
        )
    return f"{module}."


#: How to restore the extensions of this package.
KNOWN = {
    **_plain.EXTENSIONS,
    **_weak.EXTENSIONS,
    **_numpy.EXTENSIONS,
    **_random.EXTENSIONS,
    **_frames.EXTENSIONS,
}


def _check_renames(renames: Any) -> None:
    if not isinstance(renames, Mapping):
        raise TypeError(f"renames must be a mapping from names in data to classes, not {renames!r}")
    for name, cls in renames.items():
        if type(name) is not str or not isinstance(cls, type):
            raise TypeError(f"renames must map names in data to classes, not {name!r} to {cls!r}")


#: Objects of these hold no fields, but what their subclasses have as content.
_WITHOUT_FIELDS = (
    *(dict, list, tuple, set, frozenset, str, bytes, bytearray, int, float, complex),
    *(collections.OrderedDict, collections.defaultdict, collections.Counter, collections.deque),
)


def _check_takes_fields(name: str, cls: Any, keys: Iterable[str]) -> None:
    # No class derives from these two.
    is_without = cls is bool or cls is type(None)
    if is_typed_dict(cls) or any(cls is each for each in _WITHOUT_FIELDS):
        is_without = any(keys) and not any(key[:1] == "<" and key != "<args>" for key in keys)
    if is_without:
        raise TypeError(
            f"{cls.__name__} has no place for the fields of {name!r}; missing='dict' makes dicts of objects whose class is missing"
        )


class Resolver:
    """Finds what names in data mean. The compiled half asks once for each name of a message."""

    def __init__(
        self,
        types: Iterable[Any],
        renames: Mapping[str, Any],
        missing: Any,
        *,
        trust: bool = False,
    ) -> None:
        self.missing = missing
        #: The beginning of the call that reads, for the error that says what to add to it.
        self.call = "loads(data, "
        self.trust = trust
        #: Classes in the requested type: their objects are checked wherever they occur.
        self.typed: dict[Any, TypedDecoding] = {}
        self.named: dict[str, Any] = {}
        #: Those in ``types`` alone.
        self.given: dict[str, Any] = {}
        #: Data may use these in every way. Not the classes: as a function, a class would run its constructor.
        self.functions: dict[str, Any] = {}
        #: What the names of classes begin with that are found among the imported modules.
        self.prefixes: list[str] = []
        _check_renames(renames)
        if not isinstance(types, Iterable) or isinstance(types, type | str):
            raise TypeError(f"types must be a list of classes, modules and names, not {types!r}")
        for each in types:
            if isinstance(each, ModuleType):
                self.prefixes.append(f"{each.__name__}.")
            elif isinstance(each, str):
                self.prefixes.append(_prefix(each))
            elif callable(each):
                kept = self.given if isinstance(each, type) else self.functions
                names = _lookup.names_of(each)
                if not names:
                    raise TypeError(f"types has {each!r}, which has no name that data could have")
                for name in names:
                    if kept.setdefault(name, each) is not each and name not in renames:
                        raise TypeError(
                            f"types has two objects with the name {name!r}: {kept[name]!r} and {each!r}; pass one of them, "
                            f"or say which with renames={{{name!r}: ...}}"
                        )
            else:
                raise TypeError(
                    f"types must be a list of classes, modules and names, and {each!r} is none of them"
                )
        self.named.update(self.given)
        self.named.update(renames)
        if not (missing in ("record", "error", "dict") or callable(missing)):
            raise ValueError(
                f"missing must be 'record', 'error', 'dict' or a function, not {missing!r}"
            )

    def ask(self, asked: list[Any], typed: dict[Any, TypedDecoding]) -> None:
        """Lets data name the classes in the requested type."""
        found: dict[str, Any] = {}
        for cls in asked:
            for name in _lookup.names_of(cls):
                # Two classes of one name: where no type chooses between them, neither is meant.
                found[name] = cls if found.get(name, cls) is cls else None
        self.named = {name: cls for name, cls in found.items() if cls is not None} | self.named
        self.typed = typed

    def allowed(self) -> frozenset[tuple[str, type]]:
        """The names of classes that data may have beside those of registered ones."""
        return frozenset((name, cls) for name, cls in self.named.items() if isinstance(cls, type))

    def loaded(self, bases: list[Any]) -> frozenset[tuple[str, type]]:
        """The same of subclasses, for classes of the modules in ``types=``; with ``trust=True``, of all imported ones."""
        found: dict[type, str | None] = {}
        waiting = [each for each in bases if isinstance(each, type)]
        while waiting and (self.prefixes or self.trust):
            below: list[type] = type.__subclasses__(waiting.pop())
            for cls in below:
                if cls not in found:
                    found[cls] = name_or_none(cls)
                    waiting.append(cls)
        return frozenset(
            (name, cls)
            for cls, name in found.items()
            if name is not None and name not in self.named and self.is_loaded(name, cls)
        )

    def is_loaded(self, name: str, cls: type) -> bool:
        """Whether data may name a class because of its module."""
        return (_lookup.defined(name) if self.trust else _lookup.loaded(name, self.prefixes)) is cls

    def find(self, name: str) -> tuple[Any, int]:
        """Returns the class with a name, or None, and the version of the data."""
        base, version = split_version(name)
        for each, number in ((name, 1), (base, version)):
            cls = self.named.get(each) or by_name.get(each)
            if cls is not None:
                return cls, number
        generic, bracket, _ = base.partition("[")
        if bracket:
            cls, _ = self.find(generic)
            return _lookup.with_parameters(cls, base), version
        cls = _lookup.loaded(base, self.prefixes) if self.prefixes else None
        if cls is None and self.trust:
            found = _lookup.trusted(base)
            cls = found if isinstance(found, type) else None
        return cls, version

    def instead(self, name: str, keys: tuple[str, ...]) -> Any:
        """Returns the class that the program's function has for a name that is missing, or None."""
        cls = self.missing(name, keys) if callable(self.missing) else None
        if cls is not None and not isinstance(cls, type):
            raise TypeError(f"missing= must return a class or None, not {cls!r} as for {name!r}")
        return cls

    def function(self, name: Any, use: Use) -> Any:
        """Returns the function that data names for a use, or None if they may not."""
        if type(name) is not str:
            return None
        found = self.functions.get(name) or callable_of(name, use)
        if found is None and self.trust:
            found = _lookup.trusted(name)
        return found if callable(found) else None

    def held(self, name: str) -> Any:
        """Returns the class or function that data may hold under a name, or None."""
        cls = self.given.get(name)
        if cls is None and self.prefixes:
            cls = _lookup.loaded(name, self.prefixes)
        return cls or self.function(name, "value") or _constants.named(name, self.class_of)

    def class_of(self, name: str) -> Any:
        """The class that data may name, or None."""
        return self.find(name)[0]

    def list_missing(self, error: object, schema: Any, in_values: Any = ()) -> None:
        """Lists in an error all that the data name and that is missing, and the code that allows it: the compiled half knows
        only the first name. ``in_values`` are those that the schema does not have.
        """
        if self.missing != "error" or not isinstance(error, DecodeError) or error.path is None:
            return
        # Imported here because it imports this module.
        from ._named import missing

        text = missing(self, schema, in_values) if error.code == "unrepresentable" else None
        if text is not None:
            error.args = (f"{error.code} in {error.path}: {text}",)

    def allows(self, name: str, use: Use) -> bool:
        """Whether data may use a class or function."""
        found = self.held(name) if use == "value" else self.function(name, use)
        return found is not None

    def find_struct(self, name: str, keys: list[str]) -> Decoding:
        cls, version = self.find(name)
        if cls is None:
            cls = self.instead(name, tuple(keys))
        typed = self.typed.get(cls)
        if typed is not None:
            return typed.of_version(version) or typed
        if cls is not None:
            _check_takes_fields(name, cls, keys)
            return decoding_of(cls, keys, version, self.function)
        function = self.function(name, "reduce") if "<args>" in keys or "<init>" in keys else None
        if function is not None:
            # A pickle has the name of the function alone, not that of its result's class.
            build = functools.partial(call_named, function)
            return Decoding("build", build=build, is_by_keys=True)
        if self.missing == "error":
            raise _unknown(name)
        if self.missing == "dict":
            return Decoding("dict", is_of_program=False)
        new = functools.partial(Record, name)
        return Decoding("fill", new=new, fill=_fill_record, is_of_program=False)

    def find_extension(self, name: str) -> tuple[Callable[..., Any], ...]:
        if name == "py.defaultdict" and (self.functions or self.trust):
            return (collections.defaultdict, functools.partial(fill_default_dict, self.function))
        known = KNOWN.get(name)
        if known:
            return known
        make = _callables.EXTENSIONS.get(name)
        if make is not None:
            return (functools.partial(make, self.held, self.missing == "error"),)
        cls, _ = self.find(name)
        if cls is None:
            cls = self.instead(name, ())
        registration = by_class.get(cls)
        if registration and callable(registration.decode):
            return (registration.decode,)
        if isinstance(cls, type) and issubclass(cls, enum.Enum):
            return (Form("flag" if issubclass(cls, enum.Flag) else "member", cls),)
        if cls is None and self.missing == "error":
            raise _unknown(name)
        return (functools.partial(Extension, name), _plain.set_value)
