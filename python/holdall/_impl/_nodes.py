"""Nodes: which types a place in a value accepts, and how other values are converted to them.

The compiled half reads the attributes of a node and checks what they describe. It passes any other value to `Node.fit`, and
complete containers with constraints or text keys to check to `Node.check`.
"""

from __future__ import annotations

import builtins
import enum
import itertools
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from .._errors import DecodeError, Mismatch, field_step, inside
from .._holdall import charge
from . import _spellings
from ._alternatives import chosen
from ._constraints import Constraint, Elements, shown_scalar
from ._contents import as_dict, as_list, as_plain
from ._fitted import fitted
from ._kinds import is_instance
from ._lax import LAX, in_order
from ._making import member_of_value
from ._others import made_by_hook, other, same
from ._typed import Choice, TypedDecoding, choose
from ._values import Extension, Record, Variant

SCALARS: dict[Any, str] = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    bytes: "bytes",
    types.NoneType: "null",
}
#: The bytes of a memoryview and what it refers to, beyond the row of the bytes.
_OF_BYTES = 128
_CONTAINERS = (list, tuple, set, frozenset, dict)
#: As which containers plain ones are read, the preferred one first.
_READ_AS: dict[type, tuple[type, ...]] = {
    list: (list, tuple, set, frozenset),
    tuple: (tuple, list, set, frozenset),
    set: (set, frozenset),
    frozenset: (frozenset, set),
}


class Never:
    """A class without instances."""


class Nodes(Protocol):
    """The compiler of types. It holds all nodes that a node refers to."""

    strict: bool
    nodes: list[Node]
    #: Whether a union has several containers of one kind.
    has_alternatives: bool
    #: What values spell, in data of another format.
    spelling: _spellings.Spelling | None
    dec_hook: Callable[[Any, Any], Any] | None

    def fit(self, number: int, value: Any) -> Any: ...
    def integers(self) -> int: ...
    def only(self, node: Node, number: int) -> int: ...
    def text_keys(self, number: int) -> Node | None: ...


#: As the compiled half shows them.
_SHOWN: dict[Any, str] = {list: "a list", tuple: "a tuple", dict: "a mapping"}


def shown(value: Any) -> str:
    """Formats a value for an error."""
    if isinstance(value, Record):
        return f"an object of {value.__holdall_name__!r}"
    if isinstance(value, Variant):
        return f"the variant {value.name!r}"
    if isinstance(value, Extension):
        return f"the extension {value.name!r}"
    if value is None:
        return "None"
    if type(value) in _SHOWN:
        return _SHOWN[type(value)]
    is_scalar = isinstance(value, bool | int | float | str | bytes | enum.Enum)
    return shown_scalar(value) if is_scalar else type(value).__name__


