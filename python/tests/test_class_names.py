"""Names in data: which classes, enums, functions and attributes they may refer to."""

from __future__ import annotations

import collections
import dataclasses
import io
import sys
from typing import Any

import holdall
import pytest
from checks import check_message
from samples import Colour, Plain, Point


def packed(value: Any) -> bytes:
    data = holdall.dumps(value)
    check_message(data)
    return data


def test_enums_are_stored_by_name() -> None:
    data = packed([Colour.RED, Colour.CRIMSON])
    assert holdall.loads(data) == [Colour.RED, Colour.RED]
    gone = holdall.Extension("samples.Colour", holdall.Variant("BLUE"))
    with pytest.raises(holdall.SchemaError, match="BLUE"):
        holdall.loads(packed(gone))


def test_an_unknown_enum_is_an_extension_with_the_same_bytes() -> None:
    import enum

    class Other(enum.Enum):
        A = 1

    data = packed([Other.A, Other.A])
    back = holdall.loads(data)
    assert back[0] == holdall.Extension(f"{__name__}.{Other.__qualname__}", holdall.Variant("A"))
    assert holdall.dumps(back) == data
    assert holdall.loads(data, types=[Other]) == [Other.A, Other.A]
    assert holdall.loads(data, list[Other]) == [Other.A, Other.A]


class Called:
    made: list[Any] = []

    def __init__(self, *arguments: Any) -> None:
        Called.made.append(arguments)

    def __reduce__(self) -> Any:
        return (make_called, (1, 2))


def make_called(a: int, b: int) -> Called:
    return Called(a, b)


def test_reduce_calls_only_what_is_registered() -> None:
    holdall.register(Called)
    with pytest.raises(holdall.DecodeError, match="not registered for that"):
        holdall.loads(packed(Called()))
    holdall.register(make_called)
    Called.made.clear()
    assert type(holdall.loads(packed(Called()))) is Called
    assert Called.made == [(), (1, 2)]
    forged = holdall.Record(f"{__name__}.Called", {"<call>": "os.system", "<args>": ("true",)})
    with pytest.raises(holdall.DecodeError, match="not registered"):
        holdall.loads(packed(forged))


def make_zero() -> int:
    return 0


def make_either() -> Any:
    return Called()


def test_data_use_a_function_only_as_it_was_registered() -> None:
    holdall.register(Called)
    holdall.register(make_called)
    holdall.register(make_zero, uses=["factory"])
    holdall.register(make_either, uses=["factory", "reduce"])

    def of_factory(name: str) -> bytes:
        return holdall.dumps(holdall.Extension("py.defaultdict", (name, {})))

    def of_reduce(name: str) -> bytes:
        fields = {"<call>": name, "<args>": ()}
        return holdall.dumps(holdall.Record(f"{__name__}.Called", fields))

    assert holdall.loads(holdall.dumps(collections.defaultdict(make_zero)))["x"] == 0
    assert holdall.loads(of_factory(f"{__name__}.make_either")).default_factory is make_either
    assert type(holdall.loads(of_reduce(f"{__name__}.make_either"))) is Called
    for use, data in [
        ("factory", of_factory(f"{__name__}.make_called")),
        ("factory", of_factory(f"{__name__}.Called")),
        ("factory", of_factory("builtins.ValueError")),
        ("reduce", of_reduce(f"{__name__}.make_zero")),
        ("reduce", of_reduce("builtins.ValueError")),
    ]:
        with pytest.raises(holdall.DecodeError, match="which is not registered for that") as failed:
            holdall.loads(data)
        assert failed.value.code == "unrepresentable", use
    for factory in (make_called, Called, ValueError):
        # They are packed by name, and reading refuses the names.
        data = holdall.dumps(collections.defaultdict(factory))  # type: ignore[arg-type]
        with pytest.raises(holdall.DecodeError, match="which is not registered for that"):
            holdall.loads(data)
    with pytest.raises(ValueError, match="uses must be 'reduce', 'factory' or 'value', not 'call'"):
        holdall.register(make_zero, uses=["call"])  # type: ignore[list-item]  # pyright: ignore


