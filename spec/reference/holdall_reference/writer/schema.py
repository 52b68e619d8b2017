"""The schema's bytes (chapter 4), and which types are definitions (F-54)."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdall_reference.limits import MAX_TYPES
from holdall_reference.schema import (
    ALL_FIELDS,
    ARRAY,
    DEF,
    EXTENSION,
    FIXED,
    LIST,
    LOGICAL,
    MAP,
    NEVER,
    NULL,
    OPTION,
    RECORD,
    SCALAR_NAMES,
    SEVERAL_SHAPES,
    SHARED,
    SPARSE,
    STRUCT,
    TENSOR,
    TUPLE,
    UNION,
    Array,
    Extension,
    Fixed,
    Logical,
    Record,
    Scalar,
    Type,
    types_inside,
)
from holdall_reference.writer.errors import WriterError
from holdall_reference.writer.numbers import varint
from holdall_reference.writer.schema_parser import parse_packable
from holdall_reference.writer.sites import RowType, RowVariant, ScalarColumn, Site

# F-54: from this level on, row types are definitions.
DEFINITION_LEVEL = 97
# F-53: more shapes than these are not listed.
MOST_SHAPES = 16

SCALAR_CODES = {name: code for code, name in SCALAR_NAMES.items()}


def form_of(record: RowType) -> int:
    """The form of a record or struct (F-53)."""
    if len(record.shapes) <= 1:
        return ALL_FIELDS
    return SEVERAL_SHAPES if len(record.shapes) <= MOST_SHAPES else SPARSE


@dataclass(slots=True)
class SchemaBytes:
    """The bytes of all types, root first, and the types that are definitions, by number."""

    types: bytes
    definitions: list[RowType]


def write_schema(root: Site) -> SchemaBytes:
    """The schema's bytes after D (F-13)."""
    types = _TypeWriter()
    # F-54: from the root on.
    types.write_site(root, 1)
    # F-54: a definition's own levels count from 1 again. Each may mention new ones.
    for type_ in types.definitions:
        types.write_in_place(type_, 1)
    return SchemaBytes(bytes(types.out), types.definitions)


