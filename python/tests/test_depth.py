"""Deep data of every kind: read, compared, copied, packed and freed, or refused. A crash of the process is a failure."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ALL_ROUNDS, SOAK
from forked import Forked
from holdall._impl import _callables, _classes

IS_3_13 = sys.version_info >= (3, 13)

#: Freeing 40,000 of any unprotected kind takes more than the small stack has. Before 3.13 that stack has 26 bytes for each of half as
#: many, less than a call takes.
LEVELS = [10_000, 200_000, 2_000_000] if SOAK else [40_000 if ALL_ROUNDS or IS_3_13 else 20_000]

#: How one level of each kind is made of the inner value, and how many levels can be read at least; None if there is
#: no limit.
KINDS: dict[str, tuple[str, int | None]] = {
    "list": ("[v]", None),
    "tuple": ("(v,)", 1900),
    "dict": ("{'a': v}", None),
    "map": ("{1: v, 'b': 2}", None),
    "frozenset": ("frozenset([v])", None),
    "ordered dict": ("collections.OrderedDict(a=v)", None),
    "counter": ("collections.Counter(a=v)", None),
    "chain map": ("collections.ChainMap({1: v})", None),
    "namespace": ("types.SimpleNamespace(a=v)", None),
    "record": ("holdall.Record('x.R', a=v)", None),
    "variant": ("holdall.Variant('V', v)", None),
    "extension": ("holdall.Extension('x.e', v)", None),
    "logical": ("holdall.Logical(0xE5, b'', v)", None),
    "object": ("Plain(v)", None),
    "slots": ("Slots(v)", None),
    "named tuple": ("Row(v)", 1900),
    "struct": ("Struct(v)", None),
    "frozen struct": ("FrozenStruct(v)", 1400),
    "struct by identity": ("Unequal(v)", None),
    "struct without collection": ("Loose(v)", 1500),
    "tuple subclass": ("Tuple((v,))", 800),
    "frozenset subclass": ("Frozenset([v])", None),
    "model": ("Model.model_construct(v=v)", None),
    "time with a time zone": ("datetime.time(1, tzinfo=Zone(v))", None),
    "appended": ("with_attributes(Appended(), items=[v])", None),
    "function of C": ("operator.itemgetter(v)", 380),
    "list subclass": ("List([v])", None),
    "deque subclass": ("Deque([v])", None),
    "exception": ("ValueError(v)", None),
    "exception with an attribute": ("with_attributes(ValueError(), own=v)", None),
    "exception group": ("ExceptionGroup('x', [v or ValueError()])", None),
    "exception with a value": ("StopIteration(v)", 300),
    "reduced": ("Reduced(v)", None),
    "deque": ("collections.deque([v])", 2000),
    "defaultdict": ("collections.defaultdict(None, {1: v})", 1000),
    "slice start": ("slice(v, None, None)", 4900),
    "slice stop": ("slice(None, v, None)", 4900),
    "slice step": ("slice(None, None, v)", 4900),
    "array of objects": ("objects(v)", 97),
    "array of more dimensions": ("objects(v).reshape(1, 1)", 97),
    "array of no dimension": ("objects(v).reshape(())", 97),
    "repeat": ("itertools.repeat(v)", 380),
    "error of a file": ("failed(v)", 300),
    "deque in list": ("[collections.deque([v])]", None),
    "array in list": ("[objects(v)]", 97),
    "deques by turns": ("collections.deque([collections.defaultdict(None, {1: v})])", 700),
    "partial": ("functools.partial(int, v)", 380),
    "partial with an attribute": ("with_attributes(functools.partial(int), own=v)", 380),
    "method": ("Held(v).get", None),
    "weak reference": ("[weakref.ref(p := Plain(v)), p]", None),
    "weak values": ("[weakref.WeakValueDictionary({1: (p := Plain(v))}), p]", None),
    "weak keys": ("[weakref.WeakKeyDictionary({(p := Plain(v)): 1}), p]", None),
    "weak set": ("[weakref.WeakSet([p := Plain(v)]), p]", None),
    "chain map with an attribute": ("with_attributes(collections.ChainMap({}), own=v)", None),
    "ordered dict with an attribute": ("with_attributes(collections.OrderedDict(), own=v)", None),
    "masked array": ("numpy.ma.MaskedArray(objects(v))", 97),
    "record array": ("objects(v).view(numpy.recarray)", 97),
    "matrix": ("objects(v).reshape(1, 1).view(numpy.matrix)", 97),
    "dict subclass": ("Dict({1: v})", None),
    "set subclass": ("Set([Plain(v)])", None),
    "ordered dict subclass": ("Ordered(a=v)", None),
    "counter subclass": ("Counted({1: v})", None),
    "defaultdict subclass": ("Default(None, {1: v})", None),
    "str subclass": ("with_attributes(Str('x'), own=v)", None),
    "int subclass": ("with_attributes(Int(1), own=v)", None),
    "float subclass": ("with_attributes(Float(1), own=v)", None),
    "bytes subclass": ("with_attributes(Bytes(b'x'), own=v)", None),
    "cause": ("with_attributes(ValueError(), __cause__=v or None)", None),
    "context": ("with_attributes(ValueError(), __context__=v or None)", None),
    "key": ("{v: 1} if at == levels - 1 else (v,)", 1900),
    "key of slices": ("{(v, 2): 1} if at == levels - 1 else (v, at)", 1900),
    "member": ("{v} if at == levels - 1 else (v,)", 1900),
    "member of a frozen set": ("frozenset([v]) if at == levels - 1 else (v,)", 1900),
    "key of a tuple of objects": ("{v: 1} if at == levels - 1 else Frozen((v,))", 150),
    "key of tuples": ("{v: 1} if at == levels - 1 else Row(v)", 1900),
    "key of a tuple subclass": ("{v: 1} if at == levels - 1 else Tuple((v,))", 800),
    "key of structs": ("{v: 1} if at == levels - 1 else FrozenStruct(v)", 1400),
}
#: Those of the oldest Python, and 500 for methods from 3.13 on: others that have fewer later have one of these.
DOCUMENTED = {most for _, most in KINDS.values() if most is not None} | {500}
if sys.version_info >= (3, 12):
    # Before, no slice can be hashed.
    KINDS.update(
        {f"slice {end}": (KINDS[f"slice {end}"][0], 800) for end in ("start", "stop", "step")}
    )
    KINDS["key of hashed slices"] = ("{v: 1} if at == levels - 1 else slice(v)", 800)

#: Extensions that hold no values of any kind, so that nothing nests in them.
FLAT = {
    **dict.fromkeys(("py.ellipsis", "py.not_implemented", "py.object"), "hold nothing"),
    **dict.fromkeys(("py.callable", "py.zone", "py.pure_path"), "hold a name"),
    **dict.fromkeys(("py.uuid", "py.ipv6_scoped", "py.ip_interface"), "hold scalars"),
    **dict.fromkeys(("py.pattern", "py.timezone", "py.buffer", "py.array"), "hold scalars"),
    **dict.fromkeys(("numpy.array", "numpy.buffer", "numpy.scalar"), "hold numbers"),
    "numpy.dtype": "holds names and types, within limits of numpy",
    **dict.fromkeys(("numpy.bit_generator", "numpy.seed_sequence"), "hold numbers"),
    **dict.fromkeys(("numpy.generator", "numpy.random_state"), "hold one bit generator"),
    "py.datetime": "holds what py.time holds",
}
#: Those of libraries, whose tables and arrays hold scalars and types of their own.
LIBRARIES = ("arrow.", "pandas.", "polars.", "pyarrow.", "torch.", "xarray.")

if IS_3_13:
    # A container between them makes up for less of the stack: `LATER_RELIEF` in `depth.rs`.
    KINDS["method"] = (KINDS["method"][0], 500)
    KINDS["weak reference"] = (KINDS["weak reference"][0], 500)


def test_each_limit_is_documented() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "python" / "types.md"
    table = page.read_text("utf-8").split("| nested values of one kind |")[1].split("\n\n")[0]
    stated = {
        int(number.replace(",", "")) for number in re.findall(r"\| (?:about )?([\d,]+) \|", table)
    }
    assert stated == DOCUMENTED
    assert {most for _, most in KINDS.values() if most is not None} <= DOCUMENTED


HEAD = """
import collections, copy, dataclasses, datetime, functools, gc, itertools, operator, os, sys, threading, types, weakref
import holdall, msgspec, numpy, pydantic

