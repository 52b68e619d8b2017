"""Chapter 7: walk and assembly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from holdall_reference.block import Block, Site
from holdall_reference.errors import FormatError
from holdall_reference.logical import LONG_TUPLE, kind_name
from holdall_reference.packable import unpack
from holdall_reference.paths import field_step, variant_step
from holdall_reference.schema import (
    ALL_FIELDS,
    BOOL,
    BYTES,
    FLOAT_SIZES,
    LATER,
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
    Shared,
    Tensor,
    Tuple,
    Type,
    Union,
    Unknown,
)
from holdall_reference.schema_text import type_text
from holdall_reference.tagged import Tagged

# A value still to be walked: the site that has its next row, the list to which the value is added, and
# the step that leads to it (F-41).
Step: TypeAlias = "tuple[Site, Tagged, str]"

# One object for all, so that an empty row costs the 8 bytes that F-26 charges for it.
NULL_VALUE: Tagged = ["null"]
UNKNOWN_VALUE: Tagged = ["unknown"]

# The types whose values contain no values of other sites.
LEAVES = (Scalar, Fixed, Tensor, Packed, Unknown)

# F-74: tuples of more items than these are long ones.
LONGEST_TUPLE = 8


def assemble(block: Block) -> Tagged:
    """Return the root's value, with all checks of chapter 7."""
    check_definitions(block)
    return assemble_roots(block, 1)[0]


def check_definitions(block: Block) -> None:
    """Check that the number of rows of each definition is the number used (F-34)."""
    # F-34: definition by definition: the numbers of rows at all sites def(i) and of zeros at all
    # sites shared(i), added up, MUST equal the number of rows written: else @ that number's varint.
    for uses, (rows, place) in zip(block.uses, block.row_counts, strict=True):
        if uses != rows:
            raise FormatError("definition_rows_mismatch", place)


def assemble_roots(block: Block, count: int) -> list[Tagged]:
    """Return the values of this many roots, with the checks of the walk."""
    # F-87: F-64 holds for each root by itself.
    values = [_walk(block) for _ in range(count)]
    # F-36: after the walk every row of every definition MUST have been taken:
    # else @ the number of rows of the first definition that has rows left.
    for definition, (_, place) in zip(block.definitions, block.row_counts, strict=True):
        if definition.taken < definition.row_count:
            raise FormatError("unreachable_rows", place)
    return values


def _walk(block: Block) -> Tagged:
    """Visit the values depth-first (F-33), with the open rows on a stack (F-37)."""
    holder: Tagged = []
    identities = _Identities(block)
    stack: list[Iterator[Step]] = [iter([(block.root, holder, "")])]
    # The steps to the values that are open, and to the current one.
    steps = [""]
    try:
        _walk_stack(stack, steps, identities)
    except FormatError as error:
        error.path = "$" + "".join(steps) + (error.path or "")
        raise
    root = holder[0]
    assert isinstance(root, list)
    return root


def _walk_stack(stack: list[Iterator[Step]], steps: list[str], identities: _Identities) -> None:
    while stack:
        steps[-1] = ""
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            steps.pop()
            continue
        site, into, steps[-1] = step
        found, into = _reach(site, into, identities)
        if found is None:
            into.append(NULL_VALUE)
        elif isinstance(found, int):
            into.append(["ref", found])
        elif isinstance(found.type, LEAVES):
            into.append(_take_leaf(found, found.type))
        else:
            value: Tagged = []
            into.append(value)
            stack.append(_begin(found, value))
            steps.append("")


def _take(site: Site) -> int:
    """The number of the site's next row (F-35)."""
    row = site.taken
    # F-34 has been checked, and every other number of rows follows from columns.
    assert row < site.row_count, "a walk never takes more rows than there are"
    site.taken += 1
    return row


class _Identities:
    """The repeated rows of definitions, numbered in the order in which they start."""

    def __init__(self, block: Block) -> None:
        self.definitions = block.definitions
        self.referenced = block.referenced
        self.numbers: dict[tuple[int, int], int] = {}

    def begin(self, index: int) -> int | None:
        """Return the number of a definition's next row if that row is repeated."""
        row = self.definitions[index].taken
        if row not in self.referenced[index]:
            return None
        return self.numbers.setdefault((index, row), len(self.numbers))

    def back_reference(self, site: Site, index: int, at: int, begun: list[int]) -> int:
        """Return the number of the row that a reference refers to."""
        row = site.numbers[at] - 1
        number = self.numbers.get((index, row))
        # F-64: it MUST have been begun, and not as this very value:
        # else @ v's varint where n < 4, @ the column's first byte where n >= 4.
        if number is None or number in begun:
            place = site.places[at]
            raise FormatError("bad_reference", place)
        return number


