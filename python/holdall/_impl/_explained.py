"""What explains schemas and bytes to people: differences of schemas, and the meaning of each byte.

As dataclasses these are in a module of their own, which few programs load.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class SchemaDiff:
    """The changes between two schemas, and whether each can read the other's data."""

    changes: tuple[str, ...]
    new_reads_old: str
    old_reads_new: str

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __str__(self) -> str:
        lines = [
            *self.changes,
            f"new reads old: {self.new_reads_old}",
            f"old reads new: {self.old_reads_new}",
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Item:
    """A range of bytes in a message, with its meaning.

    What a dictionary compressed is ``in_content``: its offsets begin with that of the frame, whose place it takes.
    """

    start: int
    stop: int
    bytes: bytes
    path: str
    meaning: str
    rule: str
    faults: tuple[str, ...]
    in_content: bool = False


@dataclass(frozen=True)
class Inspection:
    """The meaning of each byte of a message. For damaged data, as much as can be read, and the errors."""

    items: tuple[Item, ...]
    errors: tuple[str, ...]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __str__(self) -> str:
        rows = []
        was_in_content = False
        for item in self.items:
            if item.in_content and not was_in_content:
                rows.append("        decompressed, with offsets that begin with that of the frame:")
            was_in_content = item.in_content
            shown = item.bytes[:8].hex(" ").upper() + (" .." if len(item.bytes) > 8 else "")
            rows.append(
                f"{item.start:6}  {shown:26}  {item.path:20}  {item.meaning}  {item.rule}".rstrip()
            )
        return "\n".join([*rows, *(f"error: {error}" for error in self.errors)])
