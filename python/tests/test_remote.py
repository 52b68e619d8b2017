"""Files that are not on this disk: what is read of file objects and URLs, and in how many requests."""

from __future__ import annotations

import hashlib
import http.server
import io
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import holdall
import pytest
from holdall._impl._parts import Parts, Source

ROWS = [
    {"id": n, "half": n / 2, "text": hashlib.sha256(b"%d" % n).hexdigest()} for n in range(20_000)
]


def stream(**options: Any) -> bytes:
    file = io.BytesIO()
    with holdall.Writer(file, metadata={"of": "rows"}, **options) as writer:
        for row in ROWS:
            writer.write(row)
    return file.getvalue()


ONE_BLOCK = stream(block_rows=1 << 20, block_bytes=1 << 30)
BLOCKS = stream(block_rows=1000)


class Counted(io.BytesIO):
    """A file object that counts the bytes that are read."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


class Server(http.server.ThreadingHTTPServer):
    """Serves bytes, and lists the ranges that were asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.asked: list[str | None] = []
        self.lock = threading.Lock()
        self.tag = '"1"'

    def url(self, name: str, data: bytes) -> str:
        self.files[f"/{name}"] = data
        return f"http://127.0.0.1:{self.server_port}/{name}"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        with self.server.lock:
            self.server.asked.append(asked)
        data = self.server.files.get(self.path)
        if data is None:
            self.send_error(404)
            return
        bounds = re.fullmatch(r"bytes=(\d*)-(\d*)", asked or "")
        if bounds is None or self.path.startswith("/whole"):
            self.answer(200, data, None)
            return
        if self.path.startswith("/nosuffix") and not bounds[1]:
            self.send_error(416)
            return
        start = int(bounds[1]) if bounds[1] else max(len(data) - int(bounds[2]), 0)
        end = min(int(bounds[2]) + 1, len(data)) if bounds[1] and bounds[2] else len(data)
        self.answer(206, data[start:end], f"bytes {start}-{end - 1}/{len(data)}")

    def answer(self, status: int, data: bytes, place: str | None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", self.server.tag)
        if place is not None:
            self.send_header("Content-Range", place)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_a_column_of_one_block_takes_three_requests(server: Server) -> None:
    view = holdall.open(server.url("rows.hold", ONE_BLOCK))
    assert view["half"].tolist() == [row["half"] for row in ROWS]
    assert len(server.asked) <= 3
    assert view.metadata == {"of": "rows"}
    assert len(server.asked) <= 3


def test_a_column_of_many_blocks_takes_three_rounds_of_requests() -> None:
    rounds: list[list[tuple[int, int]]] = []

    def ranges(wanted: Any) -> list[bytes]:
        rounds.append(list(wanted))
        return [BLOCKS[start:end] for start, end in wanted]

    parts = Parts(Source("counted", len(BLOCKS), ranges, is_remote=False))
    raw = holdall._holdall.View.of_parts(parts.size, parts.read, parts.announce, [], None, None)
    view = holdall.View(raw, holdall.Decoder())
    assert view["text"].tolist() == [row["text"] for row in ROWS]
    # The beginning and the end, which has the last block; the heads of the other blocks; the columns.
    assert [len(some) for some in rounds] == [2, 19, 20]


def test_only_the_column_is_read() -> None:
    file = Counted(BLOCKS)
    view = holdall.open(file)
    opened = file.taken
    assert sum(view["half"].tolist()) == sum(row["half"] for row in ROWS)
    own = file.taken - opened
    whole = Counted(BLOCKS)
    assert len(holdall.open(whole)["text"].tolist()) == len(ROWS)
    assert opened < 60_000
    assert own < 200_000 < whole.taken


def test_a_scan_is_the_same_table_as_that_of_bytes(server: Server) -> None:
    for data in (ONE_BLOCK, BLOCKS, holdall.dumps(ROWS)):
        url = server.url("rows.hold", data)
        local = holdall.Table(holdall.scan(data, columns=["half", "id"]))
        for source in (url, io.BytesIO(data)):
            table = holdall.Table(holdall.scan(source, columns=["half", "id"]))
            assert table["id"].tolist() == local["id"].tolist()
            assert table["half"].tolist() == local["half"].tolist()


def test_columns_near_each_other_are_one_request(server: Server) -> None:
    scan = holdall.scan(server.url("rows.hold", ONE_BLOCK), columns=["id", "half"])
    assert len(holdall.Table(scan)) == len(ROWS)
    assert len(server.asked) <= 3


def test_a_reader_reads_a_url_in_order(server: Server) -> None:
    url = server.url("rows.hold", BLOCKS)
    assert list(holdall.Reader(url)) == ROWS
    # The beginning and the end; then more each time.
    assert len(server.asked) <= 10
    assert holdall.Reader(url).metadata == {"of": "rows"}
    assert not holdall.verify(url).damage


def test_a_value_by_its_number_takes_three_requests(server: Server) -> None:
    reader = holdall.Reader(server.url("rows.hold", BLOCKS))
    assert len(reader) == len(ROWS)
    assert len(server.asked) == 2
    assert reader[8_765] == ROWS[8_765]
    assert len(server.asked) <= 4
    asked = [each for each in server.asked if each is not None]
    assert len(asked) == len(server.asked)


def test_other_urls_need_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ModuleNotFoundError, match=r"s3://bucket/rows\.hold needs fsspec"):
        holdall.Reader("s3://bucket/rows.hold")


