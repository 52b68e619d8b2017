"""The functions, encoder and decoder, stores, schemas, files, the command."""

from __future__ import annotations

import array
import gzip
import inspect
import io
import mmap
import os
import pickle
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import holdall
import pytest
from checks import check_message
from sample_values import EVERY, LOCK
from samples import Plain


def test_every_option_of_dumps() -> None:
    value = {"a": [1, 2, 3] * 50, "b": "text" * 100}
    for options in (
        {"profile": "fast"},
        {"profile": "balanced"},
        {"profile": "small"},
        {"checksum": True},
        {"compress": "zstd"},
        {"metadata": {"k": "v", "": ""}},
        {"references": False},
        {"metadata": {"k": "v"}, "checksum": True, "profile": "small"},
    ):
        data = holdall.dumps(value, **options)  # type: ignore[arg-type]
        assert holdall.loads(data) == value
    assert holdall.metadata(holdall.dumps(1, metadata={"a": "b"})) == {"a": "b"}
    assert holdall.metadata(holdall.dumps(1)) == {}
    for bad in ({"profile": "x"}, {"header": "x"}, {"compress": "gzip"}):
        with pytest.raises(ValueError, match="x|gzip"):
            holdall.dumps(1, **bad)  # type: ignore[arg-type]


def test_a_checksum_guards_every_byte() -> None:
    data = holdall.dumps(list(range(100)), checksum=True)
    for at in range(len(data)):
        broken = bytearray(data)
        broken[at] ^= 0x10
        with pytest.raises(holdall.DecodeError):
            holdall.loads(broken)


def test_bytes_like_inputs() -> None:
    data = holdall.dumps([1])
    for given in (data, bytearray(data), memoryview(data), memoryview(b"x" + data)[1:]):
        assert holdall.loads(given) == [1]
    with pytest.raises(TypeError):
        holdall.loads("text")  # type: ignore[call-overload]


def test_schemas_by_fingerprint(tmp_path: Path) -> None:
    for store in (holdall.SchemaStore(), holdall.SchemaStore(tmp_path / "schemas")):
        data = holdall.dumps([{"a": 1}], header="fingerprint", store=store)
        assert holdall.loads(data, store=store) == [{"a": 1}]
        (fingerprint,) = store
        schema = store.get(fingerprint)
        assert schema is not None
        assert str(schema) == "list(record {a: int})"
        assert fingerprint in store
        assert len(store) == 1
        with pytest.raises(holdall.SchemaError) as caught:
            holdall.loads(data)
        assert caught.value.code == "unknown_fingerprint"
        assert f"{fingerprint:016x}" in str(caught.value)
        other = holdall.SchemaStore()
        other.put(schema)
        assert holdall.loads(data, store=other) == [{"a": 1}]
        assert holdall.schema(data, store=store) == schema
    again = holdall.SchemaStore(tmp_path / "schemas")
    assert holdall.loads(data, store=again) == [{"a": 1}]


def test_bare_bodies() -> None:
    value = [{"a": 1}, {"a": 2}]
    schema = holdall.Encoder().schema(value)
    body = holdall.dumps(value, header="none")
    assert len(body) == 3
    assert holdall.loads(body, schema=schema) == value
    assert pickle.loads(pickle.dumps(schema)) == schema
    assert hash(schema) == hash(holdall.schema(holdall.dumps(value)))


def test_schema_diffs_list_the_changes() -> None:
    old = holdall.schema(holdall.dumps([{"id": 1}]))
    new = holdall.schema(holdall.dumps([{"id": 1, "name": "x"}]))
    diff = old.diff(new)
    assert diff
    assert "name" in str(diff)
    assert not old.diff(old)
    assert old.to_dict()["text"] == str(old) == "list(record {id: int})"
    assert "Schema list" in repr(old)


def test_inspect_explains_every_byte() -> None:
    data = holdall.dumps({"name": "secret"})
    seen = holdall.inspect(data)
    assert b"".join(item.bytes for item in seen) == data
    assert not seen.errors
    assert "secret" in str(seen)
    assert "secret" not in str(holdall.inspect(data, redact=True))
    assert all(item.path == "$.name" for item in holdall.inspect(data, path="$.name"))
    damaged = holdall.inspect(data[:-2])
    assert damaged.errors
    assert len(damaged) > 3


