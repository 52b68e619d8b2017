"""Django: a cache of files. The caches in Redis and the sessions need no code of their own.

``RedisCache`` takes ``"OPTIONS": {"serializer": "holdall.integrations.CounterSerializer"}``, and sessions take
``SESSION_SERIALIZER = "holdall.integrations.Serializer"``.

>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> FileBasedCache(folder, {}).set("user", {"name": "Ada"})
>>> FileBasedCache(folder, {}).get("user")
{'name': 'Ada'}
"""

from __future__ import annotations

import math
import struct
import time
from pathlib import Path
from typing import IO, Any

from django.core.cache.backends import filebased
from django.core.cache.backends.base import DEFAULT_TIMEOUT

from ._serializer import Serializer


class FileBasedCache(filebased.FileBasedCache):
    """A file for each value: 8 bytes for the time at which it expires, then the message."""

    cache_suffix = ".hold"
    serializer = Serializer()

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        try:
            with Path(self._key_to_file(key, version)).open("rb") as file:
                return default if self._is_expired(file) else self.serializer.loads(file.read())
        except FileNotFoundError:
            return default

    def touch(self, key: str, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        if not self.has_key(key, version):
            return False
        with Path(self._key_to_file(key, version)).open("r+b") as file:
            file.write(self._expiry(timeout))
        return True

    def _expiry(self, timeout: Any) -> bytes:
        expiry = self.get_backend_timeout(timeout)
        return struct.pack("<d", math.inf if expiry is None else expiry)

    def _write_content(self, file: IO[bytes], timeout: Any, value: Any) -> None:
        file.write(self._expiry(timeout) + self.serializer.dumps(value))

    def _is_expired(self, file: IO[bytes]) -> bool:
        head = file.read(8)
        if len(head) == 8 and struct.unpack("<d", head)[0] >= time.time():
            return False
        file.close()
        self._delete(file.name)
        return True