def test_a_view_of_a_url_has_every_row(server: Server) -> None:
    for data in (BLOCKS, holdall.dumps(ROWS)):
        view = holdall.open(server.url("rows.hold", data))
        assert view[19_999] == ROWS[19_999]
        assert len(view) == len(ROWS)


@pytest.mark.parametrize("name", ["whole.hold", "nosuffix.hold"])
def test_servers_without_ranges_or_without_ranges_from_the_end(server: Server, name: str) -> None:
    view = holdall.open(server.url(name, BLOCKS))
    assert view["id"].tolist() == list(range(20_000))


def test_a_file_that_changes_is_an_error(server: Server) -> None:
    view = holdall.open(server.url("rows.hold", BLOCKS))
    server.tag = '"2"'
    with pytest.raises(holdall.FileError, match="has changed") as caught:
        view["text"].tolist()
    assert caught.value.code == "io"


def test_a_missing_file_is_an_error_of_the_system(server: Server) -> None:
    server.url("rows.hold", BLOCKS)
    with pytest.raises(OSError, match="404"):
        holdall.open(f"http://127.0.0.1:{server.server_port}/none.hold")


def test_file_urls_are_paths(tmp_path: Path) -> None:
    path = tmp_path / "a b.hold"
    path.write_bytes(BLOCKS)
    assert len(holdall.open(path.as_uri())) == len(ROWS)
    assert holdall.Reader(path.as_uri())[3] == ROWS[3]


@pytest.mark.parametrize("file", [io.StringIO("text"), 7, object()])
def test_refuses_what_cannot_seek(file: Any) -> None:
    with pytest.raises(TypeError, match="expected a path, a URL or a binary file that can seek"):
        holdall.open(file)


def test_threads_share_a_view_of_a_file_object() -> None:
    view = holdall.open(io.BytesIO(BLOCKS))
    found: list[Any] = []

    def read(number: int) -> None:
        found.append(
            view["half"].tolist() if number % 2 else [view[n] for n in range(0, 20_000, 997)]
        )

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 8


def test_parts_are_found_wherever_they_overlap() -> None:
    data = bytes(range(256)) * 40
    asked: list[tuple[int, int]] = []

    def ranges(wanted: Any) -> list[bytes]:
        asked.extend(wanted)
        return [data[start:end] for start, end in wanted]

    parts = Parts(Source("counted", len(data), ranges, is_remote=False))
    parts.announce([(10, 20), (15, 40), (100, 110), (5, 5)])
    assert asked == [(10, 40), (100, 110)]
    for start, length in [(10, 30), (12, 5), (100, 10), (0, 200), (50, 10), (199, 1), (190, 40)]:
        assert parts.read(start, length) == data[start : start + length]
    assert asked == [(10, 40), (100, 110), (0, 200), (190, 230)]
    with pytest.raises(EOFError):
        parts.read(len(data) - 1, 2)


def run(*words: str) -> tuple[int, bytes, bytes]:
    command = [sys.executable, "-m", "holdall", *words]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_command_reads_urls_as_it_reads_files(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "rows.hold"
    path.write_bytes(BLOCKS)
    url = server.url("rows.hold", BLOCKS)
    for words in (["schema"], ["stat", "--no-savings"], ["cat", "--tail", "2"], ["verify"]):
        status, out, err = run(*words, str(path))
        assert (status, err) == (0, b"")
        for remote in (url, path.as_uri()):
            expected = out.replace(str(path).encode(), remote.encode())
            assert run(*words, remote) == (0, expected, b""), words


def test_the_command_reads_the_end_of_a_stream_without_the_rest(server: Server) -> None:
    url = server.url("rows.hold", BLOCKS)
    assert run("cat", "--tail", "1", "--column", "id", url)[0] == 0
    server.asked.clear()
    status, out, _ = run("cat", "--tail", "1", url)
    assert (status, out.count(b"\n")) == (0, 1)
    # The head, the end, and parts of 64 kB around the last block.
    assert len(server.asked) <= 6


def test_a_url_that_the_command_cannot_read_says_why(server: Server) -> None:
    url = f"http://127.0.0.1:{server.server_port}/missing.hold"
    status, _, err = run("cat", url)
    assert (status, err) == (
        1,
        f"holdall: {url}: io: HTTPError: HTTP Error 404: Not Found\n".encode(),
    )
