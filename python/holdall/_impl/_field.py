"""The name of a field in data, which a class itself declares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """What data has of a field. It is metadata of an annotation, or of a field of a dataclass or attrs class.

    - ``name`` (None): the name in data; by default that of the attribute. ``Field("id")``
    - ``aliases`` (()): other names that data may have. ``Field(aliases=["uid", "user_id"])``
    - ``skip`` (False): whether the field is neither packed nor required. ``Field(skip=True)``

    >>> from dataclasses import dataclass, field
    >>> number = holdall.Field("id", aliases=["uid"])
    >>> @dataclass
    ... class User:
    ...     number: int = field(metadata={"holdall": number})  # or Annotated[int, number]
    ...     cache: dict = field(default_factory=dict, metadata={"holdall": holdall.Field(skip=True)})
    >>> str(holdall.schema(holdall.dumps(User(7))))
    'struct "holdall._impl._field.User" {id: int}'
    >>> holdall.loads(holdall.dumps([{"uid": 5}, {"id": 6}]), list[User])
    [User(number=5, cache={}), User(number=6, cache={})]
    """

    name: str | None = None
    aliases: Iterable[str] = ()
    skip: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.aliases, str):
            raise TypeError(f"aliases must be a list of names, not {self.aliases!r}")
        object.__setattr__(self, "aliases", tuple(self.aliases))