HOSTILE = [
    *(
        "os.system",
        "builtins.eval",
        "builtins.exec",
        "builtins.__import__",
        "subprocess.Popen",
        "posix.system",
    ),
    *(
        "__class__",
        "__dict__",
        "__reduce__",
        "builtins.type",
        "builtins.object",
        "builtins.open",
        "sys.exit",
    ),
    *(
        "holdall.Record",
        "holdall._impl._classes.Resolver",
        "",
        ".",
        "a@2",
        "@",
        "os.system@99999999999",
        "collections.OrderedDict",
    ),
]
FIELDS = [
    "__class__",
    "__dict__",
    "__init__",
    "__reduce__",
    "__setstate__",
    "__del__",
    "__slots__",
    "<call>",
    "<state>",
    "<newargs>",
    "<items>",
    "<list>",
    "",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_do_nothing(name: str) -> None:
    modules = set(sys.modules)
    fields = dict.fromkeys(FIELDS, ("touch /tmp/hostile",))
    record = holdall.Record(name, fields)
    data = packed(
        [
            record,
            holdall.Extension(name, record),
            holdall.Extension(name, holdall.Variant(name, record)),
        ]
    )
    back = holdall.loads(data)
    assert type(back[0]) is holdall.Record
    assert type(back[1]) is holdall.Extension
    assert holdall.dumps(back) == data
    assert back[0].to_dict() == fields if name else True
    assert set(sys.modules) == modules


def test_special_attributes_are_never_set() -> None:
    for cls in (Plain, Point):
        name = f"samples.{cls.__name__}"
        fields = {"__class__": 1, "__dict__": {"evil": 1}, "__init__": 2, "x": 1, "label": 2}
        back = holdall.loads(packed(holdall.Record(name, fields)))
        assert type(back) is cls
        assert not any(each.startswith("__") for each in back.__dict__)
        assert "evil" not in back.__dict__


def test_markers_of_other_kinds_do_not_reach_constructors() -> None:
    class Careful:
        def __new__(cls, *arguments: Any) -> Careful:
            assert not arguments, "called with data"
            return super().__new__(cls)

    holdall.register(Careful, name="t.Careful")
    forged = holdall.Record("t.Careful", {"<call>": "t.Careful", "<args>": (1, 2)})
    assert type(holdall.loads(packed(forged))) is Careful
    forged = holdall.Record("t.Careful", {"<newargs>": (1, 2)})
    assert type(holdall.loads(packed(forged))) is Careful


def test_builtin_exceptions_need_no_registration() -> None:
    back = holdall.loads(packed(ValueError("x")))
    assert type(back) is ValueError
    error = ValueError("y")
    error.add_note("a note")
    back = holdall.loads(packed(error))
    assert back.__notes__ == ["a note"]


@holdall.register(name="t.Twin", allow=False)
@dataclasses.dataclass
class Long:
    metres: int


@holdall.register(name="t.Twin", allow=False, version=2)
@dataclasses.dataclass
class Heavy:
    grams: int


@dataclasses.dataclass
class Pair:
    long: list[Long]
    heavy: list[Heavy]
    other: Any


def test_classes_of_one_name_are_made_only_where_you_ask_for_them() -> None:
    twins = [Long(1), Heavy(2)]
    data = packed(twins)
    assert [type(each) for each in holdall.loads(data)] == [holdall.Record] * 2
    with pytest.raises(holdall.DecodeError, match=r"t\.Twin"):
        holdall.loads(data, missing="error")
    assert holdall.loads(packed([Long(1)]), types=[Long]) == [Long(1)]
    assert holdall.loads(packed([Long(1)]), list[Long]) == [Long(1)]
    pair = Pair([Long(1)], [Heavy(2)], None)
    assert holdall.loads(packed(pair), Pair) == pair
    # No type says which one is meant.
    other = holdall.loads(packed(Pair([Long(1)], [Heavy(2)], Long(3))), Pair).other
    assert other == holdall.Record("t.Twin", metres=3)


def test_a_class_that_is_not_allowed_takes_no_name_from_another(forgets_classes: None) -> None:
    class Allowed:
        pass

    class Asked:
        pass

    holdall.register(Allowed, name="t.Shared")
    for allow in (False, False):
        holdall.register(Asked, name="t.Shared", allow=allow)
    assert type(holdall.loads(packed(Allowed()))) is Allowed
    with pytest.raises(ValueError, match="already registered"):
        holdall.register(Asked, name="t.Shared")


def test_classes_lists_each_class_once_without_reading() -> None:
    class Team:
        def __init__(self) -> None:
            self.members = [Plain(1), Plain(3)]

    name = f"{__name__}.{Team.__qualname__}"
    data = packed([Team(), Team(), Colour.RED, collections.deque([1])])
    assert holdall.classes(data) == {name: None, "samples.Plain": Plain, "samples.Colour": Colour}
    assert holdall.classes(packed([1, {"a": (2,)}])) == {}
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.classes(data[:9])
    assert failed.value.code == "truncated"


def test_the_error_of_a_missing_class_lists_all() -> None:
    class Team: ...

    class User: ...

    names = [f"{__name__}.{cls.__qualname__}" for cls in (Team, User)]
    data = packed([Team(), Plain(1), User()])
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.loads(data, missing="error")
    assert failed.value.code == "unrepresentable"
    assert str(failed.value) == (
        f"unrepresentable in $[0]: the data has objects of {names[0]}, {names[1]}, which this program does not allow. "
        "If you know that these are safe classes, let data create objects of them:\n"
        "    holdall.loads(data, types=[Team, User])"
    )
    back = holdall.loads(data, types=[Team, User], missing="error")
    assert [type(each) for each in back] == [Team, Plain, User]


def test_the_code_of_a_missing_class_imports_its_module() -> None:
    data = packed([holdall.Record(f"{each}.Point") for each in ("shop.models", "crm")])
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.loads(data, missing="error")
    code = "import shop.models, crm\n    holdall.loads(data, types=[shop.models.Point, crm.Point])"
    assert str(failed.value).endswith(code)


def test_the_code_of_a_missing_class_never_allows_a_function() -> None:
    data = packed([holdall.Record("subprocess.check_output"), holdall.Record("crm.Point")])
    with pytest.raises(
        holdall.DecodeError, match=r"subprocess\.check_output, crm\.Point"
    ) as failed:
        holdall.loads(data, missing="error")
    code = "let data create objects of them:\n    import crm\n    holdall.loads(data, types=[crm.Point])"
    assert str(failed.value).endswith(code)


def test_the_main_module_has_one_name_in_all_processes() -> None:
    class Node:
        pass

    Node.__module__, Node.__qualname__ = "__mp_main__", "Node"
    data = holdall.dumps(Node())
    assert holdall.classes(data).keys() == {"__main__.Node"}
    assert type(holdall.loads(data, types=[Node])) is Node


def test_readers_of_streams_list_all_missing_classes_of_a_block() -> None:
    file = io.BytesIO()
    with holdall.Writer(file) as writer:
        for value in (1, [holdall.Record("crm.User", team=holdall.Record("crm.Team"))], 3):
            writer.write(value)
    data = file.getvalue()
    text = (
        "unrepresentable in $[0]: the data has objects of crm.User, crm.Team, which this program does not allow. "
        "If you know that these are safe classes, let data create objects of them:\n"
        "    import crm\n    holdall.{}types=[crm.User, crm.Team])"
    )
    reader = holdall.Reader(io.BytesIO(data), missing="error")
    with pytest.raises(holdall.DecodeError) as failed:
        list(reader)
    assert str(failed.value) == text.format("Reader(file, ")
    with pytest.raises(holdall.DecodeError) as failed:
        reader[1]
    assert str(failed.value) == text.format("Reader(file, ")
    decoder = holdall.StreamDecoder(missing="error")
    assert decoder.feed(data) == [1]
    with pytest.raises(holdall.DecodeError) as failed:
        decoder.feed(b"")
    assert str(failed.value) == text.format("StreamDecoder(")
    assert decoder.feed(b"") == [3]


def test_two_classes_of_one_name_are_refused_unless_a_rename_chooses() -> None:
    def made() -> type:
        class Twin:
            def __init__(self) -> None:
                self.a = 1

        return Twin

    first, second = made(), made()
    data = packed(first())
    name = f"{__name__}.{first.__qualname__}"
    for types in ([first, second], [second, first], [first, first, second]):
        with pytest.raises(TypeError, match="two objects with the name") as caught:
            holdall.loads(data, types=types)
        assert f"renames={{{name!r}: ...}}" in str(caught.value)
        for chosen in (first, second):
            back = holdall.loads(data, types=types, renames={name: chosen})
            assert type(back) is chosen
    assert type(holdall.loads(data, types=[first, first])) is first
