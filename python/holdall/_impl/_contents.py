"""Objects of subclasses of builtin classes, and of deque and its like, where a list, tuple, set or dict is requested: their content.

Data have the content of a subclass's object in a field such as ``<dict>``, beside its attributes. That is no field of a dict.
"""

from __future__ import annotations

import collections
import enum
import types
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from .._errors import Mismatch
from . import _later
from ._described import made
from ._kinds import BASE_FIELDS, _base, _is_named_tuple
from ._making import Decoding
from ._objects import rebuild
from ._registry import split_version
from ._typed import TypedDecoding
from ._values import Record

#: What a content is, where a field with the name of one may be a field of a dict.
_CONTAINERS = (list, dict, tuple, set, frozenset)
#: What the fields with content are, as far as they select how a value is read.
_FIELDS = dict.fromkeys(BASE_FIELDS, "<content>")


#: Others of the standard library.
_MAPPINGS = (collections.ChainMap, weakref.WeakValueDictionary, weakref.WeakKeyDictionary)


def as_list(value: Any) -> list[Any] | None:
    """The items of a deque, or of an object of a subclass of list; None for other values."""
    if isinstance(value, list):
        return list(list.__iter__(value))
    return list(collections.deque.__iter__(value)) if isinstance(value, collections.deque) else None


def as_dict(value: Any) -> dict[Any, Any] | None:
    """The entries of a mapping of the standard library, or of a subclass of one, or the fields of a record or dataclass; None for
    other values.
    """
    if isinstance(value, collections.OrderedDict):
        return dict(collections.OrderedDict.items(value))
    if isinstance(value, dict):
        return dict(dict.items(value))
    if type(value) is types.SimpleNamespace:
        return dict(vars(value))
    # Objects in a container that was read as any value.
    if isinstance(value, Record):
        return value.to_dict()
    if _later.is_dataclass(type(value)):
        names = (field.name for field in _later.dataclasses.fields(value))
        return {name: getattr(value, name) for name in names if hasattr(value, name)}
    return dict(value.items()) if type(value) in _MAPPINGS else None


def as_plain(value: Any) -> Any:
    """The content of an object of a subclass of tuple, set or frozenset; None for other values."""
    bases: tuple[Any, ...] = (tuple, set, frozenset)
    for base in bases:
        if isinstance(value, base) and type(value) is not base:
            return base(base.__iter__(value))
    return None


def with_content(allowed: Mapping[str, Any]) -> dict[str, type]:
    """Of the classes that data may name, those whose objects have the content of a builtin class."""
    return {
        name: cls
        for name, cls in allowed.items()
        if isinstance(cls, type)
        and not issubclass(cls, BaseException | enum.Enum)
        and _base(cls) is not None
        and not _is_named_tuple(cls)
    }


class Contents(TypedDecoding):
    """What objects with content become where a list, tuple, set or dict is requested."""

    #: The requested type, for errors.
    text: str = ""
    known: Mapping[str, type] = made(factory=dict)
    #: Converts an object of one of these classes.
    convert: Callable[[Any], Any] | None = None
    #: Reads fields as entries of a dict, if one is requested.
    as_entries: Callable[[dict[str, Any]], Any] | None = None

    def of_name(self, name: str) -> Decoding:
        return Decoding("build", build=lambda fields: self.make(name, fields))

    def make(self, name: str | None, fields: Mapping[str, Any]) -> Any:
        cls = None
        if name is not None:
            cls = self.known.get(name) or self.known.get(split_version(name)[0])
        if cls is not None:
            assert name is not None
            assert self.convert is not None
            return self.convert(rebuild(cls, name, fields))
        contents = [field for field in fields if field in _FIELDS]
        if self.as_entries is not None and not any(
            type(fields[field]) in _CONTAINERS for field in contents
        ):
            return self.as_entries(dict(fields))
        kinds = " and ".join(field[1:-1] for field in contents)
        raise Mismatch(
            self.text,
            f"an object of a subclass of {kinds}; name its class in types= to read what it contains",
        )


def contents(
    text: str,
    known: Mapping[str, type],
    convert: Callable[[Any], Any],
    as_entries: Callable[[dict[str, Any]], Any] | None,
) -> Contents:
    own = Contents("build", text=text, known=known, convert=convert, as_entries=as_entries)
    own.build = lambda fields: own.make(None, fields)
    # Data that name none of the classes have it only if they have such a field.
    own.bases, own.fields, own.needed = set(known), _FIELDS, ["<dict>"]
    return own
