"""Classes with versions: hooks convert fields to the current version; the result is checked like any fields."""

from __future__ import annotations

import collections
import dataclasses
import datetime
from typing import Any, NamedTuple

import attrs
import holdall
import msgspec
import pydantic
import pytest

pytestmark = pytest.mark.usefixtures("forgets_classes")


def read(value: Any, tp: Any = None, **options: Any) -> Any:
    return holdall.loads(holdall.dumps(value), tp, **options)


def old(**fields: Any) -> holdall.Record:
    return holdall.Record("v.Name", **fields)


def upgrade(fields: dict[str, Any], version: int) -> dict[str, Any]:
    assert version == 1
    return {**fields, "full": fields["first"]}


@dataclasses.dataclass
class Name:
    full: str
    tags: list[int] = dataclasses.field(default_factory=list)
    friend: Name | None = None


@dataclasses.dataclass(slots=True)
class Slots:
    full: str
    tags: list[int] = dataclasses.field(default_factory=list)
    friend: Slots | None = None


@attrs.define
class Attrs:
    full: str
    tags: list[int] = attrs.Factory(list)
    friend: Attrs | None = None


class Struct(msgspec.Struct):
    full: str
    tags: list[int] = []
    friend: Struct | None = None


class Tuple(NamedTuple):
    full: str
    tags: list[int] = []
    friend: Any = None


class Model(pydantic.BaseModel):
    full: str
    tags: list[int] = []
    friend: Model | None = None


CLASSES = [Name, Slots, Attrs, Struct, Tuple, Model]


@pytest.fixture(params=CLASSES, ids=lambda cls: cls.__name__)
def cls(request: pytest.FixtureRequest) -> Any:
    return holdall.register(name="v.Name", version=2, upgrade=upgrade)(request.param)


def test_fields_from_the_hook_become_the_object(cls: Any) -> None:
    for wrap, unwrap in ((lambda v: v, lambda v: v), (lambda v: [v], lambda v: v[0])):
        tp = cls if wrap(1) == 1 else list[cls]
        assert unwrap(read(wrap(old(first="a", tags=[1])), tp)) == cls(full="a", tags=[1])
    assert read([old(first="a")], collections.deque[cls])[0] == cls(full="a")


def test_fields_missing_from_the_hook_get_their_defaults(cls: Any) -> None:
    back = read([old(first="a"), old(first="b")], list[cls])
    assert back == [cls(full="a"), cls(full="b")]
    assert back[0].tags is not back[1].tags or cls is Tuple


def test_the_current_version_does_not_call_the_hook(cls: Any) -> None:
    assert read([cls(full="a", tags=[1])], list[cls]) == [cls(full="a", tags=[1])]
    assert read([{"full": "a"}], list[cls]) == [cls(full="a")]
    assert read([holdall.Record("elsewhere.Name", full="a")], list[cls]) == [cls(full="a")]


def test_fields_from_the_hook_are_checked_with_their_paths(cls: Any) -> None:
    with pytest.raises(holdall.DecodeError) as caught:
        read({"a": [old(first="a"), old(first="a", tags=["x"])]}, dict[str, list[cls]])
    if cls is Model:
        # The class's own checks report it.
        assert caught.value.path == "$.a[1]"
        return
    assert caught.value.path == "$.a[1].tags[0]"
    assert isinstance(caught.value, holdall.SchemaError)
    assert "expected int, got str 'x'" in str(caught.value)
    with pytest.raises(holdall.SchemaError) as caught:
        read([old(first=5)], list[cls])
    assert (caught.value.code, caught.value.path) == ("unconvertible", "$[0].full")


def test_required_fields_missing_from_the_hook_are_an_error(cls: Any) -> None:
    holdall.register(cls, name="v.Name", version=2, upgrade=lambda fields, version: {})
    with pytest.raises(holdall.DecodeError, match="full") as caught:
        read([old(first="a")], list[cls])
    assert caught.value.path == "$[0]"
    if cls is not Model:
        assert caught.value.code == "missing_field"


