"""Schemas and their stores."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import _holdall

if TYPE_CHECKING:
    from ._explained import SchemaDiff


class Schema:
    """The types of the values in a message.

    >>> import holdall
    >>> print(holdall.schema(holdall.dumps([{"id": 7}, {"id": None}])))
    list(record {id: option(int)})
    """

    __slots__ = ("_raw",)
    _raw: _holdall.Schema

    def __init__(self, data: bytes) -> None:
        self._raw = _holdall.Schema.from_bytes(data)

    @classmethod
    def _of(cls, raw: _holdall.Schema) -> Schema:
        schema = cls.__new__(cls)
        schema._raw = raw
        return schema

    @classmethod
    def parse(cls, text: str) -> Schema:
        """Reads schema text, such as the contents of a `.holds` file.

        >>> import holdall
        >>> expected = holdall.Schema.parse("list(record {id: int})  // comments are allowed")
        >>> expected == holdall.schema(holdall.dumps([{"id": 7}]))
        True
        """
        return cls._of(_holdall.Schema.parse(text))

    @staticmethod
    def format(text: str) -> str:
        """Lays schema text out as a `.holds` file, with its comments.

        >>> import holdall
        >>> print(holdall.Schema.format("record{id:int, // never reused\\n name : string}"), end="")
        record {
            id: int, // never reused
            name: string,
        }
        """
        return _holdall.Schema.format(text)

    @property
    def fingerprint(self) -> int:
        """The hash of 8 bytes that identifies the schema, and can replace it in a message."""
        return self._raw.fingerprint()

    def __bytes__(self) -> bytes:
        return self._raw.as_bytes()

    def __str__(self) -> str:
        return self._raw.text()

    def __repr__(self) -> str:
        return f"<Schema {self}>"

    def __eq__(self, other: object) -> bool:
        return bytes(self) == bytes(other) if isinstance(other, Schema) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Schema, (bytes(self),))

    def to_dict(self) -> dict[str, Any]:
        """The text, fingerprint and number of types of the schema, for programs."""
        return {
            "text": str(self),
            "fingerprint": f"{self.fingerprint:016x}",
            "types": self._raw.sites(),
        }

    def diff(self, newer: Schema) -> SchemaDiff:
        """Compares this schema with a newer one."""
        from ._explained import SchemaDiff

        newer_raw = _checked("newer", newer)._raw
        changes, new_reads_old, old_reads_new, _ = self._raw.changes(newer_raw)
        return SchemaDiff(tuple(changes), new_reads_old, old_reads_new)


def _checked(name: str, schema: object) -> Schema:
    if not isinstance(schema, Schema):
        raise TypeError(
            f"{name} must be a holdall.Schema, such as holdall.schema(data) returns, not {schema!r:.100}"
        )
    return schema


def raw_store(store: SchemaStore | None) -> _holdall.Store | None:
    """The compiled half of a store."""
    if store is None:
        return None
    if not isinstance(store, SchemaStore):
        raise TypeError(
            f"store must be a holdall.SchemaStore, such as SchemaStore(folder), not {store!r:.100}"
        )
    return store._raw


class SchemaStore:
    """Schemas by fingerprint, in memory or in a folder, for messages that contain only those 8 bytes.

    >>> import holdall
    >>> store = holdall.SchemaStore()
    >>> data = holdall.dumps([1, 2], header="fingerprint", store=store)
    >>> holdall.loads(data, store=store)
    [1, 2]
    """

    __slots__ = ("_raw",)
    _raw: _holdall.Store

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._raw = _holdall.Store(None if folder is None else os.fspath(folder))

    def put(self, schema: Schema) -> None:
        """Adds a schema."""
        self._raw.put(_checked("schema", schema)._raw)

    def get(self, fingerprint: int) -> Schema | None:
        """Returns the schema with a fingerprint, or None."""
        found = self._raw.get(fingerprint) if 0 <= fingerprint < 1 << 64 else None
        return None if found is None else Schema._of(found)

    def fingerprints(self) -> list[int]:
        """All fingerprints, in ascending order."""
        return self._raw.fingerprints()

    def __contains__(self, fingerprint: object) -> bool:
        return isinstance(fingerprint, int) and self.get(fingerprint) is not None

    def __iter__(self) -> Iterator[int]:
        return iter(self.fingerprints())

    def __len__(self) -> int:
        return len(self.fingerprints())
