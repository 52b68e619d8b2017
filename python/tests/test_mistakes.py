"""The complete texts of errors, for the most common mistakes of users."""

from __future__ import annotations

import dataclasses
import functools
import gzip
import io
import json
import pickle
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import holdall
import pytest


@dataclasses.dataclass
class User:
    id: int
    tags: list[str] = dataclasses.field(default_factory=list)


User.__module__ = "mistakes"
USERS = [{"id": 7, "tags": ["a"]}, {"id": 8, "tags": ["a", 5]}]


def text_of(call: Callable[[], object], kind: type[Exception]) -> str:
    """The text of the error that a call raises, which has exactly this class."""
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    return str(caught.value)


def stream_of(*values: object) -> bytes:
    file = io.BytesIO()
    with holdall.Writer(file) as writer:
        for value in values:
            writer.write(value)
    return file.getvalue()


ONE: Any = holdall.dumps(1)
# The annotations do not allow these calls.
dumps: Any = holdall.dumps
loads: Any = holdall.loads
dump: Any = holdall.dump
load: Any = holdall.load
Reader: Any = holdall.Reader
StreamDecoder: Any = holdall.StreamDecoder
Writer: Any = holdall.Writer
AsyncWriter: Any = holdall.AsyncWriter
Encoder: Any = holdall.Encoder
Decoder: Any = holdall.Decoder
size: Any = holdall.size
OF_ENCODER = "profile, header, references, canonical, checksum, metadata, compress, dictionary, store, enc_hook, buffer_callback, threads, limits"
OF_DUMPS = f"{OF_ENCODER}, format, storage, copies"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: dumps(1, profle="small"),
            "dumps() got an unexpected keyword argument 'profle'; did you mean 'profile'?",
        ),
        (
            lambda: dumps(1, indent=2),
            f"dumps() got an unexpected keyword argument 'indent'; its options are {OF_DUMPS}",
        ),
        (
            lambda: dump(1, io.BytesIO(), check_sum=True),
            "dump() got an unexpected keyword argument 'check_sum'; did you mean 'checksum'?",
        ),
        (
            lambda: loads(ONE, typ=int),
            "loads() got an unexpected keyword argument 'typ'; did you mean 'types'?",
        ),
        (
            lambda: load(io.BytesIO(ONE), stric=False),
            "load() got an unexpected keyword argument 'stric'; did you mean 'strict'?",
        ),
        (
            lambda: Reader(io.BytesIO(), limit=None),
            "Reader() got an unexpected keyword argument 'limit'; did you mean 'limits'?",
        ),
        (
            lambda: Reader(io.BytesIO(), on_damge="skip"),
            "Reader() got an unexpected keyword argument 'on_damge'; did you mean 'on_damage'?",
        ),
        (
            lambda: load(io.BytesIO(ONE), progres=True),
            "load() got an unexpected keyword argument 'progres'; did you mean 'progress'?",
        ),
        (
            lambda: dump(1, io.BytesIO(), progres=True),
            "dump() got an unexpected keyword argument 'progres'; did you mean 'progress'?",
        ),
        (
            lambda: StreamDecoder(missin="dict"),
            "StreamDecoder() got an unexpected keyword argument 'missin'; did you mean 'missing'?",
        ),
        (
            lambda: Encoder(profle="small"),
            "Encoder() got an unexpected keyword argument 'profle'; did you mean 'profile'?",
        ),
        (
            lambda: Encoder(indent=2),
            f"Encoder() got an unexpected keyword argument 'indent'; its options are {OF_ENCODER}",
        ),
        (
            lambda: Decoder(int, hook=print),
            "Decoder() got an unexpected keyword argument 'hook'; did you mean 'dec_hook'?",
        ),
        (
            lambda: Writer(io.BytesIO(), appned=True),
            "Writer() got an unexpected keyword argument 'appned'; did you mean 'append'?",
        ),
        (
            lambda: AsyncWriter(io.BytesIO(), block_row=2),
            "AsyncWriter() got an unexpected keyword argument 'block_row'; did you mean 'block_rows'?",
        ),
        (
            lambda: size(1, profle="small"),
            "size() got an unexpected keyword argument 'profle'; did you mean 'profile'?",
        ),
        (
            lambda: holdall.digest(1, algoritm="md5"),
            "digest() got an unexpected keyword argument 'algoritm'; did you mean 'algorithm'?",
        ),
        (
            lambda: holdall.verify(b"", limit=None),
            "verify() got an unexpected keyword argument 'limit'; did you mean 'limits'?",
        ),
        (
            lambda: holdall.recover("a", "b", schemes=[]),
            "recover() got an unexpected keyword argument 'schemes'; did you mean 'schemas'?",
        ),
        (
            lambda: holdall.register(nme="x"),
            "register() got an unexpected keyword argument 'nme'; did you mean 'name'?",
        ),
        (
            lambda: holdall.scan(b"", column=["a"]),
            "scan() got an unexpected keyword argument 'column'; did you mean 'columns'?",
        ),
        (
            lambda: holdall.open("a", type=[]),
            "open() got an unexpected keyword argument 'type'; did you mean 'types'?",
        ),
        (
            lambda: holdall.view(b"", mising="dict"),
            "view() got an unexpected keyword argument 'mising'; did you mean 'missing'?",
        ),
        (
            lambda: holdall.register_format("x", extend="json"),
            "register_format() got an unexpected keyword argument 'extend'; did you mean 'extends'?",
        ),
    ],
)
def test_an_unknown_keyword_names_the_nearest_option(call: Any, text: str) -> None:
    assert text_of(call, TypeError) == text


