"""Runs the opcodes of a pickle on a stack of data. It imports nothing, and calls nothing that the pickle names.

The names of opcodes are those of `pickletools`. A class or function is an extension "py.callable" with its name, an object of
a class a `Made`, and what the standard library pickles by functions is what `known` makes of it.
"""

from __future__ import annotations

import _compat_pickle
import collections
import sys
from collections.abc import Callable, Iterable
from typing import Any

from ..._errors import DecodeError, LimitError
from .. import _plain
from .._values import Extension, Record
from .found import Found

#: The units that one value on the stack takes.
_UNIT = 8
#: A mark takes a list.
_MARK_UNITS = 64
#: Tuples of this depth and more are refused in keys: CPython would use up its stack when it hashes them.
_KEY_DEPTH = 1000
#: The values that have no identity: each use of one writes it.
_SCALARS = (str, bytes, int, float)

_MISSING: Any = object()


class Made(Record):
    """An object of a class: a record that has all parts that a pickle gives it. Its fields come last, from `objects`."""

    __slots__ = ("args", "entries", "how", "items", "keywords", "states")
    # Until then it has none, and is equal to no other object.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(self, name: str, how: str, args: tuple[Any, ...], keywords: Any = None) -> None:
        super().__init__(name)
        #: "call" for arguments of the class or function, "new" for those of ``__new__``, "base" for content of a builtin base.
        self.how = how
        self.args = args
        self.keywords = keywords
        self.items: list[Any] = []
        self.entries: list[tuple[Any, Any]] = []
        self.states: list[Any] = []

    @property
    def name(self) -> str:
        """The name of the class or function."""
        return self.__holdall_name__


# Packed as the record that it is.
_plain.NATIVE[Made] = "record"

#: Makes a value of the arguments of a function. None if they are not those that the library itself writes.
Known = Callable[["Machine", tuple[Any, ...]], Any]
#: Makes the value that replaces one whose state follows it.
Built = Callable[["Machine", Any, Any], Any]


