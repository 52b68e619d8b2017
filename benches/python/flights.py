"""Packs one real table beside pickle, MessagePack, JSON and Parquet, and draws the picture of the README.

`make demo-picture` runs it. The table is a list of dicts: 336,776 flights from New York in 2013, with 19 fields each.
"""

from __future__ import annotations

import argparse
import csv
import io
import pickle
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import holdall
import msgspec
import orjson
import pyarrow
import pyarrow.parquet

from . import machine
from .measure import medians, once

Row = dict[str, int | str | None]

#: The columns that are text; all others are integers.
TEXT = {"carrier", "tailnum", "origin", "dest", "time_hour"}


class Format(NamedTuple):
    """A way to pack a list of dicts into bytes, and back."""

    name: str
    pack: Callable[[list[Row]], bytes]
    unpack: Callable[[bytes], Any]


def pack_parquet(rows: list[Row]) -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), file, compression="zstd")
    return file.getvalue()


def unpack_parquet(data: bytes) -> Any:
    return pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()


FORMATS = [
    Format("holdall", holdall.dumps, holdall.loads),
    Format("holdall, small", partial(holdall.dumps, profile="small"), holdall.loads),
    Format("Parquet, zstd\n(pyarrow)", pack_parquet, unpack_parquet),
    Format("pickle", partial(pickle.dumps, protocol=5), pickle.loads),
    Format("MessagePack\n(msgspec)", msgspec.msgpack.encode, msgspec.msgpack.decode),
    Format("JSON\n(orjson)", orjson.dumps, orjson.loads),
]


class Figures(NamedTuple):
    """What one format took, in bytes and seconds."""

    name: str
    size: int
    pack: float
    unpack: float


def read(path: Path) -> list[Row]:
    """The rows of the CSV file; `NA` is None."""

    def value(name: str, text: str) -> int | str | None:
        if text == "NA":
            return None
        return text if name in TEXT else int(text)

    with path.open(encoding="utf-8", newline="") as file:
        return [
            {name: value(name, text) for name, text in row.items()} for row in csv.DictReader(file)
        ]


def measure(rows: list[Row], rounds: int) -> list[Figures]:
    """Times all formats on the same rows, interleaved, after checking that each restores them."""
    packed = []
    for each in FORMATS:
        data = each.pack(rows)
        if each.unpack(data) != rows:
            sys.exit(f"{each.name} returned other rows")
        packed.append(data)
    work = [once(each.pack, rows) for each in FORMATS]
    work += [once(each.unpack, data) for each, data in zip(FORMATS, packed, strict=True)]
    times = [seconds for (seconds,) in medians(work, 0, rounds)]
    return [
        Figures(each.name.replace("\n", " "), len(data), pack, unpack)
        for each, data, pack, unpack in zip(
            FORMATS, packed, times[: len(FORMATS)], times[len(FORMATS) :], strict=True
        )
    ]


def table(figures: list[Figures]) -> str:
    lines = [f"{'':24} {'bytes':>12} {'pack':>8} {'unpack':>8}"]
    lines += [
        f"{each.name:24} {each.size:12,} {each.pack:6.2f} s {each.unpack:6.2f} s"
        for each in figures
    ]
    return "\n".join(lines)


def draw(figures: list[Figures], path: Path) -> None:
    """One panel for bytes, packing and unpacking each; short bars are good."""
    import matplotlib

    # Without a screen.
    matplotlib.use("Agg")
    from matplotlib import pyplot

    panels = [
        ("size (MB)", [each.size / 1e6 for each in figures], "{:.1f}"),
        ("time to pack (s)", [each.pack for each in figures], "{:.2f}"),
        ("time to unpack (s)", [each.unpack for each in figures], "{:.2f}"),
    ]
    figure, axes = pyplot.subplots(1, 3, figsize=(10, 2.9), sharey=True, layout="constrained")
    colours = ["#1f6f8b" if each.name.startswith("holdall") else "#b8b8b8" for each in figures]
    for axis, (title, values, form) in zip(axes, panels, strict=True):
        bars = axis.barh([each.name for each in FORMATS], values, color=colours)
        axis.bar_label(bars, labels=[form.format(value) for value in values], padding=3, fontsize=9)
        axis.set_title(title, fontsize=10, loc="left")
        axis.set_xlim(0, 1.18 * max(values))
        axis.set_xticks([])
        axis.spines[["top", "right", "bottom"]].set_visible(False)
        axis.tick_params(axis="y", length=0, labelsize=9)
    axes[0].invert_yaxis()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.python.flights", description=__doc__)
    parser.add_argument("data", type=Path, help="flights.csv")
    parser.add_argument("--picture", type=Path, help="where the picture goes")
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    where = machine.machine({"holdall", "msgspec", "orjson", "pyarrow"})
    rows = read(args.data)
    print(
        f"{len(rows):,} rows of {len(rows[0])} fields, medians of {args.rounds} rounds\n\n{where}"
    )
    figures = measure(rows, args.rounds)
    print(table(figures))
    if args.picture:
        draw(figures, args.picture)
        print(f"\nwritten: {args.picture}")


if __name__ == "__main__":
    main()
