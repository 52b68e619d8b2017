"""The form of the spec: lines, rules, and the table that says where each rule stands."""

from __future__ import annotations

import re

from tests.support import SPEC, spec_rules

TEXT = SPEC.read_text(encoding="utf-8")


def chapters() -> dict[int, str]:
    """The text of each chapter."""
    parts = re.split(r"^## (\d+)\. .*$", TEXT, flags=re.MULTILINE)
    return {int(number): text for number, text in zip(parts[1::2], parts[2::2], strict=True)}


def table() -> dict[int, list[str]]:
    """The rules of each chapter, by the table in chapter 15."""
    rows = re.findall(r"^\| (\d+) to (\d+) \| (F-.*) \|$", TEXT, re.MULTILINE)
    found: dict[int, list[str]] = {}
    for first, last, rules in rows:
        of_each = rules.split(";")
        assert len(of_each) == int(last) - int(first) + 1, rules
        for chapter, ranges in enumerate(of_each, int(first)):
            found[chapter] = []
            for each in ranges.split(","):
                low, *high = [int(number) for number in re.findall(r"F-(\d+)", each)]
                found[chapter] += [f"F-{n}" for n in range(low, (high or [low])[0] + 1)]
    return found


def test_no_line_is_longer_than_300_characters() -> None:
    long = [number for number, line in enumerate(TEXT.splitlines(), 1) if len(line) > 300]
    assert long == []


def test_every_rule_is_stated_once() -> None:
    assert len(set(spec_rules())) == len(spec_rules())


def test_the_table_says_in_which_chapter_each_rule_stands() -> None:
    stated = {
        chapter: sorted(re.findall(r"^\*\*(F-\d+)\*\*", text, re.MULTILINE))
        for chapter, text in chapters().items()
    }
    assert {chapter: sorted(rules) for chapter, rules in table().items()} == {
        chapter: rules for chapter, rules in stated.items() if rules
    }


def test_every_rule_that_is_cited_is_stated() -> None:
    assert set(re.findall(r"F-\d+", TEXT)) == set(spec_rules())
