"""The form of the spec: lines and rules."""

from __future__ import annotations

import re

from tests.support import SPEC, spec_rules

TEXT = SPEC.read_text(encoding="utf-8")


def test_no_line_is_longer_than_300_characters() -> None:
    long = [number for number, line in enumerate(TEXT.splitlines(), 1) if len(line) > 300]
    assert long == []


def test_every_rule_is_stated_once() -> None:
    assert len(set(spec_rules())) == len(spec_rules())


def test_every_rule_that_is_cited_is_stated() -> None:
    assert set(re.findall(r"F-\d+", TEXT)) == set(spec_rules())
