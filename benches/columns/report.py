"""The table, each column, and the targets."""

from __future__ import annotations

from collections.abc import Iterator

from ..streams.report import Target, table
from .measure import Figures, Measured

MEGA = 1e6

#: Relative to the best peer's bytes, and to pcodec's.
SMALL_BOUND, NUMERIC_BOUND = 0.9, 1.1
#: The bytes of flights in profile balanced.
FLIGHTS_BOUND = 10_500_000
#: MB/s of raw columns in profile small.
PACK_BOUND, UNPACK_BOUND = 50, 400

LEGEND = """\
raw: for columns, 8 bytes for each number, 4 bytes and the text for each string, and a bit for each row if some are
missing; for documents, the JSON text. MB/s are raw bytes over the median time of interleaved rounds (anything that
takes more than 2 s is timed once). "of small" is the ratio of the bytes to those of holdall small.

holdall's bytes of a table are one message, a list of records made by Python (`holdall.dumps`), with None for a missing
value. Its times are those of the Rust library on typed vectors: each column is a message of its own, and the times are
added up, because records mostly measure Python's objects (see `make bench-python`). Peers are measured through their
Python interfaces to native code, from Arrow's or numpy's arrays to such arrays. For documents, holdall's times are
those of its Python interface, from objects to objects; zstd's are those of the text alone, without parsing JSON. Every
result is read back and compared. The rivals named by the targets have default options: Parquet at zstd 3 and 9,
Vortex, and OpenZL (`Compress`, not trained). The other rows are for comparison.
"""


def speed(raw: int, seconds: float) -> str:
    found = raw / MEGA / seconds if seconds else 0.0
    return f"{found:,.0f}" if found >= 10 else f"{found:.1f}"


def head(before: bool) -> list[str]:
    cells = ["data and format", "bytes", "of small", "pack MB/s", "unpack MB/s"]
    return cells + (["bytes before", "pack before", "unpack before"] if before else [])


def rows_of(measured: Measured, before: Measured | None, columns: int) -> Iterator[list[str]]:
    yield [f"**{measured.name}**: {measured.about}", f"{measured.raw:,} raw", *[""] * (columns - 2)]
    small = measured.figure("holdall small")
    for each in measured.figures:
        was = before.figure(each.name) if before else None
        yield row(each, measured.raw, small, was, columns)
    if measured.numeric:
        own = measured.numeric[0]
        numeric = {each.name: each for each in before.numeric} if before else {}
        for each in measured.numeric:
            found = row(each, measured.numeric_raw, own, numeric.get(each.name), columns)
            yield [f"columns of numbers: {found[0]}", *found[1:]]


def row(
    each: Figures, raw: int, small: Figures | None, before: Figures | None, columns: int
) -> list[str]:
    ratio = f"{each.bytes / small.bytes:.2f}" if small else ""
    cells = [each.name, f"{each.bytes:,}", ratio, speed(raw, each.pack), speed(raw, each.unpack)]
    if before and each.name.startswith("holdall"):
        cells.append(f"{before.bytes:,}")
        cells += [speed(raw, before.pack), speed(raw, before.unpack)]
    return cells + [""] * (columns - len(cells))


def main_table(every: list[Measured], before: dict[str, Measured]) -> str:
    first = head(bool(before))
    rows = [
        cells
        for measured in every
        for cells in rows_of(measured, before.get(measured.name), len(first))
    ]
    return table(first, rows)


def columns_table(measured: Measured, before: Measured | None) -> str:
    """Each column alone; "best" is the smallest of the formats after it."""
    names = list(dict.fromkeys(name for column in measured.columns for name in column.bytes))
    was = {column.name: column.bytes for column in before.columns} if before else {}
    first = ["column", "type", "raw", *names, "small / best"]
    if was:
        first.append("small before")
    rows = []
    for column in measured.columns:
        sizes = [f"{column.bytes[name]:,}" if name in column.bytes else "-" for name in names]
        best = min(size for name, size in column.bytes.items() if not name.startswith("holdall"))
        ratio = f"{column.bytes['holdall small'] / best:.2f}"
        cells = [column.name, column.kind, f"{column.raw:,}", *sizes, ratio]
        if was:
            found = was.get(column.name, {}).get("holdall small")
            cells.append(f"{found:,}" if found else "-")
        rows.append(cells)
    return table(first, rows)


def targets(every: list[Measured], before: dict[str, Measured]) -> list[Target]:
    found = []
    for measured in every:
        small = measured.figure("holdall small")
        rivals = [each for each in measured.figures if each.rival]
        if small and rivals:
            best = min(rivals, key=lambda each: each.bytes)
            text = f"{measured.name}: small's bytes / the best rival's ({best.name})"
            found.append(Target(text, small.bytes / best.bytes, SMALL_BOUND, False))
        if measured.numeric:
            own, pcodec = measured.numeric
            text = f"{measured.name}: small's bytes / pcodec's, columns of numbers"
            found.append(Target(text, own.bytes / pcodec.bytes, NUMERIC_BOUND, False))
        if measured.kind != "table":
            continue
        if small:
            pack, unpack = (measured.raw / MEGA / time for time in (small.pack, small.unpack))
            found.append(Target(f"{measured.name}: small packs, MB/s", pack, PACK_BOUND, True))
            found.append(
                Target(f"{measured.name}: small unpacks, MB/s", unpack, UNPACK_BOUND, True)
            )
        balanced = measured.figure("holdall balanced")
        if balanced and measured.name == "flights":
            megabytes = balanced.bytes / MEGA
            text = "flights: balanced's bytes in MB"
            found.append(Target(text, megabytes, FLIGHTS_BOUND / MEGA, False))
        earlier = before.get(measured.name)
        was = earlier.figure("holdall balanced") if earlier else None
        if balanced and was:
            text = f"{measured.name}: balanced's time to pack before / now"
            found.append(Target(text, was.pack / balanced.pack, 1, True))
    return found


def target_table(every: list[Measured], before: dict[str, Measured]) -> str:
    found = targets(every, before)
    rows = [
        [
            each.text,
            f"{each.figure:.3g}",
            f"{'at least' if each.at_least else 'at most'} {each.bound:g}",
            "met" if each.is_met else "missed",
        ]
        for each in found
    ]
    met = sum(each.is_met for each in found)
    return f"{met} of {len(found)} targets met.\n\n{table(['target', 'figure', 'bound', ''], rows)}"


def markdown(
    title: str, where: str, about: str, every: list[Measured], before: dict[str, Measured]
) -> str:
    """The complete report, as a file."""
    columns = "".join(
        f"### {measured.name}\n\n{columns_table(measured, before.get(measured.name))}\n"
        for measured in every
        if measured.columns
    )
    return (
        f"# {title}\n\n{about}\n\n{where}\n{LEGEND}\n{main_table(every, before)}\n"
        f"## Targets\n\n{target_table(every, before)}\n"
        f"## Each column by itself\n\nBytes of each column as a message, a file or a frame of its own.\n\n{columns}"
    )
