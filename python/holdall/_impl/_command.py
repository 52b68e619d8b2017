"""What Python adds to the command `holdall`: pickles, whose classes only Python has."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path


def run(arguments: Sequence[str]) -> int | None:
    """Runs `pack` for a pickle. Returns its exit status; None for other formats, which the half in Rust has."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--from", dest="format", nargs="?")
    parser.add_argument("-o", "--output", nargs="?")
    given, others = parser.parse_known_args(arguments)
    if given.format is None:
        # By the file's extension.
        names = [each for each in others if each[:1] != "-" and each != given.output]
        is_pickle = any(Path(name).suffix in (".pkl", ".pickle") for name in names)
    else:
        is_pickle = given.format == "pickle"
    if not is_pickle:
        return None
    # Only then is the module worth its import.
    from ._pickles import command

    return command.run(arguments)