# A level of some kinds is several containers.
unlimited = holdall.Limits(depth=10**9)

@holdall.register
class Plain:
    def __init__(self, v): self.v = v
@holdall.register
class Slots:
    __slots__ = ("v",)
    def __init__(self, v): self.v = v
@holdall.register
@dataclasses.dataclass(frozen=True)
class Frozen:
    v: object
@holdall.register
class Row(collections.namedtuple("Row", "v")):
    __slots__ = ()
@holdall.register
class Struct(msgspec.Struct):
    v: object
@holdall.register
class FrozenStruct(msgspec.Struct, frozen=True):
    v: object
@holdall.register
class Unequal(msgspec.Struct, frozen=True, eq=False):
    v: object
@holdall.register
class Loose(msgspec.Struct, gc=False):
    v: object
@holdall.register
class Model(pydantic.BaseModel):
    v: object
@holdall.register
class Zone(datetime.tzinfo):
    def __init__(self, v=None): self.v = v
    def utcoffset(self, when): return None
@holdall.register
class Tuple(tuple): pass
@holdall.register
class Frozenset(frozenset): pass
@holdall.register
class List(list): pass
@holdall.register
class Deque(collections.deque): pass
@holdall.register
class Dict(dict): pass
@holdall.register
class Set(set): pass
@holdall.register
class Ordered(collections.OrderedDict): pass
@holdall.register
class Counted(collections.Counter): pass
@holdall.register
class Default(collections.defaultdict): pass
@holdall.register
class Str(str): pass
@holdall.register
class Int(int): pass
@holdall.register
class Float(float): pass
@holdall.register
class Bytes(bytes): pass
class Held:
    def __init__(self, v): self.v = v
    def get(self): return self.v
