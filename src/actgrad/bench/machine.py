"""The machine that is measured on, as every result names it."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import datetime, timezone
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from .. import __version__
from ..backends import cores

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_UNKNOWN_CACHE = 32 << 20
DISTRIBUTIONS = (
    "numpy", "ml_dtypes", "llvmlite", "torch", "triton", "liger_kernel", "flag_gems", "scipy", "jax", "jaxlib",
)  # fmt: skip


def describe() -> dict[str, Any]:
    """What results on the CPU depend on: processor, caches, threads, target of the code, versions, date."""
    from ..backends.cpu import target, threads

    host = target.host()
    return {
        "processor": processor(),
        "threads": threads.get_num_threads(),
        "OpenMP": threads.runtime(),
        "target": f"{host} ({host.cpu})",
        "caches": caches(),
        "memory": _memory(),
        **surroundings(),
    }


def surroundings() -> dict[str, Any]:
    """What results depend on wherever they are measured."""
    return {
        "cores": cores(),
        "system": platform.platform(),
        "load": load(),
        "versions": {"actgrad": __version__, "python": platform.python_version(), **_versions()},
        "revision": revision(),
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }


@cache
def caches() -> dict[str, int]:
    """The data caches that one core sees, in bytes."""
    found = {}
    for folder in sorted(_CACHES.glob("index*")):
        try:
            level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:
            continue
        if kind != "Instruction":
            found[f"L{level}"] = int(size.rstrip("KMG")) * {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(size[-1], 1)
    return found


def last_cache_bytes() -> int:
    """The size of the last-level cache, or a usual one where the system does not tell."""
    return max(caches().values(), default=_UNKNOWN_CACHE)


def processor() -> str:
    """The name of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def _memory() -> int | None:
    """Bytes of main memory."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def load() -> float | None:
    """Processes that wanted a core in the minute before, on average: a measurement wants the machine for itself."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _versions() -> dict[str, str]:
    found = {}
    for name in DISTRIBUTIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def revision() -> str | None:
    """The commit that is measured, "-dirty" where files differ from it; None outside a checkout."""
    source = Path(__file__).parents[1]
    command = ["git", "-C", str(source), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        tracked = subprocess.run([*command[:3], "ls-files", "--error-unmatch", "__init__.py"], capture_output=True)
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if tracked.returncode == done.returncode == 0 else None
