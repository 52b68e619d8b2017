"""Objects of other libraries come back whole from `types=[library]`: equal, of the same class, and usable."""

from __future__ import annotations

import ast
import datetime
import enum
import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import holdall
import msgspec
import networkx
import numpy as np
import pandas
import PIL.Image
import pydantic
import pytest
import scipy.sparse
import sklearn
import sqlalchemy
import sympy
from sqlalchemy import orm

HERE = sys.modules[__name__]
DOCS = Path(__file__).resolve().parents[2] / "docs" / "python" / "libraries.md"


def whole(value: Any, *types: Any) -> Any:
    """What is read of a value, with all its classes known, and what pickle's own behaviour gives."""
    data = holdall.dumps(value)
    # Without permission, all is kept as it was.
    assert holdall.dumps(holdall.loads(data)) == data
    return holdall.loads(data, types=[*types, HERE], missing="error")


# ---- classes ----


@dataclass
class Data:
    name: str
    parts: list[Data] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Frozen:
    x: int = 1


@attrs.define
class Defined:
    x: int
    y: list[int] = attrs.Factory(list)


@attrs.frozen
class AttrsFrozen:
    x: int


class Row(NamedTuple):
    a: int
    b: str = "b"


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Number(enum.IntEnum):
    ONE = 1


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    id: int
    tags: set[str] = set()
    inner: Model | None = None
    _seen: int = pydantic.PrivateAttr(default=0)


class Struct(msgspec.Struct):
    id: int
    next: Struct | None = None


class Tagged(msgspec.Struct, frozen=True, tag="t"):
    at: datetime.date


CLASSES: dict[str, Any] = {
    "dataclasses": [Data("a", [Data("b")]), Frozen(5)],
    "attrs": [Defined(1, [2]), AttrsFrozen(3)],
    "NamedTuple": [Row(1), Row(2, "c")],
    "Enum and Flag": [Colour.RED, Colour.BLUE, Rights.READ | Rights.WRITE, Rights(0), Number.ONE],
    "pydantic": [Model(id=1, tags={"x"}, inner=Model(id=2), other=3)],
    "msgspec": [Struct(1, Struct(2)), Tagged(datetime.date(2026, 1, 2))],
}


@pytest.mark.parametrize("name", CLASSES)
def test_objects_of_declared_classes_are_equal(name: str) -> None:
    back = whole(CLASSES[name])
    assert back == CLASSES[name]
    assert [type(each) for each in back] == [type(each) for each in CLASSES[name]]
    assert list(map(repr, back)) == list(map(repr, CLASSES[name]))


def test_models_keep_private_attributes_and_what_was_set() -> None:
    model = Model(id=1)
    model._seen = 5
    back = whole(model)
    assert (back._seen, back.model_fields_set) == (5, {"id"})
    assert back.model_copy(update={"id": 2}).id == 2


class Base(orm.DeclarativeBase): ...


class Author(Base):
    __tablename__ = "author"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str]
    books: orm.Mapped[list[Book]] = orm.relationship(back_populates="author")


class Book(Base):
    __tablename__ = "book"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    title: orm.Mapped[str]
    author_id: orm.Mapped[int] = orm.mapped_column(sqlalchemy.ForeignKey("author.id"))
    author: orm.Mapped[Author] = orm.relationship(back_populates="books")


def test_detached_objects_of_sqlalchemy_can_be_merged_again() -> None:
    engine = sqlalchemy.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with orm.Session(engine) as session:
        session.add(Author(id=1, name="Ada", books=[Book(id=1, title="Notes")]))
        session.commit()
    with orm.Session(engine) as session:
        ada = session.get(Author, 1)
        assert ada is not None
        assert ada.books[0].author is ada
    back = whole(ada, sqlalchemy)
    assert sqlalchemy.inspect(back).detached
    assert (back.name, back.books[0].title, back.books[0].author is back) == ("Ada", "Notes", True)
    back.name = "Lovelace"
    with orm.Session(engine) as session:
        session.merge(back)
        session.commit()
        assert session.scalar(sqlalchemy.select(Author.name)) == "Lovelace"


# ---- networkx ----


def used(graph: Any) -> Any:
    """The views that a graph caches when they are asked for are part of it."""
    for name in ("nodes", "edges", "adj", "degree"):
        getattr(graph, name)
    return graph


