"""sqlite3: objects in columns of the type ``holdall``.

>>> import sqlite3
>>> from holdall.integrations.sqlite3 import register
>>> register(dict, set)
>>> connection = sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES)
>>> _ = connection.execute("CREATE TABLE users (name text, tags holdall)")
>>> _ = connection.execute("INSERT INTO users VALUES (?, ?)", ("Ada", {"maths": {1, 2}}))
>>> connection.execute("SELECT * FROM users").fetchall()
[('Ada', {'maths': {1, 2}})]
>>> connection.close()
"""

from __future__ import annotations

import sqlite3
from typing import Unpack

from ._serializer import Serializer, SerializerOptions


def register(*classes: type, **options: Unpack[SerializerOptions]) -> None:
    """Lets all connections of the process store objects of classes, and read columns of the type ``holdall``.

    Objects of the classes may be in the data; the options are those of `holdall.integrations.Serializer`.
    """
    options["types"] = [*options.get("types", ()), *classes]
    serializer = Serializer(**options)
    for cls in classes:
        sqlite3.register_adapter(cls, serializer.dumps)
    sqlite3.register_converter("holdall", serializer.loads)
