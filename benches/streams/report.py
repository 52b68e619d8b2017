"""The tables."""

from __future__ import annotations

from dataclasses import dataclass

from .worker import STEPS, Taken

TITLES = {
    "write": "write",
    "read": "read all",
    "numbers": "one column of numbers",
    "strings": "one column of text",
    "record": "one record",
}


@dataclass
class Measured:
    """The results of one format."""

    name: str
    has_rows: bool
    size: int
    steps: dict[str, Taken]


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def seconds(value: float) -> str:
    return f"{value * 1000:,.1f} ms" if value < 1 else f"{value:,.2f} s"


def tables(measured: list[Measured]) -> str:
    """Times, and sizes and memory."""
    times = [
        [each.name, *(seconds(each.steps[name].seconds) for name in STEPS)] for each in measured
    ]
    mega = 1e6
    sizes = [
        [
            each.name,
            f"{each.size / mega:,.1f} MB",
            *(f"{each.steps[name].peak / mega:,.0f} MB" for name in STEPS),
        ]
        for each in measured
    ]
    heads = [TITLES[name] for name in STEPS]
    return (
        f"{table(['time', *heads], times)}\n"
        f"{table(['peak memory', 'bytes of the file', *heads], sizes)}"
    )


@dataclass
class Target:
    """A bound, and the value that must be at least or at most that."""

    text: str
    figure: float
    bound: float
    at_least: bool

    @property
    def is_met(self) -> bool:
        return self.figure >= self.bound if self.at_least else self.figure <= self.bound


def targets(measured: list[Measured]) -> list[Target]:
    by_name = {each.name: each for each in measured}
    ours, small = by_name["holdall"], by_name["holdall, small"]
    rows = [each for each in measured if each.has_rows]

    def fastest(name: str) -> float:
        return min(each.steps[name].seconds for each in rows)

    def time(name: str) -> float:
        return ours.steps[name].seconds

    read = time("read")
    peaks = max(ours.steps[name].peak for name in ("write", "read")) / 1e6
    found = [
        Target(
            "write: the fastest row format's time / ours", fastest("write") / time("write"), 1, True
        ),
        Target("read all: the fastest row format's time / ours", fastest("read") / read, 1.5, True),
        Target(
            "bytes / the smallest row format's",
            ours.size / min(each.size for each in rows),
            1,
            False,
        ),
        Target(
            "one column of numbers: the time of reading all / its own",
            read / time("numbers"),
            20,
            True,
        ),
        Target("one record: its time / that of reading all", time("record") / read, 0.01, False),
        Target("peak memory of writing and of reading all, MB", peaks, 100, False),
    ]
    if arrow := by_name.get("Arrow IPC"):
        ratio = time("numbers") / arrow.steps["numbers"].seconds
        found.append(Target("one column of numbers: its time / Arrow IPC's", ratio, 1.3, False))
    if parquet := by_name.get("Parquet"):
        found.append(
            Target("bytes of profile small / Parquet's", small.size / parquet.size, 1, False)
        )
    return found


def target_table(measured: list[Measured]) -> str:
    rows = [
        [
            each.text,
            f"{each.figure:.3g}",
            f"{'at least' if each.at_least else 'at most'} {each.bound:g}",
            "met" if each.is_met else "missed",
        ]
        for each in targets(measured)
    ]
    return table(["target", "figure", "bound", ""], rows)
