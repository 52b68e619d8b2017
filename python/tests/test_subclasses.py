"""Subclasses where their base class is requested: an object whose own class data may name is of that class, with its fields."""

from __future__ import annotations

import _thread
import abc
import collections
import copy
import dataclasses
import sys
from typing import Any, Generic, NamedTuple, TypeVar

import attrs
import holdall
import msgspec
import pydantic
import pytest

T = TypeVar("T")
HERE = sys.modules[__name__]


@dataclasses.dataclass
class Shape:
    name: str
    inside: list[Shape] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Circle(Shape):
    radius: float = 0.0


@dataclasses.dataclass
class Disc(Circle):
    colours: tuple[str, ...] = ()


@dataclasses.dataclass
class Checked(Shape):
    size: int = 1

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("negative")


class Abstract(abc.ABC):
    kind: str

    @abc.abstractmethod
    def area(self) -> float: ...


class Square(Abstract):
    side: float

    def __init__(self, side: float) -> None:
        self.kind, self.side = "square", side

    def area(self) -> float:
        return self.side**2


class Model(pydantic.BaseModel):
    id: int


class SubModel(Model):
    tags: set[str] = set()


class Struct(msgspec.Struct):
    id: int


class SubStruct(Struct):
    more: list[int]


@attrs.define
class Attrs:
    id: int


@attrs.define
class SubAttrs(Attrs):
    more: list[int]


class Stateful(Shape):
    def __getstate__(self) -> Any:
        return ("v1", self.name)

    def __setstate__(self, state: Any) -> None:
        self.name, self.inside = state[1], []


class Reduced(Shape):
    def __reduce__(self) -> Any:
        return (Reduced, (self.name,))


@dataclasses.dataclass
class Unresolved(Shape):
    lock: NotDefined | None = None  # type: ignore[name-defined] # noqa: F821


@dataclasses.dataclass
class Box(Generic[T]):
    value: T


@dataclasses.dataclass
class Large(Box[int]):
    size: int = 5


