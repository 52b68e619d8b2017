"""What an `enc_hook` is asked about, in which order, and what its answers become."""

from __future__ import annotations

import copy
import io
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import holdall
import pytest

Pack = Callable[[Any, Any], bytes]


def packed(value: Any, hook: Any) -> bytes:
    return holdall.dumps(value, enc_hook=hook)


def packed_twice(value: Any, hook: Any) -> bytes:
    """By an encoder that has sites of an earlier message."""
    encoder = holdall.Encoder(enc_hook=hook)
    first = encoder.encode(value)
    assert encoder.encode(value) == first
    assert encoder.size(value) == len(first)
    assert str(encoder.schema(value)) == str(holdall.schema(first))
    return first


def packed_in_a_stream(value: Any, hook: Any) -> bytes:
    file = io.BytesIO()
    with holdall.Writer(file, enc_hook=hook) as writer:
        for each in ("before", value, "after"):
            writer.write(each)
    before, back, after = holdall.Reader(io.BytesIO(file.getvalue()))
    assert (before, after) == ("before", "after")
    return holdall.dumps(back)


@pytest.fixture(params=[packed, packed_twice, packed_in_a_stream], ids=lambda each: each.__name__)
def pack(request: Any) -> Any:
    return request.param


class Channel:
    """What a library keeps inside."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class Client:
    """What a library gives its users."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.channel = {"pool": [Channel()]}


@dataclass
class App:
    name: str
    client: Any
    tags: list[str] = field(default_factory=list)


def by_class(value: Any) -> Any:
    return f"client of {value.url}" if isinstance(value, Client) else NotImplemented


def test_the_hook_is_asked_about_the_outermost_object_first_and_then_inwards() -> None:
    app = App("a", Client("x"))
    asked: list[Any] = []

    def hook(value: Any) -> Any:
        asked.append(value)
        return NotImplemented

    with pytest.raises(holdall.EncodeError, match="whose state is not in Python") as caught:
        holdall.dumps([{"app": app}], enc_hook=hook)
    assert caught.value.path == "$[0].app.client.channel.pool[0].lock"
    channel = app.client.channel["pool"][0]
    assert asked == [app, app.client, channel, channel.lock]


def test_a_hook_replaces_a_client_and_not_its_lock(pack: Pack) -> None:
    value = [App("one", Client("x"), ["t"]), {"b": App("two", Client("y"))}]
    data = pack(value, by_class)
    expected = [App("one", "client of x", ["t"]), {"b": App("two", "client of y")}]
    assert data == holdall.dumps(expected)
    assert holdall.loads(data, types=[App]) == expected


@pytest.mark.parametrize("decline", [NotImplementedError, None])
def test_a_hook_declines_by_exception_or_by_returning_the_object(decline: Any) -> None:
    def hook(value: Any) -> Any:
        if isinstance(value, Client):
            return value.url
        if decline:
            raise decline(type(value).__name__)
        return value

    assert holdall.dumps(App("a", Client("x")), enc_hook=hook) == holdall.dumps(App("a", "x"))


def test_an_exception_of_a_hook_is_the_cause_of_the_error() -> None:
    with pytest.raises(holdall.EncodeError, match="KeyError") as caught:
        holdall.dumps([App("a", Client("x"))], enc_hook=lambda value: {}[value.name])
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(holdall.EncodeError, match="NotImplementedError: lock"):

        def never(value: Any) -> Any:
            raise NotImplementedError(type(value).__name__)

        holdall.dumps(App("a", Client("x")), enc_hook=never)


def test_objects_that_can_be_packed_are_not_asked_about() -> None:
    asked: list[Any] = []

    def hook(value: Any) -> Any:
        asked.append(type(value))
        return by_class(value)

    value = [App(f"{at}", [at, {"k": (1, at)}]) for at in range(100)]
    assert holdall.dumps(value, enc_hook=hook) == holdall.dumps(value)
    assert asked == []
    value[50].client = Client("x")
    holdall.dumps(value, enc_hook=hook)
    assert asked == [App, Client]


def test_a_shared_object_is_replaced_by_one_value(pack: Pack) -> None:
    client = Client("x")
    value = [client, App("a", client), {"again": client}]
    back = holdall.loads(pack(value, lambda each: {"url": each.url}), types=[App])
    assert back[0] == {"url": "x"}
    assert back[0] is back[1].client is back[2]["again"]


def test_a_replacement_may_contain_what_the_hook_replaces(pack: Pack) -> None:
    inner = App("inner", Client("x"))

    def hook(value: Any) -> Any:
        if isinstance(value, Client):
            return [value.url, threading.Lock(), Channel()]
        if isinstance(value, Channel):
            return "channel"
        return "lock" if isinstance(value, type(threading.Lock())) else NotImplemented

    data = pack([inner, Client("y")], hook)
    assert data == holdall.dumps([App("inner", ["x", "lock", "channel"]), ["y", "lock", "channel"]])


def test_a_replacement_that_contains_the_object_refers_to_itself() -> None:
    client = Client("x")
    back = holdall.loads(holdall.dumps([client], enc_hook=lambda value: {"self": value}))
    assert back[0]["self"] is back[0]
    with pytest.raises(holdall.EncodeError, match="do not contain themselves"):
        holdall.dumps([client], enc_hook=lambda value: {"self": value}, references=False)


def test_answers_that_always_need_another_answer_are_an_error() -> None:
    with pytest.raises(holdall.EncodeError, match="hook that returns a value that can be packed"):
        holdall.dumps(Client("x"), enc_hook=lambda value: [Client("x")])


