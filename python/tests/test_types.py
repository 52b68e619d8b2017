"""A value of every type survives a round trip, alone and inside others."""

from __future__ import annotations

import collections
import copy
import dataclasses
import datetime
import zoneinfo
from typing import Any, Never

import holdall
import numpy as np
import numpy.typing as npt
import pytest
from checks import roundtrip
from sample_values import ARRAYS, CONTAINERS, EVERY, LOGICAL, OBJECTS, SCALARS, named
from samples import Plain


@pytest.mark.parametrize("value", named(SCALARS))
def test_scalars_survive(value: Any) -> None:
    roundtrip(value)


@pytest.mark.parametrize("value", named(LOGICAL))
def test_logical_values_survive(value: Any) -> None:
    roundtrip(value)


@pytest.mark.parametrize("value", named(CONTAINERS))
def test_containers_survive(value: Any) -> None:
    roundtrip(value)


@pytest.mark.parametrize("value", named(OBJECTS))
def test_objects_survive(value: Any) -> None:
    roundtrip(value)


@pytest.mark.parametrize("value", named(ARRAYS))
def test_arrays_survive(value: Any) -> None:
    roundtrip(value)


@pytest.mark.parametrize("value", named(EVERY))
def test_values_survive_at_any_place(value: Any) -> None:
    is_copied = not isinstance(value, BaseException | np.dtype) and value is not ...
    other = copy.deepcopy(value) if is_copied else value
    holder = Plain("holder", one=value, two=[value, (value, other)], three={"k": value, 5: [other]})
    roundtrip([holder, [value], {"z": collections.deque([value])}, holder])


@pytest.mark.parametrize("value", named(EVERY))
def test_hashable_values_are_keys_and_members(value: Any) -> None:
    try:
        hash(value)
    except TypeError:
        pytest.skip("not hashable")
    back = roundtrip([{value: 1}])
    ((key, one),) = back[0].items()
    assert type(key) is type(value)
    assert one == 1
    assert len(roundtrip([{value}])[0]) == 1
    assert len(roundtrip([frozenset([value, (value, 1)])])[0]) == 2


def test_every_value_at_once() -> None:
    back = roundtrip(EVERY)
    assert len(back) == len(EVERY)


def test_memoryviews_are_bytes() -> None:
    assert holdall.loads(holdall.dumps(memoryview(b"abcd")[::2])) == b"ac"


def test_nan_keeps_its_payload() -> None:
    import struct

    for bits in (0x7FF8000000000001, 0xFFF0000000000001, 0x7FF0DEADBEEF0000):
        (value,) = struct.unpack("<d", struct.pack("<Q", bits))
        assert struct.pack("<d", roundtrip([value])[0]) == struct.pack("<Q", bits)


def test_sets_are_written_in_a_fixed_order() -> None:
    names = [f"name{at}" for at in range(100)]
    forward, backward = set(names), set(reversed(names))
    assert holdall.dumps(forward) == holdall.dumps(backward)


def test_a_zone_without_a_key_is_rejected() -> None:
    zone = zoneinfo.ZoneInfo.no_cache("Europe/Berlin")
    with pytest.raises(holdall.EncodeError, match="a ZoneInfo that its key does not find"):
        holdall.dumps(zone)


def test_durations_in_all_units_are_read() -> None:
    for unit, number in ((0, 5), (1, 5_000), (2, 5_000_000), (3, 5_000_000_000)):
        data = holdall.dumps(holdall.Logical(4, bytes([unit]), number))
        assert holdall.loads(data) == datetime.timedelta(seconds=5)
    odd = holdall.Logical(4, b"\x03", 5)
    assert holdall.loads(holdall.dumps(odd)) == odd


def test_arrays_own_their_memory() -> None:
    back = roundtrip(np.arange(10))
    back[0] = 7
    assert back.flags.writeable


def test_fortran_order_is_kept() -> None:
    value = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    back = roundtrip(value)
    assert back.flags.f_contiguous
    assert not back.flags.c_contiguous


def test_array_views_are_packed_by_their_elements() -> None:
    value = np.arange(20).reshape(4, 5)[::2, ::-1]
    assert np.array_equal(holdall.loads(holdall.dumps(value)), value)


@pytest.mark.parametrize(
    "value",
    [
        lambda: 1,
        datetime,
        holdall,
        iter([]),
        (x for x in ()),
        object().__str__,
        copy,
    ],
)
def test_code_and_handles_are_rejected_with_their_path(value: Any) -> None:
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps({"a": [1, Plain(2, x=value)]})
    assert caught.value.code == "unsupported_value"
    assert caught.value.path == "$.a[1].x"


