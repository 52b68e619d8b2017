"""What the tests of the writer share."""

from __future__ import annotations

from holdall_reference import Tagged, decode_message, equal
from holdall_reference.writer import Profile, encode_message

from tests.support import hx

PROFILES: list[Profile] = ["fast", "balanced"]


def ints(kind: str, *numbers: int) -> Tagged:
    return ["list", [[kind, str(number)] for number in numbers]]


def strings(*items: str) -> Tagged:
    return ["list", [["string", item] for item in items]]


def writes(value: Tagged, profile: Profile, text: str) -> None:
    """Asserts that the message is C1 10 and this text, and that a reader returns the value."""
    message = encode_message(value, profile)
    assert message.hex(" ").upper() == (b"\xc1\x10" + hx(text)).hex(" ").upper()
    assert equal(decode_message(message), value)


def column(value: Tagged, profile: Profile) -> bytes:
    """The column of a list of scalars."""
    items = value[1]
    assert isinstance(items, list)
    length = 2 if len(items) < 128 else 4
    return encode_message(value, profile)[4 + length // 2 :]
