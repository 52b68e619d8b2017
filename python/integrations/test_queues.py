"""Queues: arguments and results come back whole, and what others put into a queue is not executed."""

from __future__ import annotations

import base64
import datetime
import json
import logging
import zlib
from dataclasses import dataclass
from typing import Any

import holdall
import pytest


@holdall.register(name="tests.Order")
@dataclass
class Order:
    id: int
    lines: dict[tuple[str, int], set[int]]
    at: datetime.datetime


ORDER = Order(7, {("a", 1): {1, 2}}, datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC))


# ---- kombu and Celery ----


def celery_app(port: int, serializer: str) -> Any:
    from celery import Celery

    url = f"redis://127.0.0.1:{port}"
    app = Celery("tests", broker=f"{url}/1", backend=f"{url}/2", set_as_current=False)
    app.conf.update(
        task_serializer=serializer,
        result_serializer=serializer,
        accept_content=[serializer],
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
    )

    @app.task(name="tests.ship")
    def ship(order: Any) -> Any:
        return (type(order).__name__, order)

    @app.task(name="tests.fail")
    def fail() -> None:
        raise LookupError("no such order", 7)

    return app


def test_kombu_finds_the_entry_point() -> None:
    import kombu.serialization

    kind, coding, data = kombu.serialization.dumps({7: ORDER}, serializer="holdall")
    assert (kind, coding, data[:1]) == ("application/vnd.holdall", "binary", b"\xc1")
    accept = {"application/vnd.holdall"}
    assert kombu.serialization.loads(data, kind, coding, accept=accept) == {7: ORDER}
    with pytest.raises(kombu.exceptions.DecodeError, match="bad_magic"):
        kombu.serialization.loads(b"\x80\x04N.", kind, coding, accept=accept)


# CVE-2020-11981: who can write to the broker of Airflow's Celery workers runs commands.
@pytest.mark.usefixtures("real_redis")
def test_celery(redis_port: int, attack: Any) -> None:
    from celery.contrib.testing.worker import start_worker

    app = celery_app(redis_port, "holdall")
    with start_worker(app, perform_ping_check=False, loglevel=logging.CRITICAL, pool="solo"):
        assert app.tasks["tests.ship"].delay(ORDER).get(timeout=20) == ("Order", ORDER)
        with pytest.raises(LookupError) as failed:
            app.tasks["tests.fail"].delay().get(timeout=20)
        assert failed.value.args == ("no such order", 7)
        for data in (attack.pickle, attack.message):
            for kind in ("application/vnd.holdall", "application/x-python-serialize"):
                publish(app, data, kind)
        assert app.tasks["tests.ship"].delay(1).get(timeout=20) == ("int", 1)
        assert not attack.worked
    pickled = celery_app(redis_port, "pickle")
    with start_worker(pickled, perform_ping_check=False, loglevel=logging.CRITICAL, pool="solo"):
        publish(
            pickled,
            attack.inside(lambda order: ((order,), {}, {})),
            "application/x-python-serialize",
        )
        pickled.tasks["tests.ship"].delay(1).get(timeout=20)
    assert attack.worked


def publish(app: Any, data: bytes, kind: str) -> None:
    """Puts a message into the queue as someone who can reach Redis does."""
    message = {
        "body": base64.b64encode(data).decode(),
        "content-encoding": "binary",
        "content-type": kind,
        "headers": {"lang": "py", "task": "tests.ship", "id": "1"},
        "properties": {
            "body_encoding": "base64",
            "delivery_info": {"exchange": "", "routing_key": "celery"},
            "delivery_tag": "1",
            "correlation_id": "1",
        },
    }
    with app.connection_for_write() as connection:
        connection.default_channel.client.lpush("celery", json.dumps(message))


# CVE-2021-23727: Celery called what a stored exception named. The result is a holdall message here.
@pytest.mark.usefixtures("real_redis")
def test_celery_does_not_call_what_a_stored_exception_names(redis_port: int, attack: Any) -> None:
    app = celery_app(redis_port, "holdall")
    stored = {"exc_module": "os", "exc_type": "system", "exc_message": [f"touch {attack.path}"]}
    result = {"status": "FAILURE", "result": stored, "traceback": None, "task_id": "1"}
    app.backend.client.set("celery-task-meta-1", holdall.dumps(result))
    with pytest.raises(Exception, match="Expected an exception class"):
        app.AsyncResult("1").get(timeout=5)
    for data in (attack.pickle, attack.message):
        app.backend.client.set("celery-task-meta-1", data)
        with pytest.raises(Exception, match="bad_magic|does not allow"):
            app.AsyncResult("1").get(timeout=5)
    assert not attack.worked


