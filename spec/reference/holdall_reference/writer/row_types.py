"""The row type of a value's row (F-47), and gathering (F-51)."""

from __future__ import annotations

from holdall_reference.schema import LATER
from holdall_reference.writer.sites import LIST, MAP, Kind, RowType, RowVariant, Site

# F-51, F-52.
MANY_SITES = 16_384
GATHERING_DEPTH = 32


class RowTypes:
    """The row types and sites that a message has so far."""

    def __init__(self) -> None:
        # F-52: the sites of the message.
        self.site_count = 0
        # F-47: a struct type is one per message for each name.
        self.structs: dict[str, RowType] = {}
        # F-51: one gathered type of each kind.
        self.gathered: dict[Kind, RowType] = {}
        # F-46: the root's depth is 0.
        self.root = self._new_site(0, None)

    def _new_site(self, depth: int, made_in: RowType | None) -> Site:
        self.site_count += 1
        return Site(depth, made_in, made_in is not None and is_known_logical(made_in.kind))

    def add_sites(self, type_: RowType, count: int) -> None:
        """New sites inside a row type."""
        # F-46: one deeper than the site where the type was made; inside a struct 0,
        # inside a gathered type 32.
        type_.inside += [self._new_site(type_.inner_depth, type_) for _ in range(count)]

    def add_names(self, type_: RowType, names: list[str]) -> None:
        """New fields or variants, each with its site."""
        for name in names:
            type_.names[name] = len(type_.names)
        self.add_sites(type_, len(names))

    def take(self, site: Site, kind: Kind) -> RowType:
        """The site's variant of that kind, with a new row of the site (F-47)."""
        variant = site.variant(kind)
        if variant is None:
            if kind[0] == "struct":
                type_ = self.structs.setdefault(kind[1], RowType(kind, None, inner_depth=0))
            else:
                type_ = self._new_row_type(site, kind)
            variant = RowVariant(type_)
            site.add_variant(variant)
        assert isinstance(variant, RowVariant)
        site.rows.append(site.numbers[kind])
        # F-64: 0: the value is the next row.
        variant.references.append(0)
        return variant.type_

    def gathers(self, site: Site) -> bool:
        """Whether a new row type is the gathered one here."""
        # F-74: what is made at a storage is never gathered.
        if site.is_storage:
            return False
        # F-51: a site of depth 32 or more, or any while the message has 16,384 sites or more.
        return site.depth >= GATHERING_DEPTH or self.site_count >= MANY_SITES

    def _new_row_type(self, site: Site, kind: Kind) -> RowType:
        """A new row type, or the gathered one of its kind (F-51)."""
        if not self.gathers(site):
            # F-74: the storage of a logical value has the same depth as the value.
            type_ = RowType(kind, site, site.depth + (0 if is_known_logical(kind) else 1))
        elif kind in self.gathered:
            return self.gathered[kind]
        else:
            # F-51: which is made if need be.
            type_ = RowType(kind, site, GATHERING_DEPTH, gathered=True)
            self.gathered[kind] = type_
        # F-52: those of names come with the names.
        self.add_sites(type_, inner_sites(kind))
        return type_


def is_known_logical(kind: Kind) -> bool:
    """Whether F-72's table says what the storage is."""
    # A kind from E0 on may have any storage, so it is treated like an extension's value.
    return kind[0] == "logical" and int(kind[1], 16) not in LATER


def inner_sites(kind: Kind) -> int:
    """How many sites a new type of this kind has from the start (F-52)."""
    # F-52: a list's 1, a tuple's k, a map's 2, an array's, logical type's or extension's 1.
    if kind[0] == "tuple":
        return int(kind[1])
    if kind[0] in ("array", "logical", "extension"):
        return 1
    return {LIST: 1, MAP: 2}.get(kind, 0)
