"""Records of a shop's requests: 20 fields, some nested, some text, some absent."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from ..python.data.text import full_name, mail

SEED = 20
#: The number of records made at once: a writer must not receive all of them.
CHUNK = 1000

CITIES = [
    f"{kind} {name}"
    for kind in ("Port", "New", "Bad", "San")
    for name in "Ada Bergen Cork Dover Essen Faro Genoa Hull Izmir Jena".split()  # noqa: SIM905
]
EVENTS = ["view", "search", "add to cart", "remove", "checkout", "pay", "return", "sign in"]
DEVICES = ["phone", "tablet", "laptop", "desktop", "watch"]
SCREENS = [(390, 844), (1920, 1080), (2560, 1440), (820, 1180), (1366, 768)]
WORDS = "the order was sent late but all parts came in one box with care and no".split()  # noqa: SIM905
TAGS = ["new", "sale", "gift", "returned", "bulk", "express", "fragile"]


def record(random: Random, number: int) -> dict[str, Any]:
    width, height = random.choice(SCREENS)
    paid = random.random() < 0.3
    return {
        "id": number,
        "time": 1_700_000_000_000 + 250 * number + random.randrange(250),
        "user": {
            "id": random.randrange(200_000),
            "name": full_name(random),
            "city": random.choice(CITIES),
            "mail": mail(random) if random.random() < 0.6 else None,
        },
        "device": {
            "kind": random.choice(DEVICES),
            "version": f"{random.randrange(5, 18)}.{random.randrange(10)}",
            "screen": {"width": width, "height": height},
        },
        "event": random.choice(EVENTS),
        "path": f"/shop/{random.randrange(40)}/item-{random.randrange(50_000)}",
        "referrer": f"/search?q={random.choice(WORDS)}" if random.random() < 0.4 else None,
        "status": 200 if random.random() < 0.95 else random.choice((301, 404, 500)),
        "bytes": random.randrange(200, 90_000),
        "duration": random.expovariate(20),
        "cached": random.random() < 0.5,
        "tags": random.sample(TAGS, random.randrange(4)),
        "price": random.randrange(100, 50_000) / 100 if paid else None,
        "note": " ".join(random.choices(WORDS, k=random.randrange(3, 12))) if paid else "",
    }


def chunks(count: int) -> Iterator[list[dict[str, Any]]]:
    """This many records, in batches; the same each time."""
    random = Random(SEED)
    for start in range(0, count, CHUNK):
        yield [record(random, number) for number in range(start, min(start + CHUNK, count))]


def digest(value: dict[str, Any]) -> float:
    """A number that depends on most fields of a record; its sums are compared."""
    number: float = (
        value["id"] % 1000
        + len(value["user"]["name"])
        + len(value["user"]["mail"] or "")
        + value["device"]["screen"]["width"]
        + len(value["path"])
        + value["status"]
        + value["duration"]
        + value["cached"]
        + len(value["tags"])
        + (value["price"] or 0.0)
        + len(value["note"])
    )
    return number
