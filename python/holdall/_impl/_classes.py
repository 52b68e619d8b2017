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
from . import _callables, _frames, _lookup, _numpy, _plain, _random, _registry, _weak
from ._encode_plans import _plans, encode_plan, has_own_form
from ._fields import TypedFields, typed_fields
from ._kinds import _is_model, has_fields, names_of
from ._making import (
    Decoding,
    _decodings,
    call_named,
    decoding,
    fill_default_dict,
    rebuild,
)
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
_KNOWN = {
    **_plain.EXTENSIONS,
    **_weak.EXTENSIONS,
    **_numpy.EXTENSIONS,
    **_random.EXTENSIONS,
    **_frames.EXTENSIONS,
}


def named_in(names: Iterable[str]) -> dict[str, Any]:
    """The classes behind names in data, None for those that this program does not know; without the types of this package."""
    bases = (
        split_version(name)[0]
        for name in names
        if name not in _KNOWN and name not in _callables.EXTENSIONS
    )
    return {name: by_name.get(name) for name in bases}


class Resolver:
    """Finds what names in data mean. The compiled half asks once for each name of a message."""

    def __init__(
        self,
        types: Iterable[Any],
        asked: list[Any],
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
        if not isinstance(types, Iterable) or isinstance(types, type | str):
            raise TypeError(f"types must be a list of classes, modules and names, not {types!r}")
        self.named.update((name, cls) for cls in asked for name in _lookup.names_of(cls))
        for each in types:
            if isinstance(each, ModuleType):
                self.prefixes.append(f"{each.__name__}.")
            elif isinstance(each, str):
                self.prefixes.append(_prefix(each))
            elif callable(each):
                kept = self.given if isinstance(each, type) else self.functions
                kept.update(dict.fromkeys(_lookup.names_of(each), each))
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

    def find(self, name: str) -> tuple[Any, int]:
        """Returns the class with a name, or None, and the version of the data."""
        base, version = split_version(name)
        for each, number in ((name, 1), (base, version)):
            cls = self.named.get(each) or by_name.get(each)
            if cls is not None:
                return cls, number
        cls = _lookup.loaded(base, self.prefixes) if self.prefixes else None
        if cls is None and self.trust:
            found = _lookup.trusted(base)
            cls = found if isinstance(found, type) else None
        return cls, version

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
        return cls or self.function(name, "value")

    def list_missing(self, error: object, schema: Any) -> None:
        """Lists in an error all classes of the data that are missing, and the code that allows them: the compiled half knows
        only the first one.
        """
        if self.missing != "error" or not isinstance(error, DecodeError) or error.path is None:
            return
        missing = [name for name in named_in(schema.names()) if self.find(name)[0] is None]
        if error.code == "unrepresentable" and missing:
            code = _lookup.code_for(missing, self.call).replace("\n", "\n    ")
            text = (
                f"{error.code} in {error.path}: the data has objects of {', '.join(missing)}, which this program does not allow. "
                f"If you know that these are safe classes, let data create objects of them:\n    {code}"
            )
            error.args = (text,)

    def find_struct(self, name: str, keys: list[str]) -> Decoding:
        cls, version = self.find(name)
        if cls is None and callable(self.missing):
            cls = self.missing(name, tuple(keys))
        typed = self.typed.get(cls)
        if typed is not None:
            return typed.of_version(version) or typed
        if cls is not None:
            return decoding(cls, keys, version, self.function)
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
        known = _KNOWN.get(name)
        if known:
            return known
        make = _callables.EXTENSIONS.get(name)
        if make is not None:
            return (functools.partial(make, self.held, self.missing == "error"),)
        cls, _ = self.find(name)
        if cls is None and callable(self.missing):
            cls = self.missing(name, ())
        registration = by_class.get(cls)
        if registration and callable(registration.decode):
            return (registration.decode,)
        if isinstance(cls, type) and issubclass(cls, enum.Enum):
            return (Form("flag" if issubclass(cls, enum.Flag) else "member", cls),)
        if cls is None and self.missing == "error":
            raise _unknown(name)
        return (functools.partial(Extension, name), _plain.set_value)
