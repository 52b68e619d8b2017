"""The errors of writers (F-41)."""

from __future__ import annotations

CODES = frozenset({"limit_output", "limit_sites", "duplicate_key", "unsupported_value"})


class WriterError(Exception):
    """A value that is not written; it has no bytes, and so the error has no offset."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        assert code in CODES, code
        self.code = code


class SchemaTextError(Exception):
    """The fault of a text that is no schema (F-99).

    The offset counts the bytes of its UTF-8. Lines and columns count from 1, columns in characters.
    """

    def __init__(self, code: str, offset: int, line: int = 0, column: int = 0) -> None:
        super().__init__(f"{code} at offset {offset}, in line {line}, column {column}")
        self.code = code
        self.offset = offset
        self.line = line
        self.column = column
