"""The classes and functions that this program allows data to name."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, Unpack, cast, overload

from ._declared import Field, declared_fields
from ._keywords import check_choice
from ._options import USES, RegisterOptions, Use

C = TypeVar("C", bound=Callable[..., Any])


@dataclass(frozen=True)
class Registration:
    """The options that a class is registered with."""

    name: str
    aliases: tuple[str, ...] = ()
    fields: frozenset[str] | None = None
    skip: frozenset[str] = frozenset()
    rename: Mapping[str, str] = field(default_factory=dict)
    #: Other names that data may have for attributes.
    field_aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    encode: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None = None
    decode: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None = None
    version: int = 1
    upgrade: Callable[[dict[str, Any], int], dict[str, Any]] | None = None
    uses: frozenset[Use] = frozenset()
    private: bool = True
    class_attributes: tuple[str, ...] = ()

    @property
    def written_name(self) -> str:
        """The name in data. From version 2 on, it ends in the version."""
        return self.name if self.version == 1 else f"{self.name}@{self.version}"

    @property
    def needs_function(self) -> bool:
        """Whether the fields depend on the object, so that no plan of the compiled half has them."""
        return not self.private or bool(self.class_attributes)

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes of names in data that differ."""
        names = {field: attribute for attribute, field in self.rename.items()}
        for attribute, aliases in self.field_aliases.items():
            names.update(dict.fromkeys(aliases, attribute))
        return names

    @property
    def chooses_fields(self) -> bool:
        """Whether options apply to single fields."""
        return bool(
            self.fields is not None
            or self.skip
            or self.rename
            or self.needs_function
            or isinstance(self.encode, Mapping)
            or isinstance(self.decode, Mapping)
        )


by_class: dict[Any, Registration] = {}
by_name: dict[str, Any] = {}
#: Called when a class is registered: cached knowledge about it may be outdated.
changed: list[Callable[[], None]] = []


def options_of(cls: Any) -> Registration | None:
    """The options of a class: those that it is registered with, or those of its own `Field` declarations."""
    found = by_class.get(cls)
    if found is None and (declared := declared_fields(cls)):
        return Registration(default_name(cls), **_options(declared))
    return found


def _options(declared: Mapping[str, Field]) -> dict[str, Any]:
    return {
        "skip": frozenset(name for name, each in declared.items() if each.skip),
        "rename": {name: each.name for name, each in declared.items() if each.name is not None},
        "field_aliases": {name: each.aliases for name, each in declared.items() if each.aliases},
    }


def name_of(cls: Any) -> str:
    """The name of a class in data: the registered one, else its module and qualified name."""
    registration = by_class.get(cls)
    return registration.name if registration else default_name(cls)


def default_name(cls: Any) -> str:
    # What multiprocessing calls the main module in the processes that it spawns.
    module = "__main__" if cls.__module__ == "__mp_main__" else cls.__module__
    return f"{module}.{cls.__qualname__}"


def split_version(name: str) -> tuple[str, int]:
    """Splits a name in data into the name of a class and its version."""
    base, at, number = name.rpartition("@")
    if at and number.isascii() and number.isdigit() and number[0] != "0" and len(number) < 10:
        return base, int(number)
    return name, 1


#: What has a form of its own in data.
_NATIVE = (bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset)


def _names(option: str, given: Iterable[str]) -> tuple[str, ...]:
    """The names of an option. One text would be taken for its characters."""
    if isinstance(given, str):
        raise TypeError(f"{option} must be several names, not one text: {option}=[{given!r}]")
    names = tuple(given)
    for each in names:
        if not isinstance(each, str):
            raise TypeError(f"{option} must be names, not {each!r}")
    return names


