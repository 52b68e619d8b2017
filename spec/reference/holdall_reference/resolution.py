"""Chapter 13: reading with another schema. This file handles types, and resolution_rows.py values.

`resolve` pairs the types of the writer's schema with those of the reader's (F-78), once. The
result can read any number of values.
"""

from __future__ import annotations

from holdall_reference.logical import KINDS
from holdall_reference.paths import field_step, variant_step
from holdall_reference.resolution_pairs import (
    FIELDS,
    NO_LINE,
    FieldPlan,
    Options,
    Pair,
    first_error,
    line_rule,
    self_line,
)
from holdall_reference.resolution_types import (
    Place,
    equal_types,
    has_no_values,
    has_some,
    is_bytes,
    is_element,
    is_explicit_some,
    is_scalar,
    is_sequence,
    item_type,
    leads_onward,
    place,
    sequence_size,
    takes_null,
    union_code,
)
from holdall_reference.schema import (
    ALL_FIELDS,
    BOOL,
    BYTES,
    FLOAT_SIZES,
    INTEGERS,
    NULL,
    STRING,
    Extension,
    Fixed,
    Logical,
    Map,
    Option,
    Record,
    Scalar,
    Schema,
    Tensor,
    Tuple,
    Union,
    Unknown,
)

NULL_TYPE = Scalar(NULL)

KIND_NAMES = {kind: each.name for kind, each in KINDS.items()}
LISTS = {"set", "frozen_set", "long_tuple"}
TIMES = {"time", "timestamp", "duration"}
# F-97: by kind, and zone, the fields of a time's seconds and nanoseconds.
SECONDS = {
    ("duration",): ("secs", "nanos"),
    ("timestamp", 1): ("secs_since_epoch", "nanos_since_epoch"),
}


def resolve(writer: Schema, reader: Schema, options: Options | None = None) -> Pair:
    """Return the pair of the roots, or raise an error if it is not readable. Reads no row (F-78)."""
    return _Resolver(options or Options()).resolve(
        place(writer.root, writer), place(reader.root, reader)
    )


