"""The tables, and the query of each: one column, and five columns of the rows in which the first exceeds a bound."""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow as pa

from ..columns import synthetic
from ..columns.tables import TABLES


class Case(NamedTuple):
    """A table, its column of numbers, and its query."""

    name: str
    column: str
    columns: list[str]
    #: About a tenth of the rows exceed it.
    bound: float


CASES = [
    Case("flights", "distance", ["dep_delay", "carrier", "origin", "dest", "distance"], 50),
    Case("diamonds", "price", ["price", "carat", "cut", "color", "depth"], 10_000),
    Case("trips", "distance", ["fare", "distance", "tip", "pickup", "from zone"], 30),
]


def arrow(name: str, rows: int | None) -> Any:
    """A table of Arrow, with null for what is missing."""
    table = synthetic.trips() if name == "trips" else TABLES[name]()
    if rows is not None:
        table = table.head(rows)
    return pa.table(
        {column.name: pa.array(column.values, from_pandas=True) for column in table.columns}
    )
