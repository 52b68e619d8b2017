"""Buffers outside the message, as in pickle's protocol 5."""

from __future__ import annotations

import mmap
import pickle
import threading
from dataclasses import dataclass
from typing import Any

import holdall
import numpy as np
import pytest


@dataclass
class Image:
    pixels: Any
    name: str = ""


def outside(value: object, **options: Any) -> tuple[bytes, list[pickle.PickleBuffer]]:
    buffers: list[pickle.PickleBuffer] = []
    return holdall.dumps(value, buffer_callback=buffers.append, **options), buffers


ARRAYS = [
    np.arange(6.0),
    np.arange(6, dtype=">i2").reshape(2, 3),
    np.asfortranarray(np.arange(6).reshape(2, 3)),
    np.array(["2020-01-01"], "M8[D]"),
    np.array([(1, 2.5)], [("a", "i4"), ("b", "f8")]),
    np.array(["ab", "c"]),
    np.array(7),
    np.array([1 + 2j], "c8"),
    np.array([True, False]),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda each: str(each.dtype))
def test_arrays_share_the_memory_of_the_buffers(array: Any) -> None:
    data, buffers = outside({"a": array})
    assert len(buffers) == 1
    assert buffers[0].raw().nbytes == array.nbytes
    assert np.shares_memory(np.frombuffer(buffers[0].raw(), "u1"), array)
    back = holdall.loads(data, buffers=buffers)["a"]
    assert (back.dtype, back.shape, back.flags.f_contiguous) == (
        array.dtype,
        array.shape,
        array.flags.f_contiguous,
    )
    assert back.tobytes() == array.tobytes()
    assert np.shares_memory(back, array)
    copied = holdall.loads(data, buffers=[bytes(buffers[0].raw())])["a"]
    assert copied.tobytes() == array.tobytes()
    assert not copied.flags.writeable


def test_arrays_that_have_no_buffer_of_their_own_stay_in_the_message() -> None:
    for array in (np.arange(9)[::2], np.array([1, "a"], object), np.zeros((0, 3))):
        data, buffers = outside([array])
        assert not buffers
        assert data == holdall.dumps([array])


def test_a_message_with_buffers_outside_is_small() -> None:
    array = np.random.default_rng(1).random(100_000)
    data, buffers = outside([array] * 3 + [array.copy()])
    assert len(data) < 100
    assert len(buffers) == 2
    back = holdall.loads(data, buffers=iter(buffers))
    assert back[0] is back[1] is back[2]
    assert (back[3] == array).all()


def test_a_true_result_of_the_callback_keeps_a_buffer_in_the_message() -> None:
    arrays = [np.arange(10), np.arange(2000), np.arange(5)]
    taken: list[pickle.PickleBuffer] = []

    def callback(buffer: pickle.PickleBuffer) -> bool:
        if buffer.raw().nbytes < 1000:
            return True
        taken.append(buffer)
        return False

    data = holdall.dumps(arrays, buffer_callback=callback)
    assert len(taken) == 1
    back = holdall.loads(data, buffers=taken)
    assert all((one == other).all() for one, other in zip(back, arrays, strict=True))


def test_objects_encoders_and_types() -> None:
    buffers: list[pickle.PickleBuffer] = []
    encoder = holdall.Encoder(buffer_callback=buffers.append)
    decoder = holdall.Decoder(list[Image])
    images = [Image(np.full((4, 4), number), f"{number}") for number in range(200)]
    for _ in range(2):
        buffers.clear()
        data = encoder.encode(images)
        assert len(buffers) == 200
        back = decoder.decode(data, buffers=buffers)
        assert [each.name for each in back] == [each.name for each in images]
        assert all(
            (one.pixels == other.pixels).all() for one, other in zip(back, images, strict=True)
        )
    assert encoder.size(images) == len(data)
    room = bytearray()
    assert encoder.encode_into(images, room) == len(data)
    assert holdall.loads(holdall.dumps(ARRAYS[0]), np.ndarray).tolist() == ARRAYS[0].tolist()
    typed, own = outside({"a": ARRAYS[0]})
    assert holdall.loads(typed, dict[str, np.ndarray[Any, Any]], buffers=own)["a"].sum() == 15


def test_pickle_buffers() -> None:
    mapped = mmap.mmap(-1, 8)
    given = [
        pickle.PickleBuffer(bytearray(b"abc")),
        pickle.PickleBuffer(b"d"),
        pickle.PickleBuffer(mapped),
    ]
    data, buffers = outside(given)
    assert buffers == given
    assert holdall.loads(data, buffers=[b"1", b"2", b"3"]) == [b"1", b"2", b"3"]
    # As pickle packs them if there is no callback.
    assert holdall.loads(holdall.dumps(given)) == pickle.loads(pickle.dumps(given, protocol=5))


@pytest.mark.parametrize(
    ("buffers", "text"),
    [
        (
            None,
            r"buffers outside of it: pass those of buffer_callback as loads\(..., buffers=...\)",
        ),
        ([], "the buffer 0, but buffers= has 0"),
        ([bytes(47)], "an array of 48 bytes in a buffer of 47"),
        ([bytes(49)], "an array of 48 bytes in a buffer of 49"),
        ([memoryview(bytes(96))[::2]], "an array in a buffer that is not contiguous"),
    ],
)
def test_other_buffers_are_errors(buffers: Any, text: str) -> None:
    data, _ = outside({"a": ARRAYS[0]})
    with pytest.raises(holdall.DecodeError, match=text) as failed:
        holdall.loads(data, buffers=buffers)
    assert failed.value.code == "unrepresentable"


@pytest.mark.parametrize(
    "parts",
    [
        ("<f8", (6,), False, 1),
        ("<f8", (6,), False, -1),
        ("<f8", (6,), False, "0"),
        ("<f8", (-6,), False, 0),
        ("<f8", (2**62, 2**62), False, 0),
        ("|O", (6,), False, 0),
        ("<f8", (6,), 0, 0),
        ("<f8", (3,), False, 0),
        "x",
    ],
)
def test_arrays_that_no_one_packed_are_errors(parts: Any) -> None:
    data = holdall.dumps(holdall.Extension("numpy.buffer", parts))
    with pytest.raises(holdall.DecodeError):
        holdall.loads(data, buffers=[bytes(48)])


def test_a_failure_leaves_nothing_behind() -> None:
    def fail(buffer: object) -> None:
        raise LookupError("no room")

    with pytest.raises(holdall.EncodeError, match=r"in \$\[0\]: LookupError: no room"):
        holdall.dumps([ARRAYS[0]], buffer_callback=fail)
    assert holdall.loads(holdall.dumps([ARRAYS[0]]))[0].tolist() == ARRAYS[0].tolist()
    data, buffers = outside([ARRAYS[0]])
    holdall.loads(data, buffers=buffers)
    with pytest.raises(holdall.DecodeError):
        holdall.loads(data)


def test_threads_have_buffers_of_their_own() -> None:
    failures: list[object] = []

    def work(number: int) -> None:
        array = np.full(100, number)
        for turn in range(50):
            data, buffers = outside([array]) if turn % 2 else (holdall.dumps([array]), None)
            back = holdall.loads(data, buffers=buffers)
            if not (back[0] == array).all():
                failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
