"""The machine that is measured on, as every result names it."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import datetime, timezone
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import actgrad

from . import subject

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_USUAL_CACHE = 32 << 20
DISTRIBUTIONS = (
    "numpy", "ml_dtypes", "llvmlite", "torch", "triton", "liger_kernel", "flag_gems", "scipy", "jax", "jaxlib",
)  # fmt: skip


def describe() -> dict[str, Any]:
    """The processor, its caches, threads, target of the code, versions and date."""
    report = _own_report()
    return {
        "processor": processor(),
        "threads": actgrad.get_num_threads(),
        "OpenMP": "PyTorch's runtime" if "torch" in sys.modules else report.get("OpenMP", "unknown"),
        "target": report.get("processor", "unknown"),
        "caches": caches(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        **surroundings(),
    }


def surroundings() -> dict[str, Any]:
    """The host, whatever device is measured."""
    return {
        "cores": subject.cores(),
        "system": platform.platform(),
        "load": load(),
        "versions": {"actgrad": actgrad.__version__, "python": platform.python_version(), **_versions()},
        "revision": revision(),
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }


def line() -> str:
    """The version, the day and the machine in a few words, for the tables of documents."""
    known = describe()
    words = [f"actgrad {known['versions']['actgrad']}", known["date"][:10]]
    words += [known["processor"], f"{known['threads']} threads", known["target"]]
    words += [f"PyTorch {known['versions']['torch']}"] if "torch" in known["versions"] else []
    return ", ".join([*words, f"Python {known['versions']['python']}"])


def _own_report() -> dict[str, str]:
    """The lines of `actgrad --version --verbose`."""
    command = [sys.executable, "-m", "actgrad", "--version", "--verbose"]
    done = subprocess.run(command, capture_output=True, text=True, env=subject.environment(), check=False)
    pairs = (line.split(maxsplit=1) for line in done.stdout.splitlines())
    return {pair[0]: pair[-1] for pair in pairs if pair}


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
    return max(caches().values(), default=_USUAL_CACHE)


def processor() -> str:
    """The name of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def load() -> float | None:
    """The average number of processes that wanted a core in the last minute."""
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
    git = ["git", "-C", str(subject.SOURCE / "actgrad")]
    try:
        tracked = subprocess.run([*git, "ls-files", "--error-unmatch", "__init__.py"], capture_output=True)
        describe = [*git, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
        done = subprocess.run(describe, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if tracked.returncode == done.returncode == 0 else None
