"""Chapter 13: reading with another schema."""

from __future__ import annotations

import functools
import itertools
import json
import random
from collections import Counter
from typing import Any

import pytest
from holdall_reference import (
    FormatError,
    Tagged,
    decode_message,
    dumps,
    equal,
    message_schema,
    parse_schema,
    schema_text,
)
from holdall_reference.numbers import Reader
from holdall_reference.resolution import resolve
from holdall_reference.resolution_pairs import LINES as NAMED_LINES
from holdall_reference.resolution_pairs import NO_LINE, Options, Pair, line_rule
from holdall_reference.resolution_rows import convert, marked_block, marked_message, read_message
from holdall_reference.resolution_types import ResolutionError
from holdall_reference.writer.numbers import varint

from tests.support import (
    CONFORMANCE,
    Vector,
    all_vectors,
    check_fault,
    decode,
    hx,
    known_schema,
    no_collector,
    readers_vectors,
    spec_rules,
)

FIELDS_OF_OPTIONS = {
    "aliases",
    "struct_aliases",
    "variant_aliases",
    "other_variants",
    "defaults",
    "open",
    "round",
    "unknown_fields",
}
FIELDS = FIELDS_OF_OPTIONS | {
    "name",
    "rules",
    "note",
    "hex",
    "schema",
    "reader_schema_hex",
    "reader_schema",
    "value",
    "code",
    "path",
    "rule",
    "offset",
}
# What the lines of F-78's table do, as resolution.py calls it.
LINES = {
    "nothing",
    "options",
    "from_option",
    "from_union",
    "null",
    "onward",
    "some",
    "into_union",
    "variants",
    "skipped",
    "unknown",
    "extensions",
    "from_extension",
    "into_extension",
    "logicals",
    "from_logical",
    "into_logical",
    "from_seconds",
    "into_seconds",
    "same",
    "integers",
    "into_float",
    "floats",
    "bytes",
    "tensors",
    "same_tensors",
    "items",
    "fields",
    "into_map",
    "maps",
    "none",
}


@functools.cache
def evolution_vectors() -> list[dict[str, Any]]:
    """The records of all files."""
    vectors: list[dict[str, Any]] = []
    for file in sorted((CONFORMANCE / "evolution").glob("*.json")):
        vectors += json.loads(file.read_text(encoding="utf-8"))["vectors"]
    return vectors


def options_of(vector: dict[str, Any]) -> Options:
    """What the reader's program of a vector says."""
    return Options(
        aliases={(struct, name): olds for struct, name, olds in vector.get("aliases", ())},
        struct_aliases=dict(vector.get("struct_aliases", ())),
        variant_aliases=dict(vector.get("variant_aliases", ())),
        other_variants=frozenset(vector.get("other_variants", ())),
        defaults={(struct, name): value for struct, name, value in vector.get("defaults", ())},
        open=frozenset((struct, name) for struct, name in vector.get("open", ())),
        rounds=vector.get("round", False),
        unknown_fields_are_errors=vector.get("unknown_fields") == "error",
    )


def read(message: str, reader: str, options: Options | None = None) -> Tagged:
    """A message, read with a schema without definitions."""
    return read_message(hx(message), parse_schema(hx("00" + reader)), options)


@pytest.mark.parametrize("vector", evolution_vectors(), ids=lambda vector: vector["name"])
def test_vector(vector: dict[str, Any]) -> None:
    message = hx(vector["hex"])
    assert schema_text(message_schema(message)) == vector["schema"]
    reader = parse_schema(hx(vector["reader_schema_hex"]))
    assert schema_text(reader) == vector["reader_schema"]
    options = options_of(vector)
    if "offset" in vector:
        with pytest.raises(FormatError) as fault:
            read_message(message, reader, options)
        check_fault(fault, f"{vector['code']} @ {vector['offset']}")
        return
    # The message is valid; any fault is in the way it is to be read.
    decode_message(message)
    if "code" not in vector:
        value = read_message(message, reader, options)
        assert equal(value, vector["value"]), dumps(value)
        return
    with pytest.raises(ResolutionError) as error:
        read_message(message, reader, options)
    found = error.value.code, error.value.path, error.value.rule
    assert found == (vector["code"], vector["path"], vector["rule"])


def test_vectors_are_many() -> None:
    assert len(evolution_vectors()) >= 300


def test_vectors_have_names_of_their_own() -> None:
    counts = Counter(vector["name"] for vector in evolution_vectors())
    counts.update(vector.name for vector in all_vectors())
    assert [name for name, count in counts.items() if count > 1] == []


def test_vectors_have_inputs_of_their_own() -> None:
    parts = FIELDS_OF_OPTIONS | {"hex", "reader_schema_hex"}
    inputs = Counter(
        json.dumps({part: vector.get(part) for part in sorted(parts)})
        for vector in evolution_vectors()
    )
    assert [given for given, count in inputs.items() if count > 1] == []


