"""Values of types for which this program has no class. They pack to the bytes that they were read from."""

from __future__ import annotations

import abc
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .._errors import Mismatch, SchemaError, listed

T = TypeVar("T")

_comparing = threading.local()
_showing = threading.local()


def _guarded(flags: threading.local, key: object, otherwise: T, work: Callable[[], T]) -> T:
    """Runs a function that can reach the same value again through a cycle, where it returns ``otherwise``."""
    running: set[object] | None = getattr(flags, "running", None)
    if running is None:
        running = flags.running = set()
    if key in running:
        return otherwise
    running.add(key)
    try:
        return work()
    finally:
        running.discard(key)


class Record:
    """An object of a class that this program does not allow or know: the name of the class, and the fields as attributes.

    ``record["field"]`` reads a field of any name. ``to_dict()`` and ``_asdict()`` return the fields, and ``into(cls)`` creates an
    object. It has no length and no items: a class of your program in its place may have others than its fields. If a field hides a method, call it as ``Record.to_dict(record)``.
    """

    # The compiled half keeps the place in each set that it read, because sets are written again in that order.
    __slots__ = ("__dict__", "__holdall_name__", "__holdall_places__", "__weakref__")
    __holdall_name__: str

    def __init__(self, name: str, fields: dict[str, Any] | None = None, /, **more: Any) -> None:
        self.__holdall_name__ = name
        # Not for none: that would create a dict.
        if fields or more:
            _fields(self).update(fields or {}, **more)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"Record of {self.__holdall_name__!r} has no attribute {name!r}, only the fields {listed(_fields(self))}; "
            "to get objects of the class, register it with @holdall.register or pass types=[...]",
            name=name,
            obj=self,
        )

    def __getitem__(self, name: str) -> Any:
        return _fields(self)[name]

    def __setitem__(self, name: str, value: Any) -> None:
        _fields(self)[name] = value

    # An object in its place may be a container, whose items are not the fields: code that takes it for one must not go on.

    def __contains__(self, item: object) -> bool:
        raise _no_container(self)

    def __iter__(self) -> Iterator[Any]:
        raise _no_container(self)

    def __len__(self) -> int:
        raise _no_container(self)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if type(other) is not Record:
            return NotImplemented
        if self is other:
            return True
        if self.__holdall_name__ != other.__holdall_name__:
            return False
        mine, others = _fields(self), _fields(other)
        return _guarded(_comparing, (id(self), id(other)), True, lambda: mine == others)

    def __hash__(self) -> int:
        # Without mutable values, and those that could lead back here.
        plain = tuple(v for v in _fields(self).values() if type(v) in (str, int, bytes, bool))
        return hash((self.__holdall_name__, plain))

    def __repr__(self) -> str:
        def show() -> str:
            fields = ", ".join(f"{name}={value!r}" for name, value in _fields(self).items())
            return (
                f"Record({self.__holdall_name__!r}, {fields})"
                if fields
                else f"Record({self.__holdall_name__!r})"
            )

        return _guarded(_showing, id(self), "Record(...)", show)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *_fields(self)})

    def __reduce__(self) -> tuple[Any, ...]:
        return (Record, (self.__holdall_name__,), _fields(self))

    def to_dict(self) -> dict[str, Any]:
        """The fields as a new dict."""
        return dict(_fields(self))

    def _asdict(self) -> dict[str, Any]:
        """The same, under the name that named tuples have, which few fields have."""
        return dict(_fields(self))

    def into(self, cls: type[T]) -> T:
        """Creates an object of a class from the fields, as a reader does. The class must be able to have attributes.

        Raises:
            SchemaError: with code ``custom`` if the class's own methods fail, such as without a field that they need.
        """
        from . import _classes, _kinds

        if not isinstance(cls, type) or cls.__module__ == "builtins" or _kinds.is_typed_dict(cls):
            raise TypeError(
                f"into takes a class whose objects have attributes, such as a dataclass; got {cls!r}"
            )
        try:
            made: T = _classes.rebuild(cls, self.__holdall_name__, self.to_dict())
        except Mismatch as error:
            raise SchemaError(f"{error.code}: {error}", code=error.code) from None
        except Exception as error:
            raise SchemaError(f"custom: {type(error).__name__}: {error}", code="custom") from error
        return made


def _no_container(record: Record) -> TypeError:
    return TypeError(
        f"a Record of {record.__holdall_name__!r} is no container, though an object of the class may be one; its fields are "
        f"{listed(_fields(record))}: to_dict() returns them; to get objects of the class, register it or pass types=[...]"
    )