#: A base, and an object of a subclass of each kind of class.
KINDS: dict[str, tuple[Any, Any]] = {
    "dataclass": (Shape, Circle("c", [], 1.5)),
    "below a subclass": (Shape, Disc("d", [], 1.5, ("red",))),
    "abstract class": (Abstract, Square(2.0)),
    "model": (Model, SubModel(id=1, tags={"a"})),
    "struct": (Struct, SubStruct(1, [2])),
    "attrs": (Attrs, SubAttrs(1, [2])),
    "state": (Shape, Stateful("s")),
    "reduce": (Shape, Reduced("r")),
    "generic": (Box[int], Large(1, 2)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_allowed_subclass_comes_back_as_itself(kind: str) -> None:
    base, value = KINDS[kind]
    for count in (1, 3, 500):
        data = holdall.dumps({"all": [copied(value) for _ in range(count)]})
        back = holdall.loads(data, dict[str, list[base]], types=[type(value)])["all"]
        assert len(back) == count
        for each in back:
            assert type(each) is type(value)
            assert vars_of(each) == vars_of(value)


def copied(value: Any) -> Any:
    """Another object, with equal attributes, that is written by itself."""
    return copy.copy(value)


def vars_of(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    return attrs.asdict(value) if attrs.has(type(value)) else vars(value)


@pytest.mark.usefixtures("forgets_classes")
@pytest.mark.parametrize(
    "allow",
    [{"types": [Circle]}, {"types": [HERE]}, {"types": [f"{__name__}.*"]}, {"trust": True}, {}],
    ids=["class", "module", "name of a module", "trust", "registered"],
)
def test_every_way_to_allow_a_class_allows_it_as_a_subclass(allow: dict[str, Any]) -> None:
    data = holdall.dumps({"all": [Circle("c", [Circle("in")], 2.0)]})
    if not allow:
        assert type(holdall.loads(data, dict[str, list[Shape]])["all"][0]) is Shape
        holdall.register(Circle)
    (back,) = holdall.loads(data, dict[str, list[Shape]], **allow)["all"]
    assert back == Circle("c", [Circle("in")], 2.0)
    assert type(back.inside[0]) is Circle


def test_renames_name_subclasses() -> None:
    data = holdall.dumps([holdall.Record("old.Circle", name="c", radius=2.0)])
    assert holdall.loads(data, list[Shape], renames={"old.Circle": Circle}) == [
        Circle("c", [], 2.0)
    ]


@pytest.mark.usefixtures("forgets_classes")
def test_names_versions_and_functions_of_registered_subclasses_apply() -> None:
    holdall.register(
        Circle,
        name="t.Circle",
        version=2,
        aliases=["t.Round"],
        upgrade=lambda fields, _: {"name": fields["name"], "radius": fields["diameter"] / 2},
    )
    old = [holdall.Record(name, name="c", diameter=4.0) for name in ("t.Circle", "t.Round")]
    assert holdall.loads(holdall.dumps(old), list[Shape]) == [Circle("c", [], 2.0)] * 2
    assert holdall.loads(holdall.dumps([Circle("c")]), list[Shape]) == [Circle("c")]
    holdall.register(Circle, encode=lambda c: [c.name], decode=lambda parts: Circle(*parts))
    assert holdall.loads(holdall.dumps([Circle("x")]), list[Shape]) == [Circle("x")]


def test_fields_of_a_subclass_are_checked_as_it_declares_them() -> None:
    wrong = holdall.Record(f"{__name__}.Circle", name="c", radius="2")
    with pytest.raises(
        holdall.SchemaError, match=r"unconvertible in \$\[0\].radius: expected float"
    ):
        holdall.loads(holdall.dumps([wrong]), list[Shape], types=[Circle])
    wrong = holdall.Record(f"{__name__}.Checked", name="c", size=-1)
    with pytest.raises(holdall.DecodeError, match="negative"):
        holdall.loads(holdall.dumps([wrong]), list[Shape], types=[Checked])
    unknown = holdall.Record(f"{__name__}.Circle", name="c", depth=1)
    with pytest.raises(holdall.SchemaError, match="depth") as failed:
        holdall.loads(holdall.dumps([unknown]), list[Shape], types=[Circle], extra="error")
    assert failed.value.code == "unknown_field"


def test_a_subclass_that_is_not_allowed_is_read_as_the_base() -> None:
    data = holdall.dumps([Circle("c", [], 1.5), Shape("s")])
    assert holdall.loads(data, list[Shape]) == [Shape("c"), Shape("s")]
    assert holdall.loads(data, list[Shape], types=[Disc]) == [Shape("c"), Shape("s")]


def test_objects_keep_their_identity_and_cycles() -> None:
    circle = Circle("c", [], 1.5)
    circle.inside.append(circle)
    back = holdall.loads(holdall.dumps([circle, circle]), list[Shape], types=[Circle])
    assert type(back[0]) is Circle
    assert back[0] is back[1] is back[0].inside[0]


def test_in_a_union_each_class_has_its_own_subclasses() -> None:
    value = [Disc("d"), Circle("c"), Shape("s"), SubStruct(1, [])]
    for asked in (list[Shape | Struct], list[Struct | Shape], list[Shape | Circle | Struct]):
        back = holdall.loads(holdall.dumps(value), asked, types=[Disc, Circle, SubStruct])
        assert [type(each) for each in back] == [Disc, Circle, Shape, SubStruct]
    some = holdall.loads(holdall.dumps(value[:1]), list[Circle | Shape], types=[Disc])
    assert [type(each) for each in some] == [Disc]


@dataclasses.dataclass
class Secret:
    a: int


@dataclasses.dataclass
class HalfResolved(Shape):
    secret: Secret | None = None
    # In Python 3.12 also `threading.Lock`, which is a class from 3.13 on.
    lock: _thread.allocate_lock = None  # type: ignore[valid-type, assignment, unused-ignore]


def test_a_class_that_cannot_be_read_allows_none_of_its_fields() -> None:
    value = {"shapes": [Circle("c")], "more": Secret(1)}
    asked = dict[str, list[Shape] | Any]
    back = holdall.loads(holdall.dumps(value), asked, types=[HalfResolved, Circle])
    assert type(back["more"]) is holdall.Record
    assert back["shapes"] == [Circle("c")]


def test_a_requested_class_is_allowed_as_a_subclass() -> None:
    back = holdall.loads(holdall.dumps(([Circle("c")], Circle("d"))), tuple[list[Shape], Circle])
    assert back == ([Circle("c")], Circle("d"))


def test_an_annotation_that_cannot_be_resolved_matters_only_to_data_that_name_the_class() -> None:
    data = holdall.dumps([Circle("c")])
    assert holdall.loads(data, list[Shape], types=[HERE]) == [Circle("c")]
    with pytest.raises(holdall.DecodeError, match="NotDefined"):
        holdall.loads(holdall.dumps([Unresolved("u")]), list[Shape], types=[Unresolved])


def test_an_exception_is_of_its_own_class() -> None:
    data = holdall.dumps([NotFound("x", 5)])
    (back,) = holdall.loads(data, list[AppError], types=[NotFound])
    assert (type(back), back.args, back.code) == (NotFound, ("x",), 5)


class AppError(Exception):
    pass


class NotFound(AppError):
    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


# ---- options of a base ----


@pytest.mark.usefixtures("forgets_classes")
def test_subclasses_inherit_the_options_for_single_fields() -> None:
    @dataclasses.dataclass
    class Client:
        url: str
        password: str = "none"
        when: int = 0

    @dataclasses.dataclass
    class Special(Client):
        more: int = 1

    holdall.register(
        Client,
        name="t.Client",
        version=3,
        skip=["password"],
        rename={"url": "address"},
        encode={"when": str},
        decode={"when": int},
    )
    data = holdall.dumps([Special("u", "secret", 7, 2)])
    name = f"{__name__}.{Special.__qualname__}"
    assert str(holdall.schema(data)) == (
        f'list(struct "{name}" {{address: string, when: string, more: int}})'
    )
    assert holdall.loads(data, types=[Special]) == [Special("u", "none", 7, 2)]
    assert holdall.loads(data, list[Special]) == [Special("u", "none", 7, 2)]
    # It is not allowed because its base is.
    assert type(holdall.loads(data)[0]) is holdall.Record
    # Its own registration has its own options.
    holdall.register(Special)
    assert "password" in str(holdall.schema(holdall.dumps(Special("u"))))


@pytest.mark.usefixtures("forgets_classes")
def test_a_subclass_with_its_own_methods_for_pickle_says_itself_what_is_packed() -> None:
    class Base:
        def __init__(self) -> None:
            self.a, self.b = 1, 2

    class Own(Base):
        def __getstate__(self) -> Any:
            return {"b": 3}

    holdall.register(Base, name="t.Base", skip=["a"], private=False)
    assert holdall.loads(holdall.dumps(Own())).to_dict() == {"b": 3}
    assert holdall.loads(holdall.dumps(Base())).b == 2


@pytest.mark.usefixtures("forgets_classes")
def test_what_is_not_packed_need_not_have_a_type_of_data() -> None:
    @dataclasses.dataclass
    class Locked:
        name: str
        lock: _thread.allocate_lock = dataclasses.field(  # type: ignore[valid-type, unused-ignore]
            default_factory=_thread.allocate_lock, compare=False
        )

    with pytest.raises(TypeError, match="is not a type that data can be read as"):
        holdall.loads(holdall.dumps({"name": "a"}), Locked)
    for options in ({"skip": ["lock"]}, {"fields": ["name"]}):
        holdall.register(Locked, name="t.Locked", **options)
        assert holdall.loads(holdall.dumps([Locked("a")]), list[Locked]) == [Locked("a")]
        # Data cannot set it either.
        forged = holdall.Record("t.Locked", name="a", lock=5)
        assert holdall.loads(holdall.dumps([forged]), list[Locked])[0].lock.locked() is False  # type: ignore[attr-defined]


class Point(NamedTuple):
    x: int


def test_named_tuples_of_subclasses_are_themselves() -> None:
    class Far(Point):
        __slots__ = ()

    back = holdall.loads(holdall.dumps([Far(1)]), list[Point], types=[Far])
    assert (type(back[0]), back) == (Far, [Far(1)])
    assert collections.Counter(back) == {Far(1): 1}


@pytest.mark.usefixtures("forgets_classes")
def test_every_kind_of_class_inherits_options() -> None:
    class Plain:
        kind = "plain"

        def __init__(self) -> None:
            self._hidden, self.shown = 1, 2

    class SubPlain(Plain):
        kind = "sub"

    class Login(pydantic.BaseModel):
        user: str
        password: str = ""

    class SubLogin(Login):
        more: int = 1

    class Key(msgspec.Struct):
        user: str
        password: str = ""

    class SubKey(Key):
        more: int = 1

    holdall.register(Plain, name="inherits.Plain", private=False, class_attributes=["kind"])
    assert holdall.loads(holdall.dumps(SubPlain())).to_dict() == {"kind": "sub", "shown": 2}
    for base, value in ((Login, SubLogin(user="a", password="b")), (Key, SubKey("a", "b"))):
        holdall.register(base, name=f"inherits.{base.__name__}", skip=["password"])
        data = holdall.dumps([value])
        assert b"password" not in data
        for back in (
            holdall.loads(data, types=[type(value)]),
            holdall.loads(data, list[type(value)]),  # type: ignore[misc]
            holdall.loads(data, list[base], types=[type(value)]),  # type: ignore[valid-type]
        ):
            assert (type(back[0]), back[0].password, back[0].more) == (type(value), "", 1)
