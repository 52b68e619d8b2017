"""Other formats by name: `dumps(obj, format="msgpack")`, `loads(data, T, format="dlhn")`, and those of the program."""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from .. import _holdall
from .._errors import DecodeError, EncodeError, Error
from ._api import decoder_of
from ._codec import Decoder, Encoder
from ._keywords import names_checked
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
    ]
)


class Actions(Protocol):
    """What a format of the program does with values that the format below it lacks. One is made for each message, so it can keep
    what it has seen.
    """

    def encode(self, obj: Any, /) -> Any:
        """Returns what to write in place of an object, or the object itself. It is called for all but None, bool, int, float, str,
        bytes, list, tuple and dict.
        """
        ...

    def decode(self, value: Extension, /) -> Any:
        """Returns the object that an extension of the format stands for, or the extension itself."""
        ...


@dataclasses.dataclass(frozen=True)
class _Registered:
    extends: str | None
    actions: Callable[[], Actions] | None
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
    actions: Callable[[], Actions] | None = None,
    dumps: Callable[[Any], bytes] | None = None,
    loads: Callable[[bytes], Any] | None = None,
) -> None:
    """Registers a format under a name, in place of one that was registered before: by two functions, or as one that exists with
    actions for values that are more than None, bool, int, float, str, bytes, list, tuple and dict.

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
    if name == "holdall" or name in _holdall.format_names():
        raise ValueError(f"format {name!r} cannot be replaced; register another name")
    is_function = dumps is not None or loads is not None
    if (extends is None) != is_function or (extends is None) != (actions is None):
        raise TypeError("a format needs extends= and actions=, or dumps= and loads=")
    for option, given in (("actions", actions), ("dumps", dumps), ("loads", loads)):
        if given is not None and not callable(given):
            raise TypeError(f"{option} must be a class or function, not {given!r}")
    if extends is not None and extends not in formats():
        raise ValueError(
            f"there is no format {extends!r} to extend; there are {', '.join(formats())}"
        )
    _registered[name] = _Registered(extends, actions, dumps, loads)


@functools.cache
def _encoder() -> Encoder:
    """For objects without options."""
    return Encoder(profile="fast")


def write(
    name: str, obj: Any, options: Mapping[str, Any], *, storage: bool = False, copies: bool = False
) -> bytes:
    """An object in a format. The options are those of `Encoder` that concern the object."""
    known = _registered.get(name)
    if known is None:
        _checked(name)
        _check_options(name, options, OF_MESSAGES)
        encoder = Encoder(profile="fast", **options) if options else _encoder()
        message = encoder.encode(obj)
        try:
            return _holdall.write_format(name, message, storage, copies)
        except EncodeError as error:
            raise _advised(error, storage=storage, copies=copies) from None
    if known.extends is None:
        _check_options(name, options, options)
        if storage or copies:
            raise TypeError(
                f"storage= and copies= are not for format {name!r}, which is a function"
            )
        if known.dumps is None:
            raise ValueError(f"format {name!r} only reads")
        data = known.dumps(obj)
        if not isinstance(data, bytes):
            raise TypeError(
                f"dumps of format {name!r} must return bytes, not {type(data).__name__}"
            )
        return data
    if known.actions is not None:
        with _depth(EncodeError):
            obj = _encoded(obj, known.actions().encode)
    return write(known.extends, obj, options, storage=storage, copies=copies)


def read(name: str, data: Any, tp: Any, options: Mapping[str, Any], *, infer: bool = False) -> Any:
    """The object of data in a format. The options are those of `Decoder` that concern the object."""
    known = _registered.get(name)
    if known is None:
        _checked(name)
        _check_options(name, options, OF_MESSAGES)
        if infer and name != "csv":
            raise TypeError("infer= is for format 'csv'")
        names = None if tp is None or name != "dlhn" else _holdall.Schema.parse(_names(tp, ()))
        message = _holdall.read_format(name, data, infer, names)
        return (Decoder(tp, **options) if options else decoder_of(tp)).decode(message)
    if known.extends is None:
        _check_options(name, options, options)
        if known.loads is None:
            raise ValueError(f"format {name!r} only writes")
        value = known.loads(bytes(data))
    elif known.actions is None:
        return read(known.extends, data, tp, options, infer=infer)
    else:
        value = read(known.extends, data, None, options, infer=infer)
        with _depth(DecodeError):
            value = _decoded(value, known.actions().decode)
    # The values of the type are known only after the actions.
    return value if tp is None else Decoder(tp, **options).decode(Encoder().encode(value))


def _check_options(name: str, options: Mapping[str, Any], useless: Iterable[str]) -> None:
    for option in options:
        if option in useless:
            raise TypeError(f"{option}= is for messages of holdall, not for format {name!r}")


#: What to do about a value that a format cannot hold, by words of the error, and the option for it, if there is one. The first that fits
#: is right: a scalar of numpy is stored as a tensor.
_ADVICE = (
    ("referenced from several places", "copies", "copies=True writes it once for each place"),
    ("numpy.scalar", None, "convert a scalar of numpy with value.item()"),
    ("in place of a tensor", None, "convert an array with array.tolist()"),
    ("of type uuid", None, "write its text, str(value), or its number, value.int"),
    ("numpy.array", None, "convert an array with array.tolist()"),
    ("of a type that the format has", "storage", "storage=True writes what stores it"),
)


def _advised(error: EncodeError, **given: bool) -> EncodeError:
    text = str(error)
    for words, option, advice in _ADVICE:
        if words in text and not (option and given[option]):
            text = f"{text}; {advice}"
            break
    return EncodeError(text, code=error.code, offset=error.offset, path=error.path, rule=error.rule)


@contextmanager
def _depth(error: type[Error]) -> Iterator[None]:
    """Actions are applied by recursion."""
    try:
        yield
    except RecursionError:
        raise error(
            "limit_depth: expected fewer containers inside each other, as the actions of a format are applied by recursion",
            code="limit_depth",
        ) from None


def _checked(name: str) -> None:
    if name not in _holdall.format_names():
        raise ValueError(f"there is no format {name!r}; there are {', '.join(formats())}")


BASIC = (type(None), bool, int, float, str, bytes)


def _encoded(obj: Any, encode: Callable[[Any], Any]) -> Any:
    if type(obj) in BASIC:
        return obj
    if type(obj) in (list, tuple):
        return type(obj)(_encoded(item, encode) for item in obj)
    if type(obj) is dict:
        return {_encoded(key, encode): _encoded(value, encode) for key, value in obj.items()}
    return encode(obj)


def _decoded(value: Any, decode: Callable[[Extension], Any]) -> Any:
    if isinstance(value, Extension):
        return decode(value)
    if type(value) in (list, tuple):
        return type(value)(_decoded(item, decode) for item in value)
    if type(value) is dict:
        return {_decoded(key, decode): _decoded(item, decode) for key, item in value.items()}
    return value


def _is_of_class(hint: Any) -> bool:
    return hint is typing.ClassVar or typing.get_origin(hint) is typing.ClassVar


def _names(tp: Any, around: tuple[Any, ...]) -> str:
    """The names of a type's fields, as schema text: of all other types only where the fields are."""
    origin, arguments = typing.get_origin(tp), typing.get_args(tp)
    if origin is typing.Annotated:
        return _names(arguments[0], around)
    if origin in (typing.Union, types.UnionType):
        present = [each for each in arguments if each is not type(None)]
        return f"option({_names(present[0], around)})" if len(present) == 1 else "null"
    if origin in (list, set, frozenset) or (origin is tuple and arguments[1:] == (...,)):
        return f"list({_names(arguments[0], around)})"
    if origin is tuple:
        return f"tuple({', '.join(_names(each, around) for each in arguments)})"
    if origin is dict:
        return f"map(string, {_names(arguments[1], around)})"
    fields = typing.get_type_hints(tp, include_extras=True) if isinstance(tp, type) else {}
    if dataclasses.is_dataclass(tp):
        # Class attributes and arguments of the constructor alone are not in data.
        fields = {each.name: fields[each.name] for each in dataclasses.fields(tp)}
    fields = {name: hint for name, hint in fields.items() if not _is_of_class(hint)}
    # A header has no type that contains itself.
    if not fields or tp in around:
        return "null"
    inside = [f"{json.dumps(name)}: {_names(each, (*around, tp))}" for name, each in fields.items()]
    return f"record {{{', '.join(inside)}}}"
