"""CPython's own tests of pickle, from the installed interpreter. Debian has them in libpython3-testsuite."""

from __future__ import annotations

import importlib
import unittest
import unittest.mock
from typing import Any

import holdall
import pytest

try:
    pickletester = importlib.import_module("test.pickletester")
except ModuleNotFoundError as error:
    # A target that skips what it is for would pass.
    raise ModuleNotFoundError(
        f"{error}: this Python has no tests of CPython; install them (Debian: libpython3-testsuite), "
        "or name a Python that has them: make PYTHON=..."
    ) from None

OPCODES = "reads the opcodes of pickle"
NOT_IN_A_MODULE = (
    "holdall packs classes and functions by name, and no module has these under theirs"
)
CLASS_METHOD = "what `__reduce__` calls must be a function of a module; this is a method of a class"
OWN_ERRORS = "an error of holdall's own, where the test wants one of pickle's"
PROTOCOL = "holdall asks for protocol 4, whatever protocol the test names"

#: Tests that fail with holdall, and why.
EXPECTED = {
    "test_appends_on_non_lists": OPCODES,
    "test_bytearray": OPCODES,
    "test_complex_newobj": OPCODES,
    "test_complex_newobj_ex": OPCODES,
    "test_dict_chunking": OPCODES,
    "test_float_format": OPCODES,
    "test_framing_large_objects": OPCODES,
    "test_framing_many_objects": OPCODES,
    "test_framed_write_sizes_with_delayed_writer": OPCODES,
    "test_global_ext1": OPCODES,
    "test_global_ext2": OPCODES,
    "test_global_ext4": OPCODES,
    "test_int_pickling_efficiency": OPCODES,
    "test_list_chunking": OPCODES,
    "test_long1": OPCODES,
    "test_long4": OPCODES,
    "test_optional_frames": OPCODES,
    "test_pickle_to_2x": OPCODES,
    "test_proto": OPCODES,
    "test_set_chunking": OPCODES,
    "test_setitems_on_non_dicts": OPCODES,
    "test_short_tuples": OPCODES,
    "test_simple_newobj": OPCODES,
    "test_singletons": OPCODES,
    "test_compat_pickle": OPCODES,
    "test_c_methods": "methods in C of an object, such as 'abcd'.index, are not data",
    "test_dynamic_class": NOT_IN_A_MODULE,
    "test_local_lookup_error": NOT_IN_A_MODULE,
    "test_recursive_nested_names": NOT_IN_A_MODULE,
    "test_singleton_types": NOT_IN_A_MODULE,
    "test_in_band_buffers": CLASS_METHOD,
    "test_oob_buffers": CLASS_METHOD,
    "test_oob_buffers_writable_to_readonly": CLASS_METHOD,
    "test_buffer_callback_error": OWN_ERRORS,
    "test_buffers_error": OWN_ERRORS,
    "test_picklebuffer_error": "a PickleBuffer is packed, whatever protocol the test names",
    "test_builtin_exceptions": "wants the names that classes have in pickle's protocol 2",
    "test_newobj_not_class": "an instance whose class lies about itself is packed by its true class",
    "test_newobj_proxies": "a weak proxy has no state of its own",
    "test_bad_getattr": "holdall does not ask an instance for its methods, so nothing recurses",
    "test_evil_class_mutating_dict": "members that compare equal after reading are refused",
    "test_reduce_ex_called": PROTOCOL,
    "test_reduce_ex_overrides_reduce": PROTOCOL,
    "test_reduce_ex_calls_base": PROTOCOL,
}


class Suite(pickletester.AbstractPickleTests, unittest.TestCase):  # type: ignore[misc, name-defined]
    def dumps(self, value: Any, protocol: int | None = None, **options: Any) -> bytes:
        return holdall.dumps(value, **options)

    def loads(self, data: bytes, **options: Any) -> Any:
        # As pickle: what the data name is imported and called.
        return holdall.loads(data, trust=True, **options)


# Collected by name below, not by pytest.
Suite.__test__ = False
NAMES = unittest.defaultTestLoader.getTestCaseNames(Suite)


@pytest.mark.parametrize("name", NAMES)
def test_suite_of_pickle(name: str) -> None:
    result = unittest.TestResult()
    Suite(name).run(result)
    failed = [text for _, text in (*result.failures, *result.errors)]
    if name in EXPECTED:
        assert failed or result.skipped, f"passes, and is listed as: {EXPECTED[name]}"
    else:
        assert not failed, failed[0]


def test_expected_failures_exist() -> None:
    assert EXPECTED.keys() <= set(NAMES)
