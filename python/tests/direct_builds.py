"""Classes and values for the tests of direct builds."""

from __future__ import annotations

import dataclasses
from typing import Any

import attrs
import holdall
import msgspec

LONG = 100
#: The kind of dates (F-72).
DATE = 0x01


@holdall.register
@dataclasses.dataclass
class Point:
    x: int
    y: Any


@holdall.register
@dataclasses.dataclass(slots=True)
class Slotted:
    x: int
    y: Any


@holdall.register
@attrs.define
class Defined:
    x: int
    y: Any


@holdall.register
class Struct(msgspec.Struct):
    x: int
    y: Any


CLASSES: list[Any] = [Point, Slotted, Defined, Struct]


def nested(depth: int, wrap: Any, value: Any = 1) -> Any:
    for _ in range(depth):
        value = wrap(value)
    return value
