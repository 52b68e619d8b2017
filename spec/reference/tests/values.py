"""Random values for the tests of writers."""

from __future__ import annotations

import math

from holdall_reference import Tagged, dumps
from holdall_reference.tagged import Json
from hypothesis import strategies as st

NAMES = ["a", "b", "c", "next", "ä", "", "2024", "12345678ab"]
WIDTHS = [f"{sign}{width}" for sign in "ui" for width in (8, 16, 32, 64, 128)]
FLOATS = {"f16": 4, "bf16": 4, "f32": 8, "f64": 16}
SCALARS = ["null", "bool", "int", *WIDTHS, *FLOATS, "string", "bytes", "fixed"]
ROWS = ["list", "tuple", "record", "struct", "map", "variant"]
ROWS += ["array", "tensor", "logical", "extension"]
LOGICAL = ["date", "set", "long_tuple", "ordered_map", "uuid", "E0"]
DEEPEST = 6


class Maker:
    """Builds a value from a test's draws. (Nested strategies would take minutes.)"""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def one_of(self, items: list[str]) -> str:
        return items[self.number(0, len(items) - 1)]

    def value(self, depth: int) -> Tagged:
        choice = self.number(0, 9)
        if depth >= DEEPEST or choice < 2:
            return self.scalar(self.one_of(SCALARS))
        if choice < 4:
            return self.long_list(self.one_of(SCALARS))
        kind = self.one_of(ROWS)
        if kind == "variant":
            return [kind, self.one_of(["X", "Y", "Z"]), self.value(depth + 1)]
        if kind == "extension":
            return [kind, self.one_of(["x", "y"]), self.value(depth + 1)]
        if kind == "tensor":
            return self.tensor()
        if kind == "logical":
            return self.logical(depth)
        count = self.number(0, 10 if kind == "tuple" else 5)
        if kind in ("list", "tuple", "array"):
            return [kind, [self.value(depth + 1) for _ in range(count)]]
        if kind == "map":
            return self.map(depth, count)
        names = dict.fromkeys(self.one_of(NAMES) for _ in range(count))
        fields: list[Json] = [[name, self.value(depth + 1)] for name in names]
        return [kind, fields] if kind == "record" else [kind, self.one_of(["A", "B"]), fields]

    def map(self, depth: int, count: int) -> Tagged:
        keys = {dumps(key): key for key in [self.key(depth) for _ in range(count)]}
        return ["map", [[key, self.value(depth + 1)] for key in keys.values()]]

    def logical(self, depth: int) -> Tagged:
        name = self.one_of(LOGICAL)
        count = self.number(0, 5)
        storage: Tagged
        if name == "date":
            storage = self.scalar("int")
        elif name == "uuid":
            storage = ["fixed", self.draw(st.binary(min_size=16, max_size=16)).hex()]
        elif name == "ordered_map":
            storage = self.map(depth, count)
        elif name == "E0":
            return ["logical", name, "07", self.value(depth + 1)]
        else:
            storage = ["list", [self.value(depth + 1) for _ in range(count)]]
        return ["logical", name, "", storage]

    def tensor(self) -> Tagged:
        item, size = [("u8", 1), ("tuple(u16, array(3, i8))", 5), ("f64", 8)][self.number(0, 2)]
        dimensions = [self.number(0, 4) for _ in range(self.number(0, 3))]
        order = "column" if len(dimensions) > 1 and self.number(0, 1) else "row"
        length = math.prod(dimensions) * size
        elements = self.draw(st.binary(min_size=length, max_size=length)).hex()
        return ["tensor", item, [str(each) for each in dimensions], order, elements]

    def key(self, depth: int) -> Tagged:
        return (
            self.value(depth + 1) if self.number(0, 9) == 0 else self.scalar(self.one_of(SCALARS))
        )

    def long_list(self, kind: str) -> Tagged:
        """Many rows of one type: unordered, sorted or repeating."""
        items = [self.scalar(kind) for _ in range(self.number(1, 12))]
        order = self.number(0, 2)
        if order == 0 and kind in ("int", *WIDTHS):
            items.sort(key=lambda item: int(str(item[1])))
        elif order == 1:
            items = [
                items[self.number(0, min(2, len(items) - 1))] for _ in range(self.number(4, 30))
            ]
        return ["list", [*items]]

    def scalar(self, kind: str) -> Tagged:
        if kind == "null":
            return [kind]
        if kind == "bool":
            return [kind, self.number(0, 1) == 1]
        if kind in FLOATS:
            digits = FLOATS[kind]
            return [kind, f"{self.number(0, 16**digits - 1):0{digits}x}"]
        if kind == "fixed":
            size = self.number(0, 3)
            return [kind, self.draw(st.binary(min_size=size, max_size=size)).hex()]
        if kind == "string":
            return [kind, self.draw(st.text(max_size=4))]
        if kind == "bytes":
            return [kind, self.draw(st.binary(max_size=4)).hex()]
        width = 66 if kind == "int" else int(kind[1:])
        low, high = (
            (0, 2**width - 1) if kind[0] == "u" else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
        )
        if self.number(0, 1):
            low, high = max(low, -9), min(high, 300)
        return [kind, str(self.number(low, high))]


@st.composite
def values(draw: st.DrawFn) -> Tagged:
    return Maker(draw).value(0)


def as_mapping(tagged: Json) -> Json:
    """Records as maps, since chapter 11 has one mapping for both."""
    if not isinstance(tagged, list):
        return tagged
    parts = [as_mapping(part) for part in tagged]
    if len(parts) == 2 and parts[0] == "record" and isinstance(parts[1], list):
        entries: list[Json] = [
            [["string", entry[0]], entry[1]] for entry in parts[1] if isinstance(entry, list)
        ]
        return ["map", entries]
    return parts