GRAPHS: dict[str, Callable[[], Any]] = {
    "Graph": networkx.karate_club_graph,
    "DiGraph": lambda: networkx.DiGraph([(1, 2, {"w": 0.5}), (2, 3)], name="d"),
    "MultiGraph": lambda: networkx.MultiGraph([(1, 2), (1, 2)]),
    "MultiDiGraph": lambda: networkx.MultiDiGraph([(1, 2), (1, 2), (2, 1)]),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("prepare", [used, lambda graph: graph], ids=["used", "new"])
def test_graphs_of_networkx_are_equal_and_usable(name: str, prepare: Any) -> None:
    graph = prepare(GRAPHS[name]())
    back = whole(graph, networkx)
    assert type(back) is type(graph)
    assert networkx.utils.graphs_equal(graph, back)
    assert list(back.edges(data=True)) == list(graph.edges(data=True))
    assert dict(back.degree) == dict(graph.degree)
    back.add_edge(1, "new")
    assert back.has_edge(1, "new")
    assert networkx.shortest_path(back, 1, "new") == [1, "new"]


def test_views_of_networkx_need_the_functions_that_they_hold() -> None:
    functions = [networkx.filters.no_filter, networkx.classes.function.frozen]
    graph = networkx.path_graph(5)
    for view in (
        graph.subgraph([1, 2, 4]),
        networkx.freeze(networkx.path_graph(3)),
        networkx.reverse_view(networkx.DiGraph([(1, 2)])),
    ):
        data = holdall.dumps(view)
        named = holdall.classes(data)
        assert "networkx.classes.function.frozen" in named
        with pytest.raises(
            holdall.DecodeError, match=r"networkx\.classes\.function\.frozen"
        ) as failed:
            holdall.loads(data, types=[networkx], missing="error")
        filters = "networkx.classes.filters.no_filter"
        assert (filters in str(failed.value)) is (filters in named)
        back = holdall.loads(data, types=[networkx, *functions], missing="error")
        assert list(back.edges) == list(view.edges)
        with pytest.raises(networkx.NetworkXError, match="Frozen"):
            back.add_node(9)
    with pytest.raises(holdall.EncodeError, match="no module has under its name"):
        holdall.dumps(networkx.edge_subgraph(graph, [(1, 2)]))


# ---- numpy, scipy, scikit-learn ----


@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_generators_of_numpy_go_on_where_they_were(name: str) -> None:
    generator = np.random.Generator(getattr(np.random, name)(1))
    generator.integers(5, size=3, dtype="i4")
    back = holdall.loads(holdall.dumps([generator, generator.bit_generator]))
    assert back[0].bit_generator is back[1]
    assert (back[0].random(700) == generator.random(700)).all()
    assert back[0].spawn(1)[0].random() == generator.spawn(1)[0].random()


def test_the_older_generators_and_seeds_too() -> None:
    state = np.random.RandomState(1)
    state.normal()
    back = holdall.loads(holdall.dumps(state))
    assert (back.normal(), back.rand()) == (state.normal(), state.rand())
    seeds = np.random.SeedSequence([1, 2], spawn_key=(3,))
    seeds.spawn(2)
    again = holdall.loads(holdall.dumps(seeds))
    assert repr(again) == repr(seeds)
    assert list(again.generate_state(4)) == list(seeds.generate_state(4))


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_arrays_of_numpys_own_subclasses_are_equal() -> None:
    masked = np.ma.array([1.5, 2.5], mask=[False, True], fill_value=-1.0)
    back = holdall.loads(holdall.dumps([masked, np.ma.array([1]), np.matrix([[1, 2]])]))
    assert repr(back) == repr([masked, np.ma.array([1]), np.matrix([[1, 2]])])
    table = np.rec.array([(1, 2.5), (3, 4.5)], names="a,b")
    again = holdall.loads(holdall.dumps(table))
    assert type(again) is np.recarray
    assert (again.a.tolist(), again.b.tolist()) == ([1, 3], [2.5, 4.5])


MATRICES = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]


@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("name", MATRICES)
def test_sparse_arrays_of_scipy_are_equal_and_usable(name: str, kind: str) -> None:
    given = getattr(scipy.sparse, f"{name}_{kind}")(np.array([[0, 1.5, 0], [2, 0, 0]]))
    back = whole(given, scipy)
    assert (type(back), back.dtype, back.shape) == (type(given), given.dtype, given.shape)
    assert (back.toarray() == given.toarray()).all()
    assert (back @ np.ones(3) == given @ np.ones(3)).all()