@overload
def register(cls: None = None, /, **options: Unpack[RegisterOptions]) -> Callable[[C], C]: ...
@overload
def register(cls: C, /, **options: Unpack[RegisterOptions]) -> C: ...
def register(
    cls: Any = None,
    /,
    *,
    name: str | None = None,
    aliases: Iterable[str] = (),
    fields: Iterable[str] | None = None,
    skip: Iterable[str] = (),
    rename: Mapping[str, str] | None = None,
    encode: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None = None,
    decode: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None = None,
    version: int = 1,
    upgrade: Callable[[dict[str, Any], int], dict[str, Any]] | None = None,
    uses: Iterable[Use] = ("reduce",),
    private: bool = True,
    class_attributes: Iterable[str] = (),
) -> Any:
    """Allows data to create objects of a class. Use it as a decorator or call it; also for functions that ``__reduce__`` or
    a defaultdict names.

    ``name`` is the name in data (default: module and qualified name), and ``aliases`` are other names that data may have
    for the class. Only the attributes in ``fields`` are packed, and those in ``skip`` are not; ``rename`` gives attributes
    another name in data. ``encode`` converts the whole object to a value, and ``decode`` converts it back; as mappings from
    attributes to functions, they convert single attributes. Data of another ``version`` passes through
    ``upgrade(fields, version)`` first. ``uses`` says what data may do with a function, or with a class as a function:
    "reduce" calls it for objects whose ``__reduce__`` returned it, "factory" makes it the factory of a defaultdict, "value" holds it
    itself at any place, and of a class also bound methods of its objects. With ``private=False`` attributes whose names begin with
    an underscore are not packed; those in ``class_attributes`` are, though only the class has them. `Field` gives single fields
    names, aliases and skip in the class itself; options here precede it.
    """
    if cls is None:
        return lambda cls: register(
            cls,
            name=name,
            aliases=aliases,
            fields=fields,
            skip=skip,
            rename=rename,
            encode=encode,
            decode=decode,
            version=version,
            upgrade=upgrade,
            uses=uses,
            private=private,
            class_attributes=class_attributes,
        )
    if not callable(cls):
        raise TypeError(f"register needs a class or function, not {cls!r}")
    if callable(encode) != callable(decode) and (callable(encode) or callable(decode)):
        raise TypeError(
            "encode and decode must both be functions, or both mappings from fields to functions"
        )
    for option, functions in (("encode", encode), ("decode", decode)):
        if not (functions is None or callable(functions) or isinstance(functions, Mapping)):
            raise TypeError(
                f"{option} must be a function or a mapping from fields to functions, not {functions!r}"
            )
    if rename is not None and not isinstance(rename, Mapping):
        raise TypeError(
            f"rename must be a mapping from attributes to names in data, not {rename!r}"
        )
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a text, not {name!r}")
    if type(version) is not int or version < 1:
        raise ValueError(f"version must be a number from 1 on, not {version!r}")
    if cls in _NATIVE and (fields is not None or skip or rename or encode or decode):
        raise TypeError(
            f"{cls.__name__} is packed as itself, whatever it is registered with; register a class of your own"
        )
    granted = cast("frozenset[Use]", frozenset(_names("uses", uses)))
    for use in granted:
        check_choice("uses", use, *USES)
    declared = _options(declared_fields(cls))
    registration = Registration(
        name=name or default_name(cls),
        aliases=_names("aliases", aliases),
        fields=None if fields is None else frozenset(_names("fields", fields)),
        skip=frozenset(_names("skip", skip)) | declared["skip"],
        rename={**declared["rename"], **(rename or {})},
        field_aliases=declared["field_aliases"],
        encode=encode,
        decode=decode,
        version=version,
        upgrade=upgrade,
        uses=granted,
        private=private,
        class_attributes=_names("class_attributes", class_attributes),
    )
    names = (registration.name, *registration.aliases)
    for each in names:
        other = by_name.get(each, cls)
        if other is not cls and default_name(other) != default_name(cls):
            raise ValueError(f"the name {each!r} is already registered for {other!r}")
    before = by_class.get(cls)
    for each in (before.name, *before.aliases) if before else ():
        by_name.pop(each, None)
    by_class[cls] = registration
    by_name.update(dict.fromkeys(names, cls))
    for notify in changed:
        notify()
    return cls


def callable_name(function: Any, use: Use) -> str | None:
    """The name of a class or function, or None if it is not registered for this use."""
    try:
        registration = by_class.get(function)
    except TypeError:
        return None
    return registration.name if registration and use in registration.uses else None


def callable_of(name: str, use: Use) -> Any:
    """The class or function of a name in data, or None if it is not registered for this use."""
    function = by_name.get(name)
    return None if callable_name(function, use) is None else function


# Creating a builtin exception has no side effects.
for _each in vars(builtins).values():
    if isinstance(_each, type) and issubclass(_each, BaseException):
        by_name.setdefault(f"builtins.{_each.__name__}", _each)
