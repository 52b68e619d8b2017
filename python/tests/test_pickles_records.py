"""Pickles converted without their classes, and files of several pickles."""

from __future__ import annotations

import pickle
from typing import Any

import holdall
import numpy as np
import pytest
from checks import differing
from pickle_samples import VALUES, User, ada, pickled

#: Classes and functions as values, which are not read as records.
WITH_CLASSES = ("class and function", "method")
WITHOUT_CLASSES = [name for name in VALUES if name not in WITH_CLASSES]


@pytest.mark.parametrize("name", WITHOUT_CLASSES)
def test_records_of_unknown_classes_become_objects_where_the_class_is_allowed(name: str) -> None:
    value, types = VALUES[name]
    count = 0
    for data, back in pickled(value):
        converted = holdall.convert_pickle(data)
        assert {each.kind for each in converted.report} == {"object"}
        assert holdall.dumps(holdall.loads(converted.data)) == converted.data
        differences = list(differing(back, holdall.loads(converted.data, types=types)))
        assert not differences, (data, differences[0])
        count += 1
    assert count >= 2


# ---- several pickles ----


def test_several_pickles_are_converted_one_by_one() -> None:
    shared = [1]
    values = [[shared, shared], ada(), {"b": 2.5}]
    data = b"".join(
        pickle.dumps(value, protocol) for value, protocol in zip(values, (2, 5, 0), strict=True)
    )
    first, second, third = holdall.convert_pickles(data, types=[User], checksum=True)
    back = holdall.loads(first.data)
    assert back == values[0]
    assert back[0] is back[1]
    assert holdall.loads(second.data, types=[User]).friends[0].name == "Ada"
    assert third.data == holdall.dumps({"b": 2.5}, checksum=True)
    assert list(holdall.convert_pickles(b"")) == []


def test_offsets_of_several_pickles_are_those_in_the_data() -> None:
    start = pickle.dumps([1])
    _, found = holdall.convert_pickles(start + pickle.dumps(ada()))
    assert found.report[0].offset > len(start)
    reading = holdall.convert_pickles(start + b"K\x01K\x02\xff.")
    assert holdall.loads(next(reading).data) == [1]
    with pytest.raises(holdall.DecodeError) as failed:
        next(reading)
    assert (failed.value.code, failed.value.offset) == ("bad_pickle", len(start) + 4)
    with pytest.raises(holdall.DecodeError, match="holdall.convert_pickles converts"):
        holdall.convert_pickle(start * 2)
    with pytest.raises(TypeError, match="did you mean 'types'"):
        holdall.convert_pickles(start, type=[User])  # type: ignore[call-arg]  # pyright: ignore


def test_pickles_take_their_buffers_in_order() -> None:
    buffers: list[Any] = []
    values = [np.arange(10), np.arange(5)]
    data = b"".join(pickle.dumps(each, 5, buffer_callback=buffers.append) for each in values)
    back = [
        holdall.loads(each.data).tolist() for each in holdall.convert_pickles(data, buffers=buffers)
    ]
    assert back == [list(range(10)), list(range(5))]
