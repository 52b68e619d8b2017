"""Regular expressions that data have, compiled within limits: of the time for each and for those of a message, and of the memory
for all that exist.

The result must be a pattern of `re`, so it cannot be compiled later.
"""

from __future__ import annotations

import functools
import re
import threading
import weakref
from typing import Any

from .._errors import DecodeError, LimitError, checked_parts
from .._holdall import charge

#: Plain ints: operators of `re.RegexFlag` take longer than `re.compile` of a cached pattern.
_FLAGS = {
    letter: int(flag)
    for letter, flag in {
        "a": re.ASCII,
        "i": re.IGNORECASE,
        "m": re.MULTILINE,
        "s": re.DOTALL,
        "x": re.VERBOSE,
    }.items()
}

#: The longest pattern. A common beginning of two branches takes quadratic time: this long, 0.4 s. Sets of three characters beyond
#: Latin-1 take 10 to 17 us for each character: this long, up to 1.1 s. Everything else takes less, but for the ranges below.
_LONGEST = 1 << 16
#: Compiling a set with such a range takes up to 13 ms, because `re` visits 65,536 characters.
_WIDE_RANGE = re.compile(r"-(?:[^\x00-\xff]|\\[uUN])")
_WIDE_RANGES = 100
#: The characters of all patterns that data have made and that exist.
_ALL = 1 << 22
#: What is charged for a character, as many bytes as it takes, and for such a range: either takes at most 2 us for each unit of 32 bytes.
_CHARACTER = 330
_WIDE = 1 << 18


class _Existing:
    """The patterns that exist, by their addresses, and the characters of all."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._patterns: dict[int, weakref.ref[re.Pattern[Any]]] = {}
        self.characters = 0

    def add(self, pattern: re.Pattern[Any]) -> None:
        key, characters = id(pattern), len(pattern.pattern)

        def forget(_: object) -> None:
            with self._lock:
                del self._patterns[key]
                self.characters -= characters

        with self._lock:
            if key not in self._patterns:
                self._patterns[key] = weakref.ref(pattern, forget)
                self.characters += characters


_existing = _Existing()


def _refuse(what: str) -> LimitError:
    return LimitError(f"the data has {what}", code="limit_budget")


def compiled(text: str | bytes, flags: int) -> re.Pattern[Any]:
    """Compiles a pattern.

    Raises:
        LimitError: It takes too long, or all patterns together take too much memory.
        re.error: It is no pattern.
    """
    if len(text) > _LONGEST:
        raise _refuse(
            f"a pattern of more than {_LONGEST} characters, which can take too long to compile"
        )
    wide = sum(1 for _ in _WIDE_RANGE.finditer(text)) if isinstance(text, str) else 0
    if wide > _WIDE_RANGES:
        raise _refuse(
            f"a pattern with more than {_WIDE_RANGES} ranges of characters beyond Latin-1, which take too long to compile"
        )
    if _existing.characters + len(text) > _ALL:
        # Those that only caches keep.
        make_pattern.cache_clear()
        re.purge()
        if _existing.characters + len(text) > _ALL:
            raise _refuse(f"patterns that together have more than {_ALL} characters")
    charge(_CHARACTER * len(text) + _WIDE * wide)
    pattern = re.compile(text, flags)
    _existing.add(pattern)
    return pattern


def make_long_pattern(text: str, letters: str) -> re.Pattern[str]:
    """The pattern of a regular expression and the letters of its flags."""
    flags = 0
    for letter in letters:
        flags |= _FLAGS[letter]
    return compiled(text, flags)


#: The same for short ones, which are kept, to be found again.
make_pattern = functools.lru_cache(maxsize=512)(make_long_pattern)


def make_other_pattern(parts: Any) -> re.Pattern[Any]:
    """The pattern of the content of a `py.pattern`: text or bytes, and flags."""
    text, flags = checked_parts(parts, (str, bytes), int)
    if flags & re.DEBUG:
        raise DecodeError("the content of py.pattern is not a pattern", code="unrepresentable")
    return compiled(text, flags)