def test_dumps_has_no_protocol() -> None:
    assert text_of(lambda: dumps(1, 5), TypeError) == (
        "dumps() takes the object alone: there is no protocol number as in pickle, and options have names, such as "
        "profile='small'"
    )


def test_arguments_of_pickle_say_what_replaces_them() -> None:
    assert text_of(lambda: dump(1, io.BytesIO(), 5), TypeError) == (
        "dump() takes the object and the file: there is no protocol number as in pickle, and options have names, such as "
        "profile='small'"
    )
    assert text_of(lambda: dumps(1, protocol=5), TypeError) == (
        "dumps() has no protocol=: there is no protocol number as in pickle"
    )
    assert text_of(lambda: loads(ONE, encoding="latin-1"), TypeError) == (
        "loads() has no encoding=: text in data is Unicode; for pickles of Python 2, holdall.convert_pickle has it"
    )


def test_limits_are_checked_where_they_are_made() -> None:
    limits: Any = holdall.Limits
    assert text_of(lambda: limits(outputs=1), TypeError) == (
        "Limits() got an unexpected keyword argument 'outputs'; did you mean 'output'?"
    )
    for wrong in (-1, "1", 2.5, True, 1 << 63, 1 << 70):
        assert text_of(lambda: limits(budget=wrong), ValueError) == (  # noqa: B023
            f"budget must be a number from 0 to 2^63 - 1, or None, not {wrong!r}"
        )


def test_a_file_of_two_messages_asks_for_a_writer() -> None:
    file = io.BytesIO()
    dump(1, file)
    dump(2, file)
    file.seek(0)
    with pytest.raises(holdall.DecodeError) as failed:
        load(file)
    assert (failed.value.code, failed.value.offset) == ("trailing_bytes", 4)
    assert failed.value.__notes__ == [
        "A file of dump has one value; to write several into one file, use holdall.Writer and Reader."
    ]


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda limits: dumps(1, limits=limits), "output"),
        (lambda limits: loads(ONE, limits=limits), "budget"),
        (lambda limits: Writer(io.BytesIO(), limits=limits), "output"),
        (lambda limits: Reader(io.BytesIO(), limits=limits), "budget"),
        (lambda limits: holdall.view(ONE, limits=limits), "budget"),
        (lambda limits: holdall.verify(io.BytesIO(stream_of()), limits=limits), "budget"),
    ],
)
def test_limits_must_not_be_a_number(call: Any, field: str) -> None:
    head = "limits must be a holdall.Limits, such as holdall.Limits"
    assert text_of(lambda: call(100), TypeError) == f"{head}({field}=100), not 100"
    assert text_of(lambda: call(0), TypeError) == f"{head}({field}=0), not 0"
    assert text_of(lambda: call("1"), TypeError) == f"{head}({field}=...), not '1'"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: dumps(1, profile="tiny"),
            "profile must be 'fast', 'balanced' or 'small', not 'tiny'",
        ),
        (
            lambda: Writer(io.BytesIO(), profile="tiny"),
            "profile must be 'fast', 'balanced' or 'small', not 'tiny'",
        ),
        (lambda: dumps(1, compress="gzip"), "compress must be 'zstd' or None, not 'gzip'"),
        (
            lambda: Writer(io.BytesIO(), compress="gzip"),
            "compress must be 'zstd' or None, not 'gzip'",
        ),
        (
            lambda: dumps(1, header="full"),
            "header must be 'inline', 'fingerprint' or 'none', not 'full'",
        ),
        (lambda: loads(ONE, extra="skip"), "extra must be 'ignore' or 'error', not 'skip'"),
        (
            lambda: loads(ONE, missing="none"),
            "missing must be 'record', 'error', 'dict' or a function, not 'none'",
        ),
        (
            lambda: Reader(io.BytesIO(), on_damage="ignore"),
            "on_damage must be 'error' or 'skip', not 'ignore'",
        ),
    ],
)
def test_an_unknown_choice_lists_the_choices(call: Any, text: str) -> None:
    assert text_of(call, ValueError) == text


