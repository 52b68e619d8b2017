"""Caches: what is stored comes back whole, counters count, and what others stored is not executed."""

from __future__ import annotations

import asyncio
import http.server
import pickle
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import diskcache
import holdall
import pytest
from holdall.integrations import CounterSerializer, Serializer


@holdall.register(name="tests.User")
@dataclass
class User:
    name: str
    friends: list[User]


def users() -> User:
    """Two users who are friends: a cycle."""
    ada, bob = User("Ada", []), User("Bob", [])
    ada.friends.append(bob)
    bob.friends.append(ada)
    return ada


def check_users(ada: Any) -> None:
    assert type(ada) is User
    assert ada.friends[0].friends[0] is ada


VALUES = [None, True, 7, -8, 2**80, "text", b"\xc1", 1.5, {"a": {1, 2}}, (1, [2]), [0] * 5000]


def check_cache(cache: Any) -> None:
    """The laws of an object with `get` and `set`."""
    for value in VALUES:
        cache.set("key", value)
        got = cache.get("key")
        assert (got, type(got)) == (value, type(value))
    cache.set("user", users())
    check_users(cache.get("user"))


def test_a_counter_is_digits_and_every_other_value_a_message() -> None:
    serializer = CounterSerializer()
    for value, first in [
        (7, b"7"),
        (-8, b"-"),
        (2**63 - 1, b"9"),
        (2**63, b"\xc1"),
        (True, b"\xc1"),
    ]:
        data = serializer.dumps(value)
        assert data[:1] == first
        assert serializer.loads(data) is value or serializer.loads(data) == value
    with pytest.raises(holdall.DecodeError):
        serializer.loads(b"")
    with pytest.raises(holdall.DecodeError):
        serializer.loads(b"1" * 5000)


def test_a_class_that_is_not_allowed_is_an_error() -> None:
    data = holdall.dumps(holdall.Record("shop.Cart", items=[]))
    with pytest.raises(holdall.DecodeError, match=r"shop\.Cart.*does not allow"):
        Serializer().loads(data)
    assert type(Serializer(missing="record").loads(data)) is holdall.Record
    with pytest.raises(TypeError, match="Serializer.. got an unexpected keyword argument 'tpyes'"):
        Serializer(tpyes=[])  # type: ignore[call-arg]


# ---- diskcache ----


def test_diskcache_keeps_keys_and_values(tmp_path: Path) -> None:
    from holdall.integrations.diskcache import Disk

    with diskcache.Cache(str(tmp_path), disk=Disk, disk_min_file_size=1000) as cache:
        check_cache(cache)
        for key in [("a", 1), 7, "7", b"7", None, frozenset({1}), 2**70]:
            cache[key] = repr(key)
        assert [cache[key] for key in [("a", 1), 2**70]] == ["('a', 1)", repr(2**70)]
        assert set(cache.iterkeys()) >= {("a", 1), frozenset({1})}
        cache.set("file", [random.random() for _ in range(5000)])
        assert len(cache.get("file")) == 5000
        assert any(path.stat().st_size > 1000 for path in tmp_path.rglob("*.val"))
        assert cache.incr("count") == 1
        index = diskcache.Index(str(tmp_path / "index"))
        index["a"] = 1


# CVE-2025-69872: diskcache unpickles what anyone who can write to its folder puts there.
def test_diskcache_does_not_execute_what_its_database_has(tmp_path: Path, attack: Any) -> None:
    from holdall.integrations.diskcache import Disk

    with diskcache.Cache(str(tmp_path / "a")) as cache:
        cache["key"] = [1]
        cache._sql("UPDATE Cache SET value = ?", (attack.pickle,))
        cache.get("key")
        assert attack.worked
    with diskcache.Cache(str(tmp_path / "b"), disk=Disk) as cache:
        cache["key"] = [1]

        def read(data: bytes) -> Any:
            cache._sql("UPDATE Cache SET value = ?", (data,))
            return cache["key"]

        attack.fails(read)

        def read_key(data: bytes) -> Any:
            cache._sql("UPDATE Cache SET key = ?, raw = 0", (data,))
            return list(cache)

        attack.fails(read_key)


# ---- Django ----


@pytest.fixture(scope="module")
def django() -> None:
    import django
    from django.conf import settings

    settings.configure(
        SECRET_KEY="secret",
        SESSION_SERIALIZER="holdall.integrations.Serializer",
        SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
        CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
    )
    django.setup()


