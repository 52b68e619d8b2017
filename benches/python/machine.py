"""The machine and the versions of a measurement."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from .peers import PEERS


def packages() -> set[str]:
    """Each library, and the other tools of the measurement."""
    return {peer.package for peer in PEERS if peer.package} | {"attrs", "numpy", "zstandard"}


def versions(packages: Iterable[str]) -> str:
    """The versions of Python and of packages."""
    named = [f"{package} {version(package)}" for package in sorted(packages)]
    return ", ".join([f"{platform.python_implementation()} {platform.python_version()}", *named])


def machine(packages: Iterable[str]) -> str:
    """Processor, memory, system, load, and versions."""
    lines = {
        "processor": f"{field('/proc/cpuinfo', 'model name')}, {os.cpu_count()} cores",
        "cache": field("/proc/cpuinfo", "cache size"),
        "memory": field("/proc/meminfo", "MemTotal"),
        "system": f"{platform.system()} {platform.machine()}, {platform.release()}",
        "load when it began": text("/proc/loadavg").strip() or "unknown",
        "versions": versions(packages),
    }
    return "".join(f"- {name}: {value}\n" for name, value in lines.items())


def text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def field(path: str, name: str) -> str:
    line = next((line for line in text(path).splitlines() if line.startswith(name)), ":unknown")
    return line.partition(":")[2].strip()
