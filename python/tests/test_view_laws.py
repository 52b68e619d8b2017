"""Views: for every vector, and for damaged ones, a view gives what `loads` gives, or an error; never memory beyond the budget."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import holdall
import numpy
import pytest
from conftest import ALL_ROUNDS
from view_places import Rows, compare

VALID = Path(__file__).resolve().parents[2] / "conformance" / "valid"


def valid(*, budgets: bool) -> Iterator[tuple[str, bytes]]:
    """The messages of the valid vectors by their names, with or without those about a budget."""
    for file in sorted(VALID.glob("*.json")):
        for vector in json.loads(file.read_text("utf-8"))["vectors"]:
            if vector.get("form", "message") == "message" and (budgets or "budget" not in vector):
                yield vector["name"], bytes.fromhex(vector["hex"])


MESSAGES = [data for _, data in valid(budgets=False)]


def check(data: bytes) -> str:
    """Compares all places with the whole value, or what is asked for with the fault of the whole. Returns the kind of data."""
    try:
        value = holdall.loads(data)
    except holdall.Error as error:
        return check_refused(data, error)
    places = compare(holdall.view(data), Rows([value]))
    return "place" if places == 1 else "places"


#: What Python or a view has no form for, in sound data, too.
WITHOUT_FORM = {"unsupported", "unrepresentable", "custom"}

#: Found when values are made: `loads` looks at all columns, the definitions and the end of the message before.
OF_VALUES = {"duplicate_key", "limit_depth"} | WITHOUT_FORM

#: What a view does not look for: it would have to read all of the message.
UNSEEN = {"bad_checksum", "trailing_bytes"}

#: Faults of the rows of definitions, which a view reads where something refers to them.
OF_DEFINITIONS = {"bad_reference", "definition_rows_mismatch", "unreachable_rows"}


def code_of(error: holdall.Error) -> str:
    """The code of an error. Where Python refuses a value, the path says which: a fault of holdall's own has none."""
    assert error.code != "custom" or error.path is not None, error
    return str(error.code)


def may_be_instead(
    found: holdall.Error, whole: holdall.Error, *, is_row: bool, has_one_fault: bool
) -> bool:
    """Whether a view may find this fault in data in which `loads` finds the other first."""
    if (found.code, found.offset) == (whole.code, whole.offset) or code_of(found) in OF_VALUES:
        return True
    if whole.code == "bad_checksum":
        # It is looked for before anything else, so any fault may follow.
        return True
    if found.offset is None or whole.offset is None:
        return False
    if is_row and found.code == "int_out_of_range":
        # One row is read without the others of its column, and without the bits behind the last.
        return True
    if whole.code == "limit_budget":
        # A part takes less than the whole, and the end of a column is looked for before its rows are charged.
        return found.offset >= whole.offset
    # Columns that are skipped may have the fault that `loads` finds first.
    return not has_one_fault and found.offset > whole.offset


def places_of(data: bytes) -> list[int]:
    """The numbers of the places that can be reached, of many the first hundred."""
    try:
        found = [holdall.view(data)]
    except holdall.Error:
        return [0]
    for place in found:
        ways: list[Any] = [lambda place=place: place.items, lambda place=place: place.keys]
        ways += [lambda place=place: place.values]
        ways += [lambda place=place, name=name: place[name] for name in place.names()]
        ways += [lambda place=place, at=at: place.member(at) for at in range(4)]
        for way in ways[: 100 - len(found)]:
            with contextlib.suppress(holdall.SchemaError):
                found.append(way())
    return [place._site for place in found]


REQUESTS: dict[str, Any] = {
    "tolist": lambda place: place.tolist(),
    "slice": lambda place: place[:],
    "row": lambda place: place[0],
    "column": lambda place: place.column().tolist(),
}


def check_refused(data: bytes, whole: holdall.Error, *, has_one_fault: bool = False) -> str:
    """Requests everything from faulty data: parts are readable, or have that fault or one behind it."""
    if whole.code == "unsupported" and whole.offset == 1:
        # A view reads streams, too.
        return "stream"
    requests = dict(REQUESTS)
    if whole.code != "limit_budget":
        # Each row has a budget of its own, so all of them can take any time.
        requests["iteration"] = lambda place: list(itertools.islice(place, 100))
    is_unseen = whole.code in UNSEEN | WITHOUT_FORM | OF_DEFINITIONS
    is_unseen |= (whole.path or "").startswith("#")
    is_found = False
    for number, (name, request) in itertools.product(places_of(data), requests.items()):
        try:
            got = request(holdall.view(data)._at(number))
        except holdall.Error as error:
            is_row = name in ("row", "iteration")
            expected = may_be_instead(error, whole, is_row=is_row, has_one_fault=has_one_fault)
            assert expected, (data.hex(), number, name, error, whole)
            is_found |= error.code == whole.code
        except (TypeError, IndexError):
            # No list, or no rows.
            pass
        else:
            # What takes all columns has a fault, but a list without items takes nothing.
            takes_all = number == 0 and name in ("tolist", "slice")
            assert not takes_all or is_unseen or got == [], (data.hex(), whole, got)
    if has_one_fault and not is_found and not is_unseen:
        # No fault is lost between the places: the columns of a definition have none.
        assert "#" in str(holdall.view(data).schema), (data.hex(), whole)
    return "the same" if is_found else "refused"


def test_every_place_of_every_vector_has_the_rows_of_loads() -> None:
    found = [check(data) for data in MESSAGES]
    assert found.count("place") > 200
    assert found.count("places") > 800


def test_every_place_of_damaged_vectors_has_the_rows_of_loads_or_its_fault() -> None:
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
    assert found.count("places") > 50


def test_every_place_of_invalid_vectors_has_their_fault_or_is_apart_from_it() -> None:
    found = []
    for file in sorted((VALID.parent / "invalid").glob("*.json")):
        for vector in json.loads(file.read_text("utf-8"))["vectors"]:
            # Of a vector about a budget a part takes less than the whole, and other faults come first.
            if (
                vector.get("form", "message") != "message"
                or "budget" in vector
                or "hex" not in vector
            ):
                continue
            data = bytes.fromhex(vector["hex"])
            with pytest.raises(holdall.Error) as whole:
                holdall.loads(data)
            found.append(check_refused(data, whole.value, has_one_fault=True))
    assert found.count("the same") > 1000


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
