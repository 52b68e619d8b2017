"""dramatiq: messages and results of actors.

>>> import dramatiq
>>> from dramatiq.brokers.stub import StubBroker
>>> from holdall.integrations.dramatiq import Encoder
>>> dramatiq.set_encoder(Encoder())
>>> dramatiq.Message("default", "send", ({1, 2},), {}, {}).encode()[:1].hex()
'c1'
"""

from __future__ import annotations

from typing import Any, Unpack

import dramatiq
from dramatiq.errors import DecodeError

from .._errors import Error
from ._serializer import Serializer, SerializerOptions


class Encoder(dramatiq.Encoder):
    """The options are those of `holdall.integrations.Serializer`. A message that cannot be read is rejected by the broker."""

    def __init__(self, **options: Unpack[SerializerOptions]) -> None:
        self._serializer = Serializer(**options)

    def encode(self, data: dict[str, Any]) -> bytes:
        return self._serializer.dumps(data)

    def decode(self, data: bytes) -> Any:
        try:
            return self._serializer.loads(data)
        except Error as error:
            raise DecodeError(f"failed to decode a message: {error}", data, error) from error
