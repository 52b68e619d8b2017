"""Between processes: what one sends, the other receives whole, and never executes."""

from __future__ import annotations

import asyncio
import multiprocessing
import multiprocessing.connection
import pickle
import queue
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import holdall
import numpy
import pytest
from holdall.integrations import Serializer
from holdall.integrations.multiprocessing import Connection
from holdall.integrations.multiprocessing_queues import JoinableQueue, Queue, SimpleQueue


@dataclass
class Node:
    value: int
    next: Any = None


def ring(size: int) -> Node:
    """A list that pickle is too deep for, whose end is its beginning."""
    first = last = Node(0)
    for value in range(1, size):
        last.next = Node(value)
        last = last.next
    last.next = first
    return first


def check_ring(first: Any, size: int) -> None:
    node = first
    for value in range(size):
        assert (type(node), node.value) == (Node, value)
        node = node.next
    assert node is first


def test_connections() -> None:
    nodes = Serializer(types=[Node])
    here, there = (Connection(each, serializer=nodes) for each in multiprocessing.Pipe())
    for value in [None, 7, {"a": {1}}, (1, [2])]:
        here.send(value)
        assert there.recv() == value
    with pytest.raises(RecursionError):
        pickle.dumps(ring(3000))
    here.send(ring(3000))
    check_ring(there.recv(), 3000)


PROGRAM = """
import sys
from multiprocessing.connection import Client
from holdall.integrations.multiprocessing import Connection
there = Connection(Client(sys.argv[1], authkey=b"key"))
there.send({"got": there.recv()})
"""


def test_connections_to_other_processes(tmp_path: Path) -> None:
    address = str(tmp_path / "socket")
    with multiprocessing.connection.Listener(address, authkey=b"key") as listener:
        other = subprocess.Popen([sys.executable, "-c", PROGRAM, address])
        connection = Connection(listener.accept())
        connection.send([1, 2])
        assert connection.recv() == {"got": [1, 2]}
        assert other.wait(20) == 0


def test_a_connection_can_be_polled_waited_for_and_closed() -> None:
    here, there = (Connection(each) for each in multiprocessing.Pipe())
    assert not there.poll()
    assert not there.poll(0.01)
    here.send([1])
    assert there.poll()
    assert multiprocessing.connection.wait([there], timeout=5) == [there]
    assert there.recv() == [1]
    with here:
        here.send([2])
    assert there.poll(None)
    assert there.recv() == [2]
    with pytest.raises(EOFError):
        there.recv()
    with pytest.raises(OSError, match="closed"):
        here.send([3])


#: What another user's process does: it connects to a socket that any process of the machine can find, and sends a pickle.
INTRUDER = """
import socket, struct, sys
with socket.socket(socket.AF_UNIX) as there:
    there.connect(bytes.fromhex(sys.argv[1]))
    data = bytes.fromhex(sys.argv[2])
    there.sendall(struct.pack("!i", len(data)) + data)
    there.shutdown(socket.SHUT_WR)
    there.recv(1)
"""


# CVE-2022-42919: the fork server of Python 3.9 to 3.11 listened on an abstract socket, and read pickles from any user of the machine.
@pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are Linux's")
def test_a_process_that_finds_an_abstract_socket_runs_nothing(tmp_path: Path, attack: Any) -> None:
    def receive(data: bytes, recv: Callable[[Any], Any]) -> Any:
        # As multiprocessing.util.abstract_sockets_supported makes it choose for the fork server, without a key.
        address = f"\0holdall-{tmp_path.name}"
        with multiprocessing.connection.Listener(address, family="AF_UNIX") as listener:
            command = [sys.executable, "-c", INTRUDER, address.encode().hex(), data.hex()]
            with subprocess.Popen(command) as intruder, listener.accept() as pipe:
                try:
                    return recv(pipe)
                finally:
                    pipe.close()
                    assert intruder.wait(20) == 0

    receive(attack.pickle, lambda pipe: pipe.recv())
    assert attack.worked
    attack.fails(lambda data: receive(data, lambda pipe: Connection(pipe).recv()))


