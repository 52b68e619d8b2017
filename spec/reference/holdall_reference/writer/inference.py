"""Chapter 11: how a value's schema is found, and with it the rows of its columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from holdall_reference.columns import INT_KINDS
from holdall_reference.tagged import Json, Tagged
from holdall_reference.writer.errors import WriterError
from holdall_reference.writer.identity import SCALARS, Identities

# F-49, F-51, F-52.
MOST_FIELDS = 256
MANY_SITES = 16_384
GATHERING_DEPTH = 32
LONGEST_TUPLE = 8

# What tells a site's variants apart (F-47): a scalar's type; else the kind of a row type, with its
# size or name where that belongs to it.
Kind: TypeAlias = "tuple[str, ...]"
LIST: Kind = ("list",)
RECORD: Kind = ("record",)
MAP: Kind = ("map",)
NAMED_UNION: Kind = ("union",)
UNDECIDED: Kind = ("undecided",)


@dataclass(eq=False, slots=True)
class ScalarColumn:
    """A scalar variant of a site, with its rows."""

    name: str
    rows: list[bool | int | bytes] = field(default_factory=list)

    @property
    def kind(self) -> Kind:
        # F-47: a scalar takes the site's variant of its type.
        return (self.name,)


@dataclass(eq=False, slots=True)
class RowType:
    """A row type, with its rows in the order in which they were begun (F-33)."""

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
    """Lengths, or the numbers of shapes or variants; of a tuple nothing but how many there are."""
    sites: list[Site] = field(default_factory=list)
    """Those of which it is a variant (F-49, F-54)."""
    came_again: bool = False
    """Whether a row of it came again (F-54)."""


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
    """A place where values stand (F-46)."""

    depth: int
    made_in: RowType | None
    """The row type in which it was made."""
    variants: list[ScalarColumn | RowVariant] = field(default_factory=list)
    numbers: dict[Kind, int] = field(default_factory=dict)
    """Which variant takes new values of a kind: the first of several (F-65)."""
    rows: list[int | None] = field(default_factory=list)
    """The number of each row's variant; None is null."""

    @property
    def had_null(self) -> bool:
        return None in self.rows

    def number_variants(self) -> None:
        self.numbers = {}
        for number, variant in enumerate(self.variants):
            self.numbers.setdefault(variant.kind, number)


# Something yet to be walked: a value at its site.
Step: TypeAlias = "tuple[Site, Tagged]"


def infer(value: Tagged) -> Site:
    """The root, and through it all sites with their rows."""
    inference = _Inference(Identities(value))
    # F-33: depth-first; the rows that are open are on a stack, since values nest deeply (F-37).
    stack: list[Iterator[Step]] = [iter([(inference.root, value)])]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
        else:
            contents = inference.take(*step)
            if contents is not None:
                stack.append(contents)
    return inference.root


