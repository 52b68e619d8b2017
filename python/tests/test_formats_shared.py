"""Objects that occur twice, or inside themselves, in other formats."""

from __future__ import annotations

from typing import Any

import holdall
import pytest

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
