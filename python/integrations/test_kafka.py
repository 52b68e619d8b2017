"""Kafka, with the mock cluster of librdkafka, which does not compact topics."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import confluent_kafka
import holdall
import pytest
from confluent_kafka import DeserializingConsumer, Producer, SerializingProducer
from confluent_kafka.error import KeyDeserializationError, ValueDeserializationError
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.serialization import MessageField, SerializationContext, SerializationError
from holdall.integrations import schema_registry
from holdall.integrations.confluent_kafka import Deserializer, Serializer
from holdall.integrations.kafka_schemas import SchemaTopic

VALUES = [{"id": 7, "name": "Ada"}, {"id": 8, "name": "Bob"}, [1, 2, 3], {"id": 9, "tags": {1}}]


@pytest.fixture(scope="module")
def brokers() -> Iterator[str]:
    """The addresses of librdkafka's mock cluster, which lives as long as this producer."""
    owner = Producer({"bootstrap.servers": "unused", "test.mock.num.brokers": 2})
    found = owner.list_topics(timeout=20).brokers.values()
    yield ",".join(f"{each.host}:{each.port}" for each in found)


def test_a_value_is_a_marker_a_fingerprint_and_a_bare_body(tmp_path: Path) -> None:
    store = holdall.SchemaStore(tmp_path)
    serializer, deserializer = Serializer(store), Deserializer(holdall.SchemaStore(tmp_path))
    for value in VALUES:
        data = serializer(value)
        assert data is not None
        schema = holdall.Encoder().schema(value)
        body = holdall.dumps(value, header="none")
        assert data == b"\xc0" + schema.fingerprint.to_bytes(8, "little") + body
        assert deserializer(data) == value
    assert serializer(None) is deserializer(None) is None


def test_large_tensors_have_no_padding() -> None:
    numpy = pytest.importorskip("numpy")
    value = {"a": numpy.arange(5000.0)}
    store = holdall.SchemaStore()
    data = Serializer(store)(value)
    assert data is not None
    assert data[9:] == holdall.dumps(value, header="none")
    assert (Deserializer(store)(data)["a"] == value["a"]).all()


def test_other_bytes_are_errors(attack: Any) -> None:
    deserializer = Deserializer(holdall.SchemaStore())
    for data in (attack.pickle, attack.message, b"", b"\xc0", b"\xc0" + bytes(8) + b"\x04"):
        with pytest.raises(SerializationError):
            deserializer(data)
    store = holdall.SchemaStore()
    call = holdall.loads(attack.message)
    data = Serializer(store)(call)
    with pytest.raises(SerializationError, match="does not allow"):
        Deserializer(store)(data)
    pickle.loads(attack.pickle)
    assert attack.worked


# CVE-2023-34040: Spring for Apache Kafka deserialized the object in a header of a record, which was to hold the error of a deserializer
# that had failed. Anyone who can write to the topic can set it.
@pytest.mark.parametrize("where", ["value", "key"])
def test_objects_in_headers_are_not_read(brokers: str, where: str, attack: Any) -> None:
    store, topic = holdall.SchemaStore(), f"headers-{where}"
    own = Serializer(store)
    good = own({"id": 7})
    call = own(holdall.loads(attack.message))
    producer = Producer({"bootstrap.servers": brokers})
    for data in (good, attack.pickle, attack.message, call, None):
        headers = [
            (f"springDeserializerException{where.title()}", attack.pickle),
            ("springDeserializerExceptionValue", attack.message),
            ("__TypeId__", b"posix.system"),
        ]
        producer.produce(topic, partition=0, headers=headers, **{where: data})
    assert producer.flush(20) == 0
    config = {"bootstrap.servers": brokers, "group.id": topic, "auto.offset.reset": "earliest"}
    reader = Deserializer(store)
    consumer = DeserializingConsumer(
        {**config, "value.deserializer": reader, "key.deserializer": reader}
    )
    consumer.subscribe([topic])
    found: list[Any] = []
    while len(found) < 5:
        try:
            record = consumer.poll(20)
        except (KeyDeserializationError, ValueDeserializationError) as error:
            found.append(type(error.exception))
            continue
        assert record is not None
        # Its headers are there, as bytes.
        assert dict(record.headers())["springDeserializerExceptionValue"] in (
            attack.message,
            attack.pickle,
        )
        found.append(record.value() if where == "value" else record.key())
    consumer.close()
    assert found == [{"id": 7}, *[SerializationError] * 3, None]
    assert not attack.worked
    pickle.loads(attack.pickle)
    assert attack.worked


@pytest.mark.parametrize("kind", ["store", "topic", "registry"])
def test_producers_and_consumers(brokers: str, kind: str, tmp_path: Path) -> None:
    own, other = {
        "store": lambda: [holdall.SchemaStore(tmp_path) for _ in range(2)],
        "topic": lambda: [SchemaTopic({"bootstrap.servers": brokers}, "schemas") for _ in range(2)],
        "registry": lambda: [SchemaRegistryClient.new_client({"url": "mock://"})] * 2,
    }[kind]()
    write, read = (
        (schema_registry.Serializer, schema_registry.Deserializer)
        if kind == "registry"
        else (Serializer, Deserializer)
    )
    config = {"bootstrap.servers": brokers}
    producer = SerializingProducer({**config, "value.serializer": write(own)})
    for value in [*VALUES, None]:
        producer.produce(kind, key=b"key", value=value)
    assert producer.flush(20) == 0
    reading = {"group.id": kind, "auto.offset.reset": "earliest", "value.deserializer": read(other)}
    consumer = DeserializingConsumer({**config, **reading})
    consumer.subscribe([kind])
    got: list[Any] = []
    while len(got) < len(VALUES) + 1:
        record = consumer.poll(20)
        assert record is not None
        assert not record.error()
        got.append(record.value())
    assert got == [*VALUES, None]
    consumer.close()


def test_the_registry_framing(attack: Any) -> None:
    client = SchemaRegistryClient.new_client({"url": "mock://"})
    context = SerializationContext("orders", MessageField.VALUE)
    data = schema_registry.Serializer(client)(VALUES[0], context)
    assert data is not None
    assert data[:1] == b"\0"
    assert client.get_latest_version("orders-value").schema_id == int.from_bytes(data[1:5], "big")
    assert data[5:] == holdall.dumps(VALUES[0], header="none")
    read = schema_registry.Deserializer(client)
    assert read(data, context) == VALUES[0]
    for bad in (attack.pickle, attack.message, b"", b"\0\0\0"):
        with pytest.raises(SerializationError):
            read(bad, context)


def test_a_schema_that_no_one_published_is_an_error(brokers: str) -> None:
    store = holdall.SchemaStore()
    data = Serializer(store)([1])
    topic = SchemaTopic({"bootstrap.servers": brokers}, "unused", timeout=1)
    with pytest.raises((SerializationError, confluent_kafka.KafkaException)):
        Deserializer(topic)(data)
