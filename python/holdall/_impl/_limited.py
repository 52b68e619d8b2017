"""The limits of a call: those that it passes, or the default ones without their class, which few programs load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ._limits import Limits as Limits


class _Default:
    """As `Limits()`."""

    budget = output = frame = objects = depth = held = None
    _walk = (None, None, None)


_DEFAULT: Any = _Default()


def limits_of(given: object, field: Literal["budget", "output"]) -> Limits:
    """The limits that a caller passed, or the default ones; ``field`` names the limit that matters to the caller."""
    if given is None:
        default: Limits = _DEFAULT
        return default
    from ._limits import Limits

    if not isinstance(given, Limits):
        value = given if type(given) is int else "..."
        raise TypeError(
            f"limits must be a holdall.Limits, such as holdall.Limits({field}={value}), not {given!r}"
        )
    return given
