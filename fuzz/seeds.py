"""Fill the fuzzer's corpora with inputs to start from. Run by `make fuzz`.

A fuzzer that starts from nothing spends its minutes on finding out that a message begins with C1 10. So the conformance
vectors, valid and invalid, start the decoder, and small JSON texts start the converter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The fuzzer takes the longest seed as its limit of length; long inputs make it slow.
LONGEST = 4096

TEXTS = [
    "null",
    "true",
    "[]",
    "{}",
    "-0.0",
    "1e300",
    "5e-324",
    "18446744073709551616",
    "-9223372036854775809",
    "123456789012345678901234567890123456789012345678901234567890",
    r'"\u0000\ud83d\ude00\"\\\/\b\f\n\r\t"',
    '"größer 日本語 👩"',
    "[1,2,3,4,5,6,7,8,9,10]",
    "[1000000,1000001,1000003,1000002]",
    "[-1,0,1,300,70000,5000000000]",
    "[0.5,0.25,1.5,-2.75,1e10]",
    "[true,false,true,true,false,false,true,false,true]",
    "[null,1,null,2,null]",
    '[1,"a",2.5,true,null,[],{}]',
    '["a","b","a","b","a","b"]',
    "[[1,2],[],[3],[4,5,6]]",
    '{"a":1,"b":"x","c":[1,2],"d":{"e":null}}',
    '[{"a":1,"b":2},{"b":3,"a":4},{"a":5},{}]',
    '[{"a":1},{"b":1},{"c":1},{"d":1},{"e":1},{"f":1}]',
    '{"v":1,"next":{"v":2,"next":{"v":3,"next":null}}}',
    '{"name":"a","children":[{"name":"b","children":[]},{"name":"c","children":[]}]}',
    "[" * 40 + "]" * 40,
    '{"a":' * 40 + "1" + "}" * 40,
]


def hexadecimals(record: object) -> Iterator[bytes]:
    """The bytes of every field named `hex` in a file of vectors."""
    if isinstance(record, dict):
        for name, value in record.items():
            if name == "hex" and isinstance(value, str):
                yield bytes.fromhex(value)
            else:
                yield from hexadecimals(value)
    elif isinstance(record, list):
        for item in record:
            yield from hexadecimals(item)


def vectors() -> Iterator[bytes]:
    for path in sorted(ROOT.glob("conformance/*/*.json")):
        yield from hexadecimals(json.loads(path.read_text(encoding="utf-8")))


def fill(target: str, seeds: Iterator[bytes]) -> None:
    folder = ROOT / "fuzz" / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for seed in seeds:
        if len(seed) <= LONGEST:
            # The name libFuzzer gives, so that it finds no second copy.
            name = hashlib.sha1(seed, usedforsecurity=False).hexdigest()
            (folder / name).write_bytes(seed)
            count += 1
    print(f"{target}: {count} seeds")


if __name__ == "__main__":
    fill("decode", vectors())
    fill("json", (text.encode() for text in TEXTS))
