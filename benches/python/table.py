"""Prints tables, like the benchmarks in Rust."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells, the heading first: the first column flush left, the others flush right."""
    rows = list(rows)
    columns = max(map(len, rows), default=0)
    widths = [
        max((len(row[at]) for row in rows if at < len(row)), default=0) for at in range(columns)
    ]
    lines = []
    for row in rows:
        first, *rest = (
            cell.rjust(widths[at]) if at else cell.ljust(widths[at]) for at, cell in enumerate(row)
        )
        lines.append("  ".join([first, *rest]).rstrip() + "\n")
    return "".join(lines)


def figures(number: float) -> str:
    """A number with three digits, or with all digits before the point: `0.0123`, `1.23`, `12.3`, `1234`."""
    if number <= 0:
        return f"{number:.0f}"
    # Rounded first, so that 9.999 becomes 10.0 and not 10.00.
    rounded = float(f"{number:.2e}")
    places = min(max(2 - math.floor(math.log10(rounded)), 0), 6)
    return f"{number:.{places}f}"


def microseconds(seconds: float | None) -> str:
    return "-" if seconds is None else figures(seconds * 1e6)


def thousands(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"
