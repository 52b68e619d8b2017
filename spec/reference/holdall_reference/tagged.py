"""Tagged values, the notation of the conformance vectors: `["int","5"]`, `["list",[["null"]]]`.

A shared value is `["id",k,value]` at its first place and `["ref",k]` at later ones, even inside
itself; k counts from 0 in the order of the walk. So a value that contains itself is still a
tree.

Values nest as deep as the data does, so nothing here recurses (F-37).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeAlias

Json: TypeAlias = "str | bool | int | list[Json]"
Tagged: TypeAlias = "list[Json]"

_ENCODER = json.JSONEncoder(ensure_ascii=False)


def dumps(tagged: Tagged) -> str:
    """Compact JSON: no spaces, only what must be escaped is. (json.dumps recurses.)"""
    parts: list[str] = []
    stack: list[Iterator[Json]] = [iter([tagged])]
    first = True
    while stack:
        item = next(stack[-1], None)
        if item is None:
            stack.pop()
            # The outermost iterator is not that of a list.
            if stack:
                parts.append("]")
            first = False
            continue
        if not first:
            parts.append(",")
        if isinstance(item, list):
            parts.append("[")
            stack.append(iter(item))
            first = True
        else:
            parts.append(_ENCODER.encode(item))
            first = False
    return "".join(parts)


def equal(left: Tagged, right: Tagged) -> bool:
    """Whether two tagged values are the same. (== recurses.)"""
    stack: list[tuple[Json, Json]] = [(left, right)]
    while stack:
        a, b = stack.pop()
        if isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            stack.extend(zip(a, b, strict=True))
        elif type(a) is not type(b) or a != b:
            return False
    return True
