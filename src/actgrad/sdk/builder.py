"""Builds the SDK: headers, libraries and descriptions for build systems, under one folder."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import __version__
from . import prefix as prefixes
from . import prototypes
from .prefix import SdkError

HERE = Path(__file__).parent
SOURCES, HEADERS = prototypes.SOURCES, HERE / "include"

#: The libraries of the operators; all are the same.
OPERATOR_LIBRARIES = ("opapi_nn", "opapi", "cust_opapi")


@dataclass(frozen=True)
class Interpreter:
    """The Python that the SDK's programs start."""

    executable: str
    library: str  # its shared library, "" without one
    version: str  # for example "3.12": libraries and modules depend on no more of it
    stdlib: str  # the folder of its own modules, "" without one
    path: tuple[str, ...]  # the folders of actgrad and its requirements

    @classmethod
    def current(cls) -> Interpreter:
        """The interpreter that runs this code."""
        stdlib = sysconfig.get_path("stdlib")
        return cls(
            sys.executable,
            _shared_library(),
            f"{sys.version_info.major}.{sys.version_info.minor}",
            stdlib if os.path.isdir(os.path.join(stdlib, "encodings")) else "",
            _module_folders(),
        )


def _module_folders() -> tuple[str, ...]:
    """The folders of actgrad and its requirements. sys.path would bring the folder of a script, too."""
    found = [str(HERE.parents[1])]  # also of a checkout
    for name in ("numpy", "ml_dtypes", "llvmlite"):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            found.append(str(Path(spec.origin).absolute().parents[1]))
    return tuple(dict.fromkeys(found))


