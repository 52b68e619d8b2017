"""LangGraph: checkpoints, and what nodes write, as messages.

>>> from langgraph.checkpoint.memory import InMemorySaver
>>> from holdall.integrations.langgraph import Serde
>>> saver = InMemorySaver(serde=Serde())
>>> kind, data = saver.serde.dumps_typed({"seen": {1, 2}})
>>> kind, saver.serde.loads_typed((kind, data))
('holdall', {'seen': {1, 2}})

To continue threads that another serializer wrote: ``Serde(before=JsonPlusSerializer())`` reads the kinds that are not its own
with that one, and writes only messages.
"""

from __future__ import annotations

from typing import Any, Unpack

from ._serializer import Serializer, SerializerOptions


class Serde:
    """The options are those of `holdall.integrations.Serializer`; ``types=`` has the classes of your states and messages."""

    def __init__(self, *, before: Any = None, **options: Unpack[SerializerOptions]) -> None:
        self._before = before
        self._serializer = Serializer(**options)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The kind of a value, and its bytes."""
        return "holdall", self._serializer.dumps(obj)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The value of a kind and bytes."""
        kind, stored = data
        if kind == "holdall":
            return self._serializer.loads(stored)
        if self._before is None:
            raise ValueError(
                f"this checkpoint is of the kind {kind!r}, not 'holdall'; read it with Serde(before=...)"
            )
        return self._before.loads_typed(data)
