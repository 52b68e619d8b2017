"""huey: tasks and results as messages.

>>> from huey import MemoryHuey
>>> from holdall.integrations.huey import Serializer
>>> huey = MemoryHuey(serializer=Serializer(), immediate=True)
>>> @huey.task()
... def add(left, right):
...     return left + right
>>> add(3, 4)()
7
"""

from __future__ import annotations

from typing import Any, Unpack

import huey.registry
import huey.serializer
import huey.utils

from . import _serializer

#: What huey itself puts into its messages.
OWN = (huey.registry.Message, huey.utils.Error, huey.utils.ChordConfig)


class Serializer(huey.serializer.Serializer):
    """``compression`` and ``use_zlib`` are those of huey, the other options those of `holdall.integrations.Serializer`."""

    def __init__(
        self,
        *,
        compression: bool = False,
        use_zlib: bool = False,
        **options: Unpack[_serializer.SerializerOptions],
    ) -> None:
        super().__init__(compression=compression, use_zlib=use_zlib)
        options["types"] = [*options.get("types", ()), *OWN]
        self._serializer = _serializer.Serializer(**options)

    def _serialize(self, data: Any) -> bytes:
        return self._serializer.dumps(data)

    def _deserialize(self, data: bytes) -> Any:
        return self._serializer.loads(data)