class _Inference:
    """What a message has so far."""

    def __init__(self, identities: Identities) -> None:
        self.identities = identities
        # F-65: of which row type a value with an identity is a row, and its number there.
        self.begun: dict[int, tuple[RowType, int]] = {}
        # F-52: the sites of the message.
        self.site_count = 0
        # F-47: a struct type is one per message for each name.
        self.structs: dict[str, RowType] = {}
        # F-51: one gathered type of each kind.
        self.gathered: dict[Kind, RowType] = {}
        # F-46: the root's depth is 0.
        self.root = self._new_site(0, None)

    def take(self, site: Site, tagged: Tagged) -> Iterator[Step] | None:
        """Begin a row at a site; what is returned walks its contents, and then ends it."""
        found = self.identities.find(tagged)
        if found.identity is None:
            return self._take_new(site, found.value)
        if found.identity in self.begun:
            # F-64: its contents are not walked again.
            self._take_again(site, *self.begun[found.identity])
            return None
        contents = self._take_new(site, found.value)
        # It can come again within itself, so this is known before the contents are walked.
        number = site.rows[-1]
        assert number is not None
        variant = site.variants[number]
        assert isinstance(variant, RowVariant)
        self.begun[found.identity] = variant.type_, len(variant.type_.rows) - 1
        return contents

    def _take_again(self, site: Site, type_: RowType, row: int) -> None:
        # F-65: the site's variant of the row type that it is a row of,
        # which is added at the end of the list if the site lacks it;
        number = next(
            (
                number
                for number, variant in enumerate(site.variants)
                if isinstance(variant, RowVariant) and variant.type_ is type_
            ),
            len(site.variants),
        )
        if number == len(site.variants):
            self._add_variant(site, RowVariant(type_))
        variant = site.variants[number]
        assert isinstance(variant, RowVariant)
        # it is a row of that variant at the site, but no new row of the row type.
        site.rows.append(number)
        variant.references.append(row + 1)
        type_.came_again = True

    def _take_new(self, site: Site, value: Tagged) -> Iterator[Step] | None:
        tag = value[0]
        if tag in SCALARS:
            self._take_scalar(site, value)
            return None
        if tag == "record" or (tag == "map" and self._is_mapping(value)):
            return self._take_mapping(site, value)
        if tag == "map":
            return self._take_map(site, value)
        if tag == "struct":
            return self._take_struct(site, value)
        if tag == "variant":
            return self._take_named_variant(site, value)
        items = _many(value[1])
        if tag == "list":
            type_ = self._row_type(site, LIST)
            type_.rows.append(len(items))
            return ((type_.inside[0], _tagged(item)) for item in items)
        assert tag == "tuple", f"{tag} is no tag"
        # F-52: tuples of more than 8 items.
        if len(items) > LONGEST_TUPLE:
            raise WriterError("unsupported_value")
        type_ = self._row_type(site, ("tuple", str(len(items))))
        type_.rows.append(0)
        return zip(type_.inside, map(_tagged, items), strict=True)

    # Sites and variants.

    def _new_site(self, depth: int, made_in: RowType | None) -> Site:
        self.site_count += 1
        return Site(depth, made_in)

    def _new_sites_inside(self, type_: RowType, count: int) -> None:
        # F-46: one deeper than the site where the type was made; inside a struct 0,
        # inside a gathered type 32.
        type_.inside += [self._new_site(type_.inner_depth, type_) for _ in range(count)]

    def _add_names(self, type_: RowType, names: list[str]) -> None:
        """New fields or variants, each with its site."""
        for name in names:
            type_.names[name] = len(type_.names)
        self._new_sites_inside(type_, len(names))

    def _variant(self, site: Site, kind: Kind) -> ScalarColumn | RowVariant | None:
        number = site.numbers.get(kind)
        return None if number is None else site.variants[number]

    def _add_variant(self, site: Site, variant: ScalarColumn | RowVariant) -> None:
        # F-47: a variant that the site lacks is added at the end of its list.
        # F-65: the first of several of one kind takes new values.
        site.numbers.setdefault(variant.kind, len(site.variants))
        site.variants.append(variant)
        if isinstance(variant, RowVariant):
            variant.type_.sites.append(site)

    def _row_type(self, site: Site, kind: Kind) -> RowType:
        """The site's variant of that kind, with a new row of the site (F-47)."""
        variant = self._variant(site, kind)
        if variant is None:
            if kind[0] == "struct":
                type_ = self.structs.setdefault(kind[1], RowType(kind, None, inner_depth=0))
            else:
                type_ = self._new_row_type(site, kind)
            variant = RowVariant(type_)
            self._add_variant(site, variant)
        assert isinstance(variant, RowVariant)
        site.rows.append(site.numbers[kind])
        # F-64: 0: the value is the next row.
        variant.references.append(0)
        return variant.type_

    def _gathers(self, site: Site) -> bool:
        # F-51: a site of depth 32 or more, or any while the message has 16,384 sites or more.
        return site.depth >= GATHERING_DEPTH or self.site_count >= MANY_SITES

    def _new_row_type(self, site: Site, kind: Kind) -> RowType:
        """A new row type, or the gathered one of its kind (F-51)."""
        if not self._gathers(site):
            type_ = RowType(kind, site, site.depth + 1)
        elif kind in self.gathered:
            return self.gathered[kind]
        else:
            # F-51: which is made if need be.
            type_ = RowType(kind, site, GATHERING_DEPTH, gathered=True)
            self.gathered[kind] = type_
        # F-52: a list's 1, a tuple's k, a map's 2; those of names come with the names.
        self._new_sites_inside(type_, _inner_sites(kind))
        return type_

    # Values that are not mappings.

    def _take_scalar(self, site: Site, value: Tagged) -> None:
        name = _text(value[0])
        if name == "null":
            site.rows.append(None)
            return
        # F-47: a scalar takes the site's variant of its type.
        variant = self._variant(site, (name,))
        if variant is None:
            variant = ScalarColumn(name)
            self._add_variant(site, variant)
        assert isinstance(variant, ScalarColumn)
        site.rows.append(site.numbers[(name,)])
        variant.rows.append(_scalar(name, value[1]))

    def _take_map(self, site: Site, value: Tagged) -> Iterator[Step]:
        entries = [_many(entry) for entry in _many(value[1])]
        # F-45: the keys of a map that are scalars or null differ: here, the same type and bits.
        keys = [self.identities.plain(key) for key, _ in entries]
        _check_different([key for key in keys if key[0] in SCALARS])
        # F-49: a map at the site takes the site's map, which is added if need be.
        type_ = self._row_type(site, MAP)
        type_.rows.append(len(entries))
        return _walk_map(type_, entries)

    def _take_struct(self, site: Site, value: Tagged) -> Iterator[Step]:
        fields = [_many(entry) for entry in _many(value[2])]
        # F-45: the fields of a struct differ.
        _check_different([name for name, _ in fields])
        type_ = self._row_type(site, ("struct", _text(value[1])))
        # F-33: the row gets its number now, since others of this type may begin inside it.
        type_.rows.append(-1)
        return self._walk_struct(type_, len(type_.rows) - 1, fields)

    def _walk_struct(self, type_: RowType, row: int, fields: list[Tagged]) -> Iterator[Step]:
        for name, item in fields:
            # F-53: a struct's new fields are added when the turn of their values comes,
            if name not in type_.names:
                # F-52: more than 256 fields.
                if len(type_.names) == MOST_FIELDS:
                    raise WriterError("unsupported_value")
                self._add_names(type_, [_text(name)])
            yield type_.inside[type_.names[_text(name)]], _tagged(item)
        # F-53: and its shape is known when the row ends.
        shape = tuple([type_.names[_text(name)] for name, _ in fields])
        type_.rows[row] = type_.shapes.setdefault(shape, len(type_.shapes))

    def _take_named_variant(self, site: Site, value: Tagged) -> Iterator[Step]:
        name = _text(value[1])
        type_ = self._row_type(site, NAMED_UNION)
        # F-47: a named union has the variants that came, each with a payload site.
        if name not in type_.names:
            self._add_names(type_, [name])
        number = type_.names[name]
        type_.rows.append(number)
        return iter([(type_.inside[number], _tagged(value[2]))])

    # Mappings, F-49 to F-51.

    def _is_mapping(self, value: Tagged) -> bool:
        """Whether a tagged map is a mapping: a map is not empty, nor are all its keys strings."""
        return all(
            self.identities.plain(_many(entry)[0])[0] == "string" for entry in _many(value[1])
        )

    def _take_mapping(self, site: Site, value: Tagged) -> Iterator[Step]:
        entries = [_many(entry) for entry in _many(value[1])]
        names = [
            _text(key if value[0] == "record" else self.identities.plain(key)[1])
            for key, _ in entries
        ]
        items = [_tagged(item) for _, item in entries]
        # F-45: the keys of a mapping differ.
        _check_different(names)
        kind = self._kind_of_mapping(site, names)
        type_ = self._row_type(site, kind)
        if kind == MAP:
            type_.rows.append(len(names))
            # F-49: at a map, a mapping's keys are values of type string.
            keys: list[Json] = [["string", name] for name in names]
            return _walk_map(type_, [[k, v] for k, v in zip(keys, items, strict=True)])
        # F-49: new keys become new fields, at the end.
        self._add_names(type_, [name for name in names if name not in type_.names])
        # F-53: a row's shape is known when it is begun for a mapping.
        shape = tuple([type_.names[name] for name in names])
        type_.rows.append(type_.shapes.setdefault(shape, len(type_.shapes)))
        return iter([(type_.inside[i], item) for i, item in zip(shape, items, strict=True)])

    def _kind_of_mapping(self, site: Site, names: list[str]) -> Kind:
        """Of which of the site's variants the mapping is a row (F-49). It may get a record here."""
        record = self._variant(site, RECORD)
        if not names:
            # F-49, 1: the site's record if it has one, else its map, else its undecided variant;
            if record is not None:
                return RECORD
            if MAP in site.numbers:
                return MAP
            # where F-51 applies, the gathered record instead of a new undecided variant.
            return UNDECIDED if UNDECIDED in site.numbers or not self._gathers(site) else RECORD
        if record is not None:
            # F-49, 2: a row of the record if there is room in it, else of the site's map.
            assert isinstance(record, RowVariant)
            return RECORD if self._has_room(record.type_, names) else MAP
        if MAP in site.numbers:
            # F-49, 3.
            return MAP
        # F-49, 4: more than 256 keys, near the limit of sites, or all keys are data: a map.
        becomes_map = (
            len(names) > MOST_FIELDS
            or self.site_count + len(names) > MANY_SITES
            or all(_is_data(name.encode()) for name in names)
        )
        kind = MAP if becomes_map else RECORD
        if UNDECIDED in site.numbers:
            # F-49, 4: that becomes this record or map.
            self._decide(site, kind)
        elif kind == RECORD:
            # F-49, 4: folding (F-50), then F-51.
            folded = self._fold(site, names)
            if folded is not None:
                self._add_variant(site, RowVariant(folded))
            elif self._gathers(site):
                # F-51: the gathered record takes a mapping only under the condition of F-49 case 2,
                # else the site's map takes it.
                gathered = self.gathered.get(RECORD)
                if gathered is not None and not self._has_room(gathered, names):
                    kind = MAP
        return kind

    def _has_room(self, record: RowType, names: list[str]) -> bool:
        # F-49, 2: k is 0, or the record's fields plus k are at most 256
        # and the sites of the message plus k at most 16,384.
        k = sum(name not in record.names for name in names)
        return k == 0 or (
            len(record.names) + k <= MOST_FIELDS and self.site_count + k <= MANY_SITES
        )

    def _decide(self, site: Site, kind: Kind) -> None:
        variant = self._variant(site, UNDECIDED)
        assert isinstance(variant, RowVariant)
        type_ = variant.type_
        # F-49, 4: its rows kept, with no fields, or no entries.
        # They are zeros: the number of the shape without fields, or of entries.
        type_.kind = kind
        if kind == MAP:
            type_.shapes.clear()
        # It counts as made where the undecided variant was, so its depth is what it was.
        self._new_sites_inside(type_, _inner_sites(kind))
        # At all sites that have it: some may have another record or map, or undecided variant.
        for each in type_.sites:
            each.number_variants()

    def _fold(self, site: Site, names: list[str]) -> RowType | None:
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