def test_objects_inside_upgraded_ones_are_checked() -> None:
    holdall.register(name="v.Name", version=2, upgrade=upgrade)(Name)
    back = read(old(first="a", friend=old(first="b", friend={"full": "c"})), Name)
    assert back == Name("a", friend=Name("b", friend=Name("c")))
    with pytest.raises(holdall.SchemaError) as caught:
        read(old(first="a", friend=old(first="b", friend={"full": 3})), Name)
    assert (caught.value.code, caught.value.path) == ("unconvertible", "$.friend.friend.full")


def test_upgraded_objects_may_contain_themselves() -> None:
    holdall.register(name="v.Name", version=2, upgrade=upgrade)(Name)
    value = old(first="a")
    value["friend"] = value
    back = read(value, Name)
    assert back.friend is back
    shared = old(first="s")
    back = read([shared, shared], list[Name])
    assert back[0] is back[1]


def test_values_too_deep_for_python_code_exceed_a_limit() -> None:
    holdall.register(name="v.Name", version=2, upgrade=upgrade)(Name)
    named, plain = old(first="a"), {"full": "a"}
    for _ in range(20_000):
        named, plain = old(first="a", friend=named), {"full": "a", "friend": plain}
    assert read(named, Name).friend.friend.full == "a"
    # The hook's result is read by the Python half as a whole.
    with pytest.raises(holdall.LimitError) as caught:
        read(old(first="a", friend=plain), Name)
    assert caught.value.code == "limit_depth"


def test_hooks_run_once_and_checks_of_the_class_after_them() -> None:
    calls: list[str] = []

    def hook(fields: dict[str, Any], version: int) -> dict[str, Any]:
        calls.append(f"upgrade {version}")
        return {"full": fields["first"]}

    @holdall.register(name="v.Name", version=3, upgrade=hook)
    @dataclasses.dataclass
    class Checked:
        full: str

        def __post_init__(self) -> None:
            calls.append(f"check {self.full}")

    assert read([holdall.Record("v.Name@2", first="a")], list[Checked])[0].full == "a"
    assert calls == ["upgrade 2", "check a"]


def test_names_and_functions_of_single_fields_apply_after_the_hook() -> None:
    @holdall.register(
        name="t.Event",
        version=2,
        upgrade=lambda fields, version: {"at": fields["date"]},
        rename={"when": "at"},
        encode={"when": datetime.date.isoformat},
        decode={"when": datetime.date.fromisoformat},
    )
    @dataclasses.dataclass
    class Event:
        when: datetime.date

    event = Event(datetime.date(2024, 1, 2))
    assert str(holdall.schema(holdall.dumps(event))) == 'struct "t.Event@2" {at: string}'
    assert read(event) == read(event, Event) == event
    first = holdall.Record("t.Event", date="2024-01-02")
    assert read(first) == read(first, Event) == event
    for wrong in (holdall.Record("t.Event", date="x"), holdall.Record("t.Event@2", at="x")):
        with pytest.raises(holdall.DecodeError) as caught:
            read([wrong], list[Event])
        assert caught.value.path is not None
        assert caught.value.path.startswith("$[0].")


def test_results_of_functions_of_single_fields_are_checked() -> None:
    @holdall.register(name="t.Odd", decode={"a": lambda a: [a]})
    @dataclasses.dataclass
    class Odd:
        a: list[int]
        b: int = 0

    assert read({"a": 1}, Odd) == Odd([1])
    with pytest.raises(holdall.SchemaError, match="expected int, got str 'x'") as caught:
        read([{"a": "x"}], list[Odd])
    assert caught.value.path == "$[0].a[0]"


