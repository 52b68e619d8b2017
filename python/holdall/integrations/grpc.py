"""gRPC: requests and responses of any type, without generated code.

>>> import grpc
>>> from concurrent.futures import ThreadPoolExecutor
>>> from holdall.integrations.grpc import caller, handler
>>> server = grpc.server(ThreadPoolExecutor(1))
>>> server.add_generic_rpc_handlers([handler("shop.Orders", {"Ship": lambda order, context: {"shipped": order["id"]}})])
>>> port = server.add_insecure_port("127.0.0.1:0")
>>> server.start()
>>> with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
...     ship = caller(channel, "shop.Orders", "Ship")
...     ship({"id": 7})
{'shipped': 7}
>>> server.stop(None).wait()
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Unpack

import grpc

from ._serializer import Serializer, SerializerOptions


def handler(
    service: str,
    methods: Mapping[str, Callable[[Any, Any], Any]],
    **options: Unpack[SerializerOptions],
) -> Any:
    """A service whose methods are functions of a request and gRPC's context. ``type`` is that of all requests.

    For methods that stream, pass `Serializer.loads` and `Serializer.dumps` to gRPC yourself.
    """
    serializer = Serializer(**options)
    handlers = {
        name: grpc.unary_unary_rpc_method_handler(
            method, request_deserializer=serializer.loads, response_serializer=serializer.dumps
        )
        for name, method in methods.items()
    }
    return grpc.method_handlers_generic_handler(service, handlers)


def caller(channel: Any, service: str, method: str, **options: Unpack[SerializerOptions]) -> Any:
    """Calls a method of a service. ``type`` is that of its responses."""
    serializer = Serializer(**options)
    return channel.unary_unary(
        f"/{service}/{method}",
        request_serializer=serializer.dumps,
        response_deserializer=serializer.loads,
    )
