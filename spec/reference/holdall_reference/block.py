"""Chapter 5: block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from holdall_reference import columns
from holdall_reference.columns import INT_KINDS, U64
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader, split
from holdall_reference.packable import values
from holdall_reference.paths import Path, field_step, join, path_text, variant_step
from holdall_reference.schema import (
    ALL_FIELDS,
    BOOL,
    BYTES,
    FLOAT_SIZES,
    NEVER,
    NULL,
    SCALAR_NAMES,
    SEVERAL_SHAPES,
    STRING,
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
    sites_of,
)
from holdall_reference.shapes import read_sparse
from holdall_reference.tensors import read_packed, read_tensors


@dataclass(slots=True, eq=False)
class Site:
    """A type at its place, with its rows. Sites inside a site without rows are not created (F-25)."""

    type: Type
    row_count: int
    start: int
    """Where its columns start."""
    numbers: Sequence[int] = ()
    """Bits, integers, lengths, references, the numbers of variants or shapes, orders."""
    places: Sequence[int] = ()
    """Where faults of references are reported (F-64)."""
    items: Sequence[bytes] = ()
    """The bytes of floats, texts, fixed, packed and the elements of tensors."""
    shapes: Sequence[Sequence[int]] = ()
    """The shape of each row, form 2 only; or its dimensions."""
    unknown: bool = False
    """Whether its values are unknown (F-73, F-77)."""
    inside: list[Site] = field(default_factory=list)
    taken: int = 0
    """How many rows the walk has taken (F-35)."""


@dataclass(slots=True, eq=False)
class Block:
    """The columns of a root and its definitions."""

    root: Site
    definitions: list[Site]
    row_counts: list[tuple[int, int]]
    """For each definition the stored number of rows, and its offset."""
    uses: list[int]
    """For each definition the numbers of rows at all its sites def(i), and of zeros at all its
    sites shared(i), added up."""
    referenced: list[set[int]]
    """For each definition the rows that references refer to."""
    starts: list[tuple[Type, int]]
    """Where the columns of each type start, in order."""


def read_block(reader: Reader, schema: Schema, budget: Budget, roots: int = 1) -> Block:
    """Read a block with this many roots to its end (F-23). Streams have more than one (F-85)."""
    # F-23: for each definition, in order, its number of rows as a varint.
    row_counts = []
    for _ in schema.definitions:
        place = reader.position
        row_counts.append((reader.varint(), place))
    sites = _SiteReader(reader, budget, len(schema.definitions))
    # F-23: then the columns of the root's type; F-24: the root has 1 row, or as many as there are roots.
    root = sites.read_all(schema.root, roots, "$")
    # F-23: then those of each definition in order. F-41: their paths start with `#i[row]`.
    definitions = [
        sites.read_all(type_, rows, f"#{i}[]")
        for i, (type_, (rows, _)) in enumerate(zip(schema.definitions, row_counts, strict=True))
    ]
    return Block(root, definitions, row_counts, sites.uses, sites.referenced, sites.starts)


class _SiteReader:
    """Reads the columns of types in preorder (F-23). It recurses only on the nesting of the schema."""

    def __init__(self, reader: Reader, budget: Budget, definition_count: int) -> None:
        self.reader = reader
        self.budget = budget
        self.uses = [0] * definition_count
        self.referenced: list[set[int]] = [set() for _ in range(definition_count)]
        self.starts: list[tuple[Type, int]] = []
        self.path: Path = None

    def read_all(self, type_: Type, n: int, start: str) -> Site:
        """The columns of a root or definition; a fault gets the path of its site."""
        try:
            return self.read(type_, n, None)
        except FormatError as error:
            error.path = path_text(self.path, start)
            raise

    def read(self, type_: Type, n: int, path: Path) -> Site:
        """The columns of a type with n rows, and of all types inside it (F-24)."""
        self.path = path
        reader = self.reader
        site = Site(type_, n, reader.position)
        # F-25: where n = 0 nothing is written, charged or checked.
        if n == 0:
            self.starts += [(each, reader.position) for each in sites_of(type_)]
            return site
        self.starts.append((type_, reader.position))
        # F-24: never, and a union of no variants: `never_has_rows` @ the current position.
        if _has_no_values(type_):
            raise FormatError("never_has_rows", reader.position)
        # F-26: 8·n units, of packed rows for each value in them, before anything of the site is read.
        each = values(type_.item) if isinstance(type_, Packed) else 1
        self.budget.charge(8 * n * each, reader.position)

        if isinstance(type_, Scalar):
            self._read_scalar(site, type_)
        elif isinstance(type_, Option):
            # F-24: Bits: 1 is present; T: number of ones.
            site.numbers = columns.read_bits(reader, self.budget, n)
            site.inside = [self.read(type_.item, sum(site.numbers), path)]
        elif isinstance(type_, List):
            # F-24: lengths; T: their sum, which is exact (F-27).
            site.numbers = self._read_numbers(n).rows
            site.inside = [self.read(type_.item, sum(site.numbers), join(path, "[]"))]
        elif isinstance(type_, Tuple):
            # F-24: each n.
            site.inside = [
                self.read(member, n, join(path, f"[{i}]")) for i, member in enumerate(type_.members)
            ]
        elif isinstance(type_, Record):
            self._read_record(site, type_, path)
        elif isinstance(type_, Map):
            # F-24: numbers of entries; K and V: their sum each, key before value (F-23).
            site.numbers = self._read_numbers(n).rows
            entries = sum(site.numbers)
            site.inside = [
                self.read(type_.key, entries, join(path, "[].key")),
                self.read(type_.value, entries, join(path, "[]")),
            ]
        elif isinstance(type_, Union):
            self._read_union(site, type_, path)
        elif isinstance(type_, Shared):
            self._read_references(site, type_)
        elif isinstance(type_, Def):
            # F-24: these n rows are rows of definition i.
            self.uses[type_.index] += n
        elif isinstance(type_, Array):
            # F-24: none; T: k·n.
            site.inside = [self.read(type_.item, type_.size * n, join(path, "[]"))]
        elif isinstance(type_, Logical):
            # F-24: none; n.
            site.inside = [self.read(type_.storage, n, path)]
        elif isinstance(type_, Extension):
            site.inside = [self.read(type_.item, n, path)]
        else:
            self._read_without_columns(site, type_)
        return site

    def _read_without_columns(self, site: Site, type_: Fixed | Tensor | Packed | Unknown) -> None:
        """Read the types with their own payloads and no inner columns."""
        reader, n = self.reader, site.row_count
        if isinstance(type_, Fixed):
            # F-24: Raw of k bytes a row.
            payload = columns.read_raw(reader, self.budget, n, type_.size).payload
            site.items = [each for _, each in split(payload, [type_.size] * n)]
        elif isinstance(type_, Tensor):
            tensors = read_tensors(reader, self.budget, type_.item, n)
            site.shapes, site.numbers, site.items = tensors
        elif isinstance(type_, Packed):
            site.items = read_packed(reader, self.budget, type_.item, n)
        else:
            # F-73: a varint b and b bytes (payload), both skipped.
            reader.take(reader.varint())
            site.unknown = True

    def _read_numbers(self, n: int) -> columns.Ints:
        """Ints (u64), the kind of all lengths and numbers."""
        return columns.read_ints(self.reader, self.budget, U64, n)

    def _read_scalar(self, site: Site, type_: Scalar) -> None:
        reader, n, code = self.reader, site.row_count, type_.code
        if code == NULL:
            return
        # F-29, F-30, F-32: 4 rows or more: an encoding byte; F-28: n > 8.
        if _skips_later(reader, code, n):
            site.unknown = True
        elif code == BOOL:
            site.numbers = columns.read_bits(reader, self.budget, n)
        elif code in FLOAT_SIZES:
            site.items = columns.read_floats(reader, self.budget, FLOAT_SIZES[code], n)
        elif SCALAR_NAMES[code] in INT_KINDS:
            # F-24: Ints of their kind.
            kind = INT_KINDS[SCALAR_NAMES[code]]
            site.numbers = columns.read_ints(reader, self.budget, kind, n).rows
        else:
            site.items = columns.read_text(reader, self.budget, n, utf8=code == STRING)

    def _read_union(self, site: Site, type_: Union, path: Path) -> None:
        n, count = site.row_count, len(type_.variants)
        # F-24: c = 1: no column.
        counts = Counter({0: n})
        if count > 1:
            # F-24: number of the variant, below c.
            ints = self._read_numbers(n)
            ints.check_below(count)
            site.numbers = ints.rows
            counts = Counter(ints.rows)
        # F-24: each variant: its number of rows.
        site.inside = [
            self.read(each, counts[i], join(path, variant_step(name)))
            for i, (name, each) in enumerate(type_.variants)
        ]

    def _read_references(self, site: Site, type_: Shared) -> None:
        # F-24: references; as many rows of definition i as there are zeros.
        ints = self._read_numbers(site.row_count)
        site.numbers = ints.rows
        # F-64: @ v's varint where n < 4, @ the column's first byte where n >= 4.
        site.places = ints.places or [ints.start] * len(ints.rows)
        self.uses[type_.index] += ints.rows.count(0)
        # F-64: v > 0: the value is row v-1. The walk checks whether that row exists.
        self.referenced[type_.index].update(v - 1 for v in ints.rows if v)

    def _read_record(self, site: Site, type_: Record, path: Path) -> None:
        """The shapes of the rows (F-31), then the fields by number."""
        reader, n, count = self.reader, site.row_count, len(type_.fields)
        rows = [0] * count
        if type_.form == ALL_FIELDS:
            # F-31: form 0: no column; F-18: every row has all fields.
            rows = [n] * count
        elif type_.form == SEVERAL_SHAPES:
            # F-31: form 1: the number of each row's shape, below S.
            ints = self._read_numbers(n)
            ints.check_below(len(type_.shapes))
            site.numbers = ints.rows
            for shape, uses in Counter(ints.rows).items():
                for number in type_.shapes[shape]:
                    rows[number] += uses
        else:
            site.shapes = read_sparse(reader, self.budget, n, count)
            for row in site.shapes:
                for number in row:
                    rows[number] += 1
        # F-24: each field: the number of rows whose shape has it.
        site.inside = [
            self.read(each, rows[i], join(path, field_step(name)))
            for i, (name, each) in enumerate(type_.fields)
        ]


def _skips_later(reader: Reader, code: int, n: int) -> bool:
    """Skip a column if its encoding is of a later version (F-77), and return whether it was."""
    if n >= (9 if code == BOOL else 4):
        return columns.skip_later(reader)
    # Chapter 6: below 4 rows behind a marker, which Ints but of u8 and i8 have, and Text.
    name = SCALAR_NAMES[code]
    is_int = name in INT_KINDS and INT_KINDS[name].width != 8
    return (is_int or code in (STRING, BYTES)) and columns.skip_later(reader, behind_marker=True)


def _has_no_values(type_: Type) -> bool:
    if isinstance(type_, Scalar):
        return type_.code == NEVER
    return isinstance(type_, Union) and not type_.variants