FIRST, LAST = datetime.datetime.min, datetime.datetime.max
DAY = datetime.timedelta(days=1)


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo", "Europe/Berlin", "UTC"])
@pytest.mark.parametrize(
    "time",
    [FIRST, FIRST.replace(hour=5), FIRST + DAY, LAST - DAY, LAST.replace(hour=20), LAST],
    ids=str,
)
def test_datetimes_whose_utc_has_no_year_are_unpacked(time: datetime.datetime, zone: str) -> None:
    value = [time.replace(tzinfo=zoneinfo.ZoneInfo(zone))]
    back = holdall.loads(holdall.dumps(value))
    assert (back[0].replace(tzinfo=None), back[0].tzinfo) == (time, value[0].tzinfo)


def test_the_first_and_last_datetimes_of_utc_are_timestamps() -> None:
    zone = zoneinfo.ZoneInfo("Asia/Tokyo")
    first = FIRST.replace(tzinfo=datetime.UTC).astimezone(zone)
    data = [holdall.schema(holdall.dumps(each)) for each in (first, first - first.resolution)]
    assert ["py.datetime" in str(each) for each in data] == [False, True]


def test_a_timestamp_whose_local_time_has_no_year_is_an_error_with_its_path() -> None:
    last = datetime.datetime(9999, 12, 31, 18, tzinfo=zoneinfo.ZoneInfo("America/New_York"))
    data = holdall.dumps([last]).replace(b"America/New_York", b"Asia/Krasnoyarsk")
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.loads(data)
    assert (caught.value.code, caught.value.path) == ("unrepresentable", "$[0]")


class Hours(datetime.tzinfo):
    """A zone of the program's own."""

    def utcoffset(self, _when: datetime.datetime | None) -> datetime.timedelta:
        return datetime.timedelta(hours=5)


def test_times_whose_zone_has_an_unknown_class_stay_what_the_data_say() -> None:
    value = {
        "ok": 1,
        "when": datetime.datetime(2020, 1, 1, tzinfo=Hours()),
        "at": datetime.time(1, tzinfo=Hours()),
    }
    data = holdall.dumps(value)
    unknown = holdall.loads(data)
    assert unknown["ok"] == 1
    assert unknown["when"].name == "py.datetime"
    assert unknown["at"].name == "py.time"
    assert holdall.dumps(unknown) == data
    known = holdall.loads(data, types=[Hours])
    assert (known["when"].hour, known["when"].utcoffset()) == (0, datetime.timedelta(hours=5))


@pytest.mark.parametrize(
    ("data", "fill"),
    [
        (np.array([1, 2]), None),
        (np.array([1.5, 2]), -1),
        (np.array(["a", "bc"]), "zz"),
        (np.array(["2024-01-01"] * 2, dtype="M8[D]"), np.datetime64("1999-09-09")),
        (np.array([1, [2]], dtype=object), "?"),
        (np.array([(1, 2.5)] * 2, dtype=[("a", "i4"), ("b", "f8")]), (7, 0.5)),
    ],
    ids=lambda value: str(getattr(value, "dtype", value)),
)
def test_masked_arrays_keep_their_mask_and_what_fills_them(data: Any, fill: Any) -> None:
    array = np.ma.MaskedArray(data, mask=[True, False], fill_value=fill, hard_mask=True)
    back = holdall.loads(holdall.dumps(array))
    assert type(back) is np.ma.MaskedArray
    assert back.filled().tolist() == array.filled().tolist()
    assert (back.mask.tolist(), back.hardmask) == (array.mask.tolist(), True)
    assert holdall.dumps(back) == holdall.dumps(array)


@dataclasses.dataclass
class Noted:
    text: str
    more: dict[str, list[str]]


#: Text that UTF-8 cannot hold, and types that ask for text.
UNPAIRED = "a\ud800"
TEXTS: list[tuple[Any, Any]] = [
    (UNPAIRED, str),
    (UNPAIRED, str | None),
    (UNPAIRED, int | str),
    ([UNPAIRED, "a"], list[str]),
    ([UNPAIRED] * 300, list[str]),
    ([UNPAIRED], list[int] | list[str]),
    ((UNPAIRED, 1), tuple[str, int]),
    ({UNPAIRED}, set[str]),
    ({UNPAIRED: 1, "a": 2}, dict[str, int]),
    ({"a": UNPAIRED}, dict[str, str]),
    (Noted(UNPAIRED, {UNPAIRED: [UNPAIRED]}), Noted),
    ([Noted(UNPAIRED, {})] * 3, list[Noted]),
]


