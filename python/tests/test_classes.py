"""Classes: which are restored, which become records, and what a class can define about it."""

from __future__ import annotations

import dataclasses
import uuid
from typing import Any, TypedDict

import holdall
import msgspec
import pytest
from checks import check_message
from sample_values import LOCK
from samples import Plain, Point


class Unregistered:
    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


NAME = f"{__name__}.Unregistered"


def packed(value: Any) -> bytes:
    data = holdall.dumps(value)
    check_message(data)
    return data


def test_an_unknown_class_becomes_a_record_with_the_same_bytes() -> None:
    data = packed([Unregistered(a=1, b=[2]), Unregistered(a=3)])
    back = holdall.loads(data)
    assert type(back[0]) is holdall.Record
    assert (back[0].a, back[0]["b"], back[0].__holdall_name__) == (1, [2], NAME)
    assert holdall.dumps(back) == data
    assert repr(back[1]) == f"Record({NAME!r}, a=3)"
    assert back[1] == holdall.Record(NAME, a=3)
    assert back[1] != holdall.Record(NAME, a=4)
    assert back[0].to_dict() == {"a": 1, "b": [2]}
    made = back[0].into(Unregistered)
    assert type(made) is Unregistered
    assert made.__dict__ == {"a": 1, "b": [2]}


class Movie(TypedDict):
    x: int


@pytest.mark.parametrize("cls", [int, list, object, Movie, 5, None])
def test_a_record_becomes_only_what_can_have_attributes(cls: Any) -> None:
    with pytest.raises(TypeError, match="a class whose objects have attributes") as caught:
        holdall.Record("A", x=1).into(cls)
    assert str(caught.value).endswith(f"; got {cls!r}")


def test_a_class_whose_methods_fail_makes_no_object_of_a_record() -> None:
    with pytest.raises(holdall.SchemaError, match="custom: KeyError: 'int'") as caught:
        holdall.Record("A", x=1).into(uuid.UUID)
    assert caught.value.code == "custom"


def test_types_name_classes_for_one_call() -> None:
    data = packed(Unregistered(a=1))
    assert type(holdall.loads(data, types=[Unregistered])) is Unregistered
    assert type(holdall.loads(data)) is holdall.Record
    assert type(holdall.loads(data, renames={NAME: Plain})) is Plain


def test_missing_selects_how_unknown_classes_are_read() -> None:
    data = packed([Unregistered(a=1)])
    assert holdall.loads(data, missing="dict") == [{"a": 1}]
    with pytest.raises(holdall.DecodeError, match="which this program does not allow") as caught:
        holdall.loads(data, missing="error")
    assert caught.value.path == "$[0]"
    asked = []

    def choose(name: str, fields: tuple[str, ...]) -> type | None:
        asked.append((name, fields))
        return Unregistered

    assert type(holdall.loads(data, missing=choose)[0]) is Unregistered
    assert asked == [(NAME, ("a",))]
    assert type(holdall.loads(data, missing=lambda name, fields: None)[0]) is holdall.Record
    with pytest.raises(ValueError, match="missing"):
        holdall.loads(data, missing="nonsense")  # type: ignore[call-overload]


@pytest.mark.usefixtures("forgets_classes")
def test_names_and_aliases() -> None:
    @holdall.register(name="shop.User", aliases=["old.User"])
    @dataclasses.dataclass
    class User:
        id: int

    assert str(holdall.schema(packed(User(1)))) == "struct shop.User {id: int}".replace(
        "shop.User", '"shop.User"'
    )
    assert holdall.loads(packed(User(1))) == User(1)
    assert holdall.loads(packed(holdall.Record("old.User", id=2))) == User(2)
    with pytest.raises(ValueError, match="already registered for"):
        holdall.register(name="shop.User")(Unregistered)


def test_fields_are_skipped_renamed_and_transformed() -> None:
    @holdall.register(
        name="t.Account",
        skip=["cache"],
        rename={"owner": "who"},
        encode={"secret": lambda text: text[::-1]},
        decode={"secret": lambda text: text[::-1]},
    )
    class Account:
        def __init__(self, owner: str, secret: str) -> None:
            self.owner, self.secret, self.cache = owner, secret, object()

    data = packed(Account("Ada", "abc"))
    assert str(holdall.schema(data)) == 'struct "t.Account" {who: string, secret: string}'
    assert b"cba" in data
    back = holdall.loads(data)
    assert type(back) is Account
    assert back.__dict__ == {"owner": "Ada", "secret": "abc"}

    @holdall.register(name="t.Few", fields=["kept"], rename={"kept": "k"})
    class Few:
        pass

    few = Few()
    few.kept, few.other = 1, 2  # type: ignore[attr-defined]
    assert holdall.loads(packed(few)).__dict__ == {"kept": 1}