def _shared_library() -> str:
    """This interpreter's shared library, also where its executable does not use it."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}{getattr(sys, 'abiflags', '')}"
    names = (sysconfig.get_config_var("INSTSONAME") or "", f"libpython{version}.so.1.0")
    for folder in (sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib")):
        for name in names:
            if ".so" in name and (library := Path(folder) / name).is_file():
                return str(library)
    return ""


def compiler(language: str) -> list[str]:
    """The command of a C or C++ compiler: CC or CXX, else the first one on PATH."""
    variable, known = {"c": ("CC", ("cc", "gcc", "clang")), "c++": ("CXX", ("c++", "g++", "clang++"))}[language]
    chosen = os.environ.get(variable)
    if chosen:
        command = shlex.split(chosen)
        if shutil.which(command[0]) is None:
            raise SdkError(f"{variable} is {chosen!r}, but there is no {command[0]}")
        return command
    for name in known:
        if shutil.which(name):
            return [name]
    name = {"c": "C", "c++": "C++"}[language]
    raise SdkError(
        f"no {name} compiler: none of {', '.join(known)} is on PATH. Install one (on Debian and Ubuntu: "
        f"apt install gcc g++) or name it in {variable}"
    )


def build(prefix: Path, interpreter: Interpreter | None = None) -> None:
    """Build the SDK beside `prefix` and move it there. A failure leaves the old content."""
    prefix = Path(os.path.realpath(prefix))  # Path.resolve raises no OSError for a loop of links
    command = compiler("c")
    try:
        prefixes.check(prefix)
        prefix.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".actgrad-sdk-", dir=prefix.parent) as folder:
            fresh = Path(folder) / "fresh"
            write_headers(fresh / "include")
            _write_libraries(fresh, Path(folder) / "made", command, interpreter or Interpreter.current())
            for name, text in _descriptions(prefix):
                _write(fresh / name, text)
            prefixes.finish(fresh)
            prefixes.put(fresh, prefix, Path(folder) / "old")
    except OSError as error:
        raise SdkError(f"the SDK cannot be built in {prefix}: {error}") from error


def write_headers(include: Path) -> None:
    """Write the public headers into `include`."""
    for path in sorted(HEADERS.rglob("*.in")):
        name = path.relative_to(HEADERS).as_posix().removesuffix(".in")
        _write(include / name, prototypes.header(name, path.read_text(encoding="utf-8")))
    _write(include / "aclnn/opdev/op_errno.h", prototypes.status_header())
    for name, text in prototypes.operator_headers():
        _write(include / "aclnnop" / name, text)
        _write(include / "aclnnop" / "level2" / name, f'/* Made by `actgrad sdk`. */\n#include "aclnnop/{name}"\n')


def _write_libraries(fresh: Path, made: Path, command: list[str], interpreter: Interpreter) -> None:
    """Compile the libraries; `made` is a folder for the generated sources."""
    library = fresh / "lib64"
    library.mkdir(parents=True)
    _write(made / "data_types.h", prototypes.data_types())
    _write(made / "opapi.c", prototypes.stubs())
    _write(made / "empty.c", "typedef int nothing; /* operators of mathematics: none are here */\n")
    folders = [f"-I{folder}" for folder in (SOURCES, fresh / "include", made)]
    macros = {
        "ACTGRAD_PYTHON": interpreter.executable,
        "ACTGRAD_LIBPYTHON": interpreter.library,
        "ACTGRAD_VERSION": interpreter.version,
        "ACTGRAD_STDLIB": interpreter.stdlib,
        "ACTGRAD_PATH": ascii(list(interpreter.path)).replace("%", "%%"),  # Python, in a text for printf
    }
    quoted = [f'-D{name}="{_escaped(value)}"' for name, value in macros.items()]
    common = [
        *command, "-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread", "-Wall", "-Wextra",
        "-Wno-unused-parameter",
        "-Wl,-rpath,$ORIGIN", "-Wl,-z,defs,-z,nodelete", *folders, *quoted, f"-L{library}",
    ]  # fmt: skip

    def link(name: str, sources: Sequence[Path], *libraries: str) -> None:
        target = f"lib{name}.so"
        output = ["-o", str(library / target), f"-Wl,-soname,{target}"]
        _run([*common, *output, *map(str, sources), *[f"-l{other}" for other in libraries]], target)

    link("ascendcl", sorted((SOURCES / "ascendcl").glob("*.c")), "m", "dl")
    link("nnopbase", sorted((SOURCES / "nnopbase").glob("*.c")), "ascendcl", "dl")
    stubs = made / "opapi.o"  # all of them have the same
    _run([*command, "-c", "-std=gnu11", "-O2", "-fPIC", *folders, str(made / "opapi.c"), "-o", str(stubs)], stubs.name)
    for name in OPERATOR_LIBRARIES:
        link(name, [stubs], "nnopbase", "ascendcl")
    link("opapi_math", [made / "empty.c"])
    (library / "libacl_rt.so").symlink_to("libascendcl.so")


def _run(command: list[str], what: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SdkError(f"{what} could not be built:\n{shlex.join(command)}\n{done.stderr.strip()}")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _descriptions(prefix: Path) -> Iterator[tuple[str, str]]:
    """The files for shells, pkg-config and CMake: names under the prefix, and texts."""
    yield "set_env.sh", _environment(prefix)
    yield (
        "lib64/pkgconfig/actgrad.pc",
        f"prefix={prefix}\nincludedir=${{prefix}}/include\nlibdir=${{prefix}}/lib64\n\n"
        "Name: actgrad\nDescription: aclnn operators of CANN, computed on the CPU\n"
        f"Version: {__version__}\n"
        'Cflags: -I"${includedir}" -I"${includedir}/aclnn" -I"${includedir}/aclnnop"\n'
        'Libs: -L"${libdir}" -Wl,-rpath,"${libdir}" -lopapi_nn -lopapi_math -lnnopbase -lascendcl\n',
    )
    yield "share/cmake/actgrad/actgradConfig.cmake", _CMAKE
    yield (
        "share/cmake/actgrad/actgradConfigVersion.cmake",
        f'set(PACKAGE_VERSION "{__version__.partition(".dev")[0]}")\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n',
    )


def environment(prefix: Path) -> dict[str, str]:
    """The variables that programs and build systems read, without LD_LIBRARY_PATH."""
    root = str(prefix)
    home = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_CUSTOM_PATH", "ASCEND_AICPU_PATH", "ASCEND_INSTALL_PATH")
    return {**dict.fromkeys(home, root), "ASCEND_DIR": root, "ASCEND_OPP_PATH": root}


def _environment(prefix: Path) -> str:
    lines = [f"export {name}={shlex.quote(value)}" for name, value in environment(prefix).items()]
    folder = shlex.quote(str(prefix / "lib64"))
    lines.append(f"export LD_LIBRARY_PATH={folder}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}")
    return "# To be read by a shell: . set_env.sh\n" + "\n".join(lines) + "\n"


_CMAKE = """\
# find_package(actgrad CONFIG), then target_link_libraries(program actgrad::opapi)
get_filename_component(_actgrad_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
foreach(_name ascendcl nnopbase opapi_nn opapi cust_opapi opapi_math)
  if(NOT TARGET actgrad::${_name})
    add_library(actgrad::${_name} SHARED IMPORTED)
    set_target_properties(actgrad::${_name} PROPERTIES
      IMPORTED_LOCATION "${_actgrad_prefix}/lib64/lib${_name}.so"
      INTERFACE_INCLUDE_DIRECTORIES
        "${_actgrad_prefix}/include;${_actgrad_prefix}/include/aclnn;${_actgrad_prefix}/include/aclnnop")
  endif()
endforeach()
target_link_libraries(actgrad::opapi INTERFACE actgrad::nnopbase actgrad::ascendcl)
target_link_libraries(actgrad::opapi_nn INTERFACE actgrad::nnopbase actgrad::ascendcl)
target_link_libraries(actgrad::cust_opapi INTERFACE actgrad::nnopbase actgrad::ascendcl)
"""


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
