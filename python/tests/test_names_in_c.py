"""Functions and methods in C, static methods, cached functions, constants and factories: packed by the name under which a module has them."""

from __future__ import annotations

import collections
import datetime
import functools
import math
import pickle
import sys
import types
import typing
from typing import Any

import holdall
import numpy as np
import pytest
from checks import check_message


class Tools:
    @staticmethod
    def fixed() -> int:
        return 5

    class Inner:
        @staticmethod
        def deep() -> int:
            return 6


@functools.lru_cache
def cached(number: int) -> int:
    return number + 1


def make_zero() -> int:
    return 0


class Sentinel:
    def __init__(self, name: str) -> None:
        self.name = name

    def __reduce__(self) -> Any:
        return self.name


MISSING = Sentinel("MISSING")
UNNAMED = Sentinel("NOWHERE")
OTHER = Sentinel("MISSING")

NAMES: dict[str, Any] = {
    "math.sqrt": math.sqrt,
    "builtins.len": len,
    "builtins.str.upper": str.upper,
    "builtins.dict.fromkeys": dict.fromkeys,
    "builtins.bytes.maketrans": bytes.maketrans,
    "datetime.datetime.now": datetime.datetime.now,
    "builtins.object.__init__": object.__init__,
    "numpy.add": np.add,
    "numpy.mean": np.mean,
    "numpy.linalg.norm": np.linalg.norm,
    "numpy.array": np.array,
    f"{__name__}.Tools.fixed": Tools.fixed,
    f"{__name__}.Tools.Inner.deep": Tools.Inner.deep,
    f"{__name__}.cached": cached,
}


@pytest.mark.parametrize("name", NAMES)
def test_what_a_module_has_is_packed_by_its_name(name: str) -> None:
    function = NAMES[name]
    data = holdall.dumps([function, function])
    check_message(data)
    assert holdall.loads(data) == [holdall.Extension("py.callable", name)] * 2
    assert holdall.dumps(holdall.loads(data)) == data
    (back, again) = holdall.loads(data, types=[function])
    assert back == again == function
    assert holdall.loads(data, trust=True)[0] == function
    with pytest.raises(holdall.DecodeError, match="does not allow"):
        holdall.loads(data, missing="error")


@pytest.mark.usefixtures("forgets_classes")
def test_functions_in_c_are_registered_as_others() -> None:
    holdall.register(str.upper, uses=["value"])
    holdall.register(np.add, name="t.add", uses=["value"])
    assert holdall.loads(holdall.dumps([str.upper, np.add])) == [str.upper, np.add]
    with pytest.raises(TypeError, match=r"has none: pass name=\.\.\."):
        holdall.register([].append)
    holdall.register([].append, name="t.append")


@pytest.mark.parametrize(
    "value", [[].append, "a".upper, {}.__len__, (5).__add__], ids=["append", "upper", "len", "add"]
)
def test_a_method_in_c_of_an_object_is_refused_as_that(value: Any) -> None:
    owner = type(value.__self__).__name__
    with pytest.raises(holdall.EncodeError) as failed:
        holdall.dumps([value])
    assert str(failed.value).startswith(
        f"unsupported_value in $[0]: expected a value that can be packed, got the method {value.__name__!r} of a {owner}, "
        "which is written in C: leave it out"
    )


def test_a_cached_function_without_a_name_is_refused() -> None:
    with pytest.raises(holdall.EncodeError, match="a function that no module has under its name"):
        holdall.dumps([functools.cache(lambda: 0)])


# ---- constants ----


def test_a_constant_is_the_same_object_again() -> None:
    data = holdall.dumps([MISSING, MISSING, {"a": MISSING}])
    check_message(data)
    back = holdall.loads(data, types=[Sentinel])
    assert back[0] is back[1] is back[2]["a"] is MISSING
    kept = holdall.loads(data)
    assert type(kept[0]) is holdall.Record
    assert holdall.dumps(kept) == data
    assert holdall.loads(data, trust=True)[0] is MISSING


class Plain:
    pass


PLAIN = Plain()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_constant_in_a_converted_pickle_is_the_same_object(protocol: int) -> None:
    data = pickle.dumps([MISSING, {"a": MISSING}], protocol)
    for allowed in ([Sentinel], []):
        converted = holdall.convert_pickle(data, types=allowed).data
        back = holdall.loads(converted, types=[Sentinel])
        assert back[0] is back[1]["a"] is MISSING
    assert holdall.loads(converted)[0] == holdall.Extension("py.callable", f"{__name__}.MISSING")