def test_restoring_a_state_skips_checks_of_dataclasses() -> None:
    made = []

    @holdall.register(name="t.Watched")
    @dataclasses.dataclass
    class Watched:
        n: int

        def __post_init__(self) -> None:
            made.append(self.n)

    data = packed([Watched(1)])
    made.clear()
    assert holdall.loads(data)[0].n == 1
    assert holdall.loads(data, missing="error", types=[Watched])[0].n == 1
    assert made == []
    assert holdall.loads(data, list[Watched])[0].n == 1
    assert made == [1]


def test_structs_are_created_by_their_constructor_as_by_pickle() -> None:
    made = []

    @holdall.register(name="t.Counted")
    class Counted(msgspec.Struct, frozen=True):
        n: int
        m: int = 5

        def __post_init__(self) -> None:
            if self.n < 0:
                raise ValueError("negative")
            made.append(self.n)

    data = packed([Counted(1)])
    for tp in (None, list[Counted]):
        made.clear()
        assert holdall.loads(data, tp) == [Counted(1)]
        assert made == [1, 1]
        with pytest.raises(holdall.DecodeError, match="negative") as caught:
            holdall.loads(packed([holdall.Record("t.Counted", n=-1)]), tp)
        assert caught.value.path == "$[0]"
        assert isinstance(caught.value.__cause__, ValueError)


def test_constructor_only_arguments_need_a_default() -> None:
    @dataclasses.dataclass
    class Scaled:
        n: int
        by: dataclasses.InitVar[int] = 3
        made: list[int] = dataclasses.field(init=False, default_factory=list)
        product: int = dataclasses.field(init=False)

        def __post_init__(self, by: int) -> None:
            self.product = self.n * by

    back = holdall.loads(packed({"n": 2}), Scaled)
    assert (back.product, back.made) == (6, [])

    @dataclasses.dataclass
    class Needy:
        n: int
        by: dataclasses.InitVar[int]

        def __post_init__(self, by: int) -> None:
            self.n *= by

    with pytest.raises(TypeError, match="'by', which is not stored in data"):
        holdall.Decoder(Needy)


def test_renames_hold_in_slots() -> None:
    @holdall.register(name="t.Slots", rename={"a": "b"})
    class Slots:
        __slots__ = ("a",)

    value = Slots()
    value.a = [value]  # type: ignore[attr-defined]
    back = holdall.loads(packed(value))
    assert type(back) is Slots
    assert back.a[0] is back  # type: ignore[attr-defined]


def test_a_class_may_be_packed_as_a_value() -> None:
    class Celsius:
        def __init__(self, degrees: float) -> None:
            self.degrees = degrees

    holdall.register(Celsius, name="t.Celsius", encode=lambda c: c.degrees, decode=Celsius)
    data = packed([Celsius(21.5)])
    assert str(holdall.schema(data)) == 'list(extension "t.Celsius"(f64))'
    assert holdall.loads(data)[0].degrees == 21.5
    with pytest.raises(TypeError, match="must both be functions"):
        holdall.register(Unregistered, encode=lambda c: c)


def test_older_versions_are_upgraded() -> None:
    def upgrade(fields: dict[str, Any], version: int) -> dict[str, Any]:
        assert version == 1
        return {"name": f"{fields['first']} {fields['last']}"}

    @holdall.register(name="t.Person", version=2, upgrade=upgrade)
    @dataclasses.dataclass
    class Person:
        name: str

    old = packed(holdall.Record("t.Person", first="Ada", last="Lovelace"))
    assert holdall.loads(old) == Person("Ada Lovelace")
    assert holdall.loads(old, Person) == Person("Ada Lovelace")
    new = packed(Person("x"))
    assert str(holdall.schema(new)) == 'struct "t.Person@2" {name: string}'
    assert holdall.loads(new) == Person("x")
    with pytest.raises(AssertionError) as caught:
        try:
            holdall.loads(packed(holdall.Record("t.Person@3", a=1)))
        except holdall.DecodeError as error:
            assert error.code == "custom"
            raise error.__cause__ from None
    assert caught


