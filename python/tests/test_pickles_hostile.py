"""Pickles that attack: nothing that they name is imported or called, and memory and time stay within the limits."""

from __future__ import annotations

import codecs
import contextlib
import importlib.readers
import pickle
import random
import sys
import time
import tracemalloc
import warnings
import zoneinfo
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import holdall
import numpy.ma
import numpy.random
import pytest
from sample_values import EVERY
from samples import Plain

#: What must not happen: events of Python's audit of code that runs, or reaches outside.
FORBIDDEN = (
    *("import", "exec", "compile", "open", "os.", "subprocess.", "socket.", "shutil.", "ctypes."),
    *(
        "pickle.find_class",
        "object.__setattr__",
        "code.__new__",
        "webbrowser.",
        "urllib.",
        "marshal.",
    ),
)
_seen: list[str] = []
_is_watching = False


def _watch(event: str, arguments: Any) -> None:
    if _is_watching and event.startswith(FORBIDDEN):
        text = f"{event} {arguments!r}"
        # The data of time zones are files, which `zoneinfo` finds by names that it checks.
        if "tzdata" not in text and "zoneinfo" not in text:
            _seen.append(text[:200])


sys.addaudithook(_watch)


@contextmanager
def nothing_runs() -> Iterator[None]:
    global _is_watching
    _seen.clear()
    _is_watching = True
    try:
        yield
    finally:
        _is_watching = False
    assert not _seen, _seen


def convert(data: bytes, **options: Any) -> Any:
    """The value of a conversion, or the error's code, during which nothing runs."""
    with nothing_runs():
        try:
            converted = holdall.convert_pickle(data, **options)
        except holdall.DecodeError as error:
            return error.code
    return holdall.loads(converted.data)


# What this package itself, and `zoneinfo` for names without a file, import at their first use.
assert importlib.readers
importlib.import_module("importlib.resources._adapters")
assert numpy.ma
assert numpy.random
assert codecs.lookup("raw-unicode-escape")
assert zoneinfo.ZoneInfo("Europe/Paris")
with contextlib.suppress(zoneinfo.ZoneInfoNotFoundError):
    zoneinfo.ZoneInfo("None/Such")
holdall.convert_pickle(pickle.dumps(EVERY[0]))


