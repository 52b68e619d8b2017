"""Exceptions of the actions of formats."""

from __future__ import annotations

from typing import Any

import holdall
import pytest

pytestmark = pytest.mark.usefixtures("own_formats")


def test_exceptions_of_actions_have_the_path_as_those_of_hooks() -> None:
    class Failing:
        raised: Exception = KeyError("x")

        def encode(self, obj: Any) -> Any:
            raise self.raised

        def decode(self, value: holdall.Extension) -> Any:
            raise self.raised

    holdall.register_format("failing", extends="msgpack", actions=Failing)
    value = {"a": [1, holdall.Extension("msgpack.ext", (5, b""))]}
    data = holdall.dumps(value, format="msgpack")
    calls: Any = [
        (holdall.EncodeError, lambda: holdall.dumps(value, format="failing")),
        (holdall.DecodeError, lambda: holdall.loads(data, format="failing")),
    ]
    for kind, call in calls:
        Failing.raised = KeyError("x")
        with pytest.raises(kind, match=r"^custom in \$\.a\[1\]: KeyError: 'x'$") as caught:
            call()
        assert (caught.value.code, caught.value.path) == ("custom", "$.a[1]")
        assert caught.value.__cause__ is Failing.raised
        Failing.raised = kind("own", code="own_code")
        with pytest.raises(kind, match=r"^own_code in \$\.a\[1\]: own$") as own:
            call()
        assert (own.value, own.value.path) == (Failing.raised, "$.a[1]")
        Failing.raised = MemoryError()
        with pytest.raises(MemoryError):
            call()


def test_exceptions_of_functions_are_errors_as_those_of_hooks() -> None:
    raised: list[BaseException] = []

    def fail(_: Any) -> Any:
        raise raised[0]

    holdall.register_format("functions", dumps=fail, loads=fail)
    calls: Any = [
        (holdall.EncodeError, lambda: holdall.dumps([1], format="functions")),
        (holdall.DecodeError, lambda: holdall.loads(b"x", format="functions")),
    ]
    for kind, call in calls:
        raised[:] = [KeyError("x")]
        with pytest.raises(kind, match=r"^custom: KeyError: 'x'$") as caught:
            call()
        assert (caught.value.code, caught.value.path) == ("custom", None)
        assert caught.value.__cause__ is raised[0]
        raised[:] = [RecursionError()]
        with pytest.raises(kind, match=r"^limit_depth: expected values that Python code") as deep:
            call()
        assert deep.value.code == "limit_depth"
        for own in (kind("own", code="own_code"), MemoryError(), KeyboardInterrupt()):
            raised[:] = [own]
            with pytest.raises(type(own)) as same:
                call()
            assert same.value is own
