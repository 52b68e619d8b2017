"""Streams that are not on this machine: what is read of URLs, and in how many requests."""

from __future__ import annotations

import http.server
import io
import re
import sys
import threading
from collections.abc import Iterator
from typing import Any

import holdall
import pytest
from holdall._parts import Parts, Source

ROWS = [{"id": n, "half": n / 2, "text": f"{n * 7919 % 100_003:050}"} for n in range(10_000)]


def stream(**options: Any) -> bytes:
    file = io.BytesIO()
    with holdall.Writer(file, metadata={"of": "rows"}, **options) as writer:
        for row in ROWS:
            writer.write(row)
    return file.getvalue()


BLOCKS = stream(block_rows=1000)


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


def test_a_reader_reads_a_url_in_order(server: Server) -> None:
    url = server.url("rows.hold", BLOCKS)
    assert list(holdall.Reader(url)) == ROWS
    # The beginning and the end; then more each time.
    assert len(server.asked) <= 8
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


@pytest.mark.parametrize("name", ["whole.hold", "nosuffix.hold"])
def test_servers_without_ranges_or_without_ranges_from_the_end(server: Server, name: str) -> None:
    reader = holdall.Reader(server.url(name, BLOCKS))
    assert reader[-1] == ROWS[-1]
    assert list(reader) == ROWS


def test_a_file_that_changes_is_an_error(server: Server) -> None:
    reader = holdall.Reader(server.url("rows.hold", BLOCKS))
    server.tag = '"2"'
    with pytest.raises(OSError, match="has changed"):
        list(reader)


def test_a_missing_file_is_an_error_of_the_system(server: Server) -> None:
    server.url("rows.hold", BLOCKS)
    with pytest.raises(OSError, match="404"):
        holdall.Reader(f"http://127.0.0.1:{server.server_port}/none.hold")


def test_other_urls_need_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ModuleNotFoundError, match=r"s3://bucket/rows\.hold needs fsspec"):
        holdall.Reader("s3://bucket/rows.hold")


def test_parts_are_kept_for_a_while() -> None:
    data = bytes(range(256)) * 2000
    asked: list[tuple[int, int]] = []

    def ranges(wanted: Any) -> list[bytes]:
        asked.extend(wanted)
        return [data[start:end] for start, end in wanted]

    parts = Parts(Source("counted", len(data), ranges, known=((10, data[10:40]),)))
    for start, length in [(10, 30), (12, 5), (0, 200), (50, 10), (65_500, 100), (400_000, 9)]:
        assert parts.read(start, length) == data[start : start + length]
    assert asked == [(0, 65_536), (65_500, 65_500 + 131_072), (400_000, 465_536)]
    with pytest.raises(EOFError):
        parts.read(len(data) - 1, 2)
