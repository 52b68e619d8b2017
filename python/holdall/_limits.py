"""What unpacking may take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds for one message, or one block of a stream.

    ``budget`` is how many units a reader may make of it: 8 for each value of each site, 1 for each byte of text (by default
    1,000 times the message's size, at least 64 Mi, which is enough for all that holdall packs). ``output`` is the most bytes that a message or block may have when it is packed, ``frame`` the most of a part of a stream that
    is read (by default 2 Gi).
    """

    budget: int | None = None
    output: int | None = None
    frame: int | None = None
