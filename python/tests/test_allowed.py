"""What one call allows data to name: classes, functions, all classes of a module, or everything."""

from __future__ import annotations

import collections
import pickle
import subprocess
import sys
import types
from pathlib import Path
from typing import Any, Generic, TypeVar

import holdall
import pydantic
import pytest

T = TypeVar("T")

SHOP = """
from subprocess import Popen
from collections import OrderedDict as Ordered

class Cart:
    class Line: ...

class Priced:
    def __reduce__(self):
        return (priced, (self.price,))

def priced(price):
    made = object.__new__(Priced)
    made.price = price
    return made

alias = Cart
"""


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A package with a module."""
    package, module = types.ModuleType("shop"), types.ModuleType("shop.goods")
    package.__path__ = []
    exec(SHOP, module.__dict__)
    monkeypatch.setitem(sys.modules, "shop", package)
    monkeypatch.setitem(sys.modules, "shop.goods", module)
    return package


def goods() -> Any:
    return sys.modules["shop.goods"]


def of(name: str) -> bytes:
    return holdall.dumps(holdall.Record(name, a=1))


@pytest.mark.parametrize("given", ["package", "module", "shop.*", "shop.goods.*"])
def test_a_module_allows_all_its_classes(shop: Any, given: str) -> None:
    allowed = {"package": shop, "module": goods()}.get(given, given)
    cart, line = goods().Cart(), goods().Cart.Line()
    cart.line = line
    back = holdall.loads(holdall.dumps([cart]), types=[allowed], missing="error")[0]
    assert (type(back), type(back.line)) == (goods().Cart, goods().Cart.Line)
    assert type(holdall.loads(of("samples.Other"), types=[allowed])) is holdall.Record
    assert type(holdall.loads(of("shopping.Cart"), types=[allowed])) is holdall.Record


@pytest.mark.parametrize(
    "name",
    [
        "shop.goods.Popen",
        "shop.goods.Ordered",
        "shop.goods.priced",
        "shop.goods.alias",
        "shop.goods.__builtins__",
        "shop.goods.__builtins__.eval",
        "shop.goods.Cart.__class__",
        "shop.goods.Cart.__init__",
        "shop.goods.Cart.__mro__",
        "shop.goods",
        "shop.",
        "shop.goods.",
        "shop..Cart",
        "shop.other.Cart",
    ],
)
def test_a_module_allows_nothing_that_it_took_from_others(shop: Any, name: str) -> None:
    modules = set(sys.modules)
    assert type(holdall.loads(of(name), types=[shop])) is holdall.Record
    assert type(holdall.loads(of(name), types=["shop.*"])) is holdall.Record
    assert set(sys.modules) == modules


def test_modules_that_are_not_imported_stay_so() -> None:
    assert "this" not in sys.modules
    assert type(holdall.loads(of("this.Zen"), types=["this.*"])) is holdall.Record
    assert "this" not in sys.modules


def test_a_lazy_module_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lazy(types.ModuleType):
        def __getattribute__(self, name: str) -> Any:
            raise AssertionError(f"loaded by {name}")

    monkeypatch.setitem(sys.modules, "lazy", Lazy("lazy"))
    assert type(holdall.loads(of("lazy.Thing"), types=["lazy.*"])) is holdall.Record


@pytest.mark.parametrize("given", ["*", ".*", "shop.*.*", "sho*", "", "shop/goods.*", "*.goods"])
def test_a_text_names_one_module(given: str) -> None:
    with pytest.raises(ValueError, match=r"must be 'module\.\*'"):
        holdall.loads(holdall.dumps(1), types=[given])


def test_a_text_without_a_star_says_what_to_write() -> None:
    with pytest.raises(ValueError, match=r"'shop\.Cart\.\*', or pass the class itself"):
        holdall.loads(holdall.dumps(1), types=["shop.Cart"])
    with pytest.raises(TypeError, match="classes, modules and names, and 5 is none"):
        holdall.loads(holdall.dumps(1), types=[5])  # type: ignore[list-item]  # pyright: ignore


def test_a_function_in_types_is_called_for_its_class_alone(shop: Any) -> None:
    holdall.register(goods().priced)
    made = goods().priced(5)
    data = holdall.dumps(made)
    holdall.register(goods().priced, uses=["factory"])
    with pytest.raises(holdall.DecodeError, match="not registered for that") as failed:
        holdall.loads(data, types=[shop])
    assert failed.value.path == "$"
    assert holdall.loads(data, types=[shop, goods().priced]).price == 5
    # A class is no function: its constructor must not get what the data choose.
    forged = holdall.Record(
        "shop.goods.Priced", {"<call>": "subprocess.Popen", "<args>": (["true"],)}
    )
    with pytest.raises(holdall.DecodeError, match="not registered for that"):
        holdall.loads(holdall.dumps(forged), types=[shop, subprocess.Popen])


def make_none() -> None: ...


def test_a_function_in_types_can_be_a_factory() -> None:
    data = holdall.dumps(holdall.Extension("py.defaultdict", (f"{__name__}.make_none", {"a": 1})))
    with pytest.raises(holdall.DecodeError, match="not registered for that"):
        holdall.loads(data)
    back = holdall.loads(data, types=[make_none])
    assert back == collections.defaultdict(make_none, a=1)
    assert back.default_factory is make_none
    forged = holdall.Extension("py.defaultdict", ("subprocess.Popen", {}))
    with pytest.raises(holdall.DecodeError, match="not registered for that"):
        holdall.loads(holdall.dumps(forged), types=[make_none, subprocess.Popen])


TRUSTED = """
import sys

