"""Reads inputs in hexadecimal, one a line, with the reference decoder; prints `code offset`, or `ok` for each."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "spec" / "reference"))

from holdall_reference import FormatError, decode_message

sys.setrecursionlimit(10_000)
for line in sys.stdin:
    try:
        decode_message(bytes.fromhex(line))
        print("ok")
    except FormatError as error:
        print(error.code, error.offset)
