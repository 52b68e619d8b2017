"""The types that a reader asks for, compiled into nodes: one for each place in a value, with all types that may stand there.

The compiled half reads the nodes and checks what is plain by itself; what is not it gives to `Node.fit`.
"""

from __future__ import annotations

import builtins
import collections
import collections.abc as abc
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import sys
import types
import typing
import uuid
from collections.abc import Callable
from typing import Any

from . import _classes, _registry
from ._errors import Mismatch, SchemaError
from ._registry import by_class
from ._values import Extension, Record, Variant

_LISTS = {
    list,
    abc.Sequence,
    abc.MutableSequence,
    abc.Collection,
    abc.Iterable,
    abc.Container,
    abc.Reversible,
}
_SETS = {set, abc.Set, abc.MutableSet}
_DICTS = {dict, abc.Mapping, abc.MutableMapping}
_OTHERS = {
    collections.deque,
    collections.OrderedDict,
    collections.defaultdict,
    collections.Counter,
    collections.ChainMap,
}
_SCALARS = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    bytes: "bytes",
    types.NoneType: "null",
}
_WRAPPERS = {typing.Annotated, typing.Required, typing.NotRequired, typing.Final, typing.ClassVar}


def _shown(value: Any) -> str:
    if isinstance(value, Record):
        return f"an object of {value.__holdall_name__!r}"
    if isinstance(value, Variant):
        return f"the variant {value.name!r}"
    if isinstance(value, Extension):
        return f"the extension {value.name!r}"
    if value is None:
        return "None"
    text = repr(value) if isinstance(value, bool | int | float | str | bytes | enum.Enum) else ""
    return f"{type(value).__name__} {text}" if text and len(text) <= 40 else type(value).__name__