class Runs:
    """What an object's `__reduce__` returns, in a pickle."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def __reduce__(self) -> Any:
        return self.parts


def attacks() -> dict[str, bytes]:
    import builtins
    import os
    import subprocess

    made: dict[str, Any] = {
        "os.system": Runs(os.system, ("touch /tmp/owned",)),
        "subprocess": Runs(subprocess.Popen, (["touch", "/tmp/owned"],)),
        "eval": Runs(eval, ("__import__('os').system('id')",)),
        "exec": Runs(exec, ("import os",)),
        "open": Runs(open, ("/tmp/owned", "w")),
        "import": Runs(builtins.__import__, ("antigravity",)),
        "nested": [{"deep": (Runs(eval, (Runs(os.getenv, ("HOME",)),)),)}],
        "state": Runs(list, (), None, iter([Runs(os.system, ("id",))])),
        "getattr": Runs(getattr, (Runs(builtins.__import__, ("os",)), "system")),
        "in a key": {Runs(os.system, ("id",)): 1},
        "in a set": {Runs(os.system, ("id",))},
        "in arguments of a known function": Runs(dict.fromkeys, ([1],)),
        "factory": Runs(__import__("collections").defaultdict, (os.system,)),
        "partial": Runs(__import__("functools").partial, (os.system, "id")),
    }
    by_hand = {
        "GLOBAL and REDUCE": b"cos\nsystem\n(S'id'\ntR.",
        "INST": b"(S'id'\nios\nsystem\n.",
        "OBJ": b"(cos\nsystem\nS'id'\no.",
        "STACK_GLOBAL": b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02id\x85R.",
        "NEWOBJ": b"\x80\x02csubprocess\nPopen\n](U\x02iU\x02de\x85\x81.",
        "NEWOBJ_EX": b"\x80\x04\x8c\nsubprocess\x8c\x05Popen\x93\x8c\x02id\x85}\x92.",
        "BUILD with __setstate__": b"cbuiltins\nobject\n)\x81}U\x0c__setstate__cos\nsystem\nsbU\x02idb.",
        "BUILD of a class": b"choldall\nRecord\n}U\x08__init__cos\nsystem\nsb.",
        "a dotted name": b"\x80\x04\x8c\x07holdall\x8c\x0f_plain.os.systemz\x93\x8c\x02id\x85R.",
        "builtins of a function": b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R\x8c\x04evil\x85R.",
        "a call of a result": b"cos\nsystem\n(S'id'\ntR(S'id'\ntR.",
        "types": b"cbuiltins\ntype\n(S'X'\n(t(dtR.",
        "code": b"ctypes\nCodeType\n(I0\ntR.",
        "marshal": b"cmarshal\nloads\n(S'c'\ntR.",
        "a persistent id": b"Pos.system\n.",
        "a persistent id of a call": b"cos\nsystem\n(S'id'\ntRQ.",
        "copyreg's constructor": b"ccopyreg\n_reconstructor\n(csubprocess\nPopen\nc__builtin__\nobject\nNtR.",
        "an extension code": b"\x82\x05(S'id'\ntR.",
    }
    return {**{name: pickle.dumps(each) for name, each in made.items()}, **by_hand}


ATTACKS = attacks()


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_that_a_pickle_names_runs(name: str) -> None:
    convert(ATTACKS[name])
    convert(ATTACKS[name], types=[Plain])
    convert(ATTACKS[name], missing="error")


def test_what_a_call_would_have_done_is_in_the_report() -> None:
    for name in ("os.system", "GLOBAL and REDUCE", "INST", "OBJ", "STACK_GLOBAL", "nested"):
        report = holdall.convert_pickle(ATTACKS[name]).report
        assert report, name
        assert all(each.kind == "object" for each in report)


class Careful:
    made: list[Any] = []

    def __init__(self, *arguments: Any) -> None:
        self.made.append(arguments)


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x04\x8c\x01m\x8c\x07Careful\x93\x8c\x01x\x85R.",
        b"\x80\x04\x8c\x01m\x8c\x07Careful\x93\x8c\x01x\x85\x81.",
        b"(S'x'\nim\nCareful\n.",
    ],
)
def test_arguments_do_not_reach_the_constructor_of_an_allowed_class(data: bytes) -> None:
    assert convert(data, renames={"m.Careful": Careful}) == "unrepresentable"
    assert not Careful.made


def test_attributes_with_a_meaning_are_not_set() -> None:
    data = b"\x80\x04\x8c\x01m\x8c\x05Plain\x93)\x81}(\x8c\x09__class__K\x01\x8c\x0c__setstate__K\x02\x8c\x05labelK\x03ub."
    converted = holdall.convert_pickle(data, renames={"m.Plain": Plain})
    assert vars(holdall.loads(converted.data)) == {"label": 3}


LAUGH = b"]q\x00" + b"0]h\x00ah\x00aq\x00" * 60 + b"."
TEXTS = b"X\x00\x00\x10\x00" + b"x" * (1 << 20) + b"q\x000](" + b"h\x00" * 200_000 + b"e."
TUPLES = (
    b"X\x00\x00\x10\x00"
    + b"x" * (1 << 20)
    + b"q\x000(h\x00h\x00h\x00h\x00h\x00h\x00h\x00h\x00tq\x010]("
) + (b"h\x01" * 20_000 + b"e.")
NUMBERS = b"\x8b\x00\x00\x10\x00" + b"\x7f" * (1 << 20) + b"q\x000](" + b"h\x00" * 20_000 + b"e."

BOMBS: dict[str, tuple[bytes, str | None]] = {
    "lists in lists by the memo": (LAUGH, None),
    "a long text, many times": (TEXTS, "limit_budget"),
    "tuples of a long text": (TUPLES, "limit_budget"),
    "a long integer, many times": (NUMBERS, "limit_budget"),
    "marks": (b"(" * 100_000 + b".", "bad_pickle"),
    "duplicates": (b"]" + b"2" * 200_000 + b".", "bad_pickle"),
    "a deep list": (b"]" * 100_000 + b"a" * 99_999 + b".", None),
    "a deep tuple": (b")" + b"\x85" * 100_000 + b".", None),
    "a deep tuple as a key": (b"}K\x01" + b"\x85" * 100_000 + b"K\x01s.", "limit_depth"),
    "a deep tuple in a set": (b"\x80\x04\x8f(K\x01" + b"\x85" * 100_000 + b"\x90.", "limit_depth"),
    "a deep tuple in a frozenset": (
        b"\x80\x04(K\x01" + b"\x85" * 100_000 + b"\x91.",
        "limit_depth",
    ),
    "deep deques": (b"ccollections\ndeque\n)R" * 50_000 + b"a" * 49_999 + b".", None),
    "deep frozensets": (b"\x80\x04" + b"(" * 100_000 + b"\x91" * 100_000 + b".", None),
    "deep objects": (b"cm\nC\n)\x81" * 50_000 + b"a" * 49_999 + b".", None),
    "a size of 2**63": (b"\x80\x05\x8e" + b"\xff" * 7 + b"\x7f" + b"x.", "bad_pickle"),
    "a size of 2**64": (b"\x80\x05\x96" + b"\xff" * 8 + b"x.", "bad_pickle"),
    "a size of 4 GiB": (b"\x80\x03B\xff\xff\xff\xffx.", "bad_pickle"),
    "a frame of 2**63": (b"\x80\x04\x95" + b"\xff" * 7 + b"\x7fN.", None),
    "a long integer of 2 GiB": (b"\x80\x02\x8b\xff\xff\xff\x7fx.", "bad_pickle"),
    "a negative size": (b"\x80\x02\x8b\xff\xff\xff\xffx.", "bad_pickle"),
    "a date beyond the year 9999": (b"cdatetime\ndate\n(C\x04\xc2\xb1\x0c\x1ftR.", "bad_pickle"),
    "the 31st of February": (b"cdatetime\ndate\n(C\x04\x07\xe5\x02\x1ftR.", "bad_pickle"),
    "a text of numpy whose character there is not": (
        pickle.dumps(numpy.str_("x"), 4).replace(b"C\x04x\0\0\0", b"C\x04" + b"\xff" * 4),
        "bad_pickle",
    ),
    "a memo of 2**32": (b"Nr\xff\xff\xff\xff0j\xff\xff\xff\xff.", None),
    "a memo that is not set": (b"h\x05.", "bad_pickle"),
    "a decimal of a million digits": (b"I" + b"9" * 1_000_000 + b"\n.", "bad_pickle"),
    "Decimal of a million digits": (
        b"cdecimal\nDecimal\n(X@B\x0f\x00" + b"9" * 1_000_000 + b"tR.",
        "limit_budget",
    ),
    "Fraction with an exponent": (b"cfractions\nFraction\n(S'1e999999999'\ntR.", None),
    "bytearray of a size": (b"c__builtin__\nbytearray\n(I99999999999\ntR.", "unconvertible"),
    "bytes of a size": (b"c__builtin__\nbytes\n(I99999999999\ntR.", None),
    "a list of a range": (
        b"c__builtin__\nset\n(c__builtin__\nxrange\n(I0\nI999999999\nI1\ntRtR.",
        "unconvertible",
    ),
    "a deque of a range": (
        b"ccollections\ndeque\n(c__builtin__\nxrange\n(I0\nI999999999\nI1\ntRtR.",
        "unconvertible",
    ),
    "an array of a size": (b"cnumpy\nndarray\n(I99999999\ntR.", None),
    "a shape of an array": (
        (
            b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I999999999\nI999999999\nt"
            b"cnumpy\ndtype\n(S'f8'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntbI00\nS''\ntb."
        ),
        "bad_pickle",
    ),
    "an array of pointers": (
        (
            b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I1\nt"
            b"cnumpy\ndtype\n(S'O8'\nI0\nI1\ntR(I3\nS'|'\nNNNI-1\nI-1\nI63\ntbI00\nS'aaaaaaaa'\ntb."
        ),
        "unconvertible",
    ),
    "a pattern that takes long": (b"cre\n_compile\n(S'(a*)*b'\nI0\ntR.", None),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_stay_within_the_limits(name: str) -> None:
    data, code = BOMBS[name]
    tracemalloc.start()
    start = time.process_time()
    try:
        with nothing_runs():
            try:
                converted = holdall.convert_pickle(data)
            except holdall.DecodeError as error:
                assert error.code == code, str(error)
            else:
                assert code is None
                assert len(converted.data) < 50 * len(data) + 1000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < (1 << 28) + 200 * len(data)
    assert time.process_time() - start < 60


def test_a_budget_bounds_what_a_pickle_may_use() -> None:
    data = pickle.dumps(list(range(100_000)))
    with pytest.raises(holdall.LimitError, match=r"limits=holdall.Limits\(budget=...\)"):
        holdall.convert_pickle(data, limits=holdall.Limits(budget=10_000))


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="re has no such flag any more")
def test_a_pattern_with_a_flag_that_re_itself_fails_on_is_refused() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert convert(b"cre\n_compile\n(X\x02\0\0\0a+K[tR.") == "bad_pickle"


def test_errors_have_a_code_and_an_offset() -> None:
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.convert_pickle(b"K\x01K\x02\xff.")
    assert (failed.value.code, failed.value.offset) == ("bad_pickle", 4)
    with pytest.raises(holdall.DecodeError) as failed:
        holdall.convert_pickle(pickle.dumps(1) + pickle.dumps(2))
    assert (failed.value.code, failed.value.offset) == ("trailing_bytes", 5)
    for data in (b"", b"K", b"K\x01", b".", b"0.", b"a.", b"R.", b"(.", b"K\x01(.", b"KKb."):
        assert convert(data) == "bad_pickle", data


def test_damaged_pickles_are_read_or_refused(rounds: int) -> None:
    chosen = random.Random(5)
    good = [
        pickle.dumps(each, protocol)
        for each in EVERY
        for protocol in (0, 2, 4, 5)
        if _is_picklable(each, protocol)
    ]
    for _ in range(rounds * 25):
        data = bytearray(chosen.choice(good))
        for _ in range(chosen.randrange(1, 4)):
            at = chosen.randrange(len(data))
            match chosen.randrange(4):
                case 0:
                    data[at] = chosen.randrange(256)
                case 1:
                    del data[at : at + chosen.randrange(5)]
                case 2:
                    data[at:at] = chosen.choice(good)[: chosen.randrange(20)]
                case _:
                    data[at] ^= 1 << chosen.randrange(8)
            if not data:
                break
        with nothing_runs():
            try:
                holdall.convert_pickle(bytes(data))
            except (holdall.DecodeError, holdall.EncodeError):
                continue


def _is_picklable(value: Any, protocol: int) -> bool:
    try:
        pickle.dumps(value, protocol)
    except Exception:
        return False
    return True
