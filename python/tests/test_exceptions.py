"""Exceptions come back with their cause, context, notes, and the text of their traceback."""

from __future__ import annotations

import pickle
from typing import Any, ClassVar

import holdall
import pytest
from checks import check_message
from holdall._impl import _exceptions


def packed(value: Any) -> bytes:
    data = holdall.dumps(value)
    check_message(data)
    return data


def caught(work: Any) -> BaseException:
    try:
        work()
    except BaseException as error:
        return error
    raise AssertionError


def from_cause() -> None:
    try:
        1 / 0  # noqa: B018
    except ZeroDivisionError as error:
        error.add_note("in the kitchen")
        raise ValueError("bad") from error


def in_context() -> None:
    try:
        [][1]
    except IndexError:
        {}["x"]


def from_none() -> None:
    try:
        [][1]
    except IndexError:
        raise KeyError("y") from None


def test_cause_context_and_notes_come_back() -> None:
    back = holdall.loads(packed(caught(from_cause)))
    assert repr(back) == "ValueError('bad')"
    assert repr(back.__cause__) == "ZeroDivisionError('division by zero')"
    assert back.__cause__.__notes__ == ["in the kitchen"]
    assert back.__context__ is back.__cause__
    assert back.__suppress_context__
    back = holdall.loads(packed(caught(in_context)))
    assert (repr(back), type(back.__context__)) == ("KeyError('x')", IndexError)
    assert (back.__cause__, back.__suppress_context__) == (None, False)
    back = holdall.loads(packed(caught(from_none)))
    assert (back.__cause__, type(back.__context__), back.__suppress_context__) == (
        None,
        IndexError,
        True,
    )


def test_notes_keep_their_place_among_the_attributes() -> None:
    error = ValueError(1)
    error.code = 5  # type: ignore[attr-defined]
    error.add_note("later")
    data = holdall.dumps(error)
    back = holdall.loads(data)
    assert list(vars(back)) == ["code", "__notes__"]
    assert holdall.dumps(back) == data


def test_a_traceback_becomes_text_and_stays_the_same() -> None:
    data = packed(caught(from_cause))
    back = holdall.loads(data)
    text = back.__traceback_text__
    assert "in from_cause" in text
    assert 'raise ValueError("bad") from error' in text
    assert back.__traceback__ is None
    assert "1 / 0" in back.__cause__.__traceback_text__
    assert holdall.dumps(back) == data
    # Raised again, it keeps both.
    again = caught(lambda: (_ for _ in ()).throw(back))
    both = holdall.loads(packed(again)).__traceback_text__
    assert both.startswith(text)
    assert len(both) > len(text)


def test_an_exception_without_these_has_the_same_bytes_as_its_arguments() -> None:
    record = holdall.Record("builtins.ValueError", {"<args>": ("x",)})
    assert packed(ValueError("x")) == holdall.dumps(record)


def test_groups_keep_their_parts() -> None:
    parts: list[Exception] = [ValueError(1), ExceptionGroup("h", [KeyError(2)])]
    group = caught(lambda: (_ for _ in ()).throw(ExceptionGroup("g", parts)))
    back = holdall.loads(packed(group))
    assert repr(back) == repr(group)
    assert back.split(KeyError)[0].exceptions[0].exceptions[0].args == (2,)
    assert "in caught" in back.__traceback_text__


def test_shared_causes_stay_shared() -> None:
    cause = OSError(2, "gone", "file")
    errors = [ValueError(1), ValueError(2)]
    for each in errors:
        each.__cause__ = cause
    back = holdall.loads(packed(errors))
    assert back[0].__cause__ is back[1].__cause__
    assert back[0].__cause__.filename == "file"


def test_an_exception_that_is_its_own_cause_loses_it() -> None:
    error = ValueError("x")
    error.__cause__ = error
    assert holdall.loads(packed(error)).__cause__ is None


class Alarm(Exception):
    calls: ClassVar[list[Any]] = []

    @property
    def level(self) -> Any:
        return vars(self).get("_level")

    @level.setter
    def level(self, value: Any) -> None:
        self.calls.append(value)
        self.__dict__["_level"] = value


class Counted(Exception):
    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(f"counted_{name}" if name == "first" else name, value)


class Slotted(Exception):
    __slots__ = ("place",)


class Scaled(Exception):
    level = property(
        lambda self: vars(self).get("_level"),
        lambda self, value: vars(self).update(_level=10 * value),
    )


@pytest.mark.parametrize("cls", [ValueError, OSError, ImportError, Scaled, Counted, Slotted])
def test_attributes_of_an_exception_are_set_as_pickle_sets_them(cls: type[Exception]) -> None:
    errors = [cls("x", number) for number in range(3)]
    for error in errors:
        vars(error).update(level=1, first=2, filename="f", place="p", text="t")

    def seen(back: list[Exception]) -> list[Any]:
        return [(each.args, vars(each), str(each), getattr(each, "place", None)) for each in back]

    back = holdall.loads(packed(errors), types=[cls])
    assert seen(back) == seen(pickle.loads(pickle.dumps(errors)))


class Changed(Exception):
    calls: ClassVar[list[Any]] = []


