"""The libraries, each in its fastest documented use.

A peer packs by `pack` and unpacks by `unpack`: the library's own functions or bound methods, so that none of our code
is timed with them. Objects that a library lets users reuse (encoders, decoders, registered classes) are created with
the peer. Each library is imported with its peer, so a process that measures memory loads only one.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from .data.case import Case


class Peer(ABC):
    """One way to use one library."""

    #: The name in tables and arguments.
    name: str
    #: The package with the version; None for Python's own.
    package: str | None = None
    #: Whether it is holdall.
    ours = False

    pack: Callable[[Any], bytes]
    unpack: Callable[[bytes], Any]

    @abstractmethod
    def __init__(self, case: Case) -> None: ...

    @classmethod
    def meant_for(cls, case: Case) -> bool:
        """Whether it is a separate way in a case; otherwise it is left out."""
        return True


@lru_cache
def register(classes: tuple[type, ...]) -> None:
    import holdall

    for each in classes:
        holdall.register(each)


class Holdall(Peer):
    """Default options: validation, the schema in each message, references."""

    name = "holdall"
    package = "holdall"
    ours = True

    def __init__(self, case: Case) -> None:
        import holdall

        register(case.classes)
        self.pack, self.unpack = holdall.dumps, holdall.loads


class Reused(Holdall):
    """An encoder and a decoder for all messages."""

    name = "holdall, reused"

    def __init__(self, case: Case) -> None:
        import holdall

        super().__init__(case)
        self.pack, self.unpack = holdall.Encoder().encode, holdall.Decoder().decode


class Bare(Holdall):
    """Without the schema, which the decoder knows; like msgpack without names."""

    name = "holdall, bare"

    def __init__(self, case: Case) -> None:
        import holdall

        super().__init__(case)
        encoder = holdall.Encoder(header="none")
        schema = encoder.schema(case.value(quick=True))
        self.pack = encoder.encode
        self.unpack = holdall.Decoder(schema=schema).decode

    @classmethod
    def meant_for(cls, case: Case) -> bool:
        return case.small


class Typed(Holdall):
    """Requests a type, whose fields are checked."""

    name = "holdall, typed"

    def __init__(self, case: Case) -> None:
        import holdall

        self.pack = holdall.Encoder().encode
        self.unpack = holdall.Decoder(case.type).decode

    @classmethod
    def meant_for(cls, case: Case) -> bool:
        return case.type is not None


class Pickle(Peer):
    name = "pickle"

    def __init__(self, case: Case) -> None:
        self.pack, self.unpack = partial(pickle.dumps, protocol=5), pickle.loads


class Cloudpickle(Peer):
    name = "cloudpickle"
    package = "cloudpickle"

    def __init__(self, case: Case) -> None:
        import cloudpickle

        self.pack, self.unpack = cloudpickle.dumps, cloudpickle.loads


class Marshal(Peer):
    name = "marshal"

    def __init__(self, case: Case) -> None:
        import marshal

        self.pack, self.unpack = marshal.dumps, marshal.loads


class Msgspec(Peer):
    name = "msgspec"
    package = "msgspec"

    def __init__(self, case: Case) -> None:
        import msgspec

        self.pack = msgspec.msgpack.Encoder().encode
        self.unpack = msgspec.msgpack.Decoder().decode


class MsgspecTyped(Peer):
    name = "msgspec, typed"
    package = "msgspec"

    def __init__(self, case: Case) -> None:
        import msgspec

        self.pack = msgspec.msgpack.Encoder().encode
        self.unpack = msgspec.msgpack.Decoder(case.type).decode

    @classmethod
    def meant_for(cls, case: Case) -> bool:
        return case.type is not None


class Ormsgpack(Peer):
    name = "ormsgpack"
    package = "ormsgpack"

    def __init__(self, case: Case) -> None:
        import ormsgpack

        option = ormsgpack.OPT_SERIALIZE_NUMPY if case.kind == "arrays" else None
        self.pack = partial(ormsgpack.packb, option=option) if option else ormsgpack.packb
        self.unpack = ormsgpack.unpackb


class Orjson(Peer):
    name = "orjson"
    package = "orjson"

    def __init__(self, case: Case) -> None:
        import orjson

        option = orjson.OPT_SERIALIZE_NUMPY if case.kind == "arrays" else None
        self.pack = partial(orjson.dumps, option=option) if option else orjson.dumps
        self.unpack = orjson.loads


class Cbor2(Peer):
    name = "cbor2"
    package = "cbor2"

    def __init__(self, case: Case) -> None:
        import cbor2

        sharing = case.kind == "graph"
        self.pack = partial(cbor2.dumps, value_sharing=True) if sharing else cbor2.dumps
        self.unpack = cbor2.loads


class Fory(Peer):
    """With registered classes, and limits that no case reaches."""

    name = "pyfory"
    package = "pyfory"
    references = False

    def __init__(self, case: Case) -> None:
        import pyfory

        fory = pyfory.Fory(
            xlang=False,
            ref=self.references,
            max_depth=100_000,
            max_graph_memory_bytes=1 << 40,
            max_unbacked_container_items=1 << 40,
        )
        for each in case.classes:
            fory.register(each)
        self.pack, self.unpack = fory.serialize, fory.deserialize


class ForyReferences(Fory):
    """The same with tracked references, as in pickle and holdall."""

    name = "pyfory, ref"
    references = True


#: In the order of the tables.
PEERS: list[type[Peer]] = [
    Holdall,
    Reused,
    Bare,
    Typed,
    Pickle,
    Cloudpickle,
    Marshal,
    Msgspec,
    MsgspecTyped,
    Ormsgpack,
    Orjson,
    Cbor2,
    ForyReferences,
    Fory,
]


def peers(case: Case) -> list[type[Peer]]:
    """The peers of a case."""
    return [peer for peer in PEERS if peer.meant_for(case)]


def named(name: str) -> type[Peer]:
    return next(peer for peer in PEERS if peer.name == name)
