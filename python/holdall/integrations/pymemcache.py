"""pymemcache, and Django's cache on it: values as messages, integers as digits that memcached can increment.

In Django's settings.py::

    from holdall.integrations.pymemcache import Serde

    CACHES = {"default": {
        "BACKEND": "django.core.cache.backends.memcached.PyMemcacheCache",
        "LOCATION": "127.0.0.1:11211",
        "OPTIONS": {"serde": Serde()},
    }}

With the client itself: ``pymemcache.Client(("127.0.0.1", 11211), serde=Serde())``.

>>> from holdall.integrations.pymemcache import Serde
>>> Serde().deserialize("key", *Serde().serialize("key", {"name": "Ada"}))
{'name': 'Ada'}
"""

from __future__ import annotations

from typing import Any

from ._counters import CounterSerializer


class Serde(CounterSerializer):
    """The options are those of `Serializer`. The flags that memcached keeps beside a value are ignored: others can set them."""

    __slots__ = ()

    def serialize(self, key: object, value: object) -> tuple[bytes, int]:
        """The bytes of a value, and its flags."""
        return self.dumps(value), 0

    def deserialize(self, key: object, value: bytes, flags: int) -> Any:
        """The value of bytes."""
        return self.loads(value)
