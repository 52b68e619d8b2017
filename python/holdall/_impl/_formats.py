"""Other formats by name: `dumps(obj, format="msgpack")`, `loads(data, T, format="dlhn")`, and those of the program."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import datetime
import functools
import json
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from .. import _holdall
from .._errors import EncodeError, Error, field_step, make
from . import _actions, _hints
from ._advice import AS_NONE, advised
from ._api import decoder_of, default_encoder
from ._codec import Decoder, Encoder
from ._contents import Contents
from ._keywords import names_checked
from ._limited import limits_of
from ._options import DecodeOptions
from ._spellings import SPELLINGS, Spelling
from ._values import Extension

#: Options of holdall's own messages, which other formats do not have.
OF_MESSAGES = frozenset(
    [
        "buffer_callback",
        "buffers",
        "checksum",
        "compress",
        "dictionaries",
        "dictionary",
        "metadata",
        "profile",
        "header",
        "schema",
        "store",
        "threads",
    ]
)


class EncodeActions(Protocol):
    """What a format of the program does with values that the format below it lacks. One is made for each message, so it can keep
    what it has seen. It may have a `decode`, too, where that format has extensions. An exception of either is an error with the path.
    """

    def encode(self, obj: Any, /) -> Any:
        """Returns what to write in place of an object, or the object itself. It is called for all but None, bool, int, float, str,
        bytes, list, tuple and dict, then for the objects in what it returned.
        """
        ...


class Actions(EncodeActions, Protocol):
    """Actions for both ways."""

    def decode(self, value: Extension, /) -> Any:
        """Returns the object that an extension of the format stands for, or the extension itself. Extensions in it were decoded."""
        ...


@dataclasses.dataclass(frozen=True)
class _Registered:
    extends: str | None
    actions: Callable[[], EncodeActions] | None
    dumps: Callable[[Any], bytes] | None
    loads: Callable[[bytes], Any] | None


_registered: dict[str, _Registered] = {}


def formats() -> list[str]:
    """The names of all formats that `dumps` and `loads` take as ``format``.

    >>> "msgpack" in holdall.formats()
    True
    """
    return sorted(["holdall", *_holdall.format_names(), *_registered])


@names_checked
def register_format(
    name: str,
    *,
    extends: str | None = None,
    actions: Callable[[], EncodeActions] | None = None,
    dumps: Callable[[Any], bytes] | None = None,
    loads: Callable[[bytes], Any] | None = None,
) -> None:
    """Registers a format under a name, in place of one that was registered before: by two functions, or as one that exists with
    actions for values that are more than None, bool, int, float, str, bytes, list, tuple and dict. What the functions and an action's
    ``encode`` and ``decode`` raise is the cause of an EncodeError or DecodeError with the code ``custom``.

    >>> import fractions
    >>> class Ratios:
    ...     def encode(self, obj):
    ...         return holdall.Extension("msgpack.ext", (5, str(obj).encode()))
    ...     def decode(self, value):
    ...         return fractions.Fraction(value.value[1].decode())
    >>> holdall.register_format("ratios", extends="msgpack", actions=Ratios)
    >>> data = holdall.dumps([fractions.Fraction(1, 3)], format="ratios")
    >>> data.hex(" ")
    '91 c7 03 05 31 2f 33'
    >>> holdall.loads(data, format="ratios")
    [Fraction(1, 3)]
    """
    if not (isinstance(name, str) and name):
        error = ValueError if name == "" else TypeError
        raise error(f"name must be text, and not empty, not {name!r}")
    if name == "holdall" or name in _holdall.format_names():
        raise ValueError(f"format {name!r} cannot be replaced; register another name")
    is_function = dumps is not None or loads is not None
    if (extends is None) != is_function or (extends is None) != (actions is None):
        raise TypeError("a format needs extends= and actions=, or dumps= and loads=")
    for option, given in (("actions", actions), ("dumps", dumps), ("loads", loads)):
        if given is not None and not callable(given):
            raise TypeError(f"{option} must be a class or function, not {given!r}")
    if extends == "holdall":
        raise ValueError(
            "format 'holdall' cannot be extended: its messages have enc_hook= and dec_hook= for objects of other classes"
        )
    others = [each for each in formats() if each != "holdall"]
    if extends is not None and extends not in others:
        raise ValueError(f"there is no format {extends!r} to extend; there are {', '.join(others)}")
    if extends is not None:
        _check_decode(extends, actions)
    _registered[name] = _Registered(extends, actions, dumps, loads)


#: Formats whose data have no extensions.
_WITHOUT_EXTENSIONS = ("json", "ndjson", "csv", "dlhn")


def _check_decode(extends: str, actions: Any) -> None:
    if hasattr(actions, "decode") and _root(extends) in _WITHOUT_EXTENSIONS:
        raise TypeError(
            f"format {_root(extends)!r} has no extensions, so decode would never be called; "
            "leave it out, and read the values by type="
        )


def _made(known: _Registered) -> EncodeActions:
    """The actions of a message. Those that a function makes are known only now."""
    assert known.extends is not None
    assert known.actions is not None
    actions = known.actions()
    _check_decode(known.extends, actions)
    return actions


class _FormatEncoder(Encoder):
    """An encoder of messages that become data of another format, which has no identities."""

    __slots__ = ()
    _tracks_atoms = False


@functools.cache
def _encoder() -> Encoder:
    """For objects without options."""
    return _FormatEncoder(profile="fast")


def write(
    name: str, obj: Any, options: Mapping[str, Any], *, storage: bool = False, copies: bool = False
) -> bytes:
    """An object in a format. The options are those of `Encoder` that concern the object."""
    known = _registered.get(name)
    if known is None:
        _checked(name)
        _check_options(name, options, OF_MESSAGES)
        if name == "csv" and not storage:
            _check_empty_texts(obj)
        limit = limits_of(options.get("limits"), "output")
        if limit.output is not None:
            # It is for the bytes of the format, not for the message before them.
            options = {**options, "limits": dataclasses.replace(limit, output=None)}
        encoder = _FormatEncoder(profile="fast", **options) if options else _encoder()
        message = encoder.encode(obj)
        try:
            return _holdall.write_format(name, message, storage, copies, limit.output)
        except EncodeError as error:
            raise advised(error, storage=storage, copies=copies) from None
    if known.extends is None:
        _check_options(name, options, options)
        if storage or copies:
            raise TypeError(
                f"storage= and copies= are not for format {name!r}, which is a function"
            )
        if known.dumps is None:
            raise ValueError(f"format {name!r} only reads")
        with _as_errors("encode"):
            data = known.dumps(obj)
        if not isinstance(data, bytes):
            raise TypeError(
                f"dumps of format {name!r} must return bytes, not {type(data).__name__}"
            )
        return data
    if known.actions is not None:
        obj = _actions.encoded(obj, _made(known).encode)
    if not (options or storage or copies):
        return _holdall.dumps(obj, format=known.extends)
    return write(known.extends, obj, options, storage=storage, copies=copies)


class _CellDecoder(Decoder[Any]):
    """A decoder of messages whose text is from the cells of CSV."""

    __slots__ = ()
    _spelling = SPELLINGS["csv"]

    def texts(self) -> str | None:
        """The fields of the requested classes that have a type, as schema text in which they are text: so their columns are not
        inferred.
        """
        names = {
            name
            for node in self._nodes or ()
            for own in node.classes
            for name, number in own.nodes.items()
            if number
        }
        fields = ", ".join(f"{json.dumps(name)}: string" for name in sorted(names))
        return f"list(record {{{fields}}})" if fields else None


def _decoder_class(spelling: Spelling) -> type[Decoder[Any]]:
    """Decoders of messages whose values are from another format."""
    return type("_FormatDecoder", (Decoder,), {"__slots__": (), "_spelling": spelling})


#: By the names of formats.
_DECODERS = {
    name: _CellDecoder if spelling.is_cells else _decoder_class(spelling)
    for name, spelling in SPELLINGS.items()
}


def read(name: str, data: Any, tp: Any, options: DecodeOptions, *, infer: bool = False) -> Any:
    """The object of data in a format. The options are those of `Decoder` that concern the object."""
    known = _registered.get(name)
    kind = _DECODERS.get(_root(name), Decoder)
    if known is None:
        _checked(name)
        _check_options(name, options, OF_MESSAGES)
        if infer and name != "csv":
            raise TypeError("infer= is for format 'csv'")
        decoder = decoder_of(tp, options, kind)
        if options.get("types") and not _asks_for_classes(decoder):
            raise _useless_types(name)
        names = None
        if tp is not None and name == "dlhn":
            names = _names(tp, ())
        elif infer and isinstance(decoder, _CellDecoder):
            names = decoder.texts()
        schema = None if names is None else _holdall.Schema.parse(names)
        return decoder.decode(_holdall.read_format(name, data, infer, schema))
    if known.extends is None:
        _check_options(name, options, options)
        if known.loads is None:
            raise ValueError(f"format {name!r} only writes")
        copy = bytes(data)
        with _as_errors("decode"):
            value = known.loads(copy)
    elif _root(name) in _WITHOUT_EXTENSIONS:
        if options.get("types") and (tp is None or tp is Any):
            raise _useless_types(name)
        _made(known)
        return read(known.extends, data, tp, options, infer=infer)
    else:
        if options.get("types") and (tp is None or tp is Any):
            raise _useless_types(name)
        if options or infer:
            value = read(known.extends, data, None, _without_types(options), infer=infer)
        else:
            value = _holdall.loads(data, format=known.extends)
        decode = getattr(_made(known), "decode", None)
        if decode is not None:
            value = _actions.decoded(value, decode)
    # The values of the type are known only after the actions. What they returned can be any objects, which only packing knows.
    if tp is None:
        return value
    return decoder_of(tp, options, kind).decode(default_encoder.encode(value))


def _root(name: str) -> str:
    """The format that a format extends, at the end of the chain."""
    known = _registered.get(name)
    return name if known is None or known.extends is None else _root(known.extends)


def _asks_for_classes(decoder: Decoder[Any]) -> bool:
    asked = (own for node in decoder._nodes or () for own in node.classes)
    return any(not isinstance(own, Contents) for own in asked)


def _useless_types(name: str) -> TypeError:
    # No other format has names of classes.
    return TypeError(
        f"types= needs a type= that asks for classes here, because data of format {name!r} name none; pass type=list[...]"
    )


def _without_types(options: DecodeOptions) -> DecodeOptions:
    """The options of data before the actions: the classes of types= are those of what the actions return."""
    left = options.copy()
    left.pop("types", None)
    return left


def _check_options(name: str, options: Mapping[str, Any], useless: Iterable[str]) -> None:
    for option in options:
        if option in useless:
            raise TypeError(f"{option}= is for messages of holdall, not for format {name!r}")


def _optional_fields(kind: type) -> tuple[str, ...]:
    """The fields of a class that can be None."""
    if kind.__module__ == "builtins":
        return ()
    try:
        hints = typing.get_type_hints(kind)
    except Exception:  # Names that nothing has, as in annotations for tools alone.
        return ()
    return tuple(name for name, hint in hints.items() if _can_be_none(hint))


def _can_be_none(hint: Any) -> bool:
    if isinstance(hint, typing.NewType):
        return _can_be_none(hint.__supertype__)
    is_union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return hint is type(None) or (is_union and any(map(_can_be_none, typing.get_args(hint))))


def _check_empty_texts(rows: Any) -> None:
    """An empty text in a field that can be None is read as None from CSV. Whether it can is known by the class alone."""
    if not isinstance(rows, (list, tuple)):
        return
    optional = {kind: _optional_fields(kind) for kind in {type(row) for row in rows}}
    for number, row in enumerate(rows):
        for name in optional[type(row)]:
            if getattr(row, name, None) == "":
                path = f"$[{number}]{field_step(name)}"
                raise EncodeError(
                    f"unrepresentable in {path}: expected a text that is not empty where others can be None, "
                    f"because CSV has one cell for both, got an empty one; {AS_NONE}",
                    code="unrepresentable",
                    path=path,
                )


@contextmanager
def _as_errors(side: str) -> Iterator[None]:
    """Exceptions of a format's functions become errors, as those of hooks do. The functions know no path."""
    try:
        yield
    except (Error, MemoryError):
        raise
    except Exception as raised:
        raise make(side, "custom", None, "", "", None, None, None, raised) from raised


