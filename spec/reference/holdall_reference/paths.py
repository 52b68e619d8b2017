"""Chapter 9: paths to values, for people."""

from __future__ import annotations

from typing import TypeAlias

from holdall_reference.schema_text import BARE_NAME, json_text

# F-41: a path, its last step first: `("[3]", (".name", None))` is `$.name[3]`.
Path: TypeAlias = "tuple[str, Path] | None"


def path_text(path: Path, start: str = "$") -> str:
    """A path as F-41 writes it."""
    steps: list[str] = []
    while path is not None:
        step, path = path
        steps.append(step)
    return start + "".join(reversed(steps))


def join(path: Path, step: str) -> Path:
    """Append a step to a path. Options, unnamed unions, logical types and extensions add none."""
    return (step, path) if step else path


def field_step(name: str) -> str:
    """The step to a field (F-41)."""
    return f".{name}" if BARE_NAME.fullmatch(name) else f"[{json_text(name)}]"


def variant_step(name: str | None) -> str:
    """The step to a variant (F-41): unnamed unions have none."""
    return "" if name is None else f"<{name}>"
