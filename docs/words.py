"""Rejects words that only this project used, in the prose and comments of all files under version control.

It checks comments and text in quotes, and in Markdown everything but code, but no identifiers. `make lint` runs it.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: What is rejected, and what to write instead.
REJECTED = {
    r"told(?! apart)": "given, passed, recorded, reported, emitted",
    r"tell(s|ing)?(?! (\w+ )?apart)(?!\()": "say, show, describe, report, emit",
    r"g[ia]ven? up|giv(es|ing) up": "stop, reject, drop",
    r"(comes?|came|coming) again": "repeat, or a shared value, a back-reference",
    r"(for|by|of|so|from|to|but|and|is) who (?!(is|it|that)\b)\w+": "a reader, a program that, you",
    r"who (can )?reads? whom": "whether each can read the other's data",
    r"whoever": "anyone who, a program that",
    r"nobody|somebody": "no one, unused, unknown; or name the actor",
    r"lone (?!surrogate)": "single, unpaired",
    r"one's own": "your own",
    r"(are|is|was|were|been) passed (by|over)": "skipped",
    r"(goes|go|went|gone|going) on (with|behind)": "continue",
    r"(what|all that) is whole": "intact, complete",
    r"answers? (how|whether|what|the|a|with|nothing|none)\b": "return",
}

#: Recorded outputs and data of others, which the project does not write.
DATA = ("benches/results/", "conformance/golden/", "benches/python/data/", "LICENSE", "Cargo.lock")

PATTERN = re.compile(
    "|".join(rf"(?P<w{at}>\b(?:{each}))" for at, each in enumerate(REJECTED)), re.I
)


def tracked() -> list[str]:
    """All files under version control that are to be checked."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    every = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    here = str(Path(__file__).resolve().relative_to(ROOT))
    return [name for name in every if name != here and not name.startswith(DATA)]


def prose(name: str, text: str) -> Iterator[tuple[int, str]]:
    """The lines of a file that are prose, and their numbers."""
    suffix = Path(name).suffix
    if suffix in (".py", ".pyi"):
        yield from of_python(text)
    elif suffix == ".rs":
        yield from of_rust(text)
    elif suffix == ".md":
        yield from of_markdown(text)
    elif suffix in (".txt", ".json", ".toml", ".html", ".css", ".sh", "") or name == "Makefile":
        yield from enumerate(text.splitlines(), 1)


def of_python(text: str) -> Iterator[tuple[int, str]]:
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds:
            yield from enumerate(token.string.splitlines(), token.start[0])


RUST = re.compile(r'//.*|"(?:[^"\\]|\\.)*"')


def of_rust(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        # Without what a format string inserts.
        yield number, re.sub(r"\{\w+[^}]*\}", "", " ".join(RUST.findall(line)))


def of_markdown(text: str) -> Iterator[tuple[int, str]]:
    in_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        # A comment in an example is prose, too.
        found = re.search(r"(//|#) .*", line) if in_code else None
        yield number, (found[0] if found else "") if in_code else re.sub(r"`[^`]*`", "`", line)


def main() -> int:
    """Prints each rejected word with its place, and what to write instead."""
    count = 0
    for name in tracked():
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in prose(name, text):
            for found in PATTERN.finditer(line):
                assert found.lastgroup is not None
                hint = list(REJECTED.values())[int(found.lastgroup[1:])]
                print(f"{name}:{number}: {found[0]!r}: write {hint}")
                count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
