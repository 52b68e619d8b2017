"""Streams of writers that died, and damaged streams: every intact value is read once, and the rest is reported."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import holdall
import pytest
from conftest import SOAK
from holdall_reference import decode_stream

SYNC = bytes.fromhex("A1B2C3D4E5F60718")


def value(at: int) -> dict[str, Any]:
    return {"id": at, "name": f"n{at % 5}", "tags": ["x"] * (at % 3)}


def stream(blocks: int, rows: int = 3) -> tuple[bytes, list[int]]:
    """A stream, and the offsets where its blocks end."""
    file = io.BytesIO()
    ends = []
    with holdall.Writer(file, sync=SYNC, metadata={"of": "tests"}) as writer:
        for at in range(blocks * rows):
            writer.write(value(at))
            if at % rows == rows - 1:
                writer.flush()
                ends.append(file.tell())
    return file.getvalue(), ends


DATA, ENDS = stream(6)
WHOLE = [value(at) for at in range(18)]


def ids(values: Any) -> list[int]:
    """The numbers of the values, each of which must be right in every field."""
    got = list(values)
    for each in got:
        assert each == value(each["id"])
    return [each["id"] for each in got]


# ---- writers that died ----


def test_all_flushed_blocks_of_every_prefix_are_read(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    for end in range(len(DATA)):
        path.write_bytes(DATA[:end])
        whole = 3 * sum(1 for each in ENDS if each <= end)
        if end < 16:
            for options in ({}, {"on_damage": "skip"}):
                with pytest.raises(holdall.DecodeError):
                    list(holdall.Reader(path, **options))
            continue
        reader = holdall.Reader(path)
        got = []
        with pytest.raises(holdall.DecodeError) as failed:
            for each in reader:
                got.append(each)
        assert got == WHOLE[:whole]
        assert failed.value.code == "truncated"
        assert 16 <= (failed.value.offset or 0) <= end
        reader = holdall.Reader(path, on_damage="skip")
        assert list(reader) == WHOLE[:whole]
        assert len(reader) == whole
        [damage] = reader.damage
        assert damage.code == "truncated"
        assert damage.offset + damage.skipped == end
        assert not reader.finished
        if whole:
            assert reader[whole - 1] == WHOLE[whole - 1]
        with holdall.Writer(path, append=True) as writer:
            assert writer.count == whole
            writer.write(value(100))
        reader = holdall.Reader(path)
        assert list(reader) == [*WHOLE[:whole], value(100)]
        assert reader.damage == []
        if end % 16 == 0:
            assert decode_stream(path.read_bytes()).error is None


WRITER = """
    import sys, holdall
    with holdall.Writer(sys.argv[1], append=True, block_rows=20) as writer:
        at = writer.count
        while True:
            for _ in range(at % 31):
                writer.write({"id": at, "name": f"n{at % 5}", "tags": ["x"] * (at % 3)})
                at += 1
            writer.write({"id": at, "name": f"n{at % 5}", "tags": ["x"] * (at % 3)})
            at += 1
            writer.flush()
            print(at)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no signal that kills")
