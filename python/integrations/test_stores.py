"""Databases and checkpoints: what is stored comes back whole, and what others stored is not executed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import holdall
import pytest
import sqlalchemy as sa
from holdall.integrations import Serializer
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column


@dataclass
class Point:
    x: float
    y: float


# ---- SQLAlchemy ----


def test_sqlalchemy() -> None:
    from holdall.integrations.sqlalchemy import Holdall

    class Base(DeclarativeBase):
        pass

    class Shape(Base):
        __tablename__ = "shapes"
        id: Mapped[int] = mapped_column(primary_key=True)
        points: Mapped[list[Point]] = mapped_column(Holdall(list[Point]))
        extra: Mapped[Any | None] = mapped_column(Holdall(serializer=Serializer(types=[Point])))

    engine = sa.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(Shape(points=[Point(1, 2)], extra={("a", 1): {1, 2}}))
        session.add(Shape(points=[], extra=None))
        session.commit()
    with Session(engine) as session:
        first, second = session.scalars(sa.select(Shape).order_by(Shape.id))
        assert (first.points, first.extra) == ([Point(1, 2)], {("a", 1): {1, 2}})
        assert (second.points, second.extra) == ([], None)
        second.points = [Point(3, 4)]
        second.extra = Point(5, 6)
        session.commit()
        assert session.scalars(sa.select(Shape.extra).where(Shape.id == 2)).one() == Point(5, 6)
        query = sa.select(Shape).where(Shape.points == [Point(3, 4)])
        assert session.scalars(query).one().id == 2
        assert session.scalar(sa.text("SELECT count(*) FROM shapes WHERE extra IS NULL")) == 0
        assert session.scalar(sa.text("SELECT hex(extra) FROM shapes WHERE id = 1")).startswith(
            "C1"
        )


def test_types_of_columns_do_not_share_statements() -> None:
    from holdall.integrations.sqlalchemy import Holdall

    engine = sa.create_engine("sqlite://")
    data = holdall.dumps({"x": 1.0, "y": 2.0})
    with engine.connect() as connection:
        for kind, expected in [(Point, Point(1, 2)), (dict[str, float], {"x": 1.0, "y": 2.0})]:
            value = sa.type_coerce(sa.literal_column(f"x'{data.hex()}'"), Holdall(kind))
            assert connection.scalar(sa.select(value)) == expected


# CVE-2023-37941: who could write to the database of Apache Superset ran code, by pickles in it.
def test_sqlalchemy_does_not_execute_what_the_database_has(attack: Any) -> None:
    from holdall.integrations.sqlalchemy import Holdall

    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection:

        def read(data: bytes, kind: Any = Holdall) -> Any:
            value = sa.type_coerce(sa.literal_column(f"x'{data.hex()}'"), kind())
            return connection.scalar(sa.select(value))

        read(attack.pickle, sa.PickleType)
        assert attack.worked
        attack.fails(read)


# ---- LangGraph ----


def graph(saver: Any) -> Any:
    from langgraph.graph import StateGraph
    from typing_extensions import TypedDict

    class State(TypedDict):
        seen: set[int]
        where: Point

    def step(state: State) -> State:
        return {"seen": state["seen"] | {len(state["seen"])}, "where": Point(state["where"].y, 0)}

    builder = StateGraph(State)
    builder.add_node("step", step)
    builder.set_entry_point("step")
    builder.set_finish_point("step")
    return builder.compile(checkpointer=saver)


def test_langgraph_checkpoints() -> None:
    from holdall.integrations.langgraph import Serde
    from langchain_core.messages import AIMessage, HumanMessage
    from langgraph.checkpoint.memory import InMemorySaver

    serde = Serde(types=[Point, AIMessage, HumanMessage])
    saver = InMemorySaver(serde=serde)
    app = graph(saver)
    config = {"configurable": {"thread_id": "1"}}
    app.invoke({"seen": {5}, "where": Point(1, 2)}, config)
    state = app.get_state(config).values
    assert state == {"seen": {5, 1}, "where": Point(2, 0)}
    assert {kind for kind, _ in saver.blobs.values()} <= {"holdall", "empty"}
    assert len(list(app.get_state_history(config))) == 3
    messages = [HumanMessage("hi", id="1"), AIMessage("hello", tool_calls=[])]
    assert serde.loads_typed(serde.dumps_typed(messages)) == messages


def test_langgraph_continues_older_threads() -> None:
    from holdall.integrations.langgraph import Serde
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    before = JsonPlusSerializer()
    kind, data = before.dumps_typed([1, "a"])
    with pytest.raises(ValueError, match=f"kind {kind!r}, not 'holdall'; read it with Serde"):
        Serde().loads_typed((kind, data))
    assert Serde(before=before).loads_typed((kind, data)) == [1, "a"]
    assert Serde(before=before).dumps_typed([1])[0] == "holdall"


# CVE-2025-64439 and CVE-2026-28277: checkpoints could name a constructor that LangGraph called.
def test_langgraph_does_not_construct_what_a_checkpoint_names(attack: Any) -> None:
    import json

    from holdall.integrations.langgraph import Serde
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    attack.fails(lambda data: Serde().loads_typed(("holdall", data)))
    call = {
        "lc": 2,
        "type": "constructor",
        "id": ["os", "system"],
        "args": [f"touch {attack.path}"],
    }
    assert Serde().loads_typed(("holdall", holdall.dumps(call))) == call
    with pytest.raises(ValueError, match="kind 'json'"):
        Serde().loads_typed(("json", json.dumps(call).encode()))
    with pytest.raises(ValueError, match="kind 'pickle'"):
        Serde().loads_typed(("pickle", attack.pickle))
    assert not attack.worked
    JsonPlusSerializer(pickle_fallback=True).loads_typed(("pickle", attack.pickle))
    assert attack.worked


# ---- joblib ----


# CVE-2024-34997: joblib unpickles what anyone who can write to its folder puts there.
def test_joblib(tmp_path: Path, attack: Any, caplog: pytest.LogCaptureFixture) -> None:
    from holdall.integrations.joblib import StoreBackend
    from joblib import Memory, register_store_backend

    class Points(StoreBackend):
        serializer = Serializer(types=[Point])

    register_store_backend("points", Points)
    memory = Memory(str(tmp_path / "a"), backend="points", verbose=0)
    calls: list[float] = []

    @memory.cache
    def moved(x: float) -> Any:
        calls.append(x)
        return {x: {Point(x, x).x}, "at": Point(x, 0)}

    assert moved(1.5) == moved(1.5) == {1.5: {1.5}, "at": Point(1.5, 0)}
    assert calls == [1.5]
    (path,) = (tmp_path / "a").rglob("output.hold")
    assert not list((tmp_path / "a").rglob("*.pkl"))

    def read(data: bytes) -> Any:
        path.write_bytes(data)
        return memory.store_backend.load_item(
            path.parent.relative_to(tmp_path / "a" / "joblib").parts
        )

    attack.fails(read)
    # Like any result that joblib cannot read, it is computed again, which joblib logs.
    with caplog.at_level("WARNING", "joblib"):
        assert moved(1.5)["at"] == Point(1.5, 0)
    assert "does not allow" in caplog.text
    assert len(calls) == 2
    assert moved(1.5)["at"] == Point(1.5, 0)
    assert len(calls) == 2
    memory.reduce_size(items_limit=0)
    assert not path.exists()
    options: list[dict[str, Any]] = [{"mmap_mode": "r"}, {"compress": True}]
    for option in options:
        with pytest.raises(ValueError, match="the backend 'holdall' has no (mmap_mode|compress)"):
            Memory(str(tmp_path / "b"), backend="points", verbose=0, **option)

    pickled = Memory(str(tmp_path / "c"), verbose=0)
    pickled.cache(abs)(1)
    (path,) = (tmp_path / "c").rglob("output.pkl")
    path.write_bytes(attack.pickle)
    pickled.cache(abs)(1)
    assert attack.worked


# ---- sqlite3 ----


def test_sqlite3(attack: Any) -> None:
    import sqlite3

    from holdall.integrations.sqlite3 import register

    register(dict, set, tuple, Point)
    connection = sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES)
    connection.execute("CREATE TABLE shapes (id integer primary key, data holdall)")
    values = [{("a", 1): {2}}, {1, 2}, (1, [2]), Point(1, 2), None]
    connection.executemany("INSERT INTO shapes (data) VALUES (?)", [(each,) for each in values])
    assert [row[0] for row in connection.execute("SELECT data FROM shapes ORDER BY id")] == values

    def read(data: bytes) -> Any:
        connection.execute("UPDATE shapes SET data = ? WHERE id = 1", (data,))
        return connection.execute("SELECT data FROM shapes WHERE id = 1").fetchone()

    attack.fails(read)
    connection.close()


# ---- pytest ----

CONFTEST = """
import pytest

