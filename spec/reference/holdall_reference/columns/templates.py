"""Templates of text and the numbers in their slots (F-98)."""

from __future__ import annotations

from typing import NamedTuple

from holdall_reference.columns.inner import read_inner_column
from holdall_reference.errors import FormatError
from holdall_reference.limits import Budget
from holdall_reference.numbers import Reader

# F-98: the bytes that begin a slot; w follows all but the first.
DECIMAL = 0xF8
PADDED_DECIMAL = 0xF9
LOWER_HEXADECIMAL = 0xFA
UPPER_HEXADECIMAL = 0xFB
# F-98: of each of these, its base and the largest w.
PADDED = {PADDED_DECIMAL: (10, 19), LOWER_HEXADECIMAL: (16, 16), UPPER_HEXADECIMAL: (16, 16)}


class Slot(NamedTuple):
    """A slot of a template; w is 0 for F8."""

    byte: int
    w: int

    def holds(self, number: int) -> bool:
        """Whether the number has no more digits than the slot."""
        if self.byte == DECIMAL:
            return True
        base, _ = PADDED[self.byte]
        beyond: int = base**self.w
        return number < beyond

    def digits(self, number: int) -> bytes:
        """The text in place of the slot."""
        # F-98: F8 in decimal without leading zeros, F9 in w decimal digits,
        # FA and FB in w hexadecimal digits, a to f and A to F.
        if self.byte == DECIMAL:
            return b"%d" % number
        if self.byte == PADDED_DECIMAL:
            return b"%0*d" % (self.w, number)
        if self.byte == LOWER_HEXADECIMAL:
            return b"%0*x" % (self.w, number)
        return b"%0*X" % (self.w, number)


class Template(NamedTuple):
    """The bytes before, between and after the slots, and the slots."""

    pieces: list[bytes]
    slots: list[Slot]


def read_slots(
    reader: Reader, budget: Budget, texts: list[bytes], texts_place: int, column_place: int
) -> list[bytes]:
    """The rows whose templates are these texts: what follows them (F-98)."""
    # A repeated text, as from a dictionary, is parsed once.
    known = {text: _template(text, texts_place) for text in dict.fromkeys(texts)}
    templates = [known[text] for text in texts]
    numbers: list[list[int]] = [[] for _ in templates]
    place = reader.position
    k = reader.varint()
    # F-98: k is not the most slots of a row: `bad_templates` @ it.
    if k != max(len(template.slots) for template in templates):
        raise FormatError("bad_templates", place)
    rows = list(range(len(templates)))
    for j in range(k):
        rows = [row for row in rows if len(templates[row].slots) > j]
        place = reader.position
        m = reader.varint()
        # F-98: m is not the number of rows with more than j slots: `bad_templates` @ it.
        if m != len(rows):
            raise FormatError("bad_templates", place)
        # F-98: 8·m units are charged @ it.
        budget.charge(8 * m, place)
        column = read_inner_column(reader, m)
        for row, number in zip(rows, column.rows, strict=True):
            # F-98: one has more digits than its slot: `bad_templates` @ the encoding byte.
            if not templates[row].slots[j].holds(number):
                raise FormatError("bad_templates", column.place)
            numbers[row].append(number)
    # F-98: then the sum of the lengths of all rows is charged @ the column's first byte,
    # before a row is made (F-38).
    size = sum(map(_length, templates, numbers))
    budget.charge(size, column_place)
    return list(map(_filled, templates, numbers))


def _template(text: bytes, place: int) -> Template:
    """Parse a template."""
    reader = Reader(text)
    pieces, slots = [bytearray()], []
    while reader.remaining:
        byte = reader.byte()
        w = 0
        if byte in PADDED:
            _, most = PADDED[byte]
            # F-98: a w is missing or out of bounds: `bad_templates` @ the templates' first byte.
            if not reader.remaining:
                raise FormatError("bad_templates", place)
            w = reader.byte()
            if not 1 <= w <= most:
                raise FormatError("bad_templates", place)
        elif byte != DECIMAL:
            pieces[-1].append(byte)
            continue
        slots.append(Slot(byte, w))
        pieces.append(bytearray())
    return Template([bytes(piece) for piece in pieces], slots)


def _length(template: Template, numbers: list[int]) -> int:
    """Return the row's length in bytes."""
    filled = [slot.digits(number) for slot, number in zip(template.slots, numbers, strict=True)]
    return sum(map(len, template.pieces)) + sum(map(len, filled))


def _filled(template: Template, numbers: list[int]) -> bytes:
    """The row."""
    row = bytearray(template.pieces[0])
    for slot, number, piece in zip(template.slots, numbers, template.pieces[1:], strict=True):
        row += slot.digits(number) + piece
    return bytes(row)
