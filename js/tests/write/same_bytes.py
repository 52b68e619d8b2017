"""Prints random values as tagged values with their bytes, one JSON object a line, for `same_bytes.test.ts`.

The bytes are those of the package `holdall` (Rust) and of the writer in `spec/reference`, which must agree. Usage:
same_bytes.py COUNT SEED, with both on PYTHONPATH.
"""

import datetime
import json
import random
import string
import struct
import sys

import holdall
from holdall_reference.writer import encode_message

NAMES = [
    "id",
    "name",
    "x",
    "y",
    "tags",
    "next",
    "a b",
    "ü",
    "__proto__",
    "constructor",
    "2020-01-01",
    "deadbeef1",
]
UTC = datetime.UTC
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)


class Values:
    def __init__(self, rng):
        self.rng = rng
        self.made = []

    def scalar(self):
        rng = self.rng
        return rng.choice(
            [
                lambda: None,
                lambda: rng.random() < 0.5,
                lambda: rng.randrange(-5, 300),
                lambda: rng.randrange(-(1 << rng.randrange(1, 63)), 1 << rng.randrange(1, 63)),
                lambda: rng.randrange(-(1 << 90), 1 << 90),
                lambda: round(rng.uniform(-1000, 1000), rng.randrange(1, 4)),
                lambda: rng.choice([0.0, -0.0, 1.0, 1e300, float("inf"), float("nan"), 5e-324]),
                self.text,
                lambda: rng.randbytes(rng.randrange(9)),
            ]
        )()

    def text(self):
        alphabet = self.rng.choice([string.ascii_lowercase[:3], string.printable, "äß€😀z"])
        return "".join(self.rng.choices(alphabet, k=self.rng.randrange(self.rng.choice([3, 40]))))

    def column(self):
        """A list of alike items, which the encodings of profile balanced are for."""
        rng = self.rng
        n = rng.choice([4, 9, 20, 130, 300])
        start, step = (
            rng.randrange(-(1 << rng.randrange(2, 60)), 1 << 60),
            rng.choice([1, 1000, 86400, 3600000]),
        )
        make = rng.choice(
            [
                lambda i: start + i * step,
                lambda i: start + rng.randrange(50) * step,
                lambda i: rng.randrange(1 << rng.choice([1, 3, 40])),
                lambda i: rng.randrange(-1000, 1000) / 100,
                lambda i: rng.choice(["red", "green", "blue", "ü"]),
                lambda i: rng.random() < 0.9,
                lambda i: None if rng.random() < 0.2 else rng.randrange(100),
                lambda i: {"id": i, "v": rng.randrange(9) / 4, "s": rng.choice("abc")},
                lambda i: {"id": i} if rng.random() < 0.5 else {"id": i, "more": rng.random()},
            ]
        )
        return [make(i) for i in range(n)]

    def value(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.3:
            return self.scalar()
        if self.made and rng.random() < 0.08:
            return rng.choice(self.made)
        kind = rng.randrange(9)
        if kind < 3:
            value = {}
            self.made.append(value)
            for name in rng.sample(NAMES, rng.randrange(5)):
                value[name] = self.value(depth - 1)
            return value
        if kind < 5:
            value = []
            self.made.append(value)
            value += [self.value(depth - 1) for _ in range(rng.randrange(6))]
            return value
        if kind == 5:
            return self.column()
        if kind == 6:
            return tuple(self.value(depth - 1) for _ in range(rng.randrange(11)))
        if kind == 7:
            return {self.scalar(): self.value(depth - 1) for _ in range(rng.randrange(4))}
        return rng.choice(
            [
                lambda: {self.rng.randrange(1000) for _ in range(rng.randrange(9))},
                lambda: EPOCH + datetime.timedelta(microseconds=rng.randrange(1 << 50)),
                lambda: datetime.date.fromordinal(rng.randrange(1, 3_000_000)),
                lambda: bytearray(rng.randbytes(5)),
                lambda: range(rng.randrange(10), 100, 3),
            ]
        )()


def tagged(value, seen):
    """A value as a tagged value. Each with an identity has a number."""
    match value:
        case None:
            return ["null"]
        case bool():
            return ["bool", value]
        case int():
            return ["int", str(value)]
        case float():
            return ["f64", struct.pack(">d", value).hex()]
        case str():
            return ["string", value]
        case bytes():
            return ["bytes", value.hex()]
    if id(value) in seen:
        return ["ref", seen[id(value)]]
    number = seen[id(value)] = len(seen)
    return ["id", number, contents(value, seen)]


def contents(value, seen):
    def each(items):
        return [tagged(item, seen) for item in items]

    match value:
        case list():
            return ["list", each(value)]
        case tuple():
            return ["tuple", each(value)]
        case dict() if all(isinstance(key, str) for key in value):
            return ["record", [[key, tagged(item, seen)] for key, item in value.items()]]
        case dict():
            return ["map", [[tagged(key, seen), tagged(item, seen)] for key, item in value.items()]]
        case set():
            return ["logical", "set", "", ["list", each(sorted(value))]]
        case datetime.datetime():
            return [
                "logical",
                "timestamp",
                "0201",
                ["int", str((value - EPOCH) // datetime.timedelta(microseconds=1))],
            ]
        case datetime.date():
            return ["logical", "date", "", ["int", str(value.toordinal() - 719163)]]
        case bytearray():
            return ["logical", "byte_array", "", ["bytes", value.hex()]]
        case range():
            return ["logical", "range", "", ["tuple", each([value.start, value.stop, value.step])]]
    raise TypeError(value)


def main(count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        value = Values(rng).value(rng.randrange(1, 5))
        given = tagged(value, {})
        line = {"value": given}
        for profile in ("fast", "balanced"):
            written = holdall.dumps(value, profile=profile, canonical=True)
            assert written == encode_message(given, profile, canonical=True), given
            line[profile] = written.hex()
        print(json.dumps(line))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
