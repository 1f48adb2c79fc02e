"""Compiles a kernel with a C++ compiler into a program that runs it once.

The program is a driver of a few lines, which includes our headers and the kernel's file. Compiled programs are kept in
the kernel cache.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..base.errors import ActgradError, either
from ..base.forks import forkable_lock
from . import cache as programs

INCLUDE = Path(__file__).parent / "include"
#: The parts of a program that do not depend on the kernel. Each compiles once for a product.
RUNTIME = tuple(Path(__file__).parent / name for name in ("program.cpp", "checks.cpp"))
#: The loops of the checks must vectorise; more optimisation makes them slower to compile and not faster to run.
RUNTIME_FLAGS = ("-O1", "-ftree-vectorize")

#: Numbers must not depend on the compiler: no fused multiply-add that the kernel did not ask for. -O3 vectorises loops
#: whose operands may overlap, which g++ 12 does not do at -O2.
FLAGS = (
    "-std=c++17", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
    "-fno-strict-aliasing", "-fno-pie", "-g1", "-w",
)  # fmt: skip
#: A tiling function is short, and compiles fast without optimisation.
HOST_FLAGS = ("-std=c++17", "-O0", "-ffp-contract=off", "-fno-pie", "-g1", "-w")
LOADING = 60.0  # seconds in which a program says what it is
_LOADED = "global objects must not print, loop, crash or end the program; correct the file"
_TOGETHER = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_COMPILERS = ("g++", "clang++", "c++")
_runtime_lock = forkable_lock()  # the parts of the runtime compile once, also if several kernels need them now


class KernelError(ActgradError):
    """A kernel cannot be compiled or run. `file` and `line` tell where, if the compiler says so."""

    has_lines = True

    def __init__(self, message: str, file: str | None = None, line: int | None = None, output: str = "") -> None:
        super().__init__(message)
        self.file, self.line = file, line
        self.output = output  # all that the compiler says


@dataclass(frozen=True)
class Source:
    """What a program is compiled from."""

    driver: str  # the text of the driver
    include: tuple[str, ...]  # folders
    defines: tuple[str, ...]  # NAME=VALUE
    kernel: str  # the kernel's file, for messages
    is_host: bool = False  # a tiling function, which needs nothing of the kernel's side
    is_fast: bool = True  # False: a program whose speed does not matter


def command() -> list[str]:
    """The C++ compiler: CXX, otherwise the first one on PATH."""
    setting = os.environ.get("CXX")
    if setting:
        words = shlex.split(setting)
        if not words or shutil.which(words[0]) is None:
            raise KernelError(f"CXX is {setting!r}; it must be a C++ compiler on PATH; install it or unset CXX")
        return words
    for name in _COMPILERS:
        if shutil.which(name):
            return [name]
    raise KernelError(
        f"no C++ compiler is on PATH; {either(_COMPILERS)} is expected; install one (on Debian and Ubuntu: "
        "apt install g++) or name it in CXX"
    )


def program(source: Source) -> Path:
    """The compiled program, from the cache or from the compiler. Raises KernelError if it does not compile."""
    words = [*command(), *(HOST_FLAGS if source.is_host else FLAGS)]
    key = programs.digest(source.driver, *source.include, "", *source.defines, "", *_identity(tuple(words)))
    found = programs.load(key)
    return _compile(source, words, key) if found is None else found


@cache
def _identity(words: tuple[str, ...]) -> tuple[str, ...]:
    """What tells compilers, their flags and our headers apart."""
    path = os.path.realpath(shutil.which(words[0]) or words[0])
    status = os.stat(path)
    headers = [programs.digest_of_file(str(header)) for header in (*RUNTIME, *sorted(INCLUDE.rglob("*.h")))]
    return (*words, path, str(status.st_mtime_ns), str(status.st_size), _processor(), *headers)


def _processor() -> str:
    """The instructions of this processor, for which -march=native compiles."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return next((line for line in text.splitlines() if line.startswith(("flags", "Features"))), "")