def test_everything_that_killed_writers_flushed_is_read(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    chance = random.Random(9)
    count = torn = 0
    for _ in range(max(6, 2 * SOAK)):
        command = [sys.executable, "-u", "-c", textwrap.dedent(WRITER), str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            flushed = int(process.stdout.readline())
            time.sleep(chance.random() / 20)
            process.send_signal(signal.SIGKILL)
            lines = process.stdout.read().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]
        flushed = int(whole[-1]) if whole else flushed
        reader = holdall.Reader(path, on_damage="skip")
        got = ids(reader)
        assert got == list(range(len(got)))
        assert len(got) >= flushed > count
        assert [each.code for each in reader.damage] == ["truncated"]
        torn += reader.damage[0].skipped > 0
        count = flushed
        report = holdall.verify(path)
        assert (report.values, report.finished) == (len(got), False)
    holdall.Writer(path, append=True).close()
    reader = holdall.Reader(path)
    assert len(reader) == len(ids(reader)) >= count
    assert reader.finished


# ---- damage ----


def read(data: bytes) -> tuple[list[int], list[holdall.Damage]]:
    reader = holdall.Reader(io.BytesIO(data), on_damage="skip")
    return ids(reader), reader.damage


def test_any_flipped_bit_costs_one_block_and_is_reported() -> None:
    for at in range(16, len(DATA)):
        damaged = bytearray(DATA)
        damaged[at] ^= 1 << at % 8
        got, damage = read(bytes(damaged))
        assert damage, at
        assert got == sorted(set(got))
        lost = set(range(18)) - set(got)
        # Losing a schema frame costs all blocks after it; any other frame costs one block.
        assert len(lost) in (0, 3, 18)
        strict = []
        with pytest.raises(holdall.DecodeError) as failed:
            for each in holdall.Reader(io.BytesIO(bytes(damaged))):
                strict.append(each)
        assert strict == WHOLE[: len(strict)]
        assert failed.value.offset is not None


def test_removed_repeated_and_swapped_blocks_are_reported() -> None:
    blocks = [DATA[a:b] for a, b in zip([ENDS[0], *ENDS[1:-1]], ENDS[1:], strict=True)]
    head, end = DATA[: ENDS[0]], DATA[ENDS[-1] :]
    for name, order, expected, codes in [
        ("cut out", [0, 1, 3, 4], [*range(9), *range(12, 18)], ["missing_frames"]),
        ("doubled", [0, 1, 1, 2, 3, 4], list(range(18)), ["repeated_frame"]),
        (
            "swapped",
            [0, 2, 1, 3, 4],
            [*range(6), *range(9, 18)],
            ["missing_frames", "repeated_frame"],
        ),
    ]:
        got, damage = read(head + b"".join(blocks[at] for at in order) + end)
        assert got == expected, name
        assert [each.code for each in damage] == codes, name
        assert [len(each.frames) for each in damage if each.code == "missing_frames"] in ([], [1])


@pytest.mark.parametrize("seed", range(max(60, 20 * SOAK)))
def test_damaged_regions_give_what_the_reference_gives(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(DATA)
    for _ in range(chance.randint(1, 3)):
        a, b = sorted(chance.sample(range(16, len(data)), 2))
        b = min(b, a + chance.choice([1, 8, 60, 400]))
        match chance.randrange(4):
            case 0:
                data[a:b] = chance.randbytes(b - a)
            case 1:
                del data[a:b]
            case 2:
                data[a:a] = data[a:b]
            case _:
                data[a:a] = chance.randbytes(b - a)
        if len(data) < 20:
            return
    got, damage = read(bytes(data))
    assert got == sorted(set(got))
    reference = decode_stream(bytes(data), goes_on=True)
    assert len(reference.values) == len(got)
    assert sorted(
        (each.at, each.code) for each in damage if each.code != "trailing_bytes"
    ) == sorted(
        (fault.offset, fault.code) for fault in reference.faults if fault.code != "trailing_bytes"
    )
    report = holdall.verify(io.BytesIO(bytes(data)))
    assert report.values == len(got)
    out = io.BytesIO()
    recovered = holdall.recover(io.BytesIO(bytes(data)), out)
    again = ids(holdall.Reader(io.BytesIO(out.getvalue())))
    assert again == sorted(set(again))
    # It also finds frames that are out of order, so it may find more.
    assert set(got) <= set(again)
    assert recovered.values == len(again)


# ---- verify and recover ----


def test_verify(tmp_path: Path) -> None:
    path = tmp_path / "stream.hold"
    path.write_bytes(DATA)
    report = holdall.verify(path)
    assert report == holdall.Report(18, 6, len(DATA), True, ())
    assert holdall.verify(io.BytesIO(DATA)) == report
    damaged = bytearray(DATA)
    damaged[ENDS[2] + 40] ^= 1
    path.write_bytes(damaged)
    report = holdall.verify(str(path))
    assert (report.values, report.blocks, report.finished) == (15, 5, True)
    assert report.damage[0].code == "bad_checksum"
    assert report.damage[0].offset == ENDS[2]
    assert str(report.damage[0]).startswith("bad_checksum at offset")
    read_, wrote = os.pipe()
    with os.fdopen(wrote, "wb") as target:
        target.write(DATA)
    with os.fdopen(read_, "rb") as source:
        assert holdall.verify(source).values == 18


def test_verify_checks_messages(tmp_path: Path) -> None:
    path = tmp_path / "message.hold"
    store = holdall.SchemaStore()
    value = [{"id": number, "name": str(number)} for number in range(1000)]
    for options in ({}, {"checksum": True}, {"header": "fingerprint", "store": store}):
        data = holdall.dumps(value, **options)  # type: ignore[arg-type]
        path.write_bytes(data)
        for file in (path, io.BytesIO(data), data, bytearray(data), memoryview(data)):
            report = holdall.verify(file, store=store)
            assert report == holdall.Report(1, 1, len(data), True, ())
    with pytest.raises(holdall.SchemaError) as failed:
        holdall.verify(path)
    assert failed.value.code == "unknown_fingerprint"
    data = holdall.dumps(value, checksum=True)
    damaged = bytearray(data)
    damaged[len(data) // 2] ^= 1
    report = holdall.verify(io.BytesIO(damaged))
    assert (report.values, report.finished, report.damage[0].code) == (0, False, "bad_checksum")
    cut = holdall.verify(io.BytesIO(holdall.dumps(value)[:-9])).damage[0]
    assert cut.skipped == len(holdall.dumps(value)) - 9
    with pytest.raises(holdall.LimitError):
        holdall.verify(io.BytesIO(data), limits=holdall.Limits(budget=10))


def test_verify_runs_no_code_of_classes() -> None:
    made = []

    @holdall.register(name="verify.Loud")
    class Loud:
        def __setstate__(self, state: object) -> None:
            made.append(state)

    data = holdall.dumps([holdall.Record("verify.Loud", x=1), holdall.Extension("py.pattern", 5)])
    assert holdall.verify(io.BytesIO(data)).values == 1
    assert not made


def test_recover(tmp_path: Path) -> None:
    path, out = tmp_path / "stream.hold", tmp_path / "out.hold"
    damaged = bytearray(DATA[:-9])
    damaged[ENDS[2] + 40] ^= 1
    path.write_bytes(damaged)
    report = holdall.recover(path, out)
    assert (report.values, report.blocks, report.finished) == (15, 5, False)
    assert {each.code for each in report.damage} == {"bad_checksum", "missing_frames", "truncated"}
    reader = holdall.Reader(out)
    assert ids(reader) == [*range(9), *range(12, 18)]
    assert reader.metadata == {"of": "tests"}
    assert len(reader) == 15
    assert decode_stream(out.read_bytes()).error is None
    # In place, replacing the file.
    assert holdall.recover(path, path) == report
    assert path.read_bytes() == out.read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out.hold", "stream.hold"]
    with path.open("rb") as source, (tmp_path / "third.hold").open("wb") as target:
        assert holdall.recover(source, target).damage == ()
    assert (tmp_path / "third.hold").read_bytes() == out.read_bytes()


def test_a_failed_recovery_changes_nothing(tmp_path: Path) -> None:
    path, out = tmp_path / "message.hold", tmp_path / "out.hold"
    path.write_bytes(holdall.dumps(1))
    out.write_bytes(b"before")
    with pytest.raises(holdall.DecodeError):
        holdall.recover(path, out)
    assert out.read_bytes() == b"before"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["message.hold", "out.hold"]
    read_, wrote = os.pipe()
    with (
        os.fdopen(read_, "rb") as source,
        os.fdopen(wrote, "wb"),
        pytest.raises(ValueError, match="twice"),
    ):
        holdall.recover(source, out)


def test_blocks_without_their_schema_are_read_with_a_passed_one() -> None:
    first = DATA.index(SYNC + b"S")
    lost = bytearray(DATA)
    lost[first + 40] ^= 1
    got, damage = read(bytes(lost))
    assert got == []
    assert {each.code for each in damage} == {"bad_checksum", "unknown_fingerprint"}
    schema = holdall.Reader(io.BytesIO(DATA)).schema
    assert schema is not None
    reader = holdall.Reader(io.BytesIO(bytes(lost)), on_damage="skip", schemas=[schema])
    assert ids(reader) == list(range(18))
    out = io.BytesIO()
    assert holdall.recover(io.BytesIO(bytes(lost)), out, schemas=[schema]).values == 18
    assert ids(holdall.Reader(io.BytesIO(out.getvalue()))) == list(range(18))


def test_a_wrong_index_is_detected() -> None:
    wrong = bytearray(DATA)
    # The last frame's number of values is the byte before its padding.
    at = len(DATA) - 13
    while not wrong[at]:
        at -= 1
    wrong[at] += 16
    reference = decode_stream(bytes(wrong))
    assert reference.error is not None
    reader = holdall.Reader(io.BytesIO(bytes(wrong)))
    # Its checksum is wrong, so a scan finds the blocks.
    with pytest.raises(holdall.DecodeError):
        len(reader)
    reader = holdall.Reader(io.BytesIO(bytes(wrong)), on_damage="skip")
    assert len(reader) == 18
    assert ids(reader[2:9]) == list(range(2, 9))


def test_appending_beside_damage_is_refused_and_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "log.hold"
    with holdall.Writer(path, block_rows=10) as writer:
        for at in range(100):
            writer.write({"id": at, "text": "x" * 20})
    intact = path.read_bytes()
    damaged = bytearray(intact)
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.Writer(path, append=True)
    assert "holdall.recover" in caught.value.__notes__[0]
    assert path.read_bytes() == damaged
    whole = tmp_path / "whole.hold"
    assert holdall.recover(path, whole).values >= 80
    with holdall.Writer(whole, append=True) as writer:
        writer.write({"id": 100, "text": "y"})
    assert holdall.verify(whole).damage == ()
