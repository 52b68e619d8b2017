"""Variants of enums of other languages, in formats that have none."""

from __future__ import annotations

import dataclasses
import datetime
import uuid
from typing import Any

import holdall
import pytest
from holdall import Variant

FORMATS = ["json", "ndjson", "msgpack", "cbor", "bson"]


@dataclasses.dataclass
class Shape:
    of: Variant
    some: list[Variant]
    none: Variant | None = None


def rows(name: str, *values: Any) -> Any:
    """Values as what every format has at its root."""
    return {"r": list(values)} if name == "bson" else list(values)


@pytest.mark.parametrize("name", FORMATS)
def test_a_variant_comes_back_from_what_stores_it_by_its_type(name: str) -> None:
    values = [Variant("B", 1), Variant("A"), Variant("C", {"x": [1, "a"]}), Variant("", None)]
    given = rows(name, *values)
    data = holdall.dumps(given, format=name, storage=True)
    tp: Any = dict[str, list[Variant]] if name == "bson" else list[Variant]
    assert holdall.loads(data, tp, format=name) == given
    shape = Shape(Variant("D", 2), values)
    data = holdall.dumps(rows(name, shape), format=name, storage=True)
    of_shapes: Any = dict[str, list[Shape]] if name == "bson" else list[Shape]
    assert holdall.loads(data, of_shapes, format=name) == rows(name, shape)


def test_other_values_are_no_variants() -> None:
    for text in (b'{"r":{}}', b'{"r":{"a":1,"b":2}}', b'{"r":1}', b'{"r":null}', b'{"r":["a",1]}'):
        with pytest.raises(holdall.SchemaError) as caught:
            holdall.loads(text, dict[str, Variant], format="json")
        assert (caught.value.code, caught.value.path) == ("unconvertible", "$.r")
    with pytest.raises(holdall.SchemaError):
        holdall.loads(holdall.dumps([{1: 2}], format="msgpack"), list[Variant], format="msgpack")
    # Nor are dicts and texts of a message, which has variants.
    for value in ({"B": 1}, "B"):
        with pytest.raises(holdall.SchemaError):
            holdall.loads(holdall.dumps([value]), list[Variant])


def test_in_a_union_a_value_stays_what_it_is() -> None:
    either: Any = list[Variant | dict[str, int] | str]
    assert holdall.loads(b'[{"B":1},"B"]', either, format="json") == [{"B": 1}, "B"]
    assert holdall.loads(b'["B",null,1]', list[Variant | int | None], format="json") == [
        *(Variant("B"), None, 1)
    ]


def test_cells_have_the_names_of_variants_without_values() -> None:
    given = [{"kind": Variant("A")}, {"kind": Variant("B")}]
    data = holdall.dumps(given, format="csv", storage=True)
    assert data == b"kind\nA\nB\n"
    assert holdall.loads(data, list[dict[str, Variant]], format="csv") == given


def test_dlhn_refuses_variants_because_it_numbers_all_of_a_type() -> None:
    names = ("B", "Some", "None", "$holdall::Some", "$holdall::None")
    for value in [Variant(name, payload) for name in names for payload in (1, None)]:
        with pytest.raises(holdall.EncodeError, match="whose variants are all known") as caught:
            holdall.dumps([value], format="dlhn")
        assert (caught.value.code, caught.value.path) == ("unrepresentable", "$[]")
    given = [Variant("B"), Variant("A")]
    data = holdall.dumps(given, format="dlhn", storage=True)
    assert data == b"\x14\x12\x02\x01B\x01A"
    assert holdall.loads(data, list[Variant], format="dlhn") == given
    with pytest.raises(holdall.EncodeError):
        holdall.dumps([Variant("B", 1)], format="dlhn", storage=True)


@pytest.mark.parametrize(
    ("kind", "value"), [(uuid.UUID, uuid.UUID(int=7)), (datetime.date, datetime.date(2026, 1, 2))]
)
def test_text_that_spells_another_type_is_no_variant(kind: Any, value: Any) -> None:
    data = f'["{value}", "B", {{"C": 1}}]'.encode()
    values = [value, Variant("B"), Variant("C", 1)]
    assert holdall.loads(data, list[kind | Variant], format="json") == values
    assert holdall.loads(data, list[Variant | kind], format="json") == values
