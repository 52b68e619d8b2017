"""django-redis: values as messages.

In settings.py::

    CACHES = {"default": {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": "redis://127.0.0.1:6379/1",
        "OPTIONS": {
            "SERIALIZER": "holdall.integrations.django_redis.Serializer",
            "HOLDALL": {"types": [User]},
        },
    }}

``HOLDALL`` has the options of `holdall.integrations.Serializer`.

>>> from holdall.integrations.django_redis import Serializer
>>> serializer = Serializer({"HOLDALL": {"checksum": True}})
>>> serializer.loads(serializer.dumps({"name": "Ada"}))
{'name': 'Ada'}
"""

from __future__ import annotations

from typing import Any

from . import _serializer


class Serializer(_serializer.Serializer):
    """Created by django-redis with the ``OPTIONS`` of the cache."""

    __slots__ = ()

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(**options.get("HOLDALL", {}))
