"""Views: for every vector, and for damaged ones, a view gives what `loads` gives, or an error; never memory beyond the budget."""

from __future__ import annotations

import io
import json
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import holdall
import numpy
import pytest
from conftest import ALL_ROUNDS

VALID = Path(__file__).resolve().parents[2] / "conformance" / "valid"


def valid(*, budgets: bool) -> Iterator[tuple[str, bytes]]:
    """The messages of the valid vectors by their names, with or without those about a budget."""
    for file in sorted(VALID.glob("*.json")):
        for vector in json.loads(file.read_text("utf-8"))["vectors"]:
            if vector.get("form", "message") == "message" and (budgets or "budget" not in vector):
                yield vector["name"], bytes.fromhex(vector["hex"])


MESSAGES = [data for _, data in valid(budgets=False)]


def bytes_of(value: object) -> object:
    """Something to compare: the bytes of the value, or its text where it has none."""
    if type(value) is float and math.isnan(value):
        # A signalling NaN of 32 bits is quiet once numpy has made it a float.
        return "nan"
    try:
        return holdall.dumps(value)
    except holdall.EncodeError:
        return repr(value)


def walk(place: holdall.View, values: list[Any]) -> int:
    """Compares what a view has at each path below some rows with the values. Returns how many paths there are."""
    return sum(compare(inner, inside) for inner, inside in inside_of(place, values))


def compare(place: holdall.View, values: list[Any]) -> int:
    """Compares the values at a place, and those inside, with the values."""
    if re.match("(logical|extension).*\\(list", str(place.type)):
        # One list is its items, whatever is around it.
        return 0
    try:
        got = place.tolist()
    except holdall.Error as error:
        # Rows of several types have no one column, nor have those that are shared.
        assert error.code in ("unsupported", "unrepresentable"), (place.path, error)
        return 0
    # An absent field is None, as a null is.
    got, wanted = ([each for each in every if each is not None] for every in (got, values))
    if STORED.search(str(place.type)):
        return 0
    assert [bytes_of(each) for each in got] == [bytes_of(each) for each in wanted], place.path
    return 1 + walk(place, values)


def inside_of(place: holdall.View, values: list[Any]) -> Iterator[tuple[holdall.View, list[Any]]]:
    """The places inside that have values: of records, tuples, lists and maps."""
    kind = str(place.type).removeprefix("option(")
    here = [value for value in values if value is not None]
    if not here:
        return
    if kind.startswith(("record", "struct")) and all(type(value) is dict for value in here):
        for name in dict.fromkeys(name for value in here for name in value):
            yield place[name], [value[name] for value in here if name in value]
    elif kind.startswith("tuple"):
        for at in range(len(here[0])):
            yield place.member(at), [value[at] for value in here]
    elif kind.startswith("list"):
        yield place.items, [each for value in here for each in value]
    elif kind.startswith("map"):
        yield place.keys, [key for value in here for key in value]
        yield place.values, [each for value in here for each in value.values()]


#: Of logical types and extensions a column has what is stored.
STORED = re.compile("extension|timestamp|shared|#|[a-z]+\\(|sparse|/")


def check(data: bytes) -> str:
    """Compares all rows, and the column of the items, with the whole value. Returns the kind of data."""
    try:
        value = holdall.loads(data)
    except holdall.Error as error:
        return check_refused(data, error)
    view = holdall.view(data)
    if not isinstance(value, list):
        return "paths" if walk(view, [value]) else "no list"
    # A list that is shared with itself has no length of its own.
    try:
        length = len(view)
    except TypeError:
        return "no list"
    assert length == len(value)
    assert [bytes_of(row) for row in view] == [bytes_of(item) for item in value]
    try:
        items = view.items
    except holdall.SchemaError:
        # Lists of several types, or a list that is shared, have no place of items.
        return "rows"
    found = walk(items, value)
    try:
        column = items.column()
    except holdall.Error as error:
        assert error.code == "unsupported"
        return "paths" if found else "rows"
    if not STORED.search(str(items.type)):
        assert [bytes_of(item) for item in items.tolist()] == [bytes_of(item) for item in value]
    entries = column.tolist()
    assert len(entries) == len(column) == len(value)
    # A column has what is stored for logical types and extensions.
    if re.search(
        "extension|timestamp|logical|[a-z]+\\(",
        str(view.schema).removeprefix("list(").replace("option(", ""),
    ):
        return "column"
    if column.mask is not None:
        assert [entry is None for entry in entries] == [item is None for item in value]
    if column.kind in ("list", "unknown", "null", "text"):
        assert [bytes_of(entry) for entry in entries] == [bytes_of(item) for item in value]
    return "paths" if found else "column"