def test_vectors_have_the_fields_that_the_readme_lists() -> None:
    readme = (CONFORMANCE / "README.md").read_text(encoding="utf-8")
    for vector in evolution_vectors():
        assert vector.keys() <= FIELDS, vector["name"]
        assert ("value" in vector) != ("code" in vector), vector["name"]
        assert ("code" in vector) == ("path" in vector or "offset" in vector), vector["name"]
        assert ("rule" in vector) == ("path" in vector), vector["name"]
    assert [name for name in FIELDS if f"`{name}`" not in readme] == []


def test_vectors_cite_rules_that_exist() -> None:
    rules = set(spec_rules())
    cited = {rule for vector in evolution_vectors() for rule in vector["rules"]}
    assert cited <= rules
    assert {"F-78", "F-79", "F-80"} <= cited


def test_every_line_of_the_table_has_a_vector() -> None:
    met = set()
    for vector in evolution_vectors():
        schema = message_schema(hx(vector["hex"]))
        reader = parse_schema(hx(vector["reader_schema_hex"]))
        try:
            root = resolve(schema, reader, options_of(vector))
        except ResolutionError:
            met.add("none")
            continue
        met |= {pair.line for pair in pairs_below(root)}
    assert met == LINES


def pairs_below(root: Pair) -> list[Pair]:
    met = {id(root): root}
    stack = [root]
    while stack:
        for _, child in stack.pop().children:
            if id(child) not in met:
                met[id(child)] = child
                stack.append(child)
    return list(met.values())


def test_every_rule_that_an_error_names_has_a_vector() -> None:
    met = {vector["rule"] for vector in evolution_vectors() if "rule" in vector}
    assert met == {*map(line_rule, NAMED_LINES), "F-77", NO_LINE, "F-79"}


def test_every_code_has_vectors_of_types_and_of_rows() -> None:
    met = {vector["code"] for vector in evolution_vectors() if "path" in vector}
    assert met == {
        "incompatible",
        "missing_field",
        "unknown_field",
        "unconvertible",
        "duplicate_key",
    }


VALID = [vector for vector in readers_vectors() if vector.valid and "value" in vector.record]


@pytest.mark.parametrize("vector", VALID, ids=lambda vector: vector.name)
def test_a_schema_read_with_itself_gives_the_same_value(vector: Vector) -> None:
    given = vector.given
    value = decode(given)
    if given.form == "bare":
        assert given.schema_data is not None
        schema = known_schema(given.schema_data)
        marked = marked_block(Reader(given.data), schema)
    else:
        known = [] if given.schema_data is None else [known_schema(given.schema_data)]
        schema, marked = marked_message(given.data, known)
    pair = resolve(schema, schema)
    if any(rule == "F-77" for rule in vector.rules) and '["unknown"]' in dumps(value):
        # A value in an encoding of a later version is of no type.
        with pytest.raises(ResolutionError, match=r"^unconvertible "):
            convert(pair, marked)
        return
    same = convert(pair, marked)
    assert equal(same, one_number_each(value)), dumps(same)


def one_number_each(value: Tagged) -> Tagged:
    """The same value, in which a value that is a row of two definitions has one number."""
    text = dumps(value)
    # `["id",0,["id",1,v]]`, and `["id",1,["ref",0]]`: both are 0.
    if '["id",' not in text or text.count("[") > 1000:
        return value
    numbers: dict[int, int] = {}

    def merge(each: Any, number: int | None = None) -> Any:
        if not isinstance(each, list):
            return each
        if len(each) == 3 and each[0] == "id":
            if each[2][0] == "ref":
                numbers[each[1]] = numbers[each[2][1]]
                return merge(each[2])
            numbers[each[1]] = len(set(numbers.values())) if number is None else number
            inside = merge(each[2], numbers[each[1]])
            return inside if number is not None else ["id", numbers[each[1]], inside]
        if len(each) == 2 and each[0] == "ref":
            return ["ref", numbers[each[1]]]
        return [merge(part) for part in each]

    merged: Tagged = merge(value)
    return merged


def test_any_message_read_with_any_schema_gives_a_value_or_one_of_the_errors() -> None:
    vectors = [
        vector
        for vector in VALID
        if vector.given.form == "message" and len(vector.given.data) < 200
    ]
    chance = random.Random(13)
    answers: Counter[str] = Counter()
    for _ in range(4000):
        w, r = (chance.choice(vectors).given for _ in range(2))
        known = [] if w.schema_data is None else [known_schema(w.schema_data)]
        schema, marked = marked_message(w.data, known)
        known = [] if r.schema_data is None else [known_schema(r.schema_data)]
        options = Options(rounds=bool(chance.randrange(2)))
        try:
            pair = resolve(schema, message_schema(r.data, schemas=known), options)
            convert(pair, marked, options)
            answers["value"] += 1
        except ResolutionError as error:
            answers[error.code] += 1
    assert answers.keys() >= {"value", "incompatible", "unconvertible"}


