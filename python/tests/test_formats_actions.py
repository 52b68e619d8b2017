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