def _compile(source: Source, words: list[str], key: str) -> Path:
    with tempfile.TemporaryDirectory(prefix="actgrad-kernel-", dir=programs.folder()) as name:
        folder = Path(name)
        driver, kernel, dependencies, built = (
            folder / each for each in ("driver.cpp", "kernel.o", "sources", "program")
        )
        driver.write_text(source.driver, encoding="utf-8", errors="surrogateescape")
        options = [*(f"-D{each}" for each in source.defines), "-isystem", str(INCLUDE)]
        folders = [f"-I{each}" for each in source.include]
        listing = ["-MMD", "-MF", str(dependencies)]
        output = ["-c", str(driver), "-o", str(kernel)]
        level = [] if source.is_fast else ["-O0"]
        link = [*words, str(kernel), "-o", str(built), "-no-pie", "-ldl"]
        with ExitStack() as stack:
            compiling = _start(stack, [*words, *level, *options, "-DACTGRAD_SEPARATE", *folders, *listing, *output])
            objects = [] if source.is_host else _runtime(words, source)
            _wait(compiling, source, driver)
            files = _files(dependencies, driver)
            try:
                _wait(_start(stack, [*link, *objects]), source, driver)
            except KernelError as error:
                if not source.is_host or "undefined reference" not in error.output:
                    raise
                others = _companions(files)
                objects = _objects(stack, [*words, *options, *folders], others, folder)
                _wait(_start(stack, [*link, *objects]), source, driver)
                files += others
        return programs.store(key, built, files)


def _companions(files: list[str]) -> list[str]:
    """The files that may define what these headers declare: those with the name of a header, and others with tiling."""
    headers = [Path(file) for file in files if not file.startswith(str(INCLUDE)) and not _is_system(file)]
    found = [header.with_suffix(".cpp") for header in headers]
    found += [other for folder in {header.parent for header in headers} for other in folder.glob("*tiling*.cpp")]
    return [str(file) for file in sorted(set(found)) if file.is_file() and str(file) not in files]


def _objects(stack: ExitStack, words: list[str], files: Sequence[str], folder: Path) -> list[str]:
    """The object files of those files that compile, a few at a time."""
    built: list[str] = []
    for first in range(0, len(files), _TOGETHER):
        compiling = {
            str(folder / f"other{first + number}.o"): _start(
                stack, [*words, f"-I{Path(file).parent}", "-c", file, "-o", str(folder / f"other{first + number}.o")]
            )
            for number, file in enumerate(files[first : first + _TOGETHER])
        }
        for path, process in compiling.items():
            process.communicate()
            if process.returncode == 0:
                built.append(path)
    return built


def description(program: Path, file: str, *words: str) -> Any:
    """What a program says about itself, which is JSON. The code of `file` runs already when the program is loaded."""
    command = [str(program), *words]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=LOADING)
        return json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        fault = f"its program does not start within {LOADING:g} seconds"
        raise KernelError(f"{file}: {fault}; {_LOADED}") from error
    except ValueError as error:
        fault = f"its program does not say what it is, and ends with status {done.returncode}"
        raise KernelError(f"{file}: {fault}; {_LOADED}") from error


def _start(stack: ExitStack, arguments: list[str]) -> subprocess.Popen[str]:
    """Start the compiler. It ends with the block of `stack`, if not earlier."""
    process = stack.enter_context(
        subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    )
    stack.callback(process.kill)
    return process


def _wait(process: subprocess.Popen[str], source: Source, driver: Path) -> None:
    said = process.communicate()[1]
    if process.returncode != 0:
        raise _error(source, said, str(driver))


def _runtime(words: list[str], source: Source) -> list[str]:
    """The object files that all programs share, from the cache or from the compiler, which compiles them together."""
    macros = [f"-D{each}" for each in source.defines if each.startswith("__")]  # those of the product
    digest = programs.digest(*macros, *_identity(tuple(words)))
    keys = {file: f"{file.stem}-{digest}" for file in RUNTIME}
    with _runtime_lock, ExitStack() as stack:
        compiled = {file: programs.load(key) for file, key in keys.items()}
        missing = [file for file, path in compiled.items() if path is None]
        if missing:
            temporary = tempfile.TemporaryDirectory(prefix="actgrad-kernel-", dir=programs.folder())
            folder = Path(stack.enter_context(temporary))
            options = [*macros, *RUNTIME_FLAGS, "-isystem", str(INCLUDE), "-c"]
            built = {file: folder / f"{file.stem}.o" for file in missing}
            compiling = {file: _start(stack, [*words, *options, str(file), "-o", str(built[file])]) for file in missing}
        for file in missing:
            said = compiling[file].communicate()[1]
            if compiling[file].returncode != 0:
                raise KernelError(f"{file}: does not compile; the compiler must accept it; it says:\n{said}")
            compiled[file] = programs.store(keys[file], built[file], [])
        return [str(path) for path in compiled.values()]


