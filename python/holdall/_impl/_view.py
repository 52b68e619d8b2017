"""Views: one column, or one row, without the rest."""

from __future__ import annotations

import array
import itertools
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from .. import _holdall
from . import _files, _html, _numpy
from ._codec import Decoder
from ._dictionary import Dictionary, raws_of
from ._keywords import names_checked
from ._limited import limits_of
from ._options import Allowed, Missing
from ._schema import Schema, SchemaStore, raw_store
from ._tables import Exported, scan
from ._text import Text
from ._values import UNKNOWN

if TYPE_CHECKING:
    from ._limits import Limits

Buffer = bytes | bytearray | memoryview

_FORMATS = {"?": "?", "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "i1": "b", "i2": "h", "i4": "i"}
_FORMATS |= {"i8": "q", "f2": "e", "f4": "f", "f8": "d"}


class View(Exported):
    """A message or stream, or a place in one, that reads only what you ask for. `holdall.open` and `holdall.view` create it.

    A name selects a field, and a number a row:

    >>> data = holdall.dumps({"users": [{"name": "Ada", "born": 1815}, {"name": "Grace", "born": 1906}]})
    >>> view = holdall.view(data)
    >>> view["users"]["name"].tolist()
    ['Ada', 'Grace']
    >>> view["users"][1]
    {'name': 'Grace', 'born': 1906}
    """

    __slots__ = ("_decoder", "_raw", "_site")

    def __init__(self, raw: _holdall.View, decoder: Decoder[Any], site: int = 0) -> None:
        self._raw = raw
        self._decoder = decoder
        self._site = site

    def _at(self, site: int) -> View:
        return View(self._raw, self._decoder, site)

    def __repr__(self) -> str:
        path, type = self._raw.describe(self._site)
        return f"<holdall.View {path}: {type}>"

    def _repr_html_(self) -> str:
        """What notebooks show: the columns, and the first rows."""
        path, type = self._raw.describe(self._site)
        count = self._raw.len(self._site)
        rows = () if count is None else self[: _html.MAX_ROWS]
        title = f"{path}: {type}"
        if count is not None:
            title += f", {count:,} row{'' if count == 1 else 's'}"
        return _html.table(title, self.metadata, self.columns(), rows)

    @property
    def schema(self) -> Schema:
        """The schema of the message, or of a stream's last block."""
        return Schema._of(self._raw.schema())

    @property
    def metadata(self) -> dict[str, str]:
        return dict(self._raw.metadata())

    @property
    def path(self) -> str:
        """The path of this place: ``$.users[].name``."""
        return self._raw.describe(self._site)[0]

    @property
    def type(self) -> str:
        """The type of this place: ``option(int)``."""
        return self._raw.describe(self._site)[1]

    def names(self) -> list[str]:
        """The names of the fields at this place."""
        return self._raw.names(self._site)

    def columns(self) -> dict[str, str]:
        """The path and type of each column of values. Values of unlike types have one path: ``int | string``."""
        found: dict[str, str] = {}
        for site in self._raw.columns():
            path, type = self._raw.describe(site)
            found[path] = f"{found[path]} | {type}" if path in found else type
        return found

    @overload
    def __getitem__(self, key: str) -> View: ...
    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> list[Any]: ...
    def __getitem__(self, key: str | int | slice) -> Any:
        if isinstance(key, str):
            return self._at(self._raw.field(self._site, key))
        length = len(self)
        if isinstance(key, slice):
            return self._rows(range(*key.indices(length)))
        number = key + length if key < 0 else key
        if not 0 <= number < length:
            raise IndexError(f"there is no row {key}: there are {length}")
        return self._row(number)

    def _row(self, number: int) -> Any:
        return self._raw.row(self._site, number, self._decoder._raw)

    def _rows(self, numbers: range) -> list[Any]:
        if not numbers:
            return []
        # The step of a slice with one row can be any number.
        first, step = min(numbers[0], numbers[-1]), min(abs(numbers.step), len(self))
        rows = self._raw.rows(self._site, first, len(numbers), step, self._decoder._raw)
        if numbers.step < 0:
            rows.reverse()
        return rows

    def __len__(self) -> int:
        length = self._raw.len(self._site)
        if length is None:
            raise TypeError(
                f"{self.path} has no rows: it is no list outside other lists, but {self.type}"
            )
        return length

    def __iter__(self) -> Iterator[Any]:
        return (self._row(number) for number in range(len(self)))

    def value(self) -> Any:
        """Unpacks the whole message."""
        return self._raw.value(self._decoder._raw)

    @property
    def items(self) -> View:
        """The place of the items of the lists at this place."""
        return self._at(self._raw.inside(self._site, "items"))

    @property
    def keys(self) -> View:
        """The place of the keys of the maps at this place."""
        return self._at(self._raw.inside(self._site, "keys"))

    @property
    def values(self) -> View:
        """The place of the values of the maps at this place."""
        return self._at(self._raw.inside(self._site, "values"))

    def member(self, number: int) -> View:
        """The place of a member of the tuples, or of a variant of the unions, at this place."""
        return self._at(self._raw.member(self._site, number))

    def column(self) -> Column:
        """Reads the column of the values at this place."""
        raw = self._raw.column(self._site)
        column = self._column(raw)
        return _of_unlike_numbers(column) if raw[2] == "variants" else column

    def _column(self, raw: tuple[int, Any, str, Any]) -> Column:
        length, present, kind, values = raw
        if kind == "packed":
            packed, element = values
            dtype = _numpy.flat_dtype(element)
            if dtype is None:
                kind, values = "list", self._decoder.decode(packed.message())
            else:
                values = packed.buffer(), dtype
        elif kind == "variants":
            kind, values = "list", self._of_variants(present)
        return Column._of((length, present, kind, values), self._raw.logical(self._site))

    def _of_variants(self, present: Any) -> list[Any]:
        """The values of a union, in which each row has one of several types."""
        values = self._raw.values(self._site, True, self._decoder._raw)
        if present is None:
            return values
        return list(itertools.compress(values, memoryview(present)))

    def array(self) -> Any:
        """The values of the column as a numpy array, or what `Column.values` has in its place.

        An absent value is 0 in an array; ``column().mask`` is True for the absent ones.
        """
        return self.column().values

    def tolist(self) -> list[Any]:
        """The values at this place as `loads` gives them, with None for absent ones: the items of a list that is in no other list
        or map, or else a value for each item of the list around them.
        """
        length = self._raw.len(self._site)
        if length is not None:
            return self._rows(range(length))
        if self._raw.is_column(self._site):
            return self._column(self._raw.column(self._site)).tolist()
        return self._raw.values(self._site, False, self._decoder._raw)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        return scan(self).__arrow_c_array__(requested_schema)


class Column:
    """The values of one place: an entry for each item of the list that contains them, or a single one."""

    __slots__ = ("_present", "kind", "length", "mask", "values")

    _present: bytes | None
    length: int
    #: ``"numbers"``, ``"text"``, ``"tensors"``, ``"offsets"``, ``"packed"``, ``"list"``, ``"null"``, ``"unknown"``. Values of unlike
    #: types are a list, unless all are numbers.
    kind: str
    #: The values: a numpy array for numbers and bools; a lazy sequence for text; a list of arrays for tensors; for lists and
    #: maps, the offsets at which the items of each begin, and the end of the last. An absent value is 0, an empty list or None.
    values: Any
    #: An array of bools, True for absent values, as in ``numpy.ma``; None if no value is absent.
    mask: Any

    @classmethod
    def _of(cls, raw: tuple[int, Any, str, Any], logical: tuple[int, bytes] | None) -> Column:
        self = cls.__new__(cls)
        self.length, present, self.kind, values = raw
        self._present = None if present is None else bytes(memoryview(present))
        self.mask = None if present is None else _mask(present)
        self.values = _MAKE[self.kind](values, self, logical)
        return self

    def __len__(self) -> int:
        return self.length

    def __repr__(self) -> str:
        return f"<holdall.Column of {self.length} {self.kind}>"

    def tolist(self) -> list[Any]:
        """The values as Python objects, with None for absent ones."""
        if self.kind == "offsets":
            bounds = self.values.tolist()
            full: list[Any] = list(itertools.pairwise(bounds))
        else:
            full = self.values.tolist() if hasattr(self.values, "tolist") else list(self.values)
        if self._present is None:
            return full
        return [value if here else None for value, here in zip(full, self._present, strict=True)]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())