def test_data_hold_no_object_that_is_not_a_constant_of_an_allowed_class() -> None:
    plain = [types.SimpleNamespace, dict, Plain]
    names = [f"{__name__}.MISSING", f"{__name__}.PLAIN", "sys.modules", "sys.implementation"]
    for name in names:
        held = holdall.Extension("py.callable", name)
        assert holdall.loads(holdall.dumps([held]), types=plain) == [held]
        with pytest.raises(holdall.DecodeError, match="which this program does not allow"):
            holdall.loads(holdall.dumps([held]), missing="error")


@pytest.mark.parametrize("value", [UNNAMED, OTHER])
def test_a_constant_that_its_module_does_not_have_is_refused(value: Any) -> None:
    with pytest.raises(
        holdall.EncodeError, match="returns the name '(NOWHERE|MISSING)', under which"
    ):
        holdall.dumps([value])


@pytest.mark.parametrize(
    "name", ["os.system", f"{__name__}.Sentinel", f"{__name__}.NAMES", "x", "os", 5, "sys.modules"]
)
def test_only_an_object_of_the_class_itself_can_be_a_constant(name: Any) -> None:
    fields = {"<call>": "py.constant", "<args>": (name,)}
    forged = holdall.Record(f"{__name__}.Sentinel", fields)
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.loads(holdall.dumps([forged]), types=[Sentinel])
    assert failed.value.path == "$[0]"


def test_data_cannot_change_a_constant() -> None:
    fields = {"<call>": "py.constant", "<args>": (f"{__name__}.MISSING",), "name": "changed"}
    forged = holdall.Record(f"{__name__}.Sentinel", fields)
    with pytest.raises(holdall.DecodeError, match="'py.constant', which is not registered"):
        holdall.loads(holdall.dumps([forged]), types=[Sentinel])
    assert MISSING.name == "MISSING"


def test_special_forms_of_typing_are_constants() -> None:
    data = holdall.dumps([typing.Any, typing.Optional[int]])  # noqa: UP045
    assert holdall.loads(data, trust=True) == [typing.Any, typing.Optional[int]]  # noqa: UP045


# ---- factories ----


def test_a_factory_is_packed_by_its_name_and_read_where_it_is_allowed() -> None:
    data = holdall.dumps(collections.defaultdict(make_zero, a=1))
    back = holdall.loads(data, types=[make_zero])
    assert (back, back.default_factory) == ({"a": 1}, make_zero)
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.loads(data)
    assert f"the factory '{__name__}.make_zero', which is not registered for that" in str(
        failed.value
    )
    assert holdall.classes(data) == {f"{__name__}.make_zero": None}


def test_a_factory_without_a_name_is_refused() -> None:
    for factory in (lambda: 0, functools.partial(int, 5)):
        with pytest.raises(
            holdall.EncodeError, match="no class or function that a module has"
        ) as failed:
            holdall.dumps([collections.defaultdict(factory)])
        assert failed.value.path == "$[0]"


# ---- what is missing ----


def named() -> Any:
    held = {"class": Tools, "function": make_zero, "in c": math.sqrt}
    return [holdall.Record("shop.Cart", items=[holdall.Record("shop.Item@2")]), held]


def test_one_error_lists_all_that_is_missing() -> None:
    data = holdall.dumps(named())
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.loads(data, missing="error")
    assert str(failed.value) == (
        f"unrepresentable in $[0]: the data has objects of shop.Cart, shop.Item and holds the classes or functions "
        f"{__name__}.Tools, {__name__}.make_zero, math.sqrt, which this program does not allow. "
        "If you know that these are safe classes, let data create objects of them:\n"
        f"    import {__name__}, math\n"
        f'    holdall.register({__name__}.make_zero, uses=["value"])\n'
        '    holdall.register(math.sqrt, uses=["value"])\n'
        f"    import shop, {__name__}\n"
        f"    holdall.loads(data, types=[shop.Cart, shop.Item, {__name__}.Tools])"
    )
    held = holdall.dumps(named()[1])
    with pytest.raises(holdall.DecodeError, match="math.sqrt") as failed:
        holdall.loads(held, missing="error", types=[Tools])
    assert f"holds the classes or functions {__name__}.make_zero, math.sqrt, which" in str(
        failed.value
    )
    assert holdall.loads(held, missing="error", types=[Tools, make_zero, math.sqrt]) == named()[1]