class Pair(NamedTuple):
    left: Any
    right: Any


class Reduced:
    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def __reduce__(self) -> Any:
        return Reduced, self.parts


class Stated:
    def __init__(self, part: Any) -> None:
        self.part = part

    def __getstate__(self) -> Any:
        return {"part": self.part}


@pytest.mark.parametrize("references", [True, False])
@pytest.mark.parametrize(
    "value",
    [
        Pair(1, threading.Lock()),
        Reduced(1, threading.Lock()),
        Stated(threading.Lock()),
        ValueError(threading.Lock()),
        Client("x"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_objects_of_every_kind_are_replaced_whole(value: Any, references: bool) -> None:
    def hook(each: Any) -> Any:
        return type(each).__name__

    data = holdall.dumps([[value], 5], enc_hook=hook, references=references)
    assert data == holdall.dumps([[type(value).__name__], 5], references=references)


class Temporary:
    """Its parts are made anew each time it is packed."""

    def __reduce__(self) -> Any:
        return Temporary, (Client("x"),)


def test_of_objects_that_packing_makes_the_hook_replaces_what_is_refused() -> None:
    asked: list[str] = []

    def hook(value: Any) -> Any:
        asked.append(type(value).__name__)
        return NotImplemented if isinstance(value, Temporary) else type(value).__name__

    back = holdall.loads(holdall.dumps([Temporary()], enc_hook=hook), types=[Client, Channel])
    (client,) = back[0].to_dict()["<args>"]
    assert client.channel["pool"][0].lock == "lock"
    assert asked == ["Temporary", "Client", "Client", "lock"]


def test_many_objects_are_replaced_in_few_walks() -> None:
    walks = 0

    class Counting:
        def __getstate__(self) -> Any:
            nonlocal walks
            walks += 1
            return {}

    value = [Counting(), [App(str(at), Client(str(at))) for at in range(2000)]]
    data = holdall.dumps(value, enc_hook=by_class)
    expected = [Counting(), [App(str(at), f"client of {at}") for at in range(2000)]]
    walks = 0
    assert data == holdall.dumps(expected)
    assert walks == 1
    holdall.dumps(value, enc_hook=by_class)
    assert walks == 3


def test_errors_inside_what_is_replaced_do_not_count() -> None:
    class Broken:
        def __getstate__(self) -> Any:
            raise ValueError("broken")

    client = Client("x")
    client.channel["pool"].append(Broken())
    assert holdall.dumps(client, enc_hook=by_class) == holdall.dumps("client of x")
    with pytest.raises(holdall.EncodeError, match="broken"):
        holdall.dumps([client, Broken()], enc_hook=by_class)


def test_an_interrupt_inside_what_is_replaced_is_raised() -> None:
    class Interrupting:
        def __getstate__(self) -> Any:
            raise KeyboardInterrupt

    client = Client("x")
    client.channel["pool"].append(Interrupting())
    with pytest.raises(KeyboardInterrupt):
        holdall.dumps(client, enc_hook=by_class)


class Member:
    def __init__(self, client: Any) -> None:
        self.client = client


def test_what_contains_a_set_is_asked_about_before_its_members() -> None:
    clients = {Member(Client("x")), Member(Client("y"))}
    app = App("a", clients)
    asked: list[Any] = []

    def hook(value: Any) -> Any:
        asked.append(type(value))
        return "app" if isinstance(value, App) else NotImplemented

    for canonical in (False, True):
        asked.clear()
        data = holdall.dumps([app, {1}], enc_hook=hook, canonical=canonical)
        assert data == holdall.dumps(["app", {1}])
        assert asked == [App]
    members = holdall.dumps(clients, enc_hook=by_class, canonical=True)
    again = holdall.dumps(copy.copy(clients), enc_hook=by_class, canonical=True)
    assert members == again
    assert {each.client for each in holdall.loads(members, types=[Member])} == {
        "client of x",
        "client of y",
    }


def test_a_deep_chain_of_refused_objects_takes_linear_time() -> None:
    class Link:
        def __init__(self, after: Any) -> None:
            self.lock, self.after = threading.Lock(), after

    chain = None
    for _ in range(20_000):
        chain = Link(chain)
    asked = 0

    def hook(value: Any) -> Any:
        nonlocal asked
        asked += 1
        return NotImplemented if isinstance(value, Link) else None

    holdall.dumps(chain, enc_hook=hook)
    assert asked == 40_000


class Made:
    pass


class Goes(Protocol):
    def go(self) -> int: ...


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        (NotImplemented, "str 'text'"),
        ("text", "str from dec_hook"),
        (None, "NoneType from dec_hook"),
    ],
)
def test_a_dec_hook_returns_an_object_of_the_type_or_leaves_the_value(
    answer: Any, got: str
) -> None:
    with pytest.raises(holdall.SchemaError, match=f"expected Made, got {got}") as caught:
        holdall.loads(holdall.dumps(["text"]), list[Made], dec_hook=lambda cls, value: answer)
    assert (caught.value.code, caught.value.path) == ("unconvertible", "$[0]")
    made = holdall.loads(
        holdall.dumps(["text", 5]),
        list[Made | int],
        dec_hook=lambda cls, value: Made() if value == "text" else NotImplemented,
    )
    assert type(made[0]) is Made
    assert made[1] == 5


def test_a_dec_hook_makes_objects_of_a_protocol() -> None:
    made = holdall.loads(holdall.dumps(["text"]), list[Goes], dec_hook=lambda cls, value: Made())
    assert [type(each) for each in made] == [Made]
