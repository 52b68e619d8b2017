"""Schema text, read (F-99): a parser that knows the grammar alone, and writes the schema's bytes for the reader."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import NamedTuple

from holdall_reference.errors import FormatError
from holdall_reference.limits import MAX_NESTING
from holdall_reference.logical import KINDS
from holdall_reference.packable import is_packable
from holdall_reference.schema import (
    ARRAY,
    DEF,
    EXTENSION,
    FIXED,
    LATER,
    LIST,
    LOGICAL,
    MAP,
    OPTION,
    PACKED,
    RECORD,
    SCALAR_NAMES,
    SHARED,
    STRUCT,
    TENSOR,
    TUPLE,
    UNION,
    Schema,
    Type,
    preorder,
)
from holdall_reference.schema_reader import parse_schema
from holdall_reference.writer.errors import SchemaTextError, WriterError
from holdall_reference.writer.numbers import varint

# What a tensor's type may nest, so that one at level 96 ends at level 128 (F-15, F-54).
DEEPEST = 32

SCALAR_CODES = {name: code for code, name in SCALAR_NAMES.items()}
KIND_NUMBERS = {kind.name: number for number, kind in KINDS.items()}
AROUND = {"option": OPTION, "list": LIST, "tensor": TENSOR, "packed": PACKED}

# White space and comments, then a word, a label, a string or a mark.
TOKEN = re.compile(
    r"""(?:[ \t\r\n]|//[^\n]*)*
    (?:(?P<word>[A-Za-z0-9_]+)|(?P<label>\#[A-Za-z0-9_]*)|(?P<string>"(?:[^"\\\n]|\\[^\n])*")|(?P<mark>[()\[\]{},:=-])|(?P<end>\Z))""",
    re.VERBOSE | re.ASCII,
)
SKIPPED = re.compile(r"(?:[ \t\r\n]|//[^\n]*)*")
COMMENT = re.compile(r"//[^\n]*")
# F-99: what a comment cannot have. CR is allowed as a part of the line end.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]|\r(?!\n)")
ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})')

# F-99: the storage of kinds that may leave it out; F-72: int for whole.
STORAGE = {
    **dict.fromkeys(["date", "time", "duration"], "int"),
    **dict.fromkeys(["symbol", "url"], "string"),
    **dict.fromkeys(["byte_array", "wtf8_string"], "bytes"),
    "decimal": "tuple(u8, int, int)",
    "rational": "tuple(int, int)",
    "uuid": "fixed(16)",
    "char": "u32",
    "regular_expression": "tuple(string, string)",
    "range": "tuple(int, int, int)",
}
STORAGE_OF_PARAMETERS = {
    "timestamp[local]": "int",
    "timestamp[utc]": "int",
    "timestamp[offset]": "tuple(int, i32)",
    "timestamp[zone]": "tuple(int, string)",
    "complex[4]": "tuple(f32, f32)",
    "complex[8]": "tuple(f64, f64)",
    "path[string]": "string",
    "path[bytes]": "bytes",
    "ip_address[4]": "fixed(4)",
    "ip_address[6]": "fixed(16)",
    "ip_network[4]": "tuple(fixed(4), u8)",
    "ip_network[6]": "tuple(fixed(16), u8)",
}


class Token(NamedTuple):
    """A token: its kind, its text, and its place in characters."""

    kind: str
    text: str
    at: int


def parse_schema_text(text: str) -> Schema:
    """The schema of a text. Errors have offsets in its UTF-8.

    >>> parse_schema_text("list(record {id: int})").data.hex(" ").upper()
    '00 16 1A 08 08 69 64 03'
    """
    try:
        parser = _Parser(text)
        data = parser.schema()
        try:
            return parse_schema(data)
        except FormatError as error:
            # F-99: a fault is where its bytes come from.
            place = max((mark for mark in parser.marks if mark[0] <= error.offset), default=(0, 0))
            raise SchemaTextError(error.code, place[1]) from error
    except SchemaTextError as error:
        before = text[: error.offset]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise SchemaTextError(error.code, len(before.encode()), line, column) from error


