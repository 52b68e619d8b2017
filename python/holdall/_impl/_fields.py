"""The fields that a class declares, for reading into the class."""

from __future__ import annotations

import functools
import sys
import typing
from collections.abc import Callable, Collection, Mapping
from typing import Any

from . import _later
from ._defaults import required_of_struct
from ._described import Described, made
from ._kinds import _is_model, _is_named_tuple, _is_struct, is_typed_dict
from ._registry import of_attributes


class TypedFields(Described):
    """The fields that a class declares, for reading into the class."""

    names: list[str]
    required: list[str]
    #: Whether objects have no other fields.
    are_all: bool = True
    #: Other names that data may have for a field.
    aliases: dict[str, tuple[str, ...]] = made(factory=dict)
    #: Fields whose values the class converts.
    open: frozenset[str] = frozenset()
    #: Creates the object, with the class's own checks.
    build: Callable[[dict[str, Any]], Any] | None = None
    #: Called when an object is complete.
    post: Callable[[Any], Any] | None = None
    #: The fields that identify a value of this class in a union; None for the required ones.
    needed: list[str] | None = None
    #: The field that selects a class of a union, and its value for this class.
    tag: tuple[str, Any] | None = None
    #: Whether the class rejects unknown fields.
    deny_extra: bool = False


def doubles(names: Collection[str], aliases: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The names of fields that are other names of other fields."""
    return [each for of in aliases.values() for each in of if each in names]


def typed_fields(cls: Any, hints: dict[str, Any]) -> TypedFields:
    """The fields of a requested class: dataclass, attrs, TypedDict, NamedTuple, msgspec, pydantic, or a plain one."""
    if is_typed_dict(cls):
        # If annotations are strings, the class itself does not know which fields are required.
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
        aliases: dict[str, tuple[str, ...]] = {
            name: (other,)
            for name, other in zip(names, cls.__struct_encode_fields__, strict=True)
            if name != other
        }
        config = cls.__struct_config__
        return TypedFields(
            list(names),
            required_of_struct(cls),
            aliases=aliases,
            tag=None if config.tag is None else (config.tag_field, config.tag),
            deny_extra=config.forbid_unknown_fields,
        )
    if _is_model(cls):
        fields = cls.__pydantic_fields__
        aliases = {
            name: (info.alias,)
            for name, info in fields.items()
            if info.alias and info.alias != name
        }

        swapped = doubles(fields, aliases)
        own_of = {each: name for name, of in aliases.items() for each in of if each not in fields}
        names = {name: name for name in fields}
        for name, info in fields.items():
            for each in getattr(info.validation_alias, "choices", [info.validation_alias]):
                names.setdefault(each, name)

        def validate(fields: dict[str, Any]) -> Any:
            # A model itself prefers the other name.
            fields = {
                k: v for k, v in fields.items() if k[:1] != "<" and own_of.get(k) not in fields
            }
            if swapped:
                named = of_attributes(fields, names)
                return cls.model_validate(named, by_alias=False, by_name=True)
            return cls.model_validate(fields, by_name=True)

        needed = [name for name, info in fields.items() if info.is_required()]
        return TypedFields(
            list(fields), [], are_all=False, aliases=aliases, build=validate, needed=needed
        )
    if _later.is_dataclass(cls):
        own = _later.dataclasses.fields(cls)
        missing = _later.dataclasses.MISSING
        required = [
            f.name for f in own if f.init and f.default is missing and f.default_factory is missing
        ]
        return TypedFields([f.name for f in own], required, post=_post_init(cls))
    attributes = getattr(cls, "__attrs_attrs__", None)
    if attributes is not None:
        nothing = sys.modules["attr"].NOTHING
        required = [a.name for a in attributes if a.init and a.default is nothing]
        converted = frozenset(a.name for a in attributes if a.converter is not None)
        does_more = hasattr(cls, "__attrs_post_init__") or any(
            a.converter is not None
            or a.validator is not None
            or getattr(a.default, "takes_self", False)
            for a in attributes
        )
        check = functools.partial(_check_attrs, attributes) if does_more else None
        return TypedFields([a.name for a in attributes], required, open=converted, post=check)
    return TypedFields(list(hints), [], are_all=False)


def refuse_doubles(cls: type, fields: TypedFields) -> None:
    """Other formats do not say which names data have: those of the fields, or the other ones."""
    for name in doubles(fields.names, fields.aliases):
        raise TypeError(
            f"holdall: other formats cannot be read into {cls.__qualname__}: {name!r} is a field, and another field's name in data"
        )


def validates_first(model: Any, attribute: str) -> bool:
    """Whether validators of a model of pydantic see the value of a field before its type does."""
    found = model.__pydantic_decorators__
    of_fields = (*found.field_validators.values(), *found.validators.values())
    own = [each for each in of_fields if {attribute, "*"} & {*each.info.fields}]
    own += [*found.model_validators.values(), *found.root_validators.values()]
    return any(each.info.mode != "after" for each in own)


def _post_init(cls: Any) -> Callable[[Any], Any] | None:
    """Returns what a dataclass runs on a complete object, with the defaults of its init-only arguments."""
    post: Callable[..., Any] | None = getattr(cls, "__post_init__", None)
    if post is None:
        return None
    taken = [
        each
        for each in cls.__dataclass_fields__.values()
        if each._field_type is _later.dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
    ]
    for each in taken:
        if each.default is _later.dataclasses.MISSING:
            raise TypeError(
                f"holdall: {cls.__qualname__} has the InitVar {each.name!r}, which is not stored in data; give it a default"
            )
    defaults = [each.default for each in taken]
    return lambda value: post(value, *defaults)


def _check_attrs(attributes: Any, value: Any) -> None:
    """What the constructor of an attrs class does in addition to setting fields."""
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
