"""The servers that integrations are tested with, and the attack that made pickle famous."""

from __future__ import annotations

import os
import pickle
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import holdall
import pytest

#: Where `make test-integrations` unpacks the Debian packages of the servers.
UNPACKED = Path(__file__).resolve().parents[2] / "target" / "servers"


def program(name: str) -> str | None:
    """The path of a server that is installed, or unpacked by the Makefile."""
    return shutil.which(name) or shutil.which(UNPACKED / "usr" / "bin" / name)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def run(command: list[str], port: int) -> subprocess.Popen[bytes]:
    """Starts a server, and waits until it accepts connections."""
    libraries = UNPACKED / "usr" / "lib" / "x86_64-linux-gnu"
    server = subprocess.Popen(
        command,
        env={**os.environ, "LD_LIBRARY_PATH": str(libraries)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(200):
        assert server.poll() is None, f"{command[0]} ended with {server.returncode}"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return server
        time.sleep(0.05)
    server.kill()
    raise TimeoutError(f"{command[0]} accepts no connections")


@pytest.fixture(scope="session")
def redis_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a Redis server: Debian's, or that of fakeredis, which is printed."""
    port = free_port()
    if found := program("redis-server"):
        folder = tmp_path_factory.mktemp("redis")
        options = ["--port", str(port), "--save", "", "--dir", str(folder), "--bind", "127.0.0.1"]
        server = run([found, *options], port)
        yield port
        server.terminate()
        server.wait()
        return
    print("redis-server is not installed: fakeredis takes its place")
    import threading

    from fakeredis import TcpFakeServer

    fake = TcpFakeServer(("127.0.0.1", port), server_type="redis")
    threading.Thread(target=fake.serve_forever, daemon=True).start()
    yield port
    fake.shutdown()


@pytest.fixture
def redis(redis_port: int) -> Iterator[Any]:
    """A client of an empty Redis."""
    import redis

    with redis.Redis(port=redis_port) as client:
        client.flushall()
        yield client


@pytest.fixture
def real_redis(redis: Any) -> Any:
    """The same, for libraries that need scripts or blocking commands, which fakeredis does not have."""
    if not program("redis-server"):
        pytest.skip("redis-server is not installed, and apt-get could not fetch it")
    return redis


@pytest.fixture(scope="session")
def memcached_port() -> Iterator[int]:
    """The port of a memcached server."""
    found = program("memcached")
    if not found:
        pytest.skip("memcached is not installed, and apt-get could not fetch it")
    port = free_port()
    server = run([found, "-p", str(port), "-l", "127.0.0.1", "-u", "root"], port)
    yield port
    server.terminate()
    server.wait()


class Touch:
    """Its pickle creates a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.system, (f"touch {self.path}",))


class Attack:
    """Bytes that run a command where pickle reads them, and the same request as a holdall message."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pickle = pickle.dumps(Touch(path))
        call = holdall.Record(f"{os.system.__module__}.system", {"<args>": (f"touch {path}",)})
        self.message = holdall.dumps(call)

    def inside(self, make: Callable[[object], object]) -> bytes:
        """The pickle of an object that contains the command."""
        return pickle.dumps(make(Touch(self.path)))

    @property
    def worked(self) -> bool:
        """Whether the command ran; forgets it."""
        ran = self.path.exists()
        self.path.unlink(missing_ok=True)
        return ran

    def fails(self, read: Callable[[bytes], object]) -> None:
        """Checks that a reader refuses both, and that no command runs."""
        for data in (self.pickle, self.message):
            with pytest.raises(Exception, match=r"this looks like a pickle|does not allow"):
                read(data)
            assert not self.worked

    def misses(self, read: Callable[[bytes], object]) -> None:
        """Checks the same of a cache that logs what it cannot read, and returns None."""
        for data in (self.pickle, self.message):
            assert read(data) is None
            assert not self.worked


@pytest.fixture
def attack(tmp_path: Path) -> Attack:
    return Attack(tmp_path / "pwned")
