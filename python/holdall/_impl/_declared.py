"""What a class itself says of its fields in data: by `Field` in annotations, or in the metadata of a dataclass or attrs class."""

from __future__ import annotations

import builtins
import dataclasses
import inspect
import sys
import typing
import weakref
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Field:
    """What data has of a field. It is metadata of an annotation, or of a field of a dataclass or attrs class.

    - ``name`` (None): the name in data; by default that of the attribute. ``Field("id")``
    - ``aliases`` (()): other names that data may have. ``Field(aliases=["uid", "user_id"])``
    - ``skip`` (False): whether the field is neither packed nor required. ``Field(skip=True)``

    >>> from dataclasses import dataclass, field
    >>> number = holdall.Field("id", aliases=["uid"])
    >>> @dataclass
    ... class User:
    ...     number: int = field(metadata={"holdall": number})  # or Annotated[int, number]
    ...     cache: dict = field(default_factory=dict, metadata={"holdall": holdall.Field(skip=True)})
    >>> str(holdall.schema(holdall.dumps(User(7))))
    'struct "holdall._impl._declared.User" {id: int}'
    >>> holdall.loads(holdall.dumps([{"uid": 5}, {"id": 6}]), list[User])
    [User(number=5, cache={}), User(number=6, cache={})]
    """

    name: str | None = None
    aliases: typing.Iterable[str] = ()
    skip: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.aliases, str):
            raise TypeError(f"aliases must be a list of names, not {self.aliases!r}")
        object.__setattr__(self, "aliases", tuple(self.aliases))


_known: weakref.WeakKeyDictionary[type, Mapping[str, Field]] = weakref.WeakKeyDictionary()


def declared_fields(cls: Any) -> Mapping[str, Field]:
    """The `Field` of each attribute of a class that has one."""
    if not isinstance(cls, type):
        return {}
    found = _known.get(cls)
    if found is None:
        found = _known[cls] = {**_annotated(cls), **_of_metadata(cls)}
    return found


def _annotated(cls: type) -> dict[str, Field]:
    found = {}
    for base in reversed(cls.__mro__):
        for name, hint in inspect.get_annotations(base).items():
            for each in getattr(_resolved(base, hint), "__metadata__", ()):
                if isinstance(each, Field):
                    found[name] = each
    return found


def _resolved(cls: type, hint: Any) -> Any:
    """An annotation, of which text is only resolved if it may have a `Field`: resolving takes long, and can fail."""
    if not isinstance(hint, str) or "Field" not in hint:
        return hint
    names = vars(sys.modules.get(cls.__module__, builtins))
    try:
        return eval(hint, names, dict(vars(cls)))
    except Exception as error:
        # Other libraries have a Field, too, whose annotations need not resolve.
        if "holdall" not in hint and names.get("Field") is not Field:
            return hint
        raise TypeError(
            f"the annotation {hint!r} of {cls.__qualname__} cannot be resolved: {error}"
        ) from error


def _of_metadata(cls: type) -> dict[str, Field]:
    fields: Any = getattr(cls, "__attrs_attrs__", ())
    if dataclasses.is_dataclass(cls):
        fields = dataclasses.fields(cls)
    found = {each.name: each.metadata.get("holdall") for each in fields if each.metadata}
    for name, each in found.items():
        if each is not None and not isinstance(each, Field):
            raise TypeError(
                f"the metadata 'holdall' of {cls.__qualname__}.{name} must be a holdall.Field, not {each!r}"
            )
    return {name: each for name, each in found.items() if each is not None}
