"""The results of inference: sites with their variants, and row types with their rows (F-46, F-47)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

# What distinguishes a site's variants (F-47): a scalar's type; else the kind of a row type, with its
# size or name where that belongs to it.
Kind: TypeAlias = "tuple[str, ...]"
LIST: Kind = ("list",)
RECORD: Kind = ("record",)
MAP: Kind = ("map",)
NAMED_UNION: Kind = ("union",)
UNDECIDED: Kind = ("undecided",)


class TensorRow(NamedTuple):
    """A row of a tensor's type."""

    dimensions: list[int]
    order: int
    elements: bytes


@dataclass(eq=False, slots=True)
class ScalarColumn:
    """A scalar variant of a site, with its rows."""

    kind: Kind
    """F-47: a scalar takes the site's variant of its type: its name, and a fixed's size."""
    rows: list[bool | int | bytes] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.kind[0]


@dataclass(eq=False, slots=True)
class RowType:
    """A row type, with its rows in the order in which they started (F-33)."""

    kind: Kind
    made_at: Site | None
    """The site where it was first made."""
    inner_depth: int
    """The depth of the sites inside (F-46)."""
    gathered: bool = False
    inside: list[Site] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    """The numbers of the fields, or of a named union's variants."""
    shapes: dict[tuple[int, ...], int] = field(default_factory=dict)
    """The numbers of the shapes, by first appearance (F-53)."""
    rows: list[int] = field(default_factory=list)
    """Lengths, or the numbers of shapes or variants; of others nothing but how many there are."""
    tensors: list[TensorRow] = field(default_factory=list)
    """The rows of a tensor."""
    sites: list[Site] = field(default_factory=list)
    """Those of which it is a variant (F-49, F-54)."""
    is_referenced: bool = False
    """Whether a row of it is repeated (F-54)."""


@dataclass(eq=False, slots=True)
class RowVariant:
    """A row type as a variant of a site."""

    type_: RowType
    references: list[int] = field(default_factory=list)
    """For each row at the site 0 if it is a new one, else the number of the row, plus 1 (F-64)."""

    @property
    def kind(self) -> Kind:
        return self.type_.kind

    @property
    def is_shared(self) -> bool:
        # F-54: a row came here that had come before.
        return any(self.references)


@dataclass(eq=False, slots=True)
class Site:
    """A place of values (F-46)."""

    depth: int
    made_in: RowType | None
    """The row type in which it was made."""
    is_storage: bool = False
    """Whether it is the storage of a logical type of F-72's table (F-74)."""
    variants: list[ScalarColumn | RowVariant] = field(default_factory=list)
    numbers: dict[Kind, int] = field(default_factory=dict)
    """Which variant takes new values of a kind: the first of several (F-65)."""
    rows: list[int | None] = field(default_factory=list)
    """The number of each row's variant; None is null."""

    @property
    def had_null(self) -> bool:
        return None in self.rows

    def variant(self, kind: Kind) -> ScalarColumn | RowVariant | None:
        """Return the variant that takes new values of a kind."""
        number = self.numbers.get(kind)
        return None if number is None else self.variants[number]

    def add_variant(self, variant: ScalarColumn | RowVariant) -> None:
        # F-47: a variant that the site lacks is added at the end of its list.
        # F-65: the first of several of one kind takes new values.
        self.numbers.setdefault(variant.kind, len(self.variants))
        self.variants.append(variant)
        if isinstance(variant, RowVariant):
            variant.type_.sites.append(self)

    def number_variants(self) -> None:
        self.numbers = {}
        for number, variant in enumerate(self.variants):
            self.numbers.setdefault(variant.kind, number)


def element_sizes(root: Site) -> Iterator[int]:
    """The bytes of the elements of each row type of tensors (F-69)."""
    seen: set[RowType] = set()
    sites = [root]
    while sites:
        for variant in sites.pop().variants:
            if isinstance(variant, RowVariant) and variant.type_ not in seen:
                seen.add(variant.type_)
                yield sum(len(row.elements) for row in variant.type_.tensors)
                sites += variant.type_.inside
