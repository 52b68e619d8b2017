"""Decides which mappings become rows of a record and which of a map (F-49 to F-51)."""

from __future__ import annotations

from holdall_reference.writer.row_types import MANY_SITES, RowTypes, inner_sites
from holdall_reference.writer.sites import (
    MAP,
    RECORD,
    UNDECIDED,
    Kind,
    RowType,
    RowVariant,
    Site,
)

# F-49, F-52.
MOST_FIELDS = 256


def kind_of_mapping(types: RowTypes, site: Site, names: list[str]) -> Kind:
    """Return the site's variant for a mapping (F-49). This may add a record to the site."""
    # F-74: an ordered map's storage is a map whatever its keys are.
    if site.is_storage:
        return MAP
    record = site.variant(RECORD)
    if not names:
        # F-49, 1: the site's record if it has one, else its map, else its undecided variant;
        if record is not None:
            return RECORD
        if MAP in site.numbers:
            return MAP
        # where F-51 applies, the gathered record instead of a new undecided variant.
        return UNDECIDED if UNDECIDED in site.numbers or not types.gathers(site) else RECORD
    if record is not None:
        # F-49, 2: a row of the record if there is room in it, else of the site's map.
        assert isinstance(record, RowVariant)
        return RECORD if _has_room(types, record.type_, names) else MAP
    if MAP in site.numbers:
        # F-49, 3.
        return MAP
    # F-49, 4: more than 256 keys, near the limit of sites, or all keys are data: a map.
    becomes_map = (
        len(names) > MOST_FIELDS
        or types.site_count + len(names) > MANY_SITES
        or all(_is_data(name.encode()) for name in names)
    )
    kind = MAP if becomes_map else RECORD
    if UNDECIDED in site.numbers:
        # F-49, 4: that becomes this record or map.
        _decide(types, site, kind)
    elif kind == RECORD:
        # F-49, 4: folding (F-50), then F-51.
        folded = _fold(site, names)
        if folded is not None:
            site.add_variant(RowVariant(folded))
        elif types.gathers(site):
            # F-51: the gathered record takes a mapping only under the condition of F-49 case 2,
            # else the site's map takes it.
            gathered = types.gathered.get(RECORD)
            if gathered is not None and not _has_room(types, gathered, names):
                kind = MAP
    return kind


def _has_room(types: RowTypes, record: RowType, names: list[str]) -> bool:
    # F-49, 2: k is 0, or the record's fields plus k are at most 256
    # and the sites of the message plus k at most 16,384.
    k = sum(name not in record.names for name in names)
    return k == 0 or (len(record.names) + k <= MOST_FIELDS and types.site_count + k <= MANY_SITES)


def _decide(types: RowTypes, site: Site, kind: Kind) -> None:
    variant = site.variant(UNDECIDED)
    assert isinstance(variant, RowVariant)
    type_ = variant.type_
    # F-49, 4: its rows kept, with no fields, or no entries.
    # They are zeros: the number of the shape without fields, or of entries.
    type_.kind = kind
    if kind == MAP:
        type_.shapes.clear()
    # It counts as created at the site of the undecided variant, so its depth is unchanged.
    types.add_sites(type_, inner_sites(kind))
    # At all sites that have it: some may have another record or map, or undecided variant.
    for each in type_.sites:
        each.number_variants()


def _fold(site: Site, names: list[str]) -> RowType | None:
    """The record that the mapping is folded into (F-50)."""
    # F-50: let t be the row type in which the site was made. While there is a t:
    t = site.made_in
    while t is not None:
        # F-50: t is a record and one of its shapes so far is the sequence of the keys;
        if t.kind == RECORD:
            shape = [t.names.get(name, -1) for name in names]
            if tuple(shape) in t.shapes:
                return t
        # F-50: if t is a struct or gathered, stop;
        if t.kind[0] == "struct" or t.gathered:
            return None
        # F-50: else t becomes the row type in which t's own site was made.
        assert t.made_at is not None
        t = t.made_at.made_in
    return None


def _is_data(key: bytes) -> bool:
    """Whether a key is data rather than a name (F-49)."""
    # F-49: 4 bytes or more of digits, `-`, `.`, `:`; or 8 or more of these, a to f and A to F;
    # in both cases at least one digit.
    digits = set(b"0123456789")
    numeric = digits | set(b"-.:")
    hexadecimal = numeric | set(b"abcdefABCDEF")
    return bool(digits & set(key)) and (
        (len(key) >= 4 and set(key) <= numeric) or (len(key) >= 8 and set(key) <= hexadecimal)
    )
