"""Dictionaries that small messages are compressed with."""

from __future__ import annotations

from collections.abc import Iterable

from .. import _holdall

Buffer = bytes | bytearray | memoryview


class Dictionary:
    """What small messages have in common, for zstd: a message with it is a few bytes longer than what is new in it.

    A dictionary pays for messages of 100 bytes to about 10 kB that are alike, each read by itself. `train` makes one of
    messages like those to come, and ``bytes(dictionary)`` is what to store. Writer and reader need the same one for as long as
    the messages live: a message names it by its hash, and nothing else can read it.

    >>> import holdall
    >>> def event(n):
    ...     return {"id": n, "user": f"user {n % 50}", "text": "signed in from a new device"}
    >>> dictionary = holdall.Dictionary.train(holdall.dumps(event(n)) for n in range(1000))
    >>> data = holdall.dumps(event(5000), dictionary=dictionary)
    >>> len(data) < len(holdall.dumps(event(5000)))
    True
    >>> holdall.loads(data, dictionaries=[dictionary])["id"]
    5000
    """

    __slots__ = ("_raw",)
    _raw: _holdall.Dictionary

    def __init__(self, data: Buffer) -> None:
        self._raw = _holdall.Dictionary(data)

    @classmethod
    def train(cls, samples: Iterable[Buffer], *, size: int = 100_000) -> Dictionary:
        """Trains a dictionary of at most ``size`` bytes (100,000). The samples are messages like those to come, with the same
        profile and header: a hundred or more, and best ten times as many bytes as the dictionary has.
        """
        trained = cls.__new__(cls)
        trained._raw = _holdall.Dictionary.train(samples, size)
        return trained

    @property
    def hash(self) -> int:
        """The hash by which messages name the dictionary."""
        return self._raw.hash()

    def __bytes__(self) -> bytes:
        return self._raw.as_bytes()

    def __eq__(self, other: object) -> bool:
        return bytes(self) == bytes(other) if isinstance(other, Dictionary) else NotImplemented

    def __hash__(self) -> int:
        return self.hash

    def __reduce__(self) -> tuple[type[Dictionary], tuple[bytes]]:
        return Dictionary, (bytes(self),)

    def __repr__(self) -> str:
        return f"<holdall.Dictionary {self.hash:016x}, {len(bytes(self))} bytes>"


def raw_of(dictionary: Dictionary | None) -> _holdall.Dictionary | None:
    """The compiled half of a dictionary."""
    if dictionary is None:
        return None
    if not isinstance(dictionary, Dictionary):
        raise TypeError(f"dictionary must be a holdall.Dictionary, not {dictionary!r:.100}")
    return dictionary._raw


def raws_of(dictionaries: Iterable[Dictionary]) -> list[_holdall.Dictionary]:
    """The compiled halves of dictionaries."""
    if isinstance(dictionaries, Dictionary):
        raise TypeError("dictionaries must be a list: pass dictionaries=[dictionary]")
    found = []
    for dictionary in dictionaries:
        if not isinstance(dictionary, Dictionary):
            raise TypeError(
                f"dictionaries must be of holdall.Dictionary, and one is {dictionary!r:.100}"
            )
        found.append(dictionary._raw)
    return found