@pytest.mark.parametrize("answer", [None, [("full", "a")], Name("a")], ids=repr)
def test_a_hook_must_return_fields(answer: Any) -> None:
    holdall.register(name="v.Name", version=2, upgrade=lambda fields, version: answer)(Name)
    for tp in (None, Name):
        with pytest.raises(holdall.DecodeError, match="not a dict") as caught:
            read([old(first="a")], None if tp is None else list[Name])
        assert caught.value.path == "$[0]"


def test_versions_without_a_hook_are_an_error() -> None:
    holdall.register(name="v.Name", version=2)(Name)
    for tp in (None, list[Name]):
        with pytest.raises(holdall.SchemaError, match="version 1") as caught:
            read([old(full="a")], tp)
        assert (caught.value.code, caught.value.path) == ("incompatible", "$[0]")


def test_versions_choose_among_classes_of_a_union() -> None:
    holdall.register(name="v.Name", version=2, upgrade=upgrade)(Name)

    @dataclasses.dataclass
    class Other:
        first: str

    assert read([old(first="a"), {"first": "b"}], list[Other | Name]) == [Name("a"), Other("b")]


def test_renamed_attributes_of_subclasses_of_builtins_survive() -> None:
    class MyList(list[int]):
        pass

    holdall.register(name="v.MyList", rename={"a": "b"})(MyList)
    value = MyList([1])
    value.a = 5  # type: ignore[attr-defined]
    assert read(value).__dict__ == {"a": 5}
    assert read([value], list[MyList])[0].__dict__ == {"a": 5}


@pytest.mark.parametrize("cls", CLASSES)
def test_renamed_attributes_survive_in_classes_of_every_kind(cls: Any) -> None:
    # Names that swap places, too.
    holdall.register(cls, name="v.Name", rename={"full": "tags", "tags": "full"})
    made = cls(full="a", tags=[1])
    assert str(holdall.schema(holdall.dumps(made))).startswith(
        'struct "v.Name" {tags: string, full: list(int)'
    )
    assert read(made) == read(made, cls) == made


@pytest.mark.parametrize("cls", CLASSES)
def test_skipped_fields_are_neither_written_nor_required(cls: Any) -> None:
    holdall.register(cls, name="v.Name", skip=["tags", "friend"])
    made = cls(full="a", tags=[1])
    assert str(holdall.schema(holdall.dumps(made))) == 'struct "v.Name" {full: string}'
    assert read(made) == read(made, cls) == cls(full="a")
    if cls is Model:
        assert read(made).model_fields_set == {"full"}


def test_options_for_single_fields_are_rejected_for_classes_with_their_own_form() -> None:
    @holdall.register(name="v.Stateful", skip=["cache"])
    class Stateful:
        def __getstate__(self) -> dict[str, Any]:
            return dict(self.__dict__)

    with pytest.raises(holdall.EncodeError, match="its own methods choose") as caught:
        holdall.dumps([Stateful()])
    assert (caught.value.code, caught.value.path) == ("unsupported_value", "$[0]")


def test_objects_of_classes_with_their_own_form_survive() -> None:
    @holdall.register(name="v.Given")
    @dataclasses.dataclass
    class OwnForm:
        a: int
        b: int = 2

        def __reduce__(self) -> Any:
            return (OwnForm, (self.a, self.b))

    assert read([OwnForm(1, 3)], list[OwnForm]) == [OwnForm(1, 3)]
    assert read([{"a": 1}], list[OwnForm]) == [OwnForm(1)]


def test_objects_of_requested_classes_are_checked_at_every_place() -> None:
    @dataclasses.dataclass
    class Holder:
        anything: Any
        name: Name

    wrong = holdall.Record(f"{__name__}.Name", full=5)
    for inside in (wrong, [wrong], {"x": (wrong,)}):
        with pytest.raises(holdall.SchemaError, match="expected str, got int 5"):
            read(Holder(inside, Name("a")), Holder)
    name = Name("a")
    back = read(Holder(name, name), Holder)
    assert back.anything is back.name
