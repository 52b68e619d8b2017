"""Arguments of the interface that are none of its types or beyond its range."""

from __future__ import annotations

from typing import Any

import holdall
import pytest


@pytest.mark.parametrize("other", [b"x", None, "list(int)"])
def test_a_store_takes_schemas_alone(other: Any) -> None:
    store = holdall.SchemaStore()
    with pytest.raises(TypeError, match=r"schema must be a holdall\.Schema, such as"):
        store.put(other)
    assert len(store) == 0
    with pytest.raises(TypeError, match=r"newer must be a holdall\.Schema"):
        holdall.Schema.parse("int").diff(other)


@pytest.mark.parametrize("fingerprint", [-1, 1 << 64, 1 << 1000])
def test_no_store_has_a_fingerprint_beyond_64_bits(fingerprint: int) -> None:
    assert holdall.SchemaStore().get(fingerprint) is None
    assert fingerprint not in holdall.SchemaStore()


@pytest.mark.parametrize("threads", [-1, 1 << 32, 1 << 70])
def test_a_number_of_threads_has_32_bits(threads: int) -> None:
    with pytest.raises(ValueError, match="threads must be a number from 1 on"):
        holdall.dumps([1], threads=threads)
