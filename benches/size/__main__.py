"""Builds one small program for each serializer, and prints its size, the time of a clean build, and the time to compile
the program alone once the crates are built: with one struct, and with more.

Run by `make bench-size`. The crates are fetched before the clock starts.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# How many structs the longer program has.
STRUCTS = 20

STRUCT = """\
{derive}
struct {name} {{
    id: u64,
    name: String,
    score: f64,
    tags: Vec<String>,
    active: bool,
}}

fn copy_{name}(bytes: &[u8]) -> Vec<u8> {{
    let value: {name} = {read}.unwrap();
    {write}
}}

"""

MAIN = """\
#![allow(non_snake_case)]

use std::io::{{Read, Write}};

{structs}fn main() {{
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).unwrap();
    let copies: [fn(&[u8]) -> Vec<u8>; {count}] = [{copies}];
    std::io::stdout().write_all(&copies[bytes.len() % {count}](&bytes)).unwrap();
}}
"""


@dataclass(frozen=True)
class Peer:
    """A serializer: its dependencies, and the code of the program."""

    name: str
    dependencies: str
    derive: str
    read: str
    write: str


HOLDALL = f'path = "{ROOT / "crates" / "holdall"}"'
OURS = (
    "#[derive(holdall::Encode, holdall::Decode)]",
    "holdall::from_slice(bytes)",
    "holdall::to_vec(&value).unwrap()",
)
SERDE = 'serde = { version = "1", features = ["derive"] }\n'
SERDE_DERIVE = "#[derive(serde::Serialize, serde::Deserialize)]"

PEERS = [
    Peer(
        "holdall, derive alone, without std",
        f'holdall = {{ {HOLDALL}, default-features = false, features = ["derive"] }}',
        *OURS,
    ),
    Peer(
        "holdall, derive and evolution, without std",
        f'holdall = {{ {HOLDALL}, default-features = false, features = ["derive", "evolution"] }}',
        *OURS,
    ),
    Peer("holdall", f"holdall = {{ {HOLDALL} }}", *OURS),
    Peer(
        "bitcode",
        'bitcode = "0.6"',
        "#[derive(bitcode::Encode, bitcode::Decode)]",
        "bitcode::decode(bytes)",
        "bitcode::encode(&value)",
    ),
    Peer(
        "postcard",
        SERDE + 'postcard = { version = "1", default-features = false, features = ["use-std"] }',
        SERDE_DERIVE,
        "postcard::from_bytes(bytes)",
        "postcard::to_stdvec(&value).unwrap()",
    ),
    Peer(
        "serde_json",
        SERDE + 'serde_json = "1"',
        SERDE_DERIVE,
        "serde_json::from_slice(bytes)",
        "serde_json::to_vec(&value).unwrap()",
    ),
]

# What a program's own Cargo.toml can ask for.
PROFILES = {
    "release": "strip = true\n",
    "small": 'strip = true\nopt-level = "s"\nlto = "fat"\ncodegen-units = 1\npanic = "abort"\n',
}


@dataclass(frozen=True)
class Built:
    """What a program takes: bytes of the stripped program, and seconds to compile it."""

    size: int
    from_clean: float
    alone: float
    """The program without the crates that it depends on."""
    with_more: float
    """The same with STRUCTS structs."""


def program(peer: Peer, count: int) -> str:
    """Returns the text of a program that reads and writes each of `count` structs."""
    names = [f"User{number}" for number in range(count)]
    fields = {"derive": peer.derive, "read": peer.read, "write": peer.write}
    structs = "".join(STRUCT.format(name=name, **fields) for name in names)
    copies = ", ".join(f"copy_{name}" for name in names)
    return MAIN.format(structs=structs, count=count, copies=copies)


def build(peer: Peer, profile: str, folder: Path) -> Built:
    """Builds a program from clean, then it alone, then a longer one alone."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "src").mkdir(parents=True)
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2024"\n\n'
        f"[dependencies]\n{peer.dependencies}\n\n[profile.release]\n{PROFILES[profile]}\n[workspace]\n"
    )
    environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / "target")}

    def compiled(count: int) -> float:
        (folder / "src" / "main.rs").write_text(program(peer, count))
        start = time.perf_counter()
        command = ["cargo", "build", "--release", "--quiet"]
        subprocess.run(command, cwd=folder, env=environment, check=True)
        return time.perf_counter() - start

    (folder / "src" / "main.rs").touch()
    subprocess.run(["cargo", "fetch", "--quiet"], cwd=folder, env=environment, check=True)
    from_clean = compiled(1)
    size = (folder / "target" / "release" / "one").stat().st_size
    return Built(
        size, from_clean, statistics.median(compiled(1) for _ in range(3)), compiled(STRUCTS)
    )


def main() -> None:
    """Prints a table, and writes it where `--results` says."""
    parser = argparse.ArgumentParser(prog="make bench-size", description=__doc__)
    parser.add_argument(
        "--target", type=Path, default=ROOT / "target" / "size", help="where the programs are built"
    )
    parser.add_argument("--results", type=Path, help="a Markdown file to write")
    options = parser.parse_args()
    compiler = subprocess.run(
        ["rustc", "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    load = os.getloadavg()[0]
    lines = [
        "# A program that writes and reads one struct",
        "",
        f"`make bench-size` with {compiler} on {os.cpu_count()} processors ({platform.machine()}),",
        f"load {load:.2f} when it began. All programs are stripped, and built from clean with all they depend on.",
        'Small is `opt-level = "s"`, `lto = "fat"`, `codegen-units = 1`, `panic = "abort"`.',
        f"`alone` compiles the program without the crates, `{STRUCTS} structs` the same with more structs.",
        "",
        f"| |{' {}, bytes | seconds | alone | {} structs |' * len(PROFILES)}".format(
            *(cell for profile in PROFILES for cell in (profile, STRUCTS))
        ),
        "|---|" + "---:|" * (4 * len(PROFILES)),
    ]
    print("\n".join(lines), flush=True)
    for peer in PEERS:
        cells = [peer.name]
        for profile in PROFILES:
            built = build(peer, profile, options.target / profile)
            times = (built.from_clean, built.alone, built.with_more)
            cells += [f"{built.size:,}", *(f"{seconds:.1f}" for seconds in times)]
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    if options.results:
        options.results.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
