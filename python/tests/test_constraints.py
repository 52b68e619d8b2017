"""The constraints of msgspec's `Meta` in typed reading: which are checked, where they fail, and which are
rejected.
"""

from __future__ import annotations

import dataclasses
import datetime
import re
from typing import Annotated, Any, Literal, NewType

import holdall
import msgspec
import pytest
from msgspec import Meta

UTC = datetime.UTC
Age = Annotated[int, Meta(ge=0, le=150)]
Ratio = Annotated[float, Meta(gt=0, lt=1)]
Word = Annotated[str, Meta(min_length=1, max_length=3)]
Code = Annotated[str, Meta(pattern="^[a-z]+$")]
Few = Annotated[list[int], Meta(min_length=1, max_length=2)]
Years = NewType("Years", Age)  # type: ignore[valid-newtype]
HUGE = 3 * 10**400


@dataclasses.dataclass
class Person:
    age: Age
    names: Annotated[list[Word], Meta(min_length=1)] = dataclasses.field(default_factory=list)


class Struct(msgspec.Struct):
    age: Age
    code: Code = "a"


def read(value: Any, tp: Any, **options: Any) -> Any:
    return holdall.loads(holdall.dumps(value), tp, **options)


MET: list[tuple[Any, Any]] = [
    *(
        (0, Age),
        (150, Age),
        (5, Years),
        (0.5, Ratio),
        ("abc", Word),
        ("😀😀😀", Word),
        ("abc", Code),
    ),
    *(([1], Few), ((1, 2), Annotated[tuple[int, ...], Meta(max_length=2)])),
    *(
        ({1}, Annotated[set[int], Meta(min_length=1)]),
        (b"ab", Annotated[bytes, Meta(max_length=2)]),
    ),
    (frozenset([1]), Annotated[frozenset[int], Meta(max_length=1)]),
    (bytearray(b"a"), Annotated[bytearray, Meta(min_length=1)]),
    *(({"a": 1}, Annotated[dict[str, int], Meta(max_length=1)]), ({"a": 1}, dict[Code, int])),
    *((6, Annotated[int, Meta(multiple_of=3)]), (0.5, Annotated[float, Meta(multiple_of=0.25)])),
    (HUGE, Annotated[int, Meta(multiple_of=3, gt=0)]),
    (datetime.datetime(2024, 1, 1, tzinfo=UTC), Annotated[datetime.datetime, Meta(tz=True)]),
    (datetime.datetime(2024, 1, 1), Annotated[datetime.datetime, Meta(tz=False)]),
    (datetime.time(1, tzinfo=UTC), Annotated[datetime.time, Meta(tz=True)]),
    *((None, Age | None), ("x", Age | Word), (7, Age | Word), (True, Age | bool)),
    *((3, Annotated[Annotated[int, Meta(gt=2)], Meta(lt=4)]), ([[1], [2, 3]], list[Few])),
    (1, Annotated[int, Meta(description="no demand", examples=[1])]),
    (list(range(1000)), list[Annotated[int, Meta(ge=0)]]),
]


@pytest.mark.parametrize(("value", "tp"), MET, ids=lambda each: str(each)[:40])
def test_values_within_their_bounds_are_read(value: Any, tp: Any) -> None:
    back = read(value, tp)
    assert back == value
    assert type(back) is type(value)


