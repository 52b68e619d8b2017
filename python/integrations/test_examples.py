"""The example in each module of `holdall.integrations` gives the result that it shows."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import holdall
import holdall.integrations
import pytest

#: These read files as tables; `make test-engines` tests them, with the engines, and docs/tables.md has them.
OF_TABLES = [
    *("_files", "_filters", "_statistics", "dask_dataframe", "polars", "pyarrow", "pyspark"),
    "ray_data",
]
NAMES = [
    f"holdall.integrations.{each.name}"
    for each in pkgutil.iter_modules(holdall.integrations.__path__)
    if each.name not in OF_TABLES
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


PAGE = Path(__file__).resolve().parents[2] / "docs" / "python" / "integrations.md"


def test_the_table_has_every_module_and_the_versions_that_are_installed() -> None:
    rows = re.findall(
        r"^\| ([^|]+) \| ([^|]*\d[^|]*) \| ([^|]+) \|", PAGE.read_text(), re.MULTILINE
    )
    pinned = Path(__file__).with_name("requirements.txt").read_text()
    for library, versions, _ in rows:
        for version in versions.split(", "):
            if not version.startswith("Python "):
                assert f"=={version}\n" in pinned, (library, version)
    named = set(re.findall(r"`(\w+)`", " ".join(row[2] for row in rows)))
    modules = {each.rpartition(".")[2] for each in NAMES if "._" not in each}
    assert named == modules | {"Serializer", "CounterSerializer"}


def test_nothing_is_imported_until_used() -> None:
    program = (
        "import sys, holdall; assert 'holdall.integrations' not in sys.modules; "
        "before = set(sys.modules); import holdall.integrations; "
        "assert {n for n in set(sys.modules) - before if not n.startswith('holdall')} == set()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_example_of_encryption_works() -> None:
    page = PAGE.parents[1] / "determinism.md"
    (example,) = re.findall(
        r"<!-- needs cryptography -->\n```python\n(>>>.*?)```", page.read_text(), re.DOTALL
    )
    test = doctest.DocTestParser().get_doctest(
        example, {"holdall": holdall}, page.name, str(page), 0
    )
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert runner.run(test).failed == 0
