"""Classes, functions, bound methods and partials as values: packed by name, restored only where data may hold them."""

from __future__ import annotations

import collections
import functools
import logging
import sys
import types
from typing import Any

import holdall
import pytest
from checks import check_message
from sample_values import LOCK


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def add(self, number: int = 1) -> int:
        self.count += number
        return self.count

    @classmethod
    def made(cls) -> Counter:
        return cls()

    @staticmethod
    def fixed() -> int:
        return 5

    def _hidden(self) -> None: ...

    @property
    def boom(self) -> Any:
        raise AssertionError("a property was read")


def twice(number: int) -> int:
    return 2 * number


HERE = sys.modules[__name__]


def packed(value: Any) -> bytes:
    data = holdall.dumps(value)
    check_message(data)
    return data


@pytest.mark.parametrize(
    "value",
    [twice, Counter, len, logging.Logger, Counter.made],
    ids=["function", "class", "builtin", "class of another module", "method of a class"],
)
def test_names_that_are_not_allowed_stay_data_with_the_same_bytes(value: Any) -> None:
    data = packed([value, value])
    back = holdall.loads(data)
    assert type(back[0]) is holdall.Extension
    assert back[0].name in ("py.callable", "py.method")
    assert back[0] is back[1]
    assert holdall.dumps(back) == data
    with pytest.raises(holdall.DecodeError, match="which this program does not allow"):
        holdall.loads(data, missing="error")


def test_what_types_name_can_be_held() -> None:
    assert holdall.loads(packed([twice]), types=[twice]) == [twice]
    assert holdall.loads(packed([Counter]), types=[Counter]) == [Counter]
    assert holdall.loads(packed([Counter]), types=[HERE]) == [Counter]
    # A module allows its classes, but no function.
    assert type(holdall.loads(packed([twice]), types=[HERE])[0]) is holdall.Extension
    assert holdall.loads(packed([twice, len]), trust=True) == [twice, len]
    # A class that is only requested may not be held.
    assert type(holdall.loads(packed([Counter()]), list[Counter])[0]) is Counter
    held = holdall.loads(packed({"c": Counter(), "held": Counter}), dict[str, Any])["held"]
    assert type(held) is holdall.Extension


def test_registration_allows_to_hold_only_on_request() -> None:
    class Local:
        def run(self) -> str:
            return "ran"

    holdall.register(Local, name="t.Local")
    data = packed([Local, Local().run])
    assert [type(each) for each in holdall.loads(data)] == [holdall.Extension] * 2
    holdall.register(Local, name="t.Local", uses=["value"])
    back = holdall.loads(data)
    assert (back[0], back[1]()) == (Local, "ran")
    local = lambda number: number + 1  # noqa: E731
    holdall.register(local, name="t.plus", uses=["value"])
    assert holdall.loads(packed([local]))[0] is local


def test_builtin_types_can_always_be_held() -> None:
    kinds = [int, str, dict, list, object, type(None), collections.deque, bool]
    assert holdall.loads(packed(kinds)) == kinds
    numpy = pytest.importorskip("numpy")
    assert holdall.loads(packed([numpy.float64, numpy.str_])) == [numpy.float64, numpy.str_]
    for name in ("numpy.load", "numpy.ndarray", "numpy.memmap", "builtins.type", "numpy.os"):
        forged = holdall.dumps(holdall.Extension("py.callable", name))
        assert holdall.loads(forged) == holdall.Extension("py.callable", name)


def local() -> Any:
    def inner() -> None: ...

    return inner


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (lambda: 0, "a function that no module has under its name"),
        (local(), "a function that no module has under its name"),
        (type("Made", (), {}), "a class that no module has under its name"),
        ([].append, "the method 'append' of a list, which is written in C"),
        (Counter().__str__, "the method '__str__' of a Counter, which is written in C"),
        ((number for number in ()), "builtins.generator, which is not data"),
        (iter([1]), "builtins.list_iterator, which is not data"),
        ({}.keys(), "builtins.dict_keys, which is not data"),
        (sys, "a module"),
        (local.__code__, "builtins.code, which is not data"),
        (sys._getframe(), "builtins.frame, which is not data"),
        (LOCK, "a _thread.lock"),
    ],
    ids=lambda each: getattr(type(each), "__name__", ""),
)
def test_what_is_not_data_is_refused_with_its_path_and_what_to_do(value: Any, what: str) -> None:
    with pytest.raises(holdall.EncodeError, match="enc_hook") as failed:
        holdall.dumps({"a": [value]})
    assert (failed.value.code, failed.value.path) == ("unsupported_value", "$.a[0]")
    assert what in str(failed.value)
    assert "leave it out" in str(failed.value)
    assert holdall.loads(holdall.dumps([value], enc_hook=lambda each: "instead")) == ["instead"]