#: A float has every integer up to this one.
_EXACT = 1 << 53


def _of_unlike_numbers(column: Column) -> Column:
    """Integers and floats in one column are floats, if that loses nothing and numpy is there."""
    np, values = _numpy.numpy(), column.tolist()
    kinds = {type(value) for value in values} - {type(None)}
    if np is None or kinds != {int, float}:
        return column
    if any(type(value) is int and abs(value) > _EXACT for value in values):
        return column
    column.kind = "numbers"
    column.values = np.array([0 if value is None else value for value in values], np.float64)
    return column


def _mask(present: Any) -> Any:
    np = _numpy.numpy()
    if np is None:
        return [not here for here in memoryview(present)]
    return ~np.frombuffer(present, np.bool_)


def _rows(present: bytes | None) -> Any:
    """The row of each entry among those that are present, or -1."""
    if present is None:
        return None
    rows, row = [], 0
    for here in present:
        rows.append(row if here else -1)
        row += here
    return rows


def _numbers(values: Any, column: Column, logical: tuple[int, bytes] | None) -> Any:
    buffer, code = values
    np = _numpy.numpy()
    if np is None:
        numbers: Any = memoryview(buffer).cast("B")
        if code == "f2":
            # Not every memoryview has these.
            numbers = [number for (number,) in struct.iter_unpack("=e", numbers)]
        else:
            numbers = numbers.cast(_FORMATS[code])
        if column._present is None:
            return numbers
        rest = iter(numbers)
        return [next(rest) if here else 0 for here in column._present]
    dtype = np.dtype(code).newbyteorder("=")
    if logical is not None and code == "i8":
        # In units that numpy knows. With a zone they are UTC, as numpy assumes.
        kind, parameters = logical
        if kind == 3 and parameters[1:] in (b"\x00", b"\x01"):
            dtype = np.dtype(f"M8[{_UNITS[parameters[0]]}]")
        elif kind == 4:
            dtype = np.dtype(f"m8[{_UNITS[parameters[0]]}]")
        elif kind == 1:
            dtype = np.dtype("M8[D]")
    return _full(buffer, dtype, column)


