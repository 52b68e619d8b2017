"""JSON files of others: one case a file."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from .case import Case

#: The longest file of the quick mode.
QUICK_BYTES = 200_000


def read(path: Path, _count: int, _seed: int) -> Any:
    return json.loads(path.read_bytes())


def cases(folder: Path, quick: bool) -> list[Case]:
    """Of all files of a folder that end so; the quick mode reads them whole, and leaves out large ones."""
    paths = sorted(folder.glob("*.json"))
    if quick:
        paths = [path for path in paths if path.stat().st_size <= QUICK_BYTES]
    return [
        Case(
            f"json:{path.stem}",
            "json",
            f"{path.name}, {path.stat().st_size:,} bytes of JSON",
            1,
            partial(read, path),
        )
        for path in paths
    ]
