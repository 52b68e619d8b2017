"""The example in each module of `holdall.integrations` gives the result that it shows."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys

import holdall
import holdall.integrations
import pytest

NAMES = [
    f"holdall.integrations.{each.name}"
    for each in pkgutil.iter_modules(holdall.integrations.__path__)
]


@pytest.fixture(scope="module", autouse=True)
def _django() -> None:
    from django.conf import settings

    if not settings.configured:
        settings.configure(
            SECRET_KEY="secret", SESSION_SERIALIZER="holdall.integrations.Serializer"
        )


@pytest.mark.parametrize("name", NAMES)
def test_examples_in_modules(name: str) -> None:
    module = importlib.import_module(name)
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    result = doctest.testmod(module, extraglobs={"holdall": holdall}, optionflags=flags)
    assert result.failed == 0
    assert result.attempted > 0 or ">>>" not in (module.__doc__ or "")


@pytest.mark.parametrize("name", [each for each in NAMES if "._" not in each])
def test_a_part_has_at_most_60_lines_besides_its_documentation(name: str) -> None:
    module = importlib.import_module(name)
    source = inspect.getsource(module)
    assert module.__doc__
    assert len(source.replace(module.__doc__, "").splitlines()) <= 60


def test_nothing_is_imported_until_used() -> None:
    program = (
        "import sys, holdall; assert 'holdall.integrations' not in sys.modules; "
        "before = set(sys.modules); import holdall.integrations; "
        "assert {n for n in set(sys.modules) - before if not n.startswith('holdall')} == set()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