def test_packing_has_a_header_and_unpacking_a_schema() -> None:
    for given in ("none", holdall.schema(ONE)):
        assert text_of(lambda: dumps(1, schema=given), TypeError) == (  # noqa: B023
            "dumps() has no schema=: header='none' or 'fingerprint' says what the message has of its schema; loads takes a Schema"
        )
    assert text_of(lambda: loads(ONE, schema="none"), TypeError) == (
        "schema must be a holdall.Schema, from holdall.schema(data) or Encoder.schema(obj), not 'none'"
    )


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            pickle.dumps([1]),
            "bad_magic at offset 0: expected C1, got 80; this looks like a pickle: `holdall.convert_pickle` reads it without running it",
        ),
        (
            json.dumps({"a": 1}).encode(),
            "bad_magic at offset 0: expected C1, got 7B; this looks like JSON: `json.loads` reads it",
        ),
        (
            gzip.compress(b"", mtime=0),
            "bad_magic at offset 0: expected C1, got 1F; this looks like gzip: call `gzip.decompress` first",
        ),
        (
            stream_of(7),
            "unsupported at offset 1: expected a message, got F1; this looks like a stream: `holdall.Reader` reads it",
        ),
    ],
    ids=["pickle", "JSON", "gzip", "stream"],
)
def test_bytes_of_other_formats_are_named(data: bytes, text: str) -> None:
    assert text_of(lambda: holdall.loads(data), holdall.DecodeError) == text


def test_a_message_is_not_a_stream() -> None:
    text = "bad_version at offset 1: expected the beginning of a stream, got 10; this looks like a message: `holdall.loads` reads it"
    call = lambda: list(holdall.Reader(io.BytesIO(ONE)))  # noqa: E731
    assert text_of(call, holdall.DecodeError) == text


def test_a_missing_class_says_how_to_allow_it() -> None:
    data = holdall.dumps({"users": [User(7)]})
    record = holdall.loads(data)["users"][0]
    assert text_of(lambda: record.full_name(), AttributeError) == (
        "Record of 'mistakes.User' has no attribute 'full_name', only the fields \"id\", \"tags\"; "
        "to get objects of the class, register it with @holdall.register or pass types=[...]"
    )
    assert text_of(lambda: loads(data, missing="error"), holdall.DecodeError) == (
        "unrepresentable in $.users[0]: the data has objects of mistakes.User, which this program does not allow. "
        "If you know that these are safe classes, let data create objects of them:\n    import mistakes\n    holdall.loads(data, types=[mistakes.User])"
    )
    assert isinstance(holdall.loads(data, types=[User])["users"][0], User)


@pytest.mark.parametrize("data", [[{"name": "x", "tags": []}], [[{"name": "x", "tags": []}]]])
def test_a_missing_field_lists_the_existing_ones(data: Any) -> None:
    nested = isinstance(data[0], list)
    kind: Any = list[list[User]] if nested else list[User]
    path = "$[0][0]" if nested else "$[0]"
    text = text_of(lambda: holdall.loads(holdall.dumps(data), kind), holdall.SchemaError)
    assert text == (
        f'missing_field in {path}: expected the field "id", which has no default, got "name", "tags"; '
        "give it a default to read data without it"
    )


def test_a_new_field_is_named() -> None:
    data = holdall.dumps([{"id": 7, "age": 36}])
    assert holdall.loads(data, list[User]) == [User(7)]
    text = text_of(lambda: holdall.loads(data, list[User], extra="error"), holdall.SchemaError)
    assert text == (
        'unknown_field in $[0]: expected only fields of the class, got "age"; add it to the class, or allow extra fields'
    )


def test_a_wrong_type_has_its_path() -> None:
    data = holdall.dumps({"users": USERS})
    text = text_of(lambda: holdall.loads(data, dict[str, list[User]]), holdall.SchemaError)
    assert text == "unconvertible in $.users[1].tags[1]: expected str, got int 5"