def test_a_version_without_an_upgrade_is_an_error() -> None:
    @holdall.register(name="t.Strict", version=2)
    @dataclasses.dataclass
    class Strict:
        a: int

    with pytest.raises(holdall.SchemaError, match="version 1"):
        holdall.loads(packed(holdall.Record("t.Strict", a=1)))


def test_defaults_fill_what_older_data_lacks() -> None:
    back = holdall.loads(packed(holdall.Record("samples.Point", x=1)))
    assert back == Point(1)
    assert back.tags is not holdall.loads(packed(holdall.Record("samples.Point", x=1))).tags


def test_enc_hook_and_dec_hook() -> None:
    class Odd:
        __slots__ = ()

        def __reduce__(self) -> str:
            return "global"

    with pytest.raises(holdall.EncodeError):
        holdall.dumps([LOCK])
    data = holdall.dumps([LOCK, 5], enc_hook=lambda value: {"was": type(value).__name__})
    assert holdall.loads(data) == [{"was": "lock"}, 5]

    def failing(value: Any) -> Any:
        raise KeyError("no")

    with pytest.raises(holdall.EncodeError, match="KeyError") as caught:
        holdall.dumps({"a": [LOCK]}, enc_hook=failing)
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.path == "$.a[0]"
    with pytest.raises(holdall.EncodeError, match="hook"):
        holdall.dumps(LOCK, enc_hook=lambda value: value)
    again = holdall.dumps(LOCK, enc_hook=lambda value: holdall.dumps([1]))
    assert holdall.loads(holdall.loads(again)) == [1]
    again = holdall.dumps([LOCK] * 2, enc_hook=lambda value: [1])
    back = holdall.loads(again)
    assert back[0] is back[1]


class StateSetter:
    def __reduce__(self) -> Any:
        return (StateSetter, (), {"a": 1}, None, None, setattr)


class Global:
    def __reduce__(self) -> str:
        return "GLOBAL"


class Calling:
    def __reduce__(self) -> Any:
        return (lambda: 5, ())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (StateSetter(), "returns a function to set the state"),
        (Global(), "returns the name 'GLOBAL', under which"),
        (Calling(), "which no module has under its name"),
        (iter([1]), "builtins.list_iterator, which is not data"),
        (LOCK, "whose state is not in Python attributes"),
        (lambda: 5, "a function that no module has under its name"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_unsupported_values_call_the_hook_or_say_what_to_do(value: Any, text: str) -> None:
    with pytest.raises(holdall.EncodeError, match="enc_hook") as caught:
        holdall.dumps({"a": [value]})
    assert (caught.value.code, caught.value.path) == ("unsupported_value", "$.a[0]")
    assert text in str(caught.value)
    asked = []

    def hook(each: Any) -> Any:
        asked.append(each)
        return ["instead"]

    back = holdall.loads(holdall.dumps([value, value], enc_hook=hook))
    assert back == [["instead"], ["instead"]]
    assert back[0] is back[1]
    assert asked == [value]


def test_the_hook_does_not_hide_exceptions_of_methods() -> None:
    class Faulty:
        def __getstate__(self) -> Any:
            raise ValueError("broken")

    class Inner:
        def __getstate__(self) -> Any:
            return holdall.dumps(LOCK)

    for value, text in ((Faulty(), "broken"), (Inner(), "whose state")):
        with pytest.raises(holdall.EncodeError, match=text):
            holdall.dumps([value], enc_hook=lambda each: "hidden")


def test_records_are_values() -> None:
    a, b = holdall.Record("x.A", f=1), holdall.Record("x.A", f=1)
    assert a == b
    assert hash(a) == hash(b)
    assert a != holdall.Record("x.B", f=1)
    a["f"] = 2
    assert a.f == 2
    with pytest.raises(AttributeError, match="has no attribute 'g'"):
        _ = a.g
    hidden = holdall.Record("x.A", to_dict=3)
    assert hidden.to_dict == 3
    assert holdall.Record.to_dict(hidden) == {"to_dict": 3}
    a["self"] = a
    assert repr(a) == "Record('x.A', f=2, self=Record(...))"
    assert a == a
