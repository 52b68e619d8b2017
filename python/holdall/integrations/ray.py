"""Ray: objects of a class cross processes as messages.

::

    import holdall.integrations.ray

    ray.init()
    holdall.integrations.ray.register(Graph)

Ray pickles functions, and all other objects, in any case: this is for graphs that pickle is too deep for, and for classes that
pickle cannot pack.

>>> from holdall.integrations.ray import register
"""

from __future__ import annotations

from typing import Unpack

import ray.util

from ._serializer import Serializer, SerializerOptions


def register(cls: type, /, **options: Unpack[SerializerOptions]) -> None:
    """Packs objects of a class with the options of `holdall.integrations.Serializer`, and allows the class. Call it after `ray.init`."""
    options["types"] = [*options.get("types", ()), cls]
    serializer = Serializer(**options)
    ray.util.register_serializer(cls, serializer=serializer.dumps, deserializer=serializer.loads)
