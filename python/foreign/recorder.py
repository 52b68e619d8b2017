"""A pytest plugin for the suites of other encoders: each value that they encode or decode makes a round trip.

The report goes to the file that HOLDALL_REPORT names, as JSON.
"""

from __future__ import annotations

import collections
import functools
import json
import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests"), str(HERE.parents[1] / "spec" / "reference")]

import holdall  # noqa: E402
from checks import differing, parts  # noqa: E402

#: Outcome to number of values.
counts: collections.Counter[str] = collections.Counter()
#: What was refused or came back different, each once.
found: dict[str, str] = {}
#: Part of the texts of objects without attributes, which only `==` can compare.
OPAQUE = " object at 0x"
#: Longer texts of values only take time.
SHOWN_LEN = 300


def classes_in(value: Any) -> list[type]:
    """The classes in a value that holdall makes only if they are named."""
    seen: dict[int, Any] = {}
    classes: dict[type, None] = {}
    todo = [value]
    while todo:
        each = todo.pop()
        if id(each) in seen:
            continue
        seen[id(each)] = each
        classes[type(each)] = None
        inside = parts(each)
        if inside is not None:
            todo += inside[1]
    return [each for each in classes if each.__module__ != "builtins"]


def check(value: Any) -> None:
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    try:
        data = holdall.dumps(value)
    except holdall.EncodeError as error:
        counts["refused"] += 1
        found.setdefault(f"refused {kind}: {error.code}", str(error)[:SHOWN_LEN])
        return
    try:
        back = holdall.loads(data, types=classes_in(value))
        difference = next(differing(value, back), None)
        if difference and OPAQUE in difference and value == back:
            difference = None
    except Exception as error:  # A fault of holdall's, or of the comparison: both are findings.
        difference = f"{type(error).__name__}: {error}"
    if difference is None:
        counts["same"] += 1
    else:
        counts["different"] += 1
        found.setdefault(f"different {kind}", difference[:SHOWN_LEN])


def encoding(function: Any) -> Any:
    @functools.wraps(function)
    def encode(value: Any, *arguments: Any, **options: Any) -> Any:
        result = function(value, *arguments, **options)
        check(value)
        return result

    return encode


def decoding(function: Any) -> Any:
    @functools.wraps(function)
    def decode(*arguments: Any, **options: Any) -> Any:
        result = function(*arguments, **options)
        check(result)
        return result

    return decode


class Coder:
    """An encoder or a decoder of msgspec, whose classes cannot be derived from."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.inner, name)
        if name == "encode":
            return encoding(method)
        return decoding(method) if name == "decode" else method


def of_inner(cls: type) -> Any:
    return lambda *arguments, **options: Coder(cls(*arguments, **options))


def pytest_configure() -> None:
    suite = os.environ["HOLDALL_SUITE"]
    if suite == "cbor2":
        import cbor2

        cbor2.dumps, cbor2.loads = encoding(cbor2.dumps), decoding(cbor2.loads)
    else:
        import msgspec

        for module in (msgspec.json, msgspec.msgpack):
            module.encode, module.decode = encoding(module.encode), decoding(module.decode)
            module.Encoder, module.Decoder = of_inner(module.Encoder), of_inner(module.Decoder)  # type: ignore[misc]


def pytest_unconfigure() -> None:
    report = {"counts": counts, "found": dict(sorted(found.items()))}
    Path(os.environ["HOLDALL_REPORT"]).write_text(json.dumps(report, indent=1))
