"""Rows of tables for which a condition is true, by pyarrow's kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .._impl._tables import Block, runs

if TYPE_CHECKING:
    from .._impl._tables import Scan

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    from ._statistics import runs_of_rows
except ImportError as error:
    raise ModuleNotFoundError("a condition on rows needs pyarrow: pip install pyarrow") from error

_OPERATORS = {
    "==": lambda field, value: field == value,
    "!=": lambda field, value: field != value,
    "<": lambda field, value: field < value,
    "<=": lambda field, value: field <= value,
    ">": lambda field, value: field > value,
    ">=": lambda field, value: field >= value,
    "in": lambda field, value: field.isin(list(value)),
    "not in": lambda field, value: ~field.isin(list(value)),
}


def expression(where: Any) -> Any:
    """The expression of conditions."""
    if isinstance(where, pc.Expression):
        return where
    found = None
    for name, operator, value in where:
        if operator not in _OPERATORS:
            raise ValueError(f"an operator is one of {', '.join(_OPERATORS)}, not {operator!r}")
        own = _OPERATORS[operator](pc.field(name), value)
        found = own if found is None else found & own
    return pc.scalar(True) if found is None else found


def plain(type: Any) -> Any:
    """A type without views of text, for which pyarrow has no kernels."""
    if type == pa.string_view():
        return pa.large_string()
    if type == pa.binary_view():
        return pa.large_binary()
    if pa.types.is_struct(type):
        return pa.struct([plain_field(field) for field in type])
    if pa.types.is_large_list(type):
        return pa.large_list(plain_field(type.value_field))
    if pa.types.is_fixed_size_list(type):
        return pa.list_(plain_field(type.value_field), type.list_size)
    if pa.types.is_map(type):
        return pa.map_(plain_field(type.key_field), plain_field(type.item_field))
    return type


def plain_field(field: Any) -> Any:
    return field.with_type(plain(field.type))


def plain_schema(scan: Any) -> Any:
    """The schema of a scan, without views of text."""
    schema = pa.schema(scan)
    return pa.schema([plain_field(field) for field in schema], schema.metadata)


def named(where: Any, schema: Any) -> list[str]:
    """The columns that an expression names: without one of them, it has no meaning."""
    text = str(where)
    candidates = [name for name in schema.names if name in text]
    empty = schema.empty_table()

    def is_named(name: str) -> bool:
        try:
            empty.drop_columns([name]).filter(where)
        except pa.ArrowInvalid:
            return True
        return False

    # An expression that names no column of the table is refused when it is used.
    return [name for name in candidates if is_named(name)]


def reader(scan: Scan, columns: list[str] | None, where: Any) -> Any:
    """The batches of the rows for which a condition is true."""
    where = expression(where)
    names = columns if columns is not None else pa.schema(scan._part(None, 0, 0)).names
    text = str(where)
    known = scan._view.names() or names
    used = scan._part(
        list(dict.fromkeys([*names, *(name for name in known if name in text)])), 0, 0
    )
    schema = plain_schema(used)
    keys = named(where, schema)
    result = pa.schema([schema.field(name) for name in names], schema.metadata)
    return pa.RecordBatchReader.from_batches(result, _batches(scan, result, schema, keys, where))


def read(scan: Scan, schema: Any, start: int, stop: int) -> Iterator[Any]:
    """The batches of some columns and rows."""
    for batch in pa.RecordBatchReader.from_stream(scan._part(schema.names, start, stop)):
        yield batch.cast(schema)


def mask_of(batch: Any, where: Any) -> Any:
    """Where a condition is true."""
    rows = ds.InMemoryDataset(batch).to_table(columns={"": where})
    return pc.fill_null(rows.column(0).combine_chunks(), False)


def _batches(scan: Scan, result: Any, schema: Any, keys: list[str], where: Any) -> Iterator[Any]:
    others = pa.schema([field for field in result if field.name not in keys])
    keyed = pa.schema([schema.field(name) for name in keys])
    if not keys or scan._view._site != 0:
        # All at once: without the values of a stream as rows, no block can be left out.
        keyed, others = pa.schema([*keyed, *others]), pa.schema([])
    masked = (
        (start, batch, mask_of(batch, where))
        for first, last in runs_of_rows(scan, keyed, where)
        for start, batch in _numbered(first, read(scan, keyed, first, last))
    )
    if not others.names:
        for _, batch, mask in masked:
            yield batch.filter(mask).select(result.names)
        return
    for run in runs(_blocks(masked)):
        more = read(scan, others, run[0][0], run[-1][1])
        for (_, _, batch, mask), rest in zip(run, more, strict=True):
            named = {name: batch[name] for name in keys} | {
                name: rest[name] for name in others.names
            }
            whole = pa.record_batch([named[name] for name in result.names], schema=result)
            yield whole.filter(mask)


def _numbered(start: int, batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    """Batches, each with the number of its first row."""
    for batch in batches:
        yield start, batch
        start += batch.num_rows


def _blocks(masked: Iterable[tuple[int, Any, Any]]) -> Iterator[Block]:
    """The blocks in which a condition is true."""
    for start, batch, mask in masked:
        if mask.true_count:
            yield start, start + batch.num_rows, batch, mask
