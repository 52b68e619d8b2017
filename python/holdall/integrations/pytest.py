"""pytest: values that take long to make, kept from one run of the tests to the next.

In conftest.py::

    pytest_plugins = ["holdall.integrations.pytest"]

    @pytest.fixture(scope="session")
    def graph(kept):
        return kept("graph", lambda: build_graph(), types=[Graph])

The files are in pytest's cache: ``pytest --cache-clear`` forgets them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar, Unpack

import pytest

from .._errors import DecodeError
from .._impl._files import written_at_once
from ._serializer import Serializer, SerializerOptions

T = TypeVar("T")


@pytest.fixture(scope="session")
def kept(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """``kept(name, make, **options)``: the value of a name, or what ``make()`` returns, which is then kept."""
    cache = request.config.cache
    assert cache is not None, "the plugin cacheprovider is off"
    folder = cache.mkdir("holdall")

    def get(name: str, make: Callable[[], T], /, **options: Unpack[SerializerOptions]) -> T:
        if not re.fullmatch(r"[\w.-]+", name):
            raise ValueError(f"a name is letters, digits, '_', '-' and '.', not {name!r}")
        path, serializer = folder / f"{name}.hold", Serializer(**options)
        try:
            value: T = serializer.loads(path.read_bytes())
        except FileNotFoundError:
            value = make()
            with written_at_once(path) as file:
                file.write(serializer.dumps(value))
        except DecodeError as error:
            error.add_note(f"{path} cannot be read; pytest --cache-clear forgets it")
            raise
        return value

    return get
