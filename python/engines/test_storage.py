"""Streams in file systems of fsspec: in memory, and in S3 by moto's server."""

from __future__ import annotations

import io
from collections.abc import Iterator

import fsspec
import holdall
import pytest
from moto.server import ThreadedMotoServer

ROWS = [{"id": number, "text": f"{number * 7919 % 100_003:050}"} for number in range(5000)]


def stream() -> bytes:
    file = io.BytesIO()
    with holdall.Writer(file, block_rows=500) as writer:
        for row in ROWS:
            writer.write(row)
    return file.getvalue()


@pytest.fixture(params=["memory", "s3"])
def url(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "memory":
        fsspec.filesystem("memory").pipe("/rows.hold", stream())
        yield "memory://rows.hold"
        return
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    system = fsspec.filesystem("s3", skip_instance_cache=True)
    system.mkdir("bucket")
    system.pipe("bucket/rows.hold", stream())
    yield "s3://bucket/rows.hold"
    server.stop()


def test_a_reader_reads_streams_of_fsspec(url: str) -> None:
    reader = holdall.Reader(url)
    assert len(reader) == len(ROWS)
    assert reader[2345] == ROWS[2345]
    assert list(reader) == ROWS
    assert not holdall.verify(url).damage
    with fsspec.open(url) as file:
        assert list(holdall.Reader(file)) == ROWS
