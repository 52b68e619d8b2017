"""Chapter 4: schema. Reads the types of schema.py from their bytes."""

from __future__ import annotations

from holdall_reference.errors import FormatError
from holdall_reference.limits import MAX_NESTING, MAX_TYPES
from holdall_reference.logical import KINDS
from holdall_reference.numbers import Reader, check_count
from holdall_reference.packable import PACKABLE_CODES, has_width
from holdall_reference.schema import (
    ALL_FIELDS,
    ARRAY,
    BOOL,
    BYTES,
    DEF,
    EXTENSION,
    FIXED,
    LATER,
    LIST,
    LOGICAL,
    MAP,
    NEVER,
    NULL,
    OPTION,
    PACKED,
    RECORD,
    SCALAR_NAMES,
    SEVERAL_SHAPES,
    SHARED,
    STRUCT,
    TENSOR,
    TUPLE,
    UNION,
    Array,
    Def,
    Extension,
    Fixed,
    List,
    Logical,
    Map,
    Option,
    Packed,
    Record,
    Scalar,
    Schema,
    Shared,
    Tensor,
    Tuple,
    Type,
    Union,
    Unknown,
)


def parse_schema(data: bytes) -> Schema:
    """Read a schema's bytes outside a message, where D is always at the start (F-22)."""
    reader = Reader(data)
    schema = read_schema(reader, has_count=True, zero_allowed=True)
    # F-22: nothing follows.
    if reader.remaining:
        raise FormatError("trailing_bytes", reader.position)
    return schema


def read_schema(reader: Reader, *, has_count: bool, zero_allowed: bool) -> Schema:
    """Read a schema's bytes. Whether they have D depends on where they are stored (F-10, F-22)."""
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