def test_code_is_not_packed() -> None:
    text = text_of(lambda: holdall.dumps({"jobs": [lambda: 1]}), holdall.EncodeError)
    assert text == (
        "unsupported_value in $.jobs[0]: expected a value that can be packed, got a function that no module has under its name: "
        "holdall packs names, and no code; leave it out, define it in a module, or pass an enc_hook that replaces it"
    )


def test_a_socket_is_not_packed() -> None:
    with socket.socket() as connection:
        text = text_of(lambda: holdall.dumps({"peer": connection}), holdall.EncodeError)
    assert text == (
        "unsupported_value in $.peer: a socket.socket cannot be packed (cannot pickle 'socket' object); "
        "leave it out, register its class with encode= and decode=, or pass an enc_hook"
    )


def test_a_locked_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.hold"
    with holdall.Writer(path):
        text = text_of(lambda: holdall.Writer(path, append=True), holdall.FileError)
    assert text == (
        f"locked: another writer has {path} open; close that one first, or write to another file"
    )


def test_a_full_budget_names_the_argument() -> None:
    data = holdall.dumps(list(range(1000)))
    call = lambda: holdall.loads(data, limits=holdall.Limits(budget=100))  # noqa: E731
    assert text_of(call, holdall.LimitError) == (
        "limit_budget at offset 6 in $[]: reading this takes 8000 units of memory (a unit is about a byte), "
        "and 92 are left of the budget; if you trust the data, pass a larger limits=holdall.Limits(budget=...)"
    )
    text = text_of(
        lambda: holdall.dumps("x" * 100, limits=holdall.Limits(output=10)), holdall.EncodeError
    )
    assert text == "limit_output: expected at most 10 bytes of output, got more"


def test_a_view_lists_the_fields() -> None:
    view = holdall.view(holdall.dumps({"users": USERS}))
    text = text_of(lambda: view["users"]["nmae"], holdall.SchemaError)
    assert text == "missing_field in $.users[]: expected one of id, tags, got nmae"


def test_a_text_file_is_not_a_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with path.open("w") as file:
        text = text_of(lambda: Writer(file), TypeError)
        assert text == (
            f"expected a path, a binary file or a socket, got {file!r}; open it in binary mode"
        )


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        (
            {"fields": "ident"},
            TypeError,
            "fields must be several names, not one text: fields=['ident']",
        ),
        ({"skip": "ident"}, TypeError, "skip must be several names, not one text: skip=['ident']"),
        (
            {"aliases": "abc"},
            TypeError,
            "aliases must be several names, not one text: aliases=['abc']",
        ),
        ({"uses": "value"}, TypeError, "uses must be several names, not one text: uses=['value']"),
        ({"fields": [1]}, TypeError, "fields must be names, not 1"),
        (
            {"rename": [("a", "b")]},
            TypeError,
            "rename must be a mapping from attributes to names in data",
        ),
        (
            {"encode": 5, "decode": 5},
            TypeError,
            "encode must be a function or a mapping from fields to functions, not 5",
        ),
        ({"name": 5}, TypeError, "name must be a text, not 5"),
        ({"version": "2"}, ValueError, "version must be a number from 1 on, not '2'"),
    ],
)
def test_options_of_register_are_checked(options: Any, error: type[Exception], text: str) -> None:
    class Own:
        pass

    with pytest.raises(error) as caught:
        holdall.register(Own, **options)
    assert str(caught.value).startswith(text)


def test_builtin_types_are_packed_as_themselves() -> None:
    with pytest.raises(TypeError, match="int is packed as itself"):
        holdall.register(int, encode=str, decode=int)
    with pytest.raises(TypeError, match="dict is packed as itself"):
        holdall.register(dict, skip=["x"])


def test_a_number_of_threads_is_checked_and_only_messages_have_it() -> None:
    words = "threads must be a number from 1 on, or 0 for as many as the machine runs at once, not "
    for call in (
        lambda threads: dumps(1, threads=threads),
        lambda threads: Writer(io.BytesIO(), threads=threads),
        lambda threads: Reader(io.BytesIO(stream_of(1)), threads=threads),
    ):
        assert text_of(functools.partial(call, "x"), TypeError) == f"{words}'x'"
        assert text_of(functools.partial(call, 1.5), TypeError) == f"{words}1.5"
        assert text_of(functools.partial(call, -1), ValueError) == f"{words}-1"
    for name in ("json", "csv"):
        text = text_of(lambda: dumps([{"a": 1}], threads=2, format=name), TypeError)  # noqa: B023
        assert text == f"threads= is for messages of holdall, not for format {name!r}"
