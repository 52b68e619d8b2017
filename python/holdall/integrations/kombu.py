"""kombu and Celery: messages and results with the content type ``application/vnd.holdall``.

The package declares the serializer as an entry point, so kombu knows the name ``holdall`` without an import::

    app.conf.update(
        task_serializer="holdall", result_serializer="holdall", accept_content=["holdall"],
    )

Register the classes of arguments and results, or call `register` with ``types=`` in workers and clients.

>>> import kombu.serialization
>>> from holdall.integrations.kombu import register
>>> register(types=[])
>>> kind, coding, data = kombu.serialization.dumps({7: {"Ada"}}, serializer="holdall")
>>> kombu.serialization.loads(data, kind, coding, accept=["application/vnd.holdall"])
{7: {'Ada'}}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from ._serializer import MEDIA_TYPE, Serializer, SerializerOptions


def _codec(
    serializer: Serializer,
) -> tuple[Callable[[object], bytes], Callable[[Any], Any], str, str]:
    return serializer.dumps, serializer.loads, MEDIA_TYPE, "binary"


#: What the entry point ``kombu.serializers`` names.
codec = _codec(Serializer())


def register(**options: Unpack[SerializerOptions]) -> None:
    """Replaces kombu's serializer ``holdall`` by one with the options of `holdall.integrations.Serializer`."""
    from kombu.serialization import registry

    registry.register("holdall", *_codec(Serializer(**options)))
