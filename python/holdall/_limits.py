"""What unpacking may take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds for one message.

    ``budget`` is how many units a reader may make of it: 8 for each value of each site, 1 for each byte of text (by default
    1,000 times the message's size, at least 64 Mi, at most 2 Gi). ``output`` is the most bytes that a message may have when it is packed.
    """

    budget: int | None = None
    output: int | None = None
