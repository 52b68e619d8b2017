"""The classes and functions that this program allows data to name."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, cast, overload

from ._declared import declared_fields
from ._described import Described, made
from ._keywords import check_choice, names_checked
from ._names import default_name as default_name
from ._names import name_or_none
from ._options import USES, RegisterOptions, Use

if TYPE_CHECKING:
    from ._field import Field

C = TypeVar("C", bound=Callable[..., Any])


def names_that_count(fields: Iterable[str], attributes: Mapping[str, str]) -> dict[str, str]:
    """The name in data for each attribute. Of several names of one, the first in `attributes` counts (F-79)."""
    chosen: dict[str, str] = {}
    for name in fields:
        attribute = attributes.get(name, name)
        other = chosen.setdefault(attribute, name)
        if other != name:
            chosen[attribute] = next(each for each in attributes if each in (name, other))
    return chosen


def of_attributes(fields: Mapping[str, Any], attributes: Mapping[str, str]) -> dict[str, Any]:
    """The values of fields by attribute."""
    chosen = names_that_count(fields, attributes)
    return {attribute: fields[name] for attribute, name in chosen.items()}


class Registration(Described):
    """The options that a class is registered with."""

    name: str
    #: Whether data may name it in every call.
    allow: bool = True
    aliases: tuple[str, ...] = ()
    fields: frozenset[str] | None = None
    skip: frozenset[str] = frozenset()
    rename: Mapping[str, str] = made(factory=dict)
    #: Other names that data may have for attributes.
    field_aliases: Mapping[str, tuple[str, ...]] = made(factory=dict)
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
        """The attributes of names in data, if any of these names differs: the names of fields, and then their aliases."""
        names = {field: attribute for attribute, field in self.rename.items()}
        for attribute in self.field_aliases:
            names.setdefault(self.rename.get(attribute, attribute), attribute)
        for attribute, aliases in self.field_aliases.items():
            for alias in aliases:
                names.setdefault(alias, attribute)
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
    """The options of a class: those that it is registered with, or else those of its own `Field` declarations and those for
    single fields of the registered classes that it derives from.
    """
    found = by_class.get(cls)
    if found is not None:
        return found
    declared, bases = declared_fields(cls), _registered_bases(cls)
    if not declared and not bases:
        return None
    options = _options(declared)
    for base in reversed(bases):
        options = _inherited(options, base)
    made = Registration(default_name(cls), **options)
    return made if declared or made.chooses_fields or made.field_aliases else None


#: The methods by which a class says itself what is packed.
_OWN_METHODS = (
    "__getstate__",
    "__reduce__",
    "__reduce_ex__",
    "__getnewargs__",
    "__getnewargs_ex__",
)


def _registered_bases(cls: Any) -> list[Registration]:
    """The registrations of the classes that a class derives from, up to one that says itself what is packed."""
    found = []
    for base in getattr(cls, "__mro__", ()):
        own = by_class.get(base)
        if own is not None:
            found.append(own)
        own_methods = (base.__dict__.get(name) for name in _OWN_METHODS)
        if base is not object and any(map(_is_own, own_methods)):
            break
    return found


def _is_own(method: Any) -> bool:
    # Dataclasses and attrs generate some for slots.
    module = getattr(method, "__module__", None)
    return method is not None and module not in ("dataclasses", "attr._make")


def _inherited(options: dict[str, Any], base: Registration) -> dict[str, Any]:
    """The options of a class with those for single fields of a base."""
    made = {
        **options,
        "skip": options["skip"] | base.skip,
        "rename": {**options["rename"], **base.rename},
        "field_aliases": {**options["field_aliases"], **base.field_aliases},
    }
    if base.fields is not None:
        made["fields"] = base.fields
    if not base.private:
        made["private"] = False
    if base.class_attributes:
        made["class_attributes"] = base.class_attributes
    for name in ("encode", "decode"):
        functions = getattr(base, name)
        if isinstance(functions, Mapping):
            made[name] = {**made.get(name, {}), **functions}
    return made


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
@names_checked
def register(
    cls: Any = None,
    /,
    *,
    name: str | None = None,
    allow: bool = True,
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
    for the class. With ``allow=False`` data create its objects only where you ask for the class, as a type or in ``types=``, and
    other classes may have its names. Only the attributes in ``fields`` are packed, and those in ``skip`` are not; ``rename`` gives attributes
    another name in data. ``encode`` converts the whole object to a value, and ``decode`` converts it back; as mappings from
    attributes to functions, they convert single attributes. Data of another ``version`` passes through
    ``upgrade(fields, version)`` first. ``uses`` says what data may do with a function, or with a class as a function:
    "reduce" calls it for objects whose ``__reduce__`` returned it, "factory" makes it the factory of a defaultdict, "value" holds it
    itself at any place, and of a class also bound methods of its objects. With ``private=False`` attributes whose names begin with
    an underscore are not packed; those in ``class_attributes`` are, though only the class has them. `Field` gives single fields
    names, aliases and skip in the class itself; options here precede it.

    Subclasses that are not registered themselves inherit the options for single fields, from ``fields`` to ``class_attributes``,
    but not the permission and the name, nor functions that convert the whole object.
    """
    if cls is None:
        return lambda cls: register(
            cls,
            name=name,
            allow=allow,
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
    if name is None and "." not in (name_or_none(cls) or ""):
        raise TypeError(
            f"register needs a class or function of a module, or a name for it, and {cls!r} has none: pass name=..."
        )
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
        allow=allow,
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
    names = (registration.name, *registration.aliases) if allow else ()
    for each in names:
        other = by_name.get(each, cls)
        if other is not cls and name_or_none(other) != name_or_none(cls):
            raise ValueError(f"the name {each!r} is already registered for {other!r}")
    before = by_class.get(cls)
    for each in (before.name, *before.aliases) if before else ():
        # Of a class that is not allowed, another one may have the name.
        if by_name.get(each) is cls:
            del by_name[each]
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