# ---- RQ ----


def test_rq(real_redis: Any, attack: Any) -> None:
    import rq
    from holdall.integrations.rq import Serializer

    for given in (Serializer, "holdall.integrations.rq.Serializer"):
        queue = rq.Queue("mail", connection=real_redis, serializer=given)
        job = queue.enqueue(sorted, [ORDER.id, 3], meta={"by": {"Ada"}})
        worker = rq.SimpleWorker([queue], connection=real_redis, serializer=given)
        worker.work(burst=True, logging_level="CRITICAL")
        again = rq.job.Job.fetch(job.id, connection=real_redis, serializer=given)
        assert again.latest_result().return_value == [3, 7]
        assert again.meta == {"by": {"Ada"}}
        kept = queue.enqueue(repr, ORDER)
        assert rq.job.Job.fetch(kept.id, connection=real_redis, serializer=given).args == (ORDER,)

    def read(data: bytes, given: Any = Serializer) -> Any:
        real_redis.hset(f"rq:job:{kept.id}", "data", zlib.compress(data))
        try:
            return rq.job.Job.fetch(kept.id, connection=real_redis, serializer=given).args
        except rq.exceptions.DeserializationError as error:
            raise error.__cause__ or error from None

    with pytest.raises(Exception):  # noqa: B017, PT011 - the result of the command is no job
        read(attack.pickle, "pickle")
    assert attack.worked
    attack.fails(read)


# ---- huey ----


def test_huey(redis: Any, redis_port: int, attack: Any) -> None:
    from holdall.integrations.huey import Serializer as Messages
    from huey import RedisHuey

    for options in ({}, {"compression": True}, {"compression": True, "use_zlib": True}):
        huey = RedisHuey("tests", port=redis_port, serializer=Messages(**options))

        @huey.task(name=f"ship{len(options)}")
        def ship(order: Any) -> Any:
            return (type(order).__name__, order)

        @huey.task(name=f"fail{len(options)}")
        def fail() -> None:
            raise LookupError("no such order")

        result, failed = ship(ORDER), fail()
        for _ in range(2):
            huey.execute(huey.dequeue())
        assert result() == ("Order", ORDER)
        with pytest.raises(Exception, match="no such order"):
            failed()
    pickled = RedisHuey("tests", port=redis_port)
    redis.lpush(huey.storage.queue_key, attack.pickle)
    with pytest.raises(Exception):  # noqa: B017, PT011 - the result of the command is no task
        pickled.dequeue()
    assert attack.worked

    plain = RedisHuey("tests", port=redis_port, serializer=Messages())

    def read(data: bytes) -> Any:
        redis.lpush(huey.storage.queue_key, data)
        return plain.dequeue()

    attack.fails(read)


# ---- dramatiq ----


@pytest.mark.usefixtures("real_redis")
def test_dramatiq(redis_port: int, attack: Any) -> None:
    import dramatiq
    from dramatiq.brokers.redis import RedisBroker
    from dramatiq.results import Results
    from dramatiq.results.backends import RedisBackend
    from holdall.integrations.dramatiq import Encoder

    before = dramatiq.get_encoder()
    encoder = Encoder()
    dramatiq.set_encoder(encoder)
    try:
        broker = RedisBroker(port=redis_port)
        dramatiq.set_broker(broker)
        broker.add_middleware(Results(backend=RedisBackend(port=redis_port, encoder=encoder)))

        @dramatiq.actor(broker=broker, store_results=True)
        def ship(order: Any) -> Any:
            return (type(order).__name__, order)

        worker = dramatiq.Worker(broker, worker_threads=1)
        worker.start()
        try:
            assert ship.send(ORDER).get_result(block=True, timeout=20_000) == ("Order", ORDER)
        finally:
            worker.stop()
    finally:
        dramatiq.set_encoder(before)
    dramatiq.PickleEncoder().decode(attack.pickle)
    assert attack.worked
    attack.fails(encoder.decode)
    with pytest.raises(dramatiq.errors.DecodeError):
        encoder.decode(attack.message)
