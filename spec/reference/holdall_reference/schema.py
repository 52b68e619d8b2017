"""Chapter 4: schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from holdall_reference.errors import FormatError
from holdall_reference.limits import MAX_NESTING, MAX_TYPES
from holdall_reference.numbers import Reader

# F-14: the types without parameters.
SCALAR_NAMES = {
    0x00: "never",
    0x01: "null",
    0x02: "bool",
    0x03: "int",
    0x04: "u8",
    0x05: "u16",
    0x06: "u32",
    0x07: "u64",
    0x08: "u128",
    0x09: "i8",
    0x0A: "i16",
    0x0B: "i32",
    0x0C: "i64",
    0x0D: "i128",
    0x10: "f32",
    0x11: "f64",
    0x12: "string",
    0x13: "bytes",
}
NEVER = 0x00
NULL = 0x01
BOOL = 0x02
INTEGERS = range(0x03, 0x0E)
F32 = 0x10
F64 = 0x11
STRING = 0x12
BYTES = 0x13
OPTION = 0x15
LIST = 0x16
TUPLE = 0x18
STRUCT = 0x19
RECORD = 0x1A
MAP = 0x1B
UNION = 0x1C
DEF = 0x1F
SHARED = 0x20

# F-56: codes that later versions will use.
RESERVED_TYPES = frozenset(
    {0x0E, 0x0F, 0x14, 0x17, 0x1D, 0x1E, 0x21, 0x22, 0x23, *range(0xE0, 0x100)}
)

ALL_FIELDS = 0
SEVERAL_SHAPES = 1
SPARSE = 2


@dataclass(frozen=True, eq=False, slots=True)
class Scalar:
    """A type without parameters, never and null included."""

    code: int


@dataclass(frozen=True, eq=False, slots=True)
class Option:
    """option(T)."""

    item: Type


@dataclass(frozen=True, eq=False, slots=True)
class List:
    """list(T)."""

    item: Type


@dataclass(frozen=True, eq=False, slots=True)
class Tuple:
    """tuple(T...)."""

    members: tuple[Type, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Record:
    """record(fields), or struct(name, fields) if it has a name. The shapes are those of form 1."""

    name: str | None
    fields: tuple[tuple[str, Type], ...]
    form: int
    shapes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Map:
    """map(K, V)."""

    key: Type
    value: Type


@dataclass(frozen=True, eq=False, slots=True)
class Union:
    """union(variants). In an unnamed union all names are None."""

    named: bool
    variants: tuple[tuple[str | None, Type], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Def:
    """def(i)."""

    index: int


@dataclass(frozen=True, eq=False, slots=True)
class Shared:
    """shared(i)."""

    index: int


Type: TypeAlias = Scalar | Option | List | Tuple | Record | Map | Union | Def | Shared


@dataclass(frozen=True, eq=False, slots=True)
class Schema:
    """A schema and its bytes, with D written (F-22)."""

    root: Type
    definitions: tuple[Type, ...]
    data: bytes


def parse_schema(data: bytes) -> Schema:
    """Read a schema's bytes outside a message, where D always stands at their head (F-22)."""
    reader = Reader(data)
    schema = read_schema(reader, has_count=True, zero_allowed=True)
    # F-22: nothing follows.
    if reader.remaining:
        raise FormatError("trailing_bytes", reader.position)
    return schema


def fingerprint(schema_bytes: bytes) -> int:
    """The fingerprint of a schema's bytes, which have D (F-22)."""
    import xxhash  # only fingerprints need it; all else runs on Python alone

    # F-22: XXH3-64 (seed 0).
    return xxhash.xxh3_64_intdigest(schema_bytes, seed=0)


def read_schema(reader: Reader, *, has_count: bool, zero_allowed: bool) -> Schema:
    """Read a schema's bytes; whether D is written depends on where they stand (F-10, F-22)."""
    start = reader.position
    count = 0
    if has_count:
        count = reader.varint()
        # F-13: D = 0 where flag 1 is set.
        if count == 0 and not zero_allowed:
            raise FormatError("bad_definition_count", start)
        check_count(reader, count, start)
    types = _TypeReader(reader, count)
    # F-13: schema := [varint D] type definition*
    root = types.read(1)
    definitions = tuple([types.read_definition(number) for number in range(count)])
    data = reader.data[start : reader.position]
    return Schema(root, definitions, data if has_count else b"\x00" + data)


