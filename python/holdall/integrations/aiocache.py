"""aiocache: values as messages.

>>> import asyncio
>>> from aiocache import SimpleMemoryCache
>>> from holdall.integrations.aiocache import Serializer
>>> async def main():
...     cache = SimpleMemoryCache(serializer=Serializer())
...     await cache.set("user", {"name": "Ada"})
...     return await cache.get("user")
>>> asyncio.run(main())
{'name': 'Ada'}
"""

from __future__ import annotations

from typing import Any

from . import _counters


class Serializer(_counters.CounterSerializer):
    """The options are those of `holdall.integrations.Serializer`. Redis can increment integers."""

    __slots__ = ()
    #: aiocache must not decode what it reads.
    encoding = None

    def loads(self, data: bytes | bytearray | memoryview | None, /) -> Any:
        """The value; None for a key that the cache does not have."""
        return None if data is None else super().loads(data)
