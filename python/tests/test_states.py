"""A class decides what of its objects is data by its own methods for pickle, whatever it inherits from."""

from __future__ import annotations

import collections
import datetime
import pickle
import threading
from typing import Any

import holdall
import pytest
from checks import check_message

BASES: list[tuple[type, tuple[Any, ...]]] = [
    (list, ([1, 2],)),
    (dict, ({"a": 1},)),
    (set, ({1, 2},)),
    (frozenset, ({1, 2},)),
    (tuple, ((1, 2),)),
    (str, ("text",)),
    (bytes, (b"bytes",)),
    (bytearray, (b"bytes",)),
    (int, (5,)),
    (float, (2.5,)),
    (collections.OrderedDict, ([("a", 1)],)),
    (collections.deque, ([1, 2],)),
    (datetime.date, (2026, 1, 2)),
]


def with_state(base: type) -> type:
    def get(self: Any) -> dict[str, Any]:
        return {"kept": self.kept, "was": "packed"}

    def restore(self: Any, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lock = threading.Lock()

    methods = {"__getstate__": get, "__setstate__": restore}
    return type(f"Own{base.__name__}", (base,), {**methods, "__module__": __name__})


CLASSES = {base: with_state(base) for base, _ in BASES}
globals().update({cls.__name__: cls for cls in CLASSES.values()})


@pytest.mark.parametrize(("base", "arguments"), BASES, ids=[base.__name__ for base, _ in BASES])
def test_what_a_subclass_of_a_builtin_class_drops_is_not_packed(
    base: type, arguments: tuple[Any, ...]
) -> None:
    cls = CLASSES[base]
    value = cls(*arguments)
    value.kept, value.secret, value.lock = "kept", "hidden", threading.Lock()
    data = holdall.dumps(value)
    check_message(data)
    assert b"hidden" not in data
    back = holdall.loads(data, types=[cls])
    assert type(back) is cls
    assert back == value
    assert (back.kept, back.was) == ("kept", "packed")
    assert not hasattr(back, "secret")
    assert hasattr(back, "lock")
    # Without the class, the state is that of a record, which stays as it is.
    assert holdall.dumps(holdall.loads(data)) == data


@pytest.mark.parametrize("state", [None, {}, (), [1], "text", ({"a": 1}, {"b": 2})], ids=repr)
def test_a_set_state_gets_what_get_state_returned(state: Any) -> None:
    class Own(list[int]):
        got: Any = "nothing"

        def __getstate__(self) -> Any:
            return state

        def __setstate__(self, state: Any) -> None:
            self.got = state

    back = holdall.loads(holdall.dumps(Own([1])), types=[Own])
    # None is no state: pickle does not call `__setstate__`, either.
    assert back.got == ("nothing" if state is None else state)
    assert back == [1]


class Slotted:
    """Python's default state of slots is a tuple."""

    __slots__ = ("left", "right")

    def __setstate__(self, state: Any) -> None:
        own, slots = state
        assert own is None
        for name, value in slots.items():
            setattr(self, name, value)


class SlottedMore(Slotted):
    """Beside slots it has a dict."""

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state[0] or {})
        super().__setstate__((None, state[1]))


def test_the_set_state_of_a_class_with_slots_gets_two_parts() -> None:
    value = Slotted()
    value.left = 1
    back = holdall.loads(holdall.dumps(value), types=[Slotted])
    assert back.left == 1
    assert not hasattr(back, "right")
    more = SlottedMore()
    more.left, more.extra = 1, 2  # type: ignore[attr-defined]
    for read in (
        holdall.loads(holdall.dumps(more), types=[SlottedMore]),
        pickle.loads(pickle.dumps(more)),
    ):
        assert (read.left, read.extra) == (1, 2)


class Unset:
    """Has a state that its attributes cannot hold, and no method to restore it."""

    def __getstate__(self) -> Any:
        return [1, 2]


def test_a_state_that_nothing_restores_is_an_error() -> None:
    data = holdall.dumps([Unset()])
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.loads(data, types=[Unset])
    assert caught.value.code == "unconvertible"
    assert caught.value.path == "$[0]"
    assert (
        "Unset as a list, which its attributes cannot hold; give the class a __setstate__"
        in str(caught.value)
    )
    with pytest.raises(pickle.UnpicklingError):
        pickle.loads(pickle.dumps([Unset()]))


class Guarded(Exception):
    """Leaves out what cannot be data."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(f"{host}:{port}")
        self.host, self.port = host, port
        self.lock = threading.Lock()
        self.token = "hidden"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.host, self.port)


@holdall.register
def guarded(port: int) -> GuardedByFunction:
    return GuardedByFunction("function", port)


class GuardedByFunction(Guarded):
    def __reduce__(self) -> tuple[Any, ...]:
        return guarded, (self.port,), {"note": "stated"}


def test_the_reduce_of_an_exception_decides_what_is_packed() -> None:
    error = Guarded("host", 80)
    error.__cause__ = KeyError("k")
    data = holdall.dumps(error)
    check_message(data)
    assert b"hidden" not in data
    back = holdall.loads(data, types=[Guarded])
    assert (str(back), back.host, back.port) == ("host:80", "host", 80)
    assert repr(back.__cause__) == "KeyError('k')"
    assert holdall.dumps(back) == data
    assert holdall.dumps(holdall.loads(data)) == data
    by_function = holdall.loads(holdall.dumps(GuardedByFunction("h", 5)), types=[GuardedByFunction])
    assert (by_function.host, by_function.port, by_function.note) == ("function", 5, "stated")


def test_a_raised_exception_with_a_reduce_keeps_its_traceback_as_text() -> None:
    try:
        raise Guarded("host", 80)
    except Guarded as error:
        data = holdall.dumps(error)
    back = holdall.loads(data, types=[Guarded])
    assert 'raise Guarded("host", 80)' in back.__traceback_text__
    assert holdall.dumps(back) == data
