"""Schema text (F-55), backwards: the packable types, which tagged tensors name by their text."""

from __future__ import annotations

import json
import re

from holdall_reference.logical import KINDS
from holdall_reference.packable import is_packable
from holdall_reference.schema import (
    ALL_FIELDS,
    LATER,
    SCALAR_NAMES,
    Array,
    Extension,
    Fixed,
    Logical,
    Record,
    Scalar,
    Tuple,
    Type,
    preorder,
)
from holdall_reference.writer.errors import WriterError

# What a tensor's type may nest, so that one at level 96 ends at level 128 (F-15, F-54).
DEEPEST = 32

SCALAR_CODES = {name: code for code, name in SCALAR_NAMES.items()}
KIND_NUMBERS = {kind.name: number for number, kind in KINDS.items()}
TOKEN = re.compile(r'\s*([A-Za-z0-9_]+|"(?:[^"\\]|\\.)*"|.)', re.DOTALL)


def parse_packable(text: str) -> Type:
    """The packable type of a text.

    >>> parse_packable("tuple(u8, fixed(2))").members[1].size
    2
    """
    parser = _Parser(text)
    type_ = parser.type_()
    if parser.tokens or not is_packable(type_):
        raise WriterError("unsupported_value")
    if max(level for _, level in preorder(type_, 1)) > DEEPEST:
        raise WriterError("unsupported_value")
    return type_


class _Parser:
    def __init__(self, text: str) -> None:
        # The next one is last.
        self.tokens = TOKEN.findall(text)[::-1]

    def _next(self) -> str:
        if not self.tokens:
            raise WriterError("unsupported_value")
        return str(self.tokens.pop())

    def _take(self, *expected: str) -> None:
        for each in expected:
            if self._next() != each:
                raise WriterError("unsupported_value")

    def _number(self) -> int:
        token = self._next()
        if not token.isdecimal():
            raise WriterError("unsupported_value")
        return int(token)

    def _name(self) -> str:
        # F-55: bare, or a JSON string.
        token = self._next()
        return str(json.loads(token, strict=False)) if token.startswith('"') else token

    def _inside(self) -> Type:
        self._take("(")
        type_ = self.type_()
        self._take(")")
        return type_

    def type_(self) -> Type:
        """A type; no deeper than schemas nest, since none is longer than a text that was written."""
        word = self._next()
        if word in SCALAR_CODES:
            return Scalar(SCALAR_CODES[word])
        if word == "fixed":
            self._take("(")
            size = self._number()
            self._take(")")
            return Fixed(size)
        if word == "array":
            self._take("(")
            size = self._number()
            self._take(",")
            item = self.type_()
            self._take(")")
            return Array(size, item)
        if word == "tuple":
            self._take("(")
            return Tuple(tuple(self._members()))
        if word in ("record", "struct"):
            name = self._name() if word == "struct" else None
            self._take("{")
            return Record(name, tuple(self._fields()), ALL_FIELDS, ())
        if word == "extension":
            name = self._name()
            return Extension(name, self._inside())
        if word == "logical":
            self._take("[")
            kind, *parameters = bytes.fromhex("".join(self._until("]")))
            if kind not in LATER:
                raise WriterError("unsupported_value")
            return Logical(kind, bytes(parameters), self._inside())
        return self._logical(word)

    def _logical(self, word: str) -> Logical:
        # F-55: by their kind's name with parameters.
        if word not in KIND_NUMBERS:
            raise WriterError("unsupported_value")
        number = KIND_NUMBERS[word]
        kind = KINDS[number]
        texts: list[str] = []
        if kind.parameters:
            self._take("[")
            texts = [each for each in self._until("]") if each != ","]
        if len(texts) != len(kind.parameters):
            raise WriterError("unsupported_value")
        parameters = bytearray()
        for meanings, text in zip(kind.parameters, texts, strict=True):
            bytes_of = {meaning: byte for byte, meaning in meanings.items()}
            if text not in bytes_of:
                raise WriterError("unsupported_value")
            parameters.append(bytes_of[text])
        storage = self._inside()
        if not kind.storage(bytes(parameters))(storage):
            raise WriterError("unsupported_value")
        return Logical(number, bytes(parameters), storage)

    def _until(self, end: str) -> list[str]:
        texts = []
        while (token := self._next()) != end:
            texts.append(token)
        return texts

    def _members(self) -> list[Type]:
        members: list[Type] = []
        while self.tokens and self.tokens[-1] != ")":
            if members:
                self._take(",")
            members.append(self.type_())
        self._take(")")
        return members

    def _fields(self) -> list[tuple[str, Type]]:
        fields: list[tuple[str, Type]] = []
        while self.tokens and self.tokens[-1] != "}":
            if fields:
                self._take(",")
            name = self._name()
            self._take(":")
            fields.append((name, self.type_()))
        self._take("}")
        return fields
