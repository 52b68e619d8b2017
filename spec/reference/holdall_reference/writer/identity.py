"""F-45: which values are the same one. Tagged values mark them with `id` and `ref`."""

from __future__ import annotations

from dataclasses import dataclass

from holdall_reference.columns import INT_KINDS
from holdall_reference.tagged import Json, Tagged

# F-45, with null, which it has beside them.
FLOATS = {"f16", "bf16", "f32", "f64"}
SCALARS = {"null", "bool", *INT_KINDS, *FLOATS, "string", "bytes", "fixed"}

# F-45: a tuple of up to this many items that are all scalars or null has no identity.
LONGEST_TUPLE_OF_SCALARS = 8


@dataclass(frozen=True, slots=True)
class Found:
    """What a tagged value stands for."""

    value: Tagged
    """It has neither `id` nor `ref` around it."""
    identity: int | None
    """The value's number, the same at every place; None if it has no identity."""


class Identities:
    """All values with a number, so that keys can be read before they are walked."""

    def __init__(self, root: Tagged) -> None:
        self._numbered: dict[int, Tagged] = {}
        # Those of the extensions that are known to hold another value.
        self._grounded: set[int] = set()
        referenced: set[int] = set()
        # In the order in which they are written, which is that of the walk. The rest of a tagged
        # value has no list of this look: fields are pairs, and all else begins with its own tag.
        stack: list[Json] = [root]
        while stack:
            item = stack.pop()
            if not isinstance(item, list):
                continue
            if len(item) == 3 and item[0] == "id":
                number, value = item[1:]
                assert isinstance(number, int)
                assert isinstance(value, list)
                assert number not in self._numbered, f"id {number} is given twice"
                self._numbered[number] = value
            elif len(item) == 2 and item[0] == "ref" and isinstance(item[1], int):
                assert item[1] in self._numbered, f"ref {item[1]} comes before its id"
                referenced.add(item[1])
            stack += reversed(item)
        self._shared = {self._through(["ref", number])[1] for number in referenced}

    def find(self, tagged: Json) -> Found:
        """A value, and which one it is."""
        value, number = self._through(tagged)
        return Found(value, number if number is not None and self._has_identity(value) else None)

    def plain(self, tagged: Json) -> Tagged:
        """A value without `id` or `ref` around it."""
        return self._through(tagged)[0]

    def is_shared(self, identity: int) -> bool:
        """Whether there is a reference to a value."""
        return identity in self._shared

    def is_only_itself(self, wrapped: Tagged) -> bool:
        """Whether a logical value or extension contains only itself, perhaps through others (F-64)."""
        passed: set[int] = set()
        value = wrapped
        while value[0] in ("logical", "extension") and id(value) not in self._grounded:
            if id(value) in passed:
                return True
            passed.add(id(value))
            value = self.plain(value[-1])
        self._grounded |= passed
        return False

    def _through(self, tagged: Json) -> tuple[Tagged, int | None]:
        """Go through `id` and `ref`. One value may have several numbers: the innermost counts."""
        number: int | None = None
        passed: set[int] = set()
        assert isinstance(tagged, list)
        while tagged[0] in ("id", "ref"):
            assert isinstance(tagged[1], int)
            number = tagged[1]
            if tagged[0] == "ref":
                # F-64: such a value would be nothing but itself.
                assert number not in passed, f"id {number} is nothing but itself"
                passed.add(number)
            tagged = self._numbered[number]
        return tagged, number

    def _has_identity(self, value: Tagged) -> bool:
        # F-45: scalars are values without identity; so is null, which is a scalar to F-35;
        if value[0] in SCALARS:
            return False
        # so is a tuple of up to 8 items that are all scalars or null.
        if value[0] != "tuple":
            return True
        items = value[1]
        assert isinstance(items, list)
        return len(items) > LONGEST_TUPLE_OF_SCALARS or not all(
            self.plain(item)[0] in SCALARS for item in items
        )
