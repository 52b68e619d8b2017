"""What `import holdall` loads, and what is loaded later."""

from __future__ import annotations

import functools
import subprocess
import sys

import pytest

#: What `import holdall` may load of the standard library; each of these takes about a millisecond or less, or every program has it.
MAY_LOAD = frozenset(
    [
        "__future__",
        "abc",
        "array",
        "collections",
        "contextlib",
        "copyreg",
        "datetime",
        "enum",
        "functools",
        "importlib",
        "io",
        "itertools",
        "keyword",
        "math",
        "mmap",
        "operator",
        "os",
        "re",
        "reprlib",
        "sys",
        "threading",
        "time",
        "types",
        "typing",
        "warnings",
        "weakref",
    ]
)


def loaded_by(code: str) -> set[str]:
    """The modules that code loads, beside those of an empty interpreter."""
    code = f"import sys; before = {{*sys.modules}}; {code}; print(*({{*sys.modules}} - before))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_importing_the_package_imports_what_most_programs_use() -> None:
    loaded = loaded_by("import holdall")
    public = {name.partition(".")[0] for name in loaded if not name.startswith("_")}
    assert public - {"holdall"} <= MAY_LOAD, public - MAY_LOAD
    assert not {"holdall._impl._view", "holdall._impl._streams"} & loaded


def test_plain_values_and_objects_import_nothing_more() -> None:
    code = """
import sys, holdall
before = {*sys.modules}
class Own:
    def __init__(self):
        self.items = [1, 2.5, "text", None, {"a": {1, 2}}, b"bytes", (True, 1 << 80)]
own = Own()
assert holdall.loads(holdall.dumps(own.items)) == own.items
assert holdall.loads(holdall.dumps(own), types=[Own]).items == own.items
assert holdall.loads(holdall.dumps([1, 2]), list[int]) == [1, 2]
loaded = {*sys.modules} - before
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", code], check=True)


LATER = [
    "decimal.Decimal('12.50')",
    "fractions.Fraction(1, 3)",
    "uuid.UUID(int=5)",
    "pathlib.PurePosixPath('/a')",
    "pathlib.PureWindowsPath('C:/a')",
    "pathlib.Path('/a')",
    "ipaddress.ip_address('10.0.0.1')",
    "ipaddress.ip_address('::1')",
    "ipaddress.ip_network('10.0.0.0/8')",
    "ipaddress.ip_interface('10.0.0.1/8')",
    "zoneinfo.ZoneInfo('UTC')",
    "datetime.datetime(2026, 5, 1, tzinfo=zoneinfo.ZoneInfo('UTC'))",
    "pickle.PickleBuffer(b'bytes')",
]


@pytest.mark.parametrize("value", LATER)
def test_a_class_of_a_module_that_is_imported_later_is_packed_and_read_as_ever(value: str) -> None:
    """Also if the module is imported after the package, and by reading."""
    imports = "import datetime, decimal, fractions, ipaddress, pathlib, pickle, uuid, zoneinfo"
    wrapped = f"[{value}, {{'a': {value}}}]"
    packed = f"import holdall; {imports}; data = holdall.dumps({wrapped}).hex(); print(data)"
    run = functools.partial(subprocess.run, check=True, capture_output=True, text=True)
    later = run([sys.executable, "-c", packed]).stdout.strip()
    assert later == run([sys.executable, "-c", f"{imports}; {packed}"]).stdout.strip()
    shown = "bytes(value[0])" if "Buffer" in value else "value[0]"
    read = f"import holdall; value = holdall.loads(bytes.fromhex('{later}')); {imports}; "
    expected = f"bytes({value})" if "Buffer" in value else value
    run([sys.executable, "-c", f"{read} assert {shown} == {expected} and len(value) == 2"])


def test_names_are_imported_when_they_are_used() -> None:
    code = """
import holdall
assert {"Writer", "open", "verify", "Limits", "Field"} <= set(dir(holdall))
assert all(hasattr(holdall, name) for name in dir(holdall)), dir(holdall)
assert not hasattr(holdall, "nothing")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
