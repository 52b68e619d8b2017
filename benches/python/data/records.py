"""The same records of five fields as dicts and as objects of four kinds of classes; and one of them alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from random import Random
from typing import Any, TypedDict

import attrs
import msgspec

from .case import Case
from .text import full_name, mail

Row = tuple[int, str, str, float, bool]


class AsDict(TypedDict):
    id: int
    name: str
    mail: str
    score: float
    active: bool


@dataclasses.dataclass
class AsDataclass:
    id: int
    name: str
    mail: str
    score: float
    active: bool


@dataclasses.dataclass(slots=True)
class AsSlotted:
    id: int
    name: str
    mail: str
    score: float
    active: bool


class AsStruct(msgspec.Struct):
    id: int
    name: str
    mail: str
    score: float
    active: bool


@attrs.define
class AsAttrs:
    id: int
    name: str
    mail: str
    score: float
    active: bool


FIELDS = ("id", "name", "mail", "score", "active")


def rows(count: int, seed: int) -> Iterator[Row]:
    random = Random(seed)
    for at in range(count):
        score = round(random.gauss(50, 15), 2)
        yield 1000 + at, full_name(random), mail(random), score, random.random() < 0.7


def dicts(count: int, seed: int) -> list[dict[str, Any]]:
    return [dict(zip(FIELDS, row, strict=True)) for row in rows(count, seed)]


CASES = [
    Case(
        "small-dict",
        "small",
        "one dict of five fields",
        1,
        lambda _, seed: dicts(1, seed)[0],
        AsDict,
    ),
    Case(
        "small-dataclass",
        "small",
        "one dataclass of five fields",
        1,
        lambda _, seed: AsDataclass(*next(rows(1, seed))),
        AsDataclass,
        (AsDataclass,),
    ),
    Case("records", "records", "{count} dicts of five fields", 100_000, dicts, list[AsDict]),
    Case(
        "dataclasses",
        "dataclasses",
        "{count} dataclasses of five fields",
        100_000,
        lambda count, seed: [AsDataclass(*row) for row in rows(count, seed)],
        list[AsDataclass],
        (AsDataclass,),
    ),
    Case(
        "slotted",
        "dataclasses",
        "{count} dataclasses with slots",
        100_000,
        lambda count, seed: [AsSlotted(*row) for row in rows(count, seed)],
        list[AsSlotted],
        (AsSlotted,),
    ),
    Case(
        "structs",
        "objects",
        "{count} structs of msgspec",
        100_000,
        lambda count, seed: [AsStruct(*row) for row in rows(count, seed)],
        list[AsStruct],
        (AsStruct,),
    ),
    Case(
        "attrs",
        "objects",
        "{count} objects of attrs",
        100_000,
        lambda count, seed: [AsAttrs(*row) for row in rows(count, seed)],
        list[AsAttrs],
        (AsAttrs,),
    ),
]
