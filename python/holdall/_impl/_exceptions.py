"""Exceptions: their arguments and attributes, what caused them, and their traceback as text."""

from __future__ import annotations

import copyreg
from typing import Any

from .._errors import Mismatch, checked
from ._kinds import _slots, _solid
from ._values import Record, UnknownException

#: The attribute with the text of a traceback that was read.
TEXT = "__traceback_text__"


def reduces(cls: type[BaseException]) -> bool:
    """Whether a class has a method for pickle that its builtin base class has not."""
    base = _solid(cls)
    return (
        cls.__reduce__ is not base.__reduce__
        or cls.__reduce_ex__ is not base.__reduce_ex__
        or cls in copyreg.dispatch_table
    )


def is_plain(cls: type[BaseException]) -> bool:
    """Whether a class has no slots, and its arguments and attributes are those of BaseException."""
    own = ("args", "__dict__", "__getattribute__")
    classes = (each for each in cls.__mro__ if each not in (BaseException, object))
    return not _slots(cls) and not any(name in vars(each) for each in classes for name in own)


def pack(name: str, has_reduce: bool, value: BaseException) -> Record:
    """An exception whose class has no method for pickle, but maybe its builtin base class has."""
    cls = type(value)
    fields: dict[str, Any] = {"<args>": value.args}
    if has_reduce:
        answer: Any = _solid(cls).__reduce__(value)
        fields["<args>"] = tuple(answer[1])
        if len(answer) > 2 and isinstance(answer[2], dict):
            fields.update(answer[2])
    for slot in _slots(cls):
        try:
            fields[slot] = getattr(value, slot)
        except AttributeError:
            continue
    fields.update(value.__dict__)
    fields.pop(TEXT, None)
    fields.update(origin(value))
    return Record(name, fields)


def origin(value: BaseException) -> dict[str, Any]:
    """The fields with what caused an exception, and where it was raised."""
    fields: dict[str, Any] = {}
    cause, context = value.__cause__, value.__context__
    # One that is its own cause would be needed to create itself.
    if cause is not None and cause is not value:
        fields["<cause>"] = cause
    if context is not None and context is not value:
        fields["<context>"] = context
    if value.__suppress_context__ is not ("<cause>" in fields):
        fields["<suppress>"] = value.__suppress_context__
    text = value.__dict__.get(TEXT, "")
    if value.__traceback__ is not None:
        # An eighth of the time to import holdall.
        import traceback

        text += "".join(traceback.format_tb(value.__traceback__))
    if text:
        fields["<traceback>"] = text
    return fields


def restore_origin(made: BaseException, fields: dict[str, Any]) -> None:
    """Sets what caused an exception, and the text of its traceback, and removes these fields."""
    cause, context = (fields.pop(mark, None) for mark in ("<cause>", "<context>"))
    suppress, text = (fields.pop(mark, None) for mark in ("<suppress>", "<traceback>"))
    if context is not None:
        made.__context__ = _exception(context)
    if cause is not None:
        made.__cause__ = _exception(cause)
    if suppress is not None:
        made.__suppress_context__ = checked(suppress, bool)
    if text is not None:
        made.__dict__[TEXT] = checked(text, str)


def group_arguments(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of an exception group, whose members must be exceptions."""
    if len(arguments) != 2 or type(arguments[1]) not in (list, tuple):
        return arguments
    members = arguments[1]
    if all(isinstance(each, BaseException) for each in members):
        return arguments
    return arguments[0], type(members)(map(_exception, members))


def _exception(value: Any) -> BaseException:
    if isinstance(value, BaseException):
        return value
    if type(value) is Record:
        return UnknownException(value)
    raise Mismatch("an exception", type(value).__name__)
