"""The examples in the documentation and in the package give the results that they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import holdall
import pytest

pytestmark = pytest.mark.usefixtures("own_formats")
ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted((ROOT / "docs" / "python").glob("*.md")),
    ROOT / "docs" / "determinism.md",
    ROOT / "docs" / "dictionaries.md",
    ROOT / "docs" / "schemas.md",
    ROOT / "docs" / "views.md",
]
MODULES = [
    each.name
    for each in pkgutil.walk_packages(holdall.__path__, "holdall.")
    if not each.name.startswith("holdall.integrations.") and each.name != "holdall.__main__"
]
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


#: Marks an example with the library that it needs, in an environment where the tests of other libraries run.
NEEDS = re.compile(r"<!-- needs (\w+) -->\n```python\n(>>>.*?)```", re.DOTALL)


def check_examples(page: Path, examples: list[str], **names: Any) -> None:
    test = doctest.DocTestParser().get_doctest(
        "\n".join(examples), {"__name__": "docs", **names}, page.name, str(page), 0
    )
    assert doctest.DocTestRunner(optionflags=FLAGS).run(test).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_in_pages(page: Path) -> None:
    text = NEEDS.sub("", page.read_text())
    examples = re.findall(r"```python\n(>>>.*?)```", text, re.DOTALL)
    assert examples
    check_examples(page, examples)


OTHERS = [(page, *found) for page in PAGES for found in NEEDS.findall(page.read_text())]


@pytest.mark.parametrize(("page", "library", "example"), OTHERS, ids=lambda each: str(each)[:40])
def test_examples_in_pages_that_need_a_library(page: Path, library: str, example: str) -> None:
    pytest.importorskip(library)
    check_examples(page, [example], holdall=holdall)


PROGRAMS = [
    (page, block)
    for page in PAGES
    for block in re.findall(r"```python\n(import .*?)```", page.read_text(), re.DOTALL)
]


@pytest.mark.parametrize(("page", "program"), PROGRAMS, ids=lambda each: getattr(each, "name", ""))
def test_programs_in_pages(page: Path, program: str) -> None:
    assert "assert " in program, page
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=60)


@pytest.mark.parametrize("name", ["holdall", *MODULES])
def test_examples_in_modules(name: str) -> None:
    module = importlib.import_module(name)
    if not hasattr(module, "__file__") or not str(module.__file__).endswith(".py"):
        return
    assert doctest.testmod(module, extraglobs={"holdall": holdall}, optionflags=FLAGS).failed == 0


def test_the_readme_starts_with_a_program_that_works() -> None:
    text = (ROOT / "README.md").read_text()
    program = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    (size,) = re.findall(r"# (\d+) bytes", program)
    program += f"assert len(data) == {size}"
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=60)