def check_count(reader: Reader, count: int, place: int) -> None:
    """F-13's check of a count, before anything is allocated for it."""
    # F-13: a count greater than the number of remaining bytes after it: `truncated` @ the count.
    if count > reader.remaining:
        raise FormatError("truncated", place)


class _TypeReader:
    """Reads the types of one schema, which share names, numbers of definitions and limits."""

    def __init__(self, reader: Reader, definition_count: int) -> None:
        self.reader = reader
        self.definition_count = definition_count
        self.mentioned = 0
        self.type_count = 0
        # F-16: one table serves all names of the schema. A dict keeps the order of appearance;
        # the list beside it finds an entry by its number.
        self.names: list[str] = []
        self.spelled: set[str] = set()

    def read_definition(self, number: int) -> Type:
        """The type of a definition (F-20)."""
        # F-20: where definition j begins, it must have been mentioned: else @ its first byte.
        # That byte has not been read yet and may be missing.
        if number >= self.mentioned:
            raise FormatError("bad_definition", self.reader.position)
        # F-15: each definition's type has level 1.
        return self.read(1, is_definition=True)

    def read(
        self, level: int, *, is_definition: bool = False, siblings: set[int] | None = None
    ) -> Type:
        """A type and all inside it; `siblings` are the codes before it in its unnamed union."""
        reader = self.reader
        place = reader.position
        code = reader.byte()
        # F-15: a type at level 129 or more, then the 262,145th type,
        # both before the code's value is looked at.
        if level > MAX_NESTING:
            raise FormatError("limit_nesting", place)
        self.type_count += 1
        if self.type_count > MAX_TYPES:
            raise FormatError("limit_sites", place)

        # F-20: a definition's code must not be def or shared.
        if is_definition and code in (DEF, SHARED):
            raise FormatError("bad_definition", place)
        if siblings is not None:
            # F-19: never, null and option as a type of an unnamed union.
            if code in (NEVER, NULL, OPTION):
                raise FormatError("bad_union", place)
            # F-19: one of the types 02 to 13 twice.
            if BOOL <= code <= BYTES and code in siblings:
                raise FormatError("bad_union", place)
            siblings.add(code)

        # F-14: a code that chapter 14 reserves; any other code that is not in use.
        if code in RESERVED_TYPES:
            raise FormatError("unsupported", place)
        if code in SCALAR_NAMES:
            return Scalar(code)
        inner = level + 1
        if code == OPTION:
            return Option(self.read(inner))
        if code == LIST:
            return List(self.read(inner))
        if code == TUPLE:
            return self._read_tuple(inner)
        if code == STRUCT:
            # F-14: name, then as record.
            name, _ = self._read_name()
            return self._read_record(name, inner)
        if code == RECORD:
            return self._read_record(None, inner)
        if code == MAP:
            key = self.read(inner)
            return Map(key, self.read(inner))
        if code == UNION:
            return self._read_union(inner, inside_unnamed=siblings is not None)
        if code == DEF:
            return Def(self._read_number())
        if code == SHARED:
            return Shared(self._read_number())
        raise FormatError("unknown_type", place)

    def _read_name(self) -> tuple[str, int]:
        """A name, and the place of its varint (F-16)."""
        place = self.reader.position
        v = self.reader.varint()
        if v % 2 == 1:
            # F-16: if v is odd, the name is entry (v-1)/2 of the table;
            # an entry that the table has not (yet): `index_out_of_range` @ v.
            entry = (v - 1) // 2
            if entry >= len(self.names):
                raise FormatError("index_out_of_range", place)
            return self.names[entry], place
        # F-16: if v is even, v/2 bytes of UTF-8 follow.
        start = self.reader.position
        item = self.reader.take(v // 2)
        try:
            # Python's strict decoder is Unicode's: shortest forms, no surrogates, up to U+10FFFF.
            name = item.decode("utf-8")
        except UnicodeDecodeError:
            # F-16: bytes that are not UTF-8: @ the name's first byte.
            raise FormatError("invalid_utf8", start) from None
        # F-16: a name spelled out although the table has it: @ v.
        if name in self.spelled:
            raise FormatError("name_repeated", place)
        self.names.append(name)
        self.spelled.add(name)
        return name, place

    def _read_named_types(self, count: int, level: int) -> tuple[tuple[str, Type], ...]:
        """Fields (F-17) or variants (F-19): each a name and a type."""
        named: dict[str, Type] = {}
        for _ in range(count):
            name, place = self._read_name()
            # F-17, F-19: `duplicate_name` @ the second's varint v, before its type is read.
            if name in named:
                raise FormatError("duplicate_name", place)
            named[name] = self.read(level)
        return tuple(named.items())

    def _read_tuple(self, level: int) -> Tuple:
        place = self.reader.position
        count = self.reader.varint()
        check_count(self.reader, count, place)
        return Tuple(tuple([self.read(level) for _ in range(count)]))

    def _read_record(self, name: str | None, level: int) -> Record:
        place = self.reader.position
        head = self.reader.varint()
        # F-17: the head is 4·c + form.
        count, form = divmod(head, 4)
        # F-17: form 3: `bad_form` @ the head; then the count check of F-13.
        if form == 3:
            raise FormatError("bad_form", place)
        check_count(self.reader, count, place)
        fields = self._read_named_types(count, level)
        # F-18: only form 1 has shapes after the fields.
        shapes = self._read_shapes(count) if form == SEVERAL_SHAPES else ()
        return Record(name, fields, form, shapes)

    def _read_shapes(self, field_count: int) -> tuple[tuple[int, ...], ...]:
        place = self.reader.position
        count = self.reader.varint()
        # F-18: S < 2: `bad_shape` @ S; then the count check of F-13.
        if count < 2:
            raise FormatError("bad_shape", place)
        check_count(self.reader, count, place)
        return tuple([self._read_shape(field_count) for _ in range(count)])

    def _read_shape(self, field_count: int) -> tuple[int, ...]:
        place = self.reader.position
        count = self.reader.varint()
        check_count(self.reader, count, place)
        shape: dict[int, None] = {}
        for _ in range(count):
            place = self.reader.position
            number = self.reader.varint()
            # F-18: a field number of c or more: `index_out_of_range` @ it.
            if number >= field_count:
                raise FormatError("index_out_of_range", place)
            # F-18: a field number twice in a shape: `bad_shape` @ the second.
            if number in shape:
                raise FormatError("bad_shape", place)
            shape[number] = None
        return tuple(shape)

    def _read_union(self, level: int, *, inside_unnamed: bool) -> Union:
        place = self.reader.position
        head = self.reader.varint()
        # F-19: the head is 2·c + named.
        count, named = divmod(head, 2)
        # F-19: unnamed and c < 2: `bad_union` @ the head.
        if not named and count < 2:
            raise FormatError("bad_union", place)
        # F-19: an unnamed union directly inside an unnamed union: `bad_union` @ the inner head.
        if not named and inside_unnamed:
            raise FormatError("bad_union", place)
        # F-19: then the count check of F-13 @ the head.
        check_count(self.reader, count, place)
        if named:
            return Union(True, self._read_named_types(count, level))
        siblings: set[int] = set()
        types = [self.read(level, siblings=siblings) for _ in range(count)]
        return Union(False, tuple([(None, each) for each in types]))

    def _read_number(self) -> int:
        """The number of a definition, of which this is a mention."""
        place = self.reader.position
        index = self.reader.varint()
        # F-20: i is less than the number of definitions mentioned before it,
        # or equal to it and less than D: else `bad_definition` @ i.
        if index > self.mentioned or index >= self.definition_count:
            raise FormatError("bad_definition", place)
        self.mentioned = max(self.mentioned, index + 1)
        return index