class Node:
    """The types that a value may be of. The numbers of other nodes say of what types are the values in it."""

    def __init__(self, compiler: _Compiler) -> None:
        self.compiler = compiler
        self.text = ""
        self.any = self.null = self.bool = self.int = self.float = self.string = self.bytes = False
        self.list: builtins.int | None = None
        self.set: builtins.int | None = None
        self.frozenset: builtins.int | None = None
        self.row: builtins.int | None = None
        self.tuple: builtins.list[builtins.int] | None = None
        self.dict: builtins.tuple[builtins.int, builtins.int] | None = None
        self.extensions: builtins.dict[str, builtins.int] = {}
        self.classes: builtins.list[_classes.Decoding] = []
        self.made_of: builtins.list[type] = []
        self.class_nodes: builtins.dict[builtins.int, builtins.int] = {}
        self.literals: builtins.list[Any] = []
        self.enums: builtins.list[type[enum.Enum]] = []
        self.instances: builtins.list[type] = []
        self.others: builtins.list[builtins.tuple[Any, builtins.list[builtins.int]]] = []
        self.hooked: builtins.list[Any] = []

    @property
    def fits(self) -> builtins.bool:
        return bool(
            self.literals
            or self.enums
            or self.instances
            or self.others
            or not self.compiler.strict
            or (self.hooked and self.compiler.dec_hook)
        ) or any(issubclass(cls, tuple) for cls in self.made_of)

    def class_node(self, number: builtins.int) -> builtins.int:
        """A node that takes one of the classes alone."""
        if number not in self.class_nodes:
            self.class_nodes[number] = self.compiler.only(self, number)
        return self.class_nodes[number]

    # ---- values that are not plain ----

    def fit(self, value: Any) -> Any:
        """The value as one of the types; `Mismatch` if it is of none."""
        if self.any:
            return value
        for attempt in (self._plain, self._named, self._contained, self._converted):
            fitted = attempt(value)
            if fitted is not Node:
                return fitted
        raise Mismatch(self.text, _shown(value))

    def _plain(self, value: Any) -> Any:
        kind = type(value)
        name = _SCALARS.get(kind)
        if name is not None and getattr(self, name):
            return value
        if any(type(each) is kind and each == value for each in self.literals):
            return value
        if kind not in _SCALARS:
            if isinstance(value, (*self.instances, *self.enums, *self.made_of)):
                return value
        elif any(cls is kind for cls in self.instances):
            return value
        # A number that a float holds exactly.
        if kind is int and self.float:
            wide = float(value) if abs(value) <= 1 << 1023 else 0.0
            if wide == value:
                return wide
        return Node

    def _named(self, value: Any) -> Any:
        inner = value
        while type(inner) is Extension:
            inner = inner.value
        for cls in self.enums:
            if type(inner) is Variant and inner.value is None and inner.name in cls.__members__:
                return cls.__members__[inner.name]
            if type(inner) in (int, str, float, bytes, bool):
                try:
                    return cls(inner)
                except ValueError:
                    continue
        if type(inner) is Variant and inner.value is None and inner.name in self.literals:
            return inner.name
        if type(value) is Record:
            for cls in self.made_of:
                if value.__holdall_name__ in _classes.names_of(cls):
                    return _classes.rebuild(cls, value.__holdall_name__, value.to_dict())
        if inner is not value:
            try:
                return self.fit(inner)
            except Mismatch:
                return Node
        return Node

    def _contained(self, value: Any) -> Any:
        fit = self.compiler.fit
        if isinstance(value, tuple) and not hasattr(value, "_fields"):
            for cls in self.made_of:
                if issubclass(cls, tuple) and len(value) == len(cls._fields):  # type: ignore[attr-defined]
                    nodes = next(own.nodes for own in self.classes if own.cls is cls)
                    names = cls._fields  # type: ignore[attr-defined]
                    pairs = zip(names, value, strict=True)
                    items = [fit(nodes.get(name, 0), each) for name, each in pairs]
                    return cls._make(items)  # type: ignore[attr-defined]
        if isinstance(value, list | tuple | set | frozenset):
            if type(value) is list and self.list is not None:
                return _same(value, [fit(self.list, each) for each in value])
            if type(value) is tuple and self.tuple is not None and len(self.tuple) == len(value):
                return _same(value, tuple(map(fit, self.tuple, value)))
            if type(value) is tuple and self.row is not None:
                return _same(value, tuple(fit(self.row, each) for each in value))
            if type(value) is set and self.set is not None:
                return _same(value, {fit(self.set, each) for each in value})
            if type(value) is frozenset and self.frozenset is not None:
                return _same(value, frozenset(fit(self.frozenset, each) for each in value))
        if type(value) is dict and self.dict is not None:
            key, each = self.dict
            return _same(value, {fit(key, k): fit(each, v) for k, v in value.items()})
        if type(value) is dict:
            for own in self.classes:
                if own.required and not all(name in value for name in own.required):
                    continue
                if own.cls is not None and all(type(name) is str for name in value):
                    fields = {name: fit(own.nodes.get(name, 0), v) for name, v in value.items()}
                    return (
                        fields
                        if own.kind == "dict"
                        else _classes.rebuild(own.cls, own.cls.__name__, fields)
                    )
        for origin, inside in self.others:
            fitted = self._other(origin, inside, value)
            if fitted is not Node:
                return fitted
        return Node

    def _other(self, origin: Any, nodes: builtins.list[builtins.int], value: Any) -> Any:
        """A collection that is neither list, tuple, set nor dict."""
        fit = self.compiler.fit
        if origin is collections.deque and isinstance(value, collections.deque | list | tuple):
            made = [fit(nodes[0], each) for each in value]
            if type(value) is collections.deque:
                return _same(value, collections.deque(made, value.maxlen))
            return collections.deque(made)
        if origin is collections.ChainMap:
            return value if isinstance(value, collections.ChainMap) else Node
        if not isinstance(value, dict):
            return Node
        key, each = (nodes[0], self.compiler.integers()) if origin is collections.Counter else nodes
        items = {fit(key, k): fit(each, v) for k, v in value.items()}
        if isinstance(value, origin):
            if items == value:
                return value
            value = value.copy()
            value.clear()
            value.update(items)
            return value
        if type(value) is not dict:
            return Node
        return (
            collections.defaultdict(None, items)
            if origin is collections.defaultdict
            else origin(items)
        )

    def _converted(self, value: Any) -> Any:
        if not self.compiler.strict:
            for kind in (
                *self.instances,
                *(kind for kind, name in _SCALARS.items() if getattr(self, name)),
            ):
                convert = _LAX.get(kind)
                if convert is not None:
                    try:
                        return convert(value)
                    except (ValueError, TypeError, ArithmeticError):
                        continue
        hook = self.compiler.dec_hook
        if hook is not None:
            for cls in self.hooked:
                return hook(cls, value)
        return Node


