"""Limits on memory and sizes in packing and unpacking."""

from __future__ import annotations

from dataclasses import dataclass

from ._keywords import names_checked


@dataclass(frozen=True)
class Limits:
    """Bounds for one message, or for one block of a stream.

    ``budget`` bounds the memory that a reader uses for it, in units of about a byte: 8 for each value in a column, 1 for each
    byte of text. The default is 1,000 times the size of the message, and at least 2^26 (64 MiB), which is enough for everything
    that holdall packs by default. ``output`` is the largest size in bytes of a packed message or block, and ``frame`` the
    largest size of one part of a stream (by default 2 GiB).

    The others stop the packing of an object whose methods or hooks make new objects without end. ``objects`` bounds the number
    of values (by default 2^32), ``depth`` their nesting (4,000,000), and ``held`` the bytes of the objects that methods and
    hooks make (8 GiB, counting 128 for each object).
    """

    budget: int | None = None
    output: int | None = None
    frame: int | None = None
    objects: int | None = None
    depth: int | None = None
    held: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and (type(value) is not int or not 0 <= value < 1 << 63):
                raise ValueError(
                    f"{name} must be a number from 0 to 2^63 - 1, or None, not {value!r}"
                )

    @property
    def _walk(self) -> tuple[int | None, int | None, int | None]:
        return (self.objects, self.depth, self.held)


Limits.__init__ = names_checked(Limits.__init__)  # type: ignore[method-assign]
