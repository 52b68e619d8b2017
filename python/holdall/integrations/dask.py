"""Dask: a family of serializers for the data that workers and clients exchange.

::

    import dask.distributed
    import holdall.integrations.dask

    holdall.integrations.dask.register()
    kinds = ["holdall", "msgpack"]
    client = dask.distributed.Client(address, serializers=kinds, deserializers=kinds)

Workers call `register`, too: ``dask worker --preload holdall.integrations.dask``. Dask pickles functions and graphs in any case,
so anyone who can reach a scheduler runs code: this is for graphs of objects that pickle cannot pack, and for size. Arrays are
frames of their own, without a copy.

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
from ._serializer import SerializerOptions, decoder, encoder


def register(**options: Unpack[SerializerOptions]) -> None:
    """Adds the family ``holdall`` to this process, with the options of `holdall.integrations.Serializer`."""
    reader = decoder(options)

    def dumps(obj: Any) -> tuple[dict[str, Any], list[Any]]:
        buffers: list[Any] = []
        try:
            data = encoder(options, buffer_callback=buffers.append).encode(obj)
        except EncodeError as error:
            # Dask then tries the next family.
            raise NotImplementedError(str(error)) from error
        views = [each.raw() for each in buffers]
        return {"writeable": [not each.readonly for each in views]}, [data, *views]

    def loads(header: dict[str, Any], frames: Sequence[Any]) -> Any:
        buffers = [
            bytearray(frame) if writeable and memoryview(frame).readonly else frame
            for frame, writeable in zip(frames[1:], header["writeable"], strict=True)
        ]
        return reader.decode(frames[0], buffers=buffers)

    register_serialization_family("holdall", dumps, loads)


def dask_setup(worker: Any) -> None:
    """What ``--preload`` calls."""
    register()