def _checked(name: str) -> None:
    if name not in _holdall.format_names():
        raise ValueError(f"there is no format {name!r}; there are {', '.join(formats())}")


def _is_of_class(hint: Any) -> bool:
    return hint is typing.ClassVar or typing.get_origin(hint) is typing.ClassVar


#: Generic types whose arguments are the types of items, and of keys and values.
_LISTS = (
    *(list, set, frozenset, collections.abc.Set, collections.abc.MutableSet),
    *(collections.abc.Sequence, collections.abc.MutableSequence, collections.abc.Iterable),
    *(collections.abc.Collection,),
)
_MAPS = (
    *(dict, collections.OrderedDict),
    *(collections.abc.Mapping, collections.abc.MutableMapping),
)

#: Those whose data may also have what stores them, as schema text around the types of their items or values.
_STORED = {
    collections.deque: "union(tuple(list({}), option(int)), list({}))",
    collections.defaultdict: "union(tuple(option(string), map(string, {})), map(string, {}))",
    collections.ChainMap: "list(map(string, {}))",
}


def _names(tp: Any, around: tuple[Any, ...]) -> str | None:
    """The names of a type's fields, as schema text: of all other types only where the fields are; None if there are none."""
    origin, arguments = typing.get_origin(tp), typing.get_args(tp)
    if isinstance(tp, typing.NewType):
        return _names(tp.__supertype__, around)
    if origin is typing.Annotated:
        return _names(arguments[0], around)
    if origin in (typing.Union, types.UnionType):
        return _names_of_union(tp, [each for each in arguments if each is not type(None)], around)
    if origin in _STORED:
        wrapped = _names(arguments[-1], around)
        return None if wrapped is None else _STORED[origin].replace("{}", wrapped)
    if origin in _LISTS or (origin is tuple and arguments[1:] == (...,)):
        return _wrapped("list({})", _names(arguments[0], around))
    if origin is tuple:
        items = [_names(each, around) for each in arguments]
        return _wrapped(
            "tuple({})", ", ".join(each or "null" for each in items) if any(items) else None
        )
    if origin in _MAPS:
        return _wrapped("map(string, {})", _names(arguments[1], around))
    fields = _fields(origin or tp, arguments)
    if not fields and any(_names(each, around) for each in arguments if isinstance(each, type)):
        raise _without_names(tp, "the places of its parameters are unknown")
    # A header has no type that contains itself.
    if not fields or tp in around:
        return None
    inside = [
        f"{json.dumps(name)}: {_names(each, (*around, tp)) or 'null'}"
        for name, each in fields.items()
    ]
    return f"record {{{', '.join(inside)}}}"


