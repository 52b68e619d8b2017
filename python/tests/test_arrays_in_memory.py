"""Arrays of numpy whose elements go from their own memory into the message."""

from __future__ import annotations

import enum
import threading
from typing import Any

import holdall
import pytest

np: Any = pytest.importorskip("numpy")

#: Types whose elements numpy describes in a buffer as the format has them, and the others.
PLAIN = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "e", "f", "d"]
OTHER = ["F", "D", ">i4", ">f8", "M8[us]", "m8[s]", "S3", "U3", "V5", "u1,f8"]
#: The most bytes of elements that are copied at once, and larger ones.
COUNTS = [0, 1, 7, 511, 512, 1024, 20_000]


def elements(dtype: str, count: int) -> Any:
    return np.arange(count).astype("B").repeat(np.dtype(dtype).itemsize).view(dtype)[:count]


def layouts(array: Any) -> dict[str, Any]:
    """Arrays of the same elements in the same places, in other memory."""
    gaps = np.zeros((*array.shape, 2), array.dtype)
    gaps[..., 0] = array
    apart = np.zeros(array.nbytes + 1, "B")[1:].view(array.dtype).reshape(array.shape)
    apart[...] = array
    constant = array.copy()
    constant.flags.writeable = False
    return {
        "with gaps": gaps[..., 0],
        "backwards": array[::-1].copy()[::-1],
        "not aligned": apart,
        "constant": constant,
        "a view": array.reshape(-1).reshape(array.shape),
    }


@pytest.mark.parametrize("dtype", PLAIN + OTHER)
def test_an_array_has_the_same_bytes_wherever_its_elements_are(dtype: str) -> None:
    for count in COUNTS:
        array = elements(dtype, count) if dtype != "?" else np.arange(count) % 3 == 0
        for shaped in (array, array.reshape(1, -1, 1)):
            data = holdall.dumps(shaped)
            back = holdall.loads(data)
            assert (back.dtype, back.shape, back.tobytes()) == (
                shaped.dtype,
                shaped.shape,
                shaped.tobytes(),
            )
            for name, other in layouts(shaped).items():
                assert holdall.dumps(other) == data, (name, count)


@pytest.mark.parametrize("dtype", PLAIN)
def test_the_first_dimension_can_vary_fastest(dtype: str) -> None:
    for shape in ((3, 5), (40, 50), (2, 3, 4), (20, 30, 10)):
        rows = (np.arange(np.prod(shape)) % 2).astype(dtype).reshape(shape)
        columns = np.asfortranarray(rows)
        back = holdall.loads(holdall.dumps(columns))
        assert back.flags.f_contiguous
        assert np.array_equal(back, columns)
        assert holdall.dumps(columns.T.copy().T) == holdall.dumps(columns)
        assert len(holdall.dumps(columns)) == len(holdall.dumps(rows))


def test_arrays_without_dimensions_keep_none() -> None:
    for dtype in PLAIN:
        back = holdall.loads(holdall.dumps([np.array(1, dtype)]))
        assert (back[0].shape, back[0].dtype, back[0]) == ((), np.dtype(dtype), 1)


@pytest.mark.parametrize("options", [{"checksum": True}, {"threads": 2}, {"profile": "small"}])
def test_lent_elements_are_those_that_were_copied(options: dict[str, Any]) -> None:
    """With these options the elements are read more than once, so they are copied first."""
    values = [np.random.default_rng(0).random((100, 300)) for _ in range(4)]
    values += [values[0], values[1].T, values[2] > 0.5, holdall.Tensor("f64", (900,), bytes(7200))]
    shared = holdall.loads(holdall.dumps(values))
    copied = holdall.loads(holdall.dumps(values, **options))
    assert all(map(np.array_equal, shared[:7], copied[:7]))
    assert shared[4] is shared[0]
    assert copied[4] is copied[0]


