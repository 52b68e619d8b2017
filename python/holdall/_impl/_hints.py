"""Resolves annotations: removes wrappers and aliases from types, and formats types for errors."""

from __future__ import annotations

import sys
import types
import typing
from typing import Any

from . import _declared, _kinds

_WRAPPERS = {typing.Required, typing.NotRequired, typing.Final, typing.ClassVar}


def peeled(tp: Any, names: dict[Any, Any]) -> tuple[Any, tuple[Any, ...]]:
    """A type without wrappers, aliases and type variables; and the metadata that `Annotated` adds to it."""
    added: tuple[Any, ...] = ()
    for _ in range(100):
        origin = typing.get_origin(tp)
        if origin is typing.Annotated:
            added = (*tp.__metadata__, *added)
            tp = tp.__origin__
        elif origin in _WRAPPERS or getattr(origin, "__name__", "") == "ReadOnly":
            tp = typing.get_args(tp)[0]
        elif isinstance(tp, typing.NewType):
            tp = tp.__supertype__
        elif isinstance(tp, typing.TypeVar):
            if tp in names:
                tp = names[tp]
            elif tp.__bound__ is not None:
                tp = tp.__bound__
            elif tp.__constraints__:
                tp = typing.Union[tp.__constraints__]  # noqa: UP007
            else:
                return Any, added
        elif type(tp).__name__ == "TypeAliasType":
            tp = tp.__value__
        elif type(origin).__name__ == "TypeAliasType":
            inner = dict(zip(origin.__type_params__, typing.get_args(tp), strict=False))
            tp = replaced(origin.__value__, inner)
        else:
            return tp, added
    raise TypeError(f"holdall: {tp!r} is an alias of itself")


def replaced(tp: Any, names: dict[Any, Any]) -> Any:
    """A type with type variables replaced."""
    parameters = getattr(tp, "__parameters__", ())
    if isinstance(tp, typing.TypeVar):
        return names.get(tp, tp)
    if not parameters or not names:
        return tp
    return tp[tuple(names.get(each, each) for each in parameters)]


def variables_by_field(cls: Any, names: dict[Any, Any]) -> dict[str, dict[Any, Any]]:
    """The types of type variables in the annotations of a class's fields, by field: each base class has its own, which
    the classes under it say. `names` are those of the class itself.
    """
    bound = {cls: names}
    found: dict[str, tuple[Any, dict[Any, Any]]] = {}
    is_entries = _kinds.is_typed_dict(cls)
    for each in _lineage(cls):
        own = bound.setdefault(each, {})
        for base in each.__dict__.get("__orig_bases__", ()):
            of = typing.get_origin(base)
            if isinstance(of, type) and of is not typing.Generic:
                bound.setdefault(of, _said_of(base, of, each, own))
        for field, hint in _declared.annotations_of(each).items():
            # A TypedDict has the annotations of its bases among its own.
            if field not in found or (is_entries and found[field][0] == hint):
                found[field] = (hint, own)
    return {field: own for field, (_, own) in found.items()}


def _said_of(base: Any, of: type, cls: Any, own: dict[Any, Any]) -> dict[Any, Any]:
    """What a class says of the type variables of a base. Nothing is known of those that stand for several types."""
    variables = getattr(of, "__parameters__", ())
    if not variables or not all(isinstance(each, typing.TypeVar) for each in variables):
        return {}
    try:
        arguments = typing.get_args(_resolved(base, cls))
        return {
            variable: _filled(argument, own)
            for variable, argument in zip(variables, arguments, strict=False)
        }
    except Exception:
        # A name that is not known yet, or that only a type checker knows: its text can be anything.
        return {}


def _resolved(base: Any, cls: Any) -> Any:
    """A base class with the types in place of their names."""

    def holder() -> None: ...

    holder.__annotations__ = {"base": base}
    module = vars(sys.modules.get(cls.__module__, typing))
    local = {cls.__name__: cls}
    return typing.get_type_hints(holder, module, local, include_extras=True)["base"]


def _filled(tp: Any, names: dict[Any, Any]) -> Any:
    """A type with the types of its variables: for those that have none, what values of any such type are."""
    variables = (tp,) if isinstance(tp, typing.TypeVar) else getattr(tp, "__parameters__", ())
    if not all(isinstance(each, typing.TypeVar) for each in variables):
        return Any
    known = {each: names[each] if each in names else peeled(each, {})[0] for each in variables}
    return replaced(tp, known)


def _lineage(cls: Any) -> list[Any]:
    """A class and its bases, each after the classes under it."""
    if not _kinds.is_typed_dict(cls):
        return list(cls.__mro__)
    line = [cls]
    for each in line:
        bases = (typing.get_origin(base) or base for base in getattr(each, "__orig_bases__", ()))
        line += [base for base in bases if _kinds.is_typed_dict(base)]
    return line


def has_variables(tp: Any) -> bool:
    return bool(getattr(tp, "__parameters__", ()))


def has_models(hint: Any) -> bool:
    """Whether a type mentions a class with fields: these have nodes of their own."""
    hint, _ = peeled(hint, {})
    arguments = typing.get_args(hint)
    if arguments:
        return any(has_models(each) for each in arguments if each is not Ellipsis)
    return isinstance(hint, type) and _kinds.has_fields(hint)


def is_validated(hint: Any) -> bool:
    """Whether a type mentions a validator of pydantic, which may want the value before the type does."""
    tp, added = peeled(hint, {})
    return any(hasattr(each, "__get_pydantic_core_schema__") for each in added) or any(
        map(is_validated, typing.get_args(tp))
    )


def text(tp: Any) -> str:
    """A type as errors show it."""
    origin, arguments = typing.get_origin(tp), typing.get_args(tp)
    if origin is typing.Annotated:
        return text(tp.__origin__)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(map(text, arguments))
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if tp is types.NoneType or tp is None:
        return "None"
    if tp is Ellipsis:
        return "..."
    name = getattr(origin or tp, "__qualname__", None) or repr(tp)
    if isinstance(tp, typing.TypeVar):
        return tp.__name__
    return f"{name}[{', '.join(map(text, arguments))}]" if arguments else name


def _is_unpack(tp: Any) -> bool:
    # That of typing_extensions can be another one.
    return getattr(typing.get_origin(tp), "_name", None) == "Unpack"


def is_unpacked(tp: Any) -> bool:
    """Whether an argument of a tuple stands for several items: `*tuple[int, ...]`."""
    return bool(getattr(tp, "__unpacked__", False)) or _is_unpack(tp)


def spliced(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a tuple, with the items of those that stand for a fixed number of them."""
    all_items: list[Any] = []
    for each in arguments:
        whole = typing.get_args(each)[0] if _is_unpack(each) else each
        inner = typing.get_args(whole)
        is_fixed = is_unpacked(each) and typing.get_origin(whole) is tuple and Ellipsis not in inner
        all_items += spliced(inner) if is_fixed else [each]
    return tuple(all_items)
