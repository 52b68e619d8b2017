"""An object with `dumps` and `loads`, which most frameworks accept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from .._impl._codec import Decoder, Encoder
from .._impl._keywords import check_names
from .._impl._options import Allowed, Missing, Profile

if TYPE_CHECKING:
    from .._impl._limits import Limits

#: The content type of a message.
MEDIA_TYPE = "application/vnd.holdall"


class SerializerOptions(TypedDict, total=False):
    """The options of `Serializer`: those of `dumps` and `loads` that both ends of a framework can have."""

    type: Any
    types: Allowed
    renames: Mapping[str, type] | None
    missing: Missing
    profile: Profile
    checksum: bool
    enc_hook: Callable[[Any], Any] | None
    dec_hook: Callable[[Any, Any], Any] | None
    limits: Limits | None


def encoder(options: SerializerOptions, **more: Any) -> Encoder:
    """The encoder of a serializer's options."""
    writes = {"profile", "checksum", "enc_hook", "limits"} & options.keys()
    own: dict[str, Any] = {name: option for name, option in options.items() if name in writes}
    return Encoder(**own, **more)


def decoder(options: SerializerOptions, **more: Any) -> Decoder[Any]:
    """The decoder of a serializer's options."""
    reads = {"types", "renames", "missing", "dec_hook", "limits"} & options.keys()
    own: dict[str, Any] = {name: option for name, option in options.items() if name in reads}
    return Decoder(options.get("type"), **{"missing": "error", **own, **more})


class Serializer:
    """`dumps` and `loads` with the same options. A class that is not allowed is an error, unless ``missing`` says otherwise."""

    __slots__ = ("_decoder", "_encoder", "_options")

    def __init__(self, **options: Unpack[SerializerOptions]) -> None:
        check_names(type(self).__name__, options, SerializerOptions)
        self._options = options
        self._encoder, self._decoder = encoder(options), decoder(options)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (type(self), self._options))

    def dumps(self, obj: object, /) -> bytes:
        return self._encoder.encode(obj)

    def loads(self, data: bytes | bytearray | memoryview, /) -> Any:
        return self._decoder.decode(data)


def _restored(cls: type[Serializer], options: SerializerOptions) -> Serializer:
    """A serializer in a process that it was sent to."""
    serializer = cls.__new__(cls)
    Serializer.__init__(serializer, **options)
    return serializer
