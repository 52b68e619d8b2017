"""Targets and ratios are computed correctly."""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from .. import memory, plots, report
from ..figures import Figures, Measured
from ..measure import LEAST_ROUNDS, looped, medians, once, with_collection
from ..table import figures, table, thousands
from ..targets import verdicts


def peer(
    name: str, ms: float, size: int, pack_peak: int | None = None, unpack_peak: int | None = None
) -> Figures:
    """A peer that takes this many milliseconds for everything."""
    ours = name.startswith("holdall")
    seconds = ms / 1e3
    return Figures(name, ours, size, pack_peak, unpack_peak, size, seconds, seconds, seconds)


def case(kind: str, *found: Figures, values: int = 1000, columns: int = 8000) -> Measured:
    return Measured("some", kind, "data", values, columns, list(found))


def outcome(measured: Measured) -> dict[str, tuple[float, float, bool]]:
    return {
        verdict.what: (round(verdict.ratio, 3), verdict.bound, verdict.met)
        for verdict in verdicts(measured)
    }


def test_records_against_the_best_peer_and_msgspec() -> None:
    found = case(
        "records",
        peer("holdall", 2, 100),
        peer("holdall, typed", 1, 10),
        peer("pickle", 2.5, 120),
        peer("msgspec", 4, 99),
    )
    assert outcome(found) == {
        "unpack+gc: pickle / holdall": (1.25, 1.5, False),
        "pack: msgspec / holdall": (2.0, 1.0, True),
        "bytes: holdall / msgspec": (1.01, 1.0, False),
    }


def test_dataclasses_against_pickle_and_the_typed_decoder() -> None:
    found = case(
        "dataclasses",
        peer("holdall", 1, 100),
        peer("pickle", 3.9, 120),
        peer("msgspec, typed", 4, 130),
    )
    assert outcome(found) == {
        "unpack+gc: pickle / holdall": (3.9, 1.5, True),
        "unpack+gc: msgspec, typed / holdall": (4.0, 4.0, True),
        "pack: msgspec, typed / holdall": (4.0, 1.0, True),
        "pack: pickle / holdall": (3.9, 4.0, False),
        "bytes: holdall / pickle": (round(100 / 120, 3), 1.0, True),
    }


@pytest.mark.parametrize(
    ("kind", "unpack", "pack"),
    [
        ("records", 1.5, 1.0),
        ("dataclasses", 1.5, 1.0),
        ("tree", 1.5, 1.0),
        ("logs", 1.5, 1.0),
        ("graph", 1.5, 0.8),
        ("json", 1.5, 0.8),
        ("objects", 1.5, 0.8),
        ("flat", 1.0, 0.8),
        ("arrays", 1.0, 0.8),
    ],
)
def test_bounds_of_each_kind(kind: str, unpack: float, pack: float) -> None:
    found = outcome(case(kind, peer("holdall", 1, 1), peer("msgspec", 1, 1)))
    assert found["unpack+gc: msgspec / holdall"] == (1.0, unpack, unpack <= 1)
    assert found["pack: msgspec / holdall"] == (1.0, pack, True)


def test_one_message_may_cost_little_more_than_msgspec() -> None:
    small = case(
        "small", peer("holdall", 1.4, 115), peer("msgspec", 1, 100), peer("pickle", 0.1, 1)
    )
    assert outcome(small) == {
        "pack: holdall / msgspec": (1.4, 1.5, True),
        "unpack: holdall / msgspec": (1.4, 1.0, False),
        "bytes: holdall / msgspec": (1.15, 1.15, True),
    }
    # The faster of its two ways counts.
    small.peers.append(peer("msgspec, typed", 0.5, 100))
    assert outcome(small)["pack: holdall / msgspec, typed"] == (2.8, 1.5, False)


def test_64_bytes_are_equal_only_where_numbers_leave_nothing_to_save() -> None:
    def met(name: str, kind: str, more: int) -> bool:
        found = case(kind, peer("holdall", 1, 8000 + more), peer("pickle", 1, 8000))
        found.name = name
        return outcome(found)["bytes: holdall / pickle"][2]

    assert met("floats", "flat", 64)
    assert not met("floats", "flat", 65)
    assert met("array", "arrays", 64)
    assert not met("ints", "flat", 1)
    assert met("ints", "flat", 0)


def test_few_values_may_have_more_bytes() -> None:
    few = case("json", peer("holdall", 1, 9), peer("pickle", 9, 8), values=100)
    assert "bytes: holdall / pickle" not in outcome(few)


