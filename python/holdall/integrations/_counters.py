"""Integers as decimal digits, so that a server can increment them."""

from __future__ import annotations

from typing import Any

from ._serializer import Serializer


class CounterSerializer(Serializer):
    """A `Serializer` that leaves integers to the server: Redis increments digits, not messages.

    >>> CounterSerializer().dumps(7), CounterSerializer().loads(b"-8")
    (b'7', -8)
    """

    __slots__ = ()

    def dumps(self, obj: object, /) -> bytes:
        """Packs an object into a message, or an integer of 64 bits into digits."""
        if type(obj) is int and -(2**63) <= obj < 2**63:
            return b"%d" % obj
        return super().dumps(obj)

    def loads(self, data: bytes | bytearray | memoryview, /) -> Any:
        """Unpacks a message, or digits."""
        if len(data) <= 20 and bytes(data).removeprefix(b"-").isdigit():
            return int(bytes(data))
        return super().loads(data)
