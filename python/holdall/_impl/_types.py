"""Compiles the types that a reader requests into nodes: one for each place in a value, with all types allowed
there.
"""

from __future__ import annotations

import collections
import datetime
import enum
import functools
import itertools
import types
import typing
from collections.abc import Callable
from typing import Any

from . import _classes, _hints, _later, _lookup, _registry
from ._alternatives import alternatives, members
from ._constraints import add_elements, constrained_kind, constraint_of
from ._contents import contents, with_content
from ._fields import refuse_doubles, validates_first
from ._kinds import has_extra_items, is_typed_dict
from ._lax import LAX
from ._nodes import SCALARS, Never, Node
from ._origins import DICTS, LISTS, OTHERS, SETS
from ._registry import by_class, by_name
from ._spellings import Spelling
from ._typed import OwnForm, TypedDecoding, apart, begun, complete, refused

#: Classes by the names that data have for them.
Allowed = frozenset[tuple[str, type]]

#: The extensions of collections that become a list, and those that become a dict; those that a tuple stores.
_AS_LIST: tuple[str, ...] = ("py.deque",)
_AS_TUPLE: tuple[str, ...] = ("py.deque", "py.defaultdict")
_AS_DICT: tuple[str, ...] = ("py.defaultdict", "py.counter", "py.chain_map")
#: The modules whose classes are values, without fields of their own.
_VALUES = {
    "builtins",
    "datetime",
    "decimal",
    "uuid",
    "fractions",
    "pathlib",
    "ipaddress",
    "array",
}
#: Classes on the library's own list, whose objects are returned unchanged.
_KNOWN = {*LAX, datetime.timedelta, complex, bytearray, memoryview, slice, range}