#: What a view has no form for, in sound data, too.
WITHOUT_FORM = {"unsupported", "unrepresentable", "custom"}


def code_of(error: holdall.Error) -> str:
    """The code of an error. Where Python refuses a value, the path says which: a fault of holdall's own has none."""
    assert error.code != "custom" or error.path is not None, error
    return str(error.code)


#: Faults that are looked for before any column, which a view does not look for, or after all of them.
UNSEEN = {"bad_checksum", "trailing_bytes"}
AFTER_COLUMNS = {
    "bad_reference",
    "definition_rows_mismatch",
    "duplicate_key",
    "limit_depth",
    "unreachable_rows",
}

#: Faults of the rows of definitions, which a view reads where something refers to them.
OF_DEFINITIONS = {"bad_reference", "definition_rows_mismatch", "unreachable_rows"}


def may_be_instead(found: holdall.Error, whole: holdall.Error) -> bool:
    """Whether a view may find this fault in data in which `loads` finds the other first."""
    if (found.code, found.offset) == (whole.code, whole.offset):
        return True
    if code_of(whole) in UNSEEN or code_of(found) in WITHOUT_FORM | AFTER_COLUMNS:
        return True
    if found.offset is None or whole.offset is None:
        return False
    if whole.code == "limit_budget" and found.offset == whole.offset:
        # A view looks for the end of a column before it charges the rows.
        return True
    # Columns that are skipped may have the fault that `loads` finds; a row is not all of its column.
    return found.offset > whole.offset or found.code == "int_out_of_range"


def items_of(view: holdall.View) -> holdall.View:
    return view.items if str(view.type).startswith("list") else view


def check_refused(data: bytes, whole: holdall.Error) -> str:
    """Requests everything from faulty data: parts are readable, or have that fault or one behind it."""
    if whole.code == "unsupported" and whole.offset == 1:
        # A view reads streams, too.
        return "stream"
    found = None
    requests: list[tuple[Any, bool]] = [
        (lambda view: view, False),
        (lambda view: view[0], False),
        (lambda view: view.tolist(), True),
        (lambda view: view[:], True),
        (lambda view: items_of(view).tolist(), False),
        (lambda view: items_of(view).column().tolist(), False),
    ]
    if whole.code != "limit_budget":
        # Each row has a budget of its own, so all of them can take any time.
        requests.append((list, False))
    for request, takes_all in requests:
        try:
            got = request(holdall.view(data))
        except holdall.Error as error:
            found = error
            assert may_be_instead(error, whole), (data.hex(), error, whole)
        except (TypeError, IndexError):
            # No list, or no rows.
            pass
        else:
            # A list without items takes nothing.
            is_unseen = whole.code in UNSEEN | WITHOUT_FORM | OF_DEFINITIONS
            is_unseen |= (whole.path or "").startswith("#")
            assert not takes_all or is_unseen or got == [], (data.hex(), whole, got)
    return "the same" if found and found.code == whole.code else "refused"


def test_rows_and_columns_of_every_vector_are_those_of_loads() -> None:
    found = [check(data) for data in MESSAGES]
    assert found.count("column") > 600
    assert found.count("rows") > 60
    assert found.count("paths") > 20


def test_rows_and_columns_of_damaged_vectors_are_those_of_loads() -> None:
    chance = random.Random(11)
    found = []
    for _ in range(40_000 if ALL_ROUNDS else 4000):
        data = bytearray(chance.choice(MESSAGES))
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.choice(
                [0, 1, 2, 0x7F, 0xFF, chance.randrange(256)]
            )
        found.append(check(bytes(data)))
    assert found.count("the same") > 500
    assert found.count("column") > 50


def least_budget(data: bytes) -> int | None:
    """The least budget that `loads` needs; None if it needs something else."""
    few, enough = -1, 1 << 26
    try:
        holdall.loads(data)
    except holdall.Error:
        return None
    while few + 1 < enough:
        budget = (few + enough) // 2
        try:
            holdall.loads(data, limits=holdall.Limits(budget=budget))
        except holdall.Error as error:
            assert error.code == "limit_budget"
            few = budget
        else:
            enough = budget
    return enough


def test_all_rows_take_the_budget_that_loads_takes() -> None:
    compared = 0
    for data in MESSAGES:
        least = least_budget(data)
        if not least:
            continue
        enough, few = holdall.Limits(budget=least), holdall.Limits(budget=least - 1)
        for ask_for in (lambda view: view.tolist(), lambda view: view[:]):
            try:
                if ask_for(holdall.view(data, limits=enough)) == []:
                    # Nothing was made.
                    continue
            except (TypeError, holdall.Error) as error:
                # No list, or values without a column.
                assert type(error) is TypeError or code_of(error) in WITHOUT_FORM, (
                    data.hex(),
                    error,
                )
                continue
            with pytest.raises(holdall.Error) as refused:
                pytest.fail(f"{data.hex()}: {ask_for(holdall.view(data, limits=few))}")
            assert refused.value.code == "limit_budget"
            compared += 1
    assert compared > 1000


