# ruff: noqa: E501
"""Misreadings that no vector can notice: they change no result of a reader.

The keys of misreadings are listed by reason. `python -m tests.misreadings` reports which are missing
here and which a vector notices after all.
"""

from __future__ import annotations

REASONS: dict[str, list[str]] = {
    "the list has one item, the first and the last": [
        "assembly._begin_logical: one less: 0 in storage = site.inside[0]",
        "assembly._map_contents: one less: 0 in tagged = entry[0]",
        "assembly._reach: one less: 0 in site = site.inside[0]",
        "assembly._reach: one less: 0 in site = site.inside[0] (2)",
        "assembly._reach: one less: 0 in site = site.inside[0] (3)",
        "assembly._walk: one less: 0 in root = holder[0]",
        "assembly.assemble: one less: 0 in return assemble_roots(block, 1)[0]",
        "logical._complex: one less: 0 in item = _scalar(f'f{8 * parameters[0]}')",
        "logical._ip: one less: 0 in return _fixed({4: 4, 6: 16}[parameters[0]])",
        "numbers.Reader.byte: one less: 0 in return self.take(1)[0]",
        "resolution_pairs.Pair.child: one less: 0 in return self.children[0][1]",
        "resolution._Resolver.fit_into_union: one less: 0 in pair.cause = 0",
        "resolution_pairs.first_error: one more: 1 in children = children[pair.cause:][:1]",
        "resolution_rows._Rows.convert: one less: 0 in return numbered(holder[0])",
        "resolution_rows._Rows.convert: one less: 0 in self.put(pair, value, holder, 0, None)",
        "resolution_rows._Rows.put_all: one less: 0 in pair = pairs[i if len(pairs) > 1 else 0]",
        "resolution_rows._Rows.read: one less: 0 in into, at = (row.holder, 0)",
        "resolution_drafts.check_keys: one less: 0 in key = key.holder[0] if isinstance(key, SharedRow) else key.row",
        "resolution_drafts.numbered: one less: 0 in places.append((each.holder[0], into, at))",
        "resolution_drafts.numbered: one less: 0 in places: list[tuple[Draft, list[Draft], int]] = [(draft, holder, 0)]",
        "resolution_drafts.numbered: one less: 0 in stack.append(each.holder[0])",
        "resolution_drafts.numbered: one less: 0 in value: Tagged = holder[0]",
    ],
    "a list, array or tensor has one type for all items, whatever their numbers": [
        "resolution._Resolver.fit_sequences: one less: 0 in self.add(pair, '[]', self.pair(item_type(w, 0), item_type(r, 0)))",
        "resolution._Resolver.fit_sequences: one less: 0 in self.add(pair, '[]', self.pair(item_type(w, 0), item_type(r, 0))) (2)",
        "resolution._Resolver.fit_sequences: one more: 0 in self.add(pair, '[]', self.pair(item_type(w, 0), item_type(r, 0)))",
        "resolution._Resolver.fit_sequences: one more: 0 in self.add(pair, '[]', self.pair(item_type(w, 0), item_type(r, 0))) (2)",
    ],
    "the two kinds are the same here": [
        "resolution._Resolver.same_logical: one less: 0 in if names[0] in TIMES and w.parameters[1:] == r.parameters[1:]:",
        "resolution._Resolver.same_logical: one less: 0 in if w.parameters == r.parameters or names[0] == 'complex':",
        "resolution._Resolver.same_logical: one more: 0 in if names[0] in TIMES and w.parameters[1:] == r.parameters[1:]:",
        "resolution._Resolver.same_logical: one more: 0 in if w.parameters == r.parameters or names[0] == 'complex':",
    ],
    "two kinds are never all three of them": [
        "resolution._Resolver.same_logical: boundary: set(names) <= LISTS in return set(names) <= LISTS",
    ],
    "a reference's value is the one of its number, which its first place has too": [
        "resolution_rows._Rows.integer: one less: 0 in value = value[2] if value[0] == 'id' else self.known[value[1]]",
        "resolution_rows._Rows.integer: one more: 0 in value = value[2] if value[0] == 'id' else self.known[value[1]]",
        "resolution_rows._Rows.plain_key: one less: 0 in key = key[2] if key[0] == 'id' else self.known[key[1]]",
        "resolution_rows._Rows.plain_key: one more: 0 in key = key[2] if key[0] == 'id' else self.known[key[1]]",
    ],
    "the value compared in place of the tag is the tag itself, or is never such a text": [
        "resolution_rows._Rows.integer: one less: 0 in if value[0] == 'unknown':",
        "resolution_rows._Rows.plain_key: one less: 0 in if key[0] == 'unknown':",
        "resolution_rows._Rows.read: one less: 0 in absent = value[0] == 'null'",
        "resolution_rows._Rows.read: one less: 0 in if pair.line == 'options' and value[0] != 'null':",
        "resolution_rows._Rows.read: one less: 0 in if pair.line == 'some' and value[0] != 'unknown':",
        "resolution_rows._Rows.scaled: one less: 0 in if storage[0] == 'unknown':",
    ],
    "the tag of a number in another unit is ignored": [
        "resolution_rows._Rows.scaled: one less: 0 in return [storage[0], str(number)]",
        "resolution_rows._Rows.scaled: one more: 0 in return [storage[0], str(number)]",
    ],
    "of a time of two fields only the first factor is used": [
        "resolution._Resolver.fit_seconds: one less: 1 in pair.scale = (10 ** 9 // 1000 ** time.parameters[0], 1)",
        "resolution._Resolver.fit_seconds: one more: 1 in pair.scale = (10 ** 9 // 1000 ** time.parameters[0], 1)",
    ],
    "several pairs fail together, so none of them shows its own error": [
        "resolution._Resolver.fit_named_unions: code: 'incompatible' in failure = self.failure(writer, pair.reader, 'incompatible', NO_LINE)",
    ],
    "of two equal types either takes the value, to the same one": [
        "resolution._Resolver.fit_into_union: one more: 1 in chosen = [each for each in variants if equal_types(w, each)][:1]",
    ],
    "a struct of that name is first in the list in any case": [
        "resolution._Resolver.fit_into_union: one less: 1 in chosen = [each for each, own in zip(variants, names, strict=True) if own[:1] == [w.type.name]] + [each for each, own in zip(variants, names, strict=True) if w.type.name in own[1:]] (2)",
    ],
    "a row of another variant is the same with and without `Some` beside it: where this is asked, r takes nothing of `Some`": [
        "resolution._Resolver.fit_some: one less: 0 in others = tuple((each for each in w.type.variants if each[0] != 'Some'))",
        "resolution._Resolver.fit_some: one more: 0 in others = tuple((each for each in w.type.variants if each[0] != 'Some'))",
        "resolution_rows._Rows.explicit: one less: 0 in return (value, others[0])",
    ],
    "a row that is not of the variant `Some` is of another one": [
        "resolution_rows._Rows.explicit: check dropped: if not others:",
    ],
    "the bytes have been checked, and charge far less": [
        "resolution_rows.module: one less: 62 in NO_BUDGET = 1 << 62",
        "resolution_rows.module: one more: 1 in NO_BUDGET = 1 << 62",
        "resolution_rows.module: one more: 62 in NO_BUDGET = 1 << 62",
    ],
    "faults inside zstd have no offset": [
        "columns.zstd.read_encoded: one less: 0 in column = read_rest(inside, inner_encoding, 0)",
        "columns.zstd.read_encoded: one less: 0 in raise FormatError('bad_inner_encoding', 0)",
        "columns.zstd.read_encoded: one more: 0 in column = read_rest(inside, inner_encoding, 0)",
        "columns.zstd.read_encoded: one more: 0 in raise FormatError('bad_inner_encoding', 0)",
        "columns.zstd.read_encoded: place: FormatError('bad_inner_encoding', 0) in raise FormatError('bad_inner_encoding', 0)",
    ],
    "zstd refuses such a block too": [
        "columns.zstd.module: one more: 3 in RLE_BLOCK, RESERVED_BLOCK = (1, 3)",
    ],
    "no byte is 256": [
        "checksum.module: one more: 256 in TABLE = [_entry(byte) for byte in range(256)]",
        "columns.encodings.module: one more: 256 in LATER = range(224, 256)",
        "schema.module: one more: 256 in LATER = range(224, 256)",
        "stream.module: one more: 256 in LATER = range(224, 256)",
    ],
    "a byte has no bit 8": [
        "numbers.Reader.varint: boundary: k < 8 in while k < 8 and first >> k & 1:",
        "numbers.Reader.varint: one more: 8 in while k < 8 and first >> k & 1:",
    ],
    "the number is odd": [
        "numbers.from_zigzag: one more: 1 in return number // 2 if number % 2 == 0 else -((number + 1) // 2)",
        "schema_reader._TypeReader._read_name: one less: 1 in entry = (v - 1) // 2",
    ],
    "the bit more is one already: the highest, which is not written": [
        "columns.inner._read_widths: one less: 1 in pattern = 1 << width - 1 | bits_at(payload, at, width - 1) (3)",
    ],
    "the bits of more bytes are cut off": [
        "columns.frames.bits_at: one less: 8 in window = payload[bit // 8:(bit + width + 7) // 8] (2)",
        "columns.frames.bits_at: one more: 7 in window = payload[bit // 8:(bit + width + 7) // 8]",
    ],
    "fields of no bits are 0 the long way too": [
        "columns.frames.read_frame: one less: 0 in if width == 0:",
    ],
    "a column of no rows reads nothing": [
        "shapes.read_sparse: one less: 0 in if total == 0:",
    ],
    "no kind has more than 64 bits and less than 128": [
        "columns.frames.IntKind.wide: one more: 64 in return self.width is None or self.width > 64",
    ],
    "rows of u8 and i8 have no bounds whose places are reported": [
        "columns.ints.read_ints: sign: start + i in return Ints(rows, start, [start + i for i in range(n)])",
    ],
    "no position is below 0": [
        "columns.inner.read_positions: one more: 1 in before = -1",
    ],
    "without numbers there is one variant, or one shape, the first and the last": [
        "assembly._begin: one less: 0 in number = site.numbers[row] if site.numbers else 0",
    ],
    "it holds in any case: the rows that are left are counted before": [
        "assembly._take: boundary: row < site.row_count in assert row < site.row_count, 'a walk never takes more rows than there are'",
    ],
    "2^26 is no multiple of 1,000": [
        "limits.may_be_filled: boundary: UNITS_PER_BYTE * input_length > LEAST_BUDGET in return UNITS_PER_BYTE * input_length > LEAST_BUDGET",
    ],
    "readers do not look at these levels: those of a schema are counted where it is read": [
        "packable.is_packable: one less: 1 in for each, _ in preorder(type_, 1):",
        "packable.is_packable: one less: 1 in return all((has_width(each) for each, _ in preorder(type_, 1)))",
        "packable.is_packable: one more: 1 in for each, _ in preorder(type_, 1):",
        "packable.is_packable: one more: 1 in return all((has_width(each) for each, _ in preorder(type_, 1)))",
        "schema.preorder: one less: 1 in stack += [(each, level + 1) for each in reversed(types_inside(type_))]",
        "schema.preorder: one more: 1 in stack += [(each, level + 1) for each in reversed(types_inside(type_))]",
        "schema.preorder: sign: level + 1 in stack += [(each, level + 1) for each in reversed(types_inside(type_))]",
    ],
    "fewer than no definitions are none": [
        "schema_reader.read_schema: one less: 0 in count = 0",
    ],
    "a number that came before was within bounds": [
        "schema_reader._TypeReader._read_shape: swapped: if number >= field_count:",
    ],
    "both checks give the same code at the same place": [
        "envelope._read_extended_flags: swapped: if extended == 0 or (extended & CHECKSUM and (not extended & LENGTH)):",
        "schema_reader._TypeReader._read_union: swapped: if not named and count < 2:",
    ],
    "a code is one of the first or one of the second": [
        "schema_reader._TypeReader.read: swapped: if code in (NEVER, NULL, OPTION):",
    ],
    "no bits are cut off, so none is lost": [
        "resolution_numbers._nan: boundary: lacking <= 0 in if lacking <= 0:",
        "resolution_numbers._nan: one less: 0 in if lacking <= 0:",
    ],
    "no two types of float differ in one bit of the fraction": [
        "resolution_numbers._nan: one more: 0 in if lacking <= 0:",
    ],
    "infinity is what a NaN of no bits becomes": [
        "resolution_numbers.float_from_float: boundary: bits > from_.infinity in if bits > from_.infinity:",
    ],
    "4 more and 4 less are the same in multiples of 8": [
        "stream._StreamReader.read_index: sign: start + CHECKSUM_SIZE in for at, byte in enumerate(reader.take(-(start + CHECKSUM_SIZE) % MULTIPLE)):",
    ],
    "behind the preamble nothing is found at 0": [
        "stream._StreamReader.next_frame: boundary: (at := self.data.find(self.sync, at)) >= 0 in while (at := self.data.find(self.sync, at)) >= 0:",
        "stream._StreamReader.next_frame: one more: 0 in while (at := self.data.find(self.sync, at)) >= 0:",
    ],
    "the frame that has a fault has it the second time too": [
        "stream._StreamReader.read: one less: 1 in found = self.next_frame(at + 1)",
    ],
}
EXPLAINED = {key: reason for reason, keys in REASONS.items() for key in keys}