def test_errors_have_code_offset_and_path() -> None:
    with pytest.raises(holdall.DecodeError) as caught:
        holdall.loads(b"{}")
    assert (caught.value.code, caught.value.offset, caught.value.path) == ("bad_magic", 0, None)
    with pytest.raises(holdall.LimitError) as limited:
        holdall.loads(bytes.fromhex("c1101601 0f00000002"))
    assert limited.value.code == "limit_budget"
    with pytest.raises(holdall.LimitError):
        holdall.loads(holdall.dumps(list(range(1000))), limits=holdall.Limits(budget=100))
    with pytest.raises(holdall.EncodeError) as output:
        holdall.dumps("x" * 100, limits=holdall.Limits(output=10))
    assert output.value.code == "limit_output"
    for kind in (holdall.DecodeError, holdall.EncodeError):
        assert issubclass(kind, holdall.Error)
    assert issubclass(holdall.SchemaError, holdall.DecodeError)
    assert issubclass(holdall.LimitError, holdall.DecodeError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, again.offset, str(again)) == ("bad_magic", 0, str(caught.value))


def test_an_encoder_leaves_no_trace_between_messages() -> None:
    encoder = holdall.Encoder()
    for value in (*EVERY, *reversed(EVERY)):
        assert encoder.encode(value) == holdall.dumps(value)
    buffer = bytearray(b"head")
    assert encoder.encode_into([1], buffer) == len(buffer) - 4
    assert holdall.loads(memoryview(buffer)[4:]) == [1]


def mapped(size: int) -> mmap.mmap:
    return mmap.mmap(-1, size)