def test_memory_is_judged_where_there_is_enough() -> None:
    ours = peer("holdall", 1, 1_000_000, pack_peak=3_400_000, unpack_peak=5)
    rival = peer("pickle", 1, 2_000_000, pack_peak=3_000_000, unpack_peak=5)
    found = case("flat", ours, rival, columns=2_000_000)
    result = outcome(found)
    assert result["pack peak: holdall / (result + 1.2 columns)"] == (1.0, 1.0, True)
    assert result["pack peak: holdall / pickle"] == (1.133, 1.0, False)
    assert result["unpack peak: holdall / pickle"] == (1.0, 1.0, True)
    more = replace(ours, pack_peak=3_400_001)
    assert not outcome(replace(found, peers=[more]))["pack peak: holdall / (result + 1.2 columns)"][
        2
    ]
    assert not any("peak" in what for what in outcome(replace(found, columns=999_999)))


def test_a_case_that_holdall_cannot_take_is_a_missed_target() -> None:
    failed = case("records", peer("pickle", 1, 1))
    failed.refused["holdall"] = "cannot pack: no"
    assert outcome(failed) == {"takes part: cannot pack: no": (0, 1, False)}


def test_a_case_without_peers_has_no_targets_beside_them() -> None:
    assert outcome(case("graph", peer("holdall", 1, 1))) == {}


def test_report_has_ratios_losses_and_reasons() -> None:
    found = case(
        "records",
        peer("holdall", 2, 100),
        peer("holdall, typed", 1, 100),
        peer("msgspec", 1.5, 150),
    )
    found.refused["marshal"] = "cannot pack: why not"
    text = report.text([found])
    assert "some         0.750 msgspec" in report.ratios([found])
    assert "marshal: cannot pack: why not" in text
    assert "1 of 3 targets met" in text
    assert report.losses([found]).startswith("- some: pack 0.750 msgspec, unpack 0.750 msgspec")
    assert "some, typed" not in report.losses([found])
    written = report.markdown("- machine: x\n", "make bench-python", [found], ["a.png"])
    assert "![a.png](a.png)" in written
    assert (
        report.losses([case("json", peer("holdall", 1, 1), peer("pickle", 2, 2))]) == "Nowhere.\n"
    )


def test_pictures_are_drawn(tmp_path: Path) -> None:
    found = case("records", peer("holdall", 2, 100), peer("pickle", 3, 150))
    assert plots.points([found], "pack") == [("some", "pickle", 1.5)]
    drawn = plots.draw([found], tmp_path / "python-2024-01-01")
    assert [path.name for path in drawn] == [
        f"python-2024-01-01-{name}.png" for name in ("pack", "unpack", "small", "bytes")
    ]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn)


def test_numbers_for_people() -> None:
    cases = {
        0: "0",
        0.001234: "0.00123",
        0.5: "0.500",
        9.999: "10.0",
        12.34: "12.3",
        1234.5: "1234",
    }
    for number, shown in cases.items():
        assert figures(number) == shown
    assert thousands(1234567) == "1,234,567"
    assert table([["what", "n"], ["é", "1"], ["ten", "10"]]) == "what   n\né      1\nten   10\n"


def test_medians_take_every_sample_in_every_round() -> None:
    calls: list[str] = []

    def sample(name: str, *seconds: float) -> Any:
        left = list(seconds)

        def run() -> tuple[float, ...]:
            calls.append(name)
            return (left.pop(0) if left else 5.0,)

        return run

    # The first warms up and does not count.
    results = medians([sample("a", 99.0), sample("b", 99.0, 1.0, 1.0)], 0)
    assert results == [(5.0,), (5.0,)]
    assert calls.count("a") == calls.count("b") == LEAST_ROUNDS + 1
    # Each round begins with another one.
    assert calls[2:6] == ["a", "b", "b", "a"]


def test_collection_is_in_the_second_time() -> None:
    def cycles(count: int) -> list[Any]:
        return [[] for _ in range(count)]

    ((unpack, collected),) = medians([with_collection(cycles, 100_000)], 0)
    ((alone,),) = medians([once(cycles, 100_000)], 0)
    assert collected > unpack > 0
    assert alone > 0
    assert gc.isenabled()
    ((each,),) = medians([looped(len, "x")], 0)
    assert each < 1e-4


def test_peak_sees_what_was_freed_again() -> None:
    size = 50_000_000

    def work() -> int:
        return len(bytes(b"x" * size))

    result, most = memory.peak(work)
    assert result == size
    assert size * 0.9 < most < size * 1.5
    # The peak of the first does not hide that of the second.
    assert memory.peak(work)[1] > size * 0.9
