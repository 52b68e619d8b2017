"""The statistics of a stream's blocks (F-100)."""

from __future__ import annotations

from holdall_reference.envelope import decode_message
from holdall_reference.errors import FormatError
from holdall_reference.tagged import Json, Tagged


def read_statistics(payload: bytes) -> Tagged:
    """Return the value of a frame with statistics."""
    try:
        value = decode_message(payload)
    except FormatError:
        value = ["null"]
    # F-100: else @ the payload's first byte.
    if not _are_statistics(value):
        raise FormatError("bad_frame", 0)
    return value


def _are_statistics(value: Json) -> bool:
    first, rows, columns = (_items(_field(value, name)) for name in ("first", "rows", "columns"))
    if first is None or rows is None or columns is None or len(first) != len(rows):
        return False
    if not all(_kind(each) == "int" for each in first + rows):
        return False
    for column in columns:
        path, nulls, lower, upper = (
            _items(_field(column, name)) for name in ("path", "nulls", "lower", "upper")
        )
        if path is None or not all(_kind(each) == "string" for each in path):
            return False
        if nulls is None or not all(_kind(each) in ("int", "null") for each in nulls):
            return False
        for part in (nulls, lower, upper):
            if part is None or len(part) != len(first):
                return False
    return True


def _kind(value: Json) -> str:
    """Integers of all types are numbers, as far as they count something."""
    kind, content = value[:2] if isinstance(value, list) and len(value) > 1 else (value, "")
    if isinstance(kind, list):
        return str(kind[0])
    kind = str(kind)
    if kind == "int" or (kind[1:].isdigit() and kind[:1] in ("i", "u")):
        return "int" if 0 <= int(str(content)) < 1 << 63 else "other"
    return kind


def _field(value: Json, name: str) -> Json:
    if isinstance(value, list) and value[0] == "record" and isinstance(value[1], list):
        for field in value[1]:
            if isinstance(field, list) and field[0] == name:
                return field[1]
    return ""


def _items(value: Json) -> list[Json] | None:
    if isinstance(value, list) and value[0] == "list" and isinstance(value[1], list):
        return value[1]
    return None
