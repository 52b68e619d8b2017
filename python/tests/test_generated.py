"""What `holdall generate --python` makes: dataclasses that data are read into, and written from."""

from __future__ import annotations

import collections
import datetime
import decimal
import fractions
import json
import struct
import uuid
from pathlib import Path
from typing import Any

import generated_links
import generated_shop
import generated_twins
import holdall
import pytest
from generated_names import Axis, Map, Names, Option, Place, Point, Schema, Self, String, Tuple, Vec
from generated_names import Decimal as Price
from generated_rare import G, KindsC, Rare
from generated_shop import Category, Colours, Line, Order, PaymentCard, Shop
from generated_twins import DealtCard, Line2, PaidCard, Table
from generated_users import HomeTown, Users, UsersRoot

FOLDER = Path(__file__).resolve().parents[2] / "crates" / "holdall-cli" / "tests" / "generated"
TEA = Category("tea", [], None)
ORDER = Order(
    7,
    datetime.datetime(2024, 5, 6, 7, 8, 9, 10, datetime.UTC),
    [Line("tea", 2, decimal.Decimal("4.90"))],
    PaymentCard("1234", (12, 2030)),
)


def shop(**changes: Any) -> Shop:
    fields: dict[str, Any] = {
        "orders": {7: ORDER},
        "colours": [Colours.Red],
        "categories": Category("all", [TEA], TEA),
        "tags": {"a"},
        "open": datetime.time(9, 30),
        "since": datetime.date(1999, 12, 31),
        "logo": b"PNG",
        "key": uuid.UUID(int=5),
        "type": None,
        "scores": [0.5, 1.5, 2.5],
    }
    return Shop(**fields | changes)


def test_objects_go_round() -> None:
    assert holdall.loads(holdall.dumps(shop()), Shop) == shop()


def test_a_variant_without_payload_is_its_name() -> None:
    order = Order(8, ORDER.placed, [], "Cash")
    assert holdall.loads(holdall.dumps(shop(orders={8: order})), Shop).orders[8].payment == "Cash"


def test_names_in_data_are_those_of_the_schema() -> None:
    text = str(holdall.schema(holdall.dumps(shop())))
    assert text.startswith("struct Shop {")
    assert '"unit price": decimal' in text


def test_data_that_do_not_fit_are_an_error_with_their_path() -> None:
    wrong = holdall.dumps({"name": 5, "inside": [], "best": None})
    with pytest.raises(holdall.DecodeError, match=r"\$\.name"):
        holdall.loads(wrong, generated_shop.Category)


def test_members_and_keys_are_hashed_and_names_hide_no_types() -> None:
    place = Place("mast", Point(Axis(-3), 4))
    names = Names(
        vec=Vec([1, 2]),
        option=Option(None),
        string=String("s"),
        schema=Schema(5),
        map=Map({"m": 1}),
        decimal=Price(decimal.Decimal("0.5")),
        tuple=Tuple((1, 2)),
        self=Self(a=True),
        int_=6,
        float_=0.5,
        str_="t",
        state="In part",
        places={place},
        date=datetime.date(1999, 12, 31),
        owners={place: "Ada"},
    )
    data = holdall.dumps(names)
    assert holdall.loads(data, Names) == names
    assert "int: int, float: f64, str: string" in str(holdall.schema(data))


def test_variants_fit_the_schema_file_if_they_are_wrapped() -> None:
    contract = holdall.Schema.parse((FOLDER / "shop.holds").read_text())
    card = PaymentCard("1234", (12, 2030))
    wrapped = [holdall.Variant("Cash"), holdall.Variant("Card", card)]

    def fits(payments: list[Any]) -> str:
        orders = {at: Order(at, ORDER.placed, [], each) for at, each in enumerate(payments)}
        data = holdall.dumps(shop(orders=orders))
        read = [each.payment for each in holdall.loads(data, Shop).orders.values()]
        assert read == ["Cash", card]
        return contract.diff(holdall.schema(data)).old_reads_new

    assert fits(["Cash", card]).startswith("never")
    # Numbers and lengths do, too, which no schema says.
    assert fits(wrapped).startswith("depends on the values")