# ---- methods ----


def test_bound_methods_keep_their_object() -> None:
    counter = Counter()
    data = packed([counter, counter.add, Counter.made])
    back = holdall.loads(data, types=[Counter])
    assert back[1](5) == 5
    assert back[0].count == 5
    assert type(back[2]()) is Counter
    kept = holdall.loads(data)
    assert [type(each) for each in kept] == [holdall.Record, holdall.Extension, holdall.Extension]
    assert holdall.dumps(kept) == data


def test_an_object_can_hold_its_own_method() -> None:
    counter: Any = Counter()
    counter.callback = counter.add
    back = holdall.loads(packed(counter), types=[Counter])
    assert back.callback.__self__ is back
    assert holdall.dumps(back) == packed(counter)


@pytest.mark.parametrize(
    "name", ["boom", "fixed", "made", "__init__", "__class__", "count", "missing", "__reduce__"]
)
def test_only_functions_of_the_class_become_methods(name: str) -> None:
    forged = packed(holdall.Extension("py.method", ([Counter()], name)))
    back = holdall.loads(forged, types=[Counter])
    assert type(back) is holdall.Extension
    with pytest.raises(holdall.DecodeError, match="does not allow"):
        holdall.loads(forged, types=[Counter], missing="error")


@pytest.mark.parametrize(
    "owner",
    [[], "text", 5, print, holdall.Record("x"), None, LookupError("x")],
    ids=lambda each: type(each).__name__,
)
def test_methods_of_other_objects_stay_data(owner: Any) -> None:
    for name in ("append", "upper", "to_dict", "add_note"):
        back = holdall.loads(packed(holdall.Extension("py.method", ([owner], name))))
        assert type(back) is holdall.Extension


def test_a_method_that_hides_another_is_refused() -> None:
    counter: Any = Counter()
    other = types.MethodType(twice, counter)
    with pytest.raises(holdall.EncodeError, match="under its name"):
        holdall.dumps([other])


# ---- partials ----


def test_partials_of_allowed_functions_work() -> None:
    partial: Any = functools.partial(twice, 4)
    partial.note = "n"
    data = packed([partial, functools.partial(int, base=5)])
    back = holdall.loads(data, types=[twice])
    assert (back[0](), back[0].note, back[1]("10")) == (8, "n", 5)
    kept = holdall.loads(data)
    assert type(kept[0]) is holdall.Extension
    assert kept[1]("10") == 5
    assert holdall.dumps(kept) == data


class Waiting(functools.partial[int]):
    pass


def test_a_class_that_needs_a_function_which_is_not_allowed_says_which() -> None:
    data = packed(Waiting(twice, 4))
    assert holdall.loads(data, types=[Waiting, twice])() == 8
    with pytest.raises(
        holdall.DecodeError, match=r"Waiting failed .*'.*\.twice'.* types="
    ) as failed:
        holdall.loads(data, types=[Waiting])
    assert (failed.value.code, failed.value.path) == ("unrepresentable", "$")


@pytest.mark.parametrize(
    "parts",
    [
        None,
        (int,),
        (int, [], {}, None),
        (int, (), [], None),
        (int, (), {}, {"__class__": 1}),
        (int, (), {}, 5),
    ],
)
def test_forged_partials_are_errors(parts: Any) -> None:
    with pytest.raises(holdall.DecodeError):
        holdall.loads(packed(holdall.Extension("py.partial", parts)))


# ---- functions that __reduce__ names ----


class Priced:
    price: int

    def __reduce__(self) -> Any:
        return (priced, (Priced, self.price), {"state": 1})


def priced(cls: type, price: int) -> Priced:
    assert cls is Priced
    made: Any = object.__new__(cls)
    made.price = price
    return made  # type: ignore[no-any-return]


def test_a_function_of_reduce_is_packed_by_name_and_gets_the_class() -> None:
    data = packed([priced(Priced, 5)])
    record = holdall.loads(data)[0]
    assert (record["<call>"], record["<args>"][1]) == (f"{__name__}.priced", 5)
    assert holdall.dumps([record]) == data
    with pytest.raises(holdall.DecodeError, match="not registered for that"):
        holdall.loads(data, types=[Priced])
    back = holdall.loads(data, types=[Priced, priced])[0]
    assert (type(back), back.price, back.state) == (Priced, 5, 1)


class Single:
    made: Any = None

    def __new__(cls) -> Any:
        if Single.made is None:
            Single.made = super().__new__(cls)
        return Single.made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return super().__reduce_ex__(protocol)


def test_a_class_without_arguments_decides_what_it_makes() -> None:
    assert holdall.loads(packed(Single()), types=[Single]) is Single()
