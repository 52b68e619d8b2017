"""Text with lone surrogates in formats without it: its bytes, and back by its type."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import holdall
import msgspec
import pytest

TEXT = "a\ud800é"
BYTES = b"a\xed\xa0\x80\xc3\xa9"
FORMATS = ("msgpack", "cbor", "bson", "dlhn")


@dataclasses.dataclass
class Named:
    name: str
    other: str | None = None


def stored(name: str, obj: Any) -> bytes:
    with pytest.raises(holdall.EncodeError, match="storage=True writes what stores it"):
        holdall.dumps(obj, format=name)
    return holdall.dumps(obj, format=name, storage=True)


@pytest.mark.parametrize("name", FORMATS)
def test_a_type_reads_the_bytes_as_text(name: str) -> None:
    data = stored(name, {"name": TEXT})
    assert data == holdall.dumps({"name": BYTES}, format=name)
    assert holdall.loads(data, dict[str, str], format=name) == {"name": TEXT}
    data = stored(name, Named(TEXT, TEXT))
    assert holdall.loads(data, Named, format=name) == Named(TEXT, TEXT)
    data = stored(name, {"a": [TEXT, "b"]} if name != "dlhn" else {"a": [TEXT, TEXT]})
    texts = holdall.loads(data, dict[str, list[str | None]], format=name)["a"]
    assert texts[0] == TEXT
    if name != "bson":
        assert holdall.loads(stored(name, TEXT), str, format=name) == TEXT


@pytest.mark.parametrize("name", FORMATS)
def test_without_the_type_they_stay_bytes(name: str) -> None:
    data = stored(name, {"name": TEXT})
    for tp in (None, dict[str, Any], dict[str, bytes], dict[str, str | bytes]):
        assert holdall.loads(data, tp, format=name) == {"name": BYTES}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("value", [b"", b"text", "é".encode(), b"\xff", b"\xed\xa0", b"\xc0\x80"])
def test_other_bytes_are_no_text(name: str, value: bytes) -> None:
    data = holdall.dumps({"name": value}, format=name)
    with pytest.raises(holdall.SchemaError, match="expected str, got bytes") as caught:
        holdall.loads(data, dict[str, str], format=name)
    # DLHN has a map in place of a record.
    path = "$[0]" if name == "dlhn" else "$.name"
    assert (caught.value.code, caught.value.path) == ("unconvertible", path)


def test_constraints_of_the_type_hold() -> None:
    data = stored("cbor", [TEXT])
    fitting = list[Annotated[str, msgspec.Meta(max_length=3)]]
    assert holdall.loads(data, fitting, format="cbor") == [TEXT]
    with pytest.raises(holdall.SchemaError) as caught:
        holdall.loads(data, list[Annotated[str, msgspec.Meta(max_length=2)]], format="cbor")
    assert (caught.value.code, caught.value.path) == ("unconvertible", "$[0]")


@pytest.mark.parametrize("name", ["json", "ndjson", "csv"])
def test_formats_of_text_refuse_it(name: str) -> None:
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps([{"name": TEXT}], format=name, storage=True)
    assert (caught.value.code, caught.value.path) == ("unrepresentable", "$[0].name")


def test_messages_of_holdall_read_no_bytes_as_text() -> None:
    with pytest.raises(holdall.SchemaError, match="expected str, got bytes"):
        holdall.loads(holdall.dumps(BYTES), str)
    assert holdall.loads(holdall.dumps(TEXT), str) == TEXT