def _reach(site: Site, into: Tagged, identities: _Identities) -> tuple[Site | int | None, Tagged]:
    """Resolve types that only refer to another one, and return the list to which the value is added.

    None is an absent option, and a number is that of an earlier value.
    """
    begun: list[int] = []
    while True:
        type_ = site.type
        if isinstance(type_, Option):
            # F-24: 1 is present.
            if not site.numbers[_take(site)]:
                return None, into
            site = site.inside[0]
        elif isinstance(type_, (Def, Shared)):
            row = _take(site)
            # F-64: v > 0: the value is row v-1 of definition i.
            if isinstance(type_, Shared) and site.numbers[row]:
                return identities.back_reference(site, type_.index, row, begun), into
            # F-24, F-64: the row is the next one of definition i.
            number = identities.begin(type_.index)
            if number is not None:
                begun.append(number)
                outer, into = into, ["id", number]
                outer.append(into)
            site = identities.definitions[type_.index]
        elif isinstance(type_, Union) and not type_.named:
            site = site.inside[site.numbers[_take(site)]]
        elif isinstance(type_, Extension):
            # F-64: a value that is an extension of itself alone would be nothing but itself too.
            _take(site)
            outer, into = into, ["extension", type_.name]
            outer.append(into)
            site = site.inside[0]
        elif isinstance(type_, Logical) and type_.kind in LATER:
            # F-64: the same of a logical type; those of this version don't lead to themselves.
            _take(site)
            outer, into = into, ["logical", kind_name(type_.kind), type_.parameters.hex()]
            outer.append(into)
            site = site.inside[0]
        else:
            return site, into


def _take_leaf(site: Site, type_: Scalar | Fixed | Tensor | Packed | Unknown) -> Tagged:
    row = _take(site)
    # F-73, F-77: values of an encoding or type of a later version.
    if site.unknown:
        return UNKNOWN_VALUE
    if isinstance(type_, Scalar):
        return _scalar(site, type_, row)
    item = site.items[row]
    if isinstance(type_, Packed):
        return unpack(type_.item, item)
    if isinstance(type_, Tensor):
        sizes: Tagged = [str(size) for size in site.shapes[row]]
        # F-76: 0: row-major, 1: column-major.
        order = "column" if site.numbers[row] else "row"
        return ["tensor", type_text(type_.item), sizes, order, item.hex()]
    return ["fixed", item.hex()]


def _scalar(site: Site, type_: Scalar, row: int) -> Tagged:
    name = SCALAR_NAMES[type_.code]
    if type_.code == NULL:
        return NULL_VALUE
    if type_.code == BOOL:
        return [name, bool(site.numbers[row])]
    if type_.code == STRING:
        return [name, site.items[row].decode("utf-8")]
    if type_.code == BYTES:
        return [name, site.items[row].hex()]
    if type_.code in FLOAT_SIZES:
        # Tagged values have the digits of the IEEE bits as a number; the bytes are little-endian.
        return [name, site.items[row][::-1].hex()]
    return [name, str(site.numbers[row])]


def _begin(site: Site, value: Tagged) -> Iterator[Step]:
    """Start a row: it gets its number now (F-33). Its contents are walked when they are requested."""
    row = _take(site)
    type_ = site.type
    if isinstance(type_, List):
        items: Tagged = []
        value += ["list", items]
        return _list_contents(site.inside, items, site.numbers[row])
    if isinstance(type_, Array):
        items = []
        value += ["array", items]
        return _list_contents(site.inside, items, type_.size)
    if isinstance(type_, Logical):
        return _begin_logical(site, type_, value)
    if isinstance(type_, Tuple):
        members: Tagged = []
        value += ["tuple", members]
        # F-33: tuple items in order.
        return iter([(member, members, f"[{i}]") for i, member in enumerate(site.inside)])
    if isinstance(type_, Record):
        fields: Tagged = []
        value += ["record"] if type_.name is None else ["struct", type_.name]
        value.append(fields)
        return _record_contents(site, type_, fields, _shape(site, type_, row))
    if isinstance(type_, Map):
        entries: Tagged = []
        value += ["map", entries]
        return _map_contents(site, type_, entries, site.numbers[row])
    assert isinstance(type_, Union), "every other type was handled before"
    # F-24: with one variant there is no column.
    number = site.numbers[row] if site.numbers else 0
    name = type_.variants[number][0]
    assert name is not None, "unnamed unions have been skipped"
    value += ["variant", name]
    return iter([(site.inside[number], value, variant_step(name))])


