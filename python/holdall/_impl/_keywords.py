"""Checks of keyword arguments: unknown names, and values that are no choice of an option."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

#: What to do about the arguments of pickle's functions, and of earlier versions.
_INSTEAD = {
    "protocol": "there is no protocol number as in pickle",
    "fix_imports": "names in data are those of the classes that you register; renames= maps others",
    "encoding": "text in data is Unicode; for pickles of Python 2, holdall.convert_pickle has it",
    "errors": "text in data is Unicode",
    "schema": "header='none' or 'fingerprint' says what the message has of its schema; loads takes a Schema",
}


def check_names(function: str, given: Collection[str], options: type, *own: str) -> None:
    """Rejects unknown keywords, naming the option that was probably meant: one of a function's own, or of those that it passes on."""
    # The names of the options take longer than a small value.
    if given:
        _check_known(function, given, [*own, *options.__annotations__])


def names_checked(make: F) -> F:
    """Does the same for a function that has all its options, or the `__init__` of a class, and names it."""
    name = make.__qualname__.removesuffix(".__init__")
    # As `inspect.signature`, which takes 10 ms to import.
    code: types.CodeType = vars(make).get("__wrapped__", make).__code__
    count = code.co_argcount + code.co_kwonlyargcount
    known = [own for own in code.co_varnames[code.co_posonlyargcount : count] if own != "self"]

    @functools.wraps(make)
    def checked(*arguments: object, **options: object) -> object:
        _check_known(name, options, known)
        return make(*arguments, **options)

    return cast("F", checked)


def _check_known(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    for name in given:
        if name in known:
            continue
        if name in _INSTEAD:
            raise TypeError(f"{function}() has no {name}=: {_INSTEAD[name]}")
        import difflib

        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"its options are {', '.join(known)}"
        raise TypeError(f"{function}() got an unexpected keyword argument {name!r}; {hint}")


def check_threads(threads: int) -> None:
    """Rejects what is no number of threads."""
    words = "a number from 1 on, or 0 for as many as the machine runs at once"
    if not hasattr(threads, "__index__"):
        raise TypeError(f"threads must be {words}, not {threads!r}")
    if not 0 <= threads < 1 << 32:
        raise ValueError(f"threads must be {words}, not {threads}")


def check_choice(option: str, given: object, *choices: str | None) -> None:
    """Rejects a value that is not one of the choices of an option."""
    if given in choices:
        return
    names = [repr(choice) for choice in choices]
    error = ValueError if isinstance(given, str) else TypeError
    raise error(f"{option} must be {', '.join(names[:-1])} or {names[-1]}, not {given!r}")
