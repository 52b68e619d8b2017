"""Small messages with a dictionary of zstd, beside MessagePack and JSON with one: the table of docs/dictionaries.md.

`make bench-dictionaries` runs it. Half of the messages train the dictionaries, which all have the same size, and the
other half is measured. MessagePack and JSON are compressed by python-zstandard at the level of holdall, 3, with the ID
of the dictionary of 4 bytes, as is its default.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

KINDS = [
    "user.created",
    "user.updated",
    "order.placed",
    "order.paid",
    "cart.changed",
    "session.started",
]
NAMES = [
    "Ada",
    "Alan",
    "Barbara",
    "Donald",
    "Edsger",
    "Frances",
    "Grace",
    "Ken",
    "Linus",
    "Margaret",
    "Radia",
]
WORDS = [
    "blue",
    "red",
    "small",
    "large",
    "steel",
    "lamp",
    "chair",
    "table",
    "book",
    "phone",
    "case",
    "desk",
    "shirt",
]
CITIES = ["Austin", "Berlin", "Lagos", "Lima", "London", "Oslo", "Paris", "Tokyo"]


def events(count: int) -> list[dict[str, Any]]:
    """Events as the API of a shop sends them: about 500 bytes of JSON each, in few shapes."""
    chance = random.Random(7)

    def item() -> dict[str, Any]:
        title = f"{chance.choice(WORDS)} {chance.choice(WORDS)}"
        sku, price = f"SKU-{chance.randrange(10**5):05}", round(chance.random() * 100, 2)
        return {"sku": sku, "title": title, "quantity": chance.randint(1, 5), "price": price}

    def event() -> dict[str, Any]:
        kind, name = chance.choice(KINDS), chance.choice(NAMES)
        day, second = chance.randint(1, 28), chance.randrange(86_400)
        at = f"2026-11-{day:02}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
        address = {"city": chance.choice(CITIES), "zip": f"{chance.randrange(10**5):05}"}
        mail = f"{name.lower()}{chance.randint(1, 999)}@example.com"
        actor = {"id": chance.randrange(10**6), "name": name, "email": mail, "address": address}
        found = {
            "id": f"{chance.getrandbits(128):032x}",
            "type": kind,
            "created_at": at,
            "api_version": "2026-10-01",
            "request": {"id": f"req_{chance.getrandbits(48):012x}", "idempotency_key": None},
            "actor": actor,
        }
        if kind.startswith("order"):
            items = [item() for _ in range(chance.randint(1, 5))]
            total = round(sum(each["price"] for each in items), 2)
            found["order"] = {"currency": "EUR", "total": total, "items": items}
        elif kind.startswith("session"):
            agent = f"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/{chance.randint(90, 140)}.0"
            found["session"] = {"agent": agent, "duration": chance.randrange(7200)}
        return found

    return [event() for _ in range(count)]


class Coding(NamedTuple):
    """How messages are written and read, without and with a dictionary."""

    name: str
    plain: Callable[[Any], bytes]
    write: Callable[[Any], bytes]
    read: Callable[[bytes], Any]


def holdall_coding(samples: list[Any], size: int) -> Coding:
    import holdall

    dictionary = holdall.Dictionary.train([holdall.dumps(each) for each in samples], size=size)
    encoder, decoder = (
        holdall.Encoder(dictionary=dictionary),
        holdall.Decoder(dictionaries=[dictionary]),
    )
    return Coding("holdall", holdall.dumps, encoder.encode, decoder.decode)


def compressed(
    name: str,
    dumps: Callable[[Any], bytes],
    loads: Callable[[bytes], Any],
    samples: list[Any],
    size: int,
) -> Coding:
    import zstandard

    dictionary = zstandard.train_dictionary(size, [dumps(each) for each in samples])
    dictionary.precompute_compress(level=3)
    packer = zstandard.ZstdCompressor(dict_data=dictionary, level=3)
    unpacker = zstandard.ZstdDecompressor(dict_data=dictionary)
    return Coding(
        name,
        dumps,
        lambda value: packer.compress(dumps(value)),
        lambda data: loads(unpacker.decompress(data)),
    )


def microseconds(run: Callable[[Any], Any], values: list[Any]) -> float:
    """The best of five rounds, for each value."""
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for value in values:
            run(value)
        best = min(best, time.perf_counter() - start)
    return best / len(values) * 1e6


def lines(name: str, values: list[Any]) -> list[str]:
    """The lines of the table for some values."""
    import orjson
    import ormsgpack

    half = len(values) // 2
    samples, values = values[:half], values[half:]
    size = min(100_000, sum(len(orjson.dumps(each)) for each in samples) // 10)
    codings = [
        holdall_coding(samples, size),
        compressed("MessagePack", ormsgpack.packb, ormsgpack.unpackb, samples, size),
        compressed("JSON", orjson.dumps, orjson.loads, samples, size),
    ]
    found = []
    for coding in codings:
        data = [coding.write(value) for value in values]
        assert [coding.read(each) for each in data] == values
        plain = sum(len(coding.plain(value)) for value in values) / len(values)
        small = sum(map(len, data)) / len(values)
        times = [
            microseconds(coding.plain, values),
            microseconds(coding.write, values),
            microseconds(coding.read, data),
        ]
        plain_time, write, read = (f"{each:6.1f}" for each in times)
        found.append(
            f"{name:<10} {coding.name:<12} {plain:8.0f} {small:8.0f} {plain_time} {write} {read}"
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with twitter.json")
    given = parser.parse_args()
    print("                           bytes     with   pack   with  unpack  (us)")
    print("\n".join(lines("events", events(20_000))))
    if given.data is not None:
        text = (given.data / "twitter.json").read_text(encoding="utf-8")
        print("\n".join(lines("tweets", json.loads(text)["statuses"])))


if __name__ == "__main__":
    main()
