"""Fills the fuzzer's corpora with initial inputs. `make fuzz` runs it.

Without them, a fuzzer spends minutes discovering that a message begins with C1 10. So the decoder starts with the
conformance vectors, valid and invalid, and the converters with small inputs of each format.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The fuzzer takes the longest seed as its maximum length; long inputs make it slow.
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

# In hexadecimal: each kind of head, numbers at the limits, containers of every form, timestamps and extensions.
MSGPACK = [
    "82a7636f6d70616374c3a6736368656d6100",
    "93ca3fc00000cb3ff8000000000000c0",
    "94cf8000000000000000d38000000000000000e0ff",
    "83a161c4020102a16292dc000101a163df00000001a16101",
    "820190a1310291a0",
    "93d6ff00000007d7ffee6b27fc00000000c70cff3b9ac9ffffffffffffffffff",
    "92d401aac803050102",
]

# The same; tags with and without a meaning, and indefinite lengths.
CBOR = [
    "bf6346756ef563416d7421ff",
    "9f018202039f0405ffff",
    "83f93e00fa47c35000fb3ff199999999999a",
    "84c249010000000000000000c3491bffffffffffffffff1bffffffffffffffff3bffffffffffffffff",
    "83c11a514b67b0d864194e20d81e820103",
    "82d82550000102030405060708090a0b0c0d0e0fd9010282016161",
    "84c074323031332d30332d32315432303a30343a30305af7f0f8ff",
    "a2010220820304",
    "825f42010243030405ff7f657374726561646d696e67ff",
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
            # The name that libFuzzer would give it, so that it adds no second copy.
            name = hashlib.sha1(seed, usedforsecurity=False).hexdigest()
            (folder / name).write_bytes(seed)
            count += 1
    print(f"{target}: {count} seeds")


if __name__ == "__main__":
    fill("decode", vectors())
    fill("json", (text.encode() for text in TEXTS))
    fill("msgpack", map(bytes.fromhex, MSGPACK))
    fill("cbor", map(bytes.fromhex, CBOR))
