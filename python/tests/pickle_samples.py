"""Values of classes of all kinds, and their pickles in each protocol."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import pickle
from collections.abc import Iterator
from typing import Any, NamedTuple

import attrs
import msgspec
import pydantic

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def pickled(value: Any) -> Iterator[tuple[bytes, Any]]:
    """The pickles of a value in each protocol that has it, and what pickle reads from each."""
    for protocol in PROTOCOLS:
        try:
            data = pickle.dumps(value, protocol)
            back = pickle.loads(data)
        except Exception:
            # Not every protocol has every class, and cycles through arguments have none.
            continue
        yield data, back


class User:
    def __init__(self, name: str) -> None:
        self.name = name
        self.friends: list[User] = []


class InSlots:
    __slots__ = ("a", "b")

    def __init__(self) -> None:
        self.a, self.b = 1, [self]


@dataclasses.dataclass(slots=True)
class Two:
    a: Any
    b: Any


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    a: int
    b: str = "b"


class Pair(NamedTuple):
    left: Any
    right: Any = 2


class Colour(enum.Enum):
    RED = 1
    GREEN = "g"
    BOTH = (1, "g")


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Listed(list[Any]):
    def __init__(self, *items: Any) -> None:
        super().__init__(items)
        self.note = "x"


class Named(str):
    __slots__ = ("mark",)


class Stateful:
    def __init__(self) -> None:
        self.seen: Any = None

    def __getstate__(self) -> Any:
        return ("v1", [1, 2])

    def __setstate__(self, state: Any) -> None:
        self.seen = state


class WithArguments:
    def __new__(cls, a: int, *, b: int = 0) -> Any:
        made = super().__new__(cls)
        made.sum = a + b  # type: ignore[attr-defined]
        return made

    def __getnewargs_ex__(self) -> Any:
        return (1,), {"b": 2}


class Reduced:
    def __init__(self, *args: Any) -> None:
        self.args = args

    def __reduce__(self) -> Any:
        return (Reduced, self.args, {"more": [1]}) if self.args else (Reduced, ())


def make(number: int) -> Any:
    made = ByFunction()
    made.number = number
    return made


class ByFunction:
    number: int

    def __reduce__(self) -> Any:
        return (make, (self.number,), {"extra": 1})


class Broken(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code

    def __reduce__(self) -> Any:
        return (Broken, (self.code, "x"), {"note": "n"})


def with_slot() -> Named:
    made = Named("n")
    made.mark = 5
    return made


def ada() -> User:
    made = User("Ada")
    made.friends.append(made)
    return made


class Tagged(collections.deque[Any]):
    pass


class Bag(set[Any]):
    pass


class Tally(collections.Counter[Any]):
    pass


class Sorted(collections.OrderedDict[Any, Any]):
    pass


class Big(int):
    pass


class Model(pydantic.BaseModel):
    id: int
    tags: set[str] = set()
    _hidden: int = 5


class TwoDicts:
    """Its own state looks like the one that Python makes of attributes and slots."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def __getstate__(self) -> Any:
        return self.parts

    def __setstate__(self, state: Any) -> None:
        self.parts = state


@dataclasses.dataclass(slots=True)
class DefaultsInSlots:
    a: Any
    b: Any = dataclasses.field(default_factory=list)


class Open(pydantic.BaseModel, extra="allow"):
    id: int


class Struct(msgspec.Struct):
    id: int
    more: list[Any] = []


class KeywordStruct(msgspec.Struct, kw_only=True, frozen=True):
    id: int
    more: int = 1


@attrs.frozen
class FrozenAttrs:
    a: Any
    b: int = 2


def cyclic_state() -> Any:
    made = Frozen(1)
    object.__setattr__(made, "b", [made])
    return made


class OwnOSError(OSError):
    pass


def in_itself(made: BaseException) -> BaseException:
    made.__dict__["me"] = [made]
    return made


VALUES: dict[str, tuple[Any, list[Any]]] = {
    "attributes": (ada(), [User]),
    "slots": (InSlots(), [InSlots]),
    "two fields in slots": ([Two(1, 2), Two(None, {})], [Two]),
    "frozen with slots": ([Frozen(1), Frozen(2, "c")], [Frozen]),
    "named tuple": (Pair([1], Pair(1)), [Pair]),
    "enum": ([Colour.RED, Colour.GREEN, Colour.BOTH], [Colour]),
    "flag": ([Rights.READ, Rights.READ | Rights.WRITE], [Rights]),
    "list": (Listed(1, [2]), [Listed]),
    "text": (with_slot(), [Named]),
    "state": (Stateful(), [Stateful]),
    "states of two dicts": ([TwoDicts({"a": 1}, {"b": 2}), TwoDicts(None, {"a": 3})], [TwoDicts]),
    "dataclass with slots": ([DefaultsInSlots(1), DefaultsInSlots("c", [2])], [DefaultsInSlots]),
    "arguments": (WithArguments(1, b=2), [WithArguments]),
    "reduce": ([Reduced(1, "a"), Reduced()], [Reduced]),
    "function": (make(3), [make, ByFunction]),
    "exception": (Broken(3, "x"), [Broken]),
    "exceptions in themselves": (
        [in_itself(make("x")) for make in (ImportError, OSError, KeyError, OwnOSError)],
        [OwnOSError],
    ),
    "class and function": ([User, make, int, print], [User, make, print]),
    "method": ([ada().__init__ and functools.partial(make, 1)], [make]),
    "keys": ({ada(): 1, InSlots(): 2}, [User, InSlots]),
    "cycle through slots": (cyclic_state(), [Frozen]),
    "model": ([Model(id=1, tags={"a"}), Open(id=1, x=2)], [Model, Open]),
    "struct": ([Struct(1, [2]), Struct(2)], [Struct]),
    "keyword struct": ([KeywordStruct(id=1, more=2)], [KeywordStruct]),
    "frozen attrs": ([FrozenAttrs([1]), FrozenAttrs(1, 3)], [FrozenAttrs]),
    "subclasses": (
        [Tagged([1], 3), Bag([1]), Tally("aab"), Sorted(b=1, a=2), Big(7)],
        [Tagged, Bag, Tally, Sorted, Big],
    ),
}
