"""Records that each have some of many fields, such as products, or events of many kinds."""

from __future__ import annotations

from random import Random
from typing import Any

from .case import Case
from .text import WORDS, skewed, slug


def value_of(random: Random, kind: int) -> Any:
    if kind == 0:
        return skewed(random, 100_000)
    if kind == 1:
        return slug(random, 500)
    if kind == 2:
        return round(random.uniform(0, 1000), 2)
    if kind == 3:
        return random.random() < 0.5
    return [random.choice(WORDS) for _ in range(random.randrange(4))]


def make(count: int, seed: int) -> list[dict[str, Any]]:
    """Ten kinds of records, which choose from 40 fields; a field is absent from a record one time in four."""
    random = Random(seed)
    fields = [(f"{word}_{at}", at % 5) for at, word in enumerate((WORDS * 2)[:40])]
    kinds = [random.sample(fields, random.randrange(4, 13)) for _ in range(10)]
    records: list[dict[str, Any]] = []
    for at in range(count):
        record: dict[str, Any] = {"id": at}
        for name, kind in random.choice(kinds):
            if random.random() < 0.75:
                record[name] = value_of(random, kind)
        records.append(record)
    return records


CASES = [Case("sparse", "records", "{count} dicts with some of 40 fields", 50_000, make)]
