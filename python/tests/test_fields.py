"""Which fields of a class are packed, and under which names: declared in the class, or chosen on registration."""

import dataclasses
from typing import Annotated, Any, NamedTuple

import attrs
import holdall
import msgspec
import pydantic
import pytest
from checks import check_message
from holdall._impl import _registry

pytestmark = pytest.mark.usefixtures("forgets_classes")
NAME = holdall.Field("who", aliases=["name", "title"])
SKIP = holdall.Field(skip=True)


@dataclasses.dataclass
class Annotations:
    owner: Annotated[str, NAME]
    cache: Annotated[list[int], SKIP] = dataclasses.field(default_factory=list)
    age: int = 0


@dataclasses.dataclass
class Metadata:
    owner: str = dataclasses.field(metadata={"holdall": NAME})
    cache: list[int] = dataclasses.field(default_factory=list, metadata={"holdall": SKIP})
    age: int = 0


@dataclasses.dataclass(slots=True)
class Slots:
    owner: Annotated[str, NAME]
    cache: list[int] = dataclasses.field(default_factory=list, metadata={"holdall": SKIP})
    age: int = 0


@dataclasses.dataclass
class Inherited(Annotations):
    pass


@dataclasses.dataclass
class AsText:
    owner: "Annotated[str, holdall.Field('who', aliases=['name', 'title'])]"
    cache: "Annotated[list[int], holdall.Field(skip=True)]" = dataclasses.field(
        default_factory=list
    )
    age: int = 0


@attrs.define
class OfAttrs:
    owner: str = attrs.field(metadata={"holdall": NAME})
    cache: Annotated[list[int], SKIP] = attrs.field(factory=list)
    age: int = 0


class Struct(msgspec.Struct):
    owner: Annotated[str, NAME]
    cache: Annotated[list[int], SKIP] = []
    age: int = 0


class Model(pydantic.BaseModel):
    owner: Annotated[str, NAME]
    cache: Annotated[list[int], SKIP] = []
    age: int = 0


class Tuple(NamedTuple):
    owner: Annotated[str, NAME]
    cache: Annotated[list[int], SKIP] = []
    age: int = 0


CLASSES: list[Any] = [
    *(Annotations, Metadata, Slots, Inherited, AsText, OfAttrs, Struct, Model, Tuple)
]


def as_tuple(value: Any) -> tuple[Any, ...]:
    return value.owner, list(value.cache), value.age


@pytest.mark.parametrize("is_registered", [False, True])
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_class_declares_names_and_aliases_of_its_fields(cls: Any, is_registered: bool) -> None:
    if is_registered:
        holdall.register(cls, name="f.User")
    name = "f.User" if is_registered else f"{cls.__module__}.{cls.__qualname__}"
    made = cls("Ada", [1], 5) if cls not in (Struct, Model) else cls(owner="Ada", cache=[1], age=5)
    data = holdall.dumps([made])
    check_message(data)
    assert str(holdall.schema(data)) == f'list(struct "{name}" {{who: string, age: int}})'
    for options in ({"types": [cls]}, {"type": list[cls]}):
        assert as_tuple(holdall.loads(data, **options)[0]) == ("Ada", [], 5)  # type: ignore[call-overload]
    for field in ("who", "name", "title", "owner"):
        old = holdall.dumps([holdall.Record(name, {field: "Eve", "age": 3})])
        assert as_tuple(holdall.loads(old, types=[cls])[0]) == ("Eve", [], 3)
        if field != "owner":
            assert as_tuple(holdall.loads(old, list[cls])[0]) == ("Eve", [], 3)


def test_options_of_register_precede_declarations() -> None:
    holdall.register(Annotations, name="f.User", rename={"owner": "boss"}, skip=["age"])
    text = str(holdall.schema(holdall.dumps(Annotations("Ada"))))
    assert text == 'struct "f.User" {boss: string}'


