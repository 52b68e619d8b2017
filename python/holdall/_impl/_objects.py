"""Objects of classes from the fields that data have of them, in each form that data can have."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _constants, _pickled
from ._making import Decoding, Granted, _fill_attributes, decoding, without_init
from ._registry import callable_of, split_version

#: The fields of a constant: it has no state.
_CONSTANT = frozenset({"<call>", "<args>"})


def decoding_of(cls: Any, keys: Iterable[str], version: int, granted: Granted) -> Decoding:
    """Returns how to build objects of a class from these fields: also from those of a constant, or of a converted pickle."""
    if set(keys) == _CONSTANT:
        granted = functools.partial(_constants.granted, cls, granted)
    how = decoding(cls, _pickled.completed(cls, keys), version, granted)
    convert = _pickled.converter(cls, keys)
    return how if convert is None else _converted(how, convert)


def _converted(how: Decoding, convert: Callable[[dict[str, Any]], dict[str, Any]]) -> Decoding:
    """How to build objects whose fields are converted first."""
    build = how.build
    if build is not None:
        return Decoding("build", build=lambda fields: build(convert(fields)), is_by_keys=True)

    def fill(value: Any, fields: dict[str, Any]) -> None:
        _finish(how, value, convert(fields))

    return Decoding("fill", new=how.new, fill=fill, is_by_keys=True)


def rebuild(cls: type, name: str, fields: Mapping[str, Any]) -> Any:
    """Builds an object of a class from the fields of a record."""
    how = decoding_of(cls, fields, split_version(name)[1], callable_of)
    if how.build is not None:
        return how.build(dict(fields))
    assert how.new is not None
    value = how.new()
    _finish(how, value, dict(fields))
    return value


def _finish(how: Decoding, value: Any, fields: dict[str, Any]) -> None:
    """Fills an object that exists."""
    if how.fill is not None:
        how.fill(value, fields)
        return
    for _, attribute, default, factory in how.defaults:
        if attribute not in fields:
            fields = {**fields, attribute: default if factory is None else factory()}
    _fill_attributes(frozenset(how.slots), value, without_init(fields))
    if how.post is not None:
        how.post(value)