QUEUES = """
import multiprocessing, sys
from dataclasses import dataclass
from holdall.integrations import Serializer, multiprocessing_queues

@dataclass
class Node:
    value: int

class Nodes(getattr(multiprocessing_queues, sys.argv[2])):
    serializer = Serializer(types=[Node])

def double(tasks, results):
    while (node := tasks.get()) is not None:
        node.value *= 2
        results.put(node)
        if hasattr(tasks, "task_done"):
            tasks.task_done()

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    tasks, results = Nodes(context=context), Nodes(context=context)
    workers = [context.Process(target=double, args=(tasks, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for value in range(300):
        tasks.put(Node(value))
    assert sorted(results.get().value for _ in range(300)) == list(range(0, 600, 2))
    if hasattr(tasks, "join"):
        tasks.join()
    for _ in workers:
        tasks.put(None)
    for worker in workers:
        worker.join(20)
        assert worker.exitcode == 0
    assert results.empty()
"""


@pytest.mark.parametrize("kind", ["SimpleQueue", "Queue", "JoinableQueue"])
@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_queues(method: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(QUEUES)
    program = [sys.executable, tmp_path / "program.py", method, kind]
    subprocess.run(program, check=True, timeout=60)


@pytest.mark.parametrize("kind", [SimpleQueue, Queue, JoinableQueue])
def test_queues_refuse_what_they_do_not_allow_and_run_nothing(kind: Any, attack: Any) -> None:
    own = kind()
    own.put(ring(10))
    with pytest.raises(holdall.DecodeError, match="Node.*does not allow"):
        own.get()
    plain: Any = multiprocessing.get_context().Queue()
    plain._writer.send_bytes(attack.pickle)
    plain._sem.acquire()
    plain.get(timeout=5)
    assert attack.worked

    def read(data: bytes) -> Any:
        own._writer.send_bytes(data)
        if kind is not SimpleQueue:
            own._sem.acquire()
        return own.get()

    attack.fails(read)


@pytest.mark.parametrize("kind", [Queue, JoinableQueue])
def test_queues_have_a_size_and_timeouts(kind: Any) -> None:
    full = kind(2)
    full.put(ring(3000 if kind is Queue else 3))
    full.put(1, timeout=1)
    with pytest.raises(queue.Full):
        full.put(2, block=False)
    with pytest.raises(queue.Full):
        full.put(2, timeout=0.01)
    empty = kind()
    with pytest.raises(queue.Empty):
        empty.get(timeout=0.01)
    with pytest.raises(queue.Empty):
        empty.get_nowait()
    empty.close()
    with pytest.raises(ValueError, match="closed"):
        empty.put(1)


def test_what_cannot_be_packed_fails_where_it_is_put() -> None:
    """And not in the thread of the queue, which only prints it."""
    waiting = Queue()
    with pytest.raises(holdall.EncodeError):
        waiting.put(lambda: 0)
    waiting.put("next")
    assert waiting.get(timeout=5) == "next"


def test_dask() -> None:
    from dask.distributed import Client, LocalCluster

    kinds = ["holdall", "msgpack"]
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as setup,
    ):
        import holdall.integrations.dask as family

        family.register()
        setup.run(family.register)
        with Client(cluster.scheduler_address, serializers=kinds, deserializers=kinds) as client:
            value = {"a": {1, 2}, "b": (1, [2])}
            (sent,) = client.scatter([value])
            assert client.submit(repr, sent).result(20) == repr(value)
            array = numpy.arange(1000)
            (sent,) = client.scatter([{"a": array}])
            back = client.submit(lambda each: each["a"] * 2, sent).result(20)
            assert (back == array * 2).all()
            assert client.submit(lambda each: {each: each}, 7).result(20) == {7: 7}


# CVE-2021-42343: Dask's workers listened on all addresses, and executed what anyone sent to their ports.
def test_a_server_of_dask_refuses_what_anyone_sends_to_its_port(attack: Any) -> None:
    from distributed.comm import connect, listen
    from distributed.protocol import Serialized
    from holdall.integrations.dask import register

    register()

    async def served(kinds: list[str], header: dict[str, Any], data: bytes) -> Any:
        """What a server that listens on all addresses makes of a message, or the error."""
        found: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        async def handle(comm: Any) -> None:
            try:
                found.set_result(await comm.read(deserializers=kinds))
            except Exception as error:
                found.set_exception(error)
            comm.abort()

        async with listen("tcp://0.0.0.0:0", handle, deserialize=True) as listener:
            port = listener.contact_address.rpartition(":")[2]
            comm = await connect(f"tcp://127.0.0.1:{port}", deserialize=False)
            await comm.write({"op": "compute-task", "data": Serialized(header, [data])})
            try:
                return await asyncio.wait_for(found, 20)
            finally:
                comm.abort()

    def serve(kinds: list[str], kind: str, data: bytes) -> Any:
        header = {"serializer": kind, "writeable": [], "type": "builtins.int"}
        return asyncio.run(served(kinds, header, data))

    serve(["pickle", "msgpack"], "pickle", attack.pickle)
    assert attack.worked
    attack.fails(lambda data: serve(["holdall", "msgpack"], "holdall", data))
    with pytest.raises(TypeError, match="pickle"):
        serve(["holdall", "msgpack"], "pickle", attack.pickle)
    assert not attack.worked
    sent = serve(["holdall", "msgpack"], "holdall", holdall.dumps({"a": {1}}))
    assert sent["data"] == {"a": {1}}