def _same(value: Any, made: Any) -> Any:
    """The value itself, if nothing in it became something else."""
    if isinstance(value, dict):
        pairs = zip(value.items(), made.items(), strict=False)
        same = len(value) == len(made) and all(a is c and b is d for (a, b), (c, d) in pairs)
    else:
        same = len(value) == len(made) and all(a is b for a, b in zip(value, made, strict=True))
    return value if same else made


def _lax_int(value: Any) -> int:
    if type(value) is str or (type(value) is float and value.is_integer()):
        return int(value)
    raise ValueError


def _lax_float(value: Any) -> float:
    if type(value) is str:
        return float(value)
    raise ValueError


def _lax_bool(value: Any) -> bool:
    known = {"true": True, "1": True, "false": False, "0": False}
    if type(value) is str and value.lower() in known:
        return known[value.lower()]
    if type(value) is int and value in (0, 1):
        return bool(value)
    raise ValueError


def _of_text(make: Callable[[str], Any]) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if type(value) is not str:
            raise ValueError
        return make(value)

    return convert


_LAX: dict[type, Callable[[Any], Any]] = {
    int: _lax_int,
    float: _lax_float,
    bool: _lax_bool,
    datetime.datetime: _of_text(datetime.datetime.fromisoformat),
    datetime.date: _of_text(datetime.date.fromisoformat),
    datetime.time: _of_text(datetime.time.fromisoformat),
    decimal.Decimal: _of_text(decimal.Decimal),
    fractions.Fraction: _of_text(fractions.Fraction),
    uuid.UUID: _of_text(uuid.UUID),
}


