"""Records of a web server: text that is partly constant, growing or small numbers, some fields absent."""

from __future__ import annotations

from random import Random
from typing import Any, TypedDict

from .case import Case
from .text import WORDS, skewed, slug

AGENTS = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5",
    "Mozilla/5.0 (compatible; bot/2.1; +https://bot.example/about)",
    "curl/8.8.0",
]
STATUS = [200, 200, 200, 200, 200, 200, 206, 301, 304, 304, 404, 404, 500]
METHODS = ["GET"] * 15 + ["POST"] * 3 + ["HEAD", "PUT"]


class Log(TypedDict):
    client: str
    at: int
    method: str
    path: str
    status: int
    bytes: int
    seconds: float
    referrer: str | None
    user: int | None
    agent: str


def record(random: Random, at: int) -> dict[str, Any]:
    some = random.random
    query = f"?q={random.choice(WORDS)}&page={skewed(random, 30)}" if some() < 0.25 else ""
    referrer = f"https://{random.choice(WORDS)}.example/{random.choice(WORDS)}"
    low = ".".join(str(random.randrange(256)) for _ in range(3))
    return {
        "client": f"{10 + skewed(random, 180)}.{low}",
        "at": at,
        "method": random.choice(METHODS),
        "path": f"/{random.choice(WORDS)}/{slug(random, 500)}{query}",
        "status": random.choice(STATUS),
        "bytes": 0 if some() < 1 / 6 else skewed(random, 200_000),
        "seconds": skewed(random, 3000) / 1000,
        "referrer": referrer if some() < 1 / 3 else None,
        "user": random.randrange(10_000) if some() < 0.2 else None,
        "agent": random.choice(AGENTS),
    }


def make(count: int, seed: int) -> list[dict[str, Any]]:
    random = Random(seed)
    at = 1_740_787_200_000
    records = []
    for _ in range(count):
        at += skewed(random, 400)
        records.append(record(random, at))
    return records


CASES = [Case("logs", "logs", "{count} records of a web server", 50_000, make, list[Log])]
