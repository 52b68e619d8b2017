"""Registered classes of every kind."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
from typing import Any, NamedTuple

import attrs
import holdall
import msgspec
import pydantic


@holdall.register
class Plain:
    def __init__(self, label: Any, **more: Any) -> None:
        self.label = label
        self.__dict__.update(more)


@holdall.register
class Slotted:
    __slots__ = ("__private", "label", "other")

    def __init__(self, label: Any, other: Any = None) -> None:
        self.label = label
        self.other = other
        self.__private = 5


@holdall.register
class Both(Slotted):
    def __init__(self, label: Any) -> None:
        super().__init__(label)
        self.extra = [label]


@holdall.register
@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.5
    tags: list[str] = dataclasses.field(default_factory=list)
    made: int = dataclasses.field(init=False, default=7)


@holdall.register
@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    label: int
    inside: Any = None


@holdall.register
@attrs.define
class Attrs:
    x: int
    items: list[int] = attrs.Factory(list)


@holdall.register
@attrs.frozen(slots=False, cache_hash=True)
class AttrsDict:
    label: int


@holdall.register
class Packed(msgspec.Struct):
    a: int
    b: str = "b"


@holdall.register
class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    a: int
    inside: list[Model] = []
    _own: int = 3


@holdall.register
class Pair(NamedTuple):
    left: Any
    right: Any = 2


@holdall.register
class Colour(enum.Enum):
    RED = 1
    GREEN = "g"
    CRIMSON = 1


@holdall.register
class Rights(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()


@holdall.register
class Level(enum.IntEnum):
    LOW = 1
    HIGH = 9


@holdall.register
class Word(enum.StrEnum):
    A = "a"


@holdall.register
class MyList(list[Any]):
    pass


@holdall.register
class MyDict(dict[Any, Any]):
    pass


@holdall.register
class MySet(set[Any]):
    pass


@holdall.register
class MyTuple(tuple[Any, ...]):
    pass


@holdall.register
class MyInt(int):
    pass


@holdall.register
class MyStr(str):
    pass


@holdall.register
class MyFloat(float):
    __slots__ = ()


@holdall.register
class MyBytes(bytes):
    pass


@holdall.register
class MyFrozenSet(frozenset[Any]):
    pass


@holdall.register
class MyDate(datetime.date):
    pass


@holdall.register
class MyDateTime(datetime.datetime):
    pass


@holdall.register
class MyDefault(collections.defaultdict[Any, Any]):
    pass


@holdall.register
class MyOrdered(collections.OrderedDict[Any, Any]):
    pass


@holdall.register
class Trouble(Exception):
    def __init__(self, first: int, second: str) -> None:
        super().__init__(f"{first} {second}")
        self.first = first


@holdall.register
class Stateful:
    """Leaves out what cannot be packed."""

    def __init__(self, kept: Any) -> None:
        self.kept = kept
        self.lock = print

    def __getstate__(self) -> dict[str, Any]:
        return {"kept": self.kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.kept = state["kept"]
        self.lock = print

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stateful) and self.kept == other.kept

    __hash__ = None  # type: ignore[assignment]


@holdall.register
class TupleState:
    def __init__(self) -> None:
        self.state = (1, 2)

    def __getstate__(self) -> tuple[int, int]:
        return (1, 2)

    def __setstate__(self, state: tuple[int, int]) -> None:
        self.state = state


@holdall.register
class NewArguments:
    def __new__(cls, a: int, *, b: int) -> NewArguments:
        self = super().__new__(cls)
        self.a, self.b = a, b
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[int], dict[str, int]]:
        return (self.a,), {"b": self.b}


@holdall.register
class Reduced:
    def __init__(self, a: int) -> None:
        self.a = a
        self.items: list[int] = []

    def extend(self, items: list[int]) -> None:
        self.items.extend(items)

    def append(self, item: int) -> None:
        self.items.append(item)

    def __reduce__(self) -> Any:
        return (Reduced, (self.a,), None, iter(self.items))
