"""What `actgrad --version --verbose` prints: all that a result, or a fault, may depend on. PyTorch is not imported."""

from __future__ import annotations

import os
import platform
import runpy
import shlex
import shutil
import subprocess
import sysconfig
from importlib import metadata, util
from pathlib import Path

from .. import __version__
from ..base.errors import ActgradError, BackendUnavailable
from ..calls import extension
from ..sdk import builder

#: Variables that begin so change what is computed, or on how many threads.
VARIABLES = ("ACTGRAD_", "GOMP_", "KMP_", "OMP_", "TRITON_")
WIDTH = 13
MISSING = "not installed"


def report() -> str:
    """One line for each thing: its name, and what it is here."""
    lines = {
        "actgrad": __version__,
        "package": str(Path(__file__).parents[1]),
        "Python": _python(),
        "NumPy": _version("numpy"),
        "ml_dtypes": _version("ml_dtypes"),
        "llvmlite": _llvmlite(),
        "PyTorch": _pytorch(),
        "Triton": _version("triton"),
        "fast path": extension.state,
        **_cpu(),
        "GPU": _gpu(),
        "C compiler": _compiler("c"),
        "C++ compiler": _compiler("c++"),
        "SDK programs": _sdk_host(),
        "environment": _environment(),
    }
    return "\n".join(f"{name:<{WIDTH}} {value}" for name, value in lines.items())


def _version(distribution: str) -> str:
    """The installed version, read without importing the package."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return MISSING


def _python() -> str:
    free_threaded = ", free-threaded" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    system = platform.platform()  # with the C library's version where that is glibc
    return f"{platform.python_version()} ({platform.python_implementation()}{free_threaded}) on {system}"


def _llvmlite() -> str:
    found = _version("llvmlite")
    try:
        from llvmlite.binding import llvm_version_info
    except (ImportError, OSError) as error:  # installed, but its library does not load here
        return found if found == MISSING else f"{found}, which cannot be loaded: {error}"
    return f"{found}, LLVM {'.'.join(map(str, llvm_version_info))}"


def _pytorch() -> str:
    """PyTorch's version, and what it was built for: its own note of that, which takes no seconds to read."""
    found = _version("torch")
    if found == MISSING:
        return found
    try:
        folder = util.find_spec("torch").submodule_search_locations[0]  # type: ignore[union-attr, index]
        built = runpy.run_path(os.path.join(folder, "version.py"))
    except Exception as error:  # whatever a damaged installation leads to
        return f"{found}, which cannot be looked into: {type(error).__name__}"
    kinds = [f"{label} {built[key]}" for key, label in (("cuda", "CUDA"), ("hip", "ROCm")) if built.get(key)]
    return f"{found}, built for {' and '.join(kinds) or 'the CPU only'}"


def _cpu() -> dict[str, str]:
    """Instruction set, threads and the kept machine code; the reason where there is no machine code at all."""
    try:
        from ..backends.cpu import code_cache, target, threads

        host, folder = target.host(), code_cache.folder()
    except (BackendUnavailable, ImportError, OSError) as error:
        return {"processor": f"{platform.machine()}: {error}"}
    runtime, count = threads.runtime(), threads.get_num_threads()
    openmp = {"none": "no runtime found: one thread"}.get(runtime, f"the {runtime} runtime, {count} threads")
    if runtime == "system" and _version("torch") != MISSING:
        openmp += "; PyTorch's runtime once PyTorch is imported"
    fault = code_cache.why_unusable()
    if folder is None:
        kept = f"none: {fault}"
    else:
        kept = f"{folder}, {len(code_cache.entries())} entries, " + (
            "usable" if fault is None else f"not usable: {fault}"
        )
    return {"processor": f"{host} ({host.cpu})", "OpenMP": openmp, "cache": kept}


def _gpu() -> str:
    """The GPUs that NVIDIA's driver names; that AMD's is there."""
    found = _first_words(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    if found:
        return "; ".join(f"NVIDIA's driver names {line.replace(', ', ', driver ')}" for line in found)
    return "AMD's driver is there" if os.path.exists("/dev/kfd") else "no driver found"


def _compiler(language: str) -> str:
    """The compiler that `actgrad sdk` would take."""
    try:
        command = builder.compiler(language)
    except ActgradError as error:
        return str(error).partition(". ")[0]
    said = _first_words([*command, "--version"])
    return f"{shlex.join(command)}: {said[0] if said else 'does not tell its version'}"


def _first_words(command: list[str]) -> list[str]:
    """The lines that a command prints, none where it cannot."""
    if shutil.which(command[0]) is None:
        return []
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.strip().splitlines() if done.returncode == 0 else []


def _sdk_host() -> str:
    library = builder.Interpreter.current().library
    return f"compute in process, with {library}" if library else "compute in a server: Python has no shared library"


def _environment() -> str:
    """The variables that matter, as a shell takes them."""
    found = {name: value for name, value in os.environ.items() if name.startswith(VARIABLES)}
    return " ".join(f"{name}={shlex.quote(found[name])}" for name in sorted(found)) or "nothing that matters is set"
