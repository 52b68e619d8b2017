"""Rejects words that only this project used, in all files under version control. `make lint` runs it.

It checks comments, text in quotes and the words of identifiers, and in Markdown everything but code.
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
    r"what (stands|comes next)|that comes now": "what precedes, what follows, the next",
    r"stands? (behind|ahead)": "follows, precedes",
    r"(?<=[;:.] )who (?!(is|it|that)\b)\w+s\b": "a reader, a program that, you",
    r"of which (fewer|more)": "with fewer, with less than",
    r"lets? go of": "release, drop",
    r"(will|does|did|do) not become whole": "cannot be completed",
    r"answers? (how|whether|what|the|a|with|nothing|none)\b": "return",
    r"so many\b": "this many, that many, or the number",
    r"looked at\b": "examined, checked, read",
    r"for who\b": "for a program that, for you",
    r"stands? (at|in|before|beside|there|where|below|above|twice|together)\b": "is at, is in, precedes",
    r"(what|that|which) becomes? of\b": "how something is handled, the result of",
    r"which \w+ has not[;,.]": "because it has no",
    r"all that \w+ has\b": "the only ones it has",
    r"one whole\b": "one complete",
    r"(comes?|came) back as (themselves|itself)\b": "keep their type, are unchanged",
    r"ways? leads? to\b": "paths lead to",
}

#: What is rejected as words of an identifier, such as `told` and `given_up` in `is_told` and `GivenUp`.
REJECTED_NAMES = {
    r"told|tell|telling": "emit, report, pack",
    r"nobody|somebody|whoever": "null, unused, any",
    r"lone(?!.*surrogate)": "single, inline, unpaired",
    r"given up": "consumed",
    r"comes? again": "shared, back-reference",
    r"obeyed|obeys": "control",
    r"rehears\w*": "dry run",
    r"shelf": "pool",
    r"doubts?": "condition, check",
}

#: Recorded outputs and data of others, which the project does not write.
DATA = ("benches/results/", "conformance/golden/", "benches/python/data/", "LICENSE", "Cargo.lock")


def pattern(rejected: dict[str, str], end: str = "") -> re.Pattern[str]:
    groups = (rf"(?P<w{at}>\b(?:{each}){end})" for at, each in enumerate(rejected))
    return re.compile("|".join(groups), re.I)


PATTERN = pattern(REJECTED)
NAMES = pattern(REJECTED_NAMES, r"\b")


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
    elif suffix in (".rs", ".ts"):
        yield from of_slashes(text)
    elif suffix == ".md":
        yield from of_markdown(text)
    elif suffix in (".txt", ".json", ".toml", ".html", ".css", ".sh", "") or name == "Makefile":
        yield from enumerate(text.splitlines(), 1)


def of_python(text: str) -> Iterator[tuple[int, str]]:
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds:
            yield from enumerate(token.string.splitlines(), token.start[0])


#: Comments, of which those of several lines have a star before each, and strings.
SLASHES = re.compile(r'//.*|(?:/\*|^\s*\* ).*|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`')


def of_slashes(text: str) -> Iterator[tuple[int, str]]:
    """Those of Rust and TypeScript."""
    for number, line in enumerate(text.splitlines(), 1):
        # Without what a format string inserts.
        yield number, re.sub(r"\$?\{\w+[^}]*\}", "", " ".join(SLASHES.findall(line)))


IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
#: A string, a comment or the name of a file object's method, in which no identifiers are looked for.
SKIPPED = re.compile(r'//.*|(?:/\*|^\s*\* ).*|#.*|"(?:[^"\\]|\\.)*"|\.tell\(\)|def tell\(self')


def identifiers(name: str, text: str) -> Iterator[tuple[int, str]]:
    """The words of each identifier of a program, separated by spaces, and the number of its line."""
    if not name.endswith((".py", ".pyi", ".rs", ".ts")):
        return
    for number, line in enumerate(text.splitlines(), 1):
        for found in IDENTIFIER.finditer(SKIPPED.sub("", line)):
            words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", found[0])
            yield number, words.replace("_", " ").strip()


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
        checks = ((PATTERN, REJECTED, prose), (NAMES, REJECTED_NAMES, identifiers))
        for rejected, hints, lines_of in checks:
            for number, line in lines_of(name, text):
                for found in rejected.finditer(line):
                    assert found.lastgroup is not None
                    hint = list(hints.values())[int(found.lastgroup[1:])]
                    print(f"{name}:{number}: {found[0]!r}: write {hint}")
                    count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
