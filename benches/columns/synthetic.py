"""Synthetic columns, made by fixed rules from a seed: one of each common kind, and a table of trips."""

from __future__ import annotations

import ipaddress
import uuid

import numpy as np

from .column import Column, Numbers, Table

ROWS = 200_000

CITIES = ["Berlin", "Lagos", "Lima", "Osaka", "Oslo", "Paris", "Porto", "Quito", "Seoul", "Tunis"]
HOSTS = ["www.example.com", "shop.example.com", "cdn.example.net", "api.example.org"]
PATHS = ["products", "category", "search", "account/orders", "blog/posts", "static/images"]
LEVELS = ["DEBUG", "INFO", "INFO", "INFO", "INFO", "WARNING", "ERROR"]
MESSAGES = [
    "request {} finished in {} ms",
    "user {} logged in from session {}",
    "cache miss for key item:{}:{}",
    "retrying job {} after {} failures",
    "connection {} closed after {} bytes",
]


def columns(rows: int = ROWS) -> Table:
    random = np.random.default_rng(1)
    made: dict[str, Numbers | list[str | None]] = {
        "timestamps": timestamps(random, rows),
        "prices": np.round(random.lognormal(3, 1, rows), 2),
        "f32 in f64": random.normal(20, 5, rows).astype(np.float32).astype(np.float64),
        "zipf": np.minimum(random.zipf(1.3, rows), 1 << 40).astype(np.int64),
        "random walk": np.cumsum(random.integers(-50, 51, rows)) + 1_000_000,
        "float walk": np.cumsum(random.normal(0, 1, rows)),
        "categories": [CITIES[at] for at in skewed(random, len(CITIES), rows)],
        "urls": urls(random, rows),
        "uuids": [str(uuid.UUID(bytes=random.bytes(16), version=4)) for _ in range(rows)],
        "addresses": addresses(random, rows),
        "log lines": log_lines(random, rows),
    }
    about = f"made from a seed: {rows:,} rows of {len(made)} columns"
    found = [Column(name, values) for name, values in made.items()]
    return Table("synthetic", about, found)


def skewed(random: np.random.Generator, choices: int, rows: int) -> list[int]:
    """Numbers below `choices`; the first ones are the most common."""
    weights = 1 / np.arange(1, choices + 1)
    found: list[int] = random.choice(choices, rows, p=weights / weights.sum()).tolist()
    return found


def timestamps(random: np.random.Generator, rows: int) -> Numbers:
    """Microseconds: about one each second, up to a millisecond early or late."""
    start = 1_700_000_000_000_000
    return start + np.arange(rows) * 1_000_000 + random.integers(-1000, 1001, rows)


def urls(random: np.random.Generator, rows: int) -> list[str | None]:
    hosts, paths = skewed(random, len(HOSTS), rows), skewed(random, len(PATHS), rows)
    items = np.minimum(random.zipf(1.2, rows), 10**9).tolist()
    sessions = random.integers(0, 1 << 32, rows).tolist()
    return [
        f"https://{HOSTS[host]}/{PATHS[path]}/{item}"
        + (f"?s={session:08x}" if item % 3 == 0 else "")
        for host, path, item, session in zip(hosts, paths, items, sessions, strict=True)
    ]


def addresses(random: np.random.Generator, rows: int) -> list[str | None]:
    """Some from a few networks, others from anywhere."""
    networks = random.integers(1 << 24, 224 << 24, 50)
    near = networks[random.integers(0, 50, rows)] & 0xFFFF0000 | random.integers(0, 1 << 16, rows)
    anywhere = random.integers(1 << 24, 224 << 24, rows)
    chosen = np.where(random.random(rows) < 0.7, near, anywhere)
    return [str(ipaddress.IPv4Address(address)) for address in chosen.tolist()]


def log_lines(random: np.random.Generator, rows: int) -> list[str | None]:
    seconds = np.cumsum(random.exponential(0.4, rows))
    levels, messages = skewed(random, len(LEVELS), rows), skewed(random, len(MESSAGES), rows)
    firsts = random.integers(0, 100_000, rows).tolist()
    seconds_of = random.exponential(200, rows).astype(np.int64).tolist()
    start = np.datetime64("2026-01-01T00:00:00.000")
    times = (start + (seconds * 1000).astype("timedelta64[ms]")).astype(str).tolist()
    return [
        f"{time}Z {LEVELS[level]} {MESSAGES[message].format(first, second)}"
        for time, level, message, first, second in zip(
            times, levels, messages, firsts, seconds_of, strict=True
        )
    ]


def trips(rows: int = ROWS) -> Table:
    """Taxi trips as a city publishes them: times of whole seconds in microseconds, zones, distances, money.

    No package carries such a table, so this one is made: times by the hour of the day, zones by a skewed choice, a
    trip's time and its fare by its distance.
    """
    random = np.random.default_rng(2)
    day = 24 * 3600
    hours = np.array([3, 2, 2, 1, 1, 2, 4, 7, 9, 8, 7, 7, 8, 8, 8, 9, 9, 10, 11, 10, 9, 8, 7, 5])
    hour = random.choice(24, rows, p=hours / hours.sum())
    picked = np.sort(
        random.integers(0, 31, rows) * day + hour * 3600 + random.integers(0, 3600, rows)
    )
    # The file is in order of arrival, which is nearly that of time.
    picked = picked + random.integers(-900, 900, rows) + 1_704_067_200
    distance = np.round(random.lognormal(0.7, 0.85, rows), 2)
    lasted = np.maximum(30, distance * random.normal(290, 80, rows) + 120).astype(np.int64)
    fare = np.round((3 + 0.7 * np.floor(distance * 5) + 0.7 * np.floor(lasted / 240)) * 2) / 2
    card = random.random(rows) < 0.78
    tip = np.where(card, np.round(fare * random.choice([0, 0.15, 0.2, 0.25, 0.3], rows), 2), 0.0)
    tolls = np.where(random.random(rows) < 0.06, 6.94, 0.0)
    extra = random.choice([0.0, 1.0, 2.5, 3.5, 5.0], rows, p=[0.3, 0.3, 0.3, 0.05, 0.05])
    zones = random.permutation(265) + 1
    passengers = random.choice(
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, np.nan], rows, p=[0.7, 0.14, 0.04, 0.02, 0.03, 0.02, 0.05]
    )
    made: dict[str, Numbers | list[str | None]] = {
        "vendor": random.choice([1, 2], rows, p=[0.26, 0.74]),
        "pickup": picked * 1_000_000,
        "dropoff": (picked + lasted) * 1_000_000,
        "passengers": passengers,
        "distance": distance,
        "rate": random.choice([1, 2, 5, 99], rows, p=[0.94, 0.04, 0.01, 0.01]),
        "stored": ["Y" if stored else "N" for stored in (random.random(rows) < 0.004).tolist()],
        "from zone": zones[skewed(random, 265, rows)],
        "to zone": zones[skewed(random, 265, rows)],
        "payment": np.where(card, 1, 2),
        "fare": fare,
        "extra": extra,
        "tip": tip,
        "tolls": tolls,
        "total": np.round(fare + extra + tip + tolls + 1.5, 2),
    }
    about = f"trips of taxis, made from a seed: {rows:,} rows of {len(made)} columns"
    return Table("trips", about, [Column(name, values) for name, values in made.items()])
