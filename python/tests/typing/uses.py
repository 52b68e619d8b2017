"""The types of calls: mypy and pyright check this file, which never runs."""

from __future__ import annotations

import asyncio
import io
import pathlib
import socket
from dataclasses import dataclass
from typing import Any, assert_type

import holdall


@holdall.register
@dataclass
class User:
    id: int


@holdall.register(name="app.Group", aliases=["old.Group"], skip=["cache"], version=2)
@dataclass
class Group:
    users: list[User]


assert_type(User(1), User)
assert_type(Group([]).users, list[User])
data = holdall.dumps(User(1), profile="small", checksum=True, metadata={"a": "b"})
assert_type(data, bytes)
assert_type(holdall.loads(data), Any)
assert_type(holdall.loads(data, User), User)
assert_type(holdall.loads(data, list[User]), list[User])
assert_type(holdall.loads(data, types=[User], missing="error"), Any)
assert_type(holdall.load("file", User), User)
assert_type(holdall.Decoder(User).decode(data), User)
assert_type(holdall.Decoder(User).feed(data), list[User])
assert_type(holdall.Encoder(profile="fast").encode(1), bytes)
assert_type(holdall.Encoder().encode_into(1, bytearray()), int)
assert_type(holdall.schema(data), holdall.Schema)
assert_type(holdall.schema(data).fingerprint, int)
assert_type(holdall.schema(data).diff(holdall.schema(data)).changes, tuple[str, ...])
assert_type(holdall.inspect(data).errors, tuple[str, ...])
assert_type(holdall.Record("a", b=1).into(User), User)
assert_type(holdall.SchemaStore("folder").get(5), holdall.Schema | None)

with holdall.Writer("file", append=True, block_rows=5, compress="zstd") as writer:
    writer.write(User(1))
    writer.flush(sync=True)
    assert_type(writer.count, int)
with holdall.Reader("file", User, on_damage="skip", progress=print, types=[Group]) as reader:
    assert_type(reader, holdall.Reader[User])
    assert_type(next(reader), User)
    assert_type(list(reader), list[User])
    assert_type(reader[1], User)
    assert_type(reader[1:2], list[User])
    assert_type(reader.damage, list[holdall.Damage])
    assert_type(reader.schema, holdall.Schema | None)
assert_type(next(holdall.Reader(io.BytesIO(), follow=True, progress=True)), Any)
assert_type(next(holdall.Reader(pathlib.Path("file"), list[User])), list[User])
one, two = socket.socketpair()
holdall.Writer(one).write(1)
assert_type(next(holdall.Reader(two, int)), int)
assert_type(next(holdall.Reader(two.makefile("rb"))), Any)
assert_type(holdall.StreamDecoder(User).feed(data), list[User])
assert_type(holdall.StreamDecoder().unused_data, bytes)
assert_type(holdall.verify("file").damage, tuple[holdall.Damage, ...])
assert_type(holdall.recover("file", io.BytesIO()).values, int)


async def served(answers: asyncio.StreamWriter) -> None:
    holdall.Writer(answers).write(1)


holdall.Writer("file", profile="tiny")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
holdall.Writer(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
holdall.Reader("file", User, wrong=1)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
holdall.Reader(io.StringIO())  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
holdall.dumps(1, profile="tiny")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
holdall.loads("text")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
holdall.loads(data, User, missing="ignore")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
holdall.dump(1, "file", profile="tiny")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
holdall.load("file", User, missing="ignore")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
holdall.Decoder(User, wrong=1)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
holdall.register(User, wrong=1)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