class _Compiler:
    def __init__(
        self,
        strict: bool,
        deny_extra: bool,
        dec_hook: Callable[[Any, Any], Any] | None,
        allowed: Allowed,
        spelling: Spelling | None,
    ) -> None:
        self.strict = strict
        self.spelling = spelling
        self.deny_extra = deny_extra
        self.dec_hook = dec_hook
        self.nodes: list[Node] = []
        self.has_alternatives = False
        self.known: dict[Any, int] = {}
        self.owns: dict[Any, TypedDecoding] = {}
        #: The classes that data may name, by their names.
        self.allowed: dict[str, type] = {**by_name, **dict(allowed)}
        self.named: list[Any] = []
        #: Those of which a value can be a list or dict.
        self.builtin: list[Node] = []
        whatever = Node(self)
        whatever.any, whatever.text = True, "anything"
        self.nodes.append(whatever)

    def fit(self, number: int, value: Any) -> Any:
        return self.nodes[number].fit(value)

    def integers(self) -> int:
        return self.node(int)

    def text_keys(self, number: int) -> Node | None:
        node = self.nodes[number]
        return node if str in node.scalars and str in node.constraints else None

    def only(self, node: Node, number: int) -> int:
        other = Node(self)
        other.text, other.classes, other.made_of = (
            node.text,
            [node.classes[number]],
            [node.made_of[number]],
        )
        self.nodes.append(other.freeze())
        return len(self.nodes) - 1

    def node(self, tp: Any, names: dict[Any, Any] | None = None) -> int:
        """The number of the node of a type; ``names`` are types by type variable."""
        tp, added = _hints.peeled(tp, names or {})
        if (tp is Any or tp is object) and not added:
            return 0
        variables = sorted((names or {}).items(), key=repr) if _hints.has_variables(tp) else ()
        key = (tp, added, tuple(variables))
        try:
            number = self.known.get(key)
        except TypeError:
            key, number = None, None  # type: ignore[assignment]
        if number is not None:
            return number
        node = Node(self)
        self.nodes.append(node)
        number = len(self.nodes) - 1
        if key is not None:
            self.known[key] = number
        node.text = _hints.text(tp)
        try:
            self.fill(node, tp, added, names or {})
        except TypeError:
            self.known.pop(key, None)
            raise
        return number

    def fill(self, node: Node, tp: Any, added: tuple[Any, ...], names: dict[Any, Any]) -> None:
        """Adds a type to those of a node; ``added`` is the metadata of `Annotated`."""
        tp, more = _hints.peeled(tp, names)
        if isinstance(tp, list | dict | set) or _later.is_dataclass(type(tp)):
            raise TypeError(f"holdall: {tp!r} is a value, not a type that data can be read as")
        origin, arguments = typing.get_origin(tp), typing.get_args(tp)
        self.constrain(node, tp, origin, arguments, (*added, *more))
        if tp is Any or tp is object:
            node.any = True
        elif tp in (typing.Never, typing.NoReturn):
            # The items of a list that is always empty.
            return
        elif tp is None or tp in SCALARS:
            node.scalars.add(tp or types.NoneType)
        elif origin in (typing.Union, types.UnionType):
            self.fill_union(node, tp, names)
        elif origin is typing.Literal:
            for each in arguments:
                if isinstance(each, enum.Enum):
                    self.named.append(type(each))
                node.literals.append(each)
        elif isinstance(tp, str | typing.ForwardRef):
            raise TypeError(
                f"holdall: the type {tp!r} is given as text and cannot be resolved; pass the type itself"
            )
        else:
            self.fill_class(node, tp, origin or tp, arguments, names)

    def fill_union(self, node: Node, tp: Any, names: dict[Any, Any]) -> None:
        among = list(members(tp, names))
        kinds = alternatives(self, among, names)
        for at, each in enumerate(among):
            if at not in kinds:
                self.fill(node, each, (), names)
            elif (own := (kinds[at], self.node(each, names))) not in node.alternatives:
                node.alternatives.append(own)
        if node.alternatives:
            self.builtin.append(node)
            self.has_alternatives = True

    def constrain(
        self, node: Node, tp: Any, origin: Any, arguments: Any, added: tuple[Any, ...]
    ) -> None:
        """The constraints on values of a type."""
        kind = constrained_kind(tp, origin, arguments)
        constraint = constraint_of(added, tp, kind)
        if kind is None:
            return
        if kind in node.kinds and node.constraints.get(kind) != constraint:
            raise TypeError(
                f"holdall: two members of the union {node.text} accept {kind.__name__} with different constraints"
            )
        node.kinds.add(kind)
        if constraint is not None:
            node.constraints[kind] = constraint

    def fill_class(
        self, node: Node, tp: Any, origin: Any, arguments: tuple[Any, ...], names: dict[Any, Any]
    ) -> None:
        if origin is tuple:
            arguments = _hints.spliced(arguments)

        def child(at: int) -> int:
            return self.node(arguments[at], names) if at < len(arguments) else 0

        if origin is tuple:
            self.builtin.append(node)
            if len(arguments) == 2 and arguments[1] is Ellipsis:
                node.row = child(0)
            elif tp is tuple:
                node.row = 0
            elif any(map(_hints.is_unpacked, arguments)):
                raise TypeError(
                    f"holdall: {tp!r} has any number of items after others, which no type of data has; use tuple[T, ...]"
                )
            else:
                node.tuple = [child(at) for at in range(len(arguments))]
        elif origin in LISTS:
            node.list = child(0)
            self.builtin.append(node)
        elif origin in SETS:
            node.set = child(0)
            self.builtin.append(node)
        elif origin is frozenset:
            node.frozenset = child(0)
            self.builtin.append(node)
        elif origin in DICTS:
            node.dict = (child(0), child(1))
            self.builtin.append(node)
        elif origin in OTHERS:
            self.fill_other(node, origin, child(0), child(1))
        elif not isinstance(origin, type):
            raise TypeError(f"holdall: {tp!r} is not a type that data can be read as")
        elif is_typed_dict(origin):
            if has_extra_items(origin):
                raise TypeError(
                    f"holdall: {tp!r} has extra_items, which are not read; use a field of type dict"
                )
            self.fill_fields(node, origin, arguments, names)
        elif issubclass(origin, enum.Enum):
            node.enums.append(origin)
            self.named.append(origin)
        elif self.is_object(origin):
            registration = by_class.get(origin)
            self.named.append(origin)
            if not _classes.has_fields(origin):
                node.hooked.append(origin)
            if registration and callable(registration.decode):
                # A function of the program creates the object, whatever its data.
                node.instances.append(origin)
            else:
                self.fill_fields(node, origin, arguments, names)
        else:
            if origin.__module__ == "numpy" and origin.__name__ == "ndarray":
                add_elements(node, origin, arguments, names)
            node.instances.append(origin)
            if origin not in _KNOWN:
                node.hooked.append(origin)
                self.named.append(origin)

    def is_object(self, cls: type) -> bool:
        if cls.__module__ in _VALUES:
            return False
        kind = _classes.encode_plan(cls)[0]
        return kind in ("instance", "namedtuple") or _classes.has_fields(cls)

    def fill_other(self, node: Node, origin: Any, first: int, second: int) -> None:
        """A collection that is neither list, tuple, set nor dict: its contents are read as their types, however it
        is stored.
        """
        second = self.integers() if origin is collections.Counter else second
        node.others.append((origin, [first, second]))
        if origin is collections.deque:
            # In other formats, a list may have the items and the maximum length.
            node.items = first if self.spelling is None else 0
            inside = self.made(lambda other: setattr(other, "list", first))
            whole = self.made(lambda other: setattr(other, "tuple", [inside, 0]))
            node.extensions["py.deque"] = whole
            return
        node.entries = (first, second)
        mapping = self.made(lambda other: setattr(other, "dict", (first, second)))
        if origin is collections.Counter:
            node.extensions["py.counter"] = mapping
        elif origin is collections.defaultdict:
            whole = self.made(lambda other: setattr(other, "tuple", [0, mapping]))
            node.extensions["py.defaultdict"] = whole
        elif origin is collections.ChainMap:
            node.extensions["py.chain_map"] = self.made(
                lambda other: setattr(other, "list", mapping)
            )

    def made(self, fill: Callable[[Node], None]) -> int:
        """A node for which the program has no type."""
        node = Node(self)
        fill(node)
        self.nodes.append(node)
        return len(self.nodes) - 1

    def fill_fields(
        self, node: Node, cls: Any, arguments: tuple[Any, ...], names: dict[Any, Any]
    ) -> None:
        given = (_hints.replaced(each, names) for each in arguments)
        variables = getattr(cls, "__parameters__", ())
        node.classes.append(self.owned(cls, {**names, **dict(zip(variables, given, strict=False))}))
        node.made_of.append(Never if is_typed_dict(cls) else cls)
        if not is_typed_dict(cls) and _classes.has_own_form(cls):
            node.instances.append(cls)

    def owned(self, cls: Any, names: dict[Any, Any]) -> TypedDecoding:
        """How to create objects of a class, with types by type variable."""
        variables = getattr(cls, "__parameters__", ())
        key = (cls, tuple((variable, names.get(variable)) for variable in variables))
        own = self.owns.get(key)
        if own is None:
            own = self.owns[key] = begun(cls, fit=self.fit, deny_extra=self.deny_extra)
            complete(own, *self.fields_of(cls, names), lambda tag: self.node(typing.Literal[tag]))
            if not is_typed_dict(cls) and _classes.has_own_form(cls):
                # Data with this class's name holds what its own methods returned, not its attributes.
                own.names, own.bases = set(), set()
        return own

    def names(self) -> dict[str, Any]:
        """The classes that data may name, by their names: the requested ones, too."""
        asked = {name: cls for cls in self.named for name in _lookup.names_of(cls)}
        return {**asked, **self.allowed}

    def add_subclasses(self) -> None:
        """Adds to each class those of its subclasses that data may name. These have fields, whose classes have subclasses, too."""
        known: tuple[int, int] | None = None
        while known != (known := (len(self.owns), len(self.named))):
            names = self.names()
            for own in list(self.owns.values()):
                for name, cls in names.items():
                    # Not `issubclass`, which runs code of abstract classes.
                    if cls is not own.cls and own.cls in getattr(cls, "__mro__", ()):
                        self.add_subclass(own, name, cls)

    def add_subclass(self, own: TypedDecoding, name: str, cls: type) -> None:
        registration = by_class.get(cls)
        if registration and callable(registration.decode):
            # A function of the program creates the object, whatever its data.
            own.made_by_function.add(name)
        elif name not in own.subclasses:
            own.add_subclass(name, self.subclass(cls))

    def add_contents(self) -> None:
        """Lets collections, and objects of subclasses, become a list, tuple, set or dict where one is requested."""
        known = with_content(self.names())
        for node in self.builtin:
            # An extension is made whole, and its content is not read as the requested type.
            made = [_AS_TUPLE] * (node.tuple is not None or node.row is not None)
            made += [_AS_LIST] * (node.list is not None) + [_AS_DICT] * (node.dict is not None)
            for name in itertools.chain(*made):
                node.extensions.setdefault(name, 0)
            of_items = (node.list, node.set, node.frozenset, node.tuple, node.row)
            has_items = of_items != (None,) * len(of_items) or bool(node.alternatives)
            if node.takes_entries or (known and has_items):
                as_entries = node.fit_fields if node.takes_entries else None
                node.classes.append(contents(node.text, known, node.fit, as_entries))
                node.made_of.append(Never)

    def subclass(self, cls: type) -> TypedDecoding:
        if _classes.has_own_form(cls):
            return OwnForm("build", cls=cls)
        nodes, named = len(self.nodes), len(self.named)
        known, owns = self.known.copy(), self.owns.copy()
        try:
            return self.owned(cls, {})
        except TypeError as error:
            # No one asked for this class, or for those that its fields name.
            del self.nodes[nodes:], self.named[named:]
            self.known, self.owns = known, owns
            return refused(cls, error)

    def fields_of(
        self, cls: Any, names: dict[Any, Any]
    ) -> tuple[_classes.TypedFields, Callable[[str], int]]:
        """The fields of a class, and the function that returns their nodes."""
        try:
            hints = typing.get_type_hints(cls, include_extras=True)
        except NameError as error:
            raise TypeError(
                f"holdall: an annotation of {cls.__qualname__} cannot be resolved: {error}"
            ) from error
        is_model = _classes._is_model(cls)
        variables = _hints.variables_by_field(cls, names) if hasattr(cls, "__orig_bases__") else {}

        def node_of(attribute: str) -> int:
            hint = hints.get(attribute, Any)
            # What the model itself checks stays as read, except for what other formats spell.
            if is_model and not _hints.has_models(hint):
                is_first = _hints.is_validated(hint) or validates_first(cls, attribute)
                if self.spelling is None or is_first:
                    return 0
                return self.open_node(hint, names)
            return self.node(hint, variables.get(attribute, names))

        fields = _classes.typed_fields(cls, hints)
        if self.spelling is not None:
            refuse_doubles(cls, fields)
        return fields, node_of

    def open_node(self, hint: Any, names: dict[Any, Any]) -> int:
        """The node of a type that leaves what does not fit to the class of the field."""

        def fill(node: Node) -> None:
            node.text, node.is_open = _hints.text(hint), True
            try:
                self.fill(node, hint, (), names)
            except TypeError:
                # A type that only the model knows.
                node.any = True
            if self.spelling is not None and not self.spelling.is_cells:
                # The model converts what the format has itself, and what is in containers.
                node.any = node.any or not (node.enums or node.instances) or node.has_contents()
                node.constraints = {}

        return self.made(fill)


