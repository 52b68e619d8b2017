"""Exceptions: their arguments and attributes, what caused them, and their traceback as text."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from .._errors import EncodeError, checked
from ._kinds import _slots, _solid
from ._values import Record

#: The attribute with the text of a traceback that was read.
TEXT = "__traceback_text__"
#: Fields beside the arguments and attributes.
MARKS = frozenset({"<cause>", "<context>", "<suppress>", "<traceback>"})


def pack(name: str, has_reduce: bool, value: BaseException) -> Record:
    cls = type(value)
    fields: dict[str, Any] = {"<args>": value.args}
    if has_reduce:
        # Its own are arguments of its constructor, which reading does not call; those of the builtin base are all that this needs.
        has_state = cls.__setstate__ is not BaseException.__setstate__
        answer: Any = value.__reduce__() if has_state else _solid(cls).__reduce__(value)
        if not isinstance(answer, tuple) or answer[0] is not cls:
            raise EncodeError(
                f"the __reduce__ of {cls!r} does not name its class; leave it out, register its class with encode= and decode=, "
                "or pass an enc_hook",
                code="unsupported_value",
            )
        fields["<args>"] = tuple(answer[1])
        if len(answer) > 2 and isinstance(answer[2], dict):
            fields.update(answer[2])
    for slot in _slots(cls):
        try:
            fields[slot] = getattr(value, slot)
        except AttributeError:
            continue
    fields.update(value.__dict__)
    text = fields.pop(TEXT, "")
    cause, context = value.__cause__, value.__context__
    # One that is its own cause would be needed to create itself.
    if cause is not None and cause is not value:
        fields["<cause>"] = cause
    if context is not None and context is not value:
        fields["<context>"] = context
    if value.__suppress_context__ is not ("<cause>" in fields):
        fields["<suppress>"] = value.__suppress_context__
    if value.__traceback__ is not None:
        text += "".join(traceback.format_tb(value.__traceback__))
    if text:
        fields["<traceback>"] = text
    return Record(name, fields)


def restored(build: Callable[[dict[str, Any]], Any], fields: dict[str, Any]) -> Any:
    """An exception with its cause, context and the text of its traceback."""
    given = {mark: fields.pop(mark) for mark in MARKS & fields.keys()}
    made = build(fields)
    context, text = given.get("<context>"), given.get("<traceback>")
    cause, suppress = given.get("<cause>"), given.get("<suppress>")
    if context is not None:
        made.__context__ = context
    if cause is not None:
        made.__cause__ = cause
    if suppress is not None:
        made.__suppress_context__ = checked(suppress, bool)
    if text is not None:
        made.__dict__[TEXT] = checked(text, str)
    return made
