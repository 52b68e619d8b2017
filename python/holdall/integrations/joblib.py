"""joblib: the results that `Memory` keeps, as messages.

>>> import tempfile
>>> from joblib import Memory, register_store_backend
>>> from holdall.integrations.joblib import StoreBackend
>>> register_store_backend("holdall", StoreBackend)
>>> memory = Memory(tempfile.mkdtemp(), backend="holdall", verbose=0)
>>> @memory.cache
... def double(numbers):
...     return {each: 2 * each for each in numbers}
>>> double([1, 2]) == double([1, 2]) == {1: 2, 2: 4}
True

What stays: joblib hashes the arguments with a pickler, which reads nothing; the code of the function and the metadata are text.
`joblib.dump`, `joblib.load` and `Parallel` pickle as before. A subclass can have another ``serializer``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from joblib._store_backends import FileSystemStoreBackend

from ._serializer import Serializer


class StoreBackend(FileSystemStoreBackend):
    """Each result in a file ``output.hold``. It has no ``compress`` and no ``mmap_mode``."""

    serializer = Serializer()

    def configure(
        self, location: str, verbose: int = 1, backend_options: dict[str, Any] | None = None
    ) -> None:
        given = [name for name, option in (backend_options or {}).items() if option]
        if given:
            raise ValueError(f"the backend 'holdall' has no {' and no '.join(given)}")
        super().configure(location, verbose, backend_options)

    def _path(self, call_id: Any) -> Path:
        return Path(self.location, *call_id, "output.hold")

    def contains_item(self, call_id: Any) -> bool:
        return self._path(call_id).exists()

    def load_item(self, call_id: Any, *_: object, **__: object) -> Any:
        if not self.contains_item(call_id):
            raise KeyError(f"there is no {self._path(call_id)}; it may have been cleared")
        return self.serializer.loads(self._path(call_id).read_bytes())

    def dump_item(self, call_id: Any, item: Any, verbose: int = 1) -> None:
        def write(data: bytes, path: str) -> None:
            Path(path).write_bytes(data)

        path = self._path(call_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._concurrency_safe_write(self.serializer.dumps(item), str(path), write)