def parse_packable(text: str) -> Type:
    """The packable type of a text, by which tagged tensors name it.

    >>> parse_packable("tuple(u8, fixed(2))").members[1].size
    2
    """
    try:
        type_ = parse_schema_text(text).root
    except SchemaTextError as error:
        raise WriterError("unsupported_value") from error
    if not is_packable(type_):
        raise WriterError("unsupported_value")
    if max(level for _, level in preorder(type_, 1)) > DEEPEST:
        raise WriterError("unsupported_value")
    return type_


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while not tokens or tokens[-1].kind != "end":
        match = TOKEN.match(text, at)
        skipped = SKIPPED.match(text, at)
        assert skipped is not None, "it matches nothing, too"
        for comment in COMMENT.finditer(text, at, skipped.end()):
            # With the LF, before which CR is allowed.
            fault = CONTROL.search(text, comment.start(), comment.end() + 1)
            if fault is not None:
                raise SchemaTextError("bad_input", fault.start())
        if match is None:
            raise SchemaTextError("bad_input", skipped.end())
        kind = str(match.lastgroup)
        tokens.append(Token(kind, match[kind], match.start(kind)))
        at = match.end()
    return tokens


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0
        self.out = bytearray()
        # Offsets in the schema's bytes, and the places in the text.
        self.marks: list[tuple[int, int]] = []
        self.names: dict[str, int] = {}
        # F-20: labels by their first mention, with its place.
        self.mentioned: dict[str, int] = {}

    @property
    def _next(self) -> Token:
        return self.tokens[self.at]

    def _fail(self) -> SchemaTextError:
        return SchemaTextError("bad_input", self._next.at)

    def _is(self, mark: str) -> bool:
        return self._next.kind == "mark" and self._next.text == mark

    def _take_if(self, mark: str) -> bool:
        found = self._is(mark)
        self.at += found
        return found

    def _take(self, mark: str) -> None:
        if not self._take_if(mark):
            raise self._fail()

    def _mark(self, token: Token) -> None:
        self.marks.append((len(self.out), token.at))

    def _word(self) -> str:
        return self._next.text if self._next.kind == "word" else ""

    def schema(self) -> bytes:
        """The bytes of the schema, D included."""
        if self._word() == "version":
            self.at += 1
            at = self._next.at
            if self._number() != 1:
                raise SchemaTextError("bad_version", at)
        bodies = self._find_definitions()
        self.type_(1)
        if self._word() == "where":
            self.at += 1
            self._begin_definition()
        elif self._next.kind != "end":
            raise self._fail()
        for label in (labels := _Growing(self.mentioned)):
            if label not in bodies:
                raise SchemaTextError("bad_definition", self.mentioned[label])
            # The type of a definition follows its label and `=`.
            self.at = bodies[label] + 2
            self.type_(1)
            if self._take_if(",") and self._next.kind != "end":
                self._begin_definition()
            elif self._next.kind != "end":
                raise self._fail()
        unused = [at for label, at in bodies.items() if label not in self.mentioned]
        if unused:
            raise SchemaTextError("bad_definition", self.tokens[unused[0]].at)
        count = varint(labels.passed)
        self.marks = [(offset + len(count), place) for offset, place in self.marks]
        return count + bytes(self.out)

    def _find_definitions(self) -> dict[str, int]:
        bodies: dict[str, int] = {}
        for at, token in enumerate(self.tokens[:-1]):
            if token.kind == "label" and self.tokens[at + 1].text == "=":
                if token.text in bodies:
                    raise SchemaTextError("bad_definition", token.at)
                bodies[token.text] = at
        return bodies

    def _begin_definition(self) -> None:
        if self._next.kind != "label" or self.tokens[self.at + 1].text != "=":
            raise self._fail()

    def type_(self, level: int) -> None:
        """Writes a type and all inside it."""
        token = self._next
        if level > MAX_NESTING:
            raise SchemaTextError("limit_nesting", token.at)
        self._mark(token)
        if token.kind == "label":
            self.out.append(DEF)
            self._label()
            return
        word = self._word()
        self.at += 1
        if word in SCALAR_CODES:
            self.out.append(SCALAR_CODES[word])
        elif word in AROUND:
            self.out.append(AROUND[word])
            self._storage(level)
        elif word in ("record", "struct"):
            self.out.append(STRUCT if word == "struct" else RECORD)
            if word == "struct":
                self._name()
            self._fields(level)
        elif word in ("tuple", "union"):
            self.out.append(TUPLE if word == "tuple" else UNION)
            if word == "union" and self._is("{"):
                self._items("{", "}", lambda count: 2 * count + 1, lambda: self._named(level))
            else:
                factor = 1 if word == "tuple" else 2
                self._items("(", ")", lambda count: factor * count, lambda: self.type_(level + 1))
        elif word in ("unknown", "logical"):
            self._later(word, level)
        elif word in KIND_NUMBERS:
            self._logical(word, level)
        elif hasattr(self, f"_{word}_type"):
            getattr(self, f"_{word}_type")(level)
        else:
            raise SchemaTextError("bad_input", token.at)

    def _fixed_type(self, _level: int) -> None:
        self.out.append(FIXED)
        self._take("(")
        self._varint()
        self._take(")")

    def _array_type(self, level: int) -> None:
        self.out.append(ARRAY)
        self._take("(")
        self._varint()
        self._take(",")
        self.type_(level + 1)
        self._end(")")

    def _map_type(self, level: int) -> None:
        self.out.append(MAP)
        self._take("(")
        self.type_(level + 1)
        self._take(",")
        self.type_(level + 1)
        self._end(")")

    def _shared_type(self, _level: int) -> None:
        self.out.append(SHARED)
        self._take("(")
        self._label()
        self._take(")")

    def _extension_type(self, level: int) -> None:
        self.out.append(EXTENSION)
        if self._next.kind != "string":
            raise self._fail()
        self._name()
        self._storage(level)

    def _later(self, word: str, level: int) -> None:
        self._take("[")
        if not re.fullmatch(r"[EeFf][0-9A-Fa-f]", self._word()):
            raise self._fail()
        code = int(self._word(), 16)
        assert code in LATER
        self.at += 1
        parameters = bytearray()
        while not self._take_if("]"):
            if not re.fullmatch(r"[0-9A-Fa-f]{2}", self._word()):
                raise self._fail()
            parameters.append(int(self._word(), 16))
            self.at += 1
        self.out += bytes([LOGICAL, code]) if word == "logical" else bytes([code])
        self.out += varint(len(parameters)) + parameters
        if word == "logical":
            self._storage(level)

    def _logical(self, word: str, level: int) -> None:
        number = KIND_NUMBERS[word]
        meanings = KINDS[number].parameters
        parameters = bytearray()
        for place, known in enumerate(meanings):
            self._take("," if place else "[")
            bytes_of = {meaning: byte for byte, meaning in known.items()}
            if self._word() not in bytes_of:
                raise self._fail()
            parameters.append(bytes_of[self._word()])
            self.at += 1
        if meanings:
            self._end("]")
        self.out += bytes([LOGICAL, number]) + varint(len(parameters)) + parameters
        if self._is("("):
            self._storage(level)
            return
        last = f"{word}[{meanings[-1][parameters[-1]]}]" if meanings else ""
        storage = STORAGE.get(word) or STORAGE_OF_PARAMETERS.get(last)
        if storage is None:
            raise self._fail()
        self.out += parse_schema_text(storage).data[1:]

    def _storage(self, level: int) -> None:
        self._take("(")
        self.type_(level + 1)
        self._end(")")

    def _end(self, close: str) -> None:
        self._take_if(",")
        self._take(close)

    def _items(
        self, begin: str, close: str, head: Callable[[int], int], item: Callable[[], None]
    ) -> None:
        """Items between brackets. Their head, which has their number, comes before them."""
        at, first = len(self.out), len(self.marks)
        bracket = self._next.at
        self._take(begin)
        count = 0
        while not self._take_if(close):
            item()
            count += 1
            if not self._take_if(","):
                self._take(close)
                break
        data = varint(head(count))
        self.out[at:at] = data
        later = [(offset + len(data), place) for offset, place in self.marks[first:]]
        self.marks[first:] = [(at, bracket), *later]

    def _fields(self, level: int) -> None:
        at, first = len(self.out), len(self.marks)
        form = self._form()
        self._items("{", "}", lambda count: 4 * count + form, lambda: self._named(level))
        assert self.marks[first][0] == at
        if form == 1:
            self._items("[", "]", lambda count: count, self._shape)
        elif form == 2:
            self.at += 1

    def _form(self) -> int:
        """The form, by what follows the braces."""
        depth = 0
        for token, after in zip(self.tokens[self.at :], self.tokens[self.at + 1 :], strict=False):
            if token.kind == "mark":
                depth += (token.text in "([{") - (token.text in ")]}")
            if depth <= 0:
                if after.kind == "mark" and after.text == "[":
                    return 1
                return 2 if after.kind == "word" and after.text == "sparse" else 0
        return 0

    def _shape(self) -> None:
        count = 0
        while self.tokens[self.at + count].kind == "word":
            count += 1
        self._mark(self._next)
        self.out += varint(count)
        if count == 0:
            self._take("-")
        for _ in range(count):
            self._varint()

    def _named(self, level: int) -> None:
        self._name()
        self._take(":")
        self.type_(level + 1)

    def _name(self) -> None:
        token = self._next
        if token.kind == "word" and not token.text[0].isdecimal():
            name = token.text
        elif token.kind == "string":
            name = _unquoted(token)
        else:
            raise self._fail()
        self._mark(token)
        self.at += 1
        # F-16: a name that the table has is its entry's number.
        if name in self.names:
            self.out += varint(2 * self.names[name] + 1)
            return
        self.names[name] = len(self.names)
        self.out += varint(2 * len(name.encode())) + name.encode()

    def _number(self) -> int:
        word = self._word()
        if not word.isdecimal() or int(word) >= 1 << 64:
            raise self._fail()
        self.at += 1
        return int(word)

    def _varint(self) -> None:
        self._mark(self._next)
        self.out += varint(self._number())

    def _label(self) -> None:
        token = self._next
        if token.kind != "label" or token.text == "#":
            raise self._fail()
        self._mark(token)
        self.at += 1
        self.mentioned.setdefault(token.text, token.at)
        self.out += varint(list(self.mentioned).index(token.text))