def _fields(cls: Any, arguments: tuple[Any, ...]) -> dict[str, Any]:
    """The types of the fields that objects of a class have in data, whose type variables stand for the arguments."""
    hints = typing.get_type_hints(cls, include_extras=True) if isinstance(cls, type) else {}
    if dataclasses.is_dataclass(cls):
        # Class attributes and arguments of the constructor alone are not in data.
        hints = {each.name: hints[each.name] for each in dataclasses.fields(cls)}
    variables = dict(zip(getattr(cls, "__parameters__", ()), arguments, strict=False))
    of_bases = _hints.variables_by_field(cls, variables) if hints else {}
    return {
        name: _hints.replaced(hint, of_bases.get(name, variables))
        for name, hint in hints.items()
        if not _is_of_class(hint)
    }


def _wrapped(text: str, inside: str | None) -> str | None:
    return None if inside is None else text.format(inside)


def _names_of_union(tp: Any, present: list[Any], around: tuple[Any, ...]) -> str | None:
    names = [_names(each, around) for each in present]
    if not any(names):
        return None
    # Values of one of the types with other fields, or of a tuple, would get names that are not theirs.
    if len({*names} - {None}) > 1 or any(
        name is None and each not in _SCALARS for name, each in zip(names, present, strict=True)
    ):
        raise _without_names(tp, "data do not say which of its types a value has")
    return next(filter(None, names))


#: Types that no tuple of DLHN can have.
_SCALARS = (bool, int, float, str, bytes, datetime.date, datetime.datetime)


def _without_names(tp: Any, why: str) -> TypeError:
    return TypeError(
        f"data of format 'dlhn' have no names of fields, and {tp} cannot give them: {why}; request a type without it, or none"
    )
