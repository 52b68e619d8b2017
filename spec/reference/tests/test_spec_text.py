"""The form of the spec: lines and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import holdall_reference
import pytest
from holdall_reference import writer

from tests.support import SPEC, spec_rules

TEXT = SPEC.read_text(encoding="utf-8")


def test_no_line_is_longer_than_300_characters() -> None:
    long = [number for number, line in enumerate(TEXT.splitlines(), 1) if len(line) > 300]
    assert long == []


def test_every_rule_is_stated_once() -> None:
    assert len(set(spec_rules())) == len(spec_rules())


def test_every_rule_that_is_cited_is_stated() -> None:
    assert set(re.findall(r"F-\d+", TEXT)) == set(spec_rules())


def rules_of(text: str) -> set[int]:
    """The numbers of the rules that a text names, also by their first and last one."""
    spans = re.findall(r"F-(\d+)(?: to F-(\d+))?", text)
    return {number for first, last in spans for number in range(int(first), int(last or first) + 1)}


def test_the_tables_of_files_have_every_rule() -> None:
    texts = f"{holdall_reference.__doc__}{writer.__doc__}"
    assert [rule for rule in spec_rules() if number_of(rule) not in rules_of(texts)] == []


def files_of(folder: Path, names: str) -> Iterator[Path]:
    """The files that an entry of such a table names: files, a pattern of them or a folder."""
    for name in names.split(", "):
        for path in folder.glob(name.rstrip("/")):
            yield from path.rglob("*.py") if path.is_dir() else [path]


@pytest.mark.parametrize("package", [holdall_reference, writer])
def test_the_tables_of_files_name_those_that_cite_the_rules(package: ModuleType) -> None:
    folder = Path(str(package.__file__)).parent
    rows = re.findall(r"(?m)^\| .*\| (F-.*) \| (.*) \|$", str(package.__doc__))
    missing = []
    for rules, names in rows:
        texts = [file.read_text(encoding="utf-8") for file in files_of(folder, names)]
        missing += [(names, number) for number in rules_of(rules) - rules_of("".join(texts))]
    assert rows
    assert missing == []


def rules_stated() -> dict[int, list[str]]:
    """The rules of each chapter that has some, in the order of their numbers."""
    _, *parts = re.split(r"(?m)^## (\d+)\. ", TEXT)
    chapters = {
        int(number): sorted(re.findall(r"\*\*(F-\d+)\*\*", text), key=number_of)
        for number, text in zip(parts[::2], parts[1::2], strict=True)
    }
    return {chapter: rules for chapter, rules in chapters.items() if rules}


def rules_listed() -> dict[int, list[str]]:
    """What the table "Rules by chapter" says."""
    listed: dict[int, list[str]] = {}
    table = TEXT.split("\nRules by chapter:\n", 1)[1].split("\n## ", 1)[0]
    for first, last, cell in re.findall(r"(?m)^\| (\d+) to (\d+) \| (.+) \|$", table):
        chapters = range(int(first), int(last) + 1)
        for chapter, rules in zip(chapters, cell.split("; "), strict=True):
            listed[chapter] = [rule for each in rules.split(", ") for rule in span(each)]
    return listed


def span(text: str) -> list[str]:
    """One rule, or those of `F-1 to F-3`."""
    first, last = number_of(text.split(" to ")[0]), number_of(text.split(" to ")[-1])
    return [f"F-{number}" for number in range(first, last + 1)]


def number_of(rule: str) -> int:
    return int(rule.removeprefix("F-"))


def test_the_table_names_every_rule_in_its_chapter() -> None:
    assert rules_listed() == rules_stated()
