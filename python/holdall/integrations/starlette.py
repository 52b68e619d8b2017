"""Starlette and FastAPI: bodies of requests and responses as messages.

>>> from dataclasses import dataclass
>>> from starlette.applications import Starlette
>>> from starlette.routing import Route
>>> from starlette.testclient import TestClient
>>> from holdall.integrations.starlette import Body, MessageResponse
>>> @dataclass
... class Order:
...     id: int
>>> async def ship(request):
...     order = await Body(Order)(request)
...     return MessageResponse({"shipped": order.id})
>>> client = TestClient(Starlette(routes=[Route("/", ship, methods=["POST"])]))
>>> sent = holdall.dumps(Order(7))
>>> holdall.loads(client.post("/", content=sent, headers={"Content-Type": "application/vnd.holdall"}).content)
{'shipped': 7}

In FastAPI: ``async def ship(order: Annotated[Order, Depends(Body(Order))]) -> Response``.
"""

from __future__ import annotations

from typing import Any, Unpack

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from .._errors import DecodeError
from ._serializer import MEDIA_TYPE, Serializer, SerializerOptions


class MessageResponse(Response):
    """A response with one message. Return it: FastAPI turns other results into plain types first."""

    media_type = MEDIA_TYPE
    serializer = Serializer()

    def render(self, content: Any) -> bytes:
        return self.serializer.dumps(content)


class Body:
    """Reads the body of a request as a type: errors are the status codes 415, 413 (beyond ``max_bytes``) and 422."""

    def __init__(
        self, type: Any, /, *, max_bytes: int = 2**20, **options: Unpack[SerializerOptions]
    ) -> None:
        self._serializer = Serializer(**{**options, "type": type})
        self._max_bytes = max_bytes

    async def __call__(self, request: Request) -> Any:
        if request.headers.get("content-type", "").partition(";")[0].strip() != MEDIA_TYPE:
            raise HTTPException(415, f"expected {MEDIA_TYPE}")
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > self._max_bytes:
                raise HTTPException(413, f"expected at most {self._max_bytes} bytes")
        try:
            return self._serializer.loads(bytes(body))
        except DecodeError as error:
            raise HTTPException(422, str(error)) from error
