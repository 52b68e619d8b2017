"""What functions of Python make for objects is measured at some of them, and charged for all."""

from __future__ import annotations

import collections
import dataclasses
import gc
import itertools
import sys
import traceback
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attrs
import holdall
import pytest
from holdall import Limits


@dataclasses.dataclass
class Doc:
    name: str
    words: list[str]


@dataclasses.dataclass
class Token:
    doc: Doc

    def __post_init__(self) -> None:
        pass


@dataclasses.dataclass
class TokenWithWords:
    doc: Doc

    def __post_init__(self) -> None:
        self.words = self.doc.words


@dataclasses.dataclass(slots=True)
class SlottedToken:
    doc: Doc

    def __post_init__(self) -> None:
        pass


@attrs.define
class AttrsToken:
    doc: Doc
    tag: None = attrs.field(default=attrs.Factory(lambda _: None, takes_self=True))


@pytest.mark.parametrize("kind", [Token, TokenWithWords, SlottedToken, AttrsToken])
@pytest.mark.parametrize("is_optional", [False, True])
def test_what_the_data_give_is_not_charged_again(kind: Any, is_optional: bool) -> None:
    other = Doc("other", [])
    large = Doc("large", [f"w{at}" for at in range(9000)])
    data = holdall.dumps([kind(other)] + [kind(large) for _ in range(9000)])
    assert len(holdall.loads(data, list[kind | None] if is_optional else list[kind])) == 9001
    assert len(holdall.loads(data, types=[kind, Doc])) == 9001


FIELDS = [f"f{at}" for at in range(12)]
Buffer = dataclasses.make_dataclass(
    "Buffer",
    [
        *((name, int, 0) for name in FIELDS),
        ("buffer", bytearray, dataclasses.field(default_factory=lambda: bytearray(100_000))),
    ],
)


@pytest.mark.parametrize("each", [1, 7, 100])
@pytest.mark.parametrize("kind", [Buffer, Buffer | None])
def test_objects_with_other_fields_are_not_free(each: int, kind: Any) -> None:
    shapes = (itertools.combinations(FIELDS, count) for count in range(1, 5))
    rows = [dict.fromkeys(names, 1) for names in itertools.chain.from_iterable(shapes)]
    data = holdall.dumps([row for row in rows for _ in range(each)])
    tracemalloc.start()
    try:
        with pytest.raises(holdall.LimitError) as caught:
            holdall.loads(data, list[kind], limits=Limits(budget=300_000))
        assert tracemalloc.get_traced_memory()[1] < 300_000 * 64
    finally:
        tracemalloc.stop()
    assert caught.value.code == "limit_budget"


@dataclasses.dataclass
class Failing:
    a: int

    def __post_init__(self) -> None:
        self.b = bytearray(100)
        if self.a == 50:
            raise ValueError("fifty")


def test_an_error_can_end_on_another_thread() -> None:
    data = holdall.dumps([({"a": at},) for at in range(60)])
    unraisable: list[Any] = []

    def load() -> BaseException:
        with pytest.raises(holdall.DecodeError, match="ValueError: fifty") as caught:
            holdall.loads(data, list[collections.deque[Failing]])
        return caught.value

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
        patch.setattr(sys, "unraisablehook", unraisable.append)
        error: Any = pool.submit(load).result()
        kept = [
            weakref.ref(frame.f_locals["self"])
            for frame, _ in traceback.walk_tb(error.__cause__.__traceback__)
            if isinstance(frame.f_locals.get("self"), Failing)
        ]
        assert kept
        del error
        gc.collect()
    assert not unraisable
    assert [each() for each in kept] == [None] * len(kept)


SHARED = {at: [at] for at in range(9000)}


@holdall.register(decode={"a": lambda value: value})
@dataclasses.dataclass
class Configured:
    a: int
    shared: dict[int, list[int]] = dataclasses.field(default_factory=lambda: SHARED)


def test_a_default_that_all_share_is_not_charged_for_each() -> None:
    data = holdall.dumps([{"a": 7} for _ in range(20_000)])
    back = holdall.loads(data, list[Configured])
    assert len(back) == 20_000
    assert back[-1].shared is SHARED


@pytest.mark.parametrize("slots", [False, True])
def test_places_for_fields_that_data_lack_are_part_of_the_object(slots: bool) -> None:
    fields = [("a", int), *((name, int, 0) for name in FIELDS)]
    kind: Any = dataclasses.make_dataclass("Kind", fields, slots=slots)
    data = holdall.dumps([{"a": 1}] * 100_000, references=False)
    # The least for the rows.
    budget = 100_000 * 16 + 1000
    assert len(holdall.loads(data, list[kind], limits=Limits(budget=budget))) == 100_000


class Plain:
    pass


@pytest.mark.parametrize("coding", ["holdall", "json"])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("bad"), None])
def test_a_hook_can_read_other_data(coding: Any, error: BaseException | None) -> None:
    inner = holdall.dumps([(1,)])

    def hook(_: Any, __: Any) -> Plain:
        assert holdall.loads(inner, list[collections.deque[int]]) == [collections.deque([1])]
        if error is not None:
            raise error
        return Plain()

    data = holdall.dumps([[1]], format=coding)
    if error is None:
        (made,) = holdall.loads(data, list[Plain], dec_hook=hook, format=coding)
        assert type(made) is Plain
    elif isinstance(error, KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            holdall.loads(data, list[Plain], dec_hook=hook, format=coding)
    else:
        with pytest.raises(holdall.DecodeError, match="custom in .*ValueError: bad") as caught:
            holdall.loads(data, list[Plain], dec_hook=hook, format=coding)
        assert caught.value.__cause__ is error


@dataclasses.dataclass
class Queue:
    items: collections.deque[int]


def test_empty_tuples_are_no_shared_values() -> None:
    one, other = holdall.loads(holdall.dumps([(), ()]), list[collections.deque[int]])
    assert one is not other
    first, second = holdall.loads(holdall.dumps([{"items": ()} for _ in range(2)]), list[Queue])
    assert first.items is not second.items
    answers = holdall.loads(holdall.dumps([(), ()]), list[Plain], dec_hook=lambda *_: Plain())
    assert answers[0] is not answers[1]


def test_shared_values_are_fitted_once() -> None:
    shared = (1, [2])
    one, other = holdall.loads(
        holdall.dumps([shared, shared]), list[Plain], dec_hook=lambda *_: Plain()
    )
    assert one is other


@dataclasses.dataclass
class Disguised:
    a: int

    def __post_init__(self) -> None:
        pass

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("measuring runs no code of the class")


def test_measuring_does_not_ask_an_object_for_its_class() -> None:
    data = holdall.dumps([{"a": at} for at in range(40)])
    assert len(holdall.loads(data, list[Disguised])) == 40
