"""Fills the fuzzer's corpora with initial inputs, and writes their dictionaries. `make fuzz` runs it.

Without them, a fuzzer spends minutes discovering that a message begins with C1 10. So readers start with the
conformance vectors, valid and invalid, and the converters with small inputs of each format. Every target starts with
its former crashes, too (`crashers`).
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The fuzzer takes the longest seed as its maximum length; long inputs make it slow.
MAX_SEED_LEN = 4096

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


#: Quotes, line ends and what is read as a number, null or a date.
CSV = [
    "a,b\n1,x\n2,y\n",
    "a\r\n\r\n",
    'a,a,"b ""c"""\n1,2.50,"x\ny"\n,,\n',
    "a,b\ntrue,2024-02-29\nfalse,2024-03-01\n",
    "a\n1\n1e400\n-0\n007\n18446744073709551616\n",
    "\ufeffa,b\n1\n",
]

# Each type of BSON, documents in documents, and binary data of several subtypes.
BSON = [
    "0500000000",
    "1a0000001061000100000012620000000000000000800a630000",
    "1d00000001610000000000000008c00262000200000078000863000100",
    "240000000364001c0000000465000c0000000a3000083100000003660005000000000000",
    "32000000056700020000000061620575001000000004000102030405060708090a0b0c0d0e0f056800030000008078797a00",
    "2a000000076f00000102030405060708090a0b097400cb04fb711f010000116d00020000000100000000",
    "330000000b7200612e6200696d000d6300040000006628290013640000000000000000000000000000000030ff6e007f780000",
]

# A header and a body for each type of DLHN, and types inside others.
DLHN = [
    "00",
    "0201",
    "1503020312017b0474657374",
    "01030107",
    "140303010203",
    "170302016101016202",
    "180200030107",
    "0dc3f54840",
    "0e1f85eb51b81e0940",
    "0f0180",
    "1004ffffff7f",
    "1102960004",
    "1303010203",
    "19002e",
    "1a0005",
    "150604050608090a050505ff0103",
    "068002",
    "1418021203030001610107000162",
    "14011405020001020102",
]

#: What append_recover does with a stream, one byte for each step.
SCRIPTS = [bytes(range(64)), bytes(range(0, 256, 3)), b"\x00\x01" * 30 + bytes(range(255, 0, -5))]

#: Tokens of the text formats, heads of the values of binary ones, and steps of append_recover.
WORDS = {
    "append_recover": [b"\x00\x07\x64\x03", b"\x03", b"\x04\x00\x40", b"\x06\x00\x20\x00\x10\x01"],
    "bson": [bytes([code]) + b"a\x00" for code in (*range(1, 20), 0x7F, 0xFF)],
    "cbor": [
        *(bytes([head]) for head in b"\x1b\x3b\x58\x5f\x78\x7f\x9f\xbf\xc1\xc2\xf9\xfa\xfb\xff"),
        *(b"\xd8\x1e", b"\xd8\x25", b"\xd8\x64", b"\xd9\x01\x02", b"\xf8\x18"),
    ],
    "dlhn": [bytes([code]) for code in range(27)],
    "msgpack": [
        *(bytes([head]) for head in b"\xc0\xca\xcb\xcf\xd3\xd4\xdd\xdf"),
        *(
            b"\xc4\x01",
            b"\xc7\x0c\xff",
            b"\xd6\xff",
            b"\xd7\xff",
            b"\xd9\x01",
            b"\xdc\x00\x01",
            b"\xde\x00\x01",
        ),
    ],
    "json": rb'null true false 1e -0.0 \u0000 \ud83d ": [{ }]'.split(),
    "csv": [*rb', " "" 1.50 true null 2024-01-01T00:00:00Z'.split(), b"\r\n", b"\n"],
}


def hexadecimals(record: object, name: str = "hex") -> Iterator[bytes]:
    """The bytes of every field of this name in a file of vectors."""
    if isinstance(record, dict):
        for key, value in record.items():
            if key == name and isinstance(value, str):
                yield bytes.fromhex(value)
            else:
                yield from hexadecimals(value, name)
    elif isinstance(record, list):
        for item in record:
            yield from hexadecimals(item, name)


