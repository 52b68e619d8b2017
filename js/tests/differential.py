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

# Values that Python cannot hold, such as sets of lists, are no fault of the bytes. What follows them is not read.
NO_VALUES = ("custom", "unrepresentable")


def reference(data: bytes) -> str:
    try:
        decode_message(data)
    except FormatError as error:
        return f"{error.code} {error.offset}"
    return "ok"


def outcomes(data: bytes) -> str:
    first = reference(data)
    if holdall is None:
        return first
    try:
        holdall.loads(data)
    except holdall.DecodeError as error:
        return first if error.code in NO_VALUES else f"{first}, {error.code} {error.offset}"
    return f"{first}, ok"


sys.setrecursionlimit(10_000)
for line in sys.stdin:
    print(outcomes(bytes.fromhex(line)))