@functools.lru_cache(maxsize=256)
def _compiled(
    tp: Any,
    strict: bool,
    deny_extra: bool,
    dec_hook: Any,
    spelling: Spelling | None,
    allowed: Allowed,
) -> tuple[list[Node], list[Any]]:
    compiler = _Compiler(strict, deny_extra, dec_hook, allowed, spelling)
    root = compiler.node(tp)
    if root == 0:
        compiler.nodes.append(compiler.nodes[0])
    compiler.add_subclasses()
    compiler.add_contents()
    for own in compiler.owns.values():
        own.counts_misfits = compiler.has_alternatives
    for node in compiler.nodes:
        node.classes = apart(node.classes)
        for own in node.classes:
            node.extensions.update(dict.fromkeys(own.made_by_function, 0))
        node.freeze()
    for node in list(compiler.nodes):
        # They must exist before the compiled half reads the nodes.
        for number, own in enumerate(node.classes):
            if own.cls is None:
                # Data have no variant of its name.
                continue
            if (
                len(node.classes) > 1
                or types.NoneType in node.scalars
                or node.list is not None
                or node.dict is not None
                or node.alternatives
            ):
                node.class_node(number)
            else:
                node.class_nodes[number] = compiler.nodes.index(node)
    return compiler.nodes, compiler.named