def test_an_error_lists_a_hundred_names_of_a_kind() -> None:
    data = holdall.dumps([holdall.Extension("py.callable", f"shop.make{at}") for at in range(150)])
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.loads(data, missing="error")
    assert ", shop.make99, and 50 more, which this program" in str(failed.value)
    assert str(failed.value).count("\n") == 101


@pytest.mark.parametrize("bad", ["os;evil()", "a\nimport os", "f(x)", "x,y", "a b.C", "", "."])
def test_an_error_suggests_no_code_that_data_wrote(bad: str) -> None:
    for value in (
        holdall.Extension("py.callable", bad),
        holdall.Extension("py.callable", f"shop.{bad}"),
        holdall.Record(bad or "x()", a=1),
        holdall.Record(f"shop.{bad}.Cart", a=1),
    ):
        with pytest.raises(holdall.DecodeError) as failed:
            holdall.loads(holdall.dumps([value, holdall.Record("shop.Good", a=1)]), missing="error")
        text, *code = str(failed.value).split("\n")
        assert "shop.Good" in text
        assert code == ["    import shop", "    holdall.loads(data, types=[shop.Good])"]


def test_a_name_of_many_parts_is_no_name() -> None:
    name = "a." * 500_000 + "b"
    fields = {"<call>": "py.constant", "<args>": (name,)}
    forged = holdall.dumps([holdall.Record(f"{__name__}.Sentinel", fields)])
    with pytest.raises(holdall.DecodeError, match="no imported module has"):
        holdall.loads(forged, types=[Sentinel])


def test_classes_lists_what_values_hold_and_call() -> None:
    assert holdall.classes(holdall.dumps(named())) == dict.fromkeys(
        ["shop.Cart", "shop.Item", f"{__name__}.Tools", f"{__name__}.make_zero", "math.sqrt"]
    )
    assert holdall.classes(holdall.dumps([int, np.float64, collections.defaultdict(list)])) == {}
    call = {"<call>": "shop.make", "<args>": (1,)}
    assert holdall.classes(holdall.dumps([holdall.Record("shop.Made", call)])) == {
        "shop.Made": None,
        "shop.make": None,
    }


@pytest.mark.usefixtures("forgets_classes")
def test_classes_has_what_is_registered_for_the_use() -> None:
    holdall.register(make_zero, uses=["value"])
    name = f"{__name__}.make_zero"
    assert holdall.classes(holdall.dumps([make_zero])) == {name: make_zero}
    assert holdall.classes(holdall.dumps(collections.defaultdict(make_zero))) == {name: None}


def test_reading_names_creates_nothing() -> None:
    sys.modules.pop("holdall_no_such_module", None)
    data = holdall.dumps([holdall.Extension("py.callable", "holdall_no_such_module.X"), 1])
    assert holdall.classes(data) == {"holdall_no_such_module.X": None}
    assert "holdall_no_such_module" not in sys.modules


# ---- classes without a module ----


def test_objects_of_a_class_without_a_module_are_refused_as_that() -> None:
    # Those of sympy's undefined functions, for example.
    made = type("f", (), {"__module__": None})
    for value, what in (
        (made(), f"an object of {made!r}, a class that is in no module"),
        (made, "a class that no module has under its name"),
    ):
        with pytest.raises(holdall.EncodeError) as failed:
            holdall.dumps([value])
        assert str(failed.value).startswith(
            f"unsupported_value in $[0]: expected a value that can be packed, got {what}"
        )
        assert holdall.loads(holdall.dumps([value], enc_hook=lambda _: "instead")) == ["instead"]


@pytest.mark.usefixtures("forgets_classes")
def test_a_class_without_a_module_can_be_registered_under_a_name() -> None:
    made = type("f", (), {"__module__": None})
    with pytest.raises(TypeError, match=r"has none: pass name=\.\.\."):
        holdall.register(made)
    holdall.register(made, name="t.f")
    holdall.register([].append, name="t.append")
    holdall.convert_pickle(pickle.dumps([1]))
    with pytest.raises(TypeError, match="which has no name that data could have"):
        holdall.loads(holdall.dumps(1), types=[[].pop])
    assert type(holdall.loads(holdall.dumps(made()))) is made