@pytest.mark.usefixtures("django")
def test_django_caches_in_redis(redis: Any, redis_port: int, attack: Any) -> None:
    from django.core.cache.backends.redis import RedisCache

    options = {"serializer": "holdall.integrations.CounterSerializer"}
    cache = RedisCache(f"redis://127.0.0.1:{redis_port}", {"OPTIONS": options})
    check_cache(cache)
    cache.set("count", 1)
    assert cache.incr("count", 5) == 6
    assert cache.get_many(["count", "user"]).keys() == {"count", "user"}

    def read(data: bytes) -> Any:
        redis.set(":1:key", data)
        return cache.get("key")

    attack.fails(read)


@pytest.mark.usefixtures("django")
def test_django_caches_in_files(tmp_path: Path, attack: Any) -> None:
    from holdall.integrations.django import FileBasedCache

    cache = FileBasedCache(str(tmp_path / "cache"), {})
    check_cache(cache)
    cache.set("short", 1, timeout=0.05)
    assert cache.touch("user", None)
    assert not cache.touch("missing")
    time.sleep(0.1)
    assert cache.get("short", "gone") == "gone"
    assert not cache.add("user", 1)
    check_users(cache.get("user"))
    (path,) = [
        each for each in (tmp_path / "cache").iterdir() if cache._key_to_file("user") == str(each)
    ]
    head = path.read_bytes()[:8]

    def read(data: bytes) -> Any:
        path.write_bytes(head + data)
        return cache.get("user")

    attack.fails(read)


# CVE-2012-4406: OpenStack Swift unpickled what anyone who could reach memcached put there.
@pytest.mark.usefixtures("django")
def test_django_caches_in_memcached(memcached_port: int, attack: Any) -> None:
    import pymemcache
    from django.core.cache.backends.memcached import PyMemcacheCache
    from holdall.integrations.pymemcache import Serde

    address = f"127.0.0.1:{memcached_port}"
    cache = PyMemcacheCache(address, {"OPTIONS": {"serde": Serde()}})
    check_cache(cache)
    cache.set("count", 1)
    assert cache.incr("count", 5) == 6
    pickled = PyMemcacheCache(address, {})
    client = pymemcache.Client(address, default_noreply=False)
    client.set(":1:key", attack.pickle, flags=1)
    pickled.get("key")
    assert attack.worked

    def read(data: bytes) -> Any:
        client.set(":1:key", data, flags=1)
        return cache.get("key")

    attack.fails(read)
    client.close()


# CVE-2013-7489: Beaker unpickled sessions. Anyone with the key of signed cookies, or access to the store, can write them.
@pytest.mark.usefixtures("django")
def test_django_sessions(attack: Any) -> None:
    from django.contrib.sessions.backends.cache import SessionStore as Cached
    from django.contrib.sessions.backends.signed_cookies import SessionStore
    from django.core import signing

    session = SessionStore()
    session["user"] = users()
    session[7] = {1}
    session.save()
    again = SessionStore(session.session_key)
    check_users(again["user"])
    assert again[7] == {1}
    cached = Cached()
    cached["a"] = (1,)
    cached.save()
    assert Cached(cached.session_key)["a"] == (1,)

    salt = "django.contrib.sessions.backends.signed_cookies"

    def signed(data: bytes) -> str:
        class Given:
            def dumps(self, value: Any) -> bytes:
                return data

        return signing.dumps(None, salt=salt, serializer=Given)

    class Pickled:
        loads = staticmethod(pickle.loads)

    signing.loads(signed(attack.pickle), salt=salt, serializer=Pickled)
    assert attack.worked
    for data in (attack.pickle, attack.message):
        cookie = signed(data)
        with pytest.raises(holdall.DecodeError):
            signing.loads(cookie, salt=salt, serializer=Serializer)
        assert dict(SessionStore(cookie).load()) == {}
        assert not attack.worked


@pytest.mark.usefixtures("django")
def test_django_redis(redis: Any, redis_port: int, attack: Any) -> None:
    from django_redis.cache import RedisCache

    def cache(serializer: str, **options: Any) -> Any:
        given = {"SERIALIZER": serializer, **options}
        return RedisCache(f"redis://127.0.0.1:{redis_port}/0", {"OPTIONS": given})

    ours = cache("holdall.integrations.django_redis.Serializer", HOLDALL={"checksum": True})
    check_cache(ours)
    ours.set("count", 1)
    assert ours.incr("count", 5) == 6
    redis.set(":1:key", attack.pickle)
    cache("django_redis.serializers.pickle.PickleSerializer").get("key")
    assert attack.worked

    def read(data: bytes) -> Any:
        redis.set(":1:key", data)
        return ours.get("key")

    attack.fails(read)


