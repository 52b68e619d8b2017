"""Databases and checkpoints: what is stored comes back whole, and what others stored is not executed."""

from __future__ import annotations

from dataclasses import dataclass
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
