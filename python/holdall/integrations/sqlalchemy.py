"""SQLAlchemy: a type of columns that store any object, in place of `PickleType`.

>>> import sqlalchemy as sa
>>> from holdall.integrations.sqlalchemy import Holdall
>>> users = sa.Table("users", sa.MetaData(), sa.Column("tags", Holdall()))
>>> engine = sa.create_engine("sqlite://")
>>> with engine.begin() as connection:
...     users.create(connection)
...     _ = connection.execute(users.insert(), {"tags": {"a": (1, 2)}})
...     connection.scalar(sa.select(users.c.tags))
{'a': (1, 2)}

With the ORM: ``tags: Mapped[set[str]] = mapped_column(Holdall(set[str]))``. None is NULL. SQLAlchemy notices when you assign
another object, not when you change one.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.engine import Dialect
from sqlalchemy.types import LargeBinary, TypeDecorator

from ._serializer import Serializer


class Holdall(TypeDecorator[Any]):
    """Values are read as ``type``, if there is one, else as what was stored; a ``serializer`` has more options."""

    impl = LargeBinary
    cache_ok = True

    def __init__(self, type: Any = None, *, serializer: Serializer | None = None) -> None:
        super().__init__()
        self.type = type
        self.serializer = serializer
        self._serializer = serializer or Serializer(type=type)

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        return None if value is None else self._serializer.dumps(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return None if value is None else self._serializer.loads(value)