def test_a_declaration_must_be_a_field() -> None:
    @dataclasses.dataclass
    class Wrong:
        a: int = dataclasses.field(metadata={"holdall": "who"})

    with pytest.raises(TypeError, match="must be a holdall.Field, not 'who'"):
        holdall.register(Wrong)
    with pytest.raises(TypeError, match="aliases must be a list of names, not 'who'"):
        holdall.Field(aliases="who")


def test_an_annotation_that_cannot_be_resolved_is_an_error_only_for_our_field() -> None:
    class Ours: ...

    class Others: ...

    Ours.__annotations__["a"] = "Annotated[Missing, holdall.Field('b')]"
    Others.__annotations__["a"] = "Annotated[Missing, Field(gt=1)]"
    with pytest.raises(holdall.EncodeError, match="cannot be resolved: name 'Missing'"):
        holdall.dumps(Ours())
    assert holdall.dumps(Others())


def test_defaults_fill_new_fields_where_no_type_is_asked_for() -> None:
    for cls in CLASSES:
        old = holdall.dumps([holdall.Record(f"{cls.__module__}.{cls.__qualname__}", who="Ada")])
        assert as_tuple(holdall.loads(old, types=[cls])[0]) == ("Ada", [], 0)


class Job:
    kind = "mail"
    retries = 3

    def __init__(self) -> None:
        self.to = "Ada"
        self._connection = object
        self.__secret = 5


class InSlots:
    __slots__ = ("_hidden", "shown")
    kind = "slots"

    def __init__(self) -> None:
        self.shown, self._hidden = 1, 2


def fields_of(value: Any) -> dict[str, Any]:
    data = holdall.dumps([value])
    check_message(data)
    for name in [name for name, cls in _registry.by_name.items() if cls is type(value)]:
        del _registry.by_name[name]
    for notify in _registry.changed:
        notify()
    return holdall.loads(data)[0].to_dict()  # type: ignore[no-any-return]


def test_private_attributes_are_left_out_on_request() -> None:
    holdall.register(Job, private=False)
    assert fields_of(Job()) == {"to": "Ada"}
    holdall.register(InSlots, private=False)
    assert fields_of(InSlots()) == {"shown": 1}
    holdall.register(Job)
    assert fields_of(Job()).keys() == {"to", "_connection", "_Job__secret"}


def test_attributes_of_the_class_are_packed_on_request() -> None:
    holdall.register(Job, fields=["to", "kind"], class_attributes=["kind"])
    assert fields_of(Job()) == {"to": "Ada", "kind": "mail"}
    own = Job()
    own.kind = "text"
    holdall.register(Job, private=False, class_attributes=["kind", "retries"], rename={"kind": "k"})
    assert fields_of(own) == {"to": "Ada", "k": "text", "retries": 3}
    holdall.register(Job, private=False, class_attributes=["kind"])
    data = holdall.dumps(Job())
    Job.kind = "changed"
    try:
        assert vars(holdall.loads(data)) == {"to": "Ada", "kind": "mail"}
    finally:
        Job.kind = "mail"


def test_fields_are_chosen_explicitly() -> None:
    holdall.register(Job, fields=["to"])
    assert fields_of(Job()) == {"to": "Ada"}


def test_these_options_keep_identity() -> None:
    holdall.register(Job, private=False)
    job = Job()
    job.to = [job, job]  # type: ignore[assignment]
    back = holdall.loads(holdall.dumps([job, job]))
    assert back[0] is back[1] is back[0].to[0] is back[0].to[1]


def test_classes_with_their_own_form_reject_these_options() -> None:
    class Stateful:
        def __getstate__(self) -> Any:
            return {}

    class Listed(list[int]):
        pass

    for cls in (Stateful, Listed):
        for options in ({"private": False}, {"class_attributes": ["a"]}):
            holdall.register(cls, **options)  # type: ignore[arg-type, call-overload]
            with pytest.raises(holdall.EncodeError, match="its own methods choose"):
                holdall.dumps(cls())