def test_an_array_is_let_go_when_the_message_is_complete() -> None:
    array = np.zeros(100_000)
    holdall.dumps([array, array])
    # numpy does not resize an array whose memory something else has.
    array.resize(200_000)
    with pytest.raises(holdall.EncodeError):
        holdall.dumps([array, iter("")])
    array.resize(300_000)
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps([array], limits=holdall.Limits(output=1000))
    assert caught.value.code == "limit_output"
    # Its traceback has the arguments of the call.
    del caught
    array.resize(400_000)
    holdall.Encoder().schema([array])
    array.resize(500_000)


def test_an_encoder_is_free_of_the_arrays_before() -> None:
    encoder = holdall.Encoder()
    for count in (10, 1000, 100_000, 1000, 10):
        array = np.full(count, count)
        assert np.array_equal(holdall.loads(encoder.encode({"a": array}))["a"], array)
        array.resize(count + 1)


def test_what_code_of_a_class_writes_into_an_array_meanwhile_is_valid() -> None:
    array = np.zeros(100_000)

    class Changing:
        def __reduce__(self) -> Any:
            array[:] = 1.0
            return (int, ("5",))

    back = holdall.loads(holdall.dumps([array, Changing(), array]))
    assert back[1].__class__ is holdall.Record
    assert set(back[0].tolist()) in ({0.0}, {1.0})
    assert back[0] is back[2]


def test_other_threads_write_into_an_array_meanwhile() -> None:
    arrays = [np.zeros(50_000, "i8") for _ in range(8)]
    done = threading.Event()

    def write() -> None:
        number = 0
        while not done.is_set():
            number += 1
            for array in arrays:
                array.fill(number)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(50):
            for options in ({}, {"checksum": True}):
                back = holdall.loads(holdall.dumps(arrays, **options))
                assert [each.shape for each in back] == [(50_000,)] * 8
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("more", [0, 5000])
def test_an_array_whose_memory_is_taken_away_meanwhile_is_an_error(more: int) -> None:
    array = np.arange(400_000.0)

    class Resizing:
        def __reduce__(self) -> Any:
            array.resize(10, refcheck=False)
            return (int, ("5",))

    with pytest.raises(holdall.EncodeError, match="arrays that keep their memory") as caught:
        # One that packed a value before would pack this one again, and find the smaller array.
        holdall.Encoder().encode([array, Resizing(), list(range(more))])
    assert caught.value.code == "unsupported_value"
    assert holdall.loads(holdall.dumps(array)).tolist() == list(range(10))


class Finalized:
    """Runs a function when nothing has it any more."""

    run: Any = None

    def __del__(self) -> None:
        if Finalized.run is not None:
            Finalized.run()


class Reduced:
    def __reduce__(self) -> Any:
        return (Reduced, (), Finalized())


#: An object that only a hook packs.
ASKED = iter("")


def hook(_: object) -> Any:
    return Finalized()


class Meta(enum.EnumMeta):
    def __getattribute__(cls, name: str) -> Any:
        if name == "_value2member_map_" and Finalized.run is not None:
            Finalized.run()
        return super().__getattribute__(name)


class Color(enum.Enum, metaclass=Meta):
    RED = 1


@pytest.mark.parametrize("kind", ["whole", "view", "rows"])
@pytest.mark.parametrize("other", ["reduced", "set", "hook", "member"])
def test_memory_that_is_freed_by_what_a_walk_leaves_is_not_read(kind: str, other: str) -> None:
    array = np.arange(400_000.0)
    lent = {"whole": array, "view": array[:], "rows": array.reshape(2, -1)[1:]}[kind]
    expected = lent.tolist()
    Finalized.run = staticmethod(lambda: array.resize(10, refcheck=False))
    try:
        last = {"reduced": Reduced(), "set": {Reduced()}, "hook": ASKED, "member": Color.RED}[other]
        for value in ([lent, last], {"b": last, "a": lent}, (last, lent)):
            for profile in ("fast", "balanced", "small"):
                encoder = holdall.Encoder(profile=profile, enc_hook=hook, canonical=True)
                try:
                    data = encoder.encode(value)
                except holdall.EncodeError as error:
                    assert error.code == "unsupported_value"
                    assert "arrays that keep their memory" in str(error)
                else:
                    back = holdall.loads(data)
                    (found,) = [
                        each.tolist()
                        for each in (back.values() if isinstance(back, dict) else back)
                        if isinstance(each, np.ndarray)
                    ]
                    assert found in (expected, list(range(10)))
                if array.size == 10 and kind != "whole":
                    return  # The view has lost its memory, for numpy too.
                array.resize(400_000, refcheck=False)
                expected = lent.tolist()
    finally:
        Finalized.run = None