X = np.random.default_rng(0).normal(size=(60, 4))
Y = (X[:, 0] > 0).astype(int)


def predicts(estimator: Any) -> Any:
    for method in ("predict", "transform"):
        if hasattr(estimator, method):
            answer = getattr(estimator, method)(X)
            return answer.toarray() if scipy.sparse.issparse(answer) else answer
    return estimator.labels_


def estimators() -> dict[str, Any]:
    import sklearn.cluster as cluster
    import sklearn.compose as compose
    import sklearn.decomposition as decomposition
    import sklearn.ensemble as ensemble
    import sklearn.gaussian_process as gaussian_process
    import sklearn.linear_model as linear
    import sklearn.model_selection as selection
    import sklearn.naive_bayes as bayes
    import sklearn.neighbors as neighbors
    import sklearn.neural_network as network
    import sklearn.pipeline as pipeline
    import sklearn.preprocessing as preprocessing
    import sklearn.svm as svm
    import sklearn.tree as tree

    made = [
        cluster.DBSCAN(),
        cluster.KMeans(2, random_state=0),
        compose.ColumnTransformer([("a", preprocessing.StandardScaler(), [0, 1])]),
        decomposition.PCA(2),
        decomposition.TruncatedSVD(2, random_state=0),
        ensemble.ExtraTreesRegressor(3, random_state=0),
        ensemble.GradientBoostingClassifier(n_estimators=3),
        ensemble.HistGradientBoostingClassifier(max_iter=3),
        ensemble.IsolationForest(n_estimators=3, random_state=0),
        ensemble.RandomForestClassifier(3, random_state=0),
        gaussian_process.GaussianProcessRegressor(),
        linear.LinearRegression(),
        linear.LogisticRegression(),
        linear.SGDClassifier(random_state=0),
        bayes.GaussianNB(),
        neighbors.KNeighborsClassifier(algorithm="brute"),
        network.MLPClassifier((3,), max_iter=5, random_state=0),
        pipeline.make_pipeline(preprocessing.StandardScaler(), linear.Ridge()),
        preprocessing.KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"),
        preprocessing.OneHotEncoder(handle_unknown="ignore"),
        preprocessing.PolynomialFeatures(),
        selection.GridSearchCV(linear.Ridge(), {"alpha": [0.1, 1.0]}, cv=2),
        svm.SVC(),
        tree.DecisionTreeClassifier(random_state=0),
    ]
    return {type(each).__name__: each for each in made}


ESTIMATORS = estimators()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_of_sklearn_predict_the_same(name: str) -> None:
    fitted = ESTIMATORS[name].fit(X, Y)
    back = whole(fitted, sklearn, scipy)
    assert type(back) is type(fitted)
    assert np.array_equal(predicts(back), predicts(fitted))
    assert np.array_equal(predicts(back.fit(X, Y)), predicts(fitted.fit(X, Y)))


def test_trees_of_neighbours_need_the_function_that_makes_them() -> None:
    from sklearn.metrics import _dist_metrics
    from sklearn.neighbors import KNeighborsClassifier, _ball_tree, _kd_tree

    for algorithm, module in (("kd_tree", _kd_tree), ("ball_tree", _ball_tree)):
        fitted = KNeighborsClassifier(algorithm=algorithm).fit(X, Y)
        with pytest.raises(holdall.DecodeError, match="newObj"):
            holdall.loads(holdall.dumps(fitted), types=[sklearn])
        back = whole(fitted, sklearn, module.newObj, _dist_metrics.newObj)
        assert (back.predict(X) == fitted.predict(X)).all()


def test_frames_of_pandas_need_the_functions_that_make_their_blocks() -> None:
    from pandas._libs.arrays import __pyx_unpickle_NDArrayBacked as array
    from pandas._libs.internals import _unpickle_block as block
    from pandas.core.indexes.base import _new_Index as index

    frame = pandas.DataFrame(
        {
            "number": [1, 2],
            "missing": [1.5, None],
            "text": ["x", None],
            "time": pandas.to_datetime(["2020-01-01", "2021-01-01"]),
            "kind": pandas.Categorical(["p", "q"]),
        },
        index=pandas.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["l", "n"]),
    )
    back = whole([frame, frame["time"]], pandas, block, array, index)
    pandas.testing.assert_frame_equal(back[0], frame)
    pandas.testing.assert_series_equal(back[1], frame["time"])
    assert back[0].groupby("l")["number"].sum().to_dict() == {"a": 1, "b": 2}


