"""Pickles to messages, without running them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Unpack

from ... import _holdall
from ..._errors import DecodeError
from .. import _lookup
from .._codec import Encoder
from .._keywords import check_choice, check_names
from .._limits import limits_of
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
    check_choice("missing", missing, "record", "error")
    given = memoryview(data)
    budget = limits_of(options.get("limits"), "budget").budget
    found = Found(types, renames or {})
    machine = Machine(
        found,
        _KNOWN,
        _STATES,
        encoding=encoding,
        buffers=buffers,
        budget=max(1 << 26, 1000 * given.nbytes) if budget is None else budget,
    )
    value = run(machine, given.tobytes())
    report = found.report(machine.held_names())
    if missing == "error" and report:
        raise _missing(report)
    for made in machine.made:
        _set_fields(made, objects.fields_of(made, found.class_of(made.name)))
    if found.makes:
        value = _objects(value, found, budget)
    return Conversion(Encoder(**options).encode(value), report)


def _objects(value: Any, found: Found, budget: int | None) -> Any:
    """The value with objects of the allowed classes, made as `loads` makes them."""
    message = Encoder(profile="fast").encode(value)
    return _holdall.Unpacker(found, None, None, [], None, budget).unpack(message)


def _missing(report: tuple[NotData, ...]) -> DecodeError:
    lines = "\n    ".join(map(str, report))
    # Those that look like classes: a function would be called with the pickle's arguments.
    names = [each.name for each in report if each.name.rpartition(".")[2][:1].isupper()]
    code = _lookup.code_for(names, "convert_pickle(data, ").replace("\n", "\n    ")
    text = f"the pickle has more than data, which this program does not allow:\n    {lines}"
    if names:
        text += f"\nIf you know that these are safe classes, allow them:\n    {code}"
    return DecodeError(text, code="unrepresentable")
