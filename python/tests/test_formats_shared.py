"""Objects that occur twice, or inside themselves, in other formats."""

from __future__ import annotations

import datetime
import decimal
import fractions
import ipaddress
import pathlib
import pickle
import re
import uuid
import zoneinfo
from typing import Any

import holdall
import pytest
from holdall._impl._values import Fixed, Int

ADVICE = "the format cannot hold cycles; pack it as holdall, without format=, which keeps them"
FORMATS = ("json", "ndjson", "msgpack", "cbor", "bson")


def rooted(name: str, value: Any, rest: str) -> tuple[Any, str]:
    """A value that can be the root of a format, and a path in it: NDJSON has lists."""
    return ([value], f"$[0]{rest}") if name == "ndjson" else (value, f"${rest}")


@pytest.mark.parametrize("name", FORMATS)
def test_shared_objects_are_refused_with_advice_that_helps(name: str) -> None:
    shared = [1]
    value, path = rooted(name, {"a": shared, "b": [shared, shared]}, ".b[0]")
    with pytest.raises(
        holdall.EncodeError, match="from several places; copies=True writes it once for each place"
    ) as caught:
        holdall.dumps(value, format=name)
    assert (caught.value.code, caught.value.path) == ("unrepresentable", path)
    data = holdall.dumps(value, format=name, copies=True)
    alone, _ = rooted(name, {"a": [1], "b": [[1], [1]]}, "")
    assert data == holdall.dumps(alone, format=name)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("copies", [False, True])
def test_cycles_are_refused_and_no_advice_is_to_copy_them(name: str, copies: bool) -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    # What is shared comes first, and copies of it would not help.
    shared = [1]
    record: dict[str, Any] = {"pair": [shared, shared]}
    record["self"] = record
    for inner, rest in (({"x": [cycle]}, ".x[0][0]"), ({"x": record}, ".x.self")):
        value, path = rooted(name, inner, rest)
        with pytest.raises(holdall.EncodeError) as caught:
            holdall.dumps(value, format=name, copies=copies)
        said = "expected values that do not contain themselves, got one that does, which cannot be copied"
        assert str(caught.value) == f"unrepresentable in {path}: {said}; {ADVICE}"
        assert (caught.value.code, caught.value.path) == ("unrepresentable", path)
        back = holdall.loads(holdall.dumps(inner))["x"]
        assert back["self"] is back if inner["x"] is record else back[0][0] is back[0]


@pytest.mark.parametrize("name", ["csv", "dlhn"])
@pytest.mark.parametrize("copies", [False, True])
def test_formats_of_rows_and_of_types_refuse_cycles_without_advice_to_copy_them(
    name: str, copies: bool
) -> None:
    row: dict[str, Any] = {"a": 1}
    row["row"] = row
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps([row], format=name, copies=copies)
    assert caught.value.code == "unrepresentable"
    assert "copies=True" not in str(caught.value)


def atoms() -> list[Any]:
    """Objects that never change and hold no others: an equal one is as good as the same."""
    zone = zoneinfo.ZoneInfo("Europe/Paris")
    return [
        datetime.date(2020, 1, 2),
        datetime.time(1, 2, 3),
        datetime.time(1, 2, 3, tzinfo=datetime.UTC),
        datetime.datetime(2020, 1, 2, 3, 4),
        datetime.datetime(2020, 1, 2, 3, 4, tzinfo=datetime.UTC),
        datetime.datetime(2020, 10, 25, 2, 30, tzinfo=zone, fold=1),
        datetime.timedelta(seconds=3),
        datetime.timezone(datetime.timedelta(hours=1)),
        zone,
        decimal.Decimal("1.50"),
        decimal.Decimal("NaN"),
        fractions.Fraction(1, 3),
        1j,
        range(3),
        uuid.UUID(int=5),
        uuid.UUID(int=5, is_safe=uuid.SafeUUID.safe),
        ipaddress.IPv4Address("10.0.0.1"),
        ipaddress.IPv6Address("::1%eth0"),
        ipaddress.IPv4Network("10.0.0.0/8"),
        ipaddress.IPv6Interface("::1/64"),
        pathlib.PurePosixPath("a/b"),
        pathlib.Path("a"),
        re.compile("a+"),
        Int("u8", 7),
        Fixed(b"abc"),
        "\ud800",
        ...,
        NotImplemented,
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_an_object_that_holds_no_others_is_written_at_each_of_its_places(name: str) -> None:
    for atom in atoms():
        (shared, _), (twice, _) = (
            rooted(
                name, {"many": [[each] for each in places], "pair": places, "of": {"x": atom}}, ""
            )
            for places in ([atom] * 20, [atom, *(copy(atom) for _ in range(19))])
        )
        try:
            expected = holdall.dumps(twice, format=name, storage=True)
        except holdall.EncodeError as error:
            assert error.code == "unrepresentable"
            assert "several places" not in str(error), atom
            continue
        assert holdall.dumps(shared, format=name, storage=True) == expected, atom
        assert holdall.dumps(shared, format=name, storage=True, references=False) == expected


def copy(atom: Any) -> Any:
    """An equal object, where Python has more than one."""
    return pickle.loads(pickle.dumps(atom))


def test_what_shares_an_object_that_holds_no_others_keeps_its_own_identity() -> None:
    day = datetime.date(2020, 1, 2)
    row = [day, day]
    with pytest.raises(holdall.EncodeError, match="from several places") as caught:
        holdall.dumps({"a": day, "b": row, "c": row}, format="cbor")
    assert caught.value.path == "$.c"
    # Messages of holdall keep both.
    back = holdall.loads(holdall.dumps([day, row, row]))
    assert back[0] is back[1][0]
    assert back[1] is back[2]


def test_times_that_share_a_zone_hold_it_each() -> None:
    zone = datetime.timezone(datetime.timedelta(hours=1), "own")
    times = [datetime.time(1, tzinfo=zone), datetime.time(2, tzinfo=zone)]
    alone = [holdall.dumps([each], format="json", storage=True) for each in times]
    assert holdall.dumps(times, format="json", storage=True) == b"[%b,%b]" % (
        alone[0][1:-1],
        alone[1][1:-1],
    )
