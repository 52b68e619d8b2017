"""aiohttp: bodies of requests and responses as messages, in servers and clients.

>>> import asyncio
>>> from aiohttp import ClientSession, web
>>> from aiohttp.test_utils import TestServer
>>> from holdall.integrations.aiohttp import Body, read
>>> async def ship(request):
...     order = await read(request, dict[str, int])
...     return web.Response(body=Body({"shipped": order["id"]}))
>>> async def main():
...     app = web.Application()
...     app.router.add_post("/", ship)
...     async with TestServer(app) as server, ClientSession() as session:
...         async with session.post(server.make_url("/"), data=Body({"id": 7})) as response:
...             return await read(response)
>>> asyncio.run(main())
{'shipped': 7}
"""

from __future__ import annotations

from typing import Any, Unpack

from aiohttp import BytesPayload, ClientResponse, web

from .._errors import DecodeError
from ._serializer import MEDIA_TYPE, Serializer, SerializerOptions


class Body(BytesPayload):
    """A message as ``body=`` of a response or ``data=`` of a request."""

    def __init__(self, obj: object, *, serializer: Serializer | None = None) -> None:
        data = (serializer or Serializer()).dumps(obj)
        super().__init__(data, content_type=MEDIA_TYPE)


async def read(
    message: web.BaseRequest | ClientResponse,
    type: Any = None,
    /,
    **options: Unpack[SerializerOptions],
) -> Any:
    """The body as a type. In a server, errors are the status codes 415 and 422, and 413 beyond ``client_max_size``."""
    serves = isinstance(message, web.BaseRequest)
    serializer = Serializer(**{**options, "type": type})
    try:
        if message.content_type != MEDIA_TYPE:
            if serves:
                raise web.HTTPUnsupportedMediaType(text=f"expected {MEDIA_TYPE}")
            raise ValueError(f"expected {MEDIA_TYPE}, got {message.content_type}")
        return serializer.loads(await message.read())
    except DecodeError as error:
        if serves:
            raise web.HTTPUnprocessableEntity(text=str(error)) from error
        raise
