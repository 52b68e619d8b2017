"""The base of classes that are their annotated attributes, as dataclasses are, which take 16 ms longer to import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self, dataclass_transform


class _Made:
    """The default of an attribute that each object has for itself."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory


def made(*, factory: Callable[[], Any]) -> Any:
    """A default that is made for each object."""
    return _Made(factory)


@dataclass_transform(eq_default=False, field_specifiers=(made,))
class Described:
    """The constructor takes the annotated attributes in their order, also those of the base class. An object equals itself alone."""

    _names: ClassVar[tuple[str, ...]] = ()
    _factories: ClassVar[dict[str, Callable[[], Any]]] = {}

    def __init_subclass__(cls) -> None:
        own = tuple(cls.__annotations__)
        cls._names = (*cls._names, *own)
        cls._factories = dict(cls._factories)
        for name in own:
            default = cls.__dict__.get(name)
            if isinstance(default, _Made):
                cls._factories[name] = default.factory
                delattr(cls, name)

    def __init__(self, *values: Any, **named: Any) -> None:
        state = vars(self)
        state.update(zip(self._names, values, strict=False))
        state.update(named)
        for name, make in self._factories.items():
            if name not in state:
                state[name] = make()
        missing = [name for name in self._names if not hasattr(self, name)]
        if missing or len(values) > len(self._names) or state.keys() - set(self._names):
            raise TypeError(f"{type(self).__name__} takes {self._names}, and got {list(state)}")

    def described(self) -> dict[str, Any]:
        """The attributes by name."""
        return {name: getattr(self, name) for name in self._names}

    def replaced(self, **changes: Any) -> Self:
        """The same with other attributes."""
        return type(self)(**{**self.described(), **changes})
