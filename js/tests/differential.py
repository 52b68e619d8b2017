"""Reads inputs in hexadecimal, one a line, with the reference decoder and, where the package is built, with Rust.

Prints `code offset`, or `ok`, for each, after the reference's outcome and a comma that of Rust.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "spec" / "reference"))

from holdall_reference import FormatError, decode_message

try:
    import holdall
except ImportError:
    holdall = None

# Values that Python cannot hold are no fault of the bytes.
VALUES_OF_PYTHON = ("custom", "unrepresentable")


def reference(data: bytes) -> str:
    try:
        decode_message(data)
    except FormatError as error:
        return f"{error.code} {error.offset}"
    return "ok"


def rust(data: bytes) -> str:
    try:
        holdall.loads(data)
    except holdall.DecodeError as error:
        return "ok" if error.code in VALUES_OF_PYTHON else f"{error.code} {error.offset}"
    return "ok"


sys.setrecursionlimit(10_000)
for line in sys.stdin:
    message = bytes.fromhex(line)
    print(reference(message) if holdall is None else f"{reference(message)}, {rust(message)}")
