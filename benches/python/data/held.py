"""What programs that use pickle hold: enums, named tuples, subclasses of builtin types, objects that say how they are
rebuilt, paths, patterns, numbers of any size, and collections.
"""

from __future__ import annotations

import collections
import enum
import pathlib
import re
import zoneinfo
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from .case import Case
from .text import WORDS, full_name, slug


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"


class Access(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()
    RUN = enum.auto()


class Place(NamedTuple):
    name: str
    x: int
    y: float


class Items(list[int]):
    """A list with attributes."""

    label: str


class Options(dict[str, int]):
    """A dict with attributes."""

    label: str


class Money:
    """Says by `__reduce__` how to rebuild it."""

    def __init__(self, amount: int, currency: str) -> None:
        self.amount = amount
        self.currency = currency

    def __reduce__(self) -> tuple[type[Money], tuple[int, str]]:
        return Money, (self.amount, self.currency)


class Cached:
    """Leaves out by `__getstate__` what it can compute."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.length: int | None = len(text)

    def __getstate__(self) -> dict[str, str]:
        return {"text": self.text}

    def __setstate__(self, state: dict[str, str]) -> None:
        self.text = state["text"]
        self.length = len(self.text)


class ParserError(Exception):
    """An exception with an attribute."""


ZONES = ("Europe/Berlin", "America/New_York", "Asia/Tokyo", "Africa/Lagos", "Pacific/Auckland")


def with_label(value: Any, random: Random) -> Any:
    value.label = slug(random, 99)
    return value


def error(random: Random) -> ParserError:
    made = ParserError(full_name(random), random.randrange(99))
    made.offset = random.randrange(999)  # type: ignore[attr-defined]
    return made


def counts(random: Random) -> dict[str, int]:
    return {word: random.randrange(100) for word in random.sample(WORDS, 3)}


def bits(random: Random) -> Access:
    return Access(random.randrange(1, 8))


MAKERS: dict[str, Callable[[Random], Any]] = {
    "enums": lambda random: random.choice(list(Colour)),
    "flags": bits,
    "namedtuples": lambda random: Place(slug(random, 99), random.randrange(99), random.random()),
    "list-subclasses": lambda random: with_label(
        Items(random.randrange(99) for _ in range(3)), random
    ),
    "dict-subclasses": lambda random: with_label(Options(counts(random)), random),
    "reduce": lambda random: Money(random.randrange(10**6), random.choice(WORDS)),
    "getstate": lambda random: Cached(full_name(random)),
    "exceptions": error,
    "paths": lambda random: pathlib.PurePosixPath("/srv", random.choice(WORDS), slug(random, 999)),
    "patterns": lambda random: re.compile(
        rf"{random.choice(WORDS)}\s+(\d{{{random.randrange(9)}}})"
    ),
    "zones": lambda random: zoneinfo.ZoneInfo(random.choice(ZONES)),
    "big-ints": lambda random: random.getrandbits(200) - (1 << 199),
    "sets": lambda random: {random.randrange(1000) for _ in range(4)},
    "ordered-dicts": lambda random: collections.OrderedDict(counts(random)),
    "defaultdicts": lambda random: collections.defaultdict(int, counts(random)),
    "counters": lambda random: collections.Counter(counts(random)),
    "deques": lambda random: collections.deque([random.randrange(99) for _ in range(4)], 9),
}


def some(make: Callable[[Random], Any]) -> Callable[[int, int], list[Any]]:
    def make_some(count: int, seed: int) -> list[Any]:
        random = Random(seed)
        return [make(random) for _ in range(count)]

    return make_some


CLASSES = (Colour, Access, Place, Items, Options, Money, Cached, ParserError)

CASES = [
    Case(
        f"held-{name}",
        "held",
        f"a list of {{count}} {name.replace('-', ' ')}",
        5000,
        some(make),
        classes=CLASSES,
        modules=("pathlib", "zoneinfo"),
    )
    for name, make in MAKERS.items()
]