@dataclass(slots=True)
class _TypeWriter:
    """Writes types; it recurses no deeper than F-54 lets types nest in place."""

    out: bytearray = field(default_factory=bytearray)
    definitions: list[RowType] = field(default_factory=list)
    numbers: dict[RowType, int] = field(default_factory=dict)
    """Those of the definitions, by first mention."""
    names: dict[str, int] = field(default_factory=dict)
    type_count: int = 0

    def _code(self, code: int) -> None:
        self.out.append(code)
        # F-15, F-41: more than 262,144 types.
        self.type_count += 1
        if self.type_count > MAX_TYPES:
            raise WriterError("limit_sites")

    def _varint(self, number: int) -> None:
        self.out += varint(number)

    def _name(self, name: str) -> None:
        # F-16: a name that the table has is its entry's number.
        if name in self.names:
            self._varint(2 * self.names[name] + 1)
            return
        self.names[name] = len(self.names)
        item = name.encode("utf-8")
        self._varint(2 * len(item))
        self.out += item

    def write_site(self, site: Site, level: int) -> None:
        """A site's type (F-48)."""
        # F-48: without variants null if it had a null, else never.
        if not site.variants:
            self._code(NULL if site.had_null else NEVER)
            return
        # F-48: a null beside variants makes that option(...).
        if site.had_null:
            self._code(OPTION)
            level += 1
        # F-48: with several an unnamed union of them in their order.
        if len(site.variants) > 1:
            self._code(UNION)
            self._varint(2 * len(site.variants))
            level += 1
        for variant in site.variants:
            if isinstance(variant, ScalarColumn):
                self._write_scalar(variant)
            elif not site.is_storage and (
                len(variant.type_.sites) > 1
                or variant.type_.is_referenced
                or level >= DEFINITION_LEVEL
            ):
                # F-54: a variant of more than one site, or a row of which is repeated,
                # or at nesting level 97 or more. F-74: none that is made at a storage.
                self._write_definition(variant)
            else:
                self.write_in_place(variant.type_, level)

    def _write_scalar(self, column: ScalarColumn) -> None:
        if column.name == "fixed":
            self._code(FIXED)
            self._varint(int(column.kind[1]))
        else:
            self._code(SCALAR_CODES[column.name])

    def _write_definition(self, variant: RowVariant) -> None:
        # F-54: it is numbered at its first mention.
        if variant.type_ not in self.numbers:
            self.numbers[variant.type_] = len(self.definitions)
            self.definitions.append(variant.type_)
        # F-54: at a site where a row came that had come before, it is shared(i),
        # at every other def(i).
        self._code(SHARED if variant.is_shared else DEF)
        self._varint(self.numbers[variant.type_])

    def write_in_place(self, type_: RowType, level: int) -> None:
        """A row type whose code is at that level, and everything inside it."""
        kind = type_.kind[0]
        if kind == "list":
            self._code(LIST)
        elif kind == "map":
            self._code(MAP)
        elif kind == "tuple":
            self._code(TUPLE)
            self._varint(len(type_.inside))
        elif kind == "struct":
            self._code(STRUCT)
            self._name(type_.kind[1])
            self._varint(4 * len(type_.inside) + form_of(type_))
        elif kind == "array":
            self._code(ARRAY)
            self._varint(int(type_.kind[1]))
        elif kind == "logical":
            self._logical(int(type_.kind[1], 16), bytes.fromhex(type_.kind[2]))
        elif kind == "extension":
            self._code(EXTENSION)
            self._name(type_.kind[1])
        elif kind == "tensor":
            self._code(TENSOR)
            self._write_packable(parse_packable(type_.kind[1]))
        elif kind == "union":
            self._code(UNION)
            self._varint(2 * len(type_.inside) + 1)
        else:
            # F-49: an undecided variant at the end is a record without fields.
            self._code(RECORD)
            self._varint(4 * len(type_.inside) + form_of(type_))
        # Fields and a named union's variants have names, one for each site.
        names = list(type_.names)
        for number, site in enumerate(type_.inside):
            if names:
                self._name(names[number])
            self.write_site(site, level + 1)
        if type_.shapes and form_of(type_) == SEVERAL_SHAPES:
            # F-18: varint S, then S shapes: varint count, that many varint field numbers.
            self._varint(len(type_.shapes))
            for shape in type_.shapes:
                self._varint(len(shape))
                for number in shape:
                    self._varint(number)

    def _logical(self, kind: int, parameters: bytes) -> None:
        # F-72: byte kind, varint p, p bytes; the storage follows.
        self._code(LOGICAL)
        self.out.append(kind)
        self._varint(len(parameters))
        self.out += parameters

    def _write_packable(self, type_: Type) -> None:
        """A type inside a tensor, which F-74 never lets be packed."""
        if isinstance(type_, Scalar):
            self._code(type_.code)
        elif isinstance(type_, Fixed):
            self._code(FIXED)
            self._varint(type_.size)
        elif isinstance(type_, Array):
            self._code(ARRAY)
            self._varint(type_.size)
        elif isinstance(type_, Record):
            self._write_packable_record(type_)
            return
        elif isinstance(type_, Logical):
            self._logical(type_.kind, type_.parameters)
        elif isinstance(type_, Extension):
            self._code(EXTENSION)
            self._name(type_.name)
        else:
            self._code(TUPLE)
            self._varint(len(types_inside(type_)))
        for each in types_inside(type_):
            self._write_packable(each)

    def _write_packable_record(self, type_: Record) -> None:
        self._code(RECORD if type_.name is None else STRUCT)
        if type_.name is not None:
            self._name(type_.name)
        self._varint(4 * len(type_.fields))
        for name, each in type_.fields:
            self._name(name)
            self._write_packable(each)