def _files(dependencies: Path, driver: Path) -> list[str]:
    """The files that the compiler read, from the rule for make that it wrote."""
    text = dependencies.read_text(encoding="utf-8", errors="surrogateescape")
    names = text.partition(": ")[2].replace("\\\n", " ")
    files = [re.sub(r"\\(.)", r"\1", name) for name in re.findall(r"(?:\\.|[^\s\\])+", names)]
    return [os.path.abspath(file) for file in files if file != str(driver)]


_POSITION = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::\d+)?: *(?P<text>.*)$")
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:?) [`'\"]?(?P<name>[^`'\"\n]+)")


def _error(source: Source, output: str, driver: str) -> KernelError:
    """The compiler's first error, at the kernel's file and line.

    An error in our headers has the line of the kernel in the lines around it, which say what the code was required for.
    """
    lines = output.splitlines()
    positions = [(number, match) for number, line in enumerate(lines) if (match := _POSITION.match(line))]
    errors = [number for number, match in positions if "error: " in match["text"]]
    if not errors:
        if undefined := _UNDEFINED.search(output):
            return KernelError(
                f"{source.kernel}: calls {undefined['name']}, which no file defines; a file of the project must; "
                "add the file, or its folder to include",
                source.kernel, output=output,
            )  # fmt: skip
        return KernelError(
            f"{source.kernel}: does not compile; the compiler must accept it; it says:\n{output.strip()}",
            output=output,
        )
    first = errors[0]
    following = errors[1] if len(errors) > 1 else len(lines)
    message = next(match for number, match in positions if number == first)
    text = message["text"].partition("error: ")[2]
    #: the error's own place, then those that lead to it, from the nearest one on
    before = [(n, m) for n, m in positions if n <= first]
    after = [(n, m) for n, m in positions if first < n < following]
    for _, match in (*reversed(before), *after):
        if not match["file"].startswith(str(INCLUDE)) and match["file"] != driver and not _is_system(match["file"]):
            file, line = os.path.abspath(match["file"]), int(match["line"])
            return KernelError(f"{file}:{line}: does not compile: {text}", file, line, output)
    shown = "\n".join(lines[: first + 4])
    return KernelError(f"{source.kernel}: does not compile: {text}\n{shown}", source.kernel, output=output)


def _is_system(file: str) -> bool:
    return file.startswith(("/usr/", "/opt/", "/lib/")) or not os.path.exists(file)


def include_folders(kernel: Path, include: Sequence[str | os.PathLike[str]]) -> tuple[str, ...]:
    """The folders in which the kernel's own headers are searched."""
    return (str(kernel.parent), *(os.path.abspath(folder) for folder in include if not os.path.isfile(folder)))


def defines_of(defines: Mapping[str, object], product: Mapping[str, object]) -> tuple[str, ...]:
    """The macros of the command line. ORIG_DTYPE_X follows from DTYPE_X if the caller leaves it out."""
    given = {name: str(value) for name, value in defines.items()}
    for name, value in list(given.items()):
        if name.startswith("DTYPE_") and value in _CODES:
            given.setdefault(f"ORIG_{name}", _CODES[value])
    given.setdefault("__NPU_ARCH__", str(product["npu_arch"]))
    given.setdefault("__CCE_AICORE__", str(product["cce_aicore"]))
    return tuple(f"{name}={value}" for name, value in given.items())


#: C++ type -> the macro with its number
_CODES = {
    "float": "DT_FLOAT", "half": "DT_FLOAT16", "float16_t": "DT_FLOAT16", "bfloat16_t": "DT_BF16",
    "int8_t": "DT_INT8", "int16_t": "DT_INT16", "int32_t": "DT_INT32", "int64_t": "DT_INT64", "uint8_t": "DT_UINT8",
    "uint16_t": "DT_UINT16", "uint32_t": "DT_UINT32", "uint64_t": "DT_UINT64", "double": "DT_DOUBLE", "bool": "DT_BOOL",
    "fp8_e5m2_t": "DT_FLOAT8_E5M2", "fp8_e4m3fn_t": "DT_FLOAT8_E4M3FN", "hifloat8_t": "DT_HIFLOAT8",
}  # fmt: skip