class _Compiler:
    def __init__(
        self, strict: bool, deny_extra: bool, dec_hook: Callable[[Any, Any], Any] | None
    ) -> None:
        self.strict = strict
        self.deny_extra = deny_extra
        self.dec_hook = dec_hook
        self.nodes: list[Node] = []
        self.known: dict[Any, int] = {}
        self.named: list[Any] = []
        whatever = Node(self)
        whatever.any, whatever.text = True, "anything"
        self.nodes.append(whatever)

    def fit(self, number: int, value: Any) -> Any:
        return self.nodes[number].fit(value)

    def integers(self) -> int:
        return self.node(int)

    def only(self, node: Node, number: int) -> int:
        other = Node(self)
        other.text, other.classes, other.made_of = (
            node.text,
            [node.classes[number]],
            [node.made_of[number]],
        )
        self.nodes.append(other)
        return len(self.nodes) - 1

    def node(self, tp: Any, names: dict[Any, Any] | None = None) -> int:
        """The number of a type's node; ``names`` are types by type variable."""
        tp = _unwrapped(tp, names or {})
        if tp is Any or tp is object:
            return 0
        key = (tp, tuple(sorted((names or {}).items(), key=repr)) if _has_variables(tp) else ())
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
        node.text = _text(tp)
        self.fill(node, tp, names or {})
        return number

    def fill(self, node: Node, tp: Any, names: dict[Any, Any]) -> None:
        tp = _unwrapped(tp, names)
        origin, arguments = typing.get_origin(tp), typing.get_args(tp)
        if tp is Any or tp is object:
            node.any = True
        elif tp is None or tp in _SCALARS:
            setattr(node, _SCALARS[tp or types.NoneType], True)
        elif origin in (typing.Union, types.UnionType):
            for each in arguments:
                self.fill(node, each, names)
        elif origin is typing.Literal:
            for each in arguments:
                if isinstance(each, enum.Enum):
                    self.named.append(type(each))
                node.literals.append(each)
        elif isinstance(tp, str | typing.ForwardRef):
            raise TypeError(
                f"holdall: the type {tp!r} is not known here; give it as a type, not as text"
            )
        else:
            self.fill_class(node, tp, origin or tp, arguments, names)

    def fill_class(
        self, node: Node, tp: Any, origin: Any, arguments: tuple[Any, ...], names: dict[Any, Any]
    ) -> None:
        def child(at: int) -> int:
            return self.node(arguments[at], names) if at < len(arguments) else 0

        if origin is tuple:
            if len(arguments) == 2 and arguments[1] is Ellipsis:
                node.row = child(0)
            elif tp is tuple:
                node.row = 0
            else:
                node.tuple = [child(at) for at in range(len(arguments))]
        elif origin in _LISTS:
            node.list = child(0)
        elif origin in _SETS:
            node.set = child(0)
        elif origin is frozenset:
            node.frozenset = child(0)
        elif origin in _DICTS:
            node.dict = (child(0), child(1))
        elif origin in _OTHERS:
            node.others.append((origin, [child(0), child(1)]))
        elif not isinstance(origin, type):
            raise TypeError(f"holdall: {tp!r} is not a type that data can be read as")
        elif typing.is_typeddict(origin):
            self.fill_fields(node, origin, arguments, names, _classes.Decoding("dict"))
        elif issubclass(origin, enum.Enum):
            node.enums.append(origin)
            self.named.append(origin)
        elif self.is_object(origin):
            registration = by_class.get(origin)
            self.named.append(origin)
            if not _classes.has_fields(origin):
                node.hooked.append(origin)
            if registration and (registration.upgrade or callable(registration.decode)):
                # Which version came is known where it comes.
                node.instances.append(origin)
            else:
                self.fill_fields(node, origin, arguments, names, _classes.decoding(origin))
        else:
            node.instances.append(origin)
            if origin not in _KNOWN:
                node.hooked.append(origin)
                self.named.append(origin)

    def is_object(self, cls: type) -> bool:
        if cls.__module__ in (
            "builtins",
            "datetime",
            "decimal",
            "uuid",
            "fractions",
            "pathlib",
            "ipaddress",
            "array",
        ):
            return False
        kind = _classes.encode_plan(cls)[0]
        return kind in ("instance", "namedtuple") or _classes.has_fields(cls)

    def fill_fields(
        self,
        node: Node,
        cls: Any,
        arguments: tuple[Any, ...],
        names: dict[Any, Any],
        plain: _classes.Decoding,
    ) -> None:
        own = dataclasses.replace(
            plain, cls=cls, deny_extra=self.deny_extra, nodes={}, names=_classes.names_of(cls)
        )
        node.classes.append(own)
        node.made_of.append(cls if not typing.is_typeddict(cls) else _Never)
        variables = getattr(cls, "__parameters__", ())
        inner = {
            **names,
            **dict(zip(variables, (_replaced(each, names) for each in arguments), strict=False)),
        }
        try:
            hints = typing.get_type_hints(cls, include_extras=True)
        except NameError as error:
            raise TypeError(
                f"holdall: a type in {cls.__qualname__} is not known: {error}"
            ) from error
        fields = _classes.typed_fields(cls, hints)
        registration = by_class.get(cls)
        rename = registration.rename if registration else {}
        is_model = _classes._is_model(cls)
        for field in fields.names:
            hint = hints.get(field, Any)
            name = rename.get(field, field)
            is_open = field in fields.open or (is_model and not _has_models(hint))
            own.nodes[name] = 0 if is_open else self.node(hint, inner)
            for alias in fields.aliases.get(field, ()):
                own.nodes[alias] = own.nodes[name]
        if fields.are_all:
            own.attributes = {rename.get(field, field): field for field in fields.names}
            for field, aliases in fields.aliases.items():
                own.attributes.update(dict.fromkeys(aliases, field))
        if own.kind == "fields":
            own.defaults = _classes.defaults_of(cls, all_of_them=True)
        own.required = [rename.get(field, field) for field in fields.required]
        if fields.build is not None:
            own.kind, own.build = "build", fields.build
        own.post = fields.post


