"""What data of other formats spell for types that these lack: what `dumps` writes for their values, with `storage=True` too, and
the text that other programs write for times, UUIDs, paths and addresses.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from .._errors import LimitError
from . import _later, _stored
from ._lax import LAX
from ._values import Variant

_INT = re.compile(r"-?(?:0|[1-9][0-9]*)")
#: As JSON has them. Only an integer has no second group.
_NUMBER = re.compile(rf"({_INT.pattern})((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
#: The first integer that no float is near to.
BEYOND_FLOATS = (1 << 1024) - (1 << 970)
_BOOLS = {"true": (True,), "false": (False,)}

Make = Callable[[Any], Any]


class Spelling:
    """What values in data of a format spell. ``held`` are the names of the types that the format has itself: `datetime` if it has
    points in time, so that a number is a time without a zone.
    """

    def __init__(self, *held: str, is_cells: bool = False, has_one_number: bool = False) -> None:
        self._held = frozenset(held)
        #: Whether digits without a fraction can be a float, as JavaScript writes large ones: the nearest to them.
        self.has_one_number = has_one_number
        #: Whether all scalars are text, as in CSV.
        self.is_cells = is_cells

    def made(self, kinds: Collection[Any], value: Any, default: Any) -> Any:
        """The object of the only one of some types that a value spells, or the default. Any text spells a Variant, if it spells
        none of the others.
        """
        made, ordered = default, kinds
        if Variant in kinds:
            ordered = (*(kind for kind in kinds if kind is not Variant), Variant)
        for kind in ordered:
            if kind is Variant and made is not default:
                break
            for make in self._ways(kind, value):
                try:
                    own = make(value)
                except LimitError:
                    raise
                except (ValueError, TypeError, ArithmeticError):
                    continue
                if made is not default and (type(own) is not type(made) or own != made):
                    return default
                made = own
                break
        return made

    def nearest(self, others: Collection[Any], value: Any, default: Any) -> Any:
        """The float that digits without a fraction are nearest to, or the default: also where another of the types holds them all."""
        is_digits = (
            self.has_one_number and type(value) is int and _NUMBERS.keys().isdisjoint(others)
        )
        return float(value) if is_digits and abs(value) < BEYOND_FLOATS else default

    def _ways(self, kind: Any, value: Any) -> Iterator[Make]:
        cls = type(value)
        if self.is_cells:
            if kind in _stored.INTS and kind is not datetime.datetime and _INT.fullmatch(value):
                yield lambda text: _stored.INTS[kind](int(text))
            if kind in _CELLS:
                yield _CELLS[kind]
        elif cls in (int, float) and kind in _NUMBERS:
            yield _NUMBERS[kind]
        elif self._stores(kind):
            if cls is int and kind in _stored.INTS:
                yield _stored.INTS[kind]
            elif cls is bytes and kind in _stored.BYTES:
                yield _stored.BYTES[kind]
        if cls is str and kind in _TEXTS:
            yield _TEXTS[kind]
        if (
            cls in (list, tuple)
            and kind in _stored.PARTS
            and (kind in _stored.PARTS_OF_SOME or self._stores(kind))
        ):
            yield _stored.PARTS[kind]
        if cls is dict and kind in _stored.ENTRIES:
            yield _stored.ENTRIES[kind]

    def _stores(self, kind: Any) -> bool:
        """Whether a number or byte string stores a type here: not where the format has the type. A number stores a datetime without a
        zone, where the format has points in time for the others.
        """
        return (kind.__name__ in self._held) is (kind is datetime.datetime)

    def advice(self, kinds: Iterable[Any], value: Any, *, strict: bool) -> str:
        """What to do about a value that spells nothing of some types, after a semicolon; nothing if that is plain."""
        kinds = list(kinds)
        is_number = type(value) is int or (self.is_cells and _INT.fullmatch(value) is not None)
        if datetime.datetime in kinds and is_number:
            return (
                "; a number does not say whether the time is that of UTC; write value.isoformat()"
            )
        if not self.is_cells:
            return ""
        if int in kinds and _INT.fullmatch(value):
            return "; it has more digits than sys.get_int_max_str_digits()"
        if not value:
            return "; fill the empty cell, or add None to the type"
        if strict and any(_is_lax(kind, value) for kind in kinds):
            return "; strict=False takes this spelling"
        return "; correct the cell, or request str"


#: By the names of formats. Those of the program are spelled as the format that they extend.
SPELLINGS = {
    "csv": Spelling(is_cells=True),
    "json": Spelling(has_one_number=True),
    "ndjson": Spelling(has_one_number=True),
    "msgpack": Spelling("datetime"),
    "cbor": Spelling(
        "datetime", "date", "Decimal", "Fraction", "UUID", "IPv4Address", "IPv6Address"
    ),
    "bson": Spelling("datetime", "UUID"),
    "dlhn": Spelling("datetime", "date", "Decimal"),
}


def spelled(text: str) -> tuple[Any, ...]:
    """The plain values that a cell spells beside its text; digits alone are an int, and a float that need not be exact."""
    if not text:
        return (None,)
    number = _NUMBER.fullmatch(text)
    if number is None:
        return _BOOLS.get(text, ())
    value = float(text)
    floats = () if math.isinf(value) else (value,)
    try:
        return floats if number[2] else (int(text), *floats)
    except ValueError:
        # More digits than Python reads.
        return ()


def is_of_python(text: str) -> bool:
    """Whether a text is a number to Python alone: with underscores, or digits of other scripts."""
    try:
        float(text)
    except ValueError:
        return False
    return not text.isascii() or "_" in text


def _is_lax(kind: Any, text: str) -> bool:
    try:
        return kind in LAX and LAX[kind](text) is not None
    except (ValueError, ArithmeticError):
        return False


#: Types that text spells in all formats.
_TEXTS: dict[Any, Callable[[str], Any]] = {**_stored.TEXTS, Variant: Variant}
#: Types that only the cells of CSV spell by text.
_CELLS: dict[Any, Callable[[str], Any]] = {}
#: Types that numbers spell.
_NUMBERS: dict[Any, Make] = {}


def _exact(kind: Any) -> Callable[[str], Any]:
    """Makes a number of its digits, or of what `str` writes: "NaN" and "1/3", but not "+1"."""

    def make(text: str) -> Any:
        number = LAX[kind](text)
        if _NUMBER.fullmatch(text) is None and str(number) != text:
            raise ValueError
        return number

    return make


@_later.when_loaded("decimal")
def _add_decimal(decimal: Any) -> None:
    _TEXTS[decimal.Decimal] = _exact(decimal.Decimal)

    def make(number: Any) -> Any:
        if type(number) is int:
            # Within the limit of digits.
            return _stored.PARTS[decimal.Decimal]((int(number < 0), abs(number), 0))
        # The shortest digits: those of the data, if they are at most 15.
        return decimal.Decimal(repr(number))

    _NUMBERS[decimal.Decimal] = make


@_later.when_loaded("fractions")
def _add_fractions(fractions: Any) -> None:
    _CELLS[fractions.Fraction] = _exact(fractions.Fraction)


@_later.when_loaded("uuid")
def _add_uuids(uuid: Any) -> None:
    def make(text: str) -> Any:
        identity = LAX[uuid.UUID](text)
        if str(identity) != text.lower():
            raise ValueError
        return identity

    _TEXTS[uuid.UUID] = make


@_later.when_loaded("pathlib")
def _add_paths(pathlib: Any) -> None:
    for kind in _stored.paths(pathlib):
        _TEXTS[kind] = kind


@_later.when_loaded("ipaddress")
def _add_addresses(ipaddress: Any) -> None:
    for version in ("4", "6"):
        for name in ("Address", "Network", "Interface"):
            kind = getattr(ipaddress, f"IPv{version}{name}")
            _TEXTS[kind] = kind


@_later.when_loaded("zoneinfo")
def _add_zones(zoneinfo: Any) -> None:
    _TEXTS[zoneinfo.ZoneInfo] = _stored.zone