holdall.register(Held, uses=["reduce", "value"])
@holdall.register
class Reduced:
    def __init__(self, v): self.v = v
    def __reduce__(self): return Reduced, (self.v,)
@holdall.register
class Appended:
    def __init__(self): self.items = []
    def append(self, v): self.items.append(v)
    def __reduce__(self): return Appended, (), None, iter(self.items)
holdall.register(itertools.repeat, name="repeat")
holdall.register(operator.itemgetter, name="itemgetter")
holdall.register(iter, name="iter")

def with_attributes(made, **more):
    for name, value in more.items():
        setattr(made, name, value)
    return made

def objects(v):
    array = numpy.empty(1, dtype=object)
    array[0] = v
    return array

def failed(v):
    error = OSError(1, "x", 2)
    error.filename = v
    return error

def run(work, stack):
    threading.stack_size(stack)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
"""

ARGUMENTS = """
folder, every = sys.argv[1], list(map(int, sys.argv[2:]))
"""

NEST = """
def build(levels):
    v = 0
    for at in range(levels):
        v = KIND
    return v
"""

# On a stack that has room for what is refused; nothing is freed. Hashing by Python code has a limit of its own since 3.12.
MAKE = """
Frozen.__hash__ = object.__hash__
def make():
    for levels in every:
        v = build(levels)
        with open(os.path.join(folder, str(levels)), "wb") as file:
            file.write(holdall.dumps(v, limits=unlimited))
        kept.append(v)
    os._exit(0)