def test_some_rows_take_no_more_than_the_budget_that_loads_takes() -> None:
    chance, compared = random.Random(12), 0
    tensors = [holdall.dumps([numpy.arange(n % 3) for n in range(count)]) for count in (3, 40)]
    for data in MESSAGES + tensors:
        least = least_budget(data)
        if not least:
            continue
        view = holdall.view(data, limits=holdall.Limits(budget=least))
        try:
            length = len(view)
        except TypeError:
            continue
        for first, step in [(0, 2), (1, 2), (None, -3), (length // 2, 1), (chance.randrange(9), 5)]:
            try:
                compared += bool(view[first::step])
            except holdall.Error as error:
                assert code_of(error) in WITHOUT_FORM, (data.hex(), first, step, error)
    assert compared > 1000


@pytest.mark.parametrize(
    "digits",
    [
        "c11016030801f0",  # 4 ints without bits, behind a base of 0
        "c110160708011f",  # 4 bytes of 4 bits, with a bit behind the last
    ],
)
def test_all_rows_are_refused_where_loads_refuses_them(digits: str) -> None:
    data = bytes.fromhex(digits)
    with pytest.raises(holdall.DecodeError) as whole:
        holdall.loads(data)
    assert whole.value.code == "nonzero_padding"
    asked: list[Any] = [lambda view: view[:], lambda view: view.tolist(), lambda view: view[::-1]]
    for ask_for in asked:
        with pytest.raises(holdall.DecodeError) as part:
            ask_for(holdall.view(data))
        assert (part.value.code, part.value.offset) == (whole.value.code, whole.value.offset)


@pytest.mark.parametrize(
    "digits",
    [
        "c11016160ce1e080097f8005e21f",  # 14,392 lists of 8,130 ints
        "c110161601e1e0800b7f8005e21f",
        "c110161780010b18ff17e00a12800a07",  # lists of tuples of 128 arrays
    ],
)
def test_rows_of_one_request_share_its_budget(digits: str) -> None:
    data = bytes.fromhex(digits)
    with pytest.raises(holdall.Error, match="limit_budget"):
        holdall.loads(data)
    view = holdall.view(data)
    everything = slice(None)
    for some in (everything, slice(None, None, -1), slice(None, None, 2), slice(None, None, -3)):
        with pytest.raises(holdall.Error) as refused:
            view[some]
        assert refused.value.code == "limit_budget"
    for place in (view, view.items):
        with pytest.raises(holdall.Error) as refused:
            place.tolist()
        assert refused.value.code == "limit_budget"


@pytest.mark.parametrize(
    "digits",
    [
        "c1101601f7ffffff3f02",  # 2^28 nulls
        "c11016170000ffffffffffffffffff",  # 2^63 arrays without items
        "c11016017fffffffffffffffff02",  # more nulls than a length holds
        "c11016180200ffffffffffffffffff040a0a",
    ],
)
def test_rows_without_bytes_are_refused_as_loads_refuses_them(digits: str) -> None:
    data = bytes.fromhex(digits)
    with pytest.raises(holdall.Error) as whole:
        holdall.loads(data)
    view = holdall.view(data)
    asked: list[Any] = [lambda: len(view), lambda: view[0]]
    if not view.type.startswith("list(tuple"):
        asked += [lambda: view.items.array(), lambda: view.items.tolist()]
    for ask_for in asked:
        with pytest.raises(holdall.Error) as part:
            ask_for()
        assert (part.value.code, part.value.offset) == (whole.value.code, whole.value.offset)


@pytest.mark.parametrize(
    "digits",
    [
        "c110161601407009042028b52ffd600200100000c0020308007f",  # lists of 2^64 items in all
        "c1101616000202",  # a list of a type without values
        "c1101b1e040004ff07",  # values of a type without values, behind the keys of their map
        "c1101d110400ffffffffffff7fff5400",  # a tensor that numpy has no shape for
    ],
)
def test_columns_are_refused_where_loads_refuses_them(digits: str) -> None:
    data = bytes.fromhex(digits)
    with pytest.raises(holdall.DecodeError) as whole:
        holdall.loads(data)
    with pytest.raises(holdall.DecodeError) as part:
        place = holdall.view(data)
        (place.items if place.type.startswith("list") else place).tolist()
    assert (part.value.code, part.value.offset) == (whole.value.code, whole.value.offset)


def test_a_meaning_of_what_is_unknown_is_unknown() -> None:
    # A list of dates, whose numbers have an encoding of a later version.
    data = bytes.fromhex("c110162201000308e000")
    assert holdall.loads(data) == [holdall.UNKNOWN] * 4
    assert holdall.view(data).items.tolist() == [holdall.UNKNOWN] * 4


UNKNOWN_INTS = [holdall.UNKNOWN] * 4


@pytest.mark.parametrize(
    ("digits", "value"),
    [
        ("c110160308e104ffff", UNKNOWN_INTS),
        ("c110160308ff00", UNKNOWN_INTS),
        (
            "c1101603060100e000",
            UNKNOWN_INTS[:3],
        ),  # fewer rows than have an encoding, behind a marker
        ("c1101616030208e104ffff", [UNKNOWN_INTS]),
        ("c11016151603040208e104ffff", [None, UNKNOWN_INTS]),
        ("c1101802160308e104ffff", (UNKNOWN_INTS,)),
        ("c1101a080461160308e104ffff", {"a": UNKNOWN_INTS}),
        ("c1101b031603020408e104ffff", {1: UNKNOWN_INTS}),
    ],
)
def test_ints_in_an_encoding_of_a_later_version_are_unknown(digits: str, value: Any) -> None:
    data = bytes.fromhex(digits)
    assert holdall.loads(data) == holdall.Decoder(type(value)).decode(data) == value
    view = holdall.view(data)
    assert view.value() == value
    if type(value) is list:
        assert view[:] == view.tolist() == value


def test_options_of_what_is_unknown_have_an_entry_for_each_row() -> None:
    column = holdall.view(bytes.fromhex("c1101615e00006050207")).items.column()
    assert column.tolist() == column.values == [holdall.UNKNOWN, None, holdall.UNKNOWN]


def test_options_of_never_are_absent_rows() -> None:
    column = holdall.view(bytes.fromhex("c1101615000400")).items.column()
    assert column.tolist() == column.values == [None, None]


def test_packed_rows_that_numpy_has_no_type_for_are_values() -> None:
    view = holdall.view(bytes.fromhex("c110161e180404040401020304"))
    assert view.items.array() == view.items.tolist() == [(1, 2), (3, 4)]


def test_items_with_shared_values_are_rows_like_others() -> None:
    shared = ["shared"]
    ring: list[Any] = [1]
    ring.append(ring)
    value = {"rows": [{"own": shared}, {"own": shared}, {"own": ring}], "more": shared}
    rows = holdall.view(holdall.dumps(value))["rows"]
    assert rows[1] == {"own": ["shared"]}
    assert rows[0:2] == value["rows"][:2]
    own = rows[2]["own"]
    assert own[1] is own


def test_shared_values_are_the_same_in_all_rows_of_a_slice() -> None:
    shared = ["shared"]
    rows = holdall.view(holdall.dumps([[shared, n] for n in range(9)]))
    for some in (rows[:], rows.tolist(), rows[::-2]):
        assert all(row[0] is some[0][0] for row in some)
    assert [n for _, n in rows[::-2]] == [8, 6, 4, 2, 0]


@pytest.mark.parametrize("shares", [False, True])
def test_slices_of_streams_are_those_of_their_values(shares: bool, tmp_path: Path) -> None:
    path = tmp_path / "rows.hold"
    values = []
    with holdall.Writer(path, block_rows=50) as writer:
        for n in range(50):
            pair = [n, None]
            values.append({"n": n, "pairs": [pair, pair if shares else [n, 1]], "or": (n, {n: n})})
            writer.write(values[-1])
    view = holdall.open(path)
    assert view[:] == view.tolist() == values
    for some in (slice(3, 40), slice(None, None, 3), slice(45, 2, -8), slice(6, 8), slice(9, 9)):
        assert view[some] == values[some]
    assert view["or"].tolist() == [value["or"] for value in values]
    assert all((row["pairs"][0] is row["pairs"][1]) == shares for row in view[10:20])


def test_each_block_of_a_stream_has_a_budget() -> None:
    file = io.BytesIO()
    with holdall.Writer(file, block_rows=200) as writer:
        for n in range(1000):
            writer.write([n])
    block = 200 * 8 + 200 * 8  # lists and ints
    rows = holdall.view(file.getvalue(), limits=holdall.Limits(budget=block))
    assert rows[:] == [[n] for n in range(1000)]
    rows = holdall.view(file.getvalue(), limits=holdall.Limits(budget=block - 1))
    assert rows[1:200] == [[n] for n in range(1, 200)]
    with pytest.raises(holdall.LimitError):
        rows[:200]
