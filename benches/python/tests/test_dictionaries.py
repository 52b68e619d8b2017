"""The messages of the table of dictionaries come back, and shrink."""

from __future__ import annotations

from ..dictionaries import events, lines


def test_each_format_shrinks_to_a_half_or_less() -> None:
    found = [line.split() for line in lines("events", events(1000))]
    assert [line[1] for line in found] == ["holdall", "MessagePack", "JSON"]
    for line in found:
        assert int(line[3]) < int(line[2]) / 2