def test_types_of_one_name_go_round() -> None:
    table = Table(
        paid=["Cash", PaidCard("1234")],
        dealt=[DealtCard("hearts", 7), "None"],
        points=[generated_twins.Line(5)],
        verses=[Line2("Arma virumque cano")],
    )
    assert holdall.loads(holdall.dumps(table), Table) == table


def test_a_root_that_is_a_definition_goes_round() -> None:
    inner = generated_links.Link("inner", 0.5, None, [])
    link = generated_links.Link("outer", None, inner, [inner])
    assert holdall.loads(holdall.dumps(link), generated_links.Link) == link


def test_modules_that_have_types_of_one_name_are_used_together() -> None:
    lines = [Line("tea", 2, decimal.Decimal("4.90")), generated_twins.Line(5)]
    data = [holdall.dumps([line]) for line in lines]
    assert holdall.loads(data[0], list[Line]) == lines[:1]
    assert holdall.loads(data[1], list[generated_twins.Line]) == lines[1:]
    # Data create none of them unless you ask for it.
    assert type(holdall.loads(data[0])[0]) is holdall.Record
    assert holdall.loads(data[0], types=[Line]) == lines[:1]


ROW = struct.pack("<2f", 0.5, 1.5)


def rare(**changes: Any) -> Rare:
    fields: dict[str, Any] = {
        "amounts": [1, 2.5],
        "key": b"12345",
        "share": fractions.Fraction(1, 3),
        "kinds": [
            holdall.Variant("A"),
            holdall.Variant("B", 5),
            KindsC(-1),
            holdall.Variant("D", "d"),
            holdall.Variant("E", (1, "e")),
            holdall.Variant("F", holdall.Record("Inner", n=6)),
            G(7),
        ],
        "waiting": collections.deque([1, 2]),
        "row": holdall.Tensor("f32", (2,), ROW),
        "grid": None,
        "document": ["a", [], None],
        "words": [1, "one"],
        "codes": {1, "one"},
        "places": {0.5: "half"},
        "nothing": (),
    }
    return Rare(**fields | changes)


def values_of(value: Rare) -> tuple[Any, ...]:
    """The fields, which are equal if they are the same: dataclasses do not compare so from 3.13 on."""
    return tuple(vars(value).values())


def test_what_python_has_no_class_for_goes_round() -> None:
    read = holdall.loads(holdall.dumps(rare()), Rare)
    # An array of numpy.
    assert bytes(read.row.data) == ROW
    assert values_of(read) == values_of(rare(row=read.row))
    again = holdall.loads(holdall.dumps(read), Rare)
    assert bytes(again.row.data) == ROW
    assert values_of(again) == values_of(rare(row=again.row))


def test_variants_of_any_payload_are_read_as_rust_writes_them() -> None:
    payloads: dict[str, Any] = {"A": None, "B": 5, "C": {"x": -1}, "D": "d", "E": (1, "e")}
    payloads |= {"F": holdall.Record("Inner", n=6), "G": holdall.Record("G", n=7)}
    kinds = [holdall.Variant(name, payload) for name, payload in payloads.items()]
    assert holdall.loads(holdall.dumps(rare(kinds=kinds)), Rare).kinds == rare().kinds


def test_types_generated_from_data_read_them() -> None:
    data = holdall.dumps(json.loads((FOLDER / "users.json").read_text()))
    users = holdall.loads(data, UsersRoot)
    assert users == [
        Users(1, "Ada", HomeTown("Oslo", [59.9, 10.7]), None, ["a", "b"]),
        Users(2, "Bob", HomeTown("Rome", [41.9, 12.5]), "x", [], age=5),
    ]
    assert holdall.loads(holdall.dumps(users), UsersRoot) == users
