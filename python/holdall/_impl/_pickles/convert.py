"""Pickles to messages, without running them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Unpack

from ... import _holdall
from ..._errors import DecodeError
from .. import _lookup
from .._codec import Encoder
from .._keywords import check_choice, check_names
from .._limited import limits_of
from .._options import Allowed, EncodeOptions
from .._values import _set_fields
from . import arrays, known, objects
from .found import Found, NotData
from .machine import Machine
from .opcodes import run

_KNOWN = {**known.KNOWN, **arrays.KNOWN}
_STATES = {**known.STATES, **arrays.STATES}


class ConvertOptions(EncodeOptions, total=False):
    """The options of `convert_pickle`."""

    types: Allowed
    renames: Mapping[str, type] | None
    missing: Literal["record", "error"]
    encoding: str
    buffers: Iterable[Any] | None


@dataclass(frozen=True)
class Conversion:
    """The result of `convert_pickle`: the message, and what in the pickle was not data."""

    data: bytes
    report: tuple[NotData, ...]


def convert_pickle(
    data: bytes | bytearray | memoryview,
    *,
    types: Allowed = (),
    renames: Mapping[str, type] | None = None,
    missing: Literal["record", "error"] = "record",
    encoding: str = "ascii",
    buffers: Iterable[Any] | None = None,
    **options: Unpack[EncodeOptions],
) -> Conversion:
    """Converts a pickle of any protocol to a message with the same graph of objects, without running it.

    It reads the opcodes, imports nothing, and calls nothing that the pickle names, except what you allow as for `loads`: then
    objects of these classes are created as `loads` creates them, and packed as `dumps` packs them. Other objects become
    records, which are objects again where their class is allowed.

    - ``types`` (()): classes, functions, modules or names such as "shop.*", as in `loads`. Registered classes need none.
    - ``renames`` (None): the classes of names in the pickle. ``renames={"old.User": User}``
    - ``missing`` ("record"): "error" if all must be allowed; the error lists what is not.
    - ``encoding`` ("ascii"): of the text in pickles of Python 2; "bytes" keeps it as bytes. ``encoding="latin-1"``
    - ``buffers`` (None): those that the ``buffer_callback`` of `pickle.dumps` received, in that order.
    - the options of `dumps`; ``limits`` also has the ``budget`` for reading, as in `loads`.

    >>> import pickle
    >>> converted = holdall.convert_pickle(pickle.dumps({"name": "Ada", "tags": {1, 2}}))
    >>> holdall.loads(converted.data), converted.report
    ({'name': 'Ada', 'tags': {1, 2}}, ())
    >>> converted = holdall.convert_pickle(b"cos\\nsystem\\n(S'rm -rf /'\\ntR.")
    >>> holdall.loads(converted.data)
    Record('os.system', <args>=('rm -rf /',))
    >>> print(*converted.report)
    1 of os.system, first at offset 25: kept as a record; to read objects, name the class or function in types=
    """
    check_names("convert_pickle", options, ConvertOptions)
    own: ConvertOptions = {
        **options,
        "types": types,
        "renames": renames,
        "missing": missing,
        "encoding": encoding,
        "buffers": buffers,
    }
    given = memoryview(data).tobytes()
    return _converted(io.BytesIO(given), len(given), own, has_more=False)


def convert_pickles(
    data: bytes | bytearray | memoryview, **options: Unpack[ConvertOptions]
) -> Iterator[Conversion]:
    """Converts pickles that follow each other, as several calls of `pickle.dump` write them into one file, one by one.

    The options are those of `convert_pickle`. Offsets in reports and errors are those in the data.

    >>> import pickle
    >>> data = pickle.dumps([1, 2]) + pickle.dumps("three")
    >>> [holdall.loads(converted.data) for converted in holdall.convert_pickles(data)]
    [[1, 2], 'three']
    """
    check_names("convert_pickles", options, ConvertOptions)
    buffers = options.get("buffers")
    # Each pickle takes the next of them.
    shared: ConvertOptions = {**options, "buffers": None if buffers is None else iter(buffers)}
    return _each(memoryview(data).tobytes(), shared)


def _each(given: bytes, options: ConvertOptions) -> Iterator[Conversion]:
    file = io.BytesIO(given)
    while file.tell() < len(given):
        yield _converted(file, len(given), options, has_more=True)


def _converted(
    file: io.BytesIO, size: int, options: ConvertOptions, *, has_more: bool
) -> Conversion:
    own: dict[str, Any] = {**options}
    missing = own.pop("missing", "record")
    check_choice("missing", missing, "record", "error")
    budget = limits_of(options.get("limits"), "budget").budget
    found = Found(own.pop("types", ()), own.pop("renames", None) or {})
    machine = Machine(
        found,
        _KNOWN,
        _STATES,
        encoding=own.pop("encoding", "ascii"),
        buffers=own.pop("buffers", None),
        budget=max(1 << 26, 1000 * size) if budget is None else budget,
    )
    value = run(machine, file, None if has_more else size)
    report = found.report(machine.held_names())
    if missing == "error" and report:
        raise _missing(report)
    for made in machine.made:
        _set_fields(made, objects.fields_of(made, found.class_of(made.name)))
    if found.makes:
        value = _objects(value, found, budget)
    return Conversion(Encoder(**own).encode(value), report)


def _objects(value: Any, found: Found, budget: int | None) -> Any:
    """The value with objects of the allowed classes, made as `loads` makes them."""
    message = Encoder(profile="fast").encode(value)
    return _holdall.Unpacker(found, None, None, [], [], None, budget).unpack(message)


def _missing(report: tuple[NotData, ...]) -> DecodeError:
    lines = "\n    ".join(map(str, report))
    # Those that look like classes: a function would be called with the pickle's arguments.
    names = [each.name for each in report if each.name.rpartition(".")[2][:1].isupper()]
    code = _lookup.code_for(names, "convert_pickle(data, ").replace("\n", "\n    ")
    text = f"the pickle has more than data, which this program does not allow:\n    {lines}"
    if names:
        text += f"\nIf you know that these are safe classes, allow them:\n    {code}"
    return DecodeError(text, code="unrepresentable")
