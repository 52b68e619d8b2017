"""Dicts that were read behave like any others, whichever way they were filled."""

from __future__ import annotations

import ctypes
import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any, TypedDict

import holdall
import pytest

COUNTS = [0, 1, 5, 6, 10, 11, 20, 200]


def by_hand(fields: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in fields.items():
        made[key] = value
    return made


def rows(count: int, value: Callable[[int], Any] = lambda at: at) -> list[dict[str, Any]]:
    """Enough rows not to be a small message."""
    fields = range(count)
    return [
        {f"key {at}": value(row + at) for at in fields} for row in range(1000 // (count + 1) + 3)
    ]


def scalar(at: int) -> Any:
    return [at, at / 7, f"text {at}", None, at % 2 == 0, b"bytes", 10**30, "é"][at % 8]


def container(at: int) -> Any:
    return [at, [at], {"x": at}, (at, [at]), None, {at}][at % 6]


@pytest.mark.parametrize("value", [scalar, container])
@pytest.mark.parametrize("count", COUNTS)
def test_dicts_behave_like_any_others(count: int, value: Callable[[int], Any]) -> None:
    expected = [by_hand(row) for row in rows(count, value)]
    got = holdall.loads(holdall.dumps(expected))
    assert [list(row.items()) for row in got] == [list(row.items()) for row in expected]
    for number, (row, like) in enumerate(zip(got, expected, strict=True)):
        assert type(row) is dict
        assert sys.getsizeof(row) == sys.getsizeof(like)
        for each in (row, like):
            each["more"] = number
            if count > 1:
                del each["key 0"]
                each["key 1"] = each.pop("key 1"), number
                each["key 0"] = [number]
            each.update({str(at): at for at in range(number % 20)})
            assert each.setdefault("more", 0) == number
        assert list(row.items()) == list(like.items())
        assert row == like == row.copy() == row | {}
        assert list(reversed(row)) == list(reversed(like))
        while like:
            assert row.popitem() == like.popitem()
        assert not row
        row[0] = None
        assert row == {0: None}


@pytest.mark.parametrize("count", COUNTS)
def test_dicts_share_nothing_but_their_keys(count: int) -> None:
    data = holdall.dumps(rows(count))
    decoder = holdall.Decoder()
    for row in decoder.decode(data):
        row.clear()
        row["key 0"] = None
    assert decoder.decode(data) == holdall.loads(data) == rows(count)


@pytest.mark.parametrize("count", COUNTS)
def test_dicts_of_small_messages_behave_like_any_others(count: int) -> None:
    decoder = holdall.Decoder()
    for number in range(20):
        like = {f"{at}": number + at for at in range(count)}
        back = decoder.decode(holdall.dumps(like))
        assert list(back.items()) == list(like.items())
        back["more"] = like.pop("0", None)
        back.pop("0", None)
        assert back == {**like, "more": back["more"]}


@pytest.mark.parametrize("value", [scalar, lambda at: [at], lambda at: {"x": at}])
def test_the_collector_tracks_dicts_that_can_be_in_cycles(value: Callable[[int], Any]) -> None:
    expected = [by_hand(row) for row in rows(6, value)]
    for row, like in zip(holdall.loads(holdall.dumps(expected)), expected, strict=True):
        assert gc.is_tracked(row) == gc.is_tracked(by_hand(like))


def test_the_collector_finds_cycles_through_dicts_that_were_read() -> None:
    class Thing:
        pass

    back = holdall.loads(holdall.dumps(rows(5, lambda at: [at])))
    gone = []
    for row in back:
        thing = Thing()
        row["key 3"].append((thing, row))
        gone.append(weakref.ref(thing))
    del back, row, thing
    gc.collect()
    assert not any(each() for each in gone)


def test_shared_dicts_stay_shared() -> None:
    values = rows(6)
    for row in values:
        row["key 2"] = row
        row["key 4"] = [row]
        row["key 5"] = values[0]
    back = holdall.loads(holdall.dumps([values, values[::-1]]))
    for row, again in zip(back[0], back[1][::-1], strict=True):
        assert row is again is row["key 2"] is row["key 4"][0]
        assert row["key 5"] is back[0][0]
        assert list(row) == list(values[0])


def test_reference_counts_do_not_change() -> None:
    decoder = holdall.Decoder()
    values = [{"a": 1, "b": None, "c": [None], "d": "text", "e": 1.5}] * 3
    data = holdall.dumps([dict(row) for row in values])
    small = holdall.dumps({"a": None, "b": None, "c": 1})
    decoder.decode(data)
    before = sys.getrefcount(None)
    for _ in range(10_000):
        decoder.decode(data)
        decoder.decode(small)
    assert abs(sys.getrefcount(None) - before) < 1000
    keys = list(decoder.decode(data)[2])
    counts = [sys.getrefcount(key) for key in keys]
    for _ in range(1000):
        decoder.decode(data)
    assert [sys.getrefcount(key) for key in keys] == counts


def test_dicts_that_fail_midway_leak_nothing() -> None:
    values = [{"a": None, "b": [row], "c": row} for row in range(1000)]
    values[-1]["c"] = "text"
    decoder = holdall.Decoder(list[dict[str, list[int] | int | None]])
    data = holdall.dumps(values)
    before = sys.getrefcount(None)
    for _ in range(20):
        with pytest.raises(holdall.SchemaError):
            decoder.decode(data)
    assert abs(sys.getrefcount(None) - before) < 1000


class Asked(TypedDict, total=False):
    b: int
    a: list[int]
    c: str


def test_typed_dicts_behave_like_any_others() -> None:
    values = [{"a": [row], "unknown": None, "b": row, "c": str(row)} for row in range(1000)]
    back = holdall.loads(holdall.dumps(values), list[Asked])
    for row, like in zip(back, values, strict=True):
        del like["unknown"]
        assert list(row.items()) == list(like.items())
        assert gc.is_tracked(row)


class Hooked:
    """Runs `decode` while the dict that holds the object is being filled."""

    act: Callable[[dict[Any, Any]], object] = len
    met = 0

    @staticmethod
    def decode(_: int) -> str:
        # Not by name: the frame would hold a reference to it.
        for found in gc.get_objects():
            if type(found) is dict and "this test's own" in found and not found.get("hook"):
                Hooked.met += 1
                Hooked.act(found)
        return "decoded"


holdall.register(Hooked, name="test_dicts.Hooked", encode=lambda _: 1, decode=Hooked.decode)


def hooked() -> bytes:
    rows = range(3)
    names = [{"this test's own": [1], "hook": Hooked(), "after": 5, "last": [2]} for _ in rows]
    return holdall.dumps(names)


def growing(found: dict[Any, Any]) -> None:
    found.update({str(at): at for at in range(100)})


def put_last(found: dict[Any, Any]) -> None:
    found["last"] = found.pop("last", None)
    found["after"] = found.pop("after", None)


SEEN: list[dict[Any, Any]] = []


@pytest.mark.parametrize(
    "act",
    [
        len,
        list,
        repr,
        dict.clear,
        growing,
        put_last,
        SEEN.append,
        lambda found: found.popitem() if len(found) > 1 else None,
        lambda found: found.pop("after", None),
        lambda found: found.update({1: 2}),
        lambda found: found.update(after=[found]),
    ],
)
def test_hooks_may_do_anything_to_a_dict_that_is_being_filled(
    act: Callable[[dict[Any, Any]], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = hooked()
    monkeypatch.setattr(Hooked, "act", staticmethod(act))
    monkeypatch.setattr(Hooked, "met", 0)
    decoder = holdall.Decoder()
    for number in range(3):
        back = decoder.decode(data)
        assert Hooked.met == 3 * (number + 1)
        for row in back:
            assert (row["hook"], row["after"], row["last"]) == ("decoded", 5, [2])
            assert len(row) == len(list(row)) == len(row.copy())
            row.clear()
    SEEN.clear()
    monkeypatch.undo()
    plain = {"this test's own": [1], "hook": "decoded", "after": 5, "last": [2]}
    assert [list(row.items()) for row in decoder.decode(data)] == [list(plain.items())] * 3


@pytest.mark.skipif(sys.version_info < (3, 12), reason="dicts cannot be watched")
def test_watchers_of_a_dict_see_it_being_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    api = ctypes.pythonapi
    events: list[int] = []
    kind = ctypes.PYFUNCTYPE(
        ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
    )

    @kind
    def callback(event: int, _dict: int, _key: int, _value: int) -> int:
        events.append(event)
        return 0

    watcher = api.PyDict_AddWatcher(callback)
    assert watcher >= 0

    def act(found: dict[Any, Any]) -> None:
        api.PyDict_Watch(watcher, ctypes.py_object(found))

    data = hooked()
    monkeypatch.setattr(Hooked, "act", staticmethod(act))
    try:
        back = holdall.loads(data)
        # Each row has three more values.
        assert len(events) >= 9
        for row in back:
            api.PyDict_Unwatch(watcher, ctypes.py_object(row))
    finally:
        api.PyDict_ClearWatcher(watcher)