# ---- cachelib and Flask-Caching ----


def test_cachelib(tmp_path: Path, redis_port: int, attack: Any) -> None:
    from cachelib import FileSystemCache, RedisCache, SimpleCache
    from holdall.integrations.cachelib import CacheSerializer

    class Files(FileSystemCache):
        serializer = CacheSerializer()

    for cache in (SimpleCache(), Files(str(tmp_path)), RedisCache(port=redis_port)):
        cache.serializer = CacheSerializer()
        check_cache(cache)
        assert cache.get("missing") is None
        cache.set("count", 1)
        assert cache.inc("count", 5) == 6
    simple = SimpleCache()
    simple.serializer = CacheSerializer()

    def read(data: bytes) -> Any:
        simple._cache["key"] = (time.time() + 99, data)
        return simple.get("key")

    attack.misses(read)


# CVE-2021-33026: Flask-Caching unpickles what anyone who can reach Redis puts there.
def test_flask_caching(redis: Any, redis_port: int, attack: Any) -> None:
    from flask import Flask
    from flask_caching import Cache
    from holdall.integrations.cachelib import CacheSerializer

    def caching(**config: Any) -> Any:
        app = Flask(__name__)
        config |= {
            "CACHE_TYPE": "RedisCache",
            "CACHE_REDIS_PORT": redis_port,
            "CACHE_KEY_PREFIX": "f",
        }
        cache = Cache(app, config=config)
        return app, cache

    app, cache = caching(CACHE_SERIALIZER=CacheSerializer())
    with app.app_context():
        check_cache(cache)

        @cache.memoize()
        def twice(value: int) -> Any:
            calls.append(value)
            return {value: {value}}

        calls: list[int] = []
        assert [twice(3), twice(3)] == [{3: {3}}] * 2
        assert calls == [3]

        def read(data: bytes) -> Any:
            redis.set("fkey", data)
            return cache.get("key")

        attack.misses(read)
    app, pickled = caching()
    with app.app_context():
        redis.set("fkey", b"!" + attack.pickle)
        pickled.get("key")
    assert attack.worked


# ---- requests-cache ----


@pytest.fixture
def web() -> Iterator[tuple[str, list[str]]]:
    """The address of a web server, and the paths that it was asked for."""
    calls: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            calls.append(self.path)
            self.send_response(200)
            self.send_header("X-Test", "yes")
            self.send_header("Set-Cookie", "a=b")
            self.end_headers()
            self.wfile.write(b"\0body")

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/a", calls
        server.shutdown()


@pytest.mark.parametrize("backend", ["sqlite", "filesystem", "redis"])
def test_requests_cache(
    backend: str, tmp_path: Path, redis: Any, web: tuple[str, list[str]], attack: Any
) -> None:
    from holdall.integrations.requests_cache import serializer
    from requests_cache import CachedSession, FileCache, RedisCache, SQLiteCache

    store = {
        "sqlite": lambda: SQLiteCache(tmp_path / "c.sqlite", serializer=serializer),
        "filesystem": lambda: FileCache(tmp_path / "c", serializer=serializer),
        "redis": lambda: RedisCache(connection=redis, serializer=serializer),
    }[backend]()
    session = CachedSession(backend=store, serializer=serializer)
    url, calls = web
    first, second = session.get(url), session.get(url)
    assert (first.from_cache, second.from_cache, len(calls)) == (False, True, 1)
    assert second.content == b"\0body"
    assert second.headers["X-Test"] == "yes"
    assert second.cookies["a"] == "b"
    if backend == "redis":
        pickled = RedisCache(connection=redis, serializer="pickle")
        (name,) = session.cache.responses

        def read(data: bytes, cache: Any = session.cache) -> Any:
            redis.set(cache.responses._bkey(name), data)
            return cache.responses[name]

        read(attack.pickle, pickled)
        assert attack.worked
        attack.misses(read)


# ---- aiocache ----


def test_aiocache(attack: Any) -> None:
    from aiocache import SimpleMemoryCache
    from holdall.integrations.aiocache import Serializer as Messages

    async def main() -> None:
        cache = SimpleMemoryCache(serializer=Messages())
        for value in VALUES:
            await cache.set("key", value)
            assert await cache.get("key") == value
        await cache.set("user", users())
        check_users(await cache.get("user"))
        assert await cache.get("missing") is None

    asyncio.run(main())
    attack.fails(Messages().loads)
