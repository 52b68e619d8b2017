"""diskcache: `Disk` stores keys and values as messages.

>>> import tempfile
>>> from diskcache import Cache
>>> from holdall.integrations.diskcache import Disk
>>> with tempfile.TemporaryDirectory() as folder, Cache(folder, disk=Disk) as cache:
...     cache[("user", 7)] = {"name": "Ada", "born": 1815}
...     cache[("user", 7)]
{'name': 'Ada', 'born': 1815}

A subclass with another ``serializer`` allows classes: ``serializer = Serializer(types=[User])``.
"""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import MODE_PICKLE, UNKNOWN

from ._serializer import Serializer


class Disk(diskcache.Disk):
    """Keys and values that SQLite has no type for are messages. str, bytes, int and float are stored as they are."""

    serializer = Serializer()

    def put(self, key: Any) -> tuple[Any, bool]:
        """The key as it is stored, and whether that is the key itself."""
        if type(key) in (str, bytes, float) or (type(key) is int and -(2**63) <= key < 2**63):
            return super().put(key)  # type: ignore[no-any-return]
        return sqlite3.Binary(self.serializer.dumps(key)), False

    def get(self, key: Any, raw: bool) -> Any:
        """The key that `put` stored."""
        return super().get(key, raw) if raw else self.serializer.loads(key)

    def store(self, value: Any, read: bool, key: Any = UNKNOWN) -> tuple[Any, ...]:
        """The size, mode, file name and stored value."""
        as_it_is = type(value) in (str, bytes, float) or (
            type(value) is int and -(2**63) <= value < 2**63
        )
        if read or as_it_is:
            return super().store(value, read, key=key)  # type: ignore[no-any-return]
        data = self.serializer.dumps(value)
        if len(data) < self.min_file_size:
            return 0, MODE_PICKLE, None, sqlite3.Binary(data)
        size, _, name, _ = super().store(io.BytesIO(data), True, key=key)
        return size, MODE_PICKLE, name, None

    def fetch(self, mode: int, filename: str, value: Any, read: bool) -> Any:
        """The value that `store` stored."""
        if mode != MODE_PICKLE:
            return super().fetch(mode, filename, value, read)
        data = Path(self._directory, filename).read_bytes() if value is None else value
        return self.serializer.loads(data)
