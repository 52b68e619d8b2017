"""Messages that are compressed with a dictionary (F-101)."""

from __future__ import annotations

import copy
import json
import pickle
import random
from pathlib import Path
from typing import Any

import holdall
import pytest

VECTORS = Path(__file__).parents[2] / "conformance" / "dictionaries" / "messages.json"


def event(chance: random.Random) -> dict[str, Any]:
    return {
        "id": chance.randrange(10**6),
        "kind": chance.choice(["signed in", "signed out", "password changed"]),
        "user": {"name": chance.choice(["Ada", "Grace", "Barbara"]), "city": "Paris"},
        "tags": chance.sample(["new", "mobile", "trusted", "slow"], chance.randrange(3)),
    }


def events(seed: int, count: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    return [event(chance) for _ in range(count)]


@pytest.fixture(scope="module")
def dictionary() -> holdall.Dictionary:
    return holdall.Dictionary.train((holdall.dumps(each) for each in events(1, 1000)), size=5000)


def test_vectors_have_their_value_or_fault() -> None:
    file = json.loads(VECTORS.read_text(encoding="utf-8"))
    known = [holdall.Dictionary(bytes.fromhex(file["dictionaries"]["events"]))]
    for vector in file["vectors"]:
        if "schema_hex" in vector:
            continue
        data = bytes.fromhex(vector["hex"])
        limits = holdall.Limits(budget=vector["budget"]) if "budget" in vector else None
        if "code" in vector:
            with pytest.raises(holdall.DecodeError) as raised:
                holdall.loads(data, dictionaries=known, limits=limits)
            assert (raised.value.code, raised.value.offset) == (vector["code"], vector["offset"]), (
                vector
            )
            continue
        value = holdall.loads(data, dictionaries=known, limits=limits)
        # The same value, packed without the dictionary, is the content.
        assert holdall.loads(holdall.dumps(value)) == value
        if limits is None:
            assert str(holdall.schema(data, dictionaries=known)) == vector["schema"]
        assert holdall.metadata(data) == dict(vector.get("metadata", []))


def test_small_messages_shrink_and_come_back(dictionary: holdall.Dictionary) -> None:
    encoder = holdall.Encoder(dictionary=dictionary)
    decoder = holdall.Decoder(dictionaries=[dictionary])
    with_it = without = 0
    for each in events(2, 300):
        data = encoder.encode(each)
        assert data[:3] == b"\xc1\x18\x08"
        assert data[3:11] == dictionary.hash.to_bytes(8, "little")
        assert decoder.decode(data) == each
        assert encoder.size(each) == len(data)
        with_it, without = with_it + len(data), without + len(holdall.dumps(each))
    assert with_it < without / 1.5


@pytest.mark.parametrize(
    "options",
    [
        {"profile": "fast"},
        {"profile": "small"},
        {"checksum": True},
        {"metadata": {"k": "v"}},
        {"header": "fingerprint", "store": holdall.SchemaStore()},
        {"references": False},
        {"limits": holdall.Limits(output=10_000)},
    ],
    ids=" ".join,
)
def test_all_options_go_with_it(dictionary: holdall.Dictionary, options: dict[str, Any]) -> None:
    store = options.get("store")
    for each in [events(seed, 10) for seed in range(10)]:
        data = holdall.dumps(each, dictionary=dictionary, **options)
        assert data[2] & 8
        assert len(data) < len(holdall.dumps(each, **options))
        assert holdall.loads(data, dictionaries=[dictionary], store=store) == each
        assert holdall.metadata(data) == options.get("metadata", {})


def test_what_it_does_not_help_is_packed_without(dictionary: holdall.Dictionary) -> None:
    chance = random.Random(4)
    for value in [7, chance.randbytes(1000), [chance.random() for _ in range(100)], "x" * 200_000]:
        assert holdall.dumps(value, dictionary=dictionary) == holdall.dumps(value)
    bare = holdall.dumps(events(1, 1)[0], header="none", dictionary=dictionary)
    assert bare == holdall.dumps(events(1, 1)[0], header="none")


def test_objects_and_cycles_go_through_it(dictionary: holdall.Dictionary) -> None:
    ring: list[Any] = [event(random.Random(5)) for _ in range(10)]
    ring.append(ring)
    data = holdall.dumps(ring, dictionary=dictionary)
    assert data[2] == 8
    back = holdall.loads(data, dictionaries=[dictionary])
    assert back[10] is back
    assert back[:10] == ring[:10]
    record = holdall.Record("shop.Cart", events=ring[:10])
    data = holdall.dumps(record, dictionary=dictionary)
    assert holdall.classes(data, dictionaries=[dictionary]) == {"shop.Cart": None}
    with pytest.raises(holdall.DecodeError, match="shop.Cart"):
        holdall.loads(data, dictionaries=[dictionary], missing="error")


def test_views_read_it(dictionary: holdall.Dictionary, tmp_path: Path) -> None:
    rows = events(6, 50)
    path = tmp_path / "events.hold"
    holdall.dump(rows, path, dictionary=dictionary)
    assert holdall.load(path, dictionaries=[dictionary]) == rows
    for view in [
        holdall.open(path, dictionaries=[dictionary]),
        holdall.view(path.read_bytes(), dictionaries=[dictionary]),
    ]:
        assert view["id"].tolist() == [row["id"] for row in rows]
        assert view[7] == rows[7]
    with pytest.raises(holdall.DecodeError, match="dictionaries="):
        holdall.open(path)


def test_arrays_of_a_file_are_not_mapped_from_it(tmp_path: Path) -> None:
    # Raw rows of a frame that zstd made small: their place is in the content, not in the file.
    numpy = pytest.importorskip("numpy")
    rows = [{"x": float(n % 7) * 1.1} for n in range(16_000)]
    samples = [holdall.dumps(rows[n : n + 20], profile="fast") for n in range(2000)]
    dictionary = holdall.Dictionary.train(samples, size=2000)
    path = tmp_path / "rows.hold"
    holdall.dump(rows, path, profile="fast", dictionary=dictionary)
    assert path.read_bytes()[2] == 8
    found = holdall.open(path, dictionaries=[dictionary])["x"].array()
    assert numpy.array_equal(found, [row["x"] for row in rows])


def test_another_dictionary_is_refused(dictionary: holdall.Dictionary) -> None:
    other = holdall.Dictionary.train([holdall.dumps(each) for each in events(7, 1000)], size=3000)
    data = holdall.dumps(events(8, 1)[0], dictionary=dictionary)
    for known in [[], [other]]:
        with pytest.raises(holdall.DecodeError, match="dictionaries=") as raised:
            holdall.loads(data, dictionaries=known)
        assert (raised.value.code, raised.value.offset) == ("unknown_dictionary", 3)
    assert holdall.loads(data, dictionaries=[other, dictionary]) == events(8, 1)[0]
    # A message that claims it was compressed with the other one.
    wrong = data[:3] + other.hash.to_bytes(8, "little") + data[11:]
    try:
        assert holdall.loads(wrong, dictionaries=[other]) != events(8, 1)[0]
    except holdall.DecodeError as error:
        assert error.offset is not None


def test_damaged_messages_are_refused_or_read(dictionary: holdall.Dictionary) -> None:
    chance = random.Random(9)
    decoder = holdall.Decoder(dictionaries=[dictionary], limits=holdall.Limits(budget=2**20))
    plain = holdall.Decoder(dictionaries=[dictionary])
    data = [holdall.dumps(each, dictionary=dictionary) for each in events(10, 20)]
    refused = 0
    for _ in range(3000):
        damaged = bytearray(chance.choice(data))
        damaged[chance.randrange(11, len(damaged))] ^= 1 << chance.randrange(8)
        for each in (decoder, plain):
            try:
                each.decode(damaged)
            except holdall.DecodeError as error:
                refused += 1
                assert error.offset is not None
    assert refused > 100


def test_a_dictionary_is_its_bytes(dictionary: holdall.Dictionary) -> None:
    same = holdall.Dictionary(bytes(dictionary))
    assert same == dictionary
    assert hash(same) == hash(dictionary)
    assert same.hash == dictionary.hash
    assert pickle.loads(pickle.dumps(dictionary)) == dictionary
    assert copy.copy(dictionary) == dictionary
    assert dictionary != bytes(dictionary)
    assert repr(dictionary).startswith(f"<holdall.Dictionary {dictionary.hash:016x}, ")


def test_mistakes_are_explained(dictionary: holdall.Dictionary) -> None:
    for data in [b"", b"not a dictionary", bytes(dictionary)[:60]]:
        with pytest.raises(holdall.DecodeError) as raised:
            holdall.Dictionary(data)
        assert raised.value.code == "bad_input"
    with pytest.raises(holdall.EncodeError, match="a hundred or more") as failed:
        holdall.Dictionary.train([holdall.dumps(1)])
    assert failed.value.code == "bad_input"
    with pytest.raises(holdall.Error, match="bad_magic"):
        holdall.Dictionary.train([b"{}"] * 200)
    with pytest.raises(TypeError):
        holdall.Dictionary.train([{"a": 1}])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="must be a holdall.Dictionary"):
        holdall.dumps(1, dictionary=bytes(dictionary))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"dictionaries=\[dictionary\]"):
        holdall.loads(b"", dictionaries=dictionary)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be of holdall.Dictionary"):
        holdall.loads(b"", dictionaries=[b""])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="dictionary"):
        holdall.dumps(1, format="json", dictionary=dictionary)


def test_inspect_explains_what_a_dictionary_compressed(dictionary: holdall.Dictionary) -> None:
    value = event(random.Random(7))
    plain, data = holdall.dumps(value), holdall.dumps(value, dictionary=dictionary, checksum=True)
    seen = holdall.inspect(data, dictionaries=[dictionary])
    content = [item for item in seen if item.in_content]
    assert b"".join(item.bytes for item in seen if not item.in_content) == data
    assert b"".join(item.bytes for item in content) == plain[2:]
    same = [item for item in holdall.inspect(plain) if item.start >= 2]
    assert [(item.path, item.meaning) for item in content] == [
        (item.path, item.meaning) for item in same
    ]
    assert "decompressed" in str(seen)
    assert not seen.errors
    (error,) = holdall.inspect(data).errors
    assert error.startswith("unknown_dictionary at offset 4")
    assert value["kind"] not in str(holdall.inspect(data, redact=True, dictionaries=[dictionary]))
