"""Dask: a family of serializers for the data that workers and clients exchange.

::

    import dask.distributed
    import holdall.integrations.dask

    holdall.integrations.dask.register()
    kinds = ["holdall", "msgpack"]
    client = dask.distributed.Client(address, serializers=kinds, deserializers=kinds)

Workers call `register`, too: ``dask worker --preload holdall.integrations.dask``. Dask pickles functions and graphs in any case,
so anyone who can reach a scheduler runs code: this is for graphs of objects that pickle cannot pack, and for size.

>>> from distributed.protocol import deserialize, serialize
>>> from holdall.integrations.dask import register
>>> register()
>>> deserialize(*serialize({"a": {1, 2}}, serializers=["holdall"]))
{'a': {1, 2}}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from distributed.protocol import register_serialization_family

from .._errors import EncodeError
from ._serializer import Serializer, SerializerOptions


def register(**options: Unpack[SerializerOptions]) -> None:
    """Adds the family ``holdall`` to this process, with the options of `holdall.integrations.Serializer`."""
    serializer = Serializer(**options)

    def dumps(obj: Any) -> tuple[dict[str, Any], list[bytes]]:
        try:
            return {}, [serializer.dumps(obj)]
        except EncodeError as error:
            # Dask then tries the next family.
            raise NotImplementedError(str(error)) from error

    def loads(header: dict[str, Any], frames: Sequence[Any]) -> Any:
        return serializer.loads(b"".join(frames))

    register_serialization_family("holdall", dumps, loads)


def dask_setup(worker: Any) -> None:
    """What ``--preload`` calls."""
    register()
