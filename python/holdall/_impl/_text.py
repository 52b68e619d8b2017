"""A column of text whose rows are made when they are used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload


class Text(Sequence[Any]):
    """Strings or byte strings, each created when you access it; None for absent ones."""

    __slots__ = ("_raw", "_rows")

    def __init__(self, raw: Any, rows: Sequence[int] | None) -> None:
        self._raw = raw
        # The row of each entry among those that are present, or -1.
        self._rows = rows

    def __len__(self) -> int:
        return len(self._raw) if self._rows is None else len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        entry = index + len(self) if index < 0 else index
        if not 0 <= entry < len(self):
            raise IndexError(f"there is no entry {index}: there are {len(self)}")
        row = entry if self._rows is None else self._rows[entry]
        return None if row < 0 else self._raw[row]

    def tolist(self) -> list[Any]:
        rows: list[Any] = self._raw.tolist()
        if self._rows is None:
            return rows
        return [None if row < 0 else rows[row] for row in self._rows]

    def __repr__(self) -> str:
        return f"<{len(self)} entries of text>"
