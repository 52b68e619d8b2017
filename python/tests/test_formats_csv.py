"""CSV by `format=`: cells are read by the type that is asked for, or as text."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import pathlib
import uuid
from typing import Annotated, Any, Literal, NamedTuple, NewType, TypedDict

import annotated_types
import attrs
import holdall
import msgspec
import pydantic
import pytest


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"
    # Each is named like the value of the other.
    A = "B"
    B = "A"


class Level(enum.IntEnum):
    LOW = 1


class Bits(enum.Flag):
    ONE = 1
    TWO = 2


Name = NewType("Name", str)
DAY = datetime.date(2020, 1, 2)
IDENTITY = uuid.UUID(int=0xAB)


@dataclasses.dataclass
class Flat:
    n: int
    text: str
    half: float | None


ROWS = [Flat(1, "7", 0.5), Flat(-2, "b,c", None), Flat(3, "", 1.0)]


@pytest.mark.parametrize("options", [{}, {"infer": True}, {"strict": False}], ids=str)
def test_rows_come_back_as_their_type(options: Any) -> None:
    data = holdall.dumps(ROWS, format="csv")
    assert data == b'n,text,half\n1,7,0.5\n-2,"b,c",\n3,"",1.0\n'
    assert holdall.loads(data, list[Flat], format="csv", **options) == ROWS
    assert holdall.loads(data, tuple[Flat, ...], format="csv", **options) == tuple(ROWS)


#: A type, a value, and the cell that it is written as; with `storage=True` where a format of text has no such type.
WRITTEN: list[tuple[Any, Any, bytes]] = [
    *((int, 0, b"0"), (int, -12, b"-12"), (int, 10**30, b"1" + b"0" * 30)),
    *(
        (float, 1.0, b"1.0"),
        (float, -0.0, b"-0.0"),
        (float, 1e300, b"1e+300"),
        (float, 5e-324, b"5e-324"),
    ),
    *((bool, True, b"true"), (bool, False, b"false")),
    *((str, "7", b"7"), (str, "true", b"true"), (str, "", b'""'), (Name, "007", b"007")),
    *((int | None, None, b'""'), (str | None, None, b'""'), (str | None, "7", b"7")),
    *((int | float, 1, b"1"), (int | float, 1.0, b"1.0"), (int | str, "7", b"7")),
    *((Literal[1, "a", True], 1, b"1"), (Literal[1, "a", True], "a", b"a")),
    *((Literal[1, "a", True], True, b"true"), (Literal["7", 7], "7", b"7")),
    *((Colour, Colour.RED, b"RED"), (Colour, Colour.A, b"A"), (Colour, Colour.B, b"B")),
    *(
        (Level | None, Level.LOW, b"LOW"),
        (Level | None, None, b'""'),
        (Bits, Bits.ONE | Bits.TWO, b"3"),
    ),
    (datetime.date, DAY, b"2020-01-02"),
    (datetime.date, datetime.date(1969, 12, 31), b"1969-12-31"),
    (datetime.time, datetime.time(1, 2, 3, 4), b"01:02:03.000004"),
    (datetime.datetime, datetime.datetime(2020, 1, 2), b"2020-01-02T00:00:00"),
    (
        datetime.datetime,
        datetime.datetime(2020, 1, 2, 3, 4, 5, 60, datetime.UTC),
        b"2020-01-02T03:04:05.00006Z",
    ),
    (
        datetime.datetime,
        datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone(-datetime.timedelta(hours=1))),
        b"2020-01-02T00:00:00-01:00",
    ),
    (datetime.timedelta, -datetime.timedelta(1, 2, 3), b"-86402000003"),
    (pathlib.PurePosixPath, pathlib.PurePosixPath("/a/b"), b"/a/b"),
]


@pytest.mark.parametrize(("tp", "value", "cell"), WRITTEN)
def test_a_value_comes_back_from_its_cell(tp: Any, value: Any, cell: bytes) -> None:
    data = holdall.dumps([{"a": value}], format="csv", storage=True)
    assert data == b"a\n" + cell + b"\n"
    back = holdall.loads(data, list[dict[str, tp]], format="csv")[0]["a"]
    assert (back, type(back), repr(back)) == (value, type(value), repr(value))


#: A type, the text that people write for a value, and the value.
TEXTS: list[tuple[Any, str, Any]] = [
    *((float, "1", 1.0), (float, "1.50", 1.5), (float, "2E3", 2000.0)),
    # The type says that digits are rounded.
    (float, "9007199254740993", 9007199254740992.0),
    (Colour, "b", Colour.BLUE),
    *((Colour, "1", Colour.RED), (Level, "1", Level.LOW), (Bits, "TWO", Bits.TWO)),
    (datetime.date, "18263", DAY),
    (datetime.time, "3723000004", datetime.time(1, 2, 3, 4)),
    (datetime.datetime, "2020-01-02 03:04", datetime.datetime(2020, 1, 2, 3, 4)),
    (datetime.datetime, "2020-01-02T03Z", datetime.datetime(2020, 1, 2, 3, tzinfo=datetime.UTC)),
    (datetime.time, "03:04:05", datetime.time(3, 4, 5)),
    *((decimal.Decimal, text, decimal.Decimal(text)) for text in ("1.50", "-7", "1E+5")),
    *((fractions.Fraction, text, fractions.Fraction(text)) for text in ("1/3", "-7", "0.5")),
    *((uuid.UUID, text, IDENTITY) for text in (str(IDENTITY), str(IDENTITY).upper())),
    (ipaddress.IPv4Address, "1.2.3.4", ipaddress.IPv4Address("1.2.3.4")),
    (ipaddress.IPv6Network, "::/8", ipaddress.IPv6Network("::/8")),
    (Any, "7", "7"),
]


@pytest.mark.parametrize(("tp", "text", "value"), TEXTS)
def test_text_is_read_as_the_type(tp: Any, text: str, value: Any) -> None:
    back = holdall.loads(f"a\n{text}\n".encode(), list[dict[str, tp]], format="csv")[0]["a"]
    assert (back, type(back)) == (value, type(value))


CORRECT, LAX, FILL = (
    "correct the cell, or request str",
    "strict=False takes this spelling",
    "fill the empty cell, or add None to the type",
)
#: A type, text that does not fit it, and what to do.
REFUSED: list[tuple[Any, str, str]] = [
    *((int, text, CORRECT) for text in ("1_0", "\u0663", "1.0", "1e3", "true", "--1")),
    (int, "9" * 5000, "it has more digits than sys.get_int_max_str_digits()"),
    *((int, text, LAX) for text in ("+1", "007", " 1", "1 ")),
    *((float, text, CORRECT) for text in ("1_0.5", "\u0661.\u0665", "1,5", "0x1p3", "1e400")),
    *((float, text, LAX) for text in ("nan", "inf", "1.", ".5")),
    *((bool, text, LAX) for text in ("True", "1")),
    *((decimal.Decimal, text, CORRECT) for text in ("1_0", "\u0663", "x")),
    *((decimal.Decimal, text, LAX) for text in ("+1", "007", " 1")),
    *((fractions.Fraction, text, CORRECT) for text in ("1/0", "1_0/3")),
    *((uuid.UUID, text, CORRECT) for text in ("x", "0" * 31 + "\u0663", "0" * 29 + "1_0")),
    *((uuid.UUID, text, LAX) for text in (IDENTITY.hex, f"{{{IDENTITY}}}")),
    *((Colour, "GREEN", CORRECT), (Level, "true", CORRECT), (Level, "1.0", CORRECT)),
    *((Literal[1, "a"], "2", CORRECT), (int | None, "x", CORRECT), (bytes, "a", CORRECT)),
    *((datetime.date, "x", CORRECT), (datetime.date, "2020-01-0\u0663", CORRECT)),
    (datetime.time, "86400000000", CORRECT),
    (datetime.datetime, "1577934245000006", "write value.isoformat()"),
    *((tp, "", FILL) for tp in (int, float, bool, datetime.date, decimal.Decimal, Colour)),
]


@pytest.mark.parametrize(("tp", "text", "advice"), REFUSED)
def test_a_cell_that_does_not_fit_is_an_error(tp: Any, text: str, advice: str) -> None:
    with pytest.raises(holdall.SchemaError, match="expected .*, got str") as caught:
        holdall.loads(f'a,b\n"{text}",\n'.encode(), list[dict[str, tp]], format="csv")
    assert (caught.value.code, caught.value.path) == ("unconvertible", "$[0].a")
    assert str(caught.value).endswith(f"; {advice}")


def test_the_error_is_that_of_the_cell_and_not_of_its_column() -> None:
    with pytest.raises(holdall.SchemaError, match=r"\$\[1\]\.n: expected int, got str 'x'"):
        holdall.loads(b"n,text,half\n1,a,\nx,b,\n", list[Flat], format="csv")


def test_constraints_are_those_of_the_value() -> None:
    tp = list[dict[str, Annotated[int, msgspec.Meta(ge=3)]]]
    assert holdall.loads(b"a\n10\n", tp, format="csv") == [{"a": 10}]
    with pytest.raises(holdall.SchemaError, match=r"\$\[0\]\.a: expected int >= 3, got int 2"):
        holdall.loads(b"a\n2\n", tp, format="csv")


@attrs.define
class Defined:
    n: int
    half: float | None = None
    # The class converts what it gets, so it gets text.
    code: str = attrs.field(default="", converter=lambda text: f"<{text}>")


class Struct(msgspec.Struct, rename={"n": "N"}):
    n: int
    half: float | None = None


class Typed(TypedDict):
    n: int
    half: float | None


class Named(NamedTuple):
    n: int
    half: float | None = None


class Model(pydantic.BaseModel):
    n: int
    half: float | None = pydantic.Field(alias="Half")


class Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True)
    n: int
    day: datetime.date | None


class Own(pydantic.BaseModel):
    """Its validators want the text of the cell."""

    price: Annotated[int, pydantic.BeforeValidator(lambda text: int(text.strip("$")))] | None
    tags: Annotated[list[str], pydantic.BeforeValidator(lambda text: text.split(";"))]
    lower: int
    url: pydantic.AnyUrl | None
    json_: pydantic.Json[int]
    after: Annotated[int, annotated_types.Gt(0)]

    @pydantic.field_validator("lower", mode="before")
    @classmethod
    def _lowered(cls, text: str) -> int:
        return int(text.removesuffix("kg"))

    @pydantic.field_validator("after")
    @classmethod
    def _doubled(cls, value: int) -> int:
        return 2 * value


class Whole(pydantic.BaseModel):
    n: int

    @pydantic.model_validator(mode="before")
    @classmethod
    def _cleaned(cls, values: dict[str, str]) -> dict[str, str]:
        return {name: text.strip("#") for name, text in values.items()}


CLASSES: list[tuple[bytes, Any]] = [
    (b"n,half,code\n1,,7\n", Defined(1, None, "7")),
    (b"N,half\n1,0.5\n", Struct(1, 0.5)),
    (b"n,half\n1,\n", Named(1, None)),
    (b"n,Half\n1,\n", Model(n=1, Half=None)),
    (b"n,day\n1,2020-01-02\n", Strict(n=1, day=DAY)),
    (b"n,day\n1,\n", Strict(n=1, day=None)),
]


@pytest.mark.parametrize("infer", [False, True])
@pytest.mark.parametrize(("data", "value"), CLASSES)
def test_every_kind_of_class_is_read_by_its_fields(data: bytes, value: Any, infer: bool) -> None:
    assert holdall.loads(data, list[type(value)], format="csv", infer=infer) == [value]  # type: ignore[misc]


#: Classes whose functions get text.
OWN: list[tuple[bytes, Any]] = [
    (
        b"price,tags,lower,url,json_,after\n5,a;b,7,,1,3\n",
        Own(price="5", tags="a;b", lower="7", url=None, json_="1", after=3),  # type: ignore[arg-type]
    ),
    (b"n\n#5\n", Whole(n="5")),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("data", "value"), OWN)
def test_functions_of_a_class_get_the_text_of_the_cell(data: bytes, value: Any) -> None:
    assert holdall.loads(data, list[type(value)], format="csv") == [value]  # type: ignore[misc]


def test_a_typed_dict_is_read_by_its_fields() -> None:
    assert holdall.loads(b"n,half\n1,\n", list[Typed], format="csv") == [{"n": 1, "half": None}]


@pytest.mark.parametrize(
    ("tp", "name"), [(Defined, "n"), (Struct, "N"), (Typed, "n"), (Named, "n"), (Model, "n")]
)
@pytest.mark.parametrize("text", ["1_0", "\u0663"])
def test_no_class_reads_what_only_python_takes_for_a_number(tp: Any, name: str, text: str) -> None:
    data = f"{name},half,Half\n{text},,\n".encode()
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.loads(data, list[tp], format="csv")
    assert (caught.value.code, caught.value.path) == ("unconvertible", f"$[0].{name}")


def test_what_a_cell_does_not_spell_is_checked_by_the_model() -> None:
    with pytest.raises(holdall.DecodeError, match="valid integer") as caught:
        holdall.loads(b"n,Half\nx,\n", list[Model], format="csv")
    assert (caught.value.code, caught.value.path) == ("custom", "$[0]")


def test_without_a_type_cells_are_text_unless_types_are_inferred() -> None:
    assert holdall.loads(b"n,m\n1,\n", format="csv") == [{"n": "1", "m": ""}]
    assert holdall.loads(b"n,m\n1,\n", format="csv", infer=True) == [{"n": 1, "m": None}]


@dataclasses.dataclass
class Open:
    text: str
    any: Any


def test_the_types_that_are_inferred_are_those_that_the_class_leaves_open() -> None:
    data = b"text,any\n7,7\n8,\n"
    assert holdall.loads(data, list[Open], format="csv") == [Open("7", "7"), Open("8", "")]
    inferred = holdall.loads(data, list[Open], format="csv", infer=True)
    assert inferred == [Open("7", 7), Open("8", None)]
    rows = holdall.loads(data, list[dict[str, Any]], format="csv", infer=True)
    assert rows == [{"text": 7, "any": 7}, {"text": 8, "any": None}]


@dataclasses.dataclass
class Noted:
    a: str | None
    b: int = 0
    c: str = ""


@pytest.mark.parametrize(
    ("rows", "path"),
    [
        ([Noted("x"), Noted("", 2)], "$[1].a"),
        ([Noted(None), Noted("")], "$[1].a"),
        ([{"a": None}, {"a": ""}], "$[1].a"),
        ([{"a": ""}, {"b": "x"}], "$[0].a"),
    ],
    ids=repr,
)
def test_an_empty_text_is_refused_where_it_would_be_read_as_none(rows: Any, path: str) -> None:
    with pytest.raises(
        holdall.EncodeError,
        match="one cell for both, got an empty one; storage=True writes it as None",
    ) as caught:
        holdall.dumps(rows, format="csv")
    assert (caught.value.code, caught.value.path) == ("unrepresentable", path)
    holdall.dumps(rows, format="csv", storage=True)


def test_an_empty_text_stays_where_none_cannot_be() -> None:
    rows = [Noted("x", 1, ""), Noted(None, 2, "y")]
    data = holdall.dumps(rows, format="csv")
    assert data == b'a,b,c\nx,1,""\n,2,y\n'
    assert holdall.loads(data, list[Noted], format="csv") == rows
    stored = holdall.dumps([Noted("")], format="csv", storage=True)
    assert stored == b'a,b,c\n"",0,""\n'
    assert holdall.loads(stored, list[Noted], format="csv") == [Noted(None)]


class Unchanged:
    def encode(self, obj: Any) -> Any:
        return obj


@pytest.mark.usefixtures("own_formats")
def test_a_format_that_extends_csv_is_read_by_the_type() -> None:
    holdall.register_format("rows", extends="csv", actions=Unchanged)
    holdall.register_format("more-rows", extends="rows", actions=Unchanged)
    for name in ("rows", "more-rows"):
        data = holdall.dumps(ROWS, format=name)
        assert holdall.loads(data, list[Flat], format=name) == ROWS


def test_text_of_other_formats_stays_text() -> None:
    with pytest.raises(holdall.SchemaError, match="expected int, got str '1'$"):
        holdall.loads(b'[{"n":"1","text":"","half":null}]', list[Flat], format="json")
