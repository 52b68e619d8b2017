"""Chapter 11: infers a value's schema, and with it the rows of its columns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

from holdall_reference.columns import INT_KINDS
from holdall_reference.limits import MAX_RANK
from holdall_reference.packable import bad_bool, width
from holdall_reference.tagged import Json, Tagged
from holdall_reference.writer.errors import WriterError
from holdall_reference.writer.identity import FLOATS, SCALARS, Identities
from holdall_reference.writer.mappings import MOST_FIELDS, kind_of_mapping
from holdall_reference.writer.row_types import RowTypes
from holdall_reference.writer.schema_parser import parse_packable
from holdall_reference.writer.sites import (
    LIST,
    MAP,
    NAMED_UNION,
    Kind,
    RowType,
    RowVariant,
    ScalarColumn,
    Site,
    TensorRow,
)
from holdall_reference.writer.storage import check_parameters, checked_storage, kind_number

# F-74.
LONGEST_TUPLE = 8

# A value still to be walked, and its site.
Step: TypeAlias = "tuple[Site, Tagged]"


def infer(value: Tagged) -> Site:
    """Return the root, which leads to all sites and their rows."""
    inference = _Inference(Identities(value))
    # F-33: depth-first; the rows that are open are on a stack, since values nest deeply (F-37).
    stack: list[Iterator[Step]] = [iter([(inference.types.root, value)])]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
        else:
            contents = inference.take(*step)
            if contents is not None:
                stack.append(contents)
    return inference.types.root


class _Inference:
    """The state of a message so far."""

    def __init__(self, identities: Identities) -> None:
        self.identities = identities
        # F-65: of which row type a value with an identity is a row, and its number there.
        self.begun: dict[int, tuple[RowType, int]] = {}
        self.types = RowTypes()

    def take(self, site: Site, tagged: Tagged) -> Iterator[Step] | None:
        """Start a row at a site. The result walks its contents and then ends it."""
        found = self.identities.find(tagged)
        if found.identity is None:
            return self._take_new(site, found.value)
        if site.is_storage and self.identities.is_shared(found.identity):
            # F-74: what is made at a storage is never a definition, so no row of it is repeated.
            raise WriterError("unsupported_value")
        if found.identity in self.begun:
            # F-64: its contents are not walked again.
            self._back_reference(site, *self.begun[found.identity])
            return None
        contents = self._take_new(site, found.value)
        # It can be referenced within itself, so this is known before the contents are walked.
        number = site.rows[-1]
        assert number is not None
        variant = site.variants[number]
        assert isinstance(variant, RowVariant)
        self.begun[found.identity] = variant.type_, len(variant.type_.rows) - 1
        return contents

    def _back_reference(self, site: Site, type_: RowType, row: int) -> None:
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
            site.add_variant(RowVariant(type_))
        variant = site.variants[number]
        assert isinstance(variant, RowVariant)
        # it is a row of that variant at the site, but no new row of the row type.
        site.rows.append(number)
        variant.references.append(row + 1)
        type_.is_referenced = True

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
        if tag == "tensor":
            self._take_tensor(site, value)
            return None
        if tag == "logical":
            return self._take_logical(site, value)
        if tag == "extension":
            # F-64: no reader takes it.
            if self.identities.is_only_itself(value):
                raise WriterError("unsupported_value")
            # F-47: extension of that name.
            type_ = self._begin(site, ("extension", _text(value[1])))
            return iter([(type_.inside[0], _tagged(value[2]))])
        if tag == "unknown":
            # F-74: a dynamic value is never written as unknown.
            raise WriterError("unsupported_value")
        return self._take_items(site, value)

    def _begin(self, site: Site, kind: Kind, number: int = 0) -> RowType:
        """A new row of a type: its length, or 0 if it has no column."""
        type_ = self.types.take(site, kind)
        type_.rows.append(number)
        return type_

    # Values that are not mappings.

    def _take_scalar(self, site: Site, value: Tagged) -> None:
        name = _text(value[0])
        if name == "null":
            site.rows.append(None)
            return
        content = _scalar(name, value[1])
        # F-47: a scalar takes the site's variant of its type: of fixed, of its size.
        kind: Kind = (name,)
        if name == "fixed":
            assert isinstance(content, bytes)
            kind = (name, str(len(content)))
        variant = site.variant(kind)
        if variant is None:
            variant = ScalarColumn(kind)
            site.add_variant(variant)
        assert isinstance(variant, ScalarColumn)
        site.rows.append(site.numbers[kind])
        variant.rows.append(content)

    def _take_items(self, site: Site, value: Tagged) -> Iterator[Step]:
        tag = _text(value[0])
        items = _many(value[1])
        if tag == "tuple" and len(items) <= LONGEST_TUPLE:
            type_ = self._begin(site, (tag, str(len(items))))
            return zip(type_.inside, map(_tagged, items), strict=True)
        if tag == "tuple":
            # F-74: a tuple of more than 8 items is written as logical long tuple.
            return self._take_logical(site, ["logical", "long_tuple", "", ["list", items]])
        assert tag in ("list", "array"), f"{tag} is no tag"
        # F-47: list, or array of k, whose length is no column.
        kind, length = (LIST, len(items)) if tag == "list" else ((tag, str(len(items))), 0)
        type_ = self._begin(site, kind, length)
        return ((type_.inside[0], _tagged(item)) for item in items)

    def _take_logical(self, site: Site, value: Tagged) -> Iterator[Step]:
        _, name, digits, storage = value
        # F-64: no reader takes it.
        if self.identities.is_only_itself(value):
            raise WriterError("unsupported_value")
        kind, parameters = kind_number(_text(name)), bytes.fromhex(_text(digits))
        check_parameters(kind, parameters)
        storage = checked_storage(kind, parameters, _tagged(storage), self.identities.plain)
        # F-47: logical of that kind and parameters.
        type_ = self._begin(site, ("logical", f"{kind:02X}", parameters.hex()))
        return iter([(type_.inside[0], storage)])

    def _take_tensor(self, site: Site, value: Tagged) -> None:
        text, sizes, order, digits = value[1:]
        item = parse_packable(_text(text))
        dimensions = [int(_text(size)) for size in _many(sizes)]
        # F-76: more than 32.
        if len(dimensions) > MAX_RANK:
            raise WriterError("unsupported_value")
        elements = bytes.fromhex(_text(digits))
        assert len(elements) == math.prod(dimensions) * width(item), "elements of other dimensions"
        assert bad_bool(item, elements) is None, "a bool is 00 or 01"
        # F-76: a writer MUST give order 0 to a tensor of rank 0 or 1.
        is_column = order == "column" and len(dimensions) > 1
        # F-47: tensor of that type.
        type_ = self._begin(site, ("tensor", _text(text)))
        type_.tensors.append(TensorRow(dimensions, int(is_column), elements))

    def _take_map(self, site: Site, value: Tagged) -> Iterator[Step]:
        entries = [_many(entry) for entry in _many(value[1])]
        # F-45: the keys of a map that are scalars or null differ: here, the same type and bits.
        keys = [self.identities.plain(key) for key, _ in entries]
        _check_different([key for key in keys if key[0] in SCALARS])
        # F-49: a map at the site takes the site's map, which is added if need be.
        type_ = self._begin(site, MAP, len(entries))
        return _walk_map(type_, entries)

    def _take_struct(self, site: Site, value: Tagged) -> Iterator[Step]:
        fields = [_many(entry) for entry in _many(value[2])]
        # F-45: the fields of a struct differ.
        _check_different([name for name, _ in fields])
        # F-33: the row gets its number now, since others of this type may begin inside it.
        type_ = self._begin(site, ("struct", _text(value[1])), -1)
        return self._walk_struct(type_, len(type_.rows) - 1, fields)

    def _walk_struct(self, type_: RowType, row: int, fields: list[Tagged]) -> Iterator[Step]:
        for name, item in fields:
            # F-53: a struct's new fields are added when the turn of their values comes,
            if name not in type_.names:
                # F-52: more than 256 fields.
                if len(type_.names) == MOST_FIELDS:
                    raise WriterError("unsupported_value")
                self.types.add_names(type_, [_text(name)])
            yield type_.inside[type_.names[_text(name)]], _tagged(item)
        # F-53: and its shape is known when the row ends.
        shape = tuple([type_.names[_text(name)] for name, _ in fields])
        type_.rows[row] = type_.shapes.setdefault(shape, len(type_.shapes))

    def _take_named_variant(self, site: Site, value: Tagged) -> Iterator[Step]:
        name = _text(value[1])
        type_ = self._begin(site, NAMED_UNION, -1)
        # F-47: a named union has the variants that came, each with a payload site.
        if name not in type_.names:
            self.types.add_names(type_, [name])
        number = type_.rows[-1] = type_.names[name]
        return iter([(type_.inside[number], _tagged(value[2]))])

    # Mappings.

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
        kind = kind_of_mapping(self.types, site, names)
        type_ = self.types.take(site, kind)
        if kind == MAP:
            type_.rows.append(len(names))
            # F-49: at a map, a mapping's keys are values of type string.
            keys: list[Json] = [["string", name] for name in names]
            return _walk_map(type_, [[k, v] for k, v in zip(keys, items, strict=True)])
        # F-49: new keys become new fields, at the end.
        self.types.add_names(type_, [name for name in names if name not in type_.names])
        # F-53: a row's shape is known when it is begun for a mapping.
        shape = tuple([type_.names[name] for name in names])
        type_.rows.append(type_.shapes.setdefault(shape, len(type_.shapes)))
        return iter([(type_.inside[i], item) for i, item in zip(shape, items, strict=True)])


def _walk_map(type_: RowType, entries: list[Tagged]) -> Iterator[Step]:
    # F-33: map entries in order, key before value.
    key_site, value_site = type_.inside
    for key, item in entries:
        yield key_site, _tagged(key)
        yield value_site, _tagged(item)


def _check_different(keys: list[Json] | list[str] | list[Tagged]) -> None:
    if len(set(map(repr, keys))) < len(keys):
        raise WriterError("duplicate_key")


def _scalar(name: str, content: Json) -> bool | int | bytes:
    """Return the column entry of a tagged scalar."""
    if name == "bool":
        assert isinstance(content, bool)
        return content
    text = _text(content)
    if name == "string":
        return text.encode("utf-8")
    if name in ("bytes", "fixed"):
        return bytes.fromhex(text)
    if name in FLOATS:
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
