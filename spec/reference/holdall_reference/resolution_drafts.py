"""Chapter 13: incomplete values, with empty slots and rows that may be shared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from holdall_reference.assembly import LONGEST_TUPLE
from holdall_reference.packable import unpack, width
from holdall_reference.paths import Path, join
from holdall_reference.resolution_pairs import line_rule
from holdall_reference.resolution_types import Place, ResolutionError, scalar_name
from holdall_reference.schema import BOOL, INTEGERS, Scalar, Tensor
from holdall_reference.tagged import Tagged

# Tagged values with empty slots, and with SharedRow in place of shared values.
Draft: TypeAlias = Any


@dataclass(eq=False)
class SharedRow:
    """A shared value in the data. It stays one value wherever it is read into the same type."""

    reader: Place
    # The value itself.
    holder: list[Draft] = field(default_factory=lambda: [None])


@dataclass(frozen=True)
class BackReference:
    row: SharedRow


def fill(into: list[Draft], at: int, value: Draft) -> None:
    into[at] = value


def storage_of(value: Draft) -> Draft:
    """The storage of a logical value; a long tuple may be one of the walk's tuples already."""
    return ["list", value[1]] if value[0] == "tuple" else value[3]


def make_tuple(value: Draft) -> None:
    # F-72: a tuple of more than 8 items is what long tuple means.
    items = value[3][1]
    if len(items) > LONGEST_TUPLE:
        value[:] = ["tuple", items]


def items_of(writer: Place, value: Draft) -> list[Draft] | None:
    """Return the items of a sequence, or None for a tensor of a rank other than 1."""
    if value[0] in ("bytes", "fixed"):
        return [["u8", str(byte)] for byte in bytes.fromhex(value[1])]
    if value[0] == "tensor":
        return elements_of(writer, value) if len(value[2]) == 1 else None
    return list(value[1])


def elements_of(writer: Place, value: Draft) -> list[Draft]:
    """The elements of a tensor, as they are stored."""
    assert isinstance(writer.type, Tensor)
    item, data = writer.type.item, bytes.fromhex(value[4])
    size = width(item)
    return [unpack(item, data[at : at + size]) for at in range(0, len(data), size)]


def packed_hex(item: Place, values: list[Draft]) -> str:
    """Scalars in the bytes of F-70, in hexadecimal digits."""
    assert isinstance(item.type, Scalar)
    code = item.type.code
    if code == BOOL:
        return "".join("01" if value[1] else "00" for value in values)
    if code in INTEGERS:
        signed = scalar_name(item)[0] == "i"
        size = width(item.type)
        return "".join(
            int(value[1]).to_bytes(size, "little", signed=signed).hex() for value in values
        )
    return "".join(bytes.fromhex(value[1])[::-1].hex() for value in values)


def check_keys(entries: list[Draft], path: Path) -> None:
    # F-78: different keys that become equal.
    keys = set()
    for i, (key, _) in enumerate(entries):
        while isinstance(key, (SharedRow, BackReference)):
            key = key.holder[0] if isinstance(key, SharedRow) else key.row
        if tuple(key) in keys:
            at = join(path, f"[{i}].key")
            raise ResolutionError("duplicate_key", at, line_rule("maps"))
        keys.add(tuple(key))


def values_with_numbers(value: Tagged) -> dict[int, Tagged]:
    """Return all shared values (`["id", k, value]`) inside a value, by number."""
    known: dict[int, Tagged] = {}
    stack: list[Draft] = [value]
    while stack:
        each = stack.pop()
        if not isinstance(each, list):
            continue
        # Nothing else has three parts, the first of which is "id", but a field of that name
        # has two.
        if len(each) == 3 and each[0] == "id":
            known[each[1]] = each[2]
        stack += each
    return known


def numbered(draft: Draft) -> Tagged:
    """Return the complete value, with repeated values numbered in order."""
    order: dict[SharedRow, int] = {}
    referenced: set[SharedRow] = set()
    stack: list[Draft] = [draft]
    while stack:
        each = stack.pop()
        if isinstance(each, BackReference):
            referenced.add(each.row)
        elif isinstance(each, SharedRow):
            stack.append(each.holder[0])
        elif isinstance(each, list):
            stack += each
    holder: list[Draft] = [None]
    places: list[tuple[Draft, list[Draft], int]] = [(draft, holder, 0)]
    while places:
        each, into, at = places.pop()
        if isinstance(each, BackReference):
            into[at] = ["ref", order[each.row]]
        elif isinstance(each, SharedRow):
            if each in referenced:
                into[at] = inside = ["id", order.setdefault(each, len(order)), None]
                into, at = inside, 2
            places.append((each.holder[0], into, at))
        elif isinstance(each, list):
            into[at] = made = [None] * len(each)
            places += [(each[i], made, i) for i in reversed(range(len(each)))]
        else:
            into[at] = each
    value: Tagged = holder[0]
    return value