BROKEN: list[tuple[Any, Any, str, str]] = [
    (-1, Age, "$", "expected int >= 0, got int -1"),
    (151, Age, "$", "expected int <= 150, got int 151"),
    (0, Annotated[int, Meta(gt=0)], "$", "expected int > 0, got int 0"),
    (1.0, Ratio, "$", "expected float < 1, got float 1.0"),
    (2, Ratio, "$", "expected float < 1, got float 2.0"),
    (float("nan"), Ratio, "$", "expected float > 0, got float nan"),
    (
        4,
        Annotated[int, Meta(multiple_of=3)],
        "$",
        "expected int that is a multiple of 3, got int 4",
    ),
    (HUGE + 1, Annotated[int, Meta(multiple_of=3)], "$", "expected int that is a multiple of 3"),
    (float("inf"), Annotated[float, Meta(multiple_of=1)], "$", "a multiple of 1, got float inf"),
    ("", Word, "$", "expected str of length >= 1, got length 0"),
    ("abcd", Word, "$", "expected str of length <= 3, got length 4"),
    ("aB", Code, "$", "expected str that matches '^[a-z]+$', got str 'aB'"),
    (b"", Annotated[bytes, Meta(min_length=1)], "$", "expected bytes of length >= 1, got length 0"),
    ([], Few, "$", "expected list of length >= 1, got length 0"),
    ((1, 2, 3), Few, "$", "expected list of length <= 2, got length 3"),
    ([[1], [1, 2, 3]], list[Few], "$[1]", "expected list of length <= 2, got length 3"),
    ({"a": [1, 2, 3]}, dict[str, Few], "$.a", "expected list of length <= 2, got length 3"),
    (set(), Annotated[set[int], Meta(min_length=1)], "$", "expected set of length >= 1"),
    ([], Annotated[set[int], Meta(min_length=1)], "$", "expected set of length >= 1"),
    (frozenset(), Annotated[frozenset[int], Meta(min_length=1)], "$", "frozenset of length >= 1"),
    ({"a": 1, "b": 2}, Annotated[dict[str, int], Meta(max_length=1)], "$", "dict of length <= 1"),
    ({1: 1, 2: 2}, Annotated[dict[int, int], Meta(max_length=1)], "$", "dict of length <= 1"),
    ({"a": 1, "B": 2}, dict[Code, int], "$[1].key", "expected str that matches"),
    ({"a": {"a": 1, "B": 2}}, dict[str, dict[Code, int]], "$.a[1].key", "got str 'B'"),
    (
        datetime.datetime(2024, 1, 1),
        Annotated[datetime.datetime, Meta(tz=True)],
        "$",
        "expected datetime with a time zone, got one without",
    ),
    (
        datetime.time(1, tzinfo=UTC),
        Annotated[datetime.time, Meta(tz=False)],
        "$",
        "expected time without a time zone, got one with a time zone",
    ),
    (-1, Age | None, "$", "expected int >= 0, got int -1"),
    ("abcd", Age | Word, "$", "expected str of length <= 3"),
    (True, Age, "$", "expected int, got bool True"),
    ([{"age": 200}], list[Person], "$[0].age", "expected int <= 150, got int 200"),
    ({"age": 1, "names": []}, Person, "$.names", "expected list of length >= 1, got length 0"),
    ({"age": 1, "names": ["a", ""]}, Person, "$.names[1]", "expected str of length >= 1"),
    ({"age": -1}, Struct, "$.age", "expected int >= 0, got int -1"),
    ({"age": 1, "code": "A"}, Struct, "$.code", "expected str that matches"),
]


@pytest.mark.parametrize(("value", "tp", "path", "text"), BROKEN, ids=lambda each: str(each)[:40])
def test_values_beyond_their_bounds_say_why_and_where(
    value: Any, tp: Any, path: str, text: str
) -> None:
    with pytest.raises(holdall.SchemaError) as caught:
        read(value, tp)
    assert (caught.value.code, caught.value.path) == ("unconvertible", path)
    assert text in str(caught.value)


def test_bounds_apply_after_conversions() -> None:
    assert read("7", Age, strict=False) == 7
    with pytest.raises(holdall.SchemaError, match="int <= 150"):
        read("200", Age, strict=False)


def test_bounds_apply_to_shared_and_cyclic_lists() -> None:
    nested = Annotated[list[Any], Meta(min_length=2)]
    value: list[Any] = [1]
    value.append(value)
    back = read(value, nested)
    assert back[1] is back
    shared = [1]
    back = read([shared, shared], list[Few])
    assert back[0] is back[1]
    with pytest.raises(holdall.SchemaError, match=r"\$\[0\].*length >= 2"):
        read([shared, shared], list[nested])


REFUSED: list[tuple[Any, str]] = [
    (Annotated[str, Meta(ge=0)], "Meta(ge=0) applies to int, float"),
    (Annotated[int | None, Meta(ge=0)], "Meta(ge=0) applies to int, float"),
    (Annotated[bool, Meta(ge=0)], "ge=0"),
    (Annotated[int, Meta(min_length=1)], "Meta(min_length=1) applies to str"),
    (Annotated[tuple[int, int], Meta(min_length=1)], "min_length=1"),
    (Annotated[Person, Meta(min_length=1)], "min_length=1"),
    (Annotated[bytes, Meta(pattern="a")], "Meta(pattern='a') applies to str"),
    (Annotated[datetime.date, Meta(tz=True)], "Meta(tz=True) applies to datetime, time"),
    (Annotated[Any, Meta(ge=0)], "ge=0"),
    (Annotated[Literal[1, 2], Meta(ge=2)], "ge=2"),
    (Annotated[Annotated[int, Meta(ge=0)], Meta(ge=5)], "ge is set twice"),
    (Annotated[int, Meta(ge=0)] | Annotated[int, Meta(le=-5)], "different constraints"),
    (list[Annotated[int, Meta(ge=0)] | int], "different constraints"),
]


@pytest.mark.parametrize(("tp", "text"), REFUSED, ids=lambda each: str(each)[:40])
def test_constraints_that_cannot_be_checked_are_rejected_before_reading(tp: Any, text: str) -> None:
    with pytest.raises(TypeError, match=re.escape(text)):
        holdall.Decoder(tp)


@pytest.mark.parametrize("text", ["1e400", "-1e400", "9" * 400, "1" + "0" * 309 + ".5"])
def test_text_of_a_number_beyond_floats_is_refused(text: str) -> None:
    with pytest.raises(holdall.SchemaError):
        read(text, float, strict=False)
    assert read("-Infinity", float, strict=False) == float("-inf")