@pytest.mark.parametrize(("value", "tp"), TEXTS, ids=lambda each: ascii(each)[:40])
def test_text_with_lone_surrogates_is_read_as_str(value: Any, tp: Any) -> None:
    for profile in ("fast", "balanced", "small"):
        message = holdall.dumps(value, profile=profile)
        assert holdall.loads(message, tp) == value
        assert holdall.loads(message, tp, strict=False) == value
        assert holdall.Decoder(tp).decode(message) == value


def test_text_with_lone_surrogates_is_no_other_type() -> None:
    for tp in (int, bytes, list[str], Noted):
        with pytest.raises(holdall.SchemaError, match="unconvertible"):
            holdall.loads(holdall.dumps(UNPAIRED), tp)
    # Other formats have it as bytes.
    data = holdall.dumps([UNPAIRED], format="msgpack", storage=True)
    assert holdall.loads(data, list[bytes], format="msgpack") == [
        UNPAIRED.encode(errors="surrogatepass")
    ]


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["0", "1", "2", "true"], int | bool, [0, 1, 2, True]),
        (["1", "False"], bool | float, [1.0, False]),
        (
            ["20200101", "7", "2020-01-01"],
            int | datetime.date,
            [20200101, 7, datetime.date(2020, 1, 1)],
        ),
        (["1200", "12:00"], datetime.time | int, [1200, datetime.time(12)]),
    ],
)
@pytest.mark.parametrize("form", ["holdall", "json"])
def test_text_that_can_be_a_number_is_one(
    texts: list[str], kind: Any, values: list[Any], form: str
) -> None:
    found = holdall.loads(holdall.dumps(texts, format=form), list[kind], strict=False, format=form)
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


@dataclasses.dataclass
class Day:
    day: datetime.date


def test_a_datetime_is_no_date() -> None:
    when = datetime.datetime(2020, 1, 1, 5)
    rows: list[tuple[Any, Any, str]] = [
        ({"day": when}, Day, "$.day"),
        ([when], list[datetime.date], "$[0]"),
        ({when: 1}, dict[datetime.date, int], "$[0].key"),
        ([when], list[datetime.date | int], "$[0]"),
    ]
    for value, kind, path in rows:
        with pytest.raises(holdall.SchemaError, match="got datetime") as caught:
            holdall.loads(holdall.dumps(value), kind)
        assert caught.value.path == path
    both = [when, when.date()]
    assert holdall.loads(holdall.dumps(both), list[datetime.date | datetime.datetime]) == both


def test_no_value_is_of_the_type_never() -> None:
    assert holdall.loads(holdall.dumps([]), list[Never]) == []
    with pytest.raises(holdall.SchemaError) as caught:
        holdall.loads(holdall.dumps([1]), list[Never])
    assert caught.value.path == "$[0]"


ARANGE = np.arange(3)


@pytest.mark.parametrize(
    ("array", "kind", "error"),
    [
        (ARANGE.astype("i4"), npt.NDArray[np.int32], None),
        (ARANGE.astype(">i4"), npt.NDArray[np.int32], None),
        (
            ARANGE.astype("f8"),
            npt.NDArray[np.int32],
            "expected ndarray of int32, got one of float64",
        ),
        (ARANGE.astype("f8"), npt.NDArray[np.floating], None),
        (ARANGE, npt.NDArray[np.longlong], None),
        (ARANGE, npt.NDArray[np.float32] | npt.NDArray[np.integer], None),
        (
            ARANGE.astype("f8"),
            npt.NDArray[np.float32] | npt.NDArray[np.integer],
            "ndarray of float32 or integer",
        ),
        (ARANGE, npt.NDArray[np.int8] | np.ndarray, None),
        (ARANGE, np.ndarray | npt.NDArray[np.int8], None),
        (ARANGE, npt.NDArray[Any], None),
        (np.array(["a"]), npt.NDArray[np.str_], None),
        (ARANGE, npt.NDArray[int], None),
        (ARANGE > 1, npt.NDArray[bool], None),
        (ARANGE.astype("f4"), npt.NDArray[float], None),
        (ARANGE, npt.NDArray[float], "expected ndarray of floating, got one of int64"),
        (np.ma.array([1.0, 2.0]), npt.NDArray[np.int32] | np.ma.MaskedArray, None),
    ],
)
def test_arrays_have_the_elements_that_a_type_says(
    array: Any, kind: Any, error: str | None
) -> None:
    message = holdall.dumps([array])
    if error is None:
        (found,) = holdall.loads(message, list[kind])
        assert found.dtype == array.dtype
        assert np.array_equal(found, array)
        return
    with pytest.raises(holdall.SchemaError, match=error) as caught:
        holdall.loads(message, list[kind])
    assert (caught.value.code, caught.value.path) == ("unconvertible", "$[0]")
