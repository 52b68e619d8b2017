"""Schemas in a compacted topic, for `holdall.integrations.confluent_kafka`.

::

    schemas = SchemaTopic({"bootstrap.servers": "localhost:9092"}, "schemas")
    producer = SerializingProducer({..., "value.serializer": Serializer(schemas)})
    consumer = DeserializingConsumer({..., "value.deserializer": Deserializer(schemas)})

Create the topic with ``cleanup.policy=compact``: keys are fingerprints of 8 bytes, values are schemas.
"""

from __future__ import annotations

import time
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

from .._impl._schema import Schema, SchemaStore


class SchemaTopic:
    """Publishes schemas before the first value that needs them, and reads those of others when they are needed.

    ``timeout`` is the time in seconds to wait for the brokers (default: 10).
    """

    def __init__(self, config: dict[str, Any], topic: str, *, timeout: float = 10) -> None:
        self.store = SchemaStore()
        self._topic, self._timeout = topic, timeout
        self._published: set[int] = set()
        self._producer = Producer(config)
        reader = {"group.id": f"holdall-{topic}", "enable.auto.commit": False}
        self._consumer = Consumer({**config, **reader})
        self._assigned = False

    def publish(self, fingerprint: int) -> None:
        """Writes the schema of a fingerprint to the topic, once."""
        schema = self.store.get(fingerprint)
        if fingerprint in self._published or schema is None:
            return
        self._producer.produce(self._topic, bytes(schema), fingerprint.to_bytes(8, "little"))
        if self._producer.flush(self._timeout):
            raise TimeoutError(f"no broker confirmed a schema in {self._timeout} s")
        self._published.add(fingerprint)

    def fetch(self, fingerprint: int) -> None:
        """Reads the topic until it has the schema of a fingerprint."""
        end = time.monotonic() + self._timeout
        if not self._assigned and fingerprint not in self.store:
            parts = self._consumer.list_topics(self._topic, self._timeout).topics[self._topic]
            self._consumer.assign(
                [TopicPartition(self._topic, each, OFFSET_BEGINNING) for each in parts.partitions]
            )
            self._assigned = True
        while fingerprint not in self.store and time.monotonic() < end:
            found = self._consumer.poll(0.1)
            if found is not None and not found.error() and (value := found.value()) is not None:
                self.store.put(Schema(value))