class _Growing:
    """The labels in order, including those that are mentioned while the definitions are read."""

    def __init__(self, mentioned: dict[str, int]) -> None:
        self.mentioned = mentioned
        self.passed = 0

    def __iter__(self) -> _Growing:
        return self

    def __next__(self) -> str:
        if self.passed == len(self.mentioned):
            raise StopIteration
        self.passed += 1
        return list(self.mentioned)[self.passed - 1]


def _unquoted(token: Token) -> str:
    at = 1
    while at < len(token.text) - 1:
        if token.text[at] < " ":
            raise SchemaTextError("bad_input", token.at + at)
        if token.text[at] != "\\":
            at += 1
            continue
        escape = ESCAPE.match(token.text, at)
        if escape is None:
            raise SchemaTextError("bad_input", token.at + at)
        unit = int(escape[0][2:], 16) if escape[0][1] == "u" else 0
        low = ESCAPE.match(token.text, at + 6)
        if 0xD800 <= unit < 0xDC00 and low is not None and low[0][1] == "u":
            if not 0xDC00 <= int(low[0][2:], 16) < 0xE000:
                raise SchemaTextError("bad_input", token.at + at)
            at += 6
        elif 0xD800 <= unit < 0xE000:
            raise SchemaTextError("bad_input", token.at + at)
        at += len(escape[0])
    return str(json.loads(token.text))
