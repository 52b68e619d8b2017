"""Objects whose methods and hooks make new objects without end: limits stop them."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import holdall
import pytest
from conftest import SOAK
from holdall import Limits


@holdall.register
class Nested:
    def __reduce__(self) -> Any:
        return Nested, (Nested(),)


@holdall.register
class Listed:
    def __reduce__(self) -> Any:
        return Listed, (), None, iter([Listed()])


@holdall.register
class State:
    def __getstate__(self) -> Any:
        return {"next": State()}


@holdall.register
class Items:
    def __reduce__(self) -> Any:
        return Items, (), None, itertools.count()


@holdall.register
class Entries:
    def __reduce__(self) -> Any:
        return Entries, (), None, None, ((at, None) for at in itertools.count())


#: Cannot be packed without a hook.
Hooked = threading.Lock


def hook(_: Any) -> Any:
    return [Hooked()]


def growing() -> tuple[Any, Callable[[Any], Any]]:
    values: list[Any] = [Hooked()]

    def grow(_: Any) -> Any:
        values.append(Hooked())
        return len(values)

    return values, grow


@pytest.mark.parametrize("references", [True, False])
@pytest.mark.parametrize("make", [Nested, Listed, State, Hooked])
def test_depth_is_limited(make: Any, references: bool) -> None:
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps(make(), references=references, enc_hook=hook, limits=Limits(depth=5_000))
    assert caught.value.code == "limit_depth"
    assert "Limits(depth=" in str(caught.value)


@pytest.mark.parametrize("make", [Nested, Listed, State, Items, Entries, Hooked])
def test_what_methods_make_is_limited(make: Any) -> None:
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps(make(), enc_hook=hook, limits=Limits(held=1 << 20))
    assert caught.value.code == "limit_output"
    assert "Limits(held=" in str(caught.value)


@pytest.mark.parametrize("make", [Nested, Listed, State, Hooked])
def test_objects_are_limited(make: Any) -> None:
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps(make(), enc_hook=hook, limits=Limits(objects=10_000))
    assert caught.value.code == "limit_output"
    assert "Limits(objects=" in str(caught.value)


def test_a_list_that_grows_is_limited() -> None:
    values, grow = growing()
    with pytest.raises(holdall.EncodeError) as caught:
        holdall.dumps(values, enc_hook=grow, limits=Limits(objects=100_000))
    assert caught.value.code == "limit_output"


def test_a_writer_has_the_limits_and_stays_usable(tmp_path: Any) -> None:
    path = tmp_path / "x.hold"
    with holdall.Writer(path, limits=Limits(depth=100)) as writer:
        writer.write(1)
        with pytest.raises(holdall.EncodeError) as caught:
            writer.write(Nested())
        assert caught.value.code == "limit_depth"
        writer.write(2)
    assert list(holdall.Reader(path)) == [1, 2]


def test_values_within_the_limits_are_packed() -> None:
    value: list[Any] = []
    for _ in range(98):
        value = [value]
    data = holdall.dumps(value, limits=Limits(depth=100, objects=200, held=0))
    assert holdall.loads(data) == value


#: Address space, in MiB. An object that has no end takes all of it within a minute.
MEMORY = 2048
ENDLESS = """
import resource, sys
import holdall
from test_endless import {make}
resource.setrlimit(resource.RLIMIT_AS, ({memory} << 20, -1))
try:
    holdall.dumps({make}())
except holdall.EncodeError as error:
    print(error.code)
except MemoryError:
    print("MemoryError")
"""


@pytest.mark.skipif(not SOAK, reason="fills 2 GiB of memory for each class")
@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize("make", [Nested, Listed, State, Items, Entries])
def test_the_default_limits_stop_each_or_memory_does(make: Any) -> None:
    program = ENDLESS.format(make=make.__name__, memory=MEMORY)
    folders = [Path(holdall.__file__).resolve().parents[1], Path(__file__).resolve().parent]
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() in ("limit_depth", "limit_output", "out_of_memory", "MemoryError")


class PacksItself:
    def __reduce__(self) -> Any:
        return bytes, (holdall.dumps(self),)


class PacksItselfAsJson:
    def __reduce__(self) -> Any:
        return bytes, (holdall.dumps(self, format="json"),)


class UnpacksItself:
    packed = b""

    def __getstate__(self) -> Any:
        return {"field": 1}

    def __setstate__(self, _: Any) -> None:
        holdall.loads(self.packed, types=[UnpacksItself])


UnpacksItself.packed = holdall.dumps(UnpacksItself())


def hook_that_packs(value: Any) -> Any:
    return holdall.dumps(value, enc_hook=hook_that_packs)


@pytest.mark.parametrize("stack", [None, 512 << 10])
@pytest.mark.parametrize(
    "call",
    [
        lambda: holdall.dumps(PacksItself()),
        lambda: holdall.dumps(PacksItselfAsJson(), format="json"),
        lambda: holdall.loads(UnpacksItself.packed, types=[UnpacksItself]),
        lambda: holdall.dumps(Hooked(), enc_hook=hook_that_packs),
    ],
    ids=["packs", "packs as JSON", "unpacks", "hook"],
)
def test_calls_inside_each_other_without_end_do_not_overflow_the_stack(
    call: Callable[[], Any], stack: int | None
) -> None:
    raised: list[holdall.Error] = []

    def work() -> None:
        with pytest.raises(holdall.Error) as caught:
            call()
        raised.append(caught.value)

    before, most = threading.stack_size(), sys.getrecursionlimit()
    # CPython's own limit would come first.
    sys.setrecursionlimit(1_000_000)
    try:
        threading.stack_size(stack or before)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
        sys.setrecursionlimit(most)
    (error,) = raised
    assert error.code == "limit_depth"
    assert isinstance(error.__cause__, RecursionError)
    # Later calls are not affected.
    assert holdall.loads(holdall.dumps([1])) == [1]
