"""Times with zones: as the format's own types, or as extensions."""

from __future__ import annotations

import datetime
import sys
from typing import Any

from .._errors import DecodeError, EncodeError, checked, checked_parts
from . import _later
from ._values import Extension, Record

_UTC = datetime.UTC
_MICROSECOND = datetime.timedelta(microseconds=1)


def zone_name(tz: datetime.tzinfo) -> str | None:
    """The name of a zone of the IANA database, None for any other object."""
    if "zoneinfo" not in sys.modules:
        return None
    zone_info = _later.zoneinfo.ZoneInfo
    if type(tz) is zone_info and tz.key is not None:
        # A zone made with no_cache or by from_file could differ from the one of its name.
        return tz.key if zone_info(tz.key) is tz else None
    return None


def zone_offset(time: datetime.datetime) -> int | None:
    """Microseconds to UTC, or None if the reverse would give another local time."""
    offset = time.utcoffset()
    other = time.replace(fold=1 - time.fold).utcoffset()
    if offset is None or other is None:
        return None
    if offset != other or time.fold:
        try:
            back = time.astimezone(_UTC).astimezone(time.tzinfo)
        except OverflowError:
            return None
        if back.replace(tzinfo=None) != time.replace(tzinfo=None) or back.fold != time.fold:
            return None
    return offset // _MICROSECOND


def fixed_zone(seconds: int) -> datetime.timezone:
    return datetime.timezone(datetime.timedelta(seconds=seconds))


def named_zone(name: str) -> _later.zoneinfo.ZoneInfo | None:
    try:
        return _later.zoneinfo.ZoneInfo(name)
    except (_later.zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        # The reading machine may know fewer zones.
        return None


def _in_zone(parts: Any, kind: type) -> Any:
    time, tz, fold = checked(parts, tuple)
    checked_parts((time, fold), kind, int)
    if isinstance(tz, datetime.tzinfo | None):
        return time.replace(tzinfo=tz, fold=fold)
    name = kind.__name__
    if isinstance(tz, Record | Extension):
        # The class of its zone is not registered here, so it stays what it is in the data.
        return Extension(f"py.{name}", parts)
    raise DecodeError(f"the content of py.{name} is not a {name}", code="unrepresentable")


def make_datetime(parts: Any) -> datetime.datetime | Extension:
    made: datetime.datetime | Extension = _in_zone(parts, datetime.datetime)
    return made


def make_time(parts: Any) -> datetime.time | Extension:
    made: datetime.time | Extension = _in_zone(parts, datetime.time)
    return made


def make_timezone(parts: Any) -> datetime.timezone:
    offset, name = checked_parts(parts, datetime.timedelta, (str, type(None)))
    return datetime.timezone(offset) if name is None else datetime.timezone(offset, name)


def make_zone(name: Any) -> Any:
    zone = named_zone(checked(name, str))
    return Extension("py.zone", name) if zone is None else zone


def pack_timezone(zone: datetime.timezone) -> Extension:
    return Extension("py.timezone", (zone.utcoffset(None), (*zone.__getinitargs__(), None)[1]))  # type: ignore[attr-defined]


def pack_zone(zone: _later.zoneinfo.ZoneInfo) -> Extension:
    if zone.key is None or _later.zoneinfo.ZoneInfo(zone.key) is not zone:
        raise EncodeError(
            "a ZoneInfo that its key does not find cannot be packed", code="unsupported_value"
        )
    return Extension("py.zone", zone.key)
