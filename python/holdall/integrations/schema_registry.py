"""The framing of a schema registry: a zero byte, 4 bytes of the schema's id, and a bare body.

``Serializer(client)`` and ``Deserializer(client)`` take a `confluent_kafka.schema_registry.SchemaRegistryClient`.

A registry knows only Avro, JSON and Protobuf. A schema is registered as Avro's type ``bytes`` with the attribute ``holdall``, so
the registry does not check whether schemas are compatible.
"""

from __future__ import annotations

import base64
import json
from typing import Any, Unpack

from confluent_kafka import schema_registry, serialization

from .._impl._schema import Schema, SchemaStore
from . import confluent_kafka
from ._serializer import SerializerOptions
from .confluent_kafka import MARKER


class Serializer(serialization.Serializer):
    """For ``value.serializer``: registers the schema of each value under ``TOPIC-value``, once."""

    def __init__(self, client: Any, **options: Unpack[SerializerOptions]) -> None:
        self._client, self._store = client, SchemaStore()
        self._ids: dict[tuple[str, bytes], int] = {}
        self._serializer = confluent_kafka.Serializer(self._store, **options)

    def __call__(self, obj: Any, ctx: Any = None) -> bytes | None:
        data = self._serializer(obj)
        if data is None:
            return None
        subject, fingerprint = f"{ctx.topic}-{ctx.field}", data[1:9]
        if (subject, fingerprint) not in self._ids:
            schema = bytes(self._store.get(int.from_bytes(fingerprint, "little")) or b"")
            avro = json.dumps({"type": "bytes", "holdall": base64.b64encode(schema).decode()})
            own = self._client.register_schema(subject, schema_registry.Schema(avro, "AVRO"))
            self._ids[subject, fingerprint] = own
        return b"\0" + self._ids[subject, fingerprint].to_bytes(4, "big") + data[9:]


class Deserializer(serialization.Deserializer):
    """For ``value.deserializer``: asks the registry for each id once."""

    def __init__(self, client: Any, **options: Unpack[SerializerOptions]) -> None:
        self._client, self._store = client, SchemaStore()
        self._fingerprints: dict[bytes, bytes] = {}
        self._deserializer = confluent_kafka.Deserializer(self._store, **options)

    def __call__(self, data: bytes | None, ctx: Any = None) -> Any:
        if data is None:
            return None
        if data[:1] != b"\0" or len(data) < 5:
            raise serialization.SerializationError(
                f"expected a zero byte and an id, got {data[:5]!r}"
            )
        if (own := data[1:5]) not in self._fingerprints:
            text = self._client.get_schema(int.from_bytes(own, "big")).schema_str
            schema = Schema(base64.b64decode(json.loads(text)["holdall"]))
            self._store.put(schema)
            self._fingerprints[own] = schema.fingerprint.to_bytes(8, "little")
        return self._deserializer(MARKER + self._fingerprints[own] + data[5:])
