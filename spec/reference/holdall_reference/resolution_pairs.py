"""Chapter 13: pairs of a writer's type and a reader's, which `resolve` makes, and their errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from holdall_reference.paths import Path, join
from holdall_reference.resolution_types import Place, ResolutionError
from holdall_reference.schema import Extension, Option, Union
from holdall_reference.tagged import Tagged

# F-78: the lines of the table that errors name.
LINES = {
    "from_option": 3,
    "from_union": 4,
    "into_option": 5,
    "some": 5,
    "into_union": 6,
    "variants": 7,
    "into_extension": 11,
    "units": 13,
    "into_seconds": 14,
    "into_logical": 15,
    "from_seconds": 15,
    "integers": 17,
    "into_float": 18,
    "floats": 19,
    "bytes": 20,
    "tensors": 21,
    "items": 22,
    "maps": 25,
}
# A pair that fits no line.
NO_LINE = "F-78"
FIELDS = "F-79"

# A field of the reader's program: the name of its struct, None for records, and its own.
FieldKey: TypeAlias = "tuple[str | None, str]"


@dataclass(frozen=True)
class Options:
    """A reader's options in addition to its schema (F-78, F-79)."""

    aliases: Mapping[FieldKey, Sequence[str]] = field(default_factory=dict)
    """Older names of fields."""
    struct_aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Older names of structs, which matter in unnamed unions."""
    variant_aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Older names of variants."""
    other_variants: frozenset[str] = frozenset()
    """Variants of type null for those that the reader's union lacks."""
    defaults: Mapping[FieldKey, Tagged] = field(default_factory=dict)
    open: frozenset[FieldKey] = frozenset()
    """Fields that accept any value unchanged."""
    rounds: bool = False
    """Whether floats are rounded."""
    unknown_fields_are_errors: bool = False


@dataclass(frozen=True)
class FieldPlan:
    """A field of the reader's struct or record, and where its value comes from (F-79)."""

    name: str
    sources: tuple[tuple[str, Pair], ...]
    """The writer's fields that may hold it, in order of preference."""
    default: Tagged | None
    """Its value in a row without these fields; None if that is an error."""
    leaves_out: bool
    """Whether a row may lack it without an error."""


@dataclass(eq=False)
class Pair:
    """A type of the writer's and one of the reader's, and the line of F-78's table they fit."""

    writer: Place
    reader: Place
    trail: frozenset[int] = frozenset()
    """The reader's types on the path to this pair from the same type of the writer's."""
    line: str = ""
    children: list[tuple[str, Pair]] = field(default_factory=list)
    """The child pairs, each with its step of the path."""
    any_will_do: bool = False
    """Whether one of the children must be readable, not all."""
    cause: int | None = None
    """The child whose error this pair reports, if one readable child is enough."""
    fields: tuple[FieldPlan, ...] = ()
    variant_names: list[str | None] = field(default_factory=list)
    """The reader's name of each variant of the writer's."""
    scale: tuple[int, int] = (1, 1)
    """The factor and the divisor for a time's number."""
    seconds: tuple[str, str] = ("", "")
    """The fields of a time's seconds and nanoseconds."""
    own_some: Pair | None = None
    """The payloads of w's variant Some and of r's own; if they can be read, it is that one."""
    code: str | None = None
    """The error of a pair that is unreadable regardless of its children."""
    rule: str = ""
    """What such an error names."""
    parents: list[Pair] = field(default_factory=list)
    failed: bool = False

    @property
    def child(self) -> Pair:
        """The one child."""
        return self.children[0][1]


def first_error(root: Pair) -> ResolutionError:
    """Return the error of the first pair, depth-first from an unreadable one, that is unreadable by itself."""
    stack: list[tuple[Pair, Path]] = [(root, None)]
    met: set[int] = set()
    while stack:
        pair, path = stack.pop()
        if not pair.failed or id(pair) in met:
            continue
        met.add(id(pair))
        if pair.code is not None:
            return pair_error(pair.code, pair, path, pair.rule)
        children = pair.children
        if pair.any_will_do:
            # None of several is readable, so no single one is the cause.
            if pair.cause is None:
                return pair_error("incompatible", pair, path, line_rule(pair.line))
            children = children[pair.cause :][:1]
        stack += [(child, join(path, step)) for step, child in reversed(children)]
    raise AssertionError("a pair fails by itself or because of one inside it")


def pair_error(code: str, pair: Pair, path: Path, rule: str) -> ResolutionError:
    return ResolutionError(code, path, rule, f"{pair.writer.text()} as {pair.reader.text()}")


def line_rule(line: str) -> str:
    """The name of a line of F-78's table in errors."""
    return f"F-78 line {LINES[line]}"


def self_line(reader: Place) -> str:
    """The line by which the reader's type would lead to itself."""
    if isinstance(reader.type, Option):
        return line_rule("into_option")
    if isinstance(reader.type, Union):
        return line_rule("into_union")
    return line_rule("into_extension" if isinstance(reader.type, Extension) else "into_logical")