def test_a_transformer_needs_its_function() -> None:
    from sklearn.preprocessing import FunctionTransformer

    data = holdall.dumps(FunctionTransformer(np.log1p))
    assert holdall.classes(data)["numpy.log1p"] is None
    back = holdall.loads(data, types=[sklearn, np.log1p], missing="error")
    assert back.transform([[0.0]]).tolist() == [[0.0]]
    assert back.func is np.log1p


def test_vectorizers_keep_their_vocabulary() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    fitted = TfidfVectorizer().fit(["a bb cc", "bb dd"])
    back = whole(fitted, sklearn, scipy)
    assert back.vocabulary_ == fitted.vocabulary_
    assert (back.transform(["bb dd"]) != fitted.transform(["bb dd"])).nnz == 0


# ---- sympy, PIL, syntax trees ----

x, y = sympy.Symbol("x"), sympy.Symbol("y", positive=True)
EXPRESSIONS = [
    *(x, y, x + 1, sympy.sin(x) ** 2 / y, sympy.sqrt(2), sympy.Integer(7), sympy.Integer(0)),
    *(sympy.Rational(1, 3), sympy.Float("1.25", 30), sympy.pi, sympy.E, sympy.I, sympy.oo),
    *(sympy.zoo, sympy.nan, sympy.S.true, sympy.S.false, sympy.S.Half),
    sympy.Integral(sympy.exp(-(x**2)), (x, 0, sympy.oo)),
    sympy.Derivative(sympy.sin(x), x),
    sympy.Sum(x, (x, 1, 5)),
    sympy.Matrix([[x, 1], [2, y]]),
    sympy.ImmutableMatrix([[x, 1]]),
    sympy.Eq(x, y),
    sympy.Piecewise((x, x > 0), (0, True)),
    sympy.FiniteSet(1, 2),
    sympy.Interval(0, 1),
    sympy.Poly(x**2 + 1, x),
    sympy.Dummy("d"),
    sympy.Wild("w"),
    sympy.Lambda(x, x + 1),
    sympy.Tuple(1, x),
]


@pytest.mark.parametrize("given", EXPRESSIONS, ids=str)
def test_expressions_of_sympy_are_equal_and_usable(given: Any) -> None:
    back = whole(given, sympy)
    assert type(back) is type(given)
    assert back == given
    assert sympy.srepr(back) == sympy.srepr(given)
    if isinstance(given, sympy.Expr):
        assert sympy.simplify(back - given) == sympy.simplify(given - given)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "CMYK", "I", "F", "LA"])
def test_images_of_pil_are_equal(mode: str) -> None:
    image = PIL.Image.effect_noise((5, 4), 50).convert("RGB").convert(mode)
    back = whole(image, PIL)
    assert (back, back.mode, back.tobytes()) == (image, mode, image.tobytes())
    assert back.resize((2, 2)).size == (2, 2)


def test_syntax_trees_compile_again() -> None:
    tree = ast.parse(
        "def f(x: int) -> int:\n    return x + 1 if x else ...\n\nb'a'; 1j; f'{f(2)!r}'"
    )
    back = whole(tree, ast)
    assert ast.dump(back, include_attributes=True) == ast.dump(tree, include_attributes=True)
    space: dict[str, Any] = {}
    exec(compile(back, "tree", "exec"), space)
    assert space["f"](2) == 3


def double(number: int, *, times: int = 1) -> int:
    return 2 * number * times


def test_partials_hold_a_function_that_is_allowed() -> None:
    back = whole(functools.partial(double, times=3), double)
    assert back(1) == 6


def test_the_docs_name_the_versions_that_are_tested() -> None:
    text = DOCS.read_text()
    for name in ("attrs", "msgspec", "networkx", "numpy", "pandas", "pillow", "pydantic"):
        assert f"| {name} {metadata.version(name)} |" in text
    for name in ("scikit-learn", "scipy", "SQLAlchemy", "sympy", "xarray"):
        assert f"| {name} {metadata.version(name)} |" in text
