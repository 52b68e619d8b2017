"""Leaves out blocks of a stream that cannot have rows for which a condition is true, by the statistics of its writer.

pyarrow decides: each block is a fragment of a dataset that guarantees the bounds of its columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.fs

from .. import loads

if TYPE_CHECKING:
    from .._impl._tables import Scan


def runs_of_rows(scan: Scan, schema: Any, where: Any) -> list[tuple[int, int]]:
    """The bounds of the runs of rows among which there may be some for which a condition is true."""
    known = scan._view._raw.statistics() if scan._view._site == 0 else []
    format, none = ds.IpcFileFormat(), pyarrow.fs.LocalFileSystem()
    fragments = [
        format.make_fragment(str(number), none, _guarantee(schema, stop - start, columns))
        for number, (start, stop, columns) in enumerate(known)
    ]
    dataset = ds.FileSystemDataset(fragments, schema, format, none)
    kept = {int(fragment.path) for fragment in dataset.get_fragments(where)}
    runs = [(scan._start, scan._stop)]
    for number, (start, stop, _) in enumerate(known):
        if number not in kept:
            first, last = runs.pop()
            left = [(first, min(start, last)), (max(stop, first), last)]
            runs += [run for run in left if run[0] < run[1]]
            if not runs or runs[-1][1] <= stop:
                break
    return runs


def _guarantee(schema: Any, rows: int, columns: list[tuple[list[str], int, bytes]]) -> Any:
    """What is true of all rows of a block."""
    found = pc.scalar(True)
    for path, nulls, bounds in columns:
        if len(path) != 1 or path[0] not in schema.names:
            continue
        field, type = pc.field(path[0]), schema.field(path[0]).type
        if nulls == rows:
            found &= field.is_null()
            continue
        lower, upper = (_scalar(bound, type) for bound in loads(bounds))
        own = [] if lower is None else [field >= lower]
        own += [] if upper is None else [field <= upper]
        for each in own:
            found &= each | field.is_null() if nulls else each
    return found


def _scalar(bound: Any, type: Any) -> Any:
    """A bound as pyarrow has it; None if there is none, or pyarrow has no such value."""
    try:
        return None if bound is None else pa.scalar(bound, type)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return None
