"""Real objects beside pickle and what people use instead of it: prints the table of docs/python/replace-pickle.md.

`make bench-replace` runs it.
"""

from __future__ import annotations

import ast
import datetime
import decimal
import email.headerregistry
import email.message
import email.policy
import enum
import gc
import math
import pickle
import textwrap
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any


class State(enum.Enum):
    OPEN = 1
    SHIPPED = 2


@dataclass
class Line:
    article: str
    count: int
    price: decimal.Decimal


@dataclass
class Order:
    id: uuid.UUID
    at: datetime.datetime
    state: State
    lines: list[Line]


@dataclass(eq=False)
class User:
    name: str
    friends: list[User] = field(default_factory=list)


def session() -> Any:
    at = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
    cart = {7: (2, decimal.Decimal("9.90")), 12: (1, decimal.Decimal("120.00"))}
    return {"_auth_user_id": "7", "cart": cart, "seen": {7, 12, 31}, "last": at}


def orders() -> Any:
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    return [
        Order(
            uuid.UUID(int=number * 0x9E3779B97F4A7C15 % 2**128),
            start + datetime.timedelta(minutes=number),
            State.SHIPPED if number % 3 else State.OPEN,
            [
                Line(f"article {(number + line) % 50}", line + 1, decimal.Decimal(995 * line) / 100)
                for line in range(number % 4)
            ],
        )
        for number in range(2000)
    ]


def users(count: int) -> Any:
    made = [User(f"user {number}") for number in range(count)]
    for number, each in enumerate(made):
        each.friends = [made[(number * step) % count] for step in (1, 7, 31, 101)]
    return made


def syntax() -> Any:
    return ast.parse(Path(textwrap.__file__).read_text())


def mails() -> Any:
    made = []
    for number in range(200):
        mail = email.message.EmailMessage()
        mail["Subject"], mail["To"] = f"Order {number}", "ada@example.org"
        mail.set_content("Your order is on its way.\n" * 5)
        made.append(mail)
    return made


def same_users(one: Any, other: Any) -> bool:
    def seen(each: Any) -> Any:
        return [(user.name, [friend.name for friend in user.friends]) for user in each]

    return seen(one) == seen(other) and other[0].friends[1] is other[0]


def same_syntax(one: Any, other: Any) -> bool:
    return ast.dump(one) == ast.dump(other)


def same_mails(one: Any, other: Any) -> bool:
    return [bytes(each) for each in one] == [bytes(each) for each in other]


def same_values(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


#: The name, the value, the classes or modules that are allowed, whether two values are the same.
Case = tuple[str, Any, list[Any], Callable[[Any, Any], bool]]


def cases() -> list[Case]:
    mail = [email.message.EmailMessage, email.policy, email.headerregistry]
    return [
        ("a Django session", session(), [], same_values),
        ("2,000 orders: dataclasses, enums, decimals", orders(), [Order, Line, State], same_values),
        ("50 users with cycles", users(50), [User], same_users),
        ("2,000 users with cycles", users(2000), [User], same_users),
        ("the syntax tree of textwrap.py", syntax(), [ast], same_syntax),
        ("200 mails of the standard library", mails(), mail, same_mails),
    ]


def peers(types: list[Any]) -> dict[str, Callable[[], tuple[Any, Any]]]:
    """How to pack and unpack with each library."""

    def holdall() -> tuple[Any, Any]:
        import holdall

        return holdall.dumps, holdall.Decoder(types=types, missing="error").decode

    def cloudpickle() -> tuple[Any, Any]:
        import cloudpickle

        return cloudpickle.dumps, cloudpickle.loads

    def dill() -> tuple[Any, Any]:
        import dill

        return dill.dumps, dill.loads

    def jsonpickle() -> tuple[Any, Any]:
        import jsonpickle

        return partial(jsonpickle.encode, keys=True), partial(jsonpickle.decode, keys=True)

    def msgspec() -> tuple[Any, Any]:
        import msgspec

        return msgspec.msgpack.encode, msgspec.msgpack.decode

    def pyfory() -> tuple[Any, Any]:
        import pyfory

        fory = pyfory.Fory(xlang=False, ref=True, strict=False, max_depth=100_000)
        return fory.serialize, fory.deserialize

    def plain() -> tuple[Any, Any]:
        return partial(pickle.dumps, protocol=5), pickle.loads

    every = (plain, cloudpickle, dill, jsonpickle, msgspec, pyfory)
    return {"holdall": holdall, "pickle": plain, **{each.__name__: each for each in every[1:]}}


def tried(make: Callable[[], tuple[Any, Any]], case: Case) -> tuple[Any, Any, Any] | str:
    """The functions of a library and what it packs, or why it cannot."""
    _, value, _, same = case
    try:
        pack, unpack = make()
        data = pack(value)
    except Exception as error:
        return f"cannot pack it: {type(error).__name__}"
    try:
        back = unpack(data)
    except Exception as error:
        return f"cannot unpack it: {type(error).__name__}"
    return (pack, unpack, data) if same(value, back) else "another value comes out"


def seconds(work: Callable[[Any], Any], argument: Any) -> float:
    """The time of one call, in processor time of this thread: other programs do not count."""
    times = 1
    while True:
        gc.collect()
        start = time.thread_time()
        for _ in repeat(None, times):
            work(argument)
        taken = time.thread_time() - start
        if taken > 0.002:
            return taken / times
        times *= 4


def main(rounds: int = 7) -> None:
    """Every library once in each round; the best round counts."""
    for case in cases():
        title, value, types, _ = case
        print(f"\n**{title[0].upper()}{title[1:]}**\n")
        print("| | bytes | pack, us | unpack, us |\n|---|---|---|---|")
        found = {name: tried(make, case) for name, make in peers(types).items()}
        able = {name: each for name, each in found.items() if not isinstance(each, str)}
        best = dict.fromkeys(able, (math.inf, math.inf))
        for _ in range(rounds):
            for name, (pack, unpack, data) in able.items():
                taken = seconds(pack, value), seconds(unpack, data)
                best[name] = (min(best[name][0], taken[0]), min(best[name][1], taken[1]))
        for name, each in found.items():
            if isinstance(each, str):
                print(f"| {name} | {each} | | |")
                continue
            size = len(each[2].encode() if isinstance(each[2], str) else each[2])
            pack, unpack = (
                f"{time * 1e6:,.3g}" if time < 1e-4 else f"{time * 1e6:,.0f}" for time in best[name]
            )
            print(f"| {name} | {size:,} | {pack} | {unpack} |")


if __name__ == "__main__":
    main()