def _full(buffer: Any, dtype: Any, column: Column) -> Any:
    """An array of all entries; absent ones are 0."""
    np = _numpy.numpy()
    own = np.frombuffer(buffer, dtype) if len(buffer) else np.empty(0, dtype)
    if column._present is None:
        return own
    full = np.zeros(column.length, dtype)
    full[np.frombuffer(column._present, np.bool_)] = own
    return full


_UNITS = ("s", "ms", "us", "ns")


def _text(values: Any, column: Column, _logical: object) -> Text:
    return Text(values, _rows(column._present))


def _spread(values: list[Any], column: Column) -> list[Any]:
    if column._present is None:
        return values
    rest = iter(values)
    return [next(rest) if here else None for here in column._present]


def _list(values: list[Any], column: Column, _logical: object) -> list[Any]:
    return _spread(values, column)


def _tensors(values: list[Any], column: Column, _logical: object) -> list[Any]:
    return _spread([_tensor(*each) for each in values], column)


def _tensor(element: Any, shape: Sequence[int], column_major: bool, buffer: Any) -> Any:
    """An array that is a view of the buffer; types that numpy lacks are copied."""
    dtype = _numpy.flat_dtype(element)
    if dtype is None or len(shape) > 32 or not len(buffer):
        return _numpy.make(element, tuple(shape), column_major, bytearray(buffer))
    flat = _numpy.numpy().frombuffer(buffer, dtype)
    return flat.reshape(tuple(shape), order="F" if column_major else "C")