kept = []
sys.setrecursionlimit(10**9)
run(make, 3 << 30)
"""

READ = """
results = []
def attempt(work):
    try:
        work()
    except (TypeError, ValueError, RecursionError, holdall.EncodeError):
        pass
def use(compares=True):
    try:
        value = holdall.loads(data)
    except holdall.DecodeError as error:
        assert error.code == "limit_depth", error
        results.append("refused")
        return
    other = holdall.loads(data)
    attempt(lambda: hash(value))
    if compares:
        attempt(lambda: value == other)
    attempt(lambda: copy.copy(value))
    attempt(lambda: copy.deepcopy(value))
    assert holdall.dumps(value, limits=unlimited) == data
    del value, other
    gc.collect()
    results.append("read")
for levels in every:
    data = open(os.path.join(folder, str(levels)), "rb").read()
    use()
    # CPython 3.13 lets comparing and freeing recurse 10,000 levels, whatever the stack has room for.
    if sys.version_info < (3, 13):
        run(use, 512 << 10)
    else:
        run(lambda: use(compares=False), 4 << 20)
print(*results)
"""


@pytest.fixture(scope="module")
def forked() -> Iterator[Forked]:
    with Forked(HEAD) as process:
        yield process


def outcomes(forked: Forked, build: str, every: list[int], folder: Path) -> list[str]:
    """Makes data in one process, and reads them in another on two stacks: returns what happened, for each number of levels."""
    printed = ""
    for program in (build + MAKE, READ):
        done = forked.run(ARGUMENTS + program, folder, folder, *every)
        assert done.returncode == 0, (done.returncode, done.stdout, done.stderr[-1500:])
        assert not done.stderr, done.stderr[-1500:]
        printed = done.stdout
    return printed.split()


@pytest.mark.parametrize("name", list(KINDS)[:: 1 if ALL_ROUNDS else 3])
def test_deep_data_are_read_or_refused(name: str, forked: Forked, tmp_path: Path) -> None:
    kind, most = KINDS[name]
    build = NEST.replace("KIND", kind)
    every, expected = list(LEVELS), ["read", "read"] * len(LEVELS)
    if most is not None:
        every, expected = (
            [most, 10 * most, *LEVELS],
            ["read"] * 2 + ["refused"] * 2 * (1 + len(LEVELS)),
        )
    assert outcomes(forked, build, every, tmp_path) == expected


def test_every_extension_is_among_these_kinds_or_flat(forked: Forked, tmp_path: Path) -> None:
    program = "".join(
        NEST.replace("KIND", kind) + "print(holdall.schema(holdall.dumps(build(2))))\n"
        for kind, _ in KINDS.values()
    )
    done = forked.run(program, tmp_path)
    assert done.returncode == 0, done.stderr[-1500:]
    tried = set(re.findall(r'extension "([^"]+)"', done.stdout))
    every = {*_classes.KNOWN, *_callables.EXTENSIONS}
    own = {name for name in every if not name.startswith(LIBRARIES)}
    assert own == (tried & own) | FLAT.keys()


#: Values of which one leads to the next by a reference, not by nesting.
LINKED = {
    "a chain of deques": """
def build(levels):
    made = {}
    v = None
    for at in range(levels):
        made[at] = v = collections.deque([v])
    return made
""",
    "a ring of deques": """
def build(levels):
    first = v = collections.deque()
    for at in range(levels):
        v = collections.deque([v])
    first.append(v)
    return [first]
""",
    "chains of deques to lists around them": """
def build(levels):
    root = inner = []
    outer = []
    for _ in range(levels // 1000):
        chain = outer
        for _ in range(1000):
            chain = collections.deque([chain])
        inner.append(chain)
        outer = inner
        inner = []
        outer.append(inner)
    return root
""",
}


@pytest.mark.parametrize("name", LINKED)
def test_chains_of_references_are_refused(name: str, forked: Forked, tmp_path: Path) -> None:
    assert outcomes(forked, LINKED[name], LEVELS, tmp_path) == ["refused"] * 2 * len(LEVELS)
