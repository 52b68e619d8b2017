"""Web frameworks: bodies come back whole, and other bodies are errors with the right status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import holdall
import pytest
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
