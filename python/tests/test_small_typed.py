"""Small messages read into requested types: each gives what the general path gives, value or error."""

from __future__ import annotations

import datetime
import decimal
import uuid
from typing import Any, Literal, NotRequired, TypedDict

import holdall
import pytest
from checks import differing
from conftest import ALL_ROUNDS
from samples import Colour, Rights
from test_typed import FITS, MISFITS, Movie

#: With limits, no message counts as small.
BUDGET = holdall.Limits(budget=1 << 26)
#: A type is read by a plan from the second message on at the latest.
TIMES = 3
#: The number of types between two that values are read into.
STEP = 1 if ALL_ROUNDS else 7


class Account(TypedDict):
    id: int
    name: str
    balance: decimal.Decimal
    since: datetime.date | None
    state: Literal["open", "closed"]
    colour: Colour
    scores: dict[str, float]
    at: tuple[float, float]
    tags: NotRequired[list[str]]


ACCOUNT: dict[str, Any] = {
    "id": 1,
    "name": "Ada",
    "balance": decimal.Decimal("12.50"),
    "since": datetime.date(2024, 1, 1),
    "state": "open",
    "colour": Colour.RED,
    "scores": {"a": 1.5},
    "at": (1.0, 2.0),
    "tags": ["x", "y"],
}
WRONG = [
    None,
    1,
    1.5,
    "x",
    b"x",
    [1],
    {"a": "b"},
    {1: 2.5},
    (1,),
    {1},
    datetime.time(1),
    uuid.UUID(int=1),
    Rights.READ,
]

VALUES = [value for value, *_ in FITS + MISFITS] + [ACCOUNT, [ACCOUNT, ACCOUNT | {"since": None}]]
TYPES = [tp for _, tp, *_ in FITS + MISFITS] + [
    *(Account, list[Account], dict[str, Any], list[Movie], tuple[Movie, ...]),
    *(datetime.date | None, dict[str, Colour], int | str | None, decimal.Decimal | uuid.UUID),
]


def outcome(decoder: holdall.Decoder[Any], message: bytes) -> Any:
    try:
        return decoder.decode(message)
    except holdall.DecodeError as error:
        return type(error), error.code, error.path, str(error)


def check(value: Any, tp: Any) -> None:
    message = holdall.dumps(value)
    expected = outcome(holdall.Decoder(tp, limits=BUDGET), message)
    decoder = holdall.Decoder(tp)
    for _ in range(TIMES):
        assert not list(differing(outcome(decoder, message), expected)), (value, tp)


@pytest.mark.parametrize("at", range(len(VALUES)))
def test_each_value_is_read_into_each_type_as_from_large_messages(at: int) -> None:
    for tp in TYPES[at % STEP :: STEP]:
        check(VALUES[at], tp)


@pytest.mark.parametrize("field", ACCOUNT)
def test_one_wrong_field_has_the_error_of_large_messages(field: str) -> None:
    check(ACCOUNT, Account)
    check({key: value for key, value in ACCOUNT.items() if key != field}, Account)
    check({**ACCOUNT, field + "_": 1}, Account)
    for wrong in WRONG:
        check({**ACCOUNT, field: wrong}, Account)
        check([ACCOUNT, {**ACCOUNT, field: wrong}], list[Account])


def test_fields_of_a_dict_keep_the_order_of_the_data() -> None:
    turned = dict(reversed(ACCOUNT.items()))
    assert list(holdall.Decoder(Account).decode(holdall.dumps(turned))) == list(turned)
