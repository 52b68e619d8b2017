"""What a class itself says of its fields in data: by `Field` in annotations, or in the metadata of a dataclass or attrs class."""

from __future__ import annotations

import builtins
import sys
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from . import _later

if TYPE_CHECKING:
    from ._field import Field


#: The module of `Field`. Importing it takes long, and nothing is a `Field` before something has.
_FIELD = f"{__package__}._field"


def _is_field(value: object) -> TypeGuard[Field]:
    module = sys.modules.get(_FIELD)
    return module is not None and isinstance(value, module.Field)


_known: weakref.WeakKeyDictionary[type, Mapping[str, Field]] = weakref.WeakKeyDictionary()


def declared_fields(cls: Any) -> Mapping[str, Field]:
    """The `Field` of each attribute of a class that has one."""
    if not isinstance(cls, type):
        return {}
    found = _known.get(cls)
    if found is None:
        found = _known[cls] = {**_annotated(cls), **_of_metadata(cls)}
    return found


def annotations_of(cls: type) -> Mapping[str, Any]:
    """The annotations of a class itself, as `inspect.get_annotations`, which takes 10 ms to import."""
    if sys.version_info >= (3, 14):
        import inspect

        return inspect.get_annotations(cls)
    own = cls.__dict__.get("__annotations__")  # noqa: RUF063 (see above)
    return own if isinstance(own, dict) else {}


def _annotated(cls: type) -> dict[str, Field]:
    found = {}
    for base in reversed(cls.__mro__):
        for name, hint in annotations_of(base).items():
            for each in getattr(_resolved(base, hint), "__metadata__", ()):
                if _is_field(each):
                    found[name] = each
    return found


def _resolved(cls: type, hint: Any) -> Any:
    """An annotation, of which text is only resolved if it may have a `Field`: resolving takes long, and can fail."""
    if not isinstance(hint, str) or "Field" not in hint:
        return hint
    names = vars(sys.modules.get(cls.__module__, builtins))
    try:
        return eval(hint, names, dict(vars(cls)))
    except Exception as error:
        # Other libraries have a Field, too, whose annotations need not resolve.
        if "holdall" not in hint and not _is_field_class(names.get("Field")):
            return hint
        raise TypeError(
            f"the annotation {hint!r} of {cls.__qualname__} cannot be resolved: {error}"
        ) from error


def _is_field_class(found: object) -> bool:
    return found is not None and found is getattr(sys.modules.get(_FIELD), "Field", None)


def _of_metadata(cls: type) -> dict[str, Field]:
    fields: Any = getattr(cls, "__attrs_attrs__", ())
    if _later.is_dataclass(cls):
        fields = _later.dataclasses.fields(cls)
    found = {each.name: each.metadata.get("holdall") for each in fields if each.metadata}
    for name, each in found.items():
        if each is not None and not _is_field(each):
            raise TypeError(
                f"the metadata 'holdall' of {cls.__qualname__}.{name} must be a holdall.Field, not {each!r}"
            )
    return {name: each for name, each in found.items() if each is not None}