pytest_plugins = ["holdall.integrations.pytest"]

class Graph:
    pass

def build():
    with open("calls", "a") as file:
        file.write(".")
    graph = Graph()
    graph.itself = graph
    return graph

@pytest.fixture(scope="session")
def graph(kept):
    with pytest.raises(ValueError, match="a name is"):
        kept("../graph", build)
    return kept("graph", build, types=[Graph])
"""


def test_fixtures_are_kept_between_runs(tmp_path: Path, attack: Any) -> None:
    import subprocess
    import sys

    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text("def test_it(graph): assert graph.itself is graph\n")

    def run(*options: str) -> int:
        command = [sys.executable, "-m", "pytest", "-q", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        print(done.stdout, done.stderr)
        return done.returncode

    assert [run(), run()] == [0, 0]
    assert (tmp_path / "calls").read_text() == "."
    (tmp_path / ".pytest_cache/d/holdall/graph.hold").write_bytes(attack.pickle)
    assert run() == 1
    assert not attack.worked
    assert run("--cache-clear") == 0
    assert (tmp_path / "calls").read_text() == ".."


# ---- Temporal, without its server ----


def test_temporal(attack: Any) -> None:
    import asyncio

    from holdall.integrations.temporalio import MessageConverter, PayloadConverter
    from temporalio.api.common.v1 import Payload
    from temporalio.converter import DataConverter

    data = DataConverter(payload_converter_class=PayloadConverter)
    values = [Point(1, 2), None, {("a", 1): {2}}]

    async def main() -> None:
        payloads = await data.encode(values)
        assert {each.metadata["encoding"] for each in payloads} == {b"binary/holdall"}
        assert await data.decode(payloads, [Point, None, None]) == values
        with pytest.raises(holdall.DecodeError, match="does not allow"):
            await data.decode(payloads[:1])
        before = await DataConverter().encode([{"a": 1}])
        assert await data.decode(before) == [{"a": 1}]

    asyncio.run(main())
    converter = MessageConverter(types=[Point])
    assert converter.from_payload(converter.to_payload(values[0])) == values[0]
    attack.fails(lambda given: PayloadConverter().from_payload(payload(given, Payload)))


def payload(data: bytes, cls: Any) -> Any:
    return cls(metadata={"encoding": b"binary/holdall"}, data=data)


# ---- Jupyter ----


def test_jupyter_shows_files(tmp_path: Path) -> None:
    from IPython.core.formatters import HTMLFormatter

    rows = [{"name": "<b>Ada</b>", "born": 1815}, {"name": "Bob", "born": 1900}]
    holdall.dump(rows, tmp_path / "rows.hold", metadata={"by": "<i>"})
    shown = HTMLFormatter()(holdall.open(tmp_path / "rows.hold"))
    for part in ("$[].name", "string", "2 rows", "&lt;b&gt;Ada&lt;/b&gt;", "&lt;i&gt;"):
        assert part in shown
    assert "<b>" not in shown
    assert "<i>" not in shown