def test_resolving_asks_for_schemas_alone_and_serves_any_number_of_messages() -> None:
    # list(union(int, string)) with 1 and "a", and with 1 alone, as list(u8).
    first, second = (
        hx("C1 10 16 1C 08 03 12 04 00 02 04 02 61"),
        hx("C1 10 16 1C 08 03 12 02 00 04"),
    )
    reader = parse_schema(hx("00 16 04"))
    pair = resolve(message_schema(first), reader)
    _, marked = marked_message(second)
    # The pairs are those of another message's schema, of the same bytes.
    assert dumps(convert(pair, marked)) == '["list",[["u8","1"]]]'
    with pytest.raises(ResolutionError) as error:
        convert(pair, marked_message(first)[1])
    assert (error.value.code, error.value.path) == ("unconvertible", "$[1]")


# #0 where #0 = record {v: u8, next: option(#0)}
CHAIN = "C1 12 02 1F 00 1A 10 04 76 04 10 6E 65 78 74 15 1F 00"
# #0 where #0 = struct N {next: option(#0), v: int}
READER = "02 1F 00 19 04 4E 10 10 6E 65 78 74 15 1F 00 04 76 03"


def chain(length: int) -> bytes:
    """A chain of records, all of whose v are 0."""
    presence = ((1 << (length - 1)) - 1).to_bytes((length + 7) // 8, "little")
    return hx(CHAIN) + varint(length) + hx("00 52") + presence


def test_a_chain_of_100_000_records() -> None:
    length = 100_000
    with no_collector():
        value: Any = read_message(chain(length), parse_schema(hx(READER)))
        count = 0
        while value != ["null"]:
            assert value[:2] == ["struct", "N"]
            (_, inside), (_, v) = value[2]
            assert v == ["int", "0"]
            value = inside
            count += 1
    assert count == length


def test_an_error_at_the_end_of_a_chain() -> None:
    message = chain(20_000)
    # #0 where #0 = record {v: u8, next: #0}: the last one has no next.
    reader = parse_schema(hx("02 1F 00 1A 10 04 76 04 10 6E 65 78 74 1F 00"))
    with no_collector(), pytest.raises(ResolutionError) as error:
        read_message(message, reader)
    assert error.value.code == "unconvertible"
    assert error.value.path == "$" + ".next" * 20_000


def test_definitions_that_lead_to_each_other_20_000_times() -> None:
    count = 20_000
    chained = b"".join(b"\x16\x1f" + varint(i + 1) for i in range(count - 1)) + hx("16 04")
    widened = chained[:-1] + hx("03")
    head = varint(count) + hx("1F 00")
    writer, reader = parse_schema(head + chained), parse_schema(head + widened)
    resolve(writer, reader)
    failing = parse_schema(head + chained[:-1] + hx("12"))
    with pytest.raises(ResolutionError) as error:
        resolve(writer, failing)
    assert error.value.code == "incompatible"
    assert error.value.path == "$" + "[]" * count


def test_an_error_of_types_names_both() -> None:
    with pytest.raises(ResolutionError, match=r"^incompatible \$: string as list\(u8\) \(F-78\)$"):
        read("C1 10 12 02 61", "16 04")


def test_bytes_are_checked_where_the_reader_leaves_them_out() -> None:
    from holdall_reference import FormatError

    # record {a: string, b: int}, whose a is no UTF-8, as record {b: int}
    with pytest.raises(FormatError) as error:
        read("C1 10 1A 10 04 61 12 04 62 03 02 FF 04", "1A 08 04 62 03")
    assert (error.value.code, error.value.offset) == ("invalid_utf8", 11)


@pytest.mark.parametrize("levels", [2, 50])
def test_shared_values_are_read_once_for_each_type(levels: int) -> None:
    # Each level is a list of two references to the next one: 2^levels paths, levels values.
    definitions = b"".join(hx("16 20") + varint(i + 1) for i in range(levels - 1)) + hx("16 04")
    head = varint(levels) + hx("20 00")
    rows = varint(1) * levels
    lists = b"".join(hx("04 00 02") for _ in range(levels - 1)) + hx("02 07")
    message = hx("C1 12") + head + definitions + rows + hx("00") + lists
    reader = parse_schema(head + definitions[:-1] + hx("03"))
    value = dumps(read_message(message, reader))
    assert value.count('"ref"') == levels - 1
    assert value.count('["int","7"]') == 1


def test_pairs_are_as_many_as_types_that_meet() -> None:
    # A recursive type with itself: #0, its fields' types, the option, which leads back.
    schema = parse_schema(hx(READER))
    pairs = pairs_below(resolve(schema, schema))
    assert sorted(pair.line for pair in pairs) == ["fields", "integers", "options"]
    assert len(list(itertools.chain.from_iterable(pair.children for pair in pairs))) == 3