_registry.changed.append(_compiled.cache_clear)


def _cached(tp: Any, *options: Any) -> tuple[list[Node], list[Any]]:
    try:
        return _compiled(tp, *options)
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
    return _compiled.__wrapped__(tp, *options)


def compile(
    tp: Any,
    *,
    strict: bool,
    deny_extra: bool,
    dec_hook: Any,
    spelling: Spelling | None,
    allowed: Allowed,
    loaded: Callable[[list[Any]], Allowed],
) -> tuple[list[Node], list[Any]]:
    """Returns the nodes of a type, and the classes that it names. Node 0 accepts everything, and the root comes next.

    ``spelling`` says what values of another format than holdall's own spell.
    ``allowed`` are the classes that data may name beside the registered ones, by name; ``loaded`` returns those that
    derive from classes, where only their modules are given.
    """
    if isinstance(tp, str):
        raise TypeError("holdall: pass a type, not its name")
    while True:
        nodes, named = _cached(tp, strict, deny_extra, dec_hook, spelling, allowed)
        found = allowed | loaded(named)
        if found == allowed:
            return nodes, named
        allowed = found


def typed_classes(nodes: list[Node]) -> dict[Any, TypedDecoding]:
    """The classes with a single form: generic ones may have several."""
    found: dict[Any, TypedDecoding | None] = {}
    for node in nodes:
        for asked in node.classes:
            for own in (asked, *asked.subclasses.values()):
                known = found.get(own.cls, own)
                # Of a class in a union there may be copies.
                found[own.cls] = own if known is not None and known.nodes is own.nodes else None
    return {cls: own for cls, own in found.items() if own is not None and own.names}


__all__ = ["Allowed", "Node", "compile", "typed_classes"]
