"""CPython's own tests of pickle, from the installed interpreter. Debian has them in libpython3-testsuite."""

from __future__ import annotations

import os
import time
import unittest
import unittest.mock
from typing import Any

import holdall
import pytest

pickletester = pytest.importorskip("test.pickletester")

OPCODES = "reads the opcodes of pickle"
CODE = "holdall packs no code: functions, methods and classes"
OUT_OF_BAND = "holdall has no option for buffers apart; typed arrays are columns"
CALLS_BUILTIN = "data cannot have a builtin called that is not registered"

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
    "test_builtin_exceptions": CODE,
    "test_builtin_functions": CODE,
    "test_builtin_types": CODE,
    "test_c_methods": CODE,
    "test_dynamic_class": CODE,
    "test_large_pickles": CODE,
    "test_local_lookup_error": CODE,
    "test_nested_names": CODE,
    "test_py_methods": CODE,
    "test_recursive_nested_names": CODE,
    "test_singleton_types": CODE,
    "test_buffer_callback_error": OUT_OF_BAND,
    "test_buffers_error": OUT_OF_BAND,
    "test_in_band_buffers": OUT_OF_BAND,
    "test_inband_accept_default_buffers_argument": OUT_OF_BAND,
    "test_oob_buffers": OUT_OF_BAND,
    "test_oob_buffers_writable_to_readonly": OUT_OF_BAND,
    "test_picklebuffer_error": OUT_OF_BAND,
    "test_buffers_numpy": OUT_OF_BAND,
    "test_attribute_name_interning": "names in data are not interned: until 3.13, interned text is never freed",
    "test_reduce": CALLS_BUILTIN,
    "test_reduce_bad_iterator": CALLS_BUILTIN,
    "test_newobj_not_class": "an instance whose class lies about itself is packed by its true class",
    "test_newobj_proxies": "a weak proxy has no state of its own",
    "test_bad_getattr": "holdall does not ask an instance for its methods, so nothing recurses",
    "test_evil_class_mutating_dict": "members that compare equal after reading are refused",
    "test_reduce_ex_called": "holdall asks for protocol 4, whatever protocol the test names",
    "test_reduce_ex_overrides_reduce": "holdall asks for protocol 4, whatever protocol the test names",
    "test_reduce_ex_calls_base": "holdall asks for protocol 4, whatever protocol the test names",
}


def setup_module() -> None:
    for name, found in vars(pickletester).items():
        is_own = isinstance(found, type) and found.__module__ == pickletester.__name__
        if is_own and not issubclass(found, unittest.TestCase) and not name.startswith("Abstract"):
            holdall.register(found)
    holdall.register(time.struct_time)
    holdall.register(os.stat_result)
    holdall.register(os.statvfs_result)


class Suite(pickletester.AbstractPickleTests, unittest.TestCase):  # type: ignore[misc, name-defined]
    def dumps(self, value: Any, protocol: int | None = None, **options: Any) -> bytes:
        return holdall.dumps(value, **options)

    def loads(self, data: bytes, **options: Any) -> Any:
        return holdall.loads(data, **options)


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
