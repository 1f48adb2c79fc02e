"""`actgrad --version --verbose`: the versions and settings that may affect a result or an error.

This command does not import PyTorch.
"""

from __future__ import annotations

import os
import platform
import runpy
import shlex
import subprocess
import sysconfig
from importlib import metadata, util
from pathlib import Path

from .. import __version__
from ..base.errors import BackendUnavailable
from ..calls import extension
from . import commands

#: Prefixes of variables that change results or the number of threads.
VARIABLES = ("ACTGRAD_", "GOMP_", "KMP_", "OMP_", "TRITON_")
WIDTH = 13
MISSING = "not installed"


def report() -> str:
    """A line for each item: its name, and its version or setting."""
    system = platform.platform()  # includes the version of the C library if it is glibc
    threading = ", free-threaded" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    lines = {
        "actgrad": __version__,
        "package": str(Path(__file__).parents[1]),
        "Python": f"{platform.python_version()} ({platform.python_implementation()}{threading}) on {system}",
        "NumPy": _version("numpy"),
        "ml_dtypes": _version("ml_dtypes"),
        "llvmlite": _llvmlite(),
        "PyTorch": _pytorch(),
        "Triton": _version("triton"),
        "fast path": extension.state,
        **_cpu(),
        "GPU": _gpu(),
        **_of_wings(),
        "environment": _environment(),
    }
    return "\n".join(f"{name:<{WIDTH}} {value}" for name, value in lines.items())


def _version(distribution: str) -> str:
    """The installed version, read without importing the package."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return MISSING


def _llvmlite() -> str:
    version = _version("llvmlite")
    try:
        from llvmlite.binding import llvm_version_info
    except (ImportError, OSError) as error:  # the package is installed, but its library does not load
        return version if version == MISSING else f"{version}, which cannot be loaded: {error}"
    return f"{version}, LLVM {'.'.join(map(str, llvm_version_info))}"


def _pytorch() -> str:
    """PyTorch's version and its kind of build, from its file version.py: importing PyTorch takes seconds."""
    version = _version("torch")
    if version == MISSING:
        return version
    try:
        folder = util.find_spec("torch").submodule_search_locations[0]  # type: ignore[union-attr, index]
        built = runpy.run_path(os.path.join(folder, "version.py"))
    except Exception as error:  # a damaged installation can raise anything
        return f"{version}, whose kind of build is unknown: {type(error).__name__}"
    kinds = [f"{label} {built[key]}" for key, label in (("cuda", "CUDA"), ("hip", "ROCm")) if built.get(key)]
    return f"{version}, built for {' and '.join(kinds) or 'the CPU only'}"


def _cpu() -> dict[str, str]:
    """Instruction set, threads and the folder of machine code, or the reason why these cannot be reported."""
    try:
        from ..backends.cpu import code_cache, target, threads

        host, folder = target.host(), code_cache.folder()
    except (BackendUnavailable, ImportError, OSError) as error:
        return {"processor": f"{platform.machine()}: {error}"}
    runtime, count = threads.runtime(), threads.get_num_threads()
    openmp = "no runtime found: one thread" if runtime == "none" else f"the {runtime} runtime, {count} threads"
    if runtime == "system" and _version("torch") != MISSING:
        openmp += "; PyTorch's runtime once PyTorch is imported"
    fault = code_cache.why_unusable()
    state = "usable" if fault is None else f"not usable: {fault}"
    cache = f"none: {fault}" if folder is None else f"{folder}, {len(code_cache.entries())} entries, {state}"
    return {"processor": f"{host} ({host.cpu})", "OpenMP": openmp, "cache": cache}


def _gpu() -> str:
    """The GPUs that NVIDIA's driver reports, or whether AMD's driver is installed."""
    gpus = output(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    if gpus:
        return "; ".join(f"NVIDIA's driver names {line.replace(', ', ', driver ')}" for line in gpus)
    return "AMD's driver is there" if os.path.exists("/dev/kfd") else "no driver found"


def _of_wings() -> dict[str, str]:
    """The lines that wings add."""
    return {name: line for module in commands.modules("--version") for name, line in module.lines().items()}


def output(command: list[str]) -> list[str]:
    """The lines that a command prints, or none if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.strip().splitlines()


def _environment() -> str:
    """The variables that matter, in a form that a shell reads."""
    variables = {name: value for name, value in os.environ.items() if name.startswith(VARIABLES)}
    settings = [f"{name}={shlex.quote(variables[name])}" for name in sorted(variables)]
    return " ".join(settings) or "no variable that changes results is set"