class Machine:
    """The stack, the memo and the opcodes."""

    def __init__(
        self,
        found: Found,
        known: dict[str, Known],
        states: dict[str, Built],
        *,
        encoding: str,
        buffers: Iterable[Any] | None,
        budget: int,
    ) -> None:
        self.found = found
        self.known = known
        self.built = states
        self.made: list[Made] = []
        self._encoding = encoding
        self._buffers = None if buffers is None else iter(buffers)
        self._left = budget
        self.stack: list[Any] = []
        self.below: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        #: Where an object is in the memo whose state may replace it.
        self._places: dict[int, int] = {}
        self._names: dict[str, Extension] = {}
        self._offsets: dict[str, int] = {}
        self._used: set[str] = set()
        #: The depth of tuples in tuples, with the tuples, so that their identity stays their own.
        self._depths: dict[int, tuple[Any, int]] = {}
        self._protocol = 0

    # ---- the stack ----

    def spend(self, units: int) -> None:
        """Takes units from the budget, before the memory is used."""
        self._left -= units
        if self._left < 0:
            raise LimitError(
                "the pickle needs more memory than the budget; if you trust it, pass a larger limits=holdall.Limits(budget=...)",
                code="limit_budget",
            )

    def push(self, value: Any) -> None:
        self.spend(_UNIT)
        self.stack.append(value)

    def push_again(self, value: Any) -> None:
        """Pushes a value that exists already: one without identity is written once more."""
        if type(value) is tuple and len(value) <= 8:
            self.spend(sum(sys.getsizeof(each) for each in value if isinstance(each, _SCALARS)))
        elif not isinstance(value, list | dict | set | Record | Extension):
            self.spend(sys.getsizeof(value))
        self.push(value)

    def top(self) -> Any:
        if not self.stack:
            raise invalid("an opcode without the values that it needs")
        return self.stack[-1]

    def pop(self) -> Any:
        value = self.top()
        del self.stack[-1]
        return value

    def mark(self) -> None:
        self.spend(_MARK_UNITS)
        self.below.append(self.stack)
        self.stack = []

    def pop_mark(self) -> list[Any]:
        """The values since the last mark."""
        if not self.below:
            raise invalid("an opcode without the mark that it needs")
        values, self.stack = self.stack, self.below.pop()
        return values

    # ---- the memo ----

    def put(self, key: int) -> None:
        value = self.top()
        self.spend(_MARK_UNITS)
        self.memo[key] = value
        if type(value) is Made or type(value) is Extension:
            self._places[id(value)] = key

    def get(self, key: int) -> None:
        value = self.memo.get(key, _MISSING)
        if value is _MISSING:
            raise invalid(f"the memo's value {key}, which it did not set")
        self.push_again(value)

    def replace_top(self, value: Any) -> None:
        """Replaces the value at the top by what its state made of it, in the memo too."""
        before = self.top()
        if value is before:
            return
        key = self._places.pop(id(before), None)
        if key is not None and self.memo.get(key) is before:
            self.memo[key] = value
        self.stack[-1] = value

    # ---- names ----

    def name(self, name: str) -> Extension:
        """The class or function of a name."""
        found = self._names.get(name)
        if found is None:
            found = self._names[name] = Extension("py.callable", name)
            self._offsets[name] = self.found.at
        return found

    def use(self, value: Any) -> str | None:
        """The name of a class or function that makes an object; None for other values."""
        name = name_of(value)
        if name is not None:
            self._used.add(name)
        return name

    def held_names(self) -> dict[str, int]:
        """The names that only occur as values, and where they do first."""
        return {name: at for name, at in self._offsets.items() if name not in self._used}

    def global_name(self, module: Any, name: Any) -> Any:
        if type(module) is not str or type(name) is not str:
            raise invalid("a name that is not text")
        if self._protocol < 3:
            # Those of Python 2.
            both = (module, name)
            if both in _compat_pickle.NAME_MAPPING:
                module, name = _compat_pickle.NAME_MAPPING[both]
            elif module in _compat_pickle.IMPORT_MAPPING:
                module = _compat_pickle.IMPORT_MAPPING[module]
        whole = f"{module}.{name}"
        if whole in _CONSTANTS:
            return _CONSTANTS[whole]
        return self.name(whole)

    # ---- objects ----

    def make(self, name: str, how: str, args: tuple[Any, ...], keywords: Any = None) -> Made:
        """A new object, whose class or function is named."""
        self.spend(_MARK_UNITS)
        made = Made(name, how, args, keywords)
        self.made.append(made)
        if name not in self.built:
            self.found.seen(name)
        return made

    def reduce(self, function: Any, args: Any) -> Any:
        """What the call of a function is as data."""
        if type(args) is not tuple:
            raise invalid("arguments that are not a tuple")
        name = self.use(function)
        if name is None:
            return self.partial(function, args)
        if name == "builtins.NoneType" and not args:
            return None
        known = self.known.get(name)
        if known is not None:
            value = known(self, args)
            if value is not None:
                return value
        member = self.found.member(name, args)
        return self.make(name, "call", args) if member is None else member

    def partial(self, function: Any, args: tuple[Any, ...]) -> Any:
        """The call of a method; protocols 2 and 3 write arguments of ``__new__`` with names as a partial."""
        if type(function) is Extension and function.name == "py.partial" and function.value:
            called, given, keywords, _ = function.value
            owner, _, method = (name_of(called) or "").rpartition(".")
            if method == "__new__" and given and not args and self.use(given[0]) == owner:
                self.use(called)
                return self.make(owner, "new", given[1:], keywords)
        if type(function) is Extension and function.name in ("py.partial", "py.method"):
            return self.make("builtins.getattr", "call", (function, *args))
        raise invalid(f"a call of {type(function).__name__}, which is no class or function")

    def new(self, cls: Any, args: Any, keywords: Any = None) -> Any:
        """An object that ``cls.__new__`` makes."""
        name = self.use(cls)
        if name is None or type(args) is not tuple or type(keywords) not in (dict, type(None)):
            raise invalid("an object whose class is not the name of one")
        if name == "builtins.object":
            return Extension("py.object")
        if name == "collections.ChainMap":
            return Extension("py.chain_map", [])
        return self.make(name, "new", args, keywords)

    def build(self, state: Any) -> None:
        """Applies a state to the object at the top."""
        target = self.top()
        if type(target) is Made:
            built = self.built.get(target.name)
            if built is not None:
                self.replace_top(built(self, target, state))
            else:
                target.states.append(state)
            return
        built = self.built.get(target.name) if type(target) is Extension else None
        if built is None:
            raise invalid(f"a state for a {type(target).__name__}, which has none")
        self.replace_top(built(self, target, state))

    def append(self, values: list[Any]) -> None:
        target = self.top()
        if type(target) is list:
            target += values
        elif type(target) is Made:
            target.items += values
        elif type(target) is Extension and target.name == "py.deque":
            target.value[0].extend(values)
        else:
            raise invalid(f"items for a {type(target).__name__}, which has none")

    def set_items(self, pairs: list[Any]) -> None:
        target = self.top()
        if len(pairs) % 2:
            raise invalid("a key without a value")
        items = list(zip(pairs[::2], pairs[1::2], strict=True))
        if type(target) is Made:
            target.entries += items
            return
        if type(target) is Extension and target.name == "py.defaultdict":
            target = target.value[1]
        if type(target) not in (dict, collections.OrderedDict):
            raise invalid(f"entries for a {type(target).__name__}, which has none")
        for key, value in items:
            target[self.key(key)] = value

    def members(self, values: list[Any]) -> None:
        target = self.top()
        if type(target) is not set:
            raise invalid(f"members for a {type(target).__name__}, which has none")
        target.update(map(self.key, values))

    def key(self, value: Any) -> Any:
        """Checks a key or member."""
        if type(value) is tuple and self._depths.get(id(value), (value, 1))[1] >= _KEY_DEPTH:
            raise LimitError("the pickle has a key of too many tuples", code="limit_depth")
        return value

    def push_tuple(self, values: Iterable[Any]) -> None:
        made = tuple(values)
        self.spend(_UNIT * len(made))
        inside = [self._depths.get(id(each), (each, 1))[1] for each in made if type(each) is tuple]
        if inside:
            self._depths[id(made)] = (made, 1 + max(inside))
        self.push(made)

    # ---- other opcodes ----

    def protocol(self, number: int) -> None:
        if number > 5:
            raise invalid(f"protocol {number}, which is later than 5")
        self._protocol = number

    def text(self, data: bytes | str) -> None:
        """A str of Python 2, whose bytes `pickletools` reads as Latin-1."""
        data = data.encode("latin-1") if isinstance(data, str) else data
        self.push(data if self._encoding == "bytes" else data.decode(self._encoding))

    def class_name(self, names: tuple[str, str]) -> None:
        self.push(self.global_name(*names))

    def named_class(self, _: Any) -> None:
        name, module = self.pop(), self.pop()
        self.push(self.global_name(module, name))

    def extension(self, code: int) -> None:
        """A code of `copyreg`, as a name."""
        name = self.found.extension(code)
        self.push(self.name(name))

    def persistent(self, key: Any) -> None:
        self.found.other("persistent_id", str(key)[:100])
        self.push(Extension("pickle.persistent_id", key))

    def instance(self, names: tuple[str, str]) -> None:
        args = tuple(self.pop_mark())
        self.push(self.called(self.global_name(*names), args))

    def old_object(self, _: Any) -> None:
        cls, *args = self.pop_mark() or [None]
        self.push(self.called(cls, tuple(args)))

    def called(self, cls: Any, args: tuple[Any, ...]) -> Any:
        """An object of a class of Python 2: without arguments it is made without its constructor."""
        return self.reduce(cls, args) if args else self.new(cls, ())

    def buffer(self, _: Any) -> None:
        if self._buffers is None:
            raise DecodeError(
                "the pickle has buffers outside of it: pass those of its buffer_callback as buffers=",
                code="unrepresentable",
            )
        try:
            view = memoryview(next(self._buffers))
        except StopIteration:
            raise invalid("more buffers than buffers= has") from None
        self.spend(view.nbytes)
        self.push(bytes(view) if view.readonly else bytearray(view))

    def read_only(self, _: Any) -> None:
        self.stack[-1] = bytes(memoryview(self.top()))


def name_of(value: Any) -> str | None:
    """The name of a class or function; None for other values."""
    if type(value) is Extension and value.name == "py.callable":
        name: str = value.value
        return name
    return None


_CONSTANTS = {"builtins.Ellipsis": ..., "builtins.NotImplemented": NotImplemented}


def invalid(what: str) -> DecodeError:
    return DecodeError(f"the pickle has {what}", code="bad_pickle")
