"""Fixtures and settings of all tests."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from holdall._impl import _formats, _registry
from hypothesis import HealthCheck, settings

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "spec" / "reference")]

# For type checkers only; a module that tests import registers its classes once.
collect_ignore = ["typing", *(path.name for path in HERE.glob("generated_*.py"))]
#: `make soak-python` sets it, to the per cent of a whole soak.
SOAK = int(os.environ.get("HOLDALL_SOAK", "0"))
# `make test-rounds` sets it: then tests also try what takes too long for `make test`.
ALL_ROUNDS = SOAK > 0 or os.environ.get("HOLDALL_ROUNDS") == "all"
settings.register_profile(
    "holdall",
    max_examples=200 * SOAK or 30,
    deadline=None,
    database=None,
    derandomize=not SOAK,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("holdall")


@pytest.fixture(autouse=True, scope="session")
def _interrupts() -> None:
    """A shell's background processes ignore these signals, and so do their children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def forgets_classes() -> Iterator[None]:
    """Forgets the classes that a test registers."""
    classes, names = dict(_registry.by_class), dict(_registry.by_name)
    yield
    _registry.by_class.clear()
    _registry.by_class.update(classes)
    _registry.by_name.clear()
    _registry.by_name.update(names)
    for notify in _registry.changed:
        notify()


@pytest.fixture
def own_formats() -> Iterator[None]:
    """Forgets the formats that a test registers."""
    kept = dict(_formats._registered)
    yield
    _formats._registered.clear()
    _formats._registered.update(kept)


@pytest.fixture
def rounds() -> int:
    """How often to repeat something that must not leak."""
    return 1000 * SOAK or 40
