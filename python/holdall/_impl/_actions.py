"""What the actions of a format do to a value: they are called for what is in it, and what they return takes its place."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .._errors import EncodeError, cut_off, field_step, make
from ._encode_plans import encode_plan
from ._values import Extension, Logical, Record, Variant, _fields

#: Values that hold no others.
_BASIC = (type(None), bool, int, float, str, bytes)
#: What a format of the program is not asked about.
_PLAIN = (list, tuple, dict)


class _Walk:
    """Replaces values inside others. What contains none that was replaced stays the object that it is."""

    def __init__(self, action: Callable[[Any], Any]) -> None:
        self.action = action
        #: The steps to the current value.
        self.path: list[str] = []

    def value(self, obj: Any) -> Any:
        """What takes the place of a value."""
        raise NotImplementedError

    def other(self, obj: Any) -> Any:
        """The object, or one like it with the values in place of its own; for kinds that `within` does not know."""
        return obj

    def within(self, obj: Any) -> Any:
        """The object, or one like it with the values in place of its own."""
        kind = type(obj)
        if kind in _BASIC:
            return obj
        if kind in (list, tuple, set, frozenset, collections.deque):
            items = [self.at(f"[{at}]", item) for at, item in enumerate(obj)]
            if all(new is old for new, old in zip(items, obj, strict=True)):
                return obj
            if kind is collections.deque:
                return collections.deque(items, obj.maxlen)
            return kind(items) if kind in (list, tuple) else self.hashed(kind, items)
        if kind in (dict, collections.OrderedDict, collections.Counter, collections.defaultdict):
            return self.entries(kind, obj)
        if kind in (Extension, Variant, Logical):
            value = self.at("", obj.value)
            return obj if value is obj.value else kind(*obj._key(), value)
        if kind is Record:
            fields = self.entries(dict, _fields(obj))
            return obj if fields is _fields(obj) else Record(obj.__holdall_name__, fields)
        return self.other(obj)

    def at(self, step: str, obj: Any) -> Any:
        self.path.append(step)
        made = self.value(obj)
        self.path.pop()
        return made

    def entries(self, kind: type, mapping: Any) -> Any:
        made = []
        for at, (key, value) in enumerate(mapping.items()):
            step = field_step(key) if type(key) is str else f"[{at}]"
            made.append((self.at(f"[{at}].key", key), self.at(step, value)))
        pairs = zip(made, mapping.items(), strict=True)
        if all(new[0] is old[0] and new[1] is old[1] for new, old in pairs):
            return mapping
        entries = self.hashed(dict, made)
        if kind is dict:
            return entries
        if kind is collections.defaultdict:
            return collections.defaultdict(mapping.default_factory, entries)
        like = kind(entries)
        vars(like).update(vars(mapping))
        return like

    def hashed(self, kind: type, items: list[Any]) -> Any:
        try:
            return kind(items)
        except TypeError as error:
            raise self.error(
                f"a key or member that has a hash, got another from the actions of the format ({error})"
            ) from None

    def error(self, expected: str) -> EncodeError:
        path = cut_off("$" + "".join(self.path))
        return EncodeError(
            f"unrepresentable in {path}: expected {expected}", code="unrepresentable", path=path
        )


#: Stands for an object around the current value.
_OPEN = object()


class _Encoding(_Walk):
    def __init__(self, action: Callable[[Any], Any]) -> None:
        super().__init__(action)
        #: What each object became, `_OPEN` inside it. The object is kept, or another one could get its address.
        self.known: dict[int, tuple[Any, Any]] = {}

    def value(self, obj: Any) -> Any:
        kind = type(obj)
        if kind in _BASIC:
            return obj
        known = self.known.get(id(obj))
        if known is not None:
            if known[1] is _OPEN:
                raise self.error(
                    f"a value that does not contain itself, got a {kind.__name__} that does; let encode return something else in its place"
                )
            return known[1]
        self.known[id(obj)] = (obj, _OPEN)
        instead = obj if kind in _PLAIN else self.action(obj)
        made = self.within(instead)
        if instead is obj:
            self.known[id(obj)] = (obj, made)
        else:
            # A replacement is made anew for each place: the format may have no shared values.
            del self.known[id(obj)]
        return made

    def other(self, obj: Any) -> Any:
        form = _form(obj)
        if form is None:
            return obj
        made = self.within(form)
        return obj if made is form else made


def _form(obj: Any) -> Any:
    """The record or extension that an object of a class is packed as; None if it has no values that can be replaced."""
    plan = encode_plan(type(obj))
    if plan[0] in ("hook", "atom", "ndarray", "exception"):
        try:
            return plan[-1](obj)
        except EncodeError:
            # Packing the object fails with its path, or asks the enc_hook.
            return None
    if plan[0] == "namedtuple":
        return Record(plan[1], dict(zip(plan[2], obj, strict=True)))
    if plan[0] != "instance":
        return None
    _, name, slots, has_dict, names, encode, unset, only, *_ = plan
    nothing = object() if unset is None else unset
    held = [(attribute, field, getattr(obj, attribute, nothing)) for attribute, field in slots]
    if has_dict:
        own = vars(obj).items()
        held += [(each, (names or {}).get(each, each), value) for each, value in own]
    fields = {
        field: encode[attribute](value) if encode and attribute in encode else value
        for attribute, field, value in held
        if value is not nothing and field is not None and (only is None or attribute in only)
    }
    return Record(name, fields)


class _Decoding(_Walk):
    def value(self, obj: Any) -> Any:
        made = self.within(obj)
        return self.action(made) if type(made) is Extension else made


@contextmanager
def _placed(walk: _Walk, side: str) -> Iterator[None]:
    """Exceptions of actions get the path of the value, and become errors as those of hooks do. Actions are applied by recursion."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as raised:
        path = cut_off("$" + "".join(walk.path))
        made = make(side, "custom", None, path, "", None, None, None, raised)
        raise made from made.__cause__


def encoded(obj: Any, encode: Callable[[Any], Any]) -> Any:
    """An object with what `encode` returns for it, or for the objects in it."""
    walk = _Encoding(encode)
    with _placed(walk, "encode"):
        return walk.value(obj)


def decoded(value: Any, decode: Callable[[Extension], Any]) -> Any:
    """A value with what `decode` returns for each extension in it, the inner ones first."""
    walk = _Decoding(decode)
    with _placed(walk, "decode"):
        return walk.value(value)
