"""cachelib and Flask-Caching: values as messages.

>>> from cachelib import SimpleCache
>>> from holdall.integrations.cachelib import CacheSerializer
>>> cache = SimpleCache()
>>> cache.serializer = CacheSerializer()
>>> cache.set("user", {"name": "Ada"}), cache.get("user")
(True, {'name': 'Ada'})

A `FileSystemCache` writes when it is created, so a subclass must have the serializer. In the configuration of Flask-Caching:
``CACHE_SERIALIZER = CacheSerializer(types=[User])``. Redis can increment integers.
"""

from __future__ import annotations

from typing import IO, Any, Unpack

from cachelib.serializers import BaseSerializer

from .._errors import Error
from ._counters import CounterSerializer
from ._serializer import SerializerOptions


class CacheSerializer(BaseSerializer):
    """The options are those of `holdall.integrations.Serializer`. As in cachelib, an entry that cannot be read is a miss, which
    is logged.
    """

    def __init__(self, **options: Unpack[SerializerOptions]) -> None:
        self._serializer = CounterSerializer(**options)

    def dumps(self, value: Any, protocol: int = 0) -> bytes:
        return self._serializer.dumps(value)

    def loads(self, data: bytes | None) -> Any:
        try:
            return None if data is None else self._serializer.loads(data)
        except Error as error:
            self._warn(error)
            return None

    def dump(self, value: Any, file: IO[bytes], protocol: int = 0) -> None:
        file.write(self._serializer.dumps(value))

    def load(self, file: IO[bytes]) -> Any:
        return self.loads(file.read())