class _Resolver:
    def __init__(self, options: Options) -> None:
        self.options = options
        self.pairs: dict[tuple[object, ...], Pair] = {}
        self.new: list[Pair] = []
        # Unions without their variant Some: one for each, as a pair is known by its types.
        self.without_some: dict[int, Union] = {}

    def resolve(self, writer: Place, reader: Place) -> Pair:
        root = self.pair(writer, reader)
        # Chains of definitions can be deeper than the stack.
        while self.new:
            self.fit(self.new.pop())
        self.spread()
        if root.failed:
            raise first_error(root)
        return root

    def pair(self, writer: Place, reader: Place, trail: frozenset[int] = frozenset()) -> Pair:
        """F-78: a repeated pair, even inside itself, is the same pair."""
        key = (id(writer.type), id(writer.schema), id(reader.type), id(reader.schema), trail)
        if key not in self.pairs:
            self.pairs[key] = Pair(writer, reader, trail)
            self.new.append(self.pairs[key])
        return self.pairs[key]

    def add(self, parent: Pair, step: str, child: Pair) -> Pair:
        parent.children.append((step, child))
        child.parents.append(parent)
        return child

    def onward(self, parent: Pair, reader: Place) -> Pair:
        """The writer's type with one inside the reader's, lines 5, 6, 11 and 15.

        Through these lines alone no pair leads to itself: it would be of infinite depth.
        """
        trail = parent.trail | {id(parent.reader.type)}
        if id(reader.type) in trail:
            return self.failure(parent.writer, reader, "incompatible", self_line(reader))
        # At the end, the pair may be one that was already reached in another way.
        trail = trail if leads_onward(parent.writer, reader) else frozenset()
        return self.pair(parent.writer, reader, trail)

    def failure(self, writer: Place, reader: Place, code: str, rule: str) -> Pair:
        return Pair(writer, reader, line="none", code=code, rule=rule)

    def fail(self, pair: Pair, rule: str) -> None:
        pair.line, pair.code, pair.rule = "none", "incompatible", rule

    def spread(self) -> None:
        """Mark the pairs that are not readable: those of no line, and those that need them.

        All others are readable, even recursive ones, because no pair that they need fails.
        """
        every: list[Pair] = list(self.pairs.values())
        every += [child for pair in self.pairs.values() for _, child in pair.children]
        new = list({id(each): each for each in every if each.code is not None}.values())
        for each in new:
            each.failed = True
        while new:
            for parent in new.pop().parents:
                if parent.failed:
                    continue
                if parent.any_will_do and any(not each.failed for _, each in parent.children):
                    continue
                parent.failed = True
                new.append(parent)

    def fit(self, pair: Pair) -> None:
        """Find the line of F-78's table that a pair fits, the first of them."""
        for line in (
            self.fit_options_and_unions,
            self.fit_extensions,
            self.fit_logical,
            self.fit_scalars,
            self.fit_sequences,
            self.fit_fields,
        ):
            if line(pair):
                return
        self.fail(pair, NO_LINE)

    def fit_options_and_unions(self, pair: Pair) -> bool:
        w, r = pair.writer, pair.reader
        if has_no_values(w):
            pair.line = "nothing"
        elif isinstance(w.type, Option) and isinstance(r.type, Option):
            pair.line = "options"
            inner = w.inside(w.type.item)
            # F-78, lines 2 and 5: where `Some` says how many options are present, with all of r.
            child = r if has_some(inner) else r.inside(r.type.item)
            self.add(pair, "", self.pair(inner, child))
        elif isinstance(w.type, Option):
            pair.line, pair.any_will_do, pair.cause = "from_option", True, 1
            self.add(pair, "", self.pair(w.inside(NULL_TYPE), r))
            self.add(pair, "", self.pair(w.inside(w.type.item), r))
        elif isinstance(w.type, Union) and not w.type.named:
            pair.line, pair.any_will_do = "from_union", True
            for _, each in w.type.variants:
                self.add(pair, "", self.pair(w.inside(each), r))
        elif isinstance(r.type, Option):
            if is_scalar(w, NULL):
                pair.line = "null"
            elif not is_explicit_some(w) or not self.fit_some(pair, r.inside(r.type.item)):
                pair.line = "onward"
                self.add(pair, "", self.onward(pair, r.inside(r.type.item)))
        elif isinstance(r.type, Union) and not r.type.named:
            self.fit_into_union(pair, [r.inside(each) for _, each in r.type.variants])
        elif isinstance(w.type, Union) and isinstance(r.type, Union):
            self.fit_named_unions(pair, w.type, r.type)
        else:
            return False
        return True

    def fit_some(self, pair: Pair, inner: Place) -> bool:
        """F-78, line 5: a union whose variant `Some` says that an option is present."""
        w = pair.writer
        assert isinstance(w.type, Union)
        # The type inside all of r's options.
        innermost, met = inner, set[int]()
        while isinstance(innermost.type, (Option, Logical, Extension)):
            if id(innermost.type) in met:
                return False
            met.add(id(innermost.type))
            item = (
                innermost.type.storage
                if isinstance(innermost.type, Logical)
                else innermost.type.item
            )
            innermost = innermost.inside(item)
        payload = w.inside(dict(w.type.variants)["Some"])
        whole = None
        if isinstance(innermost.type, Union):
            if not innermost.type.named:
                return False
            _, own = self.variants_of(innermost, innermost.type).get("Some", (None, None))
            if own is not None:
                pair.own_some = self.pair(payload, own)
                whole = self.pair(w, inner)
            elif self.other_of(innermost, innermost.type) is not None:
                return False
        pair.line, pair.any_will_do = "some", True
        self.add(pair, "", self.pair(payload, inner))
        others = tuple(each for each in w.type.variants if each[0] != "Some")
        if others:
            rest = self.without_some.setdefault(id(w.type), Union(True, others))
            self.add(pair, "", self.pair(Place(rest, w.schema), inner))
        if whole is not None:
            self.add(pair, "", whole)
        return True

    def fit_into_union(self, pair: Pair, variants: list[Place]) -> None:
        """Pair a type with the variants of a union that it may become. The first readable one is chosen."""
        pair.line, pair.any_will_do = "into_union", True
        w = pair.writer
        # One that is equal.
        chosen = [each for each in variants if equal_types(w, each)][:1]
        if not chosen and isinstance(w.type, Record) and w.type.name is not None:
            # For a struct one of its name, else with it as an alias; no other struct.
            names = [self.struct_names(each) for each in variants]
            chosen = [
                each for each, own in zip(variants, names, strict=True) if own[:1] == [w.type.name]
            ] + [each for each, own in zip(variants, names, strict=True) if w.type.name in own[1:]]
            chosen = chosen[:1]
            variants = [each for each, own in zip(variants, names, strict=True) if not own]
        if chosen:
            pair.cause = 0
        else:
            # Those of its code, then the others.
            code = union_code(w)
            chosen = sorted(variants, key=lambda each: union_code(each) != code)
        for each in chosen:
            self.add(pair, "", self.onward(pair, each))
        if not pair.children:
            pair.code, pair.rule = "incompatible", line_rule("into_union")

    def struct_names(self, place_: Place) -> list[str]:
        """A struct's name and its aliases."""
        if not isinstance(place_.type, Record) or place_.type.name is None:
            return []
        return [place_.type.name, *self.options.struct_aliases.get(place_.type.name, ())]

    def fit_named_unions(self, pair: Pair, w: Union, r: Union) -> None:
        pair.line, pair.any_will_do = "variants", True
        known = self.variants_of(pair.reader, r)
        other = self.other_of(pair.reader, r)
        pair.variant_names = [known[name][0] if name in known else other for name, _ in w.variants]
        for name, each in w.variants:
            writer = pair.writer.inside(each)
            if name in known:
                new_name, reader = known[name]
                self.add(pair, variant_step(new_name), self.pair(writer, reader))
            elif other is not None:
                self.add(pair, variant_step(name), Pair(writer, pair.reader, line="skipped"))
            else:
                failure = self.failure(writer, pair.reader, "incompatible", NO_LINE)
                self.add(pair, variant_step(name), failure)

    def variants_of(self, r: Place, union: Union) -> dict[str | None, tuple[str | None, Place]]:
        """The variants of a named union of the reader's, by all the names that they have."""
        known: dict[str | None, tuple[str | None, Place]] = {}
        for name, each in union.variants:
            # A variant of that name comes before one with it as an alias.
            known[name] = name, r.inside(each)
            for alias in self.options.variant_aliases.get(name or "", ()):
                known.setdefault(alias, (name, r.inside(each)))
        return known

    def other_of(self, r: Place, union: Union) -> str | None:
        """The variant for those that a named union of the reader's lacks."""
        for name, each in union.variants:
            if name in self.options.other_variants and is_scalar(r.inside(each), NULL):
                return name
        return None

    def fit_extensions(self, pair: Pair) -> bool:
        w, r = pair.writer, pair.reader
        if isinstance(w.type, Unknown) and isinstance(r.type, Unknown):
            pair.line = "unknown"
        elif isinstance(w.type, Extension) and isinstance(r.type, Extension):
            if w.type.name != r.type.name:
                return False
            pair.line = "extensions"
            self.add(pair, "", self.pair(w.inside(w.type.item), r.inside(r.type.item)))
        elif isinstance(w.type, Extension):
            pair.line = "from_extension"
            self.add(pair, "", self.pair(w.inside(w.type.item), r))
        elif isinstance(r.type, Extension):
            pair.line = "into_extension"
            self.add(pair, "", self.onward(pair, r.inside(r.type.item)))
        else:
            return False
        return True

    def fit_logical(self, pair: Pair) -> bool:
        w, r = pair.writer, pair.reader
        if isinstance(w.type, Logical) and isinstance(r.type, Logical):
            if not self.same_logical(pair, w.type, r.type):
                return False
            pair.line = "logicals"
            self.add(pair, "", self.pair(w.inside(w.type.storage), r.inside(r.type.storage)))
        elif isinstance(w.type, Logical) and self.fit_seconds(pair, r, w.type):
            pair.line = "into_seconds"
        elif isinstance(w.type, Logical):
            pair.line = "from_logical"
            self.add(pair, "", self.pair(w.inside(w.type.storage), r))
        elif isinstance(r.type, Logical) and self.fit_seconds(pair, w, r.type):
            pair.line = "from_seconds"
        elif isinstance(r.type, Logical):
            pair.line = "into_logical"
            self.add(pair, "", self.onward(pair, r.inside(r.type.storage)))
        else:
            return False
        return True

    def fit_seconds(self, pair: Pair, row: Place, time: Logical) -> bool:
        """F-78, lines 14 and 15: whether one type is a time, and the other its two fields."""
        names = SECONDS.get((KIND_NAMES.get(time.kind, ""), *time.parameters[1:]))
        if not isinstance(row.type, Record) or row.type.form != ALL_FIELDS or names is None:
            return False
        fields = row.type.fields
        types = [row.inside(each).type for _, each in fields]
        if sorted(name for name, _ in fields) != sorted(names) or not all(
            isinstance(each, Scalar) and each.code in INTEGERS for each in types
        ):
            return False
        pair.seconds = names
        # The nanoseconds of the time's unit.
        pair.scale = 10**9 // 1000 ** time.parameters[0], 1
        return True

    def same_logical(self, pair: Pair, w: Logical, r: Logical) -> bool:
        """Whether the storages of two logical types are a pair."""
        names = KIND_NAMES.get(w.kind), KIND_NAMES.get(r.kind)
        if w.kind != r.kind:
            return set(names) <= LISTS
        if w.parameters == r.parameters or names[0] == "complex":
            return True
        if names[0] in TIMES and w.parameters[1:] == r.parameters[1:]:
            # F-72: the units are seconds, milliseconds, microseconds, nanoseconds.
            pair.scale = 1000 ** r.parameters[0], 1000 ** w.parameters[0]
            return True
        return False

    def fit_scalars(self, pair: Pair) -> bool:
        w, r = pair.writer.type, pair.reader.type
        if isinstance(w, Scalar) and isinstance(r, Scalar):
            if w.code == r.code and w.code in (NULL, BOOL, STRING, BYTES):
                pair.line = "null" if w.code == NULL else "same"
            elif w.code in INTEGERS and r.code in INTEGERS:
                pair.line = "integers"
            elif w.code in INTEGERS and r.code in FLOAT_SIZES:
                pair.line = "into_float"
            elif w.code in FLOAT_SIZES and r.code in FLOAT_SIZES:
                pair.line = "floats"
        elif is_bytes(pair.writer) and is_bytes(pair.reader):
            # Two numbers of bytes that can never agree do not fit.
            if isinstance(w, Fixed) and isinstance(r, Fixed) and w.size != r.size:
                self.fail(pair, line_rule("bytes"))
            else:
                pair.line = "bytes"
        return bool(pair.line)

    def fit_sequences(self, pair: Pair) -> bool:
        w, r = pair.writer, pair.reader
        if isinstance(w.type, Tensor) and isinstance(r.type, Tensor):
            items = w.inside(w.type.item), r.inside(r.type.item)
            if is_element(items[0]) and is_element(items[1]):
                pair.line = "tensors"
                self.add(pair, "[]", self.pair(*items))
            elif equal_types(*items):
                pair.line = "same_tensors"
            else:
                self.fail(pair, line_rule("tensors"))
            return True
        if not (is_sequence(w) and is_sequence(r)):
            return False
        if isinstance(r.type, Tensor) and not is_element(r.inside(r.type.item)):
            return False
        sizes = sequence_size(w), sequence_size(r)
        # Two numbers of items that can never agree do not fit.
        if None not in sizes and sizes[0] != sizes[1]:
            self.fail(pair, line_rule("items"))
            return True
        pair.line = "items"
        if isinstance(w.type, Tuple) or isinstance(r.type, Tuple):
            members = w.type.members if isinstance(w.type, Tuple) else r.type.members  # type: ignore[union-attr]
            for i in range(len(members)):
                self.add(pair, f"[{i}]", self.pair(item_type(w, i), item_type(r, i)))
        else:
            self.add(pair, "[]", self.pair(item_type(w, 0), item_type(r, 0)))
        return True

    def fit_fields(self, pair: Pair) -> bool:
        w, r = pair.writer, pair.reader
        from_map = isinstance(w.type, Map) and is_scalar(w.inside(w.type.key), STRING)
        if isinstance(r.type, Record) and (isinstance(w.type, Record) or from_map):
            pair.line = "fields"
            self.fit_struct(pair, r.type)
        elif not isinstance(r.type, Map):
            return False
        elif isinstance(w.type, Record) and (
            (w.type.name is None and not w.type.fields) or is_scalar(r.inside(r.type.key), STRING)
        ):
            pair.line = "into_map"
            for name, each in w.type.fields:
                child = self.pair(w.inside(each), r.inside(r.type.value))
                self.add(pair, field_step(name), child)
        elif isinstance(w.type, Map):
            pair.line = "maps"
            self.add(pair, "[].key", self.pair(w.inside(w.type.key), r.inside(r.type.key)))
            self.add(pair, "[]", self.pair(w.inside(w.type.value), r.inside(r.type.value)))
        else:
            return False
        return True

    def fit_struct(self, pair: Pair, r: Record) -> None:
        """F-79."""
        w = pair.writer.type
        fields = dict(w.fields) if isinstance(w, Record) else {}
        # A name of the writer's belongs to the field with that name, or else to the first field with
        # it as an alias.
        owners = {name: name for name, _ in r.fields}
        names: dict[str, list[str]] = {name: [name] for name, _ in r.fields}
        for name, _ in r.fields:
            for alias in self.options.aliases.get((r.name, name), ()):
                if owners.setdefault(alias, name) == name and alias not in names[name]:
                    names[name].append(alias)
        plans = []
        for name, type_ in r.fields:
            reader = pair.reader.inside(type_)
            known = [each for each in names[name] if isinstance(w, Map) or each in fields]
            if isinstance(w, Record) and w.form == ALL_FIELDS:
                # Every row has the first of them.
                known = known[:1]
            sources = []
            for each in known:
                writer = pair.writer.inside(w.value if isinstance(w, Map) else fields[each])
                # An open field takes any type, as if it were that type.
                is_open = (r.name, name) in self.options.open
                child = self.pair(writer, writer if is_open else reader)
                sources.append((each, self.add(pair, field_step(name), child)))
            default = self.options.defaults.get((r.name, name))
            if pair.writer.type is pair.reader.type:
                # The value of an open field is unchanged.
                default = None
            leaves_out = r.form != ALL_FIELDS
            if default is None and not leaves_out and takes_null(reader):
                default = ["null"]
            if not sources and default is None and not leaves_out:
                failure = self.failure(pair.writer, reader, "missing_field", FIELDS)
                self.add(pair, field_step(name), failure)
            plans.append(FieldPlan(name, tuple(sources), default, leaves_out))
        pair.fields = tuple(plans)
        if self.options.unknown_fields_are_errors:
            for name in fields:
                if name not in owners:
                    failure = self.failure(pair.writer, pair.reader, "unknown_field", FIELDS)
                    self.add(pair, field_step(name), failure)