class _TypeReader:
    """Reads the types of one schema. They share names, numbers of definitions and limits.

    It recurses on the nesting of types, which F-15 bounds.
    """

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
        """The type of a definition, which can be anywhere (F-20, F-21)."""
        # F-20: where definition j begins, it must have been mentioned: else @ its first byte.
        # That byte has not been read yet and may be missing.
        if number >= self.mentioned:
            raise FormatError("bad_definition", self.reader.position)
        # F-15: each definition's type has level 1.
        return self.read(1, is_definition=True)

    def read(
        self,
        level: int,
        *,
        is_definition: bool = False,
        siblings: set[int] | None = None,
        packed: bool = False,
    ) -> Type:
        """A type and all inside it.

        `siblings` are the codes before it in its unnamed union; `packed` holds inside a
        tensor or packed.
        """
        place = self.reader.position
        code = self.reader.byte()
        # F-15: both checks, before the code's value is checked.
        self._count(level, place)

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
        # F-70: inside a tensor or packed any other code than those of packable types.
        if packed and code not in PACKABLE_CODES:
            raise FormatError("bad_packed", place)

        type_ = self._read_parameters(code, level, packed, is_variant=siblings is not None)
        # F-70: when each of these types is complete: its width is not 1 to 2^20: @ its code.
        if packed and not has_width(type_):
            raise FormatError("bad_packed", place)
        return type_

    def _read_parameters(self, code: int, level: int, packed: bool, *, is_variant: bool) -> Type:
        """Read what follows the code of a type (F-14), after that byte."""
        if code in SCALAR_NAMES:
            return Scalar(code)
        inner = level + 1
        if code == FIXED:
            return Fixed(self.reader.varint())
        if code == OPTION:
            return Option(self.read(inner))
        if code == LIST:
            return List(self.read(inner))
        if code == ARRAY:
            size = self.reader.varint()
            return Array(size, self.read(inner, packed=packed))
        if code == TUPLE:
            return self._read_tuple(inner, packed)
        if code == STRUCT:
            # F-14: name, then as record.
            name, _ = self._read_name()
            return self._read_record(name, inner, packed)
        if code == RECORD:
            return self._read_record(None, inner, packed)
        if code == MAP:
            key = self.read(inner)
            return Map(key, self.read(inner))
        if code == UNION:
            return self._read_union(inner, inside_unnamed=is_variant)
        if code in (TENSOR, PACKED):
            item = self.read(inner, packed=True)
            return Tensor(item) if code == TENSOR else Packed(item)
        if code == DEF:
            return Def(self._read_number())
        if code == SHARED:
            return Shared(self._read_number())
        if code == LOGICAL:
            return self._read_logical(inner, packed)
        if code == EXTENSION:
            # F-14: name, type.
            name, _ = self._read_name()
            return Extension(name, self.read(inner, packed=packed))
        if code in LATER:
            # F-73: varint p and p bytes of parameters, skipped.
            return Unknown(code, self.reader.take(self.reader.varint()))
        # F-14, F-56: any other code.
        raise FormatError("unknown_type", self.reader.position - 1)

    def _count(self, level: int, place: int) -> None:
        """F-15's checks of one type."""
        # F-15: a type at level 129 or more, then the 262,145th type.
        if level > MAX_NESTING:
            raise FormatError("limit_nesting", place)
        self.type_count += 1
        if self.type_count > MAX_TYPES:
            raise FormatError("limit_sites", place)

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

    def _read_named_types(
        self, count: int, level: int, packed: bool
    ) -> tuple[tuple[str, Type], ...]:
        """Fields (F-17) or variants (F-19): each a name and a type."""
        named: dict[str, Type] = {}
        for _ in range(count):
            name, place = self._read_name()
            # F-17, F-19: `duplicate_name` @ the second's varint v, before its type is read.
            if name in named:
                raise FormatError("duplicate_name", place)
            named[name] = self.read(level, packed=packed)
        return tuple(named.items())

    def _read_tuple(self, level: int, packed: bool) -> Tuple:
        place = self.reader.position
        count = self.reader.varint()
        check_count(self.reader, count, place)
        return Tuple(tuple([self.read(level, packed=packed) for _ in range(count)]))

    def _read_record(self, name: str | None, level: int, packed: bool) -> Record:
        place = self.reader.position
        head = self.reader.varint()
        # F-17: the head is 4·c + form.
        count, form = divmod(head, 4)
        # F-17: form 3: `bad_form` @ the head; then the count check of F-13.
        if form == 3:
            raise FormatError("bad_form", place)
        # F-70: form 1 or 2 inside a tensor or packed: `bad_packed` @ the head.
        if packed and form != ALL_FIELDS:
            raise FormatError("bad_packed", place)
        check_count(self.reader, count, place)
        fields = self._read_named_types(count, level, packed)
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
            return Union(True, self._read_named_types(count, level, packed=False))
        siblings: set[int] = set()
        types = [self.read(level, siblings=siblings) for _ in range(count)]
        return Union(False, tuple([(None, each) for each in types]))

    def _read_number(self) -> int:
        """Read the number of the mentioned definition."""
        place = self.reader.position
        index = self.reader.varint()
        # F-20: i is less than the number of definitions mentioned before it,
        # or equal to it and less than D: else `bad_definition` @ i.
        if index > self.mentioned or index >= self.definition_count:
            raise FormatError("bad_definition", place)
        self.mentioned = max(self.mentioned, index + 1)
        return index

    def _read_logical(self, level: int, packed: bool) -> Logical:
        """What follows the code of a logical type (F-72)."""
        reader = self.reader
        place = reader.position
        kind = reader.byte()
        known = KINDS.get(kind)
        # F-72: a kind that is not in the table is `unknown_kind` @ it if below E0.
        if known is None and kind not in LATER:
            raise FormatError("unknown_kind", place)
        place = reader.position
        count = reader.varint()
        # F-72: a number of parameters other than the kind's: @ p.
        if known is not None and count != len(known.parameters):
            raise FormatError("bad_parameters", place)
        start = reader.position
        parameters = reader.take(count)
        # F-72: a parameter of no meaning: @ it.
        for at, meanings in enumerate(known.parameters if known is not None else ()):
            if parameters[at] not in meanings:
                raise FormatError("bad_parameters", start + at)
        place = reader.position
        storage = self.read(level, packed=packed)
        # F-72: when the storage is complete, another type than the table's: @ its code.
        if known is not None and not known.storage(parameters)(storage):
            raise FormatError("bad_storage", place)
        return Logical(kind, parameters, storage)