def vectors(kind: str) -> Iterator[dict[str, object]]:
    for path in sorted(ROOT.glob(f"conformance/{kind}/*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))["vectors"]


def messages() -> Iterator[bytes]:
    for kind in ("valid", "invalid", "evolution", "large", "golden"):
        yield from hexadecimals(list(vectors(kind)))


def streams() -> Iterator[bytes]:
    yield from hexadecimals(list(vectors("streams")))


def pairs() -> Iterator[bytes]:
    """A reader's schema with its length, and a message."""
    for vector in vectors("evolution"):
        (schema,) = hexadecimals(vector, "reader_schema_hex")
        (message,) = hexadecimals(vector)
        yield len(schema).to_bytes(2, "little") + schema + message


def dictionaries() -> Iterator[bytes]:
    """Messages of the vectors for their dictionary; a dictionary, and the frame of a message."""
    for path in sorted(ROOT.glob("conformance/dictionaries/*.json")):
        file = json.loads(path.read_text(encoding="utf-8"))
        for dictionary in map(bytes.fromhex, file["dictionaries"].values()):
            for message in hexadecimals(file["vectors"]):
                yield b"\1\0\0" + message
                if message.startswith(b"\xc1\x18\x08"):
                    yield b"\0" + len(dictionary).to_bytes(2, "little") + dictionary + message[11:]


def typed() -> Iterator[bytes]:
    """The number of a type, and a body of it or a message."""
    for number in range(16):
        for body in (bytes(8), bytes([2] * 40), bytes([4, 2, 2, 6, 1, 0, 0, 0] * 8)):
            yield bytes([number]) + body
    for number, message in enumerate(messages()):
        yield bytes([16 + number % 16]) + message
        yield bytes([32 + number % 8]) + message


def encoded(texts: Iterable[str]) -> Iterator[bytes]:
    return (text.encode() for text in texts)


@functools.cache
def tags() -> tuple[bytes, ...]:
    """The codes and signatures that the specification lists: the dictionary of all targets that read holdall."""
    spec = (ROOT / "spec" / "format.md").read_text(encoding="utf-8")
    codes: list[bytes] = []
    for rule in ("F-14", "F-57", "F-84"):
        table = spec.split(f"**{rule}**")[1].split("**F-")[0]
        for row in re.findall(r"^\|.*\|$", table, re.MULTILINE):
            codes += map(bytes.fromhex, re.findall(r"`([0-9A-F]{2})`", row))
    return (*codes, b"\xc1\x10", b"\xc1\x12", b"\xc1\x18", b"\xc1\xf1hold\r\n")


def fill(corpora: Path, target: str, seeds: Iterable[bytes], words: Iterable[bytes]) -> None:
    folder = corpora / target
    folder.mkdir(parents=True, exist_ok=True)
    crashers = sorted((ROOT / "fuzz" / "crashers" / target).glob("*"))
    count = 0
    for seed in (*seeds, *(path.read_bytes() for path in crashers)):
        if len(seed) <= MAX_SEED_LEN:
            # The name that libFuzzer would give it, so that it adds no second copy.
            name = hashlib.sha1(seed, usedforsecurity=False).hexdigest()
            (folder / name).write_bytes(seed)
            count += 1
    lines = (
        '"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in dict.fromkeys(words)
    )
    folder.with_suffix(".dict").write_text("".join(lines), encoding="ascii")
    print(f"{target}: {count} seeds")


#: The seeds of each target, and the words of its dictionary.
TARGETS: dict[str, tuple[Callable[[], Iterable[bytes]], Iterable[bytes]]] = {
    "append_recover": (lambda: SCRIPTS, WORDS["append_recover"]),
    "bson": (lambda: map(bytes.fromhex, BSON), WORDS["bson"]),
    "cbor": (lambda: map(bytes.fromhex, CBOR), WORDS["cbor"]),
    "csv": (lambda: encoded(CSV), WORDS["csv"]),
    "decode": (messages, tags()),
    "dictionaries": (dictionaries, tags()),
    "dlhn": (lambda: map(bytes.fromhex, DLHN), WORDS["dlhn"]),
    "json": (lambda: encoded(TEXTS), WORDS["json"]),
    "msgpack": (lambda: map(bytes.fromhex, MSGPACK), WORDS["msgpack"]),
    "ndjson": (lambda: encoded("\n".join(TEXTS[at : at + 3]) for at in range(26)), WORDS["json"]),
    "resolver": (pairs, tags()),
    "scans": (lambda: (*messages(), *streams()), tags()),
    "streams": (streams, tags()),
    # The number of a file, and edits of it.
    "tables": (lambda: [bytes([file]) + edits for file in range(9) for edits in SCRIPTS], ()),
    "typed": (typed, tags()),
    "views": (lambda: (*messages(), *streams()), tags()),
}

if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--to", type=Path, default=ROOT / "fuzz" / "corpus", metavar="FOLDER")
    corpora = options.parse_args().to
    present = {path.stem for path in (ROOT / "fuzz" / "src" / "bin").glob("*.rs")}
    assert present == set(TARGETS), f"targets without seeds: {present ^ set(TARGETS)}"
    for target, (seeds, words) in TARGETS.items():
        fill(corpora, target, seeds(), words)
