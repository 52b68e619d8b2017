"""Chapter 5, forwards: the columns of a message."""

from __future__ import annotations

from typing import cast

from holdall_reference.columns import INT_KINDS, U64, IntKind
from holdall_reference.columns.encodings import RAW, RAW_FLOATS
from holdall_reference.columns.frames import PADDED_FRAMES
from holdall_reference.numbers import PADDED_MULTIPLE, PADDED_SIZE
from holdall_reference.schema import ALL_FIELDS, SEVERAL_SHAPES
from holdall_reference.writer.columns import (
    Profile,
    write_bits,
    write_floats,
    write_ints,
    write_raw,
    write_text,
)
from holdall_reference.writer.identity import FLOATS
from holdall_reference.writer.numbers import varint
from holdall_reference.writer.schema import form_of
from holdall_reference.writer.sites import RowType, ScalarColumn, Site


def write_block(
    root: Site, definitions: list[RowType], profile: Profile, *, start: int, aligned: bool
) -> bytes:
    """For each definition its number of rows; then all columns (F-23). `start` is its offset."""
    block = _BlockWriter(set(definitions), profile, start, aligned)
    for type_ in definitions:
        block.out += varint(len(type_.rows))
    # F-23: the columns of the root's type; then those of each definition in order.
    block.write_site(root)
    for type_ in definitions:
        block.write_row_type(type_)
    return bytes(block.out)


class _BlockWriter:
    """Writes columns in preorder (F-23). It recurses no deeper than the schema does in place."""

    def __init__(
        self, definitions: set[RowType], profile: Profile, start: int, aligned: bool
    ) -> None:
        self.definitions = definitions
        self.profile = profile
        self.aligned = aligned
        # F-69: if the message is aligned, offsets count from its first byte.
        self.start = start
        self.out = bytearray()

    def _payload(self, column: bytes, encodings: frozenset[int]) -> None:
        """A column with padding before its payload, if its encoding is one of these (F-69)."""
        # Columns without an encoding byte have fewer bytes.
        if self.aligned and len(column) > PADDED_SIZE and column[0] in encodings:
            self.out.append(column[0])
            self.out += bytes(-(self.start + len(self.out)) % PADDED_MULTIPLE)
            column = column[1:]
        self.out += column

    def _ints(self, kind: IntKind, rows: list[int]) -> None:
        # F-69: frames of width 16, 32 or 64 with base 0.
        self._payload(write_ints(kind, rows, self.profile), PADDED_FRAMES)

    def _numbers(self, rows: list[int]) -> None:
        """Ints (u64); F-25: where n = 0 nothing is written."""
        if rows:
            self._ints(U64, rows)

    def write_site(self, site: Site) -> None:
        """The columns of a site's type (F-24, F-48), and of all types inside it."""
        if not site.variants:
            return
        if site.had_null:
            # F-24: Bits: 1 is present.
            self.out += write_bits([row is not None for row in site.rows])
        if len(site.variants) > 1:
            # F-24: number of the variant.
            self._numbers([row for row in site.rows if row is not None])
        for variant in site.variants:
            if isinstance(variant, ScalarColumn):
                self._write_scalars(variant)
            elif variant.type_ not in self.definitions:
                self.write_row_type(variant.type_)
            elif variant.is_shared:
                # F-24: references; def(i) has no columns.
                self._numbers(variant.references)

    def _write_scalars(self, column: ScalarColumn) -> None:
        name = column.name
        if name == "bool":
            self.out += write_bits(cast("list[bool]", column.rows))
        elif name in INT_KINDS:
            self._ints(INT_KINDS[name], cast("list[int]", column.rows))
        elif name in FLOATS:
            floats = write_floats(cast("list[bytes]", column.rows), self.profile)
            self._payload(floats, frozenset({RAW_FLOATS}))
        elif name == "fixed":
            self._payload(write_raw(cast("list[bytes]", column.rows)), frozenset({RAW}))
        else:
            self.out += write_text(cast("list[bytes]", column.rows), self.profile)

    def write_row_type(self, type_: RowType) -> None:
        """The columns of a row type, and of the sites inside it in the schema's order."""
        kind = type_.kind[0]
        if kind in ("list", "map") or (kind == "union" and len(type_.inside) > 1):
            # F-24: lengths, numbers of entries, numbers of variants if there are several.
            self._numbers(type_.rows)
        elif type_.shapes:
            self._write_shapes(type_)
        elif kind == "tensor":
            self._write_tensors(type_)
        for site in type_.inside:
            self.write_site(site)

    def _write_tensors(self, type_: RowType) -> None:
        """Ranks, dimensions, orders, elements (F-76)."""
        self._numbers([len(row.dimensions) for row in type_.tensors])
        self._numbers([size for row in type_.tensors for size in row.dimensions])
        self.out += write_bits([bool(row.order) for row in type_.tensors])
        self._payload(write_raw([row.elements for row in type_.tensors]), frozenset({RAW}))

    def _write_shapes(self, type_: RowType) -> None:
        """The shapes of the rows (F-31)."""
        form = form_of(type_)
        if form == ALL_FIELDS:
            return
        if form == SEVERAL_SHAPES:
            self._numbers(type_.rows)
            return
        shapes = list(type_.shapes)
        # F-31: form 2: each row's count of fields, then the field numbers of all rows.
        self._numbers([len(shapes[row]) for row in type_.rows])
        self._numbers([number for row in type_.rows for number in shapes[row]])