def _walk_map(type_: RowType, entries: list[Tagged]) -> Iterator[Step]:
    # F-33: map entries in order, key before value.
    key_site, value_site = type_.inside
    for key, item in entries:
        yield key_site, _tagged(key)
        yield value_site, _tagged(item)


def _inner_sites(kind: Kind) -> int:
    """How many sites a new type of this kind has from the start (F-52)."""
    if kind[0] == "tuple":
        return int(kind[1])
    return {LIST: 1, MAP: 2}.get(kind, 0)


def _is_data(key: bytes) -> bool:
    """Whether a key is data, and not a name (F-49)."""
    # F-49: 4 bytes or more of digits, `-`, `.`, `:`; or 8 or more of these, a to f and A to F;
    # in both cases at least one digit.
    digits = set(b"0123456789")
    numeric = digits | set(b"-.:")
    hexadecimal = numeric | set(b"abcdefABCDEF")
    return bool(digits & set(key)) and (
        (len(key) >= 4 and set(key) <= numeric) or (len(key) >= 8 and set(key) <= hexadecimal)
    )


def _check_different(keys: list[Json] | list[str] | list[Tagged]) -> None:
    if len(set(map(repr, keys))) < len(keys):
        raise WriterError("duplicate_key")


def _scalar(name: str, content: Json) -> bool | int | bytes:
    """What columns hold of a tagged scalar."""
    if name == "bool":
        assert isinstance(content, bool)
        return content
    text = _text(content)
    if name == "string":
        return text.encode("utf-8")
    if name == "bytes":
        return bytes.fromhex(text)
    if name in ("f32", "f64"):
        # Tagged values have the digits of the IEEE bits as a number; the bytes are little-endian.
        return bytes.fromhex(text)[::-1]
    number = int(text)
    assert INT_KINDS[name].holds(number), f"{number} is no {name}"
    return number


def _text(item: Json) -> str:
    assert isinstance(item, str)
    return item


def _many(item: Json) -> Tagged:
    assert isinstance(item, list)
    return item


# A tagged value is a list in JSON as well; the name says which of the two is meant.
_tagged = _many
