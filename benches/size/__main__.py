"""Builds one small program for each serializer, and prints its size and the time of a clean build.

Run by `make bench-size`. The crates are fetched before the clock starts.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """\
use std::io::{{Read, Write}};

{derive}
struct User {{
    id: u64,
    name: String,
    score: f64,
    tags: Vec<String>,
    active: bool,
}}

fn main() {{
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).unwrap();
    let user: User = {read}.unwrap();
    std::io::stdout().write_all(&{write}).unwrap();
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
    "holdall::from_slice(&bytes)",
    "holdall::to_vec(&user).unwrap()",
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
        "bitcode::decode(&bytes)",
        "bitcode::encode(&user)",
    ),
    Peer(
        "postcard",
        SERDE + 'postcard = { version = "1", default-features = false, features = ["use-std"] }',
        SERDE_DERIVE,
        "postcard::from_bytes(&bytes)",
        "postcard::to_stdvec(&user).unwrap()",
    ),
    Peer(
        "serde_json",
        SERDE + 'serde_json = "1"',
        SERDE_DERIVE,
        "serde_json::from_slice(&bytes)",
        "serde_json::to_vec(&user).unwrap()",
    ),
]

# What a program's own Cargo.toml can ask for.
PROFILES = {
    "release": "strip = true\n",
    "small": 'strip = true\nopt-level = "s"\nlto = "fat"\ncodegen-units = 1\npanic = "abort"\n',
}


def build(peer: Peer, profile: str, folder: Path) -> tuple[int, float]:
    """Builds a program from clean. Returns its size in bytes and the time in seconds."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "src").mkdir(parents=True)
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2024"\n\n'
        f"[dependencies]\n{peer.dependencies}\n\n[profile.release]\n{PROFILES[profile]}\n[workspace]\n"
    )
    program = PROGRAM.format(derive=peer.derive, read=peer.read, write=peer.write)
    (folder / "src" / "main.rs").write_text(program)
    environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / "target")}
    subprocess.run(["cargo", "fetch", "--quiet"], cwd=folder, env=environment, check=True)
    start = time.perf_counter()
    subprocess.run(
        ["cargo", "build", "--release", "--quiet"], cwd=folder, env=environment, check=True
    )
    seconds = time.perf_counter() - start
    return (folder / "target" / "release" / "one").stat().st_size, seconds


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
        "",
        "| | release, bytes | seconds | small, bytes | seconds |",
        "|---|---:|---:|---:|---:|",
    ]
    print("\n".join(lines), flush=True)
    for peer in PEERS:
        cells = [peer.name]
        for profile in PROFILES:
            size, seconds = build(peer, profile, options.target / profile)
            cells += [f"{size:,}", f"{seconds:.1f}"]
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    if options.results:
        options.results.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