class Thing:
    def __init__(self):
        raise AssertionError

    def __reduce__(self):
        return (made, (self.n,))

def made(n):
    thing = object.__new__(Thing)
    thing.n = n
    return thing
"""


def test_trust_imports_and_calls_what_the_data_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "holdall_trusted_sample.py").write_text(TRUSTED)
    monkeypatch.syspath_prepend(str(tmp_path))
    name = "holdall_trusted_sample"
    record = holdall.Record(f"{name}.Thing", {"<call>": f"{name}.made", "<args>": (5,)})
    data = holdall.dumps([record])
    assert holdall.loads(data) == [record]
    assert name not in sys.modules
    heard = []
    sys.addaudithook(lambda event, args: heard.append(args) if event == "holdall.trust" else None)
    back = holdall.loads(data, trust=True)
    assert heard == [(f"{name}.Thing",), (f"{name}.made",)]
    try:
        assert (type(back[0]).__name__, back[0].n) == ("Thing", 5)
        # The next call has to trust again.
        assert holdall.loads(data) == [record]
    finally:
        del sys.modules[name]


def test_trust_reads_what_no_module_has_as_without() -> None:
    for name in ("nowhere.Thing", "samples.Nothing", "samples.Plain.Nothing", "", ".", "a..b"):
        assert type(holdall.loads(of(name), trust=True)) is holdall.Record
    with pytest.raises(holdall.DecodeError, match="does not allow"):
        holdall.loads(of("nowhere.Thing"), trust=True, missing="error")


def test_trust_is_of_one_call_and_its_hooks_do_not_inherit_it() -> None:
    inner = holdall.dumps(holdall.Record("collections.UserList", data=[1]))

    class Outer: ...

    @holdall.register(name="t.Nesting", encode=lambda value: inner, decode=holdall.loads)
    class Nesting: ...

    data = holdall.dumps([Nesting(), collections.UserList([2])])
    back = holdall.loads(data, trust=True)
    assert type(back[0]) is holdall.Record
    assert back[1] == collections.UserList([2])


@pytest.mark.parametrize(
    ("renames", "text"),
    [
        ({"a": "str"}, "renames must map names in data to classes, not 'a' to 'str'"),
        ({5: int}, "renames must map names in data to classes, not 5 to"),
        (["a"], r"renames must be a mapping from names in data to classes, not \['a'\]"),
    ],
)
def test_renames_to_something_else_than_classes_are_errors(renames: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        holdall.loads(holdall.dumps(1), renames=renames)
    with pytest.raises(TypeError, match=text):
        holdall.convert_pickle(pickle.dumps(1), renames=renames)


@pytest.mark.parametrize("found", [5, "str", [], make_none])
def test_a_function_for_missing_classes_returns_a_class_or_none(found: Any) -> None:
    for value in (of("a.Record"), holdall.dumps(holdall.Extension("a.Extension", 1))):
        with pytest.raises(holdall.DecodeError, match="missing= must return a class or None, not"):
            holdall.loads(value, missing=lambda name, keys: found)
    with pytest.raises(holdall.DecodeError, match="takes 0 positional arguments but 2 were given"):
        holdall.loads(of("a.Record"), missing=lambda: None)  # type: ignore[misc, arg-type]  # pyright: ignore


class Page(pydantic.BaseModel, Generic[T]):
    items: list[T]


class Numbers(pydantic.BaseModel):
    page: Page[int]


def test_a_generic_class_allows_those_that_pydantic_made_of_it() -> None:
    values = [Page[int](items=[1]), Page[str](items=["a"]), Numbers(page=Page[int](items=[2]))]
    data = holdall.dumps(values)
    back = holdall.loads(data, types=[Page, Numbers], missing="error")
    assert back == values
    assert [type(value) for value in back] == [Page[int], Page[str], Numbers]
    with pytest.raises(holdall.DecodeError, match=r"types=\[\S+\.Page, \S+\.Numbers\]\)"):
        holdall.loads(data, missing="error")
    # A class that the program has not made is none.
    unmade = holdall.Record(f"{__name__}.Page[bytes]", items=[])
    assert holdall.loads(holdall.dumps(unmade), types=[Page]) == unmade
