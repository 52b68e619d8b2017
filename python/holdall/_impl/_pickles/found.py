"""What the names in a pickle mean: the classes and functions that the program allows, under the names of their modules."""

from __future__ import annotations

import copyreg
import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..._errors import DecodeError
from ..._holdall import Form
from .. import _callables, _classes, _constants, _lookup
from .._making import Decoding, _plain_decoding
from .._names import default_name, name_or_none
from .._options import Use
from .._pickled import completed
from .._registry import by_class, by_name, callable_of
from .._values import Extension


@dataclass(frozen=True)
class NotData:
    """What a pickle has that is not data, and that the message only names.

    ``kind`` is "object" for objects of a class, or results of a function, that this program does not allow, "name" for a class
    or function as a value, "persistent_id" or "extension_code"; ``name`` is its name. There are ``count`` of them, the first
    at ``offset`` in the pickle.
    """

    kind: Literal["object", "name", "persistent_id", "extension_code"]
    name: str
    count: int
    offset: int

    def __str__(self) -> str:
        what, kept = _TEXTS[self.kind]
        return f"{self.count} {what} {self.name}, first at offset {self.offset}: {kept}"


_TEXTS = {
    "object": ("of", "kept as a record; to read objects, name the class or function in types="),
    "name": ("of the class or function", "kept as its name"),
    "persistent_id": (
        "of the persistent id",
        "kept as the extension pickle.persistent_id; the pickle does not have its object",
    ),
    "extension_code": ("of", "a code of copyreg that this program has not registered"),
}


class Found(_classes.Resolver):
    """Finds classes as `loads` does, but by the names that their modules have them under, which pickles contain.

    Options of `register` for fields do not apply: a pickle has the attributes themselves.
    """

    def __init__(self, types: Iterable[Any], renames: Mapping[str, Any]) -> None:
        kept = list(types) if isinstance(types, Iterable) and not isinstance(types, str) else types
        super().__init__(kept, renames, "record")
        registered = [each for each, own in by_class.items() if own.allow]
        for each in (*registered, *kept):
            if isinstance(each, type):
                self.named.setdefault(default_name(each), each)
        self.given.update({default_name(each): each for each in kept if isinstance(each, type)})
        self._functions = {
            name: each
            for each in registered
            if not isinstance(each, type) and (name := name_or_none(each)) is not None
        }
        self.functions.update(
            {
                name: each
                for each in kept
                if callable(each)
                and not isinstance(each, type)
                and (name := name_or_none(each)) is not None
            }
        )
        #: Where the machine is, for the report.
        self.at = 0
        self._report: dict[tuple[str, str], list[int]] = {}
        #: Whether objects of the program are to be made.
        self.makes = False

    # ---- the report ----

    def other(self, kind: str, name: str) -> None:
        self._report.setdefault((kind, name), [0, self.at])[0] += 1

    def seen(self, name: str) -> None:
        """Notes an object whose class or function has a name."""
        if self.makes_of(name):
            self.makes = True
        else:
            self.other("object", name)

    def report(self, held: Mapping[str, int]) -> tuple[NotData, ...]:
        """What is not data; ``held`` are the names of classes and functions as values, and their offsets."""
        for name, self.at in held.items():
            if not _callables.is_known(name) and self.held(name) is None:
                self.other("name", name)
        return tuple(
            NotData(kind, name, count, at)  # type: ignore[arg-type]
            for (kind, name), (count, at) in self._report.items()
        )

    # ---- classes and functions ----

    def class_of(self, name: str) -> Any:
        """The class of a name, if the program allows it."""
        found = self.named.get(name) or by_name.get(name)
        if found is None and self.prefixes:
            found = _lookup.loaded(name, self.prefixes)
        return found if isinstance(found, type) else None

    def makes_of(self, name: str) -> bool:
        """Whether objects of a class, or results of a function, are made."""
        return self.class_of(name) is not None or self.function(name, "reduce") is not None

    def find(self, name: str) -> tuple[Any, int]:
        return self.class_of(name), 1

    def function(self, name: Any, use: Use) -> Any:
        if type(name) is not str:
            return None
        found = self._functions.get(name)
        if found is not None and use in by_class[found].uses:
            return found
        return self.functions.get(name) or callable_of(name, use)

    def held(self, name: str) -> Any:
        # It is packed as its name again, whatever data may hold.
        known = self.class_of(name) or self._functions.get(name) or self.functions.get(name)
        return known or _constants.named(name, self.class_of)

    def extension(self, code: int) -> str:
        known = vars(copyreg)["_inverted_registry"].get(code)
        if known is not None:
            return ".".join(known)
        name = f"copyreg.extension_{code}"
        self.other("extension_code", name)
        return name

    def member(self, name: str, args: tuple[Any, ...]) -> Any:
        """The member of an enum that a pickle names by its value; None if it is not an enum."""
        cls = self.class_of(name)
        if cls is None or not issubclass(cls, enum.Enum):
            return None
        (value,) = args
        if issubclass(cls, enum.Flag):
            self.makes = True
            return Extension(name, value)
        for member in cls.__members__.values():
            if type(member._value_) is type(value) and member._value_ == value:
                return member
        raise DecodeError(
            f"the pickle has the value {value!r} of {cls.__qualname__}, which no member has",
            code="unrepresentable",
        )

    def attribute(self, owner: str, name: str) -> Any:
        """What an attribute of a class is: a member of an enum, a method of the class, or else a name."""
        cls = self.class_of(owner)
        if cls is None:
            return None
        if issubclass(cls, enum.Enum) and name in cls.__members__:
            return cls.__members__[name]
        method, of_class = _callables.method_of(cls, name)
        if method is not None and of_class:
            return Extension("py.method", ([Extension("py.callable", owner)], name))
        return None

    # ---- for the compiled half, which makes the objects ----

    def find_struct(self, name: str, keys: list[str]) -> Decoding:
        cls = self.class_of(name)
        if cls is None:
            return super().find_struct(name, keys)
        return _plain_decoding(cls, frozenset(completed(cls, keys)), None, self.function)

    def find_extension(self, name: str) -> tuple[Callable[..., Any], ...]:
        cls = self.class_of(name)
        if cls is not None and issubclass(cls, enum.Flag):
            return (Form("flag", cls),)
        return super().find_extension(name)