@pytest.mark.parametrize(
    "make",
    [
        bytearray,
        mapped,
        lambda size: memoryview(bytearray(size)),
        lambda size: array.array("I", [0] * (size // 4)),
    ],
)
def test_encode_into_writes_at_an_offset_of_any_buffer(make: Callable[[int], Any]) -> None:
    encoder, data = holdall.Encoder(), holdall.dumps([1, 2])
    buffer = make(12)
    assert encoder.encode_into([1, 2], buffer, 5) == 7
    assert bytes(memoryview(buffer).cast("B")) == bytes(5) + data
    if not isinstance(buffer, bytearray):
        assert encoder.encode_into([1, 2], buffer) == 7
        assert bytes(memoryview(buffer).cast("B"))[:7] == data


def test_a_buffer_that_is_too_small_stays_as_it_is() -> None:
    encoder, buffer = holdall.Encoder(), bytearray(b"abcdefgh")
    with pytest.raises(
        BufferError, match="the message takes 7 bytes, but the buffer has 6 from offset 2 on"
    ):
        encoder.encode_into([1, 2], buffer, 2)
    assert buffer == b"abcdefgh"
    for offset in (-1, 9):
        with pytest.raises(
            ValueError, match=f"offset must be from 0 to 8, the length of the buffer, not {offset}"
        ):
            encoder.encode_into([1, 2], buffer, offset)
    with pytest.raises(
        TypeError, match="a buffer to write into must be writable, and this memoryview is not"
    ):
        encoder.encode_into([1, 2], memoryview(b"abcdefgh"))


@pytest.mark.parametrize(
    "options", [{}, {"profile": "small"}, {"checksum": True}, {"header": "none"}]
)
@pytest.mark.parametrize("value", [None, [1, 2], {"a": ["x"] * 5000}, list(range(100_000))])
def test_size_is_the_length_of_the_message(value: object, options: Any) -> None:
    assert holdall.size(value, **options) == len(holdall.dumps(value, **options))


def test_an_encoder_survives_errors_and_reentrant_calls() -> None:
    encoder: holdall.Encoder

    def hook(value: Any) -> Any:
        return encoder.encode([1, 2])

    encoder = holdall.Encoder(enc_hook=hook)
    nested = encoder.encode([LOCK, {"a": LOCK}])
    assert holdall.loads(holdall.loads(nested)[0]) == [1, 2]
    plain = holdall.Encoder()
    before = plain.encode({"a": 1})
    for _ in range(5):
        with pytest.raises(holdall.EncodeError):
            plain.encode({"a": [1, LOCK]})
    assert plain.encode({"a": 1}) == before


def test_a_stream_in_pieces() -> None:
    values = [[1], {"a": "b" * 100}, "x"]
    stream = b"".join(holdall.dumps(value, checksum=True) for value in values)
    for size in (1, 7, 1000):
        decoder: holdall.Decoder[Any] = holdall.Decoder()
        got = []
        for at in range(0, len(stream), size):
            got += decoder.feed(stream[at : at + size])
        assert got == values
    with pytest.raises(holdall.DecodeError):
        holdall.Decoder().feed(holdall.dumps(1))


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "graph.hold"
    holdall.dump([1], path)
    assert holdall.load(path) == [1]
    assert holdall.load(str(path), list[int]) == [1]
    path.chmod(0o640)
    holdall.dump([2], path)
    assert path.stat().st_mode & 0o777 == 0o640
    assert holdall.load(path) == [2]
    link = tmp_path / "link"
    link.symlink_to(path)
    holdall.dump([3], link)
    assert link.is_symlink()
    assert holdall.load(path) == [3]
    with pytest.raises(holdall.EncodeError):
        holdall.dump(LOCK, path)
    assert holdall.load(path) == [3]
    with pytest.raises(FileNotFoundError):
        holdall.dump(1, tmp_path / "none" / "x")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["graph.hold", "link"]
    buffer = io.BytesIO()
    holdall.dump({"a": 1}, buffer)
    buffer.seek(0)
    assert holdall.load(buffer) == {"a": 1}


def test_a_file_is_old_or_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    holdall.dump("old", path)

    def fail(self: Path, target: Path) -> None:
        raise OSError("no space")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        holdall.dump("new", path)
    assert holdall.load(path) == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["x"]


def test_threads_do_not_disturb_each_other() -> None:
    encoder, decoder = holdall.Encoder(), holdall.Decoder()
    value = {"a": list(range(5000)), "b": [{"x": at, "y": str(at)} for at in range(1000)]}
    expected = holdall.dumps(value)
    failed: list[object] = []

    def work() -> None:
        try:
            for _ in range(20):
                assert encoder.encode(value) == expected
                assert decoder.decode(expected) == value
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_other_threads_run_while_bytes_are_written() -> None:
    value = ["text %d" % at for at in range(300_000)]
    counted = [0]
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        data = holdall.dumps(value, compress="zstd")
    finally:
        stop.set()
        thread.join()
    assert counted[0] > 10
    assert holdall.loads(data) == value


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_continues() -> None:
    encoder = holdall.Encoder()
    encoder.encode([1])
    child = os.fork()
    if child == 0:
        good = holdall.loads(encoder.encode([1, 2])) == [1, 2] and holdall.loads(
            holdall.dumps({"a": 1})
        ) == {"a": 1}
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_an_interrupt_ends_a_long_call() -> None:
    code = (
        "import holdall, signal, time\n"
        "signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))\n"
        "value = [[at] for at in range(4_000_000)]\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.05)\n"
        "start = time.perf_counter()\n"
        "try:\n    holdall.dumps(value)\nexcept KeyboardInterrupt:\n    print('interrupted', time.perf_counter() - start < 1)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "interrupted True\n", done.stderr


def test_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "holdall"]
    source = tmp_path / "users.json"
    source.write_text('[{"id": 1}]')
    target = tmp_path / "users.hold"
    subprocess.run([*command, "pack", source, "-o", target], check=True)
    assert holdall.load(target) == [{"id": 1}]
    shown = subprocess.run([*command, "schema", target], capture_output=True, text=True, check=True)
    assert shown.stdout == "list(record {id: int})\n"
    assert subprocess.run([*command, "nonsense"], capture_output=True, check=False).returncode == 2
    script = Path(sys.executable).with_name("holdall")
    if script.exists():
        version = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
        assert version.stdout == f"holdall {holdall.__version__}\n"


def test_messages_of_rust_are_read(tmp_path: Path) -> None:
    check_message(holdall.dumps([holdall.Variant("Circle", {"r": 1.5}), holdall.Variant("Unit")]))
    # Only Rust types use list(u8), array, f32, fixed, char and option inside option.
    for text, value in (
        ("c1 10 16 04 06 02 04 06", [2, 4, 6]),
        ("c1 10 17 06 0e 00 3c 00 40 00 42", [1.0, 2.0, 3.0]),
    ):
        assert holdall.loads(bytes.fromhex(text)) == value


@pytest.mark.parametrize(
    ("thing", "explained"),
    [
        (holdall.Encoder, holdall.Encoder),
        (holdall.Decoder, holdall.Decoder),
        (holdall.dumps, holdall.Encoder),
        (holdall.loads, holdall.Decoder),
        (holdall.Writer, holdall.Writer),
        (holdall.Reader, holdall.Reader),
    ],
)
def test_every_option_is_explained_with_its_default(thing: Any, explained: Any) -> None:
    named = [
        own for own in inspect.signature(thing).parameters.values() if own.kind is own.KEYWORD_ONLY
    ]
    assert named or thing is holdall.Decoder
    for each in named:
        assert f"``{each.name}``" in explained.__doc__, each.name
    text = explained.__doc__
    lists = re.findall(r"- ``(\w+)`` \((.*?)\):.*?``.+?``", text, re.DOTALL)
    assert len(lists) >= 6


def test_the_help_of_the_package_names_everything_public() -> None:
    text = holdall.__doc__
    assert text is not None
    assert len(text.splitlines()) < 50
    public = [name for name in dir(holdall) if not name.startswith("_")]
    modules = {name for name in public if inspect.ismodule(getattr(holdall, name))}
    assert len(public) > 50
    assert [name for name in public if f"`{name}`" not in text and name not in modules] == []


def test_import_is_quick() -> None:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import holdall"], check=True)
    assert time.perf_counter() - start < 5


def test_plain_objects_need_no_registration_to_be_packed() -> None:
    assert Plain.__module__ == "samples"


PICKLE = bytes.fromhex("80049505000000000000005d944b01612e")
INSTEAD = [
    (PICKLE, "80", "a pickle: `holdall.convert_pickle` reads it without running it"),
    (b'{"a": 1}', "7B", "JSON: `json.loads` reads it"),
    (b"\x81\xa1a\x01", "81", "MessagePack: `msgpack.unpackb` reads it"),
    (gzip.compress(b"", mtime=0), "1F", "gzip: call `gzip.decompress` first"),
    (b"\x28\xb5\x2f\xfd\x04\0\x09\0\0\x31", "28", "zstd: decompress it first"),
    (b"PAR1\x15\x04", "50", "a Parquet file: `pyarrow.parquet.read_table` reads it"),
    (b"ARROW1\0\0", "41", "an Arrow file: `pyarrow.ipc.open_file` reads it"),
    (
        b"\xff\xff\xff\xff\x78\0\0\0\x10",
        "FF",
        "an Arrow stream: `pyarrow.ipc.open_stream` reads it",
    ),
    (b"FEA1\0\0\0\0", "46", "a Feather file: `pyarrow.feather.read_table` reads it"),
    (
        b"PK\x03\x04-\0\0\0",
        "50",
        "a zip archive: `numpy.load` reads it if it is an npz file, else `zipfile`",
    ),
    (b"\x93NUMPY\x01\0", "93", "an npy file: `numpy.load` reads it"),
]


@pytest.mark.parametrize(("data", "got", "looks_like"), INSTEAD)
def test_errors_recognise_other_formats(data: bytes, got: str, looks_like: str) -> None:
    for expected, read in [
        ("C1", holdall.loads),
        ("C1", lambda data: holdall.Decoder().decode(data)),
        ("C1", holdall.view),
        ("the beginning of a stream", lambda data: list(holdall.Reader(io.BytesIO(data)))),
    ]:
        with pytest.raises(holdall.DecodeError) as caught:
            read(data)
        text = (
            f"bad_magic at offset 0: expected {expected}, got {got}; this looks like {looks_like}"
        )
        assert str(caught.value) == text
        assert caught.value.code == "bad_magic"


def test_errors_distinguish_messages_from_streams() -> None:
    file = io.BytesIO()
    with holdall.Writer(file) as writer:
        writer.write(7)
    stream = file.getvalue()
    text = "unsupported at offset 1: expected a message, got F1; this looks like a stream: `holdall.Reader` reads it"
    for read in (holdall.loads, holdall.Decoder().feed):
        with pytest.raises(holdall.DecodeError) as caught:
            read(stream)
        assert str(caught.value) == text
    head = "bad_version at offset 1: expected the beginning of a stream"
    tail = "; this looks like a message: `holdall.loads` reads it"
    with pytest.raises(holdall.DecodeError) as caught:
        list(holdall.Reader(io.BytesIO(holdall.dumps(7))))
    assert str(caught.value) == f"{head}, got 10{tail}"
    for message in (holdall.dumps(7), holdall.dumps(7, checksum=True)):
        for step in (1, len(message)):
            decoder = holdall.StreamDecoder()
            with pytest.raises(holdall.DecodeError) as caught:
                for start in range(0, len(message), step):
                    decoder.feed(message[start : start + step])
            assert str(caught.value) == head + tail
    assert "this looks like JSON" in str(holdall.inspect(b"{}").errors)


def test_what_follows_a_message_in_a_map_is_an_error_with_its_offset(tmp_path: Path) -> None:
    path, data = tmp_path / "padded", holdall.dumps([1, 2, 3])
    path.write_bytes(data + bytes(mmap.PAGESIZE - len(data)))
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        with pytest.raises(holdall.DecodeError) as failed:
            holdall.loads(mapped)
        assert (failed.value.code, failed.value.offset) == ("trailing_bytes", len(data))
        # The program knows the length, so it can leave out what follows.
        with memoryview(mapped) as all_bytes, all_bytes[: len(data)] as message:
            assert holdall.loads(message) == [1, 2, 3]
