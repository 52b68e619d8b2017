"""The classes and functions that data may name, because this program said so."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, Unpack, overload

from ._options import RegisterOptions

C = TypeVar("C", bound=Callable[..., Any])


@dataclass(frozen=True)
class Registration:
    """What `register` was told of a class."""

    name: str
    aliases: tuple[str, ...] = ()
    fields: frozenset[str] | None = None
    skip: frozenset[str] = frozenset()
    rename: Mapping[str, str] = field(default_factory=dict)
    encode: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None = None
    decode: Callable[[Any], Any] | Mapping[str, Callable[[Any], Any]] | None = None
    version: int = 1
    upgrade: Callable[[dict[str, Any], int], dict[str, Any]] | None = None

    @property
    def written_name(self) -> str:
        """The name that data has: that of a version from 2 on ends in its number."""
        return self.name if self.version == 1 else f"{self.name}@{self.version}"

    @property
    def chooses_fields(self) -> bool:
        """Whether it says something of single fields."""
        return bool(
            self.fields is not None
            or self.skip
            or self.rename
            or isinstance(self.encode, Mapping)
            or isinstance(self.decode, Mapping)
        )


by_class: dict[Any, Registration] = {}
by_name: dict[str, Any] = {}
#: Called when a class is registered: what was found out about it may have changed.
changed: list[Callable[[], None]] = []


def name_of(cls: Any) -> str:
    """The name of a class in data: that of its registration, else module and qualified name."""
    registration = by_class.get(cls)
    return registration.name if registration else default_name(cls)


def default_name(cls: Any) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def split_version(name: str) -> tuple[str, int]:
    """A name in data as that of a class and the number of its version."""
    base, at, number = name.rpartition("@")
    if at and number.isascii() and number.isdigit() and number[0] != "0" and len(number) < 10:
        return base, int(number)
    return name, 1


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
) -> Any:
    """Lets data name a class: its objects are rebuilt as such. A decorator, or a call; also for functions that
    ``__reduce__`` or a defaultdict names.

    ``name`` is the name in data (by default module and qualified name), ``aliases`` are names that data may have for it.
    ``fields`` are the only attributes that are packed, ``skip`` those that are not, ``rename`` gives attributes another
    name in data. ``encode`` and ``decode`` replace the whole object by a value and make it of that, or, as mappings of
    attributes to functions, single fields. Data of another ``version`` go through ``upgrade(fields, version)`` first.
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
        )
    if not callable(cls):
        raise TypeError(f"a class or function, not {cls!r}")
    if callable(encode) != callable(decode) and (callable(encode) or callable(decode)):
        raise TypeError(
            "encode and decode go together: both are functions, or both mappings of fields"
        )
    if version < 1:
        raise ValueError("versions are counted from 1")
    registration = Registration(
        name=name or default_name(cls),
        aliases=tuple(aliases),
        fields=None if fields is None else frozenset(fields),
        skip=frozenset(skip),
        rename=dict(rename or {}),
        encode=encode,
        decode=decode,
        version=version,
        upgrade=upgrade,
    )
    names = (registration.name, *registration.aliases)
    for each in names:
        other = by_name.get(each, cls)
        if other is not cls and default_name(other) != default_name(cls):
            raise ValueError(f"the name {each!r} is that of {other!r}")
    before = by_class.get(cls)
    for each in (before.name, *before.aliases) if before else ():
        by_name.pop(each, None)
    by_class[cls] = registration
    by_name.update(dict.fromkeys(names, cls))
    for notify in changed:
        notify()
    return cls


def callable_name(function: Any) -> str | None:
    """The name of a registered class or function."""
    try:
        registration = by_class.get(function)
    except TypeError:
        return None
    return registration.name if registration else None


# To make an exception of the language itself does nothing but that.
for _each in vars(builtins).values():
    if isinstance(_each, type) and issubclass(_each, BaseException):
        by_name.setdefault(f"builtins.{_each.__name__}", _each)