class Node:
    """The types that a value may have. For its contents it has the numbers of other nodes."""

    def __init__(self, compiler: Nodes) -> None:
        self.compiler = compiler
        self.text = ""
        self.any = False
        self.scalars: builtins.set[Any] = set()
        #: Types with constraints; below, the constraint of each.
        self.kinds: builtins.set[Any] = set()
        self.constraints: builtins.dict[Any, Constraint | Elements] = {}
        self.list: builtins.int | None = None
        self.set: builtins.int | None = None
        self.frozenset: builtins.int | None = None
        self.row: builtins.int | None = None
        self.tuple: builtins.list[builtins.int] | None = None
        self.dict: builtins.tuple[builtins.int, builtins.int] | None = None
        self.extensions: builtins.dict[str, builtins.int] = {}
        #: The contents of lists and mappings that `fit` converts to other collections.
        self.items: builtins.int | None = None
        self.entries: builtins.tuple[builtins.int, builtins.int] | None = None
        self.classes: builtins.list[TypedDecoding] = []
        self.made_of: builtins.list[type] = []
        self.class_nodes: builtins.dict[builtins.int, builtins.int] = {}
        self.literals: builtins.list[Any] = []
        self.enums: builtins.list[type[enum.Enum]] = []
        self.instances: builtins.list[type] = []
        self.others: builtins.list[builtins.tuple[Any, builtins.list[builtins.int]]] = []
        #: The kinds and nodes of containers among which `chosen` chooses.
        self.alternatives: builtins.list[builtins.tuple[type, builtins.int]] = []
        self.hooked: builtins.list[Any] = []
        #: Whether the class of the field checks its value, so that what fits no type is returned unchanged.
        self.is_open = False

    def freeze(self) -> Node:
        """Sets, once for all messages, what the compiled half reads. All nodes that this one refers to must exist."""
        plain = {kind: kind in self.scalars and kind not in self.constraints for kind in SCALARS}
        self.null, self.bool, self.int = plain[types.NoneType], plain[bool], plain[int]
        self.float, self.string, self.bytes = plain[float], plain[str], plain[bytes]
        is_cells = self.compiler.spelling is not None and self.compiler.spelling.is_cells
        if is_cells and self.null:
            # An empty cell is None, which `fit` decides.
            self.string = False
        classes = [own for own in self.classes if own.cls is not None]
        several = classes if len(classes) > 1 else []
        #: The tag fields by which `fit` chooses among several classes.
        self.tags = {own.tag[0] for own in several if own.tag is not None}
        #: Whether a mapping that matches no class may become something other than an object.
        self.must_fit = (
            self.takes_entries
            or bool(self.instances)
            or any(own.cls is None for own in self.classes)
        )
        #: Whether `check` checks the keys of a mapping, which are all text, so that other code need not.
        self.has_checked_keys = self._key() is not None
        #: The function that checks complete containers, or None.
        is_checked = self.has_checked_keys or any(kind in self.constraints for kind in _CONTAINERS)
        self.checks = self.check if is_checked else None
        #: Whether `fit` may convert values of other types.
        self.fits = bool(
            self.literals
            or self.enums
            or self.instances
            or self.others
            or self.alternatives
            or self.tags
            # An ordered dict becomes a dict.
            or self.dict is not None
            or not self.compiler.strict
            or self.is_open
            or (is_cells and not self.string and (self.scalars or self.instances))
            or (self.hooked and self.compiler.dec_hook)
        ) or any(issubclass(cls, tuple) for cls in self.made_of)
        #: Types whose instances `fit` returns unchanged.
        types_of = [*self.instances, *self.enums]
        others = [cls for cls in types_of if isinstance(cls, type) and cls not in SCALARS]
        self.exact = [] if self.constraints else others
        return self

    def has_contents(self) -> bool:
        """Whether values may have items, entries or fields."""
        single = (self.list, self.set, self.frozenset, self.row, self.tuple, self.dict)
        others = self.others or self.classes or self.alternatives
        return single != (None,) * len(single) or bool(others)

    @property
    def takes_entries(self) -> bool:
        """Whether the fields of an object may become entries of a dict."""
        return self.dict is not None or any(kind is dict for kind, _ in self.alternatives)

    def _key(self) -> Node | None:
        return None if self.dict is None else self.compiler.text_keys(self.dict[0])

    def class_node(self, number: int) -> int:
        """Returns the node that accepts only one of the classes."""
        if number not in self.class_nodes:
            self.class_nodes[number] = self.compiler.only(self, number)
        return self.class_nodes[number]

    def check(self, value: Any) -> None:
        """Raises `Mismatch` if a complete container violates a constraint. Its contents are already checked."""
        constraint = self.constraints.get(type(value))
        if constraint is not None:
            constraint.check(value)
        key = self._key()
        if key is not None and type(value) is dict:
            for at, name in enumerate(value):
                inside(f"[{at}].key", key.fit, name)

    # ---- values of other types ----

    def fit(self, value: Any) -> Any:
        """Returns the value as one of the types. Raises `Mismatch` if none fits."""
        if self.any:
            return value
        if type(value) in SCALARS:
            return self._fit(value)
        return fitted().once(self, value)

    def _fit(self, value: Any) -> Any:
        spelling = self.compiler.spelling
        is_cell = spelling is not None and spelling.is_cells and type(value) is str
        for attempt in _OF_CELLS if is_cell else _OF_VALUES:
            made = attempt(self, value)
            if made is not Node:
                if self.constraints:
                    self.constrain(made)
                return made
        return self._unfit(value)

    def _unfit(self, value: Any) -> Any:
        """Returns a value that fits no type, if the class of the field checks it."""
        if self.is_open and not (type(value) is str and _spellings.is_of_python(value)):
            return value
        spelling = self.compiler.spelling
        advice = ""
        if spelling is not None and type(value) in (int, str):
            kinds = (*self.scalars, *self.instances)
            advice = spelling.advice(kinds, value, strict=self.compiler.strict)
        raise Mismatch(self.text, f"{shown(value)}{advice}")

    def constrain(self, value: Any) -> None:
        for kind, constraint in self.constraints.items():
            # A subclass of a scalar is another type: a bool is not an int.
            # A class that is requested itself is another one, too.
            is_other = kind in SCALARS or type(value) in self.instances
            if type(value) is kind or (not is_other and isinstance(value, kind)):
                constraint.check(value)

    def _cell(self, text: str) -> Any:
        """Returns what the text of a cell spells."""
        if not text and types.NoneType in self.scalars:
            return None
        if str in self.scalars:
            return text
        values = _spellings.spelled(text)
        for value in values:
            if type(value) in self.scalars:
                return value
        for value in (text, *values) if self.literals else ():
            made = self.plain(value)
            if made is not Node:
                return made
        member = self._member(text)
        if member is not Node:
            return member
        # True and 1.0 are no members of 1.
        members = [each for each in values if type(each) is int]
        for value in (text, *members) if self.enums or self.literals else ():
            made = self._named(value)
            if made is not Node:
                return made
        return self._spelled(text)

    def _member(self, name: Any) -> Any:
        """Returns the member that other formats have by its name, which may be the value of another member."""
        if self.compiler.spelling is None or type(name) is not str:
            return Node
        return self._found(lambda cls: cls.__members__.get(name))

    def _found(self, find: Callable[[type[enum.Enum]], enum.Enum | None]) -> Any:
        """Returns the first requested member that a function finds in its class."""
        for cls in self.enums:
            member = find(cls)
            if member is not None:
                return member
        for each in self.literals:
            if isinstance(each, enum.Enum) and find(type(each)) is each:
                return each
        return Node

    def _spelled(self, value: Any) -> Any:
        """Returns what a value of another format spells."""
        spelling = self.compiler.spelling
        if spelling is None:
            return Node
        # Of the scalars, bytes alone store one: text with lone surrogates.
        is_text = type(value) is bytes and str in self.scalars
        return spelling.made([*self.instances, str] if is_text else self.instances, value, Node)

    def plain(self, value: Any) -> Any:
        kind = type(value)
        if kind in self.scalars:
            return value
        if any(type(each) is kind and each == value for each in self.literals):
            return value
        if kind not in SCALARS:
            if is_instance(value, (*self.instances, *self.enums, *self.made_of)):
                return value
        elif any(cls is kind for cls in self.instances):
            return value
        if kind is bytes:
            # Bytes become a bytearray or memoryview where one is requested.
            for other in (bytearray, memoryview):
                if other in self.instances:
                    charge(_OF_BYTES)
                    return other(value)
        # Only a number that a float can hold exactly.
        if kind is int and float in self.scalars and abs(value) < _spellings.BEYOND_FLOATS:
            wide = float(value)
            if wide == value:
                return wide
        return Node

    def _named(self, value: Any) -> Any:
        inner = value
        while type(inner) is Extension:
            inner = inner.value
        if type(inner) is Variant and inner.value is None:
            made = self._found(lambda cls: cls.__members__.get(inner.name))
        elif type(inner) in (int, str, float, bytes, bool):
            made = self._found(lambda cls: member_of_value(cls, inner))
        else:
            made = Node
        if made is not Node:
            return made
        if type(inner) is Variant and inner.value is None and inner.name in self.literals:
            return inner.name
        if type(inner) is Variant and isinstance(inner.value, dict | Record):
            of_name = [each for each in self.classes if inner.name in each.names]
            if len(of_name) == 1:
                payload = inner.value
                fields = payload.to_dict() if isinstance(payload, Record) else payload
                return inside(f"<{inner.name}>", of_name[0].make, None, fields)
        if type(value) is Record and self.classes:
            return self._object(value.__holdall_name__, value.to_dict())
        if type(inner).__module__ == "numpy" and getattr(inner, "shape", None) == ():
            # A numpy scalar becomes a Python scalar if one is requested.
            inner = inner.item()
            return Node if type(inner) not in SCALARS else self._fit(inner)
        if inner is not value:
            try:
                return self.fit(inner)
            except Mismatch:
                return Node
        return Node

    def _object(self, name: str | None, fields: Mapping[str, Any]) -> Any:
        """Builds an object of one of the classes from a value with fields."""
        try:
            own = choose(self.classes, name, fields, must_fit=self.must_fit)
        except Choice as several:
            raise Mismatch(self.text, f"fields that fit {several} equally well") from None
        return Node if own is None else own.make(name, fields)

    def _contained(self, value: Any) -> Any:
        own = self._row_class(value)
        if own is not None:
            nodes = [
                next(own.nodes[n] for n, a in own.fields.items() if a == name)
                for name in own.cls._fields
            ]
            return own.cls._make(self._each(nodes, value))
        made = self._container(value)
        if made is not Node:
            return made
        if type(value) is dict:
            if self.classes and all(type(name) is str for name in value):
                made = self._object(None, value)
                if made is not Node:
                    return made
            if self.dict is not None:
                return self.fit_entries(value)
        if self.alternatives and (made := self._chosen(value)) is not None:
            return made
        for origin, inside_nodes in self.others:
            made = other(self, origin, inside_nodes, value)
            if made is not None:
                return made
        if self.list is not None and (items := as_list(value)) is not None:
            return self.items_of(self.list, items)
        if self.dict is not None and (entries := as_dict(value)) is not None:
            return self.fit_entries(entries)
        if (plain := as_plain(value)) is not None:
            return self._container(plain)
        return Node

    def _row_class(self, value: Any) -> Any:
        """The class of named tuples that a plain tuple becomes."""
        if isinstance(value, tuple) and not hasattr(value, "_fields"):
            for own in self.classes:
                names = getattr(own.cls, "_fields", ())
                if names and issubclass(own.cls, tuple) and len(value) == len(names):
                    return own
        return None

    def is_of_class(self, value: Any) -> bool:
        """Whether a plain container becomes an object of a class."""
        if type(value) is dict and self.classes and all(type(name) is str for name in value):
            try:
                return choose(self.classes, None, value, must_fit=self.must_fit) is not None
            except Choice:
                return True
        return self._row_class(value) is not None

    def _chosen(self, value: Any) -> Any:
        try:
            return chosen(self, value)
        except Choice as several:
            got = f"{shown(value)} that fits {several} equally well"
            raise Mismatch(self.text, got) from None

    def read_as(self, value: Any) -> builtins.tuple[type, Iterable[builtins.int]] | None:
        """As which container a list, tuple or set is read, and the nodes of its items, as in `begin_items`."""
        kinds = _READ_AS.get(type(value), ())
        # Other formats have one kind of list, and no objects in two places. What is inside alternatives is not read yet.
        is_list = type(value) is list and self.compiler.spelling is not None
        for kind in kinds if is_list or self.compiler.has_alternatives else kinds[:1]:
            if kind is tuple and self.tuple is not None and len(self.tuple) == len(value):
                return kind, self.tuple
            item = self.row if kind is tuple else getattr(self, kind.__name__)
            if item is not None:
                return kind, itertools.repeat(item, len(value))
        return None

    def _container(self, value: Any) -> Any:
        """Returns a list, tuple or set of items of the requested types; Node if none of this class is requested."""
        read_as = self.read_as(value)
        if read_as is None:
            return Node
        kind, nodes = read_as
        items = self._each(nodes, value)
        if type(value) is kind and all(a is b for a, b in zip(value, items, strict=True)):  # type: ignore[call-overload]
            return value
        return items if kind is list else kind(items)

    def fit_fields(self, fields: builtins.dict[str, Any]) -> builtins.dict[Any, Any]:
        """Returns fields as entries of a dict."""
        made = self.fit_entries(fields) if self.dict is not None else self._chosen(fields)
        if made is None:
            raise Mismatch(self.text, shown(fields))
        self.constrain(made)
        return made

    def fit_entries(self, entries: builtins.dict[Any, Any]) -> builtins.dict[Any, Any]:
        """Returns a dict whose keys and values are of the requested types."""
        assert self.dict is not None
        made: builtins.dict[Any, Any] = same(entries, self.entries_of(self.dict, entries))
        return made

    def _each(self, nodes: Iterable[builtins.int], values: Iterable[Any]) -> builtins.list[Any]:
        fit = self.compiler.fit
        pairs = zip(nodes, values, strict=False)
        return [inside(f"[{at}]", fit, *pair) for at, pair in enumerate(pairs)]

    def items_of(self, node: builtins.int, values: Iterable[Any]) -> builtins.list[Any]:
        return self._each(itertools.repeat(node), values)

    def entries_of(
        self, nodes: Iterable[builtins.int], mapping: Mapping[Any, Any]
    ) -> builtins.dict[Any, Any]:
        fit = self.compiler.fit
        key_node, value_node = nodes
        entries: builtins.dict[Any, Any] = {}
        for at, (key, value) in enumerate(mapping.items()):
            step = field_step(key) if type(key) is str else f"[{at}]"
            fitted = inside(f"[{at}].key", fit, key_node, key)
            entries[fitted] = inside(step, fit, value_node, value)
        if len(entries) < len(mapping):
            raise DecodeError(
                "holdall: two keys are equal as values of the requested type",
                code="unrepresentable",
            )
        return entries

    def _nearest(self, value: Any) -> Any:
        spelling = self.compiler.spelling
        if spelling is None or float not in self.scalars:
            return Node
        return spelling.nearest(self.instances, value, Node)

    def _converted(self, value: Any) -> Any:
        if not self.compiler.strict:
            for kind in in_order((*self.instances, *(k for k in SCALARS if k in self.scalars))):
                convert = LAX.get(kind)
                if convert is not None:
                    try:
                        return convert(value)
                    except (ValueError, TypeError, ArithmeticError):
                        continue
        hook = self.compiler.dec_hook
        return Node if hook is None else made_by_hook(hook, self.hooked, value, Node)


#: What `fit` tries in turn: for cells of CSV, and for all other values.
_OF_CELLS = (Node._cell, Node._converted)
_OF_VALUES = (
    *(Node.plain, Node._member, Node._named, Node._contained),
    *(Node._nearest, Node._spelled, Node._converted),
)
