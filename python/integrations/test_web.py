"""Web frameworks: bodies come back whole, and other bodies are errors with the right status."""

from __future__ import annotations

import asyncio
import collections
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import Mock

import holdall
import pytest
from aiohttp import StreamReader
from fastapi import Depends, FastAPI
from holdall.integrations import MEDIA_TYPE
from holdall.integrations.starlette import Body, MessageResponse
from starlette.responses import Response
from starlette.testclient import TestClient


@dataclass
class Order:
    id: int
    tags: set[str]


@pytest.fixture
def client() -> TestClient:
    app = FastAPI()

    async def ship(order: Annotated[Order, Depends(Body(Order, max_bytes=1000))]) -> Response:
        return MessageResponse((type(order).__name__, order), headers={"X-Test": "yes"})

    app.post("/orders", response_class=MessageResponse)(ship)
    return TestClient(app)


def post(client: TestClient, body: bytes, kind: str = MEDIA_TYPE) -> Any:
    return client.post("/orders", content=body, headers={"Content-Type": kind})


def test_bodies_of_requests_and_responses(client: TestClient) -> None:
    order = Order(7, {"a", "b"})
    response = post(client, holdall.dumps(order), MEDIA_TYPE + "; charset=binary")
    assert (response.status_code, response.headers["x-test"]) == (200, "yes")
    assert response.headers["content-type"] == MEDIA_TYPE
    assert holdall.loads(response.content, types=[Order]) == ("Order", order)
    # Of any program that knows the fields.
    other = post(client, holdall.dumps({"id": 7, "tags": {"a", "b"}}))
    assert other.content == response.content


# CVE-2013-5093: Graphite unpickled the body of any request.
def test_other_bodies_are_errors(client: TestClient, attack: Any) -> None:
    for body, kind, status in [
        (b"{}", "application/json", 415),
        (attack.pickle, MEDIA_TYPE, 422),
        (attack.message, MEDIA_TYPE, 422),
        (holdall.dumps({"id": "7"}), MEDIA_TYPE, 422),
        (b"", MEDIA_TYPE, 422),
        (holdall.dumps({"id": 7, "tags": {"a" * 2000}}), MEDIA_TYPE, 413),
    ]:
        response = post(client, body, kind)
        assert response.status_code == status, response.text
    assert (
        "expected int, got str '7'" in post(client, holdall.dumps({"id": "7", "tags": set()})).text
    )
    assert not attack.worked


# ---- aiohttp ----


def test_aiohttp(attack: Any) -> None:
    from aiohttp import ClientSession, web
    from aiohttp.test_utils import TestServer
    from holdall.integrations.aiohttp import Body, read

    async def ship(request: web.Request) -> web.Response:
        order = await read(request, Order)
        return web.Response(body=Body((type(order).__name__, order)))

    async def main() -> None:
        app = web.Application(client_max_size=1000)
        app.router.add_post("/", ship)
        async with TestServer(app) as server, ClientSession() as session:
            url, order = server.make_url("/"), Order(7, {"a"})
            async with session.post(url, data=Body(order)) as response:
                assert response.content_type == MEDIA_TYPE
                assert await read(response, types=[Order]) == ("Order", order)
            for body, kind, status in [
                (b"{}", "application/json", 415),
                (attack.pickle, MEDIA_TYPE, 422),
                (attack.message, MEDIA_TYPE, 422),
                (holdall.dumps({"id": 7, "tags": {"a" * 2000}}), MEDIA_TYPE, 413),
            ]:
                given = {"Content-Type": kind}
                async with session.post(url, data=body, headers=given) as response:
                    assert response.status == status
                    with pytest.raises(
                        ValueError, match="expected application/vnd.holdall, got text"
                    ):
                        await read(response)

    asyncio.run(main())
    assert not attack.worked


# CVE-2026-34993: aiohttp unpickled files of cookies.
def test_files_of_cookies_are_read_without_running_them(tmp_path: Path, attack: Any) -> None:
    from aiohttp import web
    from aiohttp.test_utils import make_mocked_request
    from holdall.integrations.aiohttp import read

    def jar(bad: object) -> object:
        """What the jar of aiohttp held and pickled, with a command among the cookies."""
        cookies = collections.defaultdict(SimpleCookie, {("a.org", "/"): SimpleCookie("id=7")})
        cookies["evil.org", "/"] = bad  # type: ignore[assignment]
        return cookies

    file = tmp_path / "cookies"
    file.write_bytes(attack.inside(jar))
    # As aiohttp.CookieJar.load did until it read JSON.
    with file.open("rb") as opened:
        pickle.load(opened)
    assert attack.worked

    async def served() -> None:
        body = StreamReader(Mock(_reading_paused=False), 2**16)
        body.feed_data(file.read_bytes())
        body.feed_eof()
        kind = {"Content-Type": MEDIA_TYPE}
        await read(make_mocked_request("POST", "/", headers=kind, payload=body))

    with pytest.raises(web.HTTPUnprocessableEntity, match="Unprocessable") as refused:
        asyncio.run(served())
    assert "this looks like a pickle" in (refused.value.text or "")
    # A jar that is still needed is converted, and its cookies are data.
    converted = holdall.convert_pickle(file.read_bytes())
    assert {each.name.rpartition(".")[2] for each in converted.report} >= {"system"}
    back = holdall.loads(converted.data)
    assert "7" in repr(back)
    assert not attack.worked


# ---- gRPC ----


def test_grpc(attack: Any) -> None:
    import grpc
    from holdall.integrations.grpc import caller, handler

    def ship(order: Any, context: Any) -> Any:
        return (type(order).__name__, order)

    server = grpc.server(ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers([handler("shop.Orders", {"Ship": ship}, type=Order)])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        order = Order(7, {"a"})
        assert caller(channel, "shop.Orders", "Ship", types=[Order])(order) == ("Order", order)
        raw = channel.unary_unary("/shop.Orders/Ship")
        for data in (attack.pickle, attack.message, b"", holdall.dumps({"id": "7"})):
            with pytest.raises(grpc.RpcError) as failed:
                raw(data)
            assert failed.value.code() is grpc.StatusCode.INTERNAL
    server.stop(None).wait()
    assert not attack.worked