def test_views_lend_as_long_as_it_is_known_who_owns_the_memory() -> None:
    owned = np.arange(10_000.0)
    table = owned.reshape(100, 100)
    parts = {
        "owned": owned,
        "reshaped": table,
        "transposed": table.T,
        "rows": table[10:90],
        "of bytes": np.frombuffer(bytes(80_000), "f8"),
        "of a bytearray": np.frombuffer(bytearray(80_000), "f8"),
        "of a memoryview": np.asarray(memoryview(owned)),
        "of a subclass": np.asarray(owned.view(np.matrix)),
    }
    back = holdall.loads(holdall.dumps(parts))
    for name, array in parts.items():
        assert np.array_equal(back[name], array), name


def test_threads_that_take_memory_away_meanwhile_end_no_process() -> None:
    """They run while Python code of the walk does, and would while a long list is encoded without the interpreter."""
    array = np.arange(10_000.0)
    done = threading.Event()

    def resize() -> None:
        number = 0
        while not done.is_set():
            number += 1
            array.resize(200_000 if number % 2 else 10_000, refcheck=False)

    thread = threading.Thread(target=resize)
    thread.start()
    try:
        for _ in range(30):
            try:
                data = holdall.dumps([array, [0.5] * 20_000])
            except holdall.EncodeError as error:
                # Python code ran in between, as where a class is met for the first time.
                assert "arrays that keep their memory" in str(error)
            else:
                assert holdall.loads(data)[0].size in (10_000, 200_000)
    finally:
        done.set()
        thread.join()


def test_bytes_that_change_under_the_interpreter_are_never_torn() -> None:
    fills = [bytes([number]) * 60_000 for number in range(4)]
    buffers = [bytearray(60_000) for _ in range(50)]
    arrays = [np.frombuffer(buffer, "u1") for buffer in buffers]
    done = threading.Event()

    def write() -> None:
        number = 0
        while not done.is_set():
            number += 1
            for buffer in buffers:
                buffer[:] = fills[number % 4]

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(5):
            back = holdall.loads(holdall.dumps([arrays, list(range(50_000))]))[0]
            assert all(each.min() == each.max() for each in back)
    finally:
        done.set()
        thread.join()


def test_tensors_take_bytes_of_any_buffer() -> None:
    for count in (3, 3000):
        data = bytes(range(256)) * (count // 32) + bytes(8 * count % 256)
        data = data[: 8 * count].ljust(8 * count, b"\0")
        expected = holdall.dumps(holdall.Tensor("u64", (count,), data))
        for other in (bytearray(data), memoryview(data), np.frombuffer(data, "u1")):
            assert holdall.dumps(holdall.Tensor("u64", (count,), other)) == expected
        gaps = np.zeros(16 * count, "u1")[::2]
        gaps[:] = np.frombuffer(data, "u1")
        for apart in (gaps, memoryview(data[::-1])[::-1]):
            assert holdall.dumps(holdall.Tensor("u64", (count,), apart)) == expected
        for bad in (np.zeros(count), "text", None):
            with pytest.raises(holdall.EncodeError) as caught:
                holdall.dumps([holdall.Tensor("u64", (count,), bad)])
            assert caught.value.path == "$[0]"
        with pytest.raises(holdall.EncodeError) as caught:
            holdall.dumps([holdall.Tensor("u64", (count + 1,), data)])
        assert (caught.value.code, caught.value.path) == ("unsupported_value", "$[0]")
