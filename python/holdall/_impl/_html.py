"""A view as notebooks show it."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping

#: More would hide the rest of a notebook.
MAX_COLUMNS = 100
MAX_ROWS = 5
MAX_CHARACTERS = 200


def table(
    title: str, metadata: Mapping[str, str], columns: Mapping[str, str], rows: Iterable[object]
) -> str:
    """The path and type of each column, and the first rows. Everything that the data choose is escaped."""
    listed = list(columns.items())
    rest = len(listed) - MAX_COLUMNS
    lines = [_row("th", ["path", "type"]), *(_row("td", each) for each in listed[:MAX_COLUMNS])]
    if rest > 0:
        lines.append(_row("td", [f"{rest:,} more", ""]))
    parts = [f"<p>{_text(title)}</p>"]
    if metadata:
        pairs = (f"{name}: {value}" for name, value in metadata.items())
        parts.append(f"<p>{_text(', '.join(pairs))}</p>")
    parts.append(f"<table>{''.join(lines)}</table>")
    parts.extend(f"<pre>{_text(repr(row))}</pre>" for row in rows)
    return f"<div>{''.join(parts)}</div>"


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(_cells(tag, cells))}</tr>"


def _cells(tag: str, cells: Iterable[str]) -> Iterator[str]:
    for each in cells:
        yield f"<{tag} style='text-align: left'>{_text(each)}</{tag}>"


def _text(text: str) -> str:
    cut = text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}…"
    return html.escape(cut)