def test_methods_that_a_class_gets_later_are_called() -> None:
    error = Changed("x")
    error.level = 1  # type: ignore[attr-defined]
    data = packed(error)
    decoder = holdall.Decoder(types=[Changed])
    assert decoder.decode(data).level == 1
    Changed.__setstate__ = lambda self, state: self.calls.append(state)  # type: ignore[method-assign]
    decoder.decode(data)
    del Changed.__setstate__
    Changed.__setattr__ = lambda self, *of: self.calls.append(of)  # type: ignore[method-assign]
    decoder.decode(data)
    del Changed.__setattr__
    assert Changed.calls == [{"level": 1}, ("level", 1)]


def test_setters_of_an_allowed_exception_run_and_those_of_others_do_not() -> None:
    forged = holdall.dumps(
        holdall.Record(f"{Alarm.__module__}.Alarm", {"<args>": ("fire",), "level": 3})
    )
    assert type(holdall.loads(forged)) is holdall.Record
    assert Alarm.calls == []
    back = holdall.loads(forged, types=[Alarm])
    assert (type(back), back.args, back.level, Alarm.calls) == (Alarm, ("fire",), 3, [3])


def test_a_chain_of_any_length() -> None:
    error: BaseException = ValueError(0)
    for number in range(5_000):
        error.__context__, error = None, type(error)(number)
        before = ValueError(number)
        before.__context__ = error
        error = before
    back = holdall.loads(packed(error))
    assert back.args == (4_999,)


@pytest.mark.parametrize(
    "fields",
    [
        {"<cause>": 5},
        {"<context>": "text"},
        {"<suppress>": 1},
        {"<traceback>": 5},
        {"<traceback>": ["x"]},
        {"<cause>": {"x": 1}},
    ],
    ids=repr,
)
def test_forged_causes_are_errors(fields: dict[str, Any]) -> None:
    forged = holdall.Record("builtins.ValueError", {"<args>": ("x",), **fields})
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.loads(packed([forged]))
    assert failed.value.path == "$[0]"


class Strict(Exception):
    def __init__(self, code: int, *, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code, self.reason = code, reason


def test_exceptions_with_other_constructors_come_back_whole() -> None:
    error = Strict(5, reason="r")
    error.__cause__ = KeyError("k")
    data = packed(error)
    back = holdall.loads(data, types=[Strict])
    assert (str(back), back.code, back.reason) == ("5: r", 5, "r")
    assert repr(back.__cause__) == "KeyError('k')"
    record = holdall.loads(data)
    assert record["<cause>"].args == ("k",)
    assert holdall.dumps(record) == data


def test_an_unknown_class_among_exceptions_is_an_unknown_exception() -> None:
    unknown = Strict(5, reason="r")
    unknown.__cause__ = KeyError("k")
    caused = ValueError("v")
    caused.__cause__ = caused.__context__ = unknown
    group = ExceptionGroup("g", [KeyError(1), unknown, unknown])
    for value in (caused, [group, unknown], {"a": caused, "b": group}):
        data = packed(value)
        assert holdall.dumps(holdall.loads(data)) == data
    back = holdall.loads(packed(caused))
    cause = back.__cause__
    assert type(cause) is holdall.UnknownException
    assert cause.record["code"] == 5
    assert repr(cause.record["<cause>"]) == "KeyError('k')"
    assert "Strict" in str(cause)
    first, second, third = holdall.loads(packed(group)).exceptions
    assert (type(first), type(second)) == (KeyError, holdall.UnknownException)
    assert second.record is third.record
    # Elsewhere it is the record itself.
    assert type(holdall.loads(packed([unknown]))[0]) is holdall.Record
    # With the class it is itself everywhere.
    whole = holdall.loads(packed(holdall.loads(packed(caused))), types=[Strict])
    assert (type(whole.__cause__), whole.__cause__.reason) == (Strict, "r")


class Titled(Exception):
    """Its arguments are others than those that it was made with."""

    @property
    def args(self) -> tuple[Any, ...]:  # type: ignore[override]
        return ("computed",)


def with_attributes(**attributes: Any) -> Exception:
    made = ValueError("text", 1)
    made.__dict__.update(attributes)
    return made


def raised() -> Exception:
    try:
        raise ValueError("raised")
    except ValueError as error:
        return error


def caused(*, suppress: bool) -> Exception:
    made = ValueError("later")
    if suppress:
        made.__suppress_context__ = True
    else:
        made.__context__ = ValueError("earlier")
    return made


FORMS: list[Exception] = [
    ValueError(),
    ValueError("text", (1, [2])),
    with_attributes(),
    with_attributes(a=1, b=[2]),
    with_attributes(**{"<args>": (1,), "<cause>": 5}),
    with_attributes(__traceback_text__="a text"),
    *(caused(suppress=True), caused(suppress=False), raised(), Titled("given")),
]


@pytest.mark.parametrize("exception", FORMS, ids=range(len(FORMS)))
def test_an_exception_is_the_record_of_its_arguments_attributes_and_origin(
    exception: Exception,
) -> None:
    module = type(exception).__module__
    record = _exceptions.pack(f"{module}.{type(exception).__qualname__}", False, exception)
    for count in (1, 2, 50):
        message = holdall.dumps([exception] * count)
        assert message == holdall.dumps([record] * count)
