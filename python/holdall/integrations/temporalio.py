"""Temporal: arguments and results of workflows and activities as messages.

::

    from temporalio.converter import DataConverter
    from holdall.integrations.temporalio import PayloadConverter

    client = await Client.connect(address, data_converter=DataConverter(payload_converter_class=PayloadConverter))

In the sandbox of workflows, pass holdall through: ``with workflow.unsafe.imports_passed_through(): import holdall``.

>>> from holdall.integrations.temporalio import PayloadConverter
>>> converter = PayloadConverter()
>>> (payload,) = converter.to_payloads([{"tags": {1, 2}}])
>>> payload.metadata["encoding"], converter.from_payloads([payload])
(b'binary/holdall', [{'tags': {1, 2}}])
"""

from __future__ import annotations

from typing import Any, Unpack

from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    CompositePayloadConverter,
    DefaultPayloadConverter,
    EncodingPayloadConverter,
)

from ._serializer import Serializer, SerializerOptions, decoder


class MessageConverter(EncodingPayloadConverter):
    """One message. The options are those of `holdall.integrations.Serializer`; a type hint is the type to read."""

    encoding = "binary/holdall"

    def __init__(self, **options: Unpack[SerializerOptions]) -> None:
        self._options, self._serializer = options, Serializer(**options)

    def to_payload(self, value: Any) -> Payload:
        data = self._serializer.dumps(value)
        return Payload(metadata={"encoding": self.encoding.encode()}, data=data)

    def from_payload(self, payload: Payload, type_hint: Any = None) -> Any:
        if type_hint is None or type_hint is Any:
            return self._serializer.loads(payload.data)
        return decoder({**self._options, "type": type_hint}).decode(payload.data)


class PayloadConverter(CompositePayloadConverter):
    """Writes messages, and reads also what Temporal's own converters wrote. To give options, write such a class of your own."""

    def __init__(self) -> None:
        super().__init__(
            MessageConverter(), *DefaultPayloadConverter.default_encoding_payload_converters
        )