# ---- shared memory ----

SHARED = """
import sys
from holdall.integrations.shared_memory import Shared
from holdall.integrations import Serializer

handle = Serializer(types=[Shared]).loads(bytes.fromhex(sys.argv[1]))
value = handle.open()
value["a"] *= 2
value["b"][0, 0] = 7
"""


def test_arrays_in_shared_memory() -> None:
    from holdall.integrations.shared_memory import Shared, share

    value = {"a": numpy.arange(1000.0), "b": numpy.ones((3, 5), "i2"), "c": "text", "d": []}
    with share(value) as handle:
        sent = holdall.dumps(handle)
        assert len(sent) < 400
        subprocess.run([sys.executable, "-c", SHARED, sent.hex()], check=True, timeout=30)
        back = handle.open()
        assert pickle.loads(pickle.dumps(handle)) == handle
    # The arrays keep the memory.
    assert (back["a"] == value["a"] * 2).all()
    assert (back["b"][0, 0], back["b"][2, 4], back["c"], back["d"]) == (7, 1, "text", [])
    with pytest.raises(FileNotFoundError):
        handle.open()
    with share([1, 2]) as handle:
        assert handle.open() == [1, 2]
    assert type(handle) is Shared


def test_handles_that_no_one_made_are_errors() -> None:
    from holdall.integrations.shared_memory import share

    with share([numpy.arange(10)]) as handle:
        for spans in ([(0, 2**40)], [(-8, 80)], [(2**40, 80)], [(0, 72)], []):
            with pytest.raises(holdall.DecodeError):
                replace(handle, spans=spans).open()
        for name in ("../../etc/passwd", "", f"../shm/{handle.name}"):
            with pytest.raises(holdall.DecodeError, match="names no shared memory"):
                replace(handle, name=name).open()


# ---- concurrent.futures ----


FUTURES = """
import sys
sys.path.insert(0, sys.argv[1])
from concurrent.futures import ProcessPoolExecutor
from holdall.integrations import Serializer
from holdall.integrations.concurrent_futures import Call
from graphs import Node, grown

if __name__ == "__main__":
    first = last = Node(0)
    for value in range(5000):
        last.next = Node(value)
        last = last.next
    with ProcessPoolExecutor(2) as pool:
        call = Call(grown, serializer=Serializer(types=[Node]))
        for back in call.map(pool, [first, first], [1, 2]):
            assert type(back.next) is Node, back
"""
GRAPHS = """
class Node:
    def __init__(self, value):
        self.value, self.next = value, None

def grown(node, number):
    node.value += number
    return node
"""


def test_futures_of_graphs_that_pickle_is_too_deep_for(tmp_path: Path) -> None:
    (tmp_path / "graphs.py").write_text(GRAPHS)
    (tmp_path / "program.py").write_text(FUTURES)
    program = [sys.executable, tmp_path / "program.py", tmp_path]
    subprocess.run(program, check=True, timeout=60)


# ---- Ray ----

RAY = """
import ray
import holdall.integrations.ray

class Node:
    def __init__(self, value):
        self.value, self.next = value, None

ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False)
holdall.integrations.ray.register(Node)

@ray.remote
def length(node):
    count = 0
    while node is not None:
        assert type(node).__name__ == "Node"
        node, count = node.next, count + 1
    return count

first = last = Node(0)
for value in range(4999):
    last.next = Node(value)
    last = last.next
stored = ray.put(first)
assert ray.get(stored).next.value == 0
assert ray.get(length.remote(stored), timeout=60) == 5000
ray.shutdown()
"""


def test_ray() -> None:
    subprocess.run([sys.executable, "-c", RAY], check=True, timeout=110)


def test_serializers_are_sent_to_other_processes() -> None:
    serializer = pickle.loads(pickle.dumps(Serializer(types=[Node], checksum=True)))
    check_ring(serializer.loads(serializer.dumps(ring(5))), 5)