def _begin_logical(site: Site, type_: Logical, value: Tagged) -> Iterator[Step]:
    storage = site.inside[0]
    if type_.kind == LONG_TUPLE and storage.numbers[storage.taken] > LONGEST_TUPLE:
        # F-72, F-74: a tuple of more than 8 items. Its storage is a list, which begins with it.
        items: Tagged = []
        value += ["tuple", items]
        return _list_contents(storage.inside, items, storage.numbers[_take(storage)])
    value += ["logical", kind_name(type_.kind), type_.parameters.hex()]
    return iter([(storage, value, "")])


def _list_contents(inside: list[Site], items: Tagged, length: int) -> Iterator[Step]:
    # F-33: list items in order.
    (item,) = inside
    type_ = item.type
    if isinstance(type_, LEAVES):
        # Short cut: millions of scalars need no stack.
        items.extend(_take_leaf(item, type_) for _ in range(length))
        return iter(())
    return ((item, items, f"[{i}]") for i in range(length))


def _shape(site: Site, type_: Record, row: int) -> Sequence[int]:
    """The field numbers of a row, in its own order (F-18, F-31)."""
    if type_.form == ALL_FIELDS:
        return range(len(type_.fields))
    if type_.form == SEVERAL_SHAPES:
        return type_.shapes[site.numbers[row]]
    return site.shapes[row]


def _record_contents(
    site: Site, type_: Record, fields: Tagged, shape: Sequence[int]
) -> Iterator[Step]:
    # F-33: fields in the order of the row's shape.
    for number in shape:
        entry: Tagged = [type_.fields[number][0]]
        fields.append(entry)
        yield site.inside[number], entry, field_step(type_.fields[number][0])


def _map_contents(site: Site, type_: Map, entries: Tagged, count: int) -> Iterator[Step]:
    key, value = site.inside
    compared = is_compared(type_.key)
    keys: set[tuple[object, ...]] = set()
    repeated = None
    for i in range(count):
        # F-33: map entries in order, key before value.
        entry: Tagged = []
        entries.append(entry)
        yield key, entry, f"[{i}].key"
        if compared:
            # F-35: equal means the same type and the same value, and floats compare by their bits:
            # just what a tagged value says. An absent option is null.
            # An unknown value (F-77) equals no other.
            tagged = entry[0]
            assert isinstance(tagged, list)
            if tagged is not UNKNOWN_VALUE:
                if repeated is None and tuple(tagged) in keys:
                    repeated = i
                keys.add(tuple(tagged))
        yield value, entry, f"[{i}]"
    # F-35: when a map's row is complete: `duplicate_key` @ where the columns of K began.
    if repeated is not None:
        error = FormatError("duplicate_key", key.start)
        # F-41: it is a fault of the first entry that repeats a key.
        error.path = f"[{repeated}]"
        raise error


def is_compared(type_: Type, meant: Callable[[Type], Type] = lambda type_: type_) -> bool:
    """Whether equality of keys of this type is checked (F-35); `meant` resolves inner types."""
    # F-35: a scalar, an option of one, or an unnamed union of scalars, with or without option.
    if isinstance(type_, Option):
        type_ = meant(type_.item)
    if isinstance(type_, Union) and not type_.named:
        return all(_is_scalar(meant(each)) for _, each in type_.variants)
    return _is_scalar(type_)


def _is_scalar(type_: Type) -> bool:
    # F-35: null and 01 to 14.
    return isinstance(type_, Fixed) or (isinstance(type_, Scalar) and type_.code != NEVER)