class _Never:
    """A class that nothing is an instance of."""


#: Classes of the library's own list, whose objects come as they are.
_KNOWN = {*_LAX, datetime.timedelta, complex, bytearray, memoryview, slice, range}


def _unwrapped(tp: Any, names: dict[Any, Any]) -> Any:
    for _ in range(100):
        origin = typing.get_origin(tp)
        if origin in _WRAPPERS or getattr(origin, "__name__", "") == "ReadOnly":
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
                return Any
        elif type(tp).__name__ == "TypeAliasType":
            tp = tp.__value__
        elif type(origin).__name__ == "TypeAliasType":
            inner = dict(zip(origin.__type_params__, typing.get_args(tp), strict=False))
            tp = _replaced(origin.__value__, inner)
        else:
            return tp
    raise TypeError(f"holdall: {tp!r} is nothing but names of itself")


def _replaced(tp: Any, names: dict[Any, Any]) -> Any:
    """A type with type variables replaced."""
    parameters = getattr(tp, "__parameters__", ())
    if isinstance(tp, typing.TypeVar):
        return names.get(tp, tp)
    if not parameters or not names:
        return tp
    return tp[tuple(names.get(each, each) for each in parameters)]


def _has_variables(tp: Any) -> bool:
    return bool(getattr(tp, "__parameters__", ()))


def _has_models(hint: Any) -> bool:
    """Whether a type mentions a class with fields: those are made by their own nodes."""
    hint = _unwrapped(hint, {})
    arguments = typing.get_args(hint)
    if arguments:
        return any(_has_models(each) for each in arguments if each is not Ellipsis)
    return isinstance(hint, type) and _classes.has_fields(hint)


def _text(tp: Any) -> str:
    origin, arguments = typing.get_origin(tp), typing.get_args(tp)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(map(_text, arguments))
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if tp is types.NoneType or tp is None:
        return "None"
    if tp is Ellipsis:
        return "..."
    name = getattr(origin or tp, "__qualname__", None) or repr(tp)
    if isinstance(tp, typing.TypeVar):
        return tp.__name__
    return f"{name}[{', '.join(map(_text, arguments))}]" if arguments else name


@functools.lru_cache(maxsize=256)
def _compiled(
    tp: Any, strict: bool, deny_extra: bool, dec_hook: Any, module: Any
) -> tuple[list[Node], list[Any]]:
    compiler = _Compiler(strict, deny_extra, dec_hook)
    root = compiler.node(tp)
    if root == 0:
        compiler.nodes.append(compiler.nodes[0])
    for node in list(compiler.nodes):
        # They have to be there before the compiled half takes them over.
        for number in range(len(node.classes)):
            if len(node.classes) > 1 or node.null or node.list is not None or node.dict is not None:
                node.class_node(number)
            else:
                node.class_nodes[number] = compiler.nodes.index(node)
    return compiler.nodes, compiler.named


_registry.changed.append(_compiled.cache_clear)


def compile(
    tp: Any, *, strict: bool, deny_extra: bool, dec_hook: Any
) -> tuple[list[Node] | None, list[Any]]:
    """The nodes of a type, the root's first but for the one that takes everything; and the classes that it names."""
    if isinstance(tp, str):
        raise TypeError("holdall: give a type, not its name")
    try:
        return _compiled(tp, strict, deny_extra, dec_hook, None)
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
    return _compiled.__wrapped__(tp, strict, deny_extra, dec_hook, None)


__all__ = ["Node", "SchemaError", "compile", "sys"]