def _packed(values: tuple[Any, Any], column: Column, _logical: object) -> Any:
    buffer, dtype = values
    return _full(buffer, dtype, column)


def _offsets(buffer: Any, column: Column, _logical: object) -> Any:
    np = _numpy.numpy()
    if np is None:
        bounds: Any = memoryview(buffer).cast("B").cast("Q")
        if column._present is None:
            return bounds
        spread, row = [0], 0
        for here in column._present:
            row += here
            spread.append(bounds[row])
        return spread
    bounds = np.frombuffer(buffer, np.uint64).astype(np.int64)
    if column._present is None:
        return bounds
    present = np.frombuffer(column._present, np.bool_)
    return bounds[np.concatenate(([0], np.cumsum(present)))]


def _arrays(values: tuple[int, int], column: Column, _logical: object) -> Any:
    """Arrays of one length as lists."""
    rows, length = values
    column.kind = "offsets"
    bounds = array.array("Q", (row * length for row in range(rows + 1)))
    return _offsets(bounds.tobytes(), column, None)


def _null(_values: int, column: Column, _logical: object) -> list[None]:
    return [None] * column.length


def _unknown(values: int, column: Column, _logical: object) -> list[Any]:
    return _spread([UNKNOWN] * values, column)


_MAKE: dict[str, Callable[[Any, Column, Any], Any]] = {
    "numbers": _numbers,
    "text": _text,
    "list": _list,
    "tensors": _tensors,
    "packed": _packed,
    "offsets": _offsets,
    "arrays": _arrays,
    "null": _null,
    "unknown": _unknown,
}


def _decoder(
    types: Allowed,
    trust: bool,
    missing: Missing,
    renames: Mapping[str, type] | None,
    limits: Limits | None,
) -> Decoder[Any]:
    return Decoder(None, types=types, trust=trust, missing=missing, renames=renames, limits=limits)


@names_checked
def open(
    file: _files.PathLike | _files.Reads,
    /,
    *,
    types: Allowed = (),
    trust: bool = False,
    missing: Missing = "record",
    renames: Mapping[str, type] | None = None,
    dictionaries: Iterable[Dictionary] = (),
    store: SchemaStore | None = None,
    limits: Limits | None = None,
) -> View:
    """Opens a view of a file with a message or a stream. It decodes nothing at first, and reads only the columns that you ask for.

    The file is a path, an HTTP(S) URL whose server answers requests of ranges, a URL of fsspec (``s3://bucket/key``), a file of
    fsspec, or any binary file object that can seek. Arrays of numbers that are stored unencoded in a file on this machine are
    views of a memory map of it. The options are those of ``loads``, for rows.
    """
    known = raws_of(dictionaries), raw_store(store)
    budget = limits_of(limits, "budget").budget
    path = _files.path_of(file)
    if path is None:
        from ._parts import parts

        found = parts(file)
        raw = _holdall.View.of_parts(found.size, found.read, found.announce, *known, budget)
    else:
        with _files.named(path):
            raw = _holdall.View.open(path, *known, budget)
    return View(raw, _decoder(types, trust, missing, renames, limits))


@names_checked
def view(
    data: Buffer,
    *,
    types: Allowed = (),
    trust: bool = False,
    missing: Missing = "record",
    renames: Mapping[str, type] | None = None,
    dictionaries: Iterable[Dictionary] = (),
    store: SchemaStore | None = None,
    limits: Limits | None = None,
) -> View:
    """A view of bytes in memory.

    >>> view = holdall.view(holdall.dumps([{"x": 1.5}, {"x": None}, {"x": 2.5}]))
    >>> view["x"].tolist(), len(view), view[2]
    ([1.5, None, 2.5], 3, {'x': 2.5})
    """
    raw = _holdall.View.of(
        data,
        raws_of(dictionaries),
        raw_store(store),
        limits_of(limits, "budget").budget,
    )
    return View(raw, _decoder(types, trust, missing, renames, limits))