class UnknownException(Exception):  # noqa: N818 (it stands for an exception of any kind)
    """Stands for an exception of a class that this program does not allow or know, where Python takes exceptions alone: as the
    cause or context of another one, and in a group. It is packed as ``record``, the `Record` with its fields.
    """

    record: Record

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self.record = record


_get_dict = Record.__dict__["__dict__"].__get__
#: Makes a dict that nothing else holds the fields of a record.
_set_fields = Record.__dict__["__dict__"].__set__


def _fields(record: Record) -> dict[str, Any]:
    # Not by an attribute: a field may be called __dict__.
    found: dict[str, Any] = _get_dict(record)
    return found


class _Value(abc.ABC):
    """The base of classes that wrap a value."""

    __slots__ = ("__weakref__", "value")
    value: Any

    @abc.abstractmethod
    def _key(self) -> tuple[object, ...]:
        """Everything except the value: objects with different keys are never equal."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        if self is other:
            return True
        if self._key() != other._key():
            return False
        return _guarded(
            _comparing, (id(self), id(other)), True, lambda: bool(self.value == other.value)
        )

    def __hash__(self) -> int:
        plain = self.value if type(self.value) in (str, int, bytes, bool, type(None)) else None
        return hash((type(self), self._key(), plain))

    def __repr__(self) -> str:
        head = ", ".join(map(repr, self._key()))

        def show() -> str:
            return f"{type(self).__name__}({head}, {self.value!r})"

        return _guarded(_showing, id(self), f"{type(self).__name__}(...)", show)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (*self._key(), self.value))


class Variant(_Value):
    """A variant of an enum of another language: ``Variant("Circle", payload)``."""

    __slots__ = ("name",)
    name: str
    __match_args__ = ("name", "value")

    def __init__(self, name: str, value: Any = None) -> None:
        self.name = name
        self.value = value

    def _key(self) -> tuple[object, ...]:
        return (self.name,)


class Extension(_Value):
    """A value of a type that a program named and this one does not know."""

    __slots__ = ("name",)
    name: str
    __match_args__ = ("name", "value")

    def __init__(self, name: str, value: Any = None) -> None:
        self.name = name
        self.value = value

    def _key(self) -> tuple[object, ...]:
        return (self.name,)


class Logical(_Value):
    """A logical value for which Python has no type: the number and parameters of its kind, and the stored value."""

    __slots__ = ("kind", "parameters")
    kind: int
    parameters: bytes
    __match_args__ = ("kind", "parameters", "value")

    def __init__(self, kind: int, parameters: bytes = b"", value: Any = None) -> None:
        self.kind = kind
        self.parameters = parameters
        self.value = value

    def _key(self) -> tuple[object, ...]:
        return (self.kind, self.parameters)


class Fixed(bytes):
    """Bytes of a type whose values all have the same length."""

    __slots__ = ()


class Int:
    """An integer of a fixed width, "u8" to "i64"."""

    __slots__ = ("kind", "value")

    def __init__(self, kind: str, value: int) -> None:
        self.kind = kind
        self.value = value


class Tensor:
    """Elements of a fixed width in any number of dimensions, for programs without numpy.

    ``dtype`` is a name ("f64") or a tuple that begins with one, ``data`` the elements one after the other, little-endian.
    With ``column_major`` the first dimension varies fastest; one dimension has no order.
    """

    __slots__ = ("__weakref__", "column_major", "data", "dtype", "shape")
    dtype: Any
    shape: tuple[int, ...]
    column_major: bool
    data: Any

    def __init__(
        self, dtype: Any, shape: tuple[int, ...], data: Any, *, column_major: bool = False
    ) -> None:
        self.dtype = dtype
        self.shape = tuple(shape)
        self.column_major = column_major and len(self.shape) > 1
        self.data = data

    def __eq__(self, other: object) -> bool:
        if type(other) is not Tensor:
            return NotImplemented
        return (self.dtype, self.shape, self.column_major, bytes(self.data)) == (
            other.dtype,
            other.shape,
            other.column_major,
            bytes(other.data),
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        order = ", column_major=True" if self.column_major else ""
        return f"Tensor({self.dtype!r}, {self.shape!r}, {bytes(self.data)!r}{order})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_tensor, (self.dtype, self.shape, bytes(self.data), self.column_major))


def _tensor(dtype: Any, shape: tuple[int, ...], data: bytes, column_major: bool) -> Tensor:
    return Tensor(dtype, shape, data, column_major=column_major)


class _Unknown:
    """A skipped value from a later version of the format; it cannot be packed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()
