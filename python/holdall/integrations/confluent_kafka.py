"""confluent-kafka: a marker byte, 8 bytes of the schema's fingerprint, and a bare body.

>>> from holdall.integrations.confluent_kafka import Deserializer, Serializer
>>> store = holdall.SchemaStore()
>>> data = Serializer(store)({"id": 7, "name": "Ada"})
>>> len(data), Deserializer(store)(data)
(14, {'id': 7, 'name': 'Ada'})

Schemas are in a `SchemaStore` in memory or on disk, or in a compacted topic (`holdall.integrations.kafka_schemas`).
"""

from __future__ import annotations

from typing import Any, Unpack

from confluent_kafka import serialization

from .._impl._schema import SchemaStore
from ._serializer import SerializerOptions, decoder, encoder
from .kafka_schemas import SchemaTopic

#: Neither UTF-8, nor Avro, nor the framing of a registry begins with this byte.
MARKER = b"\xc0"
#: A message with a fingerprint begins with these.
HEAD = b"\xc1\x11"


def split(schemas: SchemaStore | SchemaTopic) -> tuple[SchemaTopic | None, SchemaStore]:
    return (schemas, schemas.store) if isinstance(schemas, SchemaTopic) else (None, schemas)


class Serializer(serialization.Serializer):
    """For ``value.serializer`` and ``key.serializer``. None stays None: a tombstone."""

    def __init__(self, schemas: SchemaStore | SchemaTopic, **options: Unpack[SerializerOptions]):
        self._topic, store = split(schemas)
        self._encoder = encoder(options, header="fingerprint", store=store)
        self._bare = encoder(options, header="none")

    def __call__(self, obj: Any, ctx: Any = None) -> bytes | None:
        if obj is None:
            return None
        data = self._encoder.encode(obj)
        # Large tensors are aligned in a message, but not in a bare body.
        body = data[10:] if data.startswith(HEAD) else self._bare.encode(obj)
        if self._topic:
            self._topic.publish(int.from_bytes(data[2:10], "little"))
        return MARKER + data[2:10] + body


class Deserializer(serialization.Deserializer):
    """For ``value.deserializer`` and ``key.deserializer``."""

    def __init__(self, schemas: SchemaStore | SchemaTopic, **options: Unpack[SerializerOptions]):
        self._topic, store = split(schemas)
        self._decoder = decoder(options, store=store)

    def __call__(self, data: bytes | None, ctx: Any = None) -> Any:
        if data is None:
            return None
        try:
            if data[:1] != MARKER:
                raise ValueError(f"expected the marker {MARKER!r}, got {data[:1]!r}")
            if self._topic:
                self._topic.fetch(int.from_bytes(data[1:9], "little"))
            return self._decoder.decode(HEAD + data[1:])
        except ValueError as error:
            raise serialization.SerializationError(str(error)) from error
