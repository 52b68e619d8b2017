"""Chapter 13: reads values into the types that `resolve` has paired.

The values come from marked_schema. For unnamed unions and options it adds what the walk of
chapter 7 knows and a tagged value does not show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from holdall_reference.assembly import assemble, is_compared
from holdall_reference.block import read_block
from holdall_reference.envelope import decode_message, read_head, read_schema_of
from holdall_reference.limits import Budget
from holdall_reference.logical import LONG_TUPLE, kind_name
from holdall_reference.numbers import PADDED_MULTIPLE, Reader
from holdall_reference.paths import Path, field_step, join
from holdall_reference.resolution import resolve
from holdall_reference.resolution_drafts import (
    BackReference,
    Draft,
    SharedRow,
    check_keys,
    elements_of,
    fill,
    items_of,
    make_tuple,
    numbered,
    packed_hex,
    storage_of,
    values_with_numbers,
)
from holdall_reference.resolution_numbers import float_from_float, float_from_int, in_range
from holdall_reference.resolution_pairs import FIELDS, Options, Pair, line_rule
from holdall_reference.resolution_types import (
    Place,
    ResolutionError,
    equal_types,
    marked_schema,
    scalar_name,
    sequence_size,
)
from holdall_reference.schema import (
    Array,
    Extension,
    Fixed,
    List,
    Logical,
    Record,
    Scalar,
    Schema,
    Tensor,
    Tuple,
    Union,
)
from holdall_reference.tagged import Tagged

# Far more than any test's message costs: the budget has been checked before.
NO_BUDGET = 1 << 62
# The lines that an unknown value passes: the one for its type, and those that read w as the type inside r.
UNKNOWN_LINES = {"unknown", "into_extension", "into_logical"}
UNKNOWN = "F-77"


def read_message(
    data: bytes,
    reader_schema: Schema,
    options: Options | None = None,
    *,
    schemas: Mapping[int, Schema] | Iterable[Schema] = (),
    budget: int | None = None,
) -> Tagged:
    """The value of a message, read with another schema."""
    # All bytes are checked, including those that r omits.
    decode_message(data, schemas=schemas, budget=budget)
    writer_schema, value = marked_message(data, schemas)
    pair = resolve(writer_schema, reader_schema, options)
    return convert(pair, value, options)


def marked_message(
    data: bytes, schemas: Mapping[int, Schema] | Iterable[Schema] = ()
) -> tuple[Schema, Tagged]:
    """The schema of a valid message, and its value as of `marked_schema`."""
    reader = Reader(data)
    head = read_head(reader)
    schema = read_schema_of(reader, head.flags, schemas)
    reader.aligned = head.aligned
    reader.skip_padding(PADDED_MULTIPLE)
    return schema, marked_block(reader, schema)


def marked_block(reader: Reader, schema: Schema) -> Tagged:
    """The value of a valid block, as of `marked_schema`."""
    return assemble(read_block(reader, marked_schema(schema), Budget(NO_BUDGET)))


def convert(pair: Pair, value: Tagged, options: Options | None = None) -> Tagged:
    """Return a marked value of the writer's in the types of the reader's schema."""
    return _Rows(options or Options()).convert(pair, value)


Task: TypeAlias = Callable[[], None]


class _Rows:
    def __init__(self, options: Options) -> None:
        self.options = options
        # Pending work, the next task last: data nest deeper than the call stack allows (F-37).
        self.tasks: list[Task] = []
        # The shared values, by their numbers in the data.
        self.known: dict[int, Tagged] = {}
        self.rows: dict[int, list[SharedRow]] = {}

    def convert(self, pair: Pair, value: Tagged) -> Tagged:
        self.known = values_with_numbers(value)
        holder: list[Draft] = [None]
        self.put(pair, value, holder, 0, None)
        while self.tasks:
            self.tasks.pop()()
        return numbered(holder[0])

    def put(
        self,
        pair: Pair,
        value: Draft,
        into: list[Draft],
        at: int,
        path: Path,
        *,
        identity: bool = True,
    ) -> None:
        """Schedule reading a value into its place."""
        self.tasks.append(lambda: self.read(pair, value, into, at, path, identity=identity))

    def put_all(
        self,
        pairs: list[Pair],
        values: list[Draft],
        into: list[Draft],
        path: Path,
        *,
        identity: bool = True,
    ) -> None:
        """Schedule reading items, the first one first."""
        for i in reversed(range(len(values))):
            pair = pairs[i if len(pairs) > 1 else 0]
            self.put(pair, values[i], into, i, join(path, f"[{i}]"), identity=identity)

    def read(
        self, pair: Pair, value: Draft, into: list[Draft], at: int, path: Path, *, identity: bool
    ) -> None:
        """Follow the lines that only choose another pair, then build the value."""
        numbers: list[int] = []
        line = pair.line
        while True:
            if pair.failed:
                # Only lines 3 to 5 lead here to one that fails.
                raise self.unconvertible(pair, path, line_rule(line))
            line = pair.line
            if value[0] == "id":
                numbers.append(value[1])
                value = value[2]
            elif value[0] == "ref":
                numbers.append(value[1])
                value = self.known[value[1]]
            elif pair.line == "options" and value[0] != "null":
                value, pair = value[2], pair.child
            elif pair.line == "from_option":
                absent = value[0] == "null"
                pair = pair.children[0 if absent else 1][1]
                value = value if absent else value[2]
            elif pair.line == "from_union":
                value, pair = value[2], pair.children[int(value[1])][1]
            elif pair.line == "onward":
                pair = pair.child
            elif pair.line == "some" and value[0] != "unknown":
                value, pair = self.explicit(pair, value, path)
            elif pair.line == "into_union":
                # F-78, line 6: the first that can be read, whatever the value is.
                pair = next(child for _, child in pair.children if not child.failed)
            elif pair.line == "from_extension":
                value, pair = value[2], pair.child
            elif pair.line == "from_logical":
                value, pair = storage_of(value), pair.child
            else:
                break
        if identity and numbers:
            # F-80: the same value, if it is read into the same type.
            row = self.row_back_reference(numbers, pair.reader)
            if row is not None:
                into[at] = BackReference(row)
                return
            into[at] = row = SharedRow(pair.reader)
            for number in numbers:
                self.rows.setdefault(number, []).append(row)
            into, at = row.holder, 0
        into[at] = self.make(pair, value, path)

    def explicit(self, pair: Pair, value: Draft, path: Path) -> tuple[Draft, Pair]:
        """F-97, line 5: a present value, as the variant `Some` or another one."""
        some, *others = [child for _, child in pair.children]
        if pair.own_some is not None and not pair.own_some.failed:
            return value, others[-1]
        if value[1] == "Some":
            return value[2], some
        if not others:
            raise self.unconvertible(pair, path)
        return value, others[0]

    def row_back_reference(self, numbers: list[int], reader: Place) -> SharedRow | None:
        for number in numbers:
            for row in self.rows.get(number, ()):
                if equal_types(row.reader, reader):
                    return row
        return None

    def unconvertible(self, pair: Pair, path: Path, rule: str = "") -> ResolutionError:
        """Return the error for a value that does not fit, by default with the line of its pair."""
        return ResolutionError(
            "unconvertible",
            path,
            rule or line_rule(pair.line),
            f"{pair.writer.text()} as {pair.reader.text()}",
        )

    def make(self, pair: Pair, value: Draft, path: Path) -> Draft:
        """Build a value of r's type; its contents follow later."""
        if value[0] == "unknown" and pair.line not in UNKNOWN_LINES:
            # F-77: no type of r's knows it.
            raise self.unconvertible(pair, path, UNKNOWN)
        return getattr(self, "make_" + pair.line)(pair, value, path)

    def make_null(self, pair: Pair, value: Draft, path: Path) -> Draft:
        return ["null"]

    make_options = make_null

    def make_unknown(self, pair: Pair, value: Draft, path: Path) -> Draft:
        return ["unknown"]

    def make_same(self, pair: Pair, value: Draft, path: Path) -> Draft:
        return value

    make_same_tensors = make_same

    def make_integers(self, pair: Pair, value: Draft, path: Path) -> Draft:
        assert isinstance(pair.reader.type, Scalar)
        if not in_range(int(value[1]), pair.reader.type.code):
            raise self.unconvertible(pair, path)
        return [scalar_name(pair.reader), value[1]]

    def make_into_float(self, pair: Pair, value: Draft, path: Path) -> Draft:
        assert isinstance(pair.reader.type, Scalar)
        digits = float_from_int(int(value[1]), pair.reader.type.code)
        if digits is None:
            raise self.unconvertible(pair, path)
        return [scalar_name(pair.reader), digits]

    def make_floats(self, pair: Pair, value: Draft, path: Path) -> Draft:
        w, r = pair.writer.type, pair.reader.type
        assert isinstance(w, Scalar)
        assert isinstance(r, Scalar)
        digits = float_from_float(value[1], w.code, r.code, rounds=self.options.rounds)
        if digits is None:
            raise self.unconvertible(pair, path)
        return [scalar_name(pair.reader), digits]

    def make_bytes(self, pair: Pair, value: Draft, path: Path) -> Draft:
        return self.bytes_of(pair, value[1], path)

    def bytes_of(self, pair: Pair, digits: str, path: Path) -> Draft:
        if not isinstance(pair.reader.type, Fixed):
            return ["bytes", digits]
        if len(digits) != 2 * pair.reader.type.size:
            raise self.unconvertible(pair, path)
        return ["fixed", digits]

    def make_tensors(self, pair: Pair, value: Draft, path: Path) -> Draft:
        made: Draft = ["tensor", scalar_name(pair.child.reader), value[2], value[3], None]
        items: list[Draft] = elements_of(pair.writer, value)
        read: list[Draft] = [None] * len(items)
        self.tasks.append(lambda: fill(made, 4, packed_hex(pair.child.reader, read)))
        self.put_all([pair.child], items, read, path, identity=False)
        return made

    def make_items(self, pair: Pair, value: Draft, path: Path) -> Draft:
        r = pair.reader
        items = items_of(pair.writer, value)
        size = sequence_size(r)
        if items is None or (size is not None and size != len(items)):
            raise self.unconvertible(pair, path)
        pairs = [child for _, child in pair.children]
        read: list[Draft] = [None] * len(items)
        if isinstance(r.type, (List, Array, Tuple)):
            self.put_all(pairs, items, read, path)
            tag = {List: "list", Array: "array", Tuple: "tuple"}[type(r.type)]
            return [tag, read]
        # Packed values cannot have an identity.
        made: Draft
        if isinstance(r.type, Tensor):
            item = r.inside(r.type.item)
            made = ["tensor", scalar_name(item), [str(len(items))], "row", None]
            self.tasks.append(lambda: fill(made, 4, packed_hex(item, read)))
        else:
            made = ["fixed" if isinstance(r.type, Fixed) else "bytes", None]
            self.tasks.append(lambda: fill(made, 1, "".join(f"{int(b[1]):02x}" for b in read)))
        self.put_all(pairs, items, read, path, identity=False)
        return made

    def make_fields(self, pair: Pair, value: Draft, path: Path) -> Draft:
        """F-79."""
        r = pair.reader.type
        assert isinstance(r, Record)
        entries = value[-1]
        if value[0] == "map":
            entries = [(self.plain_key(pair, key, path), item) for key, item in entries]
        has: dict[str, Draft] = {}
        twice = set()
        for name, item in entries:
            if name in has:
                twice.add(name)
            has[name] = item
        fields: dict[str, list[Draft]] = {}
        later: list[tuple[Pair, Draft, str]] = []
        taken: dict[str, str] = {}
        for plan in pair.fields:
            for name, child in plan.sources:
                if name in has:
                    # F-35: keys in definitions are not compared when they are read.
                    if name in twice:
                        at = join(path, field_step(name))
                        raise ResolutionError("duplicate_key", at, FIELDS)
                    fields[plan.name] = [plan.name, None]
                    later.append((child, has[name], plan.name))
                    taken[name] = plan.name
                    break
            else:
                if plan.default is not None:
                    fields[plan.name] = [plan.name, plan.default]
                elif not plan.leaves_out:
                    at = join(path, field_step(plan.name))
                    raise ResolutionError("missing_field", at, FIELDS)
        if self.options.unknown_fields_are_errors and value[0] == "map":
            sources = {name for plan in pair.fields for name, _ in plan.sources}
            for name in has:
                if name not in sources:
                    raise ResolutionError("unknown_field", join(path, field_step(name)), FIELDS)
        if any(plan.leaves_out for plan in pair.fields):
            # F-79: where r's rows have an order of their own, it is that of w's row.
            order = [taken[name] for name in has if name in taken]
            fields = {name: fields.pop(name) for name in order} | fields
            later.sort(key=lambda each: order.index(each[2]))
        for child, item, name in reversed(later):
            self.put(child, item, fields[name], 1, join(path, field_step(name)))
        made = list(fields.values())
        return ["record", made] if r.name is None else ["struct", r.name, made]

    def plain_key(self, pair: Pair, key: Draft, path: Path) -> str:
        """Return a string key, which may be shared."""
        while key[0] != "string":
            if key[0] == "unknown":
                raise self.unconvertible(pair, path, UNKNOWN)
            key = key[2] if key[0] == "id" else self.known[key[1]]
        return str(key[1])

    def make_into_map(self, pair: Pair, value: Draft, path: Path) -> Draft:
        w = pair.writer.type
        assert isinstance(w, Record)
        names = [name for name, _ in w.fields]
        children = dict(zip(names, [child for _, child in pair.children], strict=True))
        entries: list[Draft] = [[["string", name], None] for name, _ in value[-1]]
        for entry, (name, item) in reversed(list(zip(entries, value[-1], strict=True))):
            self.put(children[name], item, entry, 1, join(path, field_step(name)))
        return ["map", entries]

    def make_maps(self, pair: Pair, value: Draft, path: Path) -> Draft:
        (_, key), (_, item) = pair.children
        entries: list[Draft] = [[None, None] for _ in value[1]]
        # Keys of one type can't become equal.
        meant = key.reader.inside
        is_looked_at = is_compared(key.reader.type, lambda type_: meant(type_).type)
        if is_looked_at and not equal_types(key.writer, key.reader):
            self.tasks.append(lambda: check_keys(entries, path))
        for i in reversed(range(len(entries))):
            self.put(item, value[1][i][1], entries[i], 1, join(path, f"[{i}]"))
            self.put(key, value[1][i][0], entries[i], 0, join(path, f"[{i}].key"))
        return ["map", entries]

    def make_variants(self, pair: Pair, value: Draft, path: Path) -> Draft:
        w = pair.writer.type
        assert isinstance(w, Union)
        number = [name for name, _ in w.variants].index(value[1])
        step, child = pair.children[number]
        if child.failed:
            raise self.unconvertible(child, join(path, step), line_rule("variants"))
        made: Draft = ["variant", pair.variant_names[number], ["null"]]
        if child.line == "skipped":
            return made
        self.put(child, value[2], made, 2, join(path, step))
        return made

    def make_extensions(self, pair: Pair, value: Draft, path: Path) -> Draft:
        return self.make_extension(pair, value[2], path)

    def make_into_extension(self, pair: Pair, value: Draft, path: Path) -> Draft:
        return self.make_extension(pair, value, path)

    def make_extension(self, pair: Pair, inside: Draft, path: Path) -> Draft:
        assert isinstance(pair.reader.type, Extension)
        made: Draft = ["extension", pair.reader.type.name, None]
        self.put(pair.child, inside, made, 2, path)
        return made

    def make_logicals(self, pair: Pair, value: Draft, path: Path) -> Draft:
        return self.make_logical(pair, self.scaled(pair, storage_of(value), path), path)

    def make_from_seconds(self, pair: Pair, value: Draft, path: Path) -> Draft:
        # F-78, line 15.
        numbers = dict(value[-1])
        seconds, nanoseconds = (self.integer(pair, numbers[name], path) for name in pair.seconds)
        number, rest = divmod(seconds * 10**9 + nanoseconds, pair.scale[0])
        r = pair.reader.type
        assert isinstance(r, Logical)
        storage = self.ranged(pair, pair.reader.inside(r.storage), number, path)
        if not 0 <= nanoseconds < 10**9 or rest:
            raise self.unconvertible(pair, path)
        return ["logical", kind_name(r.kind), r.parameters.hex(), storage]

    def make_into_seconds(self, pair: Pair, value: Draft, path: Path) -> Draft:
        # F-78, line 14.
        number = self.integer(pair, storage_of(value), path) * pair.scale[0]
        parts = dict(zip(pair.seconds, divmod(number, 10**9), strict=True))
        r = pair.reader.type
        assert isinstance(r, Record)
        fields = [
            [name, self.ranged(pair, pair.reader.inside(each), parts[name], path)]
            for name, each in r.fields
        ]
        return ["record", fields] if r.name is None else ["struct", r.name, fields]

    def ranged(self, pair: Pair, reader: Place, number: int, path: Path) -> Draft:
        """An integer of a type that is not the pair's own."""
        assert isinstance(reader.type, Scalar)
        if not in_range(number, reader.type.code):
            raise self.unconvertible(pair, path)
        return [scalar_name(reader), str(number)]

    def integer(self, pair: Pair, value: Draft, path: Path) -> int:
        while value[0] in ("id", "ref"):
            value = value[2] if value[0] == "id" else self.known[value[1]]
        if value[0] == "unknown":
            raise self.unconvertible(pair, path, UNKNOWN)
        return int(value[1])

    def make_into_logical(self, pair: Pair, value: Draft, path: Path) -> Draft:
        return self.make_logical(pair, value, path)

    def make_logical(self, pair: Pair, storage: Draft, path: Path) -> Draft:
        r = pair.reader.type
        assert isinstance(r, Logical)
        made: Draft = ["logical", kind_name(r.kind), r.parameters.hex(), None]
        if r.kind == LONG_TUPLE:
            self.tasks.append(lambda: make_tuple(made))
        self.put(pair.child, storage, made, 3, path)
        return made

    def scaled(self, pair: Pair, storage: Draft, path: Path) -> Draft:
        """A time in another unit: its number, alone or before a zone."""
        up, down = pair.scale
        if up == down:
            return storage
        if storage[0] == "tuple":
            number = self.scaled(pair, storage[1][0], join(path, "[0]"))
            return ["tuple", [number, *storage[1][1:]]]
        if storage[0] == "unknown":
            return storage
        number, rest = divmod(int(storage[1]) * up, down)
        if rest:
            raise self.unconvertible(pair, path, line_rule("units"))
        return [storage[0], str(number)]
